// adatrace trigger: keeps the detail of this moment.
#include "command.h"
#include "input/trace_input.h"
#include "options/option_values.h"
#include "process/chosen_processes.h"
#include "process/finish_flights.h"
#include "process/recover_process.h"
#include "process/session_place.h"

#include "live/control/control.h"
#include "live/recover/live_ring.h"

#include "ada/trace/manifest.h"
#include "ada/trace/session.h"
#include "live/recover/leftovers.h"
#include <algorithm>
#include <filesystem>

namespace ada::cli {

namespace fs = std::filesystem;

namespace trigger_command {
namespace {

struct Options {
  std::string target;
  bool quiet = false;
};

void sayGiven(const std::string &who, const Options &options) {
  if (!options.quiet)
    Output().print("triggered {}\n", who);
}

// Flight recorders whose dumps go to the session. Until they dump, all their data is in memory.
std::vector<recover::RingFile> flightsOf(const std::string &path) {
  std::error_code error;
  const std::string session = fs::absolute(path, error).lexically_normal().string();
  const auto isSame = [&](const std::string &other) {
    return !other.empty() &&
           (fs::equivalent(other, path, error) || fs::path(other).lexically_normal().string() == session);
  };
  std::vector<recover::RingFile> rings = recover::findRings(ringPlaces());
  std::erase_if(rings, [&](const recover::RingFile &found) {
    return !found.isFlight || found.state != recover::RingFile::State::Recording ||
           !isSame(recover::flightSession(found.directory));
  });
  return rings;
}

// Whether the session holds only dumps of flight recorders, or nothing yet. Then their processes may be running.
bool isOfFlight(const std::vector<std::string> &directories) {
  return std::ranges::all_of(directories, [](const std::string &directory) {
    const auto manifest = Manifest::read(directory + "/manifest.json");
    return !manifest || manifest->exit.how == "dump";
  });
}

// Triggers all processes of a session that are still running.
int triggerSession(const std::string &path, const Options &options) {
  std::vector<std::string> directories = processDirectories(path);
  if (directories.empty())
    directories = {path};
  unsigned given = 0, running = 0;
  int code = kOk;
  for (const recover::RingFile &flight : flightsOf(path)) {
    ++running;
    const control::Answer answer = control::giveByRing(flight.path, flight.directory, "trigger");
    if (answer) {
      ++given;
      sayGiven(fmt::format("process {}", flight.pid), options);
      continue;
    }
    complain(answer.why);
    code = exitCodeOf(answer.what);
  }
  for (const std::string &directory : directories) {
    if (stateOf(directory) != ProcessState::Running)
      continue;
    ++running;
    const std::string ring = recover::ringPathOf(directory);
    const control::Answer answer = ring.empty()
                                       ? control::Answer{control::Answer::What::NotRecording,
                                                         fmt::format("{}: its manifest names no ring file", directory)}
                                       : control::giveByRing(ring, directory, "trigger");
    if (answer) {
      ++given;
      sayGiven(directory, options);
      continue;
    }
    complain(answer.why);
    code = exitCodeOf(answer.what);
  }
  if (running == 0 && !isOfFlight(directories))
    return fail(kProblemsFound, "no process of {} is running any more", path);
  if (running == 0)
    return fail(kProblemsFound,
                "found no process that records into {}; name the process if its ring file is elsewhere (option ring)",
                path);
  // A process that ended in between is not a failure if others accepted the request.
  return given > 0 ? kOk : code;
}

int run(const Options &options, const Invocation &) {
  std::error_code error;
  if (const std::optional<pid_t> pid = processNumber(options.target)) {
    if (const control::Answer answer = control::give(*pid, "trigger"); !answer)
      return fail(exitCodeOf(answer.what), "{}", answer.why);
    sayGiven(fmt::format("process {}", *pid), options);
    return kOk;
  }
  const std::string path = sessionOrNewest(options.target, "a process");
  if (!fs::is_directory(path, error) && flightsOf(path).empty())
    return fail(kCantRead, "{}: neither a process id nor a session", path);
  return triggerSession(path, options);
}

void declare(CommandLine &line, Options &options) {
  line.option("target", options.target,
              "A process id, or a session for all its running processes [the newest session under ./ada-traces]")
      .type("PID|SESSION");
  addQuiet(line, options.quiet);
}

} // namespace
} // namespace trigger_command

const Command kTrigger = {
    "trigger",
    "Make a running program keep the detail around this moment",
    "adatrace record --detail='net::*' --detail-mode=window ./server &\n"
    "adatrace trigger 4711",
    withOptions<trigger_command::declare, trigger_command::run>,
};

} // namespace ada::cli
