// adatrace ship: loads the traces of a machine into a database as they come.
#include "command.h"
#include "fleet/refused_blocks.h"
#include "fleet/session_loads.h"
#include "options/option_values.h"
#include "output/convert_progress.h"
#include "process/session_place.h"
#include "ship/directory_watch.h"
#include "ship/disk_budget.h"
#include "ship/server_trouble.h"
#include "ship/shipped.h"
#include "ship/units.h"
#include "terminal/folded_messages.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include "analysis/events/trace_table.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::cli {

namespace ship_command {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kShortRetryNs = 5'000'000'000; // within a trace; after that, the next round tries again
constexpr unsigned kRefusedPart = 4;              // one part in four of --keep is for refused rows
constexpr const char *kStateFile = ".adatrace-shipped.json", *kLockFile = ".adatrace-ship.lock",
                     *kRefusedDirectory = ".adatrace-refused";

struct Options {
  LoadOptions load;
  std::string directory, state;
  std::optional<uint64_t> deleteAfterNs;
  uint64_t deleteAfter = 0, keepBytes = 0, rateBytes = 0, everyNs = 5'000'000'000;
  Option after = {}, retry = {}; // as given
  bool deletes = false, dropUnsent = false, once = false, leaveKilled = false, init = false, each = false;
};

bool isInterrupted() { return ConvertLine::interruption() != 0; }
uint64_t nowSeconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}
uint64_t steadyNs() {
  return static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}
bool isAboutServer(int code) {
  return code == kServerDown || code == kAccessDenied || code == kOtherSchema || code == kServerFull;
}

/// Says what was sent: trace by trace, and after some in one round, the sums of the others at its end.
class SentLines {
public:
  explicit SentLines(const Options &options) : isQuiet_(options.load.quiet), isEach_(options.each) {}
  ~SentLines() { finish(); }

  void add(const std::string &name, const Loaded &loaded, const std::string &refused) {
    if (isQuiet_)
      return;
    if (isEach_ || said_ < analysis::kMaxListed) {
      ++said_;
      complain(loaded.wasThere
                   ? fmt::format("{}: already loaded", oneLine(name))
                   : textOf(oneLine(name), loaded.calls, loaded.sentBytes, loaded.ns, loaded.refusedRows, refused));
      return;
    }
    ++(loaded.wasThere ? there_ : sent_);
    calls_ += loaded.calls, bytes_ += loaded.sentBytes, ns_ += loaded.ns, refusedRows_ += loaded.refusedRows;
    directory_ = refused;
  }

private:
  static std::string textOf(const std::string &what, uint64_t calls, uint64_t bytes, uint64_t ns, uint64_t refusedRows,
                            const std::string &refused) {
    return fmt::format(
        "{}: {}, {} sent in {}{}", what, formatCount(calls, "call"), formatBytes(bytes), formatDuration(ns),
        refusedRows ? fmt::format("; the server rejected {}, saved in {}", formatCount(refusedRows, "row"), refused)
                    : std::string());
  }
  void finish() {
    if (sent_)
      complain(textOf(formatCount(sent_, "more trace"), calls_, bytes_, ns_, refusedRows_, directory_) +
               " (--each prints a line for each)");
    if (there_)
      complain(formatCount(there_, "more trace") + ": already loaded");
  }

  bool isQuiet_, isEach_;
  size_t said_ = 0;
  uint64_t sent_ = 0, there_ = 0, calls_ = 0, bytes_ = 0, ns_ = 0, refusedRows_ = 0;
  std::string directory_;
};

/// Lets only one process at a time ship a directory. Held until the process ends.
class Lock {
public:
  explicit Lock(const std::string &file) : file_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    isOurs_ = file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  ~Lock() {
    if (file_ >= 0)
      ::close(file_);
  }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
  bool isOurs() const { return isOurs_; }

private:
  int file_;
  bool isOurs_;
};

class Shipper {
public:
  Shipper(Options &options, SessionLoads &loads)
      : options_(options), loads_(loads), shipped_(options.state, options.load.to, options.load.plan),
        refused_(options.directory + "/" + kRefusedDirectory, options.keepBytes / kRefusedPart) {
    std::string what;
    shipped_.read(what);
    if (!what.empty())
      warning("ship: {}", what);
  }

  /// Looks for traces on the disk.
  void look();
  /// Sends complete traces. Returns an exit status; after kServerDown and the like, the remaining traces wait.
  int send();
  /// Deletes the traces that may be deleted.
  void clean();
  /// The directories to watch, as found last.
  std::vector<std::string> directories() const;

private:
  int send(const Unit &unit, SentLines &told);
  bool isComplete(Unit &unit, RecoverTotals &totals, FoldedMessages &told);
  const Confirmed *confirmed(const Unit &unit) const { return shipped_.find(unit.name, unit.mark); }
  void save();
  void saveSometimes();

  Options &options_;
  SessionLoads &loads_;
  Shipped shipped_;
  RefusedBlocks refused_;
  std::vector<Unit> units_;
  std::map<std::string, uint64_t> broken_; // traces that can't be read, by name: their size then
  bool hasComplainedOfState_ = false;
  uint64_t savedNs_ = 0;
};

void Shipper::save() {
  const auto written = shipped_.write();
  if (!written && !hasComplainedOfState_)
    warning("ship: {}; after a restart, the server is asked again which traces it has", written.error().text());
  hasComplainedOfState_ = !written;
  savedNs_ = steadyNs();
}

// The file names all traces, so it is not written for each of ten thousand: what it lacks, the server knows.
void Shipper::saveSometimes() {
  constexpr uint64_t kAtMostEveryNs = 1'000'000'000;
  if (steadyNs() - savedNs_ >= kAtMostEveryNs)
    save();
}

// A recorder makes its directory first, and the ring and the manifest a moment later. Until then it must not be taken
// for a killed program.
bool isBeginning(const Unit &unit) {
  constexpr time_t kSureSeconds = 60;
  if (std::error_code ignored; fs::exists(unit.path + "/manifest.json", ignored))
    return false;
  const auto process = processId(unit.path);
  struct stat info;
  return (process && (::kill(static_cast<pid_t>(*process), 0) == 0 || errno == EPERM)) ||
         ::stat(unit.path.c_str(), &info) != 0 ||
         static_cast<time_t>(nowSeconds()) - info.st_mtim.tv_sec < kSureSeconds;
}

// The trace of a killed program is complete after recovery.
bool Shipper::isComplete(Unit &unit, RecoverTotals &totals, FoldedMessages &told) {
  if (unit.state == ProcessState::Unfinished && isBeginning(unit))
    return false;
  if (unit.state == ProcessState::Unfinished && !options_.leaveKilled) {
    recoverAndTell(unit.path, {.exitCode = {}, .signal = {}}, /*quiet=*/true, totals);
    unit.state = stateOf(unit.path);
    unit.measure();
    if (unit.state == ProcessState::Finished && !options_.load.quiet)
      told.add(fmt::format("{}: recovered, because its program was killed", oneLine(unit.name)));
  }
  return unit.state == ProcessState::Finished;
}

int Shipper::send(const Unit &unit, SentLines &told) {
  const Loaded loaded = loads_.load(unit.path, LoadUnit::Process, /*replaces=*/false,
                                    [&](const RefusedBlock &block) { return refused_.keep(unit.name, block); });
  if (loaded.isInterrupted || isAboutServer(loaded.code))
    return loaded.code;
  if (loaded.code != kOk && loaded.code != kProblemsFound) {
    broken_[unit.name] = unit.bytes;
    return loaded.code;
  }
  shipped_.confirm(unit.name, {.atSeconds = nowSeconds(), .mark = unit.mark});
  saveSometimes();
  told.add(unit.name, loaded, refused_.directory());
  return loaded.refusedRows ? kProblemsFound : loaded.code;
}

void Shipper::look() {
  std::erase_if(units_, [&](const Unit &unit) { return broken_.contains(unit.name); }); // may have changed
  units_ = findUnits(options_.directory, units_);
  std::set<std::string> there;
  for (const Unit &unit : units_)
    there.insert(unit.name);
  if (shipped_.keepOnly(there))
    save();
}

int Shipper::send() {
  int worst = kOk;
  SentLines sent(options_);
  FoldedMessages recovered(options_.each ? "" : "--each", complain);
  bool isSaved = true;
  RecoverTotals totals;
  totals.complaints = FoldedMessages(options_.each ? "" : "--each", complain);
  FoldedMessages flaws(options_.each ? "" : "--each", complain); // of ten thousand traces, most have the same
  loads_.tellThrough([&](const std::string &text) { flaws.add(text); });
  for (Unit &unit : units_) {
    if (isInterrupted())
      break;
    const auto broken = broken_.find(unit.name);
    if (confirmed(unit) || (broken != broken_.end() && broken->second == unit.bytes) ||
        !isComplete(unit, totals, recovered))
      continue;
    const int code = send(unit, sent);
    worst = isAboutServer(code) ? code : std::max(worst, code);
    if (isAboutServer(code))
      break;
    isSaved = false;
  }
  if (!isSaved)
    save();
  return worst;
}

void Shipper::clean() {
  FoldedMessages told(options_.each ? "" : "--each", complain);
  std::vector<OnDisk> all;
  const uint64_t now = nowSeconds();
  for (const Unit &unit : units_) {
    OnDisk one{
        .name = unit.name, .bytes = unit.bytes, .isComplete = unit.state == ProcessState::Finished, .confirmedNs = {}};
    if (const Confirmed *found = confirmed(unit))
      one.confirmedNs = (now - std::min(now, found->atSeconds)) * 1'000'000'000;
    all.push_back(std::move(one));
  }
  // Refused rows are in the directory as well.
  const uint64_t most = options_.keepBytes
                            ? std::max<uint64_t>(1, options_.keepBytes - std::min(options_.keepBytes, refused_.bytes()))
                            : 0;
  for (const Goes &goes : whatGoes(
           all, {.deleteAfterNs = options_.deleteAfterNs, .mostBytes = most, .dropsUnsent = options_.dropUnsent})) {
    const Unit &unit = units_[goes.index];
    if (stateOf(unit.path) != ProcessState::Finished)
      continue;
    if (!removeUnit(options_.directory, unit))
      told.add(fmt::format("warning: ship: {} could not be deleted", oneLine(unit.path)));
    else if (goes.isUnsent)
      told.add(fmt::format("warning: ship: {} was deleted without being sent, because there is no room for it ({})",
                           oneLine(unit.name), formatBytes(unit.bytes)));
    else if (!options_.load.quiet)
      told.add(fmt::format("{}: deleted, {} freed", oneLine(unit.name), formatBytes(unit.bytes)));
  }
}

std::vector<std::string> Shipper::directories() const {
  std::vector<std::string> list = {options_.directory};
  for (const Unit &unit : units_) {
    list.push_back(fs::path(unit.path).parent_path().string());
    if (!confirmed(unit))
      list.push_back(unit.path);
  }
  std::error_code error;
  for (auto at = fs::directory_iterator(options_.directory, error); !error && at != fs::directory_iterator();
       at.increment(error))
    if (std::error_code ignored; at->is_directory(ignored) && !at->path().filename().string().starts_with('.'))
      list.push_back(at->path().string());
  return list;
}

int run(Options &options, const Invocation &) {
  if (options.dropUnsent && options.keepBytes == 0)
    return fail(kWrongUsage, "ship: --drop-unsent needs --keep");
  if (options.deletes && options.after.isGiven())
    return fail(kWrongUsage, "ship: use --delete or --delete-after, not both");
  if (options.deletes || options.after.isGiven())
    options.deleteAfterNs = options.deletes ? 0 : options.deleteAfter;
  if (!options.once && !options.retry.isGiven())
    options.load.retryForNs = kShortRetryNs;
  while (options.directory.size() > 1 && options.directory.ends_with('/'))
    options.directory.pop_back();
  settle(options.load, "ship");
  std::error_code error;
  if (!fs::is_directory(options.directory, error))
    return fail(kCantRead, "ship: {}: {}", oneLine(options.directory), error ? error.message() : "not a directory");
  if (options.state.empty())
    options.state = options.directory + "/" + kStateFile;
  const Lock lock(options.directory + "/" + kLockFile);
  if (!lock.isOurs())
    return fail(kCantRead, "ship: {}: another `ship` is running there, or the directory is not writable",
                oneLine(options.directory));
  const ConvertLine signals(When::Never); // from here on, the first signal is kept for interruption()
  ServerTrouble trouble;
  const auto say = [](const std::optional<std::string> &line) {
    if (line)
      warning("ship: {}", *line);
  };
  SessionLoads loads(
      options.load, "ship", options.once ? std::function<void(const std::string &)>() : [&](const std::string &what) {
        say(trouble.failed(what, steadyNs()));
      });
  loads.begin();
  for (Server &server : loads.servers())
    server.setRate(options.rateBytes);
  Shipper shipper(options, loads);
  DirectoryWatch watch;
  bool isReady = false;
  for (int code = kOk;;) {
    shipper.look();
    code = isReady ? kOk : loads.prepare([&](Server &server) {
      return options.init ? makeTables(server, {}) : checkTables(server);
    });
    isReady |= code == kOk;
    if (code == kOk)
      code = shipper.send();
    if (!isAboutServer(code))
      say(trouble.worked(steadyNs()));
    shipper.clean(); // even without a server, because the disk fills up meanwhile
    if (isInterrupted())
      return kOk; // unfinished work continues at the next start
    if (options.once || code == kAccessDenied || code == kOtherSchema || code == kWrongUsage)
      return code;
    watch.set(shipper.directories());
    if (!isAboutServer(code)) {
      watch.wait(options.everyNs, isInterrupted);
    } else {
      isReady = false;
      const uint64_t until = steadyNs() + trouble.pauseNs();
      for (uint64_t now = steadyNs(); now < until && !isInterrupted(); now = steadyNs()) {
        watch.wait(std::min(until - now, options.everyNs), isInterrupted);
        shipper.look();
        shipper.clean();
        watch.set(shipper.directories());
      }
    }
    if (isInterrupted())
      return kOk;
  }
}

void declare(CommandLine &line, Options &options) {
  line.option("directory", options.directory, "The directory in which sessions are created [ada-traces]").type("");
  options.directory = kDefaultOutput;
  line.flag("--once", options.once, "Send the traces that exist now, and exit");
  line.flag("--init", options.init, "Create the database and its tables if they do not exist");
  line.flag("--delete", options.deletes, "Delete each trace as soon as the database has confirmed it");
  options.after = addDuration(line, "--delete-after", options.deleteAfter,
                              "Delete each trace this long (1h) after the database has confirmed it");
  addSize(line, "--keep", options.keepBytes,
          "Delete the oldest confirmed traces when the directory holds more than this (10G)");
  line.flag("--drop-unsent", options.dropUnsent,
            "With --keep: if that is not enough, also delete complete traces that were not sent, and report it");
  addSize(line, "--rate", options.rateBytes, "Send at most this much per second (10M)");
  addDuration(line, "--every", options.everyNs, "How often to look for changes that inotify does not report [5s]");
  line.flag("--each", options.each, "Print a line for each trace, also for many");
  line.flag("--leave-killed", options.leaveKilled,
            "Do not recover traces of killed programs; wait until someone else does");
  line.option("--state", options.state, "File in which to note confirmed traces [DIRECTORY/.adatrace-shipped.json]")
      .type("FILE");
  declareLoadOptions(line, options.load);
  addQuiet(line, options.load.quiet);
  options.load.progress = When::Never;
  options.retry = line.find("--retry-for");
}

} // namespace
} // namespace ship_command

const Command kShip = {
    "ship",
    "Send a machine's traces to a ClickHouse database as they are finished",
    "adatrace ship --to=clickhouse://db.example:8123/traces --delete-after=1h --keep=10G /var/lib/ada-traces\n"
    "adatrace ship --once --to=clickhouse://db.example:8123/traces ada-traces\n"
    "# status 1: rows were rejected or a trace is damaged; 4 to 7: as for `adatrace load`",
    withOptions<ship_command::declare, ship_command::run>,
};

} // namespace ada::cli
