// Adatrace ship: loads the traces of a machine into a database as they come.
#include "base/quantities.h"
#include "base/text.h"
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
  bool deletes = false, dropUnsent = false, once = false, leaveKilled = false, init = false;
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
  int send(const Unit &unit);
  bool isComplete(Unit &unit);
  const Confirmed *confirmed(const Unit &unit) const { return shipped_.find(unit.name, unit.mark); }
  void save();

  Options &options_;
  SessionLoads &loads_;
  Shipped shipped_;
  RefusedBlocks refused_;
  std::vector<Unit> units_;
  std::map<std::string, uint64_t> broken_; // traces that can't be read, by name: their size then
  bool hasComplainedOfState_ = false;
};

void Shipper::save() {
  const auto written = shipped_.write();
  if (!written && !hasComplainedOfState_)
    warning("ship: {}; after a restart, the server is asked again which traces it has", written.error().text());
  hasComplainedOfState_ = !written;
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
bool Shipper::isComplete(Unit &unit) {
  if (unit.state == ProcessState::Unfinished && isBeginning(unit))
    return false;
  if (unit.state == ProcessState::Unfinished && !options_.leaveKilled) {
    RecoverTotals totals;
    recoverAndTell(unit.path, {.exitCode = {}, .signal = {}}, /*quiet=*/true, totals);
    unit.state = stateOf(unit.path);
    unit.measure();
    if (unit.state == ProcessState::Finished && !options_.load.quiet)
      complain(fmt::format("{}: recovered, because its program was killed", oneLine(unit.name)));
  }
  return unit.state == ProcessState::Finished;
}

int Shipper::send(const Unit &unit) {
  const Loaded loaded = loads_.load(unit.path, LoadUnit::Process, /*replaces=*/false,
                                    [&](const RefusedBlock &block) { return refused_.keep(unit.name, block); });
  if (loaded.isInterrupted || isAboutServer(loaded.code))
    return loaded.code;
  if (loaded.code != kOk && loaded.code != kProblemsFound) {
    broken_[unit.name] = unit.bytes;
    return loaded.code;
  }
  shipped_.confirm(unit.name, {.atSeconds = nowSeconds(), .mark = unit.mark});
  save();
  if (!options_.load.quiet)
    complain(loaded.wasThere
                 ? fmt::format("{}: already loaded", oneLine(unit.name))
                 : fmt::format("{}: {}, {} sent in {}{}", oneLine(unit.name), formatCount(loaded.calls, "call"),
                               formatBytes(loaded.sentBytes), formatDuration(loaded.ns),
                               loaded.refusedRows
                                   ? fmt::format("; the server rejected {}, saved in {}",
                                                 formatCount(loaded.refusedRows, "row"), refused_.directory())
                                   : std::string()));
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
  for (Unit &unit : units_) {
    if (isInterrupted())
      break;
    const auto broken = broken_.find(unit.name);
    if (confirmed(unit) || (broken != broken_.end() && broken->second == unit.bytes) || !isComplete(unit))
      continue;
    const int code = send(unit);
    if (isAboutServer(code))
      return code;
    worst = std::max(worst, code);
  }
  return worst;
}

void Shipper::clean() {
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
      warning("ship: {} could not be deleted", oneLine(unit.path));
    else if (goes.isUnsent)
      warning("ship: {} was deleted without being sent, because there is no room for it ({})", oneLine(unit.name),
              formatBytes(unit.bytes));
    else if (!options_.load.quiet)
      complain(fmt::format("{}: deleted, {} freed", oneLine(unit.name), formatBytes(unit.bytes)));
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
    return fail(kCantRead, "ship: {}: another `adatrace ship` is running there, or the directory is not writable",
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
