// Reads lines that a person types.
#include "line_reader.h"

#include "terminal.h"

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <iostream>
#include <sys/stat.h>
#include <sys/time.h>

namespace ada::cli {

namespace {

constexpr int kMostLines = 1000;

// Where lines are kept; its directory is there. Empty if there is no such place.
std::string placeOf(const std::string &name) {
  const char *const state = std::getenv("XDG_STATE_HOME"), *const home = std::getenv("HOME");
  std::filesystem::path place;
  if (state && *state == '/')
    place = state;
  else if (home && *home)
    place = std::filesystem::path(home) / ".local/state";
  else
    return {};
  place /= "adatrace";
  std::error_code error;
  std::filesystem::create_directories(place, error);
  return error ? std::string() : (place / name).string();
}

// While it lives, ^C sets a flag and ends a system call that waits, now or, if it comes just before that call, soon: a
// timer interrupts again and again.
class Cancelling {
public:
  Cancelling() {
    wasAsked = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGALRM, &action, &beforeTimer_);
    action.sa_handler = [](int) {
      wasAsked = 1;
      repeat(10'000);
    };
    sigaction(SIGINT, &action, &before_);
  }
  Cancelling(const Cancelling &) = delete;
  ~Cancelling() {
    sigaction(SIGINT, &before_, nullptr);
    repeat(0);
    sigaction(SIGALRM, &beforeTimer_, nullptr);
  }
  static inline volatile std::sig_atomic_t wasAsked = 0;

private:
  static void repeat(long us) { // one system call
    const itimerval each{{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &each, nullptr);
  }

  struct sigaction before_, beforeTimer_;
};

} // namespace

void LineReader::load() {
  wasLoaded_ = true;
  void *const library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  readline_ = reinterpret_cast<char *(*)(const char *)>(dlsym(library, "readline"));
  addHistory_ = reinterpret_cast<int (*)(const char *)>(dlsym(library, "add_history"));
  writeHistory_ = reinterpret_cast<int (*)(const char *)>(dlsym(library, "write_history"));
  auto *const use = reinterpret_cast<void (*)()>(dlsym(library, "using_history"));
  auto *const limit = reinterpret_cast<void (*)(int)>(dlsym(library, "stifle_history"));
  auto *const readHistory = reinterpret_cast<int (*)(const char *)>(dlsym(library, "read_history"));
  if (!addHistory_ || !writeHistory_ || !use || !limit || !readHistory)
    return;
  use();
  limit(kMostLines);
  path_ = placeOf(name_);
  if (!path_.empty())
    readHistory(path_.c_str());
}

std::optional<std::string> LineReader::read(const char *prompt) {
  if (!wasLoaded_)
    load();
  const Cancelling cancelling;
  std::optional<std::string> text;
  if (readline_) {
    if (char *const line = readline_(prompt)) {
      text = line;
      std::free(line); // NOLINT(cppcoreguidelines-no-malloc): readline's contract
    }
  } else {
    drawLive(prompt);
    if (std::string line; std::getline(std::cin, line))
      text = std::move(line);
  }
  wasCancelled_ = Cancelling::wasAsked != 0; // also if it came after the line, which has not been run yet
  if (!wasCancelled_)
    return text;
  std::cin.clear();
  drawLive("\n");
  return std::string();
}

void LineReader::remember(const std::string &text) {
  if (!addHistory_)
    return;
  addHistory_(text.c_str());
  if (path_.empty())
    return;
  const mode_t before = umask(S_IRWXG | S_IRWXO); // queries are nobody else's business
  writeHistory_(path_.c_str());
  umask(before);
}

} // namespace ada::cli
