// The live line of adatrace convert and load.
#include "convert_progress.h"
#include "exit_codes.h"
#include "terminal/terminal.h"
#include "trace/base/quantities.h"

#include <csignal>
#include <unistd.h>

namespace ada::cli {

using std::chrono::steady_clock;

static volatile std::sig_atomic_t interruptedBy = 0;

ConvertLine::ConvertLine(When when, const char *verb) : verb_(verb), start_(steady_clock::now()), last_(start_) {
  wanted_ = when == When::Always || (when != When::Never && isTerminal(STDERR_FILENO));
  struct sigaction action = {};
  action.sa_handler = [](int number) { interruptedBy = number; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old;
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

int ConvertLine::interruption() { return interruptedBy; }

uint64_t ConvertLine::nanoseconds() const {
  return static_cast<uint64_t>(std::chrono::nanoseconds(steady_clock::now() - start_).count());
}

void ConvertLine::endInterrupted(std::optional<ConvertOutput> &out) {
  const int number = interruption();
  out.reset();
  ::signal(number, SIG_DFL);
  ::raise(number);
  _exit(kSignalBase + number);
}

// Short conversions get no line.
bool ConvertLine::isDue() {
  const auto now = steady_clock::now();
  if (now - start_ < std::chrono::milliseconds(500) || now - last_ < std::chrono::milliseconds(200))
    return false;
  last_ = now;
  return true;
}

void ConvertLine::draw(const std::string &done, std::optional<double> part) {
  std::string line = std::string(verb_) + ": " + done;
  if (part)
    line += fmt::format(", {:.0f} %", *part * 100);
  const size_t columns = terminalColumns(STDERR_FILENO);
  if (line.size() >= columns)
    line.resize(columns - 1);
  const std::lock_guard lock(mutex_);
  drawLive("\r\x1b[K" + line);
  drawn_ = true;
}

void ConvertLine::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_)
    drawLive("\r\x1b[K");
  drawn_ = false;
}

Expected<void> ConvertProgress::events(const model::Batch &batch) {
  count_ += batch.events.size();
  if (interruptedBy)
    return Error{.code = "E_INTERRUPTED", .message = "interrupted; nothing was written"};
  line_.update(
      [&] { return fmt::format("{}, {}", formatCount(count_, "event"), formatRate(count_, line_.nanoseconds())); },
      source_.progress());
  return sink_.events(batch);
}

} // namespace ada::cli
