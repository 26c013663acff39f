// Puts a terminal into another mode, and back on every way out.
#include "screen.h"
#include "terminal.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace ada::cli {

namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l"; // other screen, no cursor, no wrapping
constexpr std::string_view kLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr int kEndings[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

termios before, during;
volatile sig_atomic_t isShown = 0, needsRedraw = 0;

// Everything here may run in a signal handler.
void put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(STDOUT_FILENO, text.data(), text.size());
    if (size < 0 && errno != EINTR)
      return;
    text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  }
}
void enter() {
  tcsetattr(STDIN_FILENO, TCSANOW, &during);
  put(kEnter);
  isShown = 1;
}
void leave() {
  if (!isShown)
    return;
  isShown = 0;
  put(kLeave);
  tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

void onEnding(int number) {
  leave();
  signal(number, SIG_DFL);
  raise(number); // takes effect when the handler returns
}
void onStop(int) {
  const int error = errno;
  leave();
  raise(SIGSTOP);
  enter(); // continued
  needsRedraw = 1;
  errno = error;
}
void onResize(int) { needsRedraw = 1; }

void handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(number, &action, nullptr);
}

winsize sizeOf() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    size.ws_row = 24, size.ws_col = 80;
  return size;
}

} // namespace

bool Screen::isPossible() {
  const char *term = getenv("TERM");
  return isTerminal(STDIN_FILENO) && isTerminal(STDOUT_FILENO) && term && std::string_view(term) != "dumb";
}

Screen::Screen(bool readsCtrlC) {
  tcgetattr(STDIN_FILENO, &before);
  during = before;
  during.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  during.c_cc[VMIN] = 0, during.c_cc[VTIME] = 0;
  if (readsCtrlC)
    during.c_cc[VINTR] = _POSIX_VDISABLE;
  for (const int number : kEndings)
    handle(number, onEnding);
  handle(SIGTSTP, onStop);
  handle(SIGWINCH, onResize);
  std::atexit(leave);
  enter();
}

Screen::~Screen() {
  leave();
  for (const int number : kEndings)
    signal(number, SIG_DFL);
  signal(SIGTSTP, SIG_DFL), signal(SIGWINCH, SIG_DFL);
}

unsigned Screen::rows() const { return sizeOf().ws_row; }
unsigned Screen::columns() const { return sizeOf().ws_col; }

void Screen::draw(std::string_view page) {
  std::string text = "\x1b[H";
  for (const char c : page) {
    if (c == '\n')
      text += "\x1b[K\r"; // what the last page had there
    text += c;
  }
  put(text + "\x1b[J");
}

int Screen::key(int milliseconds) {
  if (std::exchange(needsRedraw, 0))
    return kRedraw;
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  const int ready = poll(&input, 1, milliseconds);
  if (needsRedraw) {
    needsRedraw = 0;
    return kRedraw;
  }
  if (ready <= 0)
    return kNone;
  char bytes[16];
  const ssize_t size = read(STDIN_FILENO, bytes, 1);
  if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN))
    return kEnd;
  if (size < 0)
    return kNone;
  if (bytes[0] != '\x1b')
    return static_cast<unsigned char>(bytes[0]);
  // The rest of an escape sequence is there at once: "[C", "OD", "[1;5C".
  const ssize_t rest = poll(&input, 1, 20) > 0 ? read(STDIN_FILENO, bytes, sizeof bytes) : 0;
  const char last = rest > 1 ? bytes[rest - 1] : 0;
  return last == 'C' ? kRight : last == 'D' ? kLeft : kOther;
}

} // namespace ada::cli
