// adatrace start: switches recording on in running programs.
#include "command.h"
#include "options/option_values.h"
#include "options/runtime_options.h"
#include "process/chosen_processes.h"
#include "process/destination.h"

#include "live/control/process_files.h"
#include "live/control/status.h"
#include "trace/base/boot_time.h"
#include "trace/base/quantities.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace ada::cli {

namespace start_command {
namespace {

// What was started and forgotten must not fill the disk.
constexpr const char *kDefaultLength = "10m";

struct Options {
  ProcessChoice processes;
  std::string output, session, length = kDefaultLength;
  bool quiet = false, each = false;
};

// Processes of one user and with the same mounts share a session.
using Whose = std::pair<uid_t, std::string>;

const Destination *placeOf(pid_t pid, const Options &options, std::map<Whose, Destination> &places,
                           std::string &problem) {
  const std::optional<control::ProcessFacts> process = control::factsOf(pid);
  const std::string root = control::reachable(pid, "/");
  const Whose whose(process ? process->owner : 0, root == "/" ? root : control::mountsOf(pid));
  if (const auto known = places.find(whose); known != places.end())
    return &known->second;
  const auto made = destinationFor(pid, options.session, options.output, problem);
  return made ? &places.emplace(whose, *made).first->second : nullptr;
}

// A process that has recorded nothing gets a session; one that has continues in its own.
int start(pid_t pid, const Options &options, std::map<Whose, Destination> &places, FoldedMessages &told) {
  control::Answer answer;
  const control::Status before = control::statusOf(pid, answer);
  std::string startOptions;
  const Destination *place = nullptr;
  const std::string limit = options.length == "0" ? "" : fmt::format(", for at most {}", options.length);
  if (answer && before.state == control::Status::State::Waiting && before.session.empty()) {
    std::string problem;
    place = placeOf(pid, options, places, problem);
    if (!place)
      return fail(kCantRead, "{}", problem);
    startOptions = joinOptions({{"session", place->session}, {"format", "packed"}, {"summary", "never"}});
  }
  const uint64_t length = options.length == "0" ? 0 : *parseDuration(options.length);
  answer = control::give(pid, "start", startOptions, length ? bootTimeNs() + length : 0);
  if (answer.what == control::Answer::What::NoAnswer && !startOptions.empty()) {
    if (!options.quiet)
      told.add(fmt::format("{}, into {}{}", answer.why, place->shown, limit));
    return kOk;
  }
  if (!answer)
    return fail(exitCodeOf(answer.what), "{}", answer.why);
  if (startOptions.empty() && (!options.session.empty() || !options.output.empty()))
    warning("process {} continues in the session that it has; `adatrace stop {} && adatrace record --pid={}` begins a "
            "new one",
            pid, pid, pid);
  if (!options.quiet)
    told.add(fmt::format("process {} records into {}{}", pid, control::statusOf(pid, answer).session, limit));
  return kOk;
}

int run(const Options &options) {
  int code = kOk;
  std::map<Whose, Destination> places;
  FoldedMessages told = linesOfEach(options.each);
  for (const pid_t pid : chosenProcesses(options.processes, "start", code))
    if (const int result = start(pid, options, places, told); result != kOk)
      code = result;
  if (code != kOk)
    for (const auto &[whose, place] : places)
      removeIfEmpty(place);
  return code;
}

std::function<int()> declare(CommandLine &line, const Invocation &) {
  auto options = std::make_shared<Options>();
  addProcessChoice(line, options->processes);
  line.option("-o,--output", options->output,
              "For processes that have recorded nothing: make the session in this directory [ada-traces]")
      .type("DIR");
  line.option("--session", options->session, "The same: use this session directory").type("DIR");
  line.option("--for", options->length, "Stop by itself after this time (90s, 10m, 2h); 0: never [10m]")
      .type("TIME")
      .check(
          [](const std::string &value) { return value == "0" ? std::string() : wrongTimeWithUnit(value, "90s, 10m"); });
  addEach(line, options->each);
  addQuiet(line, options->quiet);
  return [options] { return run(*options); };
}

} // namespace
} // namespace start_command

const Command kStart = {
    "start",
    "Make running programs record",
    "adatrace start 4711\n"
    "adatrace start --all",
    start_command::declare,
};

} // namespace ada::cli
