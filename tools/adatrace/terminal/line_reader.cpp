// Reads lines that a person types.
#include "line_reader.h"

#include "terminal.h"
#include "trace/base/loaded_library.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sys/stat.h>
#include <sys/time.h>

namespace ada::cli {

namespace {

constexpr int kMaxLines = 1000;

// libedit's rl_prep_terminal. readline() prepares the terminal after it has shown the prompt, and a ^D that is typed
// in between is lost; so this is called before the prompt, but within readline(), which restores the terminal.
void (*prepareTerminal)(int) = nullptr;

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
  LoadedLibrary library("libedit.so.2");
  void (*use)() = nullptr;
  void (*limit)(int) = nullptr;
  int (*readHistory)(const char *) = nullptr;
  int (**beforeInput)() = nullptr;
  char *(*readLine)(const char *) = nullptr;
  library.find(use, "using_history");
  library.find(limit, "stifle_history");
  library.find(readHistory, "read_history");
  library.find(prepareTerminal, "rl_prep_terminal");
  library.find(beforeInput, "rl_pre_input_hook");
  library.find(addHistory_, "add_history");
  library.find(writeHistory_, "write_history");
  library.find(readLine, "readline");
  if (!library.problem().empty())
    return;
  readline_ = readLine;
  *beforeInput = [] {
    prepareTerminal(1);
    return 0;
  };
  use();
  limit(kMaxLines);
  path_ = placeOf(name_);
  if (!path_.empty())
    readHistory(path_.c_str());
}

std::optional<std::string> LineReader::read(const char *prompt, const std::function<void()> &begin) {
  if (!wasLoaded_)
    load();
  auto text = cancellable(prompt, begin);
  wasCancelled_ = Cancelling::wasAsked != 0; // also if it came after the line, which has not been run yet
  if (!wasCancelled_)
    return text;
  std::cin.clear();
  drawLive("\n");
  return std::string();
}

std::optional<std::string> LineReader::cancellable(const char *prompt, const std::function<void()> &begin) {
  const Cancelling cancelling;
  begin();
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
  return text;
}

void LineReader::remember(const std::string &text) {
  if (!readline_)
    return;
  addHistory_(text.c_str());
  if (path_.empty())
    return;
  const mode_t before = umask(S_IRWXG | S_IRWXO); // queries are nobody else's business
  writeHistory_(path_.c_str());
  umask(before);
}

} // namespace ada::cli
