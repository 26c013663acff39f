// Opens the trace that a subcommand reads.
#pragma once

#include "terminal/folded_messages.h"
#include "terminal/terminal.h"

#include "analysis/calls/call_filter.h"
#include "analysis/calls/part_sink.h"
#include "analysis/calls/thread_workers.h"
#include "analysis/events/trace_table.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace ada::cli {

class CommandLine;

/// The positional argument and the options that tree, report and dump share.
struct InputOptions {
  std::string path; ///< empty: the newest session under ./ada-traces
  std::vector<std::string> threads;
  std::string from, to;
  bool absolute = false; ///< times are on the trace's clock
  unsigned pid = 0;      ///< only threads of this process; 0: of all
  /// See model::ReadRequest; false for commands that ask which process a function belongs to.
  bool sharesFunctions = true;
  /// Gets what the user must know about the trace's state.
  std::function<void(const std::string &)> say = complain;
};

void declareSessionArgument(CommandLine &line, std::string &path);
/// Declares the argument, --thread, --from, --to and --absolute.
void declareInput(CommandLine &line, InputOptions &options);

/// An opened trace of any format. Everything that the user must know about its state is reported.
class TraceInput {
public:
  /// Opens the trace, warns about damage on standard error, and selects the threads. If that fails, ends the command.
  static TraceInput open(const InputOptions &options);

  /// The path as it was given or found.
  const std::string &name() const { return name_; }
  /// The same; "-" for standard input. For pathForShell().
  const std::string &path() const { return path_; }
  model::TraceSource &source() const { return *source_; }
  /// Processes and threads; functions are added as they are read.
  analysis::TraceTable &table() { return table_; }
  const analysis::TraceTable &table() const { return table_; }
  /// Indexes of the threads that --thread selects.
  const std::vector<uint32_t> &threads() const { return selected_; }
  /// The selected threads, as analyses take them.
  analysis::Trace trace() { return {source(), table(), threads()}; }
  /// False if --thread left some out.
  bool hasAllThreads() const { return selected_.size() == table_.threads.size(); }
  /// Processes that InputOptions::pid leaves out do not count.
  bool severalProcesses() const {
    return table_.processes.size() > 1 &&
           (pid_ == 0 || std::ranges::count(table_.processes, pid_, &model::Process::pid) > 1);
  }
  /// Number of events of the selected threads.
  uint64_t eventCount() const;

  /// The range of --from and --to on the trace's clock, [from, to); 0 to 2^64-1 if not given.
  uint64_t fromNs() const { return from_; }
  uint64_t toNs() const { return to_; }
  void setRange(analysis::FilterOptions &filter) const { filter.fromNs = from_, filter.toNs = to_; }
  bool isInRange(uint64_t ns) const { return ns >= from_ && (ns < to_ || to_ == ~uint64_t(0)); }
  /// Times of the first and last event of the trace.
  uint64_t startNs() const { return start_; }
  uint64_t endNs() const { return end_; }
  /// Times in text are relative to this: the start of the trace, or 0 with --absolute.
  uint64_t originNs() const { return origin_; }
  bool isAbsolute() const { return isAbsolute_; }
  /// How long a call that never ended has been open: until the end of the trace.
  uint64_t openNs(uint64_t beginNs) const { return end_ > beginNs ? end_ - beginNs : 0; }
  /// " for 1.500 s" if that is longer than the duration shown, which ends with the last event of the call's thread.
  std::string openText(uint64_t beginNs, uint64_t shownNs) const;
  /// "thread 3 (tid 4711, worker)", with "pid_42 " before it if there are several processes.
  std::string label(uint32_t thread) const;
  /// The call that event number `seq` of the thread begins, as `why --call` takes it: "3:1742", or "4711/3:1742" if
  /// there are several processes.
  std::string callName(uint32_t thread, uint64_t seq) const;
  /// For commands that were to show arguments, and found none.
  void warnWithoutArguments() const;

  /// Reports the damage found since open(), and `besides`. Returns the exit code: kOk, or kProblemsFound if a part of
  /// the input could not be used.
  int close(const analysis::Damage &besides = {});

private:
  friend class LiveInput;
  explicit TraceInput(std::string path, std::function<void(const std::string &)> say = complain)
      : path_(std::move(path)), name_(path_ == "-" ? "standard input" : path_),
        messages_(verifyEach(path_), std::move(say)) {}
  void selectThreads(const InputOptions &options);
  static bool isProcess(const InputOptions &options, const model::Process &process) {
    return options.pid == 0 || process.pid == options.pid;
  }
  void selectTimes(const InputOptions &options);
  void tell(const Error &problem);
  void tell(const Warning &warning);

  std::string path_, name_;
  unsigned pid_ = 0; ///< InputOptions::pid
  std::unique_ptr<model::TraceSource> source_;
  analysis::TraceTable table_;
  std::vector<uint32_t> selected_;
  uint64_t from_ = 0, to_ = ~uint64_t(0), start_ = 0, end_ = 0, origin_ = 0;
  std::unordered_set<std::string> told_;
  FoldedMessages messages_;
  bool hasProblems_ = false, isAbsolute_ = false;
};

} // namespace ada::cli
