// Standard output, standard error and colours.
#include "terminal.h"
#include "exit_codes.h"
#include "trace/base/write_all.h"

#include "trace/base/text.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ada::cli {

static bool wantsColor(When mode, int fd) {
  if (mode != When::Auto)
    return mode == When::Always;
  const char *noColor = std::getenv("NO_COLOR");
  if (noColor && *noColor)
    return false;
  const char *term = std::getenv("TERM");
  return isTerminal(fd) && term && std::strcmp(term, "dumb") != 0;
}

Palette::Palette(When mode, int fd) {
  if (!wantsColor(mode, fd))
    return;
  name = {"\x1b[36m"};
  number = {"\x1b[33m"};
  dim = {"\x1b[2m"};
  warn = {"\x1b[35m"};
  error = {"\x1b[31m"};
  good = {"\x1b[32m"};
  reset = {"\x1b[0m"};
}

static bool goesOnWithoutReader = false;

void Output::goOnWithoutReader() { goesOnWithoutReader = true; }

void Output::flush() {
  if (to_) {
    to_->append(buffer_.data(), buffer_.size());
    buffer_.clear();
    return;
  }
  const bool ok = writeAll(fd_, buffer_.data(), buffer_.size());
  buffer_.clear();
  if (ok || fd_ == STDERR_FILENO) // an error on standard error can't be reported anywhere
    return;
  // Normally SIGPIPE has already ended the process. If the parent made us ignore it, the write fails instead.
  if (errno == EPIPE && goesOnWithoutReader)
    return;
  if (errno == EPIPE)
    _exit(kSignalBase + SIGPIPE);
  complain(fmt::format("can't write to standard output: {}", std::strerror(errno)));
  _exit(kCantRead);
}

// A file gets the lowest free number. /dev/stdout leads to what is there, so that must not be a file that can be
// written.
void reserveStandardFiles() {
  if (fcntl(STDIN_FILENO, F_GETFD) < 0)
    (void)open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH | O_CLOEXEC) != fd)
      _exit(kCantRead);
}

bool isTerminal(int fd) { return isatty(fd) == 1; }

unsigned terminalColumns(int fd) {
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

void drawLive(std::string_view text) { (void)writeAll(STDERR_FILENO, text.data(), text.size()); }

void complain(std::string_view message) {
  std::string line = "adatrace: " + oneLine(message) + "\n";
  (void)writeAll(STDERR_FILENO, line.data(), line.size());
}

} // namespace ada::cli
