// Records a running process for a while.
#include "record_process.h"
#include "closing.h"
#include "exit_codes.h"
#include "live/control/status.h"
#include "process/chosen_processes.h"
#include "process/recover_process.h"
#include "process/session_place.h"
#include "record_progress.h"
#include "record_running.h"
#include "trace/base/quantities.h"

namespace ada::cli {

namespace {

// The options for the process, without what its session decides.
OptionList optionsOfRunning(const RecordOptions &options) {
  OptionList runtime = options.runtime;
  std::erase_if(runtime, [](const auto &option) { return option.first == "session" || option.first == "output"; });
  if (const std::string *format = findOption(runtime, "format"); format && *format != "packed")
    stop(kWrongUsage, "record: --pid records packed files");
  completeDetail(runtime);
  if (findOption(runtime, "enabled") || findOption(runtime, "control") || findOption(runtime, "flight"))
    stop(kWrongUsage, "record: --pid can't be combined with --enabled, --control or --flight");
  if (options.waits)
    addWaits(runtime);
  setOption(runtime, "format", "packed");
  setOption(runtime, "summary", "never");
  return runtime;
}

// A process that has recorded before keeps its options; what it records is changed by orders. Removes these options
// from the list. Returns the exit status.
int changeSelection(pid_t pid, OptionList &runtime) {
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

// What is shown while the process records, or while it has not begun.
class Watcher {
public:
  Watcher(const RecordOptions &options, const std::string &session)
      : progress_(session, options.progress, options.quiet), pid_(options.pid), isPatient_(options.quiet) {}
  void tick(bool hasBegun) {
    if (hasBegun && progress_.isWanted() && ++ticks_ % 5 == 0)
      progress_.draw();
    if (!hasBegun && !isPatient_ && ++ticks_ == 40) { // two seconds
      isPatient_ = true;
      complain(fmt::format("process {} has made no traced call yet; recording begins with its next one", pid_));
    }
  }
  void clear() { progress_.clear(); }

private:
  RecordProgress progress_;
  pid_t pid_;
  bool isPatient_;
  int ticks_ = 0;
};

} // namespace

int recordProcess(const RecordOptions &options) {
  refuseTaken(options);
  OptionList runtime = optionsOfRunning(options);
  std::optional<std::chrono::nanoseconds> length;
  if (!options.length.empty())
    length = std::chrono::nanoseconds(*parseDuration(options.length));
  control::Answer answer;
  if (const control::Status before = control::statusOf(options.pid, answer);
      answer && before.state == control::Status::State::Stopped)
    if (const int code = changeSelection(options.pid, runtime); code != kOk)
      return code;
  const std::string *session = findOption(options.runtime, "session"), *output = findOption(options.runtime, "output");
  std::string problem;
  const std::optional<Destination> place =
      destinationFor(options.pid, session ? *session : "", output ? *output : "", problem);
  if (!place)
    return fail(kRecordFailed, "{}; choose another directory with --output", problem);
  runtime.insert(runtime.begin(), {"session", place->session});

  Watcher watcher(options, place->shown);
  int code = kOk;
  const std::optional<RunningRecord> record =
      recordRunning(options.pid, runtime, length, [&](bool hasBegun) { watcher.tick(hasBegun); }, code);
  watcher.clear();
  if (record && record->hasEnded) {
    if (!options.quiet)
      complain(fmt::format("process {} has {}", options.pid, record->calledExec ? "called exec" : "ended"));
    RecoverTotals totals{.complaints = {recoverEach(place->shown), complain}};
    for (const std::string &directory : processDirectories(place->shown))
      if (stateOf(directory) == ProcessState::Unfinished)
        recoverAndTell(directory, {}, true, totals);
  }
  if (record && !options.quiet)
    tellOfProcess({place->shown, options.pid, record->hasBegun, record->duration});
  removeIfEmpty(*place);
  return code;
}

} // namespace ada::cli
