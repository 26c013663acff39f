// Adatrace top: shows what functions cost while a session is being recorded.
#include "base/quantities.h"
#include "command.h"
#include "options/option_values.h"
#include "output/top_lines.h"
#include "process/bus_error.h"
#include "process/chosen_processes.h"
#include "process/finish_flights.h"
#include "process/recover_process.h"
#include "process/session_place.h"
#include "terminal/screen.h"

#include "formats/table.h"
#include "model/spool.h"
#include "recover/leftovers.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>
#include <unistd.h>

namespace ada::cli {

namespace top_command {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string target, sort = "self";
  uint64_t intervalNs = 1'000'000'000, count = 0, limit = 0;
  TableOptions table;
};

constexpr uint64_t kRows = 20; // shown unless --limit says otherwise, or the screen is smaller

// The directory into which a process records. Ends the command if there is none.
std::string directoryOf(uint32_t pid) {
  for (const RingFile &ring : findRings(ringPlaces())) {
    if (ring.pid != pid || ring.state != RingFile::State::Recording)
      continue;
    if (!ring.isFlight)
      return ring.directory;
    stop(kCantRead, "process {} is a flight recorder: its trace is in memory until it is dumped", pid);
  }
  stop(kCantRead, "process {} does not record", pid);
}

std::string placeOf(const std::string &target) {
  std::error_code error;
  if (const std::optional<pid_t> pid = processNumber(target); pid && !std::filesystem::exists(target, error))
    return directoryOf(static_cast<uint32_t>(*pid));
  return sessionOrNewest(target);
}

bool isLive(const std::string &path) {
  std::vector<std::string> directories = processDirectories(path);
  if (directories.empty())
    directories = {path};
  return std::ranges::any_of(directories, [](const std::string &of) { return stateOf(of) == ProcessState::Running; });
}

class Looks {
public:
  explicit Looks(std::string path) : path_(std::move(path)) { state.session = path_; }

  /// Reads what is new.
  Expected<void> look() {
    // First, so that whatever is written before it turns false is read.
    state.isLive = isLive(path_);
    auto source = model::openTrace(path_);
    if (source)
      source = model::makeThreadwise(*std::move(source));
    if (!source)
      return source.error();
    const auto now = Clock::now();
    if (last_ != Clock::time_point())
      state.intervalNs = static_cast<uint64_t>(std::chrono::nanoseconds(now - last_).count());
    last_ = now;
    return rates.update(**source);
  }

  analysis::CallRates rates;
  TopState state;

private:
  std::string path_;
  Clock::time_point last_;
};

// Tables one after the other.
int runPlain(const Options &options, Looks &looks, const Invocation &invocation) {
  const Palette palette = invocation.palette();
  Output out;
  for (uint64_t number = 1;; ++number) {
    if (number > 1 && options.table.isText())
      out.write("\n");
    printTop(out, palette, looks.rates, looks.state, options.table, options.limit ? options.limit : kRows);
    out.flush();
    if (number == options.count || (options.count == 0 && !looks.state.isLive))
      return kOk;
    std::this_thread::sleep_for(std::chrono::nanoseconds(options.intervalNs));
    need(looks.look());
  }
}

int runScreen(const Options &options, Looks &looks, const Invocation &invocation) {
  const Palette palette = invocation.palette();
  const auto interval = std::chrono::nanoseconds(options.intervalNs);
  std::optional<Screen> screen(std::in_place);
  setBusErrorCleanup([&] { screen.reset(); });
  auto next = Clock::now() + interval;
  const auto draw = [&] {
    screen->draw(topPage(palette, looks.rates, looks.state, options.table, screen->rows(), screen->columns()));
  };
  draw();
  for (uint64_t number = 1; number != options.count;) {
    const bool isWaiting = !looks.state.isPaused && looks.state.isLive;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    const int key = screen->key(isWaiting ? static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)) : -1);
    if (key == 'q' || key == Screen::kEnd)
      break;
    if (key == ' ')
      looks.state.isPaused = !looks.state.isPaused;
    else if (std::string column = columnOfKey(key, key == Screen::kLeft, key == Screen::kRight, looks.state.sortedBy);
             !column.empty())
      looks.state.sortedBy = std::move(column);
    if (!looks.state.isPaused && looks.state.isLive && Clock::now() >= next) {
      if (const auto done = looks.look(); !done) {
        screen.reset();
        setBusErrorCleanup({});
        return fail(kCantRead, "{}", done.error().text());
      }
      next = Clock::now() + interval;
      ++number;
    }
    draw();
  }
  screen.reset();
  setBusErrorCleanup({});
  return kOk;
}

int run(Options &options, const Invocation &invocation) {
  options.table.check("top", infoOf(analysis::rateColumns()));
  if (options.intervalNs == 0)
    return fail(kWrongUsage, "top: --interval must be longer than 0");
  if (options.table.format == Format::Json && options.count != 1)
    return fail(kWrongUsage, "top: --format=json needs --count=1; use --format=jsonl for more than one look");
  Looks looks(placeOf(options.target));
  looks.state.sortedBy = options.sort;
  need(looks.look());
  if (options.table.isText() && Screen::isPossible())
    return runScreen(options, looks, invocation);
  return runPlain(options, looks, invocation);
}

void declare(CommandLine &line, Options &options) {
  line.option("target", options.target, "A process that records, or a session [the newest session under ./ada-traces]")
      .type("PID|SESSION");
  addDuration(line, "--interval", options.intervalNs, "Time between two looks [1s]");
  addCount(line, "--count", options.count, "End after this many looks [when the recording ends, or with q]");
  addLimit(line, options.limit, "At most this many functions, if not on a screen [20]");
  addSort(line, options.sort, sortWords(analysis::rateColumns()), "function");
  addTableOptions(line, options.table, "function");
}

} // namespace
} // namespace top_command

const Command kTop = {
    "top",
    "Show what functions cost while a session is being recorded",
    "adatrace top\n"
    "adatrace top 4711 --sort=p99\n"
    "adatrace top --interval=5s --count=3 ada-traces/session_20261121_101500 > top.txt",
    withOptions<top_command::declare, top_command::run>,
};

} // namespace ada::cli
