//===- convert_progress.cpp - the live line of adatrace convert -----------===//
#include "convert_progress.h"
#include "quantities.h"
#include "terminal.h"

#include <csignal>
#include <unistd.h>

namespace ada::cli {

using std::chrono::steady_clock;

static volatile std::sig_atomic_t interruptedBy = 0;

static void put(const std::string &text) {
  ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  (void)ignored;
}

ConvertProgress::ConvertProgress(model::TraceSource &source, model::TraceSink &sink,
                                 const std::string &mode)
    : source(source), sink(sink), start(steady_clock::now()), last(start) {
  wanted = mode == "always" || (mode != "never" && isTerminal(STDERR_FILENO));
  // The first signal stops the conversion in good order, the second one at once.
  struct sigaction action = {};
  action.sa_handler = [](int number) { interruptedBy = number; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old;
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

int ConvertProgress::interruption() { return interruptedBy; }

uint64_t ConvertProgress::nanoseconds() const {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(steady_clock::now() - start).count());
}

Expected<void> ConvertProgress::events(const model::Batch &batch) {
  count += batch.events.size();
  if (interruptedBy)
    return Error{.code = "E_INTERRUPTED", .message = "interrupted; nothing was written"};
  if (wanted)
    draw();
  return sink.events(batch);
}

void ConvertProgress::draw() {
  const auto now = steady_clock::now();
  // Short conversions get no line at all.
  if (now - start < std::chrono::milliseconds(500) ||
      now - last < std::chrono::milliseconds(200))
    return;
  last = now;
  std::string line = fmt::format("converting: {} events, {}", formatCount(count),
                                 formatRate(count, nanoseconds()));
  if (const std::optional<double> part = source.progress())
    line += fmt::format(", {:.0f} %", *part * 100);
  const size_t columns = terminalColumns(STDERR_FILENO);
  if (line.size() >= columns)
    line.resize(columns - 1);
  put("\r\x1b[K" + line);
  drawn = true;
}

void ConvertProgress::clear() {
  if (drawn)
    put("\r\x1b[K");
  drawn = false;
}

} // namespace ada::cli
