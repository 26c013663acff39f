// Records a running process for a while: `adatrace record --pid`.
#pragma once

#include "options/runtime_options.h"
#include "process/destination.h"

#include <chrono>
#include <functional>
#include <optional>
#include <sys/types.h>

namespace ada::cli {

struct RunningRecord {
  bool hasBegun = false;                ///< the process has made a traced call
  bool calledExec = false;              ///< this is why the process's recording has ended
  bool hasEnded = false;                ///< the process itself ended meanwhile, or called exec
  std::chrono::nanoseconds duration{0}; ///< of recording
};

/// Records until `length` has passed since the first traced call (if it is given), a signal comes (^C), or the process
/// ends. `tick` is called several times a second, with whether recording has begun. Complains and returns nothing, with
/// the exit status in `code`, if it can't.
std::optional<RunningRecord> recordRunning(pid_t pid, const OptionList &options,
                                           std::optional<std::chrono::nanoseconds> length,
                                           const std::function<void(bool)> &tick, int &code);

} // namespace ada::cli
