// What a user asked `record` for.
#include "record_options.h"
#include "exit_codes.h"
#include "options/option_values.h"
#include "process/chosen_processes.h"
#include "process/session_place.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace ada::cli {

namespace {

// Functions whose arguments show what a thread waits for, which thread holds it, or for how long it asks to sleep.
constexpr const char *kWaitGlobs =
    "pthread_{mutex,rwlock,spin,cond,barrier}_*|pthread_{create,join,timedjoin_np,clockjoin_np}|{mtx,cnd}_*|"
    "thrd_{create,join,sleep}|sem_*|syscall|"
    "std::condition_variable::*|std::_V2::condition_variable_any::*|std::thread::{join,_M_start_thread}|"
    "std::__1::{thread,mutex,condition_variable}::*|pipe|pipe2|socket|socketpair|accept|accept4|connect|open|openat|"
    "creat|eventfd|close|read|readv|pread|preadv|write|writev|pwrite|pwritev|recv*|send*|epoll_*|wait|wait3|wait4|"
    "waitpid|sleep|usleep|nanosleep|clock_nanosleep";

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
void declareRuntimeOptions(CommandLine &line, RecordOptions &options) {
  for (const RuntimeOption &option : runtimeOptions()) {
    const std::string_view name = option.name;
    if (name == "help")
      continue;
    const auto *const own = std::ranges::find(kOwnDefaults, name, [](const auto &one) { return one.first; });
    const char *const value = own != std::end(kOwnDefaults) ? own->second : option.defaultValue;
    std::string sentence = option.sentence;
    if (*value)
      sentence += std::string(" [") + value + "]";
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

} // namespace

void declareRecord(CommandLine &line, RecordOptions &options) {
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
            "waited for. The program must be built with --ada-calls=default");
  line.flag("--packed", options.packed, "Same as --format=packed, which is the default: about one byte per event")
      .excludes("--format");
  line.flag("--append", options.append, "Add to the session named by --session even if it already holds a trace");
  addQuiet(line, options.quiet, "Print only errors: no hints, no closing line");
}

void completeDetail(OptionList &options) {
  const auto given = [&](const char *name) {
    const std::string *value = findOption(options, name);
    return value && !value->empty();
  };
  if (given("trigger") && !given("detail_mode"))
    setOption(options, "detail_mode", "window");
  const std::string *mode = findOption(options, "detail_mode");
  if (given("trigger") && !(mode && *mode == "window"))
    stop(kWrongUsage, "record: --trigger opens windows, so it needs --detail-mode=window");
}

void addWaits(OptionList &options) {
  const std::string *detail = findOption(options, "detail");
  setOption(options, "detail", (detail && !detail->empty() ? *detail + "|" : "") + kWaitGlobs);
  if (!findOption(options, "stack_size"))
    setOption(options, "stack_size", "256"); // pipe() and std::thread::join() are given addresses on the stack
}

bool isOn(const OptionList &options, const char *name) {
  const std::string *value = findOption(options, name);
  return value && !value->empty() && *value != "0";
}

void refuseTaken(const RecordOptions &options) {
  const std::string *given = findOption(options.runtime, "session");
  if (given && !options.append && !processDirectories(*given).empty())
    stop(kWrongUsage, "record: {} already holds a trace; add to it with --append, or choose another directory", *given);
}

} // namespace ada::cli
