// The calls of a session that is being recorded, each when it has ended, and so after the calls that it made.
#pragma once

#include "analysis/events/trace_table.h"
#include "tree_walk.h"

#include <map>
#include <memory>

namespace ada::analysis {

/// The sink of GrowingTrace::look(). Each call is one line; nothing is folded. Memory: the open calls.
class TreeFollower : public model::TraceSink {
public:
  /// All must outlive it; `table` grows. TreeOutput::beginThread() is called whenever the lines of another thread
  /// follow.
  TreeFollower(const TraceTable &table, const FilterOptions &filter, const TreeWalkOptions &options,
               TreeOutput &output);
  ~TreeFollower() override;

  bool wantsDetails() const override;
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override;
  /// After the last look: the calls that are still open, and time that threads waited after their last event.
  void finishAll();

  uint64_t strayExits() const;

private:
  class Thread;
  void choose(uint32_t thread);

  const TraceTable &table_;
  FunctionRules rules_;
  ValueTexts values_;
  const TreeWalkOptions &options_;
  TreeOutput &output_;
  std::map<uint32_t, std::unique_ptr<Thread>> threads_;
  Thread *current_ = nullptr;     // whose events come
  uint32_t shown_ = ~uint32_t(0); // whose lines come
};

} // namespace ada::analysis
