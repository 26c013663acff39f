// Adatrace record: runs and records a program.
#include "command.h"
#include "elf/elf_instrumentation.h"
#include "live/control/status.h"
#include "options/option_values.h"
#include "options/runtime_options.h"
#include "output/stack_lines.h"
#include "process/child_process.h"
#include "process/chosen_processes.h"
#include "process/finish_flights.h"
#include "process/record_progress.h"
#include "process/record_running.h"
#include "process/record_statistics.h"
#include "process/recover_process.h"
#include "process/run_findings.h"
#include "process/session_place.h"
#include "terminal/folded_messages.h"
#include "trace/base/quantities.h"

#include "ada/trace/manifest.h"
#include "analysis/events/trace_table.h"

#include "live/recover/leftovers.h"
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ada::cli {

namespace fs = std::filesystem;

namespace record_command {
namespace {

struct Options {
  OptionList runtime; ///< given as flags, in order
  When progress = When::Auto;
  std::vector<std::string> program;
  bool quiet = false, append = false;
  bool waits = false, packed = false;
  pid_t pid = 0;
  std::string length; ///< of a recording of a running process
};

// Functions whose arguments show what a thread waits for, and which thread holds it.
constexpr const char *kWaitGlobs =
    "pthread_{mutex,rwlock,spin,cond,barrier}_*|pthread_{create,join,timedjoin_np,clockjoin_np}|sem_*|syscall|"
    "std::condition_variable::*|std::_V2::condition_variable_any::*|std::thread::{join,_M_start_thread}|"
    "std::__1::{thread,mutex,condition_variable}::*|pipe|pipe2|socket|socketpair|accept|accept4|connect|open|openat|"
    "creat|eventfd|close|read|readv|pread|preadv|write|writev|pwrite|pwritev|recv*|send*|epoll_*|wait|wait3|wait4|"
    "waitpid";

struct Place {
  std::string session; ///< absolute path, because the program may change its working directory
  bool isOurs = false; ///< the directory was made for this run
};

// The session for this run: the requested one, or a new one.
std::optional<Place> chooseSession(const OptionList &options, std::string &problem) {
  std::error_code error;
  if (const std::string *given = findOption(options, "session"); given && !given->empty()) {
    const bool made = makePrivateDirectories(*given, error);
    if (error) {
      problem = fmt::format("can't create the session directory {}: {}", *given, error.message());
      return std::nullopt;
    }
    return Place{fs::absolute(*given, error).string(), made};
  }
  const std::string *output = findOption(options, "output");
  const std::optional<std::string> made =
      makeSession(output && !output->empty() ? *output : std::string(kDefaultOutput), problem);
  if (!made)
    return std::nullopt;
  return Place{fs::absolute(*made, error).string(), true};
}

// Two runs in one session would look like one run, so a run is added to an earlier trace only with --append. A session
// in ADA_OPTIONS is not refused, because that is how the processes of one run find each other.
bool isTaken(const Options &options) {
  const std::string *given = findOption(options.runtime, "session");
  return given && !options.append && !processDirectories(*given).empty();
}

// `path` in the form that is easiest to read and to type.
std::string readable(const std::string &path) {
  std::error_code error;
  const std::string relative = fs::relative(path, error).string();
  return error || relative.empty() || relative.starts_with("..") ? path : relative;
}

std::string quotedForShell(const std::string &text) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos)
    return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Whether an option is given whose 0 means no.
bool isOn(const OptionList &options, const char *name) {
  const std::string *value = findOption(options, name);
  return value && !value->empty() && *value != "0";
}
bool isFlight(const OptionList &options) { return isOn(options, "flight"); }

// Why a process of the session could not start recording, as it reported itself; empty if none did.
std::string failureToStart(const std::string &session) {
  for (const std::string &directory : processDirectories(session))
    if (const auto manifest = Manifest::read(directory + "/manifest.json");
        manifest && manifest->exit.how == "untraced")
      return manifest->failure();
  return {};
}

// Why a run left no events, as far as this can be seen from outside. `failure`: why a process could not start.
std::string reasonForNothing(const RecordTotals &totals, const OptionList &options, const std::string &program,
                             Instrumentation built, bool neverBegan, const std::string &failure) {
  const auto isSet = [&](const char *name) {
    const std::string *value = findOption(options, name);
    return value && !value->empty();
  };
  rlimit limit = {};
  const bool isTooLarge = failure.find(std::strerror(EFBIG)) != std::string::npos;
  if (((neverBegan && failure.empty()) || isTooLarge) && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
      limit.rlim_cur != RLIM_INFINITY)
    return fmt::format("a process could not start recording: files are limited to {} (ulimit -f), but its ring file "
                       "needs 33 MiB plus the size that option buffer gives",
                       formatBytes(limit.rlim_cur));
  if (!failure.empty())
    return "a process could not start recording: " + failure;
  if (neverBegan)
    return "a process ended before it had started recording; if it could not start, the reason is on standard error";
  if (totals.dropped > 0)
    return fmt::format("all {} were lost; `adatrace info` says why", formatCount(totals.dropped, "event"));
  if (totals.processes == 0 && built == Instrumentation::No && !startsOtherPrograms(program))
    return fmt::format("{} was not built with the AdaTrace plugin, nor were the libraries it is linked with; `adatrace "
                       "flags` prints the compiler options",
                       program);
  if (isFlight(options) && totals.processes == 0)
    return "nothing triggered the flight recorder, and no process failed that has one";
  if (totals.processes == 0 && built != Instrumentation::Yes)
    return "no process that it started was built with the AdaTrace plugin; `adatrace info FILE` shows whether a "
           "program or library is instrumented, `adatrace flags` prints the compiler options";
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

// Recovers killed programs, whose newest events are still in the ring file. `ending` is how the program itself ended,
// not the programs that it started. Returns whether there is a process that made its directory but not even its first
// manifest, which recovery adds.
bool recoverUnfinished(const std::string &session, const Ending &ending, bool quiet) {
  RecoverTotals totals;
  FoldedMessages alive("`adatrace status`", complain);
  bool neverBegan = false;
  for (const std::string &directory : processDirectories(session)) {
    const unsigned pid = processId(directory).value_or(0);
    RecoverOptions options;
    if (pid == static_cast<unsigned>(ending.pid)) {
      if (WIFSIGNALED(ending.status))
        options.signal = WTERMSIG(ending.status);
      else
        options.exitCode = WEXITSTATUS(ending.status);
    }
    const ProcessState state = stateOf(directory);
    // A process that outlives the program (a daemon, say) continues to record.
    if (state == ProcessState::Running && !quiet)
      alive.add(fmt::format("process {} is still running and recording", pid));
    if (state == ProcessState::Unfinished) {
      std::error_code error;
      neverBegan |= !fs::exists(directory + "/manifest.json", error) && !error;
      recoverAndTell(directory, options, true, totals);
    }
  }
  removeLeftBinaries(session);
  return neverBegan;
}

void reportEnd(const std::string &session, const OptionList &options, const Ending &ending, const std::string &program,
               Instrumentation built, bool neverBegan) {
  const RecordTotals totals = RecordWatch(session).refresh();
  if (std::error_code error; !fs::exists(session, error)) { // it existed when the program started
    complain(fmt::format("there is no trace: {} was removed or renamed while the program ran", readable(session)));
    return;
  }
  if (totals.events == 0) {
    complain("nothing was recorded: " +
             reasonForNothing(totals, options, program, built, neverBegan, failureToStart(session)));
    return;
  }
  const std::string place = readable(session);
  const auto nanoseconds = static_cast<uint64_t>(ending.duration.count());
  const bool areMany = analysis::areMany(totals.processes); // then `processes` is the next command
  const std::string events = formatCount(totals.events, "event") +
                             (areMany ? fmt::format(" of {} processes", formatCount(totals.processes)) : "");
  // How many events there were besides the newest is not known, so their rate isn't, either.
  const bool isBounded = isFlight(options) || isOn(options, "max_size") || isOn(options, "max_time");
  const std::string count = isBounded ? fmt::format("the newest {} of {}", events, formatDuration(nanoseconds))
                                      : fmt::format("{} in {} ({})", events, formatDuration(nanoseconds),
                                                    formatRate(totals.events, nanoseconds));
  complain(fmt::format("{}, {} dropped, {} in {}; next: adatrace {} {}", count, formatCount(totals.dropped),
                       formatBytes(bytesBelow(session)), place, areMany ? "processes" : "tree", quotedForShell(place)));
}

// Reports the functions that the budget switched off, and how to leave them out from the start.
void tellFunctionsOff(const FunctionsOff &off) {
  if (off.told.empty())
    return;
  complain(off.told + (off.globs.empty()
                           ? "; `adatrace info` lists them"
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

// Adds options for detail that are missing and can only mean one thing. Returns a sentence for people if the meaning is
// not clear.
std::string completeDetail(OptionList &options) {
  const auto given = [&](const char *name) {
    const std::string *value = findOption(options, name);
    return value && !value->empty();
  };
  if (given("trigger") && !given("detail_mode"))
    setOption(options, "detail_mode", "window");
  const std::string *mode = findOption(options, "detail_mode");
  const bool windows = mode && *mode == "window";
  if (given("trigger") && !windows)
    return "--trigger opens windows, so it needs --detail-mode=window";
  return {};
}

// Adds the options that --waits stands for.
void addWaits(OptionList &options) {
  const std::string *detail = findOption(options, "detail");
  setOption(options, "detail", (detail && !detail->empty() ? *detail + "|" : "") + kWaitGlobs);
  if (!findOption(options, "stack_size"))
    setOption(options, "stack_size", "256"); // pipe() and std::thread::join() are given addresses on the stack
}

void tellWarnings(const std::string &session, const RunFindings &findings) {
  FoldedMessages warnings(kVerifyEach, complain);
  for (const std::string &held : recorderWarnings(session))
    warnings.add("warning: " + held);
  for (const std::string &failure : findings.failures)
    warnings.add("warning: " + failure);
}

// Prints everything of interest after the program has ended.
void tellOfRun(const std::string &session, const Options &options, const OptionList &asked, const OptionList &runtime,
               const Ending &ending, const Invocation &invocation, Instrumentation built, bool neverBegan) {
  const std::string &name = invocation.program.front();
  if (const std::string directory = directoryOf(session, ending.pid); WIFSIGNALED(ending.status) && !directory.empty())
    explainDeath(directory, invocation.color);
  tellUnmatchedGlobs(session, asked);
  if (options.waits && !hasLibraryCalls(session))
    warning("--waits: library calls can't be recorded, because {} was built without --ada-calls=default", name);
  const RunFindings findings = findingsOf(session);
  tellFunctionsOff(findings.off);
  if (const std::string &why = findings.whyNoProcessorTimes; !why.empty())
    complain(fmt::format("on-CPU and off-CPU times were not recorded: {}; --sched=0 switches them off", why));
  tellWarnings(session, findings);
  reportEnd(session, runtime, ending, name, built, neverBegan);
}

// The options for a running process, without what its session decides.
std::optional<OptionList> optionsOfRunning(const Options &options, std::string &problem) {
  OptionList runtime = options.runtime;
  std::erase_if(runtime, [](const auto &option) { return option.first == "session" || option.first == "output"; });
  if (const std::string *format = findOption(runtime, "format"); format && *format != "packed")
    problem = "--pid records packed files";
  if (problem.empty())
    problem = completeDetail(runtime);
  if (problem.empty() &&
      (findOption(runtime, "enabled") || findOption(runtime, "control") || findOption(runtime, "flight")))
    problem = "--pid can't be combined with --enabled, --control or --flight";
  if (!problem.empty())
    return std::nullopt;
  if (options.waits)
    addWaits(runtime);
  setOption(runtime, "format", "packed");
  setOption(runtime, "summary", "never");
  return runtime;
}

void tellOfRunning(const std::string &session, const Options &options, const RunningRecord &record) {
  const std::string place = readable(session);
  tellWarnings(session, findingsOf(session));
  const RecordTotals totals = RecordWatch(session).refresh();
  const auto nanoseconds = static_cast<uint64_t>(record.duration.count());
  if (!record.hasBegun)
    complain(fmt::format("nothing was recorded: process {} made no traced call", options.pid));
  else if (totals.events == 0)
    complain(fmt::format("nothing was recorded: process {} called no function that is selected", options.pid));
  else
    complain(fmt::format("{} in {} ({}), {} dropped, {} in {}; next: adatrace tree {}",
                         formatCount(totals.events, "event"), formatDuration(nanoseconds),
                         formatRate(totals.events, nanoseconds), formatCount(totals.dropped),
                         formatBytes(bytesBelow(session)), place, quotedForShell(place)));
}

// A process that has recorded before keeps its options; what it records is changed by orders. Removes these options
// from the list. Returns the exit status.
int select(pid_t pid, OptionList &runtime) {
  const auto take = [&](const char *name) {
    const std::string *value = findOption(runtime, name);
    const std::string text = value ? *value : "";
    std::erase_if(runtime, [&](const auto &option) { return option.first == name; });
    return text;
  };
  std::vector<std::string> orders;
  if (const std::string include = take("include"); !include.empty())
    orders = {"disable *", "enable " + include};
  if (const std::string exclude = take("exclude"); !exclude.empty())
    orders.push_back("disable " + exclude);
  if (const std::string detail = take("detail"); !detail.empty())
    orders.insert(orders.end(), {"no-detail *", "detail " + detail});
  for (const std::string &order : orders)
    if (const control::Answer answer = control::give(pid, order); !answer)
      return fail(exitCodeOf(answer.what), "{}", answer.why);
  return kOk;
}

int runPid(const Options &options, const Invocation &invocation) {
  if (!invocation.program.empty())
    return fail(kWrongUsage, "record: give either a program or --pid");
  if (isTaken(options))
    return fail(kWrongUsage, "record: {} already holds a trace; add to it with --append, or choose another directory",
                *findOption(options.runtime, "session"));
  std::string problem;
  std::optional<OptionList> runtime = optionsOfRunning(options, problem);
  if (!runtime)
    return fail(kWrongUsage, "record: {}", problem);
  std::optional<std::chrono::nanoseconds> length;
  if (!options.length.empty())
    length = std::chrono::nanoseconds(*parseDuration(options.length));
  control::Answer answer;
  if (const control::Status before = control::statusOf(options.pid, answer);
      answer && before.state == control::Status::State::Stopped)
    if (const int code = select(options.pid, *runtime); code != kOk)
      return code;
  const std::string *session = findOption(options.runtime, "session"), *output = findOption(options.runtime, "output");
  const std::optional<Destination> place =
      destinationFor(options.pid, session ? *session : "", output ? *output : "", problem);
  if (!place)
    return fail(kRecordFailed, "{}; choose another directory with --output", problem);
  runtime->insert(runtime->begin(), {"session", place->session});

  RecordProgress progress(place->shown, options.progress, options.quiet);
  bool isPatient = options.quiet;
  int ticks = 0, code = kOk;
  const auto tick = [&](bool hasBegun) {
    if (hasBegun && progress.isWanted() && ++ticks % 5 == 0)
      progress.draw();
    if (!hasBegun && !isPatient && ++ticks == 40) { // two seconds
      isPatient = true;
      complain(fmt::format("process {} has made no traced call yet; recording begins with its next one", options.pid));
    }
  };
  const std::optional<RunningRecord> record = recordRunning(options.pid, *runtime, length, tick, code);
  progress.clear();
  if (record && record->hasEnded) {
    if (!options.quiet)
      complain(fmt::format("process {} has {}", options.pid, record->calledExec ? "called exec" : "ended"));
    RecoverTotals totals;
    for (const std::string &directory : processDirectories(place->shown))
      if (stateOf(directory) == ProcessState::Unfinished)
        recoverAndTell(directory, {}, true, totals);
  }
  if (record && !options.quiet)
    tellOfRunning(place->shown, options, *record);
  removeIfEmpty(*place);
  return code;
}

int runProgramOf(const Options &options, const Invocation &invocation) {
  if (invocation.program.empty())
    return fail(kWrongUsage, "record: no program given; see adatrace record --help");

  std::string problem;
  const char *environment = std::getenv("ADA_OPTIONS");
  std::optional<OptionList> runtime = parseOptions(environment ? environment : "", problem);
  if (!runtime)
    return fail(kWrongUsage, "the environment variable ADA_OPTIONS is invalid: {}", problem);
  for (const auto &[name, value] : *runtime)
    if (const std::string wrong = problemOf(name, value); !wrong.empty())
      return fail(kWrongUsage, "the environment variable ADA_OPTIONS is invalid: {}", wrong);
  for (const auto &[name, value] : options.runtime)
    setOption(*runtime, name, value);
  if (options.packed)
    setOption(*runtime, "format", "packed");
  if (problem = completeDetail(*runtime); !problem.empty())
    return fail(kWrongUsage, "record: {}", problem);

  const OptionList asked = *runtime;
  if (options.waits)
    addWaits(*runtime);
  if (isTaken(options))
    return fail(kWrongUsage, "record: {} already holds a trace; add to it with --append, or choose another directory",
                *findOption(options.runtime, "session"));

  const std::string &name = invocation.program.front();
  const std::optional<std::string> program = findProgram(name);
  const Instrumentation built = program ? instrumentationOf(*program) : Instrumentation::Unknown;
  if (program && built == Instrumentation::No && !startsOtherPrograms(*program) && !options.quiet)
    warning("neither {} nor the libraries it is linked with are instrumented; only libraries that it loads and "
            "programs that it starts can be recorded",
            name);

  const std::optional<Place> place = chooseSession(*runtime, problem);
  if (!place)
    return fail(kRecordFailed, "{}; the program was not started; choose another directory with --output", problem);
  const std::string &session = place->session;
  if (!canQuote(session))
    return fail(kWrongUsage,
                "{} contains both kinds of quote and a ':' or a space, which ADA_OPTIONS can't represent; choose "
                "another directory",
                session);
  setOption(*runtime, "session", session);
  // record prints the closing line itself, for all processes together, and explains a crash.
  for (const auto &[option, value] : {std::pair("summary", "never"), std::pair("crash", "1")})
    if (!findOption(*runtime, option))
      setOption(*runtime, option, value);
  setenv("ADA_OPTIONS", joinOptions(*runtime).c_str(), 1);

  RecordProgress progress(session, options.progress, options.quiet);
  const Ending ending =
      runProgram(invocation.program, std::chrono::milliseconds(250),
                 progress.isWanted() ? [&](pid_t) { progress.draw(); } : std::function<void(pid_t)>());
  progress.clear();

  // Removes the session only if it is empty, because nothing was recorded.
  const auto removeEmpty = [&] {
    std::error_code error;
    if (place->isOurs)
      fs::remove(session, error);
  };
  if (ending.startError) {
    removeEmpty();
    return fail(ending.exitCode(), "{} {}", name, describe(ending));
  }
  if (const std::string how = describe(ending); !how.empty() && !options.quiet)
    complain(fmt::format("{} {}", name, how));
  const bool neverBegan = recoverUnfinished(session, ending, options.quiet);
  std::string told = session; // with a flight recorder, the last of its sessions
  if (isFlight(*runtime)) {
    const std::string *ring = findOption(*runtime, "ring");
    finishFlights(session, ringPlaces(ring ? *ring : ""), ending, options.quiet);
    told = lastDump(session, ending.pid);
  }
  if (!options.quiet)
    tellOfRun(told, options, asked, *runtime, ending, invocation, built, neverBegan);
  removeEmpty();
  return ending.exitCode();
}

// The separator of an option whose value is a list and which may be given several times: `--include A --include B` is
// `--include 'A|B'`. Null if the option's value is not a list.
const char *separatorOf(const RuntimeOption &option) {
  return options::isGlobs(option) ? "|" : option.metavar == std::string_view("TRIGGERS") ? ";" : nullptr;
}

std::string joined(const std::vector<std::string> &parts, const char *separator) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() || part.empty() ? "" : separator) + part;
  return text;
}

// Declares a flag for each run-time option except `help`, which is --help. stack_size becomes --stack-size, and
// --stack_size works, too.
void declareRuntimeOptions(CommandLine &line, Options &options) {
  for (const RuntimeOption &option : runtimeOptions()) {
    const std::string_view name = option.name;
    if (name == "help")
      continue;
    std::string sentence = option.sentence;
    if (*option.defaultValue)
      sentence += std::string(" [") + option.defaultValue + "]";
    const std::string flag = flagOf(option);
    const auto set = [&options, &option](const std::string &value) {
      std::string problem = problemOf(option, value);
      if (problem.empty())
        setOption(options.runtime, option.name, value);
      return problem;
    };
    if (const char *separator = separatorOf(option)) {
      line.parsed(
              flag, [set, separator](const std::vector<std::string> &values) { return set(joined(values, separator)); },
              sentence + " May be repeated.")
          .type(option.metavar)
          .under(headingOf(option));
      continue;
    }
    line.parsed((name == "output" ? "-o," : "") + flag, set, sentence).type(option.metavar).under(headingOf(option));
    if (name.find('_') != std::string_view::npos)
      line.alias("--" + std::string(name), flag, set);
    // --pre-roll takes 50ms or 2s; --pre-roll-ms=50 has the unit in its name.
    if (name.ends_with("_ms"))
      line.alias(flag.substr(0, flag.size() - 3), flag, [set](const std::string &value) {
        const bool hasUnit = value.find_first_not_of("0123456789") != std::string::npos;
        const std::optional<uint64_t> ns = parseDuration(value);
        return set(hasUnit && ns ? std::to_string(*ns / 1000000) : value);
      });
  }
}

void declare(CommandLine &line, Options &options) {
  // Only for --help: main() removes the program before the options are parsed.
  line.option("program", options.program, "The program to run, and all its arguments");
  line.parsed(
          "--pid",
          [&options](const std::string &value) {
            const std::optional<pid_t> pid = processNumber(value);
            options.pid = pid.value_or(0);
            return pid ? std::string() : "'" + value + "' is not a process id";
          },
          "Record this running process instead of a program, until ^C")
      .type("PID");
  line.option("--for", options.length, "With --pid: for this long (10s, 500ms), from the first traced call on")
      .type("TIME")
      .needs("--pid")
      .check([](const std::string &value) { return wrongTimeWithUnit(value, "10s, 500ms"); });
  declareRuntimeOptions(line, options);
  addWhen(line, "--progress", options.progress,
          "Show progress on standard error while the program runs: auto (only on a terminal), always or never");
  line.flag("--waits", options.waits,
            "Also record the arguments of functions that wait, so that `adatrace waits` and `why` show what they "
            "waited for. Best "
            "with --packed, which slows the program least. The program must be built with --ada-calls=default");
  line.flag("--packed", options.packed, "Same as --format=packed: about one byte per event").excludes("--format");
  line.flag("--append", options.append, "Add to the session named by --session even if it already holds a trace");
  addQuiet(line, options.quiet, "Print only errors: no hints, no closing line");
}

int run(const Options &options, const Invocation &invocation) {
  return options.pid != 0 ? runPid(options, invocation) : runProgramOf(options, invocation);
}

} // namespace
} // namespace record_command

const Command kRecord = {
    "record",
    "Run a program and record its function calls",
    "adatrace record ./server --port 8080\n"
    "adatrace record --pid=4711 --for=10s\n"
    "adatrace record --include='net::*|*/parser.cpp' --overflow=drop -- ./server -v\n"
    "adatrace record --detail='net::*' --trigger='slow:net::send>5ms' ./server",
    withOptions<record_command::declare, record_command::run>,
    true,
};

} // namespace ada::cli
