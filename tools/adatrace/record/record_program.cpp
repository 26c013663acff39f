// Runs and records a program.
#include "record_program.h"
#include "closing.h"
#include "exit_codes.h"
#include "fault_event.h"
#include "process/child_process.h"
#include "process/finish_flights.h"
#include "process/recover_process.h"
#include "process/session_place.h"
#include "process_endings.h"
#include "record_progress.h"
#include "terminal/folded_messages.h"

#include "live/recover/leftovers.h"

#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

struct Place {
  std::string session; ///< absolute path, because the program may change its working directory
  bool isOurs = false; ///< the directory was made for this run
};

// The session for this run: the requested one, or a new one.
Place chooseSession(const OptionList &options) {
  constexpr const char *kNotStarted = "{}; the program was not started; choose another directory with --output";
  std::error_code error;
  if (const std::string *given = findOption(options, "session"); given && !given->empty()) {
    const bool made = makePrivateDirectories(*given, error);
    if (error)
      stop(kRecordFailed, kNotStarted,
           fmt::format("can't create the session directory {}: {}", *given, error.message()));
    return {fs::absolute(*given, error).string(), made};
  }
  const std::string *output = findOption(options, "output");
  std::string problem;
  const std::optional<std::string> made =
      makeSession(output && !output->empty() ? *output : std::string(kDefaultOutput), problem);
  if (!made)
    stop(kRecordFailed, kNotStarted, problem);
  return {fs::absolute(*made, error).string(), true};
}

// How a process ended that has left its trace unfinished. `ending` is how the program itself ended, `others` those that
// it started.
RecoverOptions endOf(const std::string &directory, const Ending &ending, const ProcessEndings &others) {
  std::optional<ProcessEndings::Ending> end;
  if (processId(directory).value_or(0) == static_cast<unsigned>(ending.pid))
    end = {ending.status, ending.endedUtcNs};
  else if (const auto manifest = Manifest::read(directory + "/manifest.json"))
    end = others.of(*manifest);
  RecoverOptions options;
  if (end)
    setEnd(options, end->status), options.endedUtcNs = end->utcNs;
  return options;
}

// Recovers killed programs, whose newest events are still in the ring file. Returns whether there is a process that
// made its directory but not even its first manifest, which recovery adds.
bool recoverUnfinished(const std::string &session, const EndOf &endOf, bool quiet) {
  RecoverTotals totals{.complaints = {recoverEach(session), complain}};
  FoldedMessages alive("`adatrace status`", complain);
  bool neverBegan = false;
  for (const std::string &directory : processDirectories(session)) {
    const ProcessState state = stateOf(directory);
    // A process that outlives the program (a daemon, say) continues to record.
    if (state == ProcessState::Running && !quiet)
      alive.add(fmt::format("process {} is still running and recording", processId(directory).value_or(0)));
    if (state == ProcessState::Unfinished) {
      std::error_code error;
      neverBegan |= !fs::exists(directory + "/manifest.json", error) && !error;
      recoverAndTell(directory, endOf(directory), true, totals);
    }
  }
  recover::removeLeftBinaries(session);
  return neverBegan;
}

// The run-time options that the user chose: those of ADA_OPTIONS, then flags.
OptionList optionsOf(const RecordOptions &options) {
  std::string problem;
  const char *environment = std::getenv("ADA_OPTIONS");
  std::optional<OptionList> asked = parseOptions(environment ? environment : "", problem);
  if (!asked)
    stop(kWrongUsage, "the environment variable ADA_OPTIONS is invalid: {}", problem);
  for (const auto &[name, value] : *asked)
    if (const std::string wrong = problemOf(name, value); !wrong.empty())
      stop(kWrongUsage, "the environment variable ADA_OPTIONS is invalid: {}", wrong);
  for (const auto &[name, value] : options.runtime)
    setOption(*asked, name, value);
  if (options.packed)
    setOption(*asked, "format", "packed");
  completeDetail(*asked);
  return *asked;
}

// Whether the program is instrumented. Warns if nothing in it can be recorded.
Instrumentation checkInstrumentation(const std::string &name, bool quiet) {
  const std::optional<std::string> program = findProgram(name);
  const Instrumentation built = program ? instrumentationOf(*program) : Instrumentation::Unknown;
  if (program && built == Instrumentation::No && !startsOtherPrograms(*program) && !quiet)
    warning("neither {} nor the libraries it is linked with are instrumented; only libraries that it loads and "
            "programs that it starts can be recorded",
            name);
  return built;
}

// Hands the options to the program, by its environment.
void exportOptions(OptionList &options, const std::string &session) {
  if (!canQuote(session))
    stop(kWrongUsage,
         "{} contains both kinds of quote and a ':' or a space, which ADA_OPTIONS can't represent; choose another "
         "directory",
         session);
  setOption(options, "session", session);
  for (const auto &[option, value] : kOwnDefaults)
    if (!findOption(options, option))
      setOption(options, option, value);
  setenv("ADA_OPTIONS", joinOptions(options).c_str(), 1);
}

// Finishes what killed processes left, and reports what came of the run.
void finish(FinishedRun &run, const ProcessEndings &others, const RecordOptions &options, When color) {
  if (const std::string how = describe(run.ending); !how.empty() && !options.quiet)
    complain(fmt::format("{} {}", run.program, how));
  const EndOf end = [&](const std::string &directory) { return endOf(directory, run.ending, others); };
  run.neverBegan = recoverUnfinished(run.session, end, options.quiet);
  if (isFlight(run.used)) {
    const std::string *ring = findOption(run.used, "ring");
    finishFlights(run.session, ringPlaces(ring ? *ring : ""), run.ending.pid, end, options.quiet);
    run.session = lastDump(run.session, run.ending.pid);
  }
  if (!options.quiet)
    tellOfRun(run, options, color);
}

} // namespace

int recordProgram(const RecordOptions &options, const std::vector<std::string> &program, When color) {
  if (program.empty())
    return fail(kWrongUsage, "record: no program given; see adatrace record --help");
  FinishedRun run;
  run.program = program.front();
  run.arguments.assign(program.begin() + 1, program.end());
  run.asked = run.used = optionsOf(options);
  if (options.waits)
    addWaits(run.used);
  refuseTaken(options);
  run.built = checkInstrumentation(run.program, options.quiet);
  const Place place = chooseSession(run.used);
  run.session = place.session;
  exportOptions(run.used, run.session);

  const FileDescriptor faultEvent = openFaultEvent();
  ProcessEndings others;
  RecordProgress progress(run.session, options.progress, options.quiet);
  run.ending = runProgram(program, std::chrono::milliseconds(250),
                          progress.isWanted() ? [&](pid_t) { progress.draw(); } : std::function<void(pid_t)>());
  progress.clear();
  others.stop();
  if (!run.ending.startError)
    finish(run, others, options, color);
  if (std::error_code error; place.isOurs)
    fs::remove(place.session, error); // only if it is empty, because nothing was recorded
  if (run.ending.startError)
    complain(fmt::format("{} {}", run.program, describe(run.ending)));
  return run.ending.exitCode();
}

} // namespace ada::cli
