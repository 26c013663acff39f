// adatrace recover: finishes traces of killed programs.
#include "command.h"
#include "input/trace_input.h"
#include "live/recover/leftovers.h"
#include "options/option_values.h"
#include "options/runtime_options.h"
#include "process/finish_flights.h"
#include "process/recover_process.h"
#include "process/session_place.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include "ada/trace/manifest.h"
#include "ada/trace/session.h"
#include "analysis/events/trace_table.h"
#include "analysis/processes/command_shape.h"
#include "trace/labels.h"
#include <ctime>
#include <filesystem>
#include <map>

namespace ada::cli {

namespace fs = std::filesystem;

namespace recover_command {
namespace {

struct Options {
  std::string path;
  bool quiet = false, keepRing = false;
  bool clean = false, dryRun = false, each = false;
  std::vector<std::string> rings; ///< directories
};

// The process directories that `path` stands for: those of a session (the newest one in a directory of sessions), or
// `path` itself.
std::vector<std::string> directoriesOf(const std::string &path) {
  std::vector<std::string> directories = processDirectories(path);
  if (!directories.empty())
    return directories;
  std::error_code error;
  if (fs::exists(fs::path(path) / "manifest.json", error))
    return {path};
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with("thread_"))
      return {path};
  if (const Expected<std::string> newest = atf::newestSession(path))
    return processDirectories(*newest);
  return {};
}

//===--- --clean: what crashed programs left in memory --------------------===//

// Where to look for ring files: in the directories that the user names, otherwise where programs make them.
std::vector<std::string> ringDirectories(const Options &options) {
  return options.rings.empty() ? ringPlaces() : canonicalPlaces(options.rings);
}

std::string describe(const recover::RingFile &ring) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t nowNs = static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
  return fmt::format("{}: process {}, {}, {} old{}", ring.path, ring.pid, formatBytes(ring.bytes),
                     formatDuration(nowNs > ring.changedNs ? nowNs - ring.changedNs : 0),
                     ring.directory.empty() ? "" : ", of " + ring.directory);
}

// The session that a flight recorder was told to make. If it was told only a directory of sessions, one is made there.
std::string placeOfFlight(const recover::RingFile &ring, std::string &problem) {
  if (std::string session = recover::flightSession(ring.directory); !session.empty())
    return session;
  const std::string output = recover::flightOutput(ring.directory);
  return output.empty() ? std::string() : makeSession(output, problem).value_or("");
}

void saveAndTell(const recover::RingFile &ring, bool quiet, RecoverTotals &totals) {
  std::string problem = "its manifest does not say where sessions go";
  const auto allowed = recover::checkFlight(ring.directory);
  const std::string session = allowed ? placeOfFlight(ring, problem) : std::string();
  const Expected<std::string> saved = !allowed ? allowed.error()
                                      : session.empty()
                                          ? Error{.code = "E_IO", .message = problem, .file = ring.directory}
                                          : recover::saveFlight(ring.directory, session);
  if (!saved) {
    ++totals.failed;
    complain(saved.error().text());
  } else if (!quiet) {
    Output().print("{}: saved as session {}\n", ring.directory, *saved);
  }
}

int clean(const Options &options) {
  uint64_t others = 0, recording = 0, removed = 0, bytes = 0;
  RecoverTotals totals;
  const auto say = [&](const recover::RingFile &ring, const std::string &what) {
    if (!options.quiet)
      Output().print("{}: {}\n", describe(ring), what);
  };
  for (const recover::RingFile &ring : recover::findRings(ringDirectories(options), &others)) {
    if (ring.state == recover::RingFile::State::Recording) {
      say(ring, "in use");
      ++recording;
      continue;
    }
    const bool isGone = ring.state != recover::RingFile::State::Unfinished;
    const char *const why =
        ring.state == recover::RingFile::State::Answered ? "its session has been written" : "its session is gone";
    bytes += ring.bytes;
    if (options.dryRun) {
      say(ring, isGone ? fmt::format("would be removed, because {}", why) : "would be recovered");
      isGone ? ++removed : ++totals.recovered;
    } else if (!isGone) {
      say(ring, "recovering");
      recoverAndTell(ring.directory, {.exitCode = {}, .signal = {}, .ring = ring.path}, options.quiet, totals);
      if (ring.isFlight)
        saveAndTell(ring, options.quiet, totals);
    } else if (const auto done = recover::removeRing(ring); done) {
      say(ring, fmt::format("removed, because {}", why));
      ++removed;
    } else {
      complain(done.error().text());
      ++totals.failed;
    }
  }
  if (!options.quiet)
    Output().print("{}{} in use, {} recovered, {} removed: {} freed{}\n", options.dryRun ? "dry run: " : "", recording,
                   totals.recovered, removed, formatBytes(bytes),
                   others ? fmt::format("; {} of other users left untouched", others) : "");
  return totals.failed || totals.running ? kProblemsFound : kOk;
}

RecoverOptions optionsOf(const Options &options) {
  return {.exitCode = {}, .signal = {}, .keepRing = options.keepRing};
}

// The program and kind of command line of a process; empty if its manifest does not say.
std::string commandOf(const std::string &directory) {
  const auto manifest = Manifest::read(directory + "/manifest.json");
  const std::string program =
      manifest ? model::programOf(manifest->executable, manifest->argv.empty() ? "" : manifest->argv[0]) : "";
  return program.empty() ? "" : analysis::commandShape(program, manifest->argv);
}

// Recovers many processes, and prints one line for each program and command line instead of one for each process.
void recoverFolded(const std::string &session, const std::vector<std::string> &directories, const Options &options,
                   RecoverTotals &totals) {
  struct Recovered {
    unsigned processes = 0;
    uint64_t events = 0, fromRing = 0;
  };
  std::map<std::string, Recovered> commands;
  for (const std::string &directory : directories) {
    const unsigned recovered = totals.recovered;
    const uint64_t events = totals.events, fromRing = totals.eventsFromRing;
    recoverAndTell(directory, optionsOf(options), /*quiet=*/true, totals);
    if (totals.recovered == recovered)
      continue;
    Recovered &sum = commands[commandOf(directory)];
    ++sum.processes, sum.events += totals.events - events, sum.fromRing += totals.eventsFromRing - fromRing;
  }
  totals.complaints.finish();
  Output out;
  size_t listed = 0;
  for (const auto &[command, sum] : commands)
    if (listed++ < analysis::kMaxListed)
      out.print("{}: {} recovered, with {}, {} of them from ring files\n",
                command.empty() ? "unknown programs" : command, formatCount(sum.processes, "process"),
                formatCount(sum.events, "event"), formatCount(sum.fromRing));
  if (listed > analysis::kMaxListed)
    out.print("... and {} more commands\n", formatCount(listed - analysis::kMaxListed));
  const std::string others = (totals.running ? fmt::format(", {} still running", formatCount(totals.running)) : "") +
                             (totals.failed ? fmt::format(", {} failed", formatCount(totals.failed)) : "");
  out.print("{}: {} recovered, {} already finished by the program itself{}; --each prints a line for each\n", session,
            formatCount(totals.recovered, "process"), formatCount(totals.finishedBefore), others);
}

int run(const Options &options, const Invocation &) {
  if (options.clean && (!options.path.empty() || options.keepRing))
    return fail(kWrongUsage, "recover: --clean looks for the ring files of all sessions, so it can't be combined with "
                             "a session or --keep-ring");
  if (!options.clean && (options.dryRun || !options.rings.empty()))
    return fail(kWrongUsage, "recover: --dry-run and --ring need --clean");
  if (options.clean)
    return clean(options);
  const std::string path = options.path.empty() ? kDefaultOutput : options.path;
  std::error_code error;
  if (!fs::is_directory(path, error))
    return options.path.empty() ? fail(kCantRead, "there is no session under ./{}; name one", kDefaultOutput)
                                : fail(kCantRead, "{}: {}", path, error ? error.message() : "not a directory");
  const std::vector<std::string> directories = directoriesOf(path);
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (processId(at->path().string()) && at->is_symlink())
      warning("{} is a symbolic link, which may lead to another session; name the directory that it points to",
              at->path().string());
  if (directories.empty())
    return fail(kCantRead, "{}: no process has recorded here (there is no directory pid_N)", path);
  const std::string session = fs::path(directories.front()).parent_path().string();
  const bool isFolded = !options.quiet && !options.each && analysis::areMany(directories.size());
  RecoverTotals totals;
  if (options.each)
    totals.complaints = FoldedMessages({}, complain);
  if (isFolded)
    recoverFolded(session, directories, options, totals);
  else
    for (const std::string &directory : directories)
      recoverAndTell(directory, optionsOf(options), options.quiet, totals);
  recover::removeLeftBinaries(session);
  if (totals.recovered && !options.quiet)
    Output().print("next: adatrace {} {}\n", isFolded ? "processes" : "why", pathForShell(session));
  return totals.failed || totals.running ? kProblemsFound : kOk;
}

void declare(CommandLine &line, Options &options) {
  line.option("session", options.path,
              "A session, or one of its process directories [the newest session under ./ada-traces]")
      .type("");
  line.flag("--each", options.each, "One line per process, also for a session with many");
  line.flag("--keep-ring", options.keepRing, "Keep the ring file after recovery (see --ring of `adatrace record`)");
  line.flag(
      "--clean", options.clean,
      "Look for ring files of crashed programs: recover each into its session, or remove it if the session is gone");
  line.flag("--dry-run", options.dryRun, "With --clean: only print what would be done");
  line.option("--ring", options.rings,
              "With --clean: look in this directory instead of /dev/shm, /tmp, /var/tmp and the directory that `ring` "
              "in ADA_OPTIONS names; may be repeated")
      .type("DIR")
      .repeatable();
  addQuiet(line, options.quiet);
}

} // namespace
} // namespace recover_command

const Command kRecover = {
    "recover",
    "Finish the trace of a program that was killed or ended without exit()",
    "adatrace recover ada-traces/session_20261121_101500\n"
    "adatrace recover --clean --dry-run",
    withOptions<recover_command::declare, recover_command::run>,
};

} // namespace ada::cli
