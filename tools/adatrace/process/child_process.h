// Starts the traced program and waits for it.
#ifndef ADATRACE_CHILD_PROCESS_H
#define ADATRACE_CHILD_PROCESS_H

#include <chrono>
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

  int exitCode() const; ///< as exit_codes.h describes for `record`
};

/// Beyond the file size limit (ulimit -f) the system sends SIGXFSZ besides refusing: this program says it in words.
/// Those that it starts get the signal as before.
void ignoreFileLimit();

/// Runs `argv` (searched in PATH) with our standard files, in our process group,
/// and returns when it has ended. `tick`, if there is one, is called about every
/// `interval` while it runs.
///
/// Signals: what the terminal sends (^C, hang-up) reaches the program by itself
/// and must not end us first; what is sent to us alone, by kill(2), is passed on.
Ending runProgram(const std::vector<std::string> &argv, std::chrono::milliseconds interval,
                  const std::function<void(pid_t)> &tick);

/// Where execvp would find `program`; nothing if it would not.
std::optional<std::string> findProgram(const std::string &program);

/// "was killed by signal 11 (Segmentation fault)", "ended with status 3"; empty
/// for a successful end.
std::string describe(const Ending &ending);

} // namespace ada::cli
#endif // ADATRACE_CHILD_PROCESS_H
