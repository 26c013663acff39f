// The common part of sources that read a stream of bytes.
#pragma once

#include "ada/trace/convert.h"
#include "formats/name_limit.h"
#include "formats/table.h"
#include "trace/batch_builder.h"
#include "trace/loss_list.h"

namespace ada::formats {

/// Passes a trace to a sink in the order in which a stream introduces it: numbers new items, cuts names that are too
/// long, and collects events. The sink's first error is kept, and everything after it is ignored.
class TraceBuilder {
public:
  TraceBuilder(model::TraceSink &sink, model::LossList &lost) : events_(sink), sink_(sink), limit_(lost) {}

  /// Only the first call counts.
  void begin(bool isRoot, std::optional<std::pair<uint64_t, uint64_t>> range = std::nullopt) {
    if (!std::exchange(begun_, true))
      events_.check(sink_.begin({.range = range, .isRoot = isRoot}));
  }
  /// Sets and returns the index of the process, thread or function.
  uint32_t add(model::Process process) {
    begin(true);
    process.index = processes_++;
    if (process.name.empty())
      process.name = "pid_" + std::to_string(process.index);
    limit_.cut(process.name);
    limit_.cut(process.label);
    limit_.cut(process.executable);
    return give(process, &model::TraceSink::addProcess);
  }
  uint32_t add(model::Thread thread) {
    thread.index = threads_++;
    limit_.cut(thread.name);
    limit_.cut(thread.label);
    return give(thread, &model::TraceSink::addThread);
  }
  uint32_t add(model::Function function) {
    function.index = functions_++;
    for (std::string *const text : {&function.name, &function.displayName, &function.file, &function.signature})
      limit_.cut(*text);
    return give(function, &model::TraceSink::addFunction);
  }
  void endThread(uint32_t thread) {
    events_.flush();
    if (status())
      events_.check(sink_.endThread(thread));
  }
  Expected<void> finish() {
    begin(true);
    events_.flush();
    if (status())
      events_.check(sink_.finish());
    return status();
  }

  model::BatchBuilder &events() { return events_; }
  NameLimit &limit() { return limit_; }
  const Expected<void> &status() const { return events_.status(); }
  uint32_t functions() const { return functions_; } ///< number of them

private:
  template <class Item> uint32_t give(const Item &item, Expected<void> (model::TraceSink::*add)(const Item &)) {
    if (status())
      events_.check((sink_.*add)(item));
    return item.index;
  }

  model::BatchBuilder events_;
  model::TraceSink &sink_;
  NameLimit limit_;
  bool begun_ = false;
  uint32_t processes_ = 0, threads_ = 0, functions_ = 0;
};

class ByteSource : public model::TraceSource {
public:
  explicit ByteSource(model::ByteInput input) : input_(std::move(input)) {}

  Expected<void> makeRepeatable() override { return input_.spool(); }
  std::optional<double> progress() const override {
    const auto size = input_.size();
    if (!size || !*size)
      return std::nullopt;
    return static_cast<double>(input_.position()) / static_cast<double>(*size);
  }
  const std::vector<Error> &problems() const override { return errors_; }
  const std::vector<Warning> &warnings() const override { return flaws_; }
  std::vector<model::Loss> losses() const override { return lost_.list(); }

protected:
  /// Resets everything to the state before the first read().
  Expected<void> restart() {
    errors_.clear();
    flaws_.clear();
    lost_.clear();
    return input_.rewind();
  }
  /// Combines the outcome of reading the input with the sink's status. A problem that leaves something usable is noted.
  Expected<void> check(const Expected<ReadOutcome> &read, const Expected<void> &status) {
    if (!read)
      return read.error();
    if (!status)
      return status;
    if (!read->isUsable)
      return *read->problem;
    if (read->problem)
      errors_.push_back(*read->problem);
    return {};
  }

  model::ByteInput input_;
  std::vector<Error> errors_;
  std::vector<Warning> flaws_;
  model::LossList lost_;
};

} // namespace ada::formats
