// A session that is being recorded, as commands with --follow read it.
#include "live_input.h"

#include "exit_codes.h"
#include "options/option_values.h"
#include "terminal/terminal.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include "analysis/events/early_end.h"
#include "formats/table.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <thread>

namespace ada::cli {

using namespace std::chrono_literals;

void declareFollow(CommandLine &line, FollowOptions &options, const std::string &what) {
  line.flag("--follow", options.isWanted,
            "While the session is being recorded: " + what + "; ends when the recording does, or with ^C");
  line.option("--pid", options.pid, "With --follow, instead of a session: what this process is recording")
      .type("PID")
      .between(1, std::numeric_limits<int>::max());
  addDuration(line, "--interval", options.intervalNs, "With --follow: time between two looks [1s]");
}

void checkFollow(const FollowOptions &options, const InputOptions &input, const char *command) {
  if (!options.isWanted && (options.pid > 0 || options.intervalNs > 0))
    stop(kWrongUsage, "{}: {} needs --follow", command, options.pid > 0 ? "--pid" : "--interval");
  if (options.pid > 0 && !input.path.empty())
    stop(kWrongUsage, "{}: give either a session or --pid", command);
}

LiveInput::LiveInput(const InputOptions &options, const FollowOptions &follow, const char *command)
    : session_(follow.pid > 0 ? LiveSession::ofProcess(static_cast<uint32_t>(follow.pid))
                              : LiveSession::at(options.path)),
      options_(options), command_(command),
      interval_(follow.intervalNs > 0 ? std::chrono::nanoseconds(follow.intervalNs) : 1s), input_(session_.name()) {
  options_.path = session_.path(), options_.pid = session_.pid();
  std::error_code error;
  if (!std::filesystem::is_directory(session_.path(), error))
    stop(kCantRead, "{}: {} is not the directory of a session, so it can't be followed", command, session_.path());
  session_.needEverything(command);
  // Times count from the first event. A thread may have an earlier one than the thread that is seen first, so the look
  // after the first one with events decides.
  for (bool hasEvents = false;;) {
    isLive_ = session_.isLive();
    const Expected<void> opened = open();
    if (opened) {
      analysis::TableSink ignored(input_.table_);
      need(trace_.look(input_.source(), ignored, [](uint32_t) { return false; }));
    } else if (!isLive_ || signals_.wasAsked()) { // else it is just being made
      need(opened);
    }
    if (hasEvents || !isLive_ || signals_.wasAsked())
      break;
    hasEvents = std::ranges::any_of(input_.table_.threads,
                                    [](const model::Thread &thread) { return thread.extent && thread.extent->events; });
    std::this_thread::sleep_for(50ms);
  }
  input_.selectThreads(options_);
  input_.selectTimes(options_);
}

Expected<void> LiveInput::open() {
  input_.source_ = ADA_TRY(formats::openThreadwise(session_.path()));
  return {};
}

Expected<bool> LiveInput::look(model::TraceSink &sink) {
  // First, so that everything that was written before it turns false is read.
  isLive_ = session_.isLive();
  // The next program of a session may begin just after another one has ended, so a second look decides.
  bool isLast = (!isLive_ && !wasLive_) || signals_.wasAsked();
  wasLive_ = isLive_;
  ADA_TRY(open());
  analysis::TraceTable &table = input_.table_;
  std::optional<analysis::ThreadChoice> choice; // of the threads that there are now
  const auto done = trace_.look(input_.source(), sink, [&](uint32_t thread) {
    if (!choice)
      choice.emplace(options_.threads, table.threads);
    return choice->wants(table.threads[thread]) &&
           TraceInput::isProcess(options_, table.processOf(table.threads[thread]));
  });
  if (!done && !analysis::isEarlyEnd(done.error()))
    return done.error();
  isLast |= !done;
  input_.selectThreads(options_);
  for (const model::Thread &thread : table.threads)
    if (thread.extent)
      input_.end_ = std::max(input_.end_, thread.extent->lastNs);
  return !isLast;
}

void LiveInput::wait() {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + (isLive_ ? interval_ : std::min<std::chrono::nanoseconds>(interval_, 200ms));
  while (!signals_.wasAsked() && Clock::now() < end)
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(end - Clock::now(), 50ms));
}

int LiveInput::close() {
  if (trace_.hasLostFront())
    warning("{}: {} lost its oldest events while it was read; some of them may be missing above", command_,
            input_.name());
  const auto isBefore = [&](const model::Thread &thread) {
    return thread.extent && thread.extent->events && thread.extent->firstNs < input_.startNs();
  };
  if (!input_.isAbsolute() && std::ranges::any_of(input_.table_.threads, isBefore))
    warning("{}: times count from the first event that was seen, but another thread of {} began earlier", command_,
            input_.name());
  return isLive_ ? int(kOk) : input_.close(); // files that are being written look damaged
}

} // namespace ada::cli
