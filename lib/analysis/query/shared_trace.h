// What all readers of a trace share: its processes, threads and functions, and the source from which more readers come.
#pragma once

#include "analysis/events/trace_table.h"
#include "function_numbers.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ada::query {

/// May be used from any thread. functions() is for times when nothing is read: readers of a damaged trace add functions
/// that it did not announce.
class SharedTrace {
public:
  static Expected<std::unique_ptr<SharedTrace>> open(std::unique_ptr<model::TraceSource> source);

  /// Processes and threads, and the functions that were announced, under the source's numbers.
  const analysis::TraceTable &table() const { return table_; }
  model::TraceSource &source() const { return *source_; }
  std::unique_ptr<model::TraceSource> another() const { return source_->another(); }
  /// A source that has announced what plainTable() has: only functions that it names without being asked.
  std::unique_ptr<model::TraceSource> plainSource() const { return plain_->another(); }
  const analysis::TraceTable &plainTable() const { return plainTable_; }
  const std::deque<model::Function> &functions() const { return numbers_.functions(); }
  /// How many there are so far, and one of them, which stays where it is.
  size_t functionCount() const {
    const std::lock_guard lock(mutex_);
    return numbers_.functions().size();
  }
  const model::Function &function(uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return numbers_.functions()[number];
  }

  /// Whether several processes have the function of that number; Function::process is then the first of them.
  bool isShared(uint32_t number) {
    const std::lock_guard lock(mutex_);
    return numbers_.isShared(number);
  }

  /// The number of a function that was announced, by the source's number.
  uint32_t numberOf(uint32_t function) const { return numberOf_[function]; }
  /// The number of a function that was not announced. The first time, the whole trace is read for such functions, so
  /// that their numbers do not depend on what is read first.
  uint32_t numberOfNew(const model::Function &function);

  void addDamage(const model::TraceSource &source) { addDamage(source.problems(), source.warnings()); }
  void addDamage(const std::vector<Error> &problems, const std::vector<Warning> &warnings);
  std::vector<Error> problems() const;
  std::vector<Warning> warnings() const;

private:
  explicit SharedTrace(std::unique_ptr<model::TraceSource> source) : source_(std::move(source)) {}
  Expected<void> learnAll();

  std::unique_ptr<model::TraceSource> source_;
  std::unique_ptr<model::TraceSource> plain_;
  analysis::TraceTable table_, plainTable_;
  FunctionNumbers numbers_{table_};
  std::vector<uint32_t> numberOf_;
  mutable std::mutex mutex_;
  bool hasLearnt_ = false;
  std::vector<Error> problems_;
  std::vector<Warning> warnings_;
};

/// The functions of one source of a trace: the numbers of those that are announced while it is read.
class SourceFunctions {
public:
  explicit SourceFunctions(SharedTrace &trace) : trace_(trace) {}
  /// Call this for each function that the source announces.
  void add(const model::Function &function) {
    newNumbers_.push_back(trace_.numberOfNew(function));
    newIds_.push_back(function.id);
  }
  /// By the source's number.
  uint32_t numberOf(uint32_t function) const {
    const size_t known = trace_.table().functions.size();
    return function < known ? trace_.numberOf(function) : newNumbers_[function - known];
  }
  uint64_t idOf(uint32_t function) const {
    const std::vector<model::Function> &known = trace_.table().functions;
    return function < known.size() ? known[function].id : newIds_[function - known.size()];
  }

private:
  SharedTrace &trace_;
  std::vector<uint32_t> newNumbers_;
  std::vector<uint64_t> newIds_;
};

} // namespace ada::query
