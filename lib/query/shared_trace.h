// What all readers of a trace share: its processes, threads and functions, and the source from which more readers come.
#pragma once

#include "analysis/events/trace_table.h"
#include "function_numbers.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ada::query {

/// May be used from any thread, except that functions() must not be called while readers of a damaged trace find
/// functions that it did not announce.
class SharedTrace {
public:
  static Expected<std::unique_ptr<SharedTrace>> open(std::unique_ptr<model::TraceSource> source);

  /// Processes and threads, and the functions that were announced, under the source's numbers.
  const analysis::TraceTable &table() const { return table_; }
  model::TraceSource &source() const { return *source_; }
  std::unique_ptr<model::TraceSource> another() const { return source_->another(); }
  const std::vector<model::Function> &functions() const { return numbers_.functions(); }

  /// What is known about a function of the source's that was announced; table().functions has all of them.
  uint32_t numberOf(uint32_t function) const { return numberOf_[function]; }
  /// The number of a function that was not announced. The first time, the whole trace is read for such functions, so
  /// that their numbers do not depend on what is read first.
  uint32_t numberOfNew(const model::Function &function);

  void addDamage(const model::TraceSource &source);
  std::vector<Error> problems() const;
  std::vector<Warning> warnings() const;

private:
  explicit SharedTrace(std::unique_ptr<model::TraceSource> source) : source_(std::move(source)) {}
  Expected<void> learnAll();

  std::unique_ptr<model::TraceSource> source_;
  analysis::TraceTable table_;
  FunctionNumbers numbers_{table_};
  std::vector<uint32_t> numberOf_;
  mutable std::mutex mutex_;
  bool hasLearnt_ = false;
  std::vector<Error> problems_;
  std::vector<Warning> warnings_;
};

} // namespace ada::query
