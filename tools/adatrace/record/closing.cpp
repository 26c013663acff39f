// What `record` says when a recording has ended.
#include "closing.h"
#include "explain_death.h"
#include "process/session_place.h"
#include "record_statistics.h"
#include "run_findings.h"
#include "terminal/folded_messages.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include "ada/trace/manifest.h"
#include "analysis/events/trace_table.h"
#include "formats/convert/recorder_flaws.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

// `path` in the form that is easiest to read and to type.
std::string readable(const std::string &path) {
  std::error_code error;
  const std::string relative = fs::relative(path, error).string();
  return error || relative.empty() || relative.starts_with("..") ? path : relative;
}

// Why a process of the session could not start recording, as it reported itself; empty if none did.
std::string failureToStart(const std::string &session) {
  for (const std::string &directory : processDirectories(session))
    if (const auto manifest = Manifest::read(directory + "/manifest.json");
        manifest && manifest->exit.how == "untraced")
      return manifest->failure();
  return {};
}

// The first word of the arguments that names an instrumented program: "./p" of `env -i ./p`, and of `su -c './p 1'`.
// Empty if no word does.
std::string instrumentedArgument(const std::vector<std::string> &arguments) {
  size_t words = 0;
  for (const std::string &argument : arguments) {
    std::istringstream text(argument);
    for (std::string word; text >> word;) {
      constexpr size_t kMaxWords = 100; // a program may get thousands of files
      if (++words > kMaxWords)
        return {};
      const std::optional<std::string> program = findProgram(word);
      if (program && instrumentationOf(*program) == Instrumentation::Yes)
        return word;
    }
  }
  return {};
}

// Why a program that starts others has left nothing.
std::string reasonForNoProcess(const FinishedRun &run) {
  if (const std::string program = instrumentedArgument(run.arguments); !program.empty())
    return fmt::format("{} was built with the AdaTrace plugin, but did not record: it was started without ADA_OPTIONS "
                       "in its environment (as by `env -i`, `sudo` and `su -`), as a user who may not write to {}, or "
                       "not at all",
                       program, readable(run.session));
  return "no process that it started was built with the AdaTrace plugin, or ADA_OPTIONS was not in its environment "
         "(`env -i`, `sudo` and `su -` remove it); `adatrace info FILE` shows whether a program or library is "
         "instrumented, `adatrace flags` prints the compiler options";
}

// Why a run left no events, as far as this can be seen from outside. `failure`: why a process could not start.
std::string reasonForNothing(const RecordTotals &totals, const FinishedRun &run, const std::string &failure) {
  const OptionList &options = run.used;
  const auto isSet = [&](const char *name) {
    const std::string *value = findOption(options, name);
    return value && !value->empty();
  };
  rlimit limit = {};
  const bool isTooLarge = failure.find(std::strerror(EFBIG)) != std::string::npos;
  if (((run.neverBegan && failure.empty()) || isTooLarge) && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
      limit.rlim_cur != RLIM_INFINITY)
    return fmt::format("a process could not start recording: files are limited to {} (ulimit -f), but its ring file "
                       "needs 33 MiB plus the size that option buffer gives",
                       formatBytes(limit.rlim_cur));
  if (!failure.empty())
    return "a process could not start recording: " + failure;
  if (run.neverBegan)
    return "a process ended before it had started recording; if it could not start, the reason is on standard error";
  if (totals.dropped > 0)
    return fmt::format("all {} were lost; `adatrace info {}` says why", formatCount(totals.dropped, "event"),
                       pathForShell(readable(run.session)));
  if (totals.processes == 0 && run.built == Instrumentation::No && !startsOtherPrograms(run.program))
    return fmt::format("{} was not built with the AdaTrace plugin, nor were the libraries it is linked with; `adatrace "
                       "flags` prints the compiler options",
                       run.program);
  if (isFlight(options) && totals.processes == 0)
    return "nothing triggered the flight recorder, and no process failed that has one";
  if (totals.processes == 0 && run.built != Instrumentation::Yes)
    return reasonForNoProcess(run);
  if (const std::string *enabled = findOption(options, "enabled"); enabled && *enabled == "0")
    return "recording was off from the start (enabled=0) and ada_start() was not called";
  if (isSet("include") || isSet("exclude"))
    return "include and exclude select none of the functions that ran";
  if (totals.processes == 0)
    return "no instrumented function was called, or the program could not start recording (see standard error); "
           "`adatrace info FILE` counts the instrumented functions of a program or library";
  return "no instrumented function was called; `adatrace info FILE` counts the instrumented functions of a program or "
         "library";
}

// "12 events in 3 ms (4 k/s), 0 dropped, 1 KiB in DIRECTORY; next: adatrace why DIRECTORY". `isBounded`: there were
// events before the newest ones. How many is not known, so their rate isn't, either.
void tellTotals(const std::string &session, const RecordTotals &totals, std::chrono::nanoseconds duration,
                bool isBounded) {
  const std::string place = readable(session);
  const auto nanoseconds = static_cast<uint64_t>(duration.count());
  const bool areMany = analysis::areMany(totals.processes); // then `processes` is the next command
  const std::string events = formatCount(totals.events, "event") +
                             (areMany ? fmt::format(" of {} processes", formatCount(totals.processes)) : "");
  const std::string count = isBounded ? fmt::format("the newest {} of {}", events, formatDuration(nanoseconds))
                                      : fmt::format("{} in {} ({})", events, formatDuration(nanoseconds),
                                                    formatRate(totals.events, nanoseconds));
  complain(fmt::format("{}, {} dropped, {} in {}; next: adatrace {} {}", count, formatCount(totals.dropped),
                       formatBytes(bytesBelow(session)), place, areMany ? "processes" : "why", pathForShell(place)));
}

void reportEnd(const FinishedRun &run) {
  const RecordTotals totals = RecordWatch(run.session).refresh();
  if (std::error_code error; !fs::exists(run.session, error)) // it existed when the program started
    complain(fmt::format("there is no trace: {} was removed or renamed while the program ran", readable(run.session)));
  else if (totals.events == 0)
    complain("nothing was recorded: " + reasonForNothing(totals, run, failureToStart(run.session)));
  else
    tellTotals(run.session, totals, run.ending.duration,
               isFlight(run.used) || isOn(run.used, "max_size") || isOn(run.used, "max_time"));
}

// Reports the functions that the budget switched off, and how to leave them out from the start.
void tellFunctionsOff(const std::string &session, const FunctionsOff &off) {
  if (off.told.empty())
    return;
  complain(off.told + (off.globs.empty()
                           ? fmt::format("; `adatrace info {}` lists them", pathForShell(readable(session)))
                           : "; to leave them out from the start: --exclude=" + quotedForShell(off.globs)));
}

// The directory of the program itself; the last one if it called exec.
std::string directoryOf(const std::string &session, pid_t pid) {
  std::string found;
  for (const std::string &directory : processDirectories(session))
    if (processId(directory) == static_cast<unsigned>(pid))
      found = directory;
  return found;
}

void tellWarnings(const std::string &session, const RunFindings &findings) {
  FoldedMessages warnings(verifyEach(readable(session)), complain);
  for (const Warning &flaw : formats::recorderFlaws(processDirectories(session)))
    warnings.add("warning: " + flaw.message);
  for (const std::string &failure : findings.failures)
    warnings.add("warning: " + failure);
}

} // namespace

void tellOfRun(const FinishedRun &run, const RecordOptions &options, When color) {
  if (const std::string directory = directoryOf(run.session, run.ending.pid);
      WIFSIGNALED(run.ending.status) && !directory.empty())
    explainDeath(directory, color);
  tellUnmatchedGlobs(run.session, run.asked);
  if (options.waits && !hasLibraryCalls(run.session))
    warning("--waits: library calls can't be recorded, because {} was built without --ada-calls=default", run.program);
  const RunFindings findings = findingsOf(run.session);
  tellFunctionsOff(run.session, findings.off);
  if (const std::string &why = findings.whyNoProcessorTimes; !why.empty())
    complain(fmt::format("on-CPU and off-CPU times were not recorded: {}; --sched=0 switches them off", why));
  tellWarnings(run.session, findings);
  reportEnd(run);
}

void tellOfProcess(const FinishedRecording &recording) {
  tellWarnings(recording.session, findingsOf(recording.session));
  const RecordTotals totals = RecordWatch(recording.session).refresh();
  if (!recording.hasBegun)
    complain(fmt::format("nothing was recorded: process {} made no traced call", recording.pid));
  else if (totals.events == 0)
    complain(fmt::format("nothing was recorded: process {} called no function that is selected", recording.pid));
  else
    tellTotals(recording.session, totals, recording.duration, false);
}

} // namespace ada::cli
