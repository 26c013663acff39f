// An opened trace of any format, for questions from several Python threads at once.
#pragma once

#include "analysis/calls/call_filter.h"
#include "analysis/calls/thread_workers.h"
#include "analysis/events/trace_table.h"
#include "analysis/query/shared_trace.h"
#include "analysis/query/stoppable_source.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ada::python {

/// What was found damaged while something was read.
using analysis::Damage;
using query::StopFlag, query::StoppableSource;

class Trace {
public:
  static Expected<std::shared_ptr<Trace>> open(const std::string &path, const StopFlag &stop);

  const std::string &path() const { return path_; }
  /// Processes and threads, and the functions that are announced before any event.
  const analysis::TraceTable &table() const { return shared_->plainTable(); }
  /// What was found when it was opened.
  const Damage &damage() const { return damage_; }
  /// The first and the last event on the trace's clock; 0 if there are none.
  uint64_t startNs() const { return startNs_; }
  uint64_t endNs() const { return endNs_; }
  uint64_t eventCount() const;
  bool severalProcesses() const { return table().processes.size() > 1; }
  /// All threads, unless some are chosen.
  std::vector<uint32_t> threads(const std::optional<std::vector<uint32_t>> &chosen) const;

  /// For one question: a source of its own, and the table that goes with it.
  struct Reading {
    std::unique_ptr<model::TraceSource> source;
    analysis::TraceTable table;
    Damage damage() const { return {source->problems(), source->warnings()}; }
  };
  Reading read(const StopFlag &stop) const;
  /// For columns and lists of functions, which numbers functions as all commands count them: calls use(shared) while
  /// no other thread uses it, because reads of a damaged trace may add functions to it.
  template <class Use> Expected<void> useShared(const StopFlag &stop, const Use &use) const {
    std::unique_lock lock(sharedMutex_, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(50)))
      if (*stop)
        return {};
    return use(*shared_);
  }

private:
  std::string path_;
  mutable std::timed_mutex sharedMutex_;
  std::unique_ptr<query::SharedTrace> shared_;
  Damage damage_;
  uint64_t startNs_ = 0, endNs_ = 0;
};

} // namespace ada::python
