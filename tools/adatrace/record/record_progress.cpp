// Draws the live line of adatrace record.
#include "record_progress.h"

#include "trace/base/quantities.h"

#include <termios.h>
#include <unistd.h>

namespace ada::cli {

using std::chrono::steady_clock;

RecordProgress::RecordProgress(const std::string &session, When when, bool quiet)
    : watch_(session), forced_(when == When::Always), start_(steady_clock::now()), last_(start_) {
  wanted_ = !quiet && when != When::Never && (forced_ || isTerminal(STDERR_FILENO));
}

// Never draws into an editor or a debugger (the program reads single keys), nor while we are in the background.
bool RecordProgress::mayDraw() const {
  if (forced_ && !isTerminal(STDERR_FILENO))
    return true;
  termios state;
  return tcgetattr(STDERR_FILENO, &state) == 0 && (state.c_lflag & ICANON) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void RecordProgress::draw() {
  const auto now = steady_clock::now();
  // Short programs get no line. Signals may wake us more often than the line should change.
  if (now - start_ < std::chrono::milliseconds(500) || now - last_ < std::chrono::milliseconds(200) || !mayDraw())
    return;
  const RecordTotals totals = watch_.refresh();
  const auto step = std::chrono::nanoseconds(now - last_).count();
  const uint64_t fresh = totals.events > lastEvents_ ? totals.events - lastEvents_ : 0;
  last_ = now;
  lastEvents_ = totals.events;
  std::string line = fmt::format(
      "recording {}: {}, {}, {} dropped, {}, {}",
      formatDuration(static_cast<uint64_t>(std::chrono::nanoseconds(now - start_).count() / 100000000 * 100000000)),
      formatCount(totals.events, "event"), formatRate(fresh, static_cast<uint64_t>(step)), formatCount(totals.dropped),
      formatBytes(totals.bytes), formatCount(totals.threads, "thread"));
  if (totals.processes > 1)
    line += fmt::format(" in {} processes", totals.processes);
  const size_t columns = terminalColumns(STDERR_FILENO);
  if (line.size() >= columns)
    line.resize(columns - 1);
  // Erase the old line (J), make sure that there is a line below (D, M), save the cursor (7), go down (B), write,
  // restore the cursor (8).
  drawLive("\x1b[J\x1b"
           "D\x1bM\x1b"
           "7\x1b[B\r" +
           line +
           "\x1b"
           "8");
  drawn_ = true;
}

void RecordProgress::clear() {
  if (drawn_ && mayDraw())
    drawLive("\x1b[J");
  drawn_ = false;
}

} // namespace ada::cli
