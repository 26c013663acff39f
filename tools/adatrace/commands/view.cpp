// Adatrace view: a viewer for the browser, served on this machine only.
#include "command.h"
#include "process/session_place.h"
#include "view/api.h"
#include "view/http_server.h"

#include "base/file_descriptor.h"
#include "base/write_all.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ada::cli {

namespace {

struct Options {
  std::vector<std::string> sessions;
  int port = 0;
  bool noBrowser = false;
  std::string assets;
  uint64_t eventsForFile = ViewSession::kEventsForFile;
};

// The signals that end the server, which all its threads leave to waitForEnd().
sigset_t endSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  return signals;
}

// A file that leads to the address: on a command line everybody could read the token. Empty if it can't be written.
std::string makeRedirect(const std::string &address) {
  const char *place = std::getenv("TMPDIR");
  std::string name = std::string(place && *place ? place : "/tmp") + "/adatrace-view-XXXXXX.html";
  const FileDescriptor file(::mkostemps(name.data(), 5, O_CLOEXEC)); // for its owner alone
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

// Where there is no browser, or it does not start, the address was printed.
void openBrowser(const std::string &page) {
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

int run(const Options &options) {
  std::vector<std::string> paths = options.sessions;
  if (paths.empty()) {
    const auto newest = sessionOrNewest("");
    if (!newest)
      return kCantRead;
    paths.push_back(*newest);
  }
  // Before the first thread starts: all of them leave these signals alone.
  const sigset_t signals = endSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  std::vector<std::unique_ptr<ViewSession>> sessions;
  for (const std::string &path : paths) {
    auto session = std::make_unique<ViewSession>(static_cast<uint32_t>(sessions.size()), path, options.eventsForFile);
    if (const auto opened = session->open(); !opened)
      return fail(kCantRead, "{}", opened.error().text());
    for (const std::string &text :
         session->status().isLive ? std::vector<std::string>() : session->opened()->view->warnings())
      warning("{}", text);
    sessions.push_back(std::move(session));
  }

  ViewApi api(std::move(sessions));
  HttpServer server({.port = options.port, .assets = options.assets},
                    [&](const std::string &name, const std::map<std::string, std::string> &query) {
                      return api.answer(name, query);
                    });
  if (const auto bound = server.bind(); !bound)
    return fail(kCantRead, "view: {}", bound.error().message);
  Output out;
  out.print("{}\n", server.address());
  out.flush();
  std::thread serving([&] { server.run(); });
  const std::string redirect = options.noBrowser ? std::string() : makeRedirect(server.address());
  if (!redirect.empty())
    openBrowser(redirect);
  int received = 0;
  while (sigwait(&signals, &received) == EINTR)
    continue;
  if (!redirect.empty())
    ::unlink(redirect.c_str());
  server.stop();
  serving.join();
  return kOk;
}

std::function<int()> declare(CLI::App &app, const Invocation &) {
  auto options = std::make_shared<Options>();
  app.add_option("session", options->sessions,
                 "Sessions or files, of any format [the newest session under ./ada-traces]")
      ->type_name("");
  app.add_option("--port", options->port, "The port of 127.0.0.1 to listen on [any that is free]")
      ->type_name("N")
      ->check(CLI::Range(1, 65535).description(""));
  app.add_flag("--no-browser", options->noBrowser, "Only print the address; open no browser");
  // For who works on the page: files of this directory instead of those built in.
  app.add_option("--assets", options->assets, "")->group("");
  // For tests: a trace with so many events has its index in a file.
  app.add_option("--index-events", options->eventsForFile, "")->group("");
  return [options] { return run(*options); };
}

} // namespace

const Command kView = {
    "view",
    "Look at sessions in the browser: timelines, calls, statistics",
    "adatrace view\n"
    "adatrace view --no-browser --port=8080 ada-traces/session_20261121_101500",
    declare,
};

} // namespace ada::cli
