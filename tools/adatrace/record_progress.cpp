//===- record_progress.cpp - the live line of adatrace record -------------===//
#include "record_progress.h"
#include "quantities.h"
#include "terminal.h"

#include <cstring>
#include <termios.h>
#include <unistd.h>

namespace ada::cli {

using std::chrono::steady_clock;

static void put(const std::string &text) {
  ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  (void)ignored;
}

RecordProgress::RecordProgress(const std::string &session,
                               const std::string &mode, bool quiet)
    : watch(session), forced(mode == "always"), start(steady_clock::now()),
      last(start) {
  wanted = !quiet && mode != "never" && (forced || isTerminal(STDERR_FILENO));
}

// Not into an editor or a debugger (the program reads single keys), and not while
// we are in the background.
bool RecordProgress::mayDraw() const {
  if (forced && !isTerminal(STDERR_FILENO))
    return true;
  termios state;
  return tcgetattr(STDERR_FILENO, &state) == 0 && (state.c_lflag & ICANON) &&
         tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void RecordProgress::draw() {
  const auto now = steady_clock::now();
  // Short programs get no line at all. Signals may wake us more often.
  if (now - start < std::chrono::milliseconds(500) ||
      now - last < std::chrono::milliseconds(200) || !mayDraw())
    return;
  const RecordTotals totals = watch.refresh();
  const auto step = std::chrono::nanoseconds(now - last).count();
  const uint64_t fresh =
      totals.events > lastEvents ? totals.events - lastEvents : 0;
  last = now;
  lastEvents = totals.events;
  std::string line = fmt::format(
      "recording {}: {} events, {}, {} dropped, {}, {} thread{}",
      formatDuration(static_cast<uint64_t>(
          std::chrono::nanoseconds(now - start).count() / 100000000 * 100000000)),
      formatCount(totals.events), formatRate(fresh, static_cast<uint64_t>(step)),
      formatCount(totals.dropped), formatBytes(totals.bytes), totals.threads,
      totals.threads == 1 ? "" : "s");
  if (totals.processes > 1)
    line += fmt::format(" in {} processes", totals.processes);
  const size_t columns = terminalColumns(STDERR_FILENO);
  if (line.size() >= columns)
    line.resize(columns - 1);
  // Erase what was there (J), make sure that there is a line below (D, M), remember the
  // cursor (7), go down (B), write, come back (8).
  put("\x1b[J\x1b" "D\x1bM\x1b" "7\x1b[B\r" + line + "\x1b" "8");
  drawn = true;
}

void RecordProgress::clear() {
  if (drawn && mayDraw())
    put("\x1b[J");
  drawn = false;
}

} // namespace ada::cli
