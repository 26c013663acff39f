//===- terminal.cpp - standard output, standard error and colours ---------===//
#include "terminal.h"
#include "exit_codes.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ada::cli {

static bool wantsColor(ColorMode mode, int fd) {
  if (mode != ColorMode::Auto)
    return mode == ColorMode::Always;
  const char *noColor = std::getenv("NO_COLOR");
  if (noColor && *noColor)
    return false;
  const char *term = std::getenv("TERM");
  return isTerminal(fd) && term && std::strcmp(term, "dumb") != 0;
}

Palette::Palette(ColorMode mode, int fd) {
  if (!wantsColor(mode, fd))
    return;
  name = "\x1b[36m";
  number = "\x1b[33m";
  dim = "\x1b[2m";
  warn = "\x1b[35m";
  error = "\x1b[31m";
  good = "\x1b[32m";
  reset = "\x1b[0m";
}

// Writes all of `text`; false with errno set if that is impossible.
static bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return false;
    if (written > 0)
      text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void Output::flush() {
  const bool ok =
      writeAll(STDOUT_FILENO, std::string_view(buffer.data(), buffer.size()));
  buffer.clear();
  if (ok)
    return;
  // Normally SIGPIPE has ended the process already; under a parent that ignores
  // it the write fails instead.
  if (errno == EPIPE)
    _exit(kSignalBase + SIGPIPE);
  complain(fmt::format("can't write to standard output: {}",
                       std::strerror(errno)));
  _exit(kCantRead);
}

bool isTerminal(int fd) { return isatty(fd) == 1; }

unsigned terminalColumns(int fd) {
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

void complain(std::string_view message) {
  std::string line = "adatrace: ";
  line += message;
  line += '\n';
  writeAll(STDERR_FILENO, line);
}

} // namespace ada::cli
