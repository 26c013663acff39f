// A session that is being recorded, as commands with --follow read it.
//
//   LiveInput live(options.input, options.follow, "dump");
//   while (need(live.look(sink))) {
//     ... print what the sink has got ...
//     live.wait();
//   }
#pragma once

#include "process/end_signals.h"
#include "process/live_session.h"
#include "trace_input.h"

#include "analysis/events/growing_trace.h"

#include <chrono>
#include <string>

namespace ada::cli {

struct FollowOptions {
  bool isWanted = false;
  int pid = 0;             ///< 0: not given
  uint64_t intervalNs = 0; ///< 0: not given
};

/// Declares --follow, --pid and --interval. `what`: what is printed while the session is recorded, for --help.
void declareFollow(CommandLine &line, FollowOptions &options, const std::string &what);
/// Ends the command if they contradict each other.
void checkFollow(const FollowOptions &options, const InputOptions &input, const char *command);

/// While it lives, ^C ends following, not the command.
class LiveInput {
public:
  /// Waits until there are events, or the recording has ended. Ends the command if the session can't be followed.
  LiveInput(const InputOptions &options, const FollowOptions &follow, const char *command);
  LiveInput(const LiveInput &) = delete;

  /// Processes, threads and functions keep their numbers. Its source is that of the last look, which has other ones.
  TraceInput &input() { return input_; }
  analysis::GrowingTrace &trace() { return trace_; }
  std::chrono::nanoseconds interval() const { return interval_; }
  /// To read the same from the beginning, with TraceInput::open().
  const InputOptions &wholeInput() const { return options_; }

  /// Hands everything that is new to the sink. False if nothing will follow: the recording has ended, ^C was pressed,
  /// or the sink wants no more.
  Expected<bool> look(model::TraceSink &sink);
  /// Until the next look, or the end of following.
  void wait();
  /// Whether processes were recording at the last look.
  bool isLive() const { return isLive_; }
  /// Reports damage, as TraceInput::close() does.
  int close();

private:
  Expected<void> open();

  LiveSession session_;
  InputOptions options_;
  const char *command_;
  std::chrono::nanoseconds interval_;
  TraceInput input_;
  analysis::GrowingTrace trace_{input_.table_};
  EndSignals signals_;
  bool isLive_ = false, wasLive_ = true;
};

} // namespace ada::cli
