// Begins, waits, ends.
#include "record_running.h"

#include "exit_codes.h"
#include "process/chosen_processes.h"
#include "process/end_signals.h"
#include "terminal/terminal.h"

#include "live/control/recording.h"
#include "trace/base/boot_time.h"

#include <thread>

namespace ada::cli {

std::optional<RunningRecord> recordRunning(pid_t pid, const OptionList &options,
                                           std::optional<std::chrono::nanoseconds> length,
                                           const std::function<void(bool)> &tick, int &code) {
  EndSignals signals;
  control::Answer answer;
  std::optional<control::Recording> recording = control::Recording::begin(pid, joinOptions(options), answer);
  if (!recording) {
    code = fail(exitCodeOf(answer.what), "{}", answer.why);
    return std::nullopt;
  }
  RunningRecord record;
  const uint64_t lengthNs = length ? static_cast<uint64_t>(length->count()) : 0; // 0: no end
  uint64_t endNs = UINT64_MAX;
  while (!signals.wasAsked()) {
    if (!record.hasBegun) {
      record.hasBegun = recording->hasBegun(answer);
      if (!answer) {
        code = fail(exitCodeOf(answer.what), "{}", answer.why);
        return std::nullopt;
      }
      if (record.hasBegun && lengthNs > 0)
        endNs = recording->startedNs() + lengthNs;
    }
    const uint64_t now = bootTimeNs();
    record.hasEnded = recording->isOver();
    record.calledExec = record.hasEnded && recording->calledExec();
    if (now >= endNs || record.hasEnded)
      break;
    recording->extend(endNs);
    tick(record.hasBegun);
    constexpr uint64_t kTickNs = 50'000'000;
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(kTickNs, endNs - now)));
  }
  const uint64_t now = bootTimeNs(), began = recording->startedNs();
  if (record.hasBegun && now > began)
    record.duration = std::chrono::nanoseconds(now - began);
  if (answer = record.hasEnded ? control::Answer() : recording->stop(); !answer) {
    complain(answer.why);
    code = exitCodeOf(answer.what);
  }
  return record;
}

} // namespace ada::cli
