// The threads of a trace as they ended, or as they are now: their open calls, and the last calls before.
#pragma once

#include "trace_input.h"

#include "analysis/calls/thread_ends.h"

#include <vector>

namespace ada::cli {

/// The threads of a trace as they are now, or as they were at its end.
class StackTable {
public:
  /// Reads the chosen threads of `input`, and up to `recent` finished calls of each. Values are read only for the calls
  /// passed to readValues(). If reading fails, ends the command.
  static StackTable read(TraceInput &input, const analysis::FilterOptions &filter, size_t recent);

  /// Reads arguments and results of these calls; of long lists only `most` at each end, because each takes a look-up in
  /// the trace. If reading fails, ends the command.
  void readValues(uint32_t thread, std::vector<analysis::EndCall> &calls, size_t most = 200);

  std::vector<analysis::ThreadEnd> &threads() { return ends_.threads; }
  const std::vector<model::Function> &functions() const { return ends_.functions; }
  const analysis::Damage &damage() const { return ends_.damage; }
  TraceInput &input() const { return *input_; }
  /// The time up to which an open call of this thread is open: now if its process is alive, otherwise the end of the
  /// process if that is known, and of the trace if not.
  uint64_t endNs(uint32_t thread) const { return processEnds_[input_->table().threads[thread].process]; }
  bool isAlive(uint32_t thread) const { return areAlive_[input_->table().threads[thread].process]; }
  uint64_t lastEventNs(uint32_t thread) const;

private:
  explicit StackTable(TraceInput &input) : input_(&input) {}

  TraceInput *input_;
  analysis::ThreadEnds ends_;
  std::vector<uint64_t> processEnds_; // by process
  std::vector<bool> areAlive_;
};

} // namespace ada::cli
