// Runs a server until the user ends it.
#include "serve.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ada::cli {

// The page shows the address, too; where there is no browser, or it does not start, nothing is lost.
static void openBrowser(const std::string &address) {
  const char *name = "xdg-open";
  std::string program = name, argument = address;
  char *argv[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  if (posix_spawnp(&pid, name, &files, &attributes, argv, environ) == 0)
    std::thread([pid] { waitpid(pid, nullptr, 0); }).detach();
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
}

EndSignals::EndSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void EndSignals::wait() const {
  int received = 0;
  while (sigwait(&signals_, &received) == EINTR)
    continue;
}

void serveUntilEnd(HttpServer &server, const EndSignals &signals, const std::string &address) {
  std::thread serving([&] { server.run(); });
  if (!address.empty())
    openBrowser(address);
  signals.wait();
  server.stop();
  serving.join();
}

} // namespace ada::cli
