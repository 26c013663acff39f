// Starts the traced program and waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ada::cli {

/// How the program ended, or why it did not start.
struct Ending {
  int startError = 0; ///< errno of exec, 0 if the program started
  int status = 0;     ///< as from waitpid
  pid_t pid = 0;
  std::chrono::nanoseconds duration{0};
  uint64_t endedUtcNs = 0; ///< when, since 1970

  int exitCode() const; ///< as exit_codes.h describes for `record`
};

/// Ignores SIGXFSZ, which the system sends when a write exceeds the file size limit (ulimit -f). The write fails as
/// well, so this program reports the failure in words. Programs that it starts get the signal as before.
void ignoreFileLimit();
/// Ignores SIGPIPE, which the system sends when nobody reads what is written any more (`adatrace record … | head`):
/// what comes afterwards goes nowhere, and the command completes its work. Programs that it starts get the signal as
/// before.
void ignoreLostReader();

/// Runs `argv` (searched in PATH) with our standard files, in our process group, and returns when it has ended. While
/// it runs, `tick` (if not empty) is called about every `interval`.
///
/// Signals from the terminal (^C, hang-up) reach the program directly and must not end us first. Signals sent only to
/// us, by kill(2), are passed on.
Ending runProgram(const std::vector<std::string> &argv, std::chrono::milliseconds interval,
                  const std::function<void(pid_t)> &tick);

/// The path at which execvp would find `program`; nothing if it would not find it.
std::optional<std::string> findProgram(const std::string &program);

/// "was killed by signal 11 (Segmentation fault)" or "ended with status 3"; empty if it was successful.
std::string describe(const Ending &ending);

} // namespace ada::cli
