// Starts the traced program and waits for it.
#include "child_process.h"
#include "exit_codes.h"
#include "terminal/terminal.h"
#include "trace/base/format.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ada::cli {

namespace {

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// Blocks the signals that we wait for, and resets SIGCHLD to its default action, because waitpid would fail if our
// parent made us ignore it.
class SignalScope {
public:
  SignalScope() {
    sigemptyset(&waited);
    sigaddset(&waited, SIGCHLD);
    for (const int signal : kPassedOn)
      sigaddset(&waited, signal);
    sigprocmask(SIG_BLOCK, &waited, &before_);
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &childAction_);
  }
  ~SignalScope() { restore(); }
  // Async-signal-safe, because it is also called between fork and exec.
  void restore() {
    sigaction(SIGCHLD, &childAction_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  sigset_t waited;

private:
  sigset_t before_;
  struct sigaction childAction_;
};

std::vector<int> ignored; // signals that are as usual for programs

void ignore(int number) {
  if (signal(number, SIG_IGN) == SIG_DFL)
    ignored.push_back(number);
}

[[noreturn]] void becomeProgram(char *const *argv, int errorPipe) {
  for (const int number : ignored)
    signal(number, SIG_DFL);
  execvp(argv[0], argv);
  const int error = errno;
  ssize_t ignored = write(errorPipe, &error, sizeof error);
  (void)ignored;
  _exit(kNotFound);
}

} // namespace

void ignoreFileLimit() { ignore(SIGXFSZ); }
void ignoreLostReader() {
  ignore(SIGPIPE);
  Output::goOnWithoutReader();
}

Ending runProgram(const std::vector<std::string> &argv, std::chrono::milliseconds interval,
                  const std::function<void(pid_t)> &tick) {
  Ending ending;
  std::vector<char *> arguments;
  for (const std::string &argument : argv)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);

  int errorPipe[2];
  if (pipe2(errorPipe, O_CLOEXEC) != 0) {
    ending.startError = errno;
    return ending;
  }
  SignalScope signals;
  const auto start = std::chrono::steady_clock::now();
  ending.pid = fork();
  if (ending.pid < 0) {
    ending.startError = errno;
    close(errorPipe[0]);
    close(errorPipe[1]);
    return ending;
  }
  if (ending.pid == 0) {
    signals.restore();
    becomeProgram(arguments.data(), errorPipe[1]);
  }
  close(errorPipe[1]);
  // The pipe closes when exec succeeds.
  ssize_t got;
  while ((got = read(errorPipe[0], &ending.startError, sizeof ending.startError)) < 0 && errno == EINTR)
    continue;
  if (got != sizeof ending.startError)
    ending.startError = 0;
  close(errorPipe[0]);

  const timespec step = {interval.count() / 1000, interval.count() % 1000 * 1000000};
  for (;;) {
    const pid_t ended = waitpid(ending.pid, &ending.status, WNOHANG);
    if (ended == ending.pid || (ended < 0 && errno == ECHILD))
      break;
    siginfo_t info = {};
    const int signal = tick ? sigtimedwait(&signals.waited, &info, &step) : sigwaitinfo(&signals.waited, &info);
    if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL)
      kill(ending.pid, signal);
    if (tick && !ending.startError)
      tick(ending.pid);
  }
  ending.duration = std::chrono::steady_clock::now() - start;
  ending.endedUtcNs =
      static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
  return ending;
}

int Ending::exitCode() const {
  if (startError)
    return startError == ENOENT ? kNotFound : kCantExecute;
  if (WIFSIGNALED(status))
    return kSignalBase + WTERMSIG(status);
  return WEXITSTATUS(status);
}

std::optional<std::string> findProgram(const std::string &program) {
  const auto isProgram = [](const std::string &path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos)
    return isProgram(program) ? std::optional(program) : std::nullopt;
  const char *path = std::getenv("PATH");
  const std::string directories = path ? path : "/bin:/usr/bin";
  for (size_t at = 0; at <= directories.size();) {
    const size_t end = std::min(directories.find(':', at), directories.size());
    const std::string directory = directories.substr(at, end - at);
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + program;
    if (isProgram(candidate))
      return candidate;
    at = end + 1;
  }
  return std::nullopt;
}

std::string describe(const Ending &ending) {
  if (ending.startError)
    return fmt::format("can't be started: {}", std::strerror(ending.startError));
  if (WIFSIGNALED(ending.status)) {
    const int signal = WTERMSIG(ending.status);
    return fmt::format("was killed by signal {} ({}){}", signal, strsignal(signal),
                       WCOREDUMP(ending.status) ? ", core dumped" : "");
  }
  if (WEXITSTATUS(ending.status))
    return fmt::format("ended with status {}", WEXITSTATUS(ending.status));
  return {};
}

} // namespace ada::cli
