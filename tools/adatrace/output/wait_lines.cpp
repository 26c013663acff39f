// Prints what threads waited for.
#include "wait_lines.h"
#include "table_writer.h"

#include "trace/base/quantities.h"

#include <algorithm>
#include <memory>

namespace ada::cli {

using analysis::DeadlockCycle, analysis::DeadlockThread, analysis::kNobody, analysis::NamedTrace, analysis::WaitedFor;
using analysis::WaitHolder, analysis::WaitKind, analysis::WaitLine, analysis::WaitRow;

std::string whereText(const NamedTrace &trace, uint32_t function, uint32_t library) {
  std::string text = trace.name(function);
  if (library != kNobody)
    text += (text.empty() ? "in " : ", in ") + trace.name(library);
  return text;
}

namespace {

constexpr size_t kShown = 3; // most callers and holders shown in a row

std::string holderText(const TraceInput &input, const WaitRow &row, const WaitHolder &holder, const NamedTrace &trace) {
  const bool isJoin = row.object.joined != kNobody;
  const bool isOwned = row.object.kind == WaitKind::Mutex || row.object.kind == WaitKind::RwLock ||
                       row.object.kind == WaitKind::SpinLock;
  const bool isChild = row.object.kind == WaitKind::Child;
  std::string text = isJoin ? "" : isOwned ? "held by " : isChild ? "woken by the end of " : "woken by ";
  text +=
      holder.threads > 1 ? formatCount(holder.threads, "thread") + " of " + holder.command : input.label(holder.thread);
  if (holder.hasEnded)
    text += ", which has ended";
  if (const std::string where = whereText(trace, holder.function, holder.library); !where.empty())
    text += (isJoin ? " was in " : ", mostly in ") + where;
  if (holder.takenIn != kNobody && holder.takenIn != holder.function)
    text += (isOwned ? "; locked in " : "; woken from ") + trace.name(holder.takenIn);
  text += fmt::format("; {} of the time", formatDuration(holder.ns));
  std::string was;
  const auto add = [&](uint64_t ns, const char *how) {
    if (ns)
      was += (was.empty() ? "" : ", ") + formatDuration(ns) + how;
  };
  add(holder.off.waitingNs, " waiting itself");
  add(holder.off.preemptedNs, " preempted");
  add(holder.off.recorderNs, " held up by the recorder");
  add(holder.off.unknownNs, " unknown");
  return was.empty() ? text : text + " (" + was + ")";
}

RowNotes notesOf(const Palette &palette, const TraceInput &input, const NamedTrace &trace, const WaitRow &row) {
  RowNotes notes;
  std::string ends;
  if (row.open)
    ends = row.open == row.waits ? "still open" : fmt::format("{} still open", row.open);
  if (row.timeouts)
    ends += (ends.empty() ? "" : ", ") + formatCount(row.timeouts, "timeout");
  if (!ends.empty())
    notes.after.push_back({palette.dim, " [" + ends + "]"});
  std::string callers;
  for (size_t i = 0; i < std::min(kShown, row.callers.size()); ++i) {
    const analysis::WaitCaller &caller = row.callers[i];
    callers += (i ? ", " : "") + (caller.function == kNobody ? "(no traced function)" : trace.name(caller.function));
    if (row.callers.size() > 1)
      callers += " " + formatDuration(caller.ns);
  }
  if (row.callers.size() > kShown)
    callers += fmt::format(" and {} more", row.callers.size() - kShown);
  notes.below.push_back({palette.dim, "in " + callers});
  for (size_t i = 0; i < std::min(kShown, row.holders.size()); ++i)
    notes.below.push_back({{}, holderText(input, row, row.holders[i], trace)});
  if (row.holders.size() > kShown)
    notes.below.push_back({palette.dim, "and by " + formatCount(row.holders.size() - kShown, "more thread")});
  return notes;
}

} // namespace

void printDeadlocks(Output &out, const Palette &palette, const TraceInput &input, const NamedTrace &trace,
                    const std::vector<DeadlockCycle> &deadlocks) {
  for (const DeadlockCycle &cycle : deadlocks) {
    if (cycle.size() == 1)
      out.print("{}deadlock{}: a thread waits for itself\n", palette.error, palette.reset);
    else
      out.print("{}deadlock{}: {} wait for each other\n", palette.error, palette.reset,
                formatCount(cycle.size(), "thread"));
    for (size_t i = 0; i < cycle.size(); ++i) {
      const DeadlockThread &thread = cycle[i];
      WaitedFor object = thread.object;
      object.place = kNobody;
      out.print("  {} waits for {}", input.label(thread.thread), objectText(trace, object));
      if (object.joined == kNobody)
        out.print(", held by {}", input.label(cycle[(i + 1) % cycle.size()].thread));
      if (thread.takenIn != kNobody)
        out.print(", taken in {}", trace.name(thread.takenIn));
      out.print("\n    {}", palette.dim);
      for (size_t frame = 0; frame < thread.frames.size() && frame < 12; ++frame)
        out.print("{}{}", frame ? " < " : "", trace.name(thread.frames[frame]));
      if (thread.frames.size() > 12)
        out.print(" < {}", formatCount(thread.frames.size() - 12, "more"));
      out.print("{}\n", palette.reset);
    }
  }
}

void printWaits(Output &out, const Palette &palette, const TraceInput &input, const NamedTrace &trace,
                const std::vector<WaitLine> &lines, const std::vector<DeadlockCycle> &deadlocks,
                const WaitLineOptions &options) {
  if (options.table.isText())
    printDeadlocks(out, palette, input, trace, deadlocks);
  printTable(out, palette, analysis::waitColumns(), lines, options.table, analysis::processFacts(input.table()),
             [&](const WaitLine &line) { return notesOf(palette, input, trace, *line.row); });
}

} // namespace ada::cli
