// Runs a server until the user ends it.
#include "serve.h"

#include "exit_codes.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/format.h"
#include "trace/base/write_all.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ada::cli {

// Writes a file that redirects to the address, because every user could read the token on a command line. Returns its
// name, or an empty string if it can't be written.
static std::string makeRedirect(const std::string &address) {
  const char *place = std::getenv("TMPDIR");
  std::string name = std::string(place && *place ? place : "/tmp") + "/adatrace-view-XXXXXX.html";
  const FileDescriptor file(::mkostemps(name.data(), 5, O_CLOEXEC)); // readable only by its owner
  const std::string page = fmt::format("<!doctype html><meta charset=\"utf-8\"><title>AdaTrace</title>\n"
                                       "<meta http-equiv=\"refresh\" content=\"0; url={0}\">\n"
                                       "<a href=\"{0}\">The viewer</a>\n",
                                       address);
  if (!file)
    return {};
  if (writeAll(file.get(), page.data(), page.size()))
    return name;
  ::unlink(name.c_str());
  return {};
}

// Failures are ignored: if there is no browser or it does not start, the user has the printed address.
static void openBrowser(const std::string &page) {
  std::string program = "xdg-open", argument = page;
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
  if (posix_spawnp(&pid, program.c_str(), &files, &attributes, argv, environ) == 0)
    std::thread([pid] { waitpid(pid, nullptr, 0); }).detach();
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
}

struct ServerSignals::State {
  std::mutex mutex;
  std::condition_variable hasCome;
  bool isServing = false, came = false;

  // The threads of the program end in their own time, and some can't be stopped: one that opens a grown session again.
  // Nothing is lost with them: all files that they write are temporary.
  void receive(const sigset_t &signals) {
    constexpr std::chrono::milliseconds kMaxEnding(500);
    int number = 0;
    while (sigwait(&signals, &number) == EINTR)
      continue;
    {
      const std::lock_guard lock(mutex);
      if (!isServing) {
        signal(number, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
        raise(number);
      }
      came = true;
    }
    hasCome.notify_all();
    std::this_thread::sleep_for(kMaxEnding);
    _exit(kOk);
  }
};

ServerSignals::ServerSignals() : state_(std::make_shared<State>()) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    if (struct sigaction now; number != SIGHUP || (sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN))
      sigaddset(&signals, number); // not what nohup ignores
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  std::thread([state = state_, signals] { state->receive(signals); }).detach();
}

void ServerSignals::serve() const {
  const std::lock_guard lock(state_->mutex);
  state_->isServing = true;
}

void ServerSignals::wait() const {
  std::unique_lock lock(state_->mutex);
  state_->hasCome.wait(lock, [&] { return state_->came; });
}

void serveUntilEnd(HttpServer &server, const ServerSignals &signals, const std::string &address) {
  std::thread serving([&] { server.run(); });
  const std::string redirect = address.empty() ? address : makeRedirect(address);
  if (!redirect.empty())
    openBrowser(redirect);
  signals.wait();
  if (!redirect.empty())
    ::unlink(redirect.c_str());
  server.stop();
  serving.join();
}

} // namespace ada::cli
