// Prints what threads waited for.
#include "wait_lines.h"
#include "json_fields.h"

#include "base/quantities.h"

#include <algorithm>

namespace ada::cli {

using analysis::DeadlockThread, analysis::kNobody, analysis::WaitedFor, analysis::WaitHolder, analysis::WaitKind;
using analysis::WaitRow;

//===--- words ------------------------------------------------------------===//

std::string objectName(const TraceInput &input, const WaitedFor &object) {
  if (object.joined != kNobody)
    return fmt::format("thread {}", input.table().threads[object.joined].number);
  if (!object.value)
    return {};
  switch (object.kind) {
  case WaitKind::Pipe:
  case WaitKind::Socket:
  case WaitKind::File:
  case WaitKind::Descriptor:
  case WaitKind::Poll:
    if (object.other)
      return fmt::format("{}{}{}", *object.value, object.kind == WaitKind::Pipe ? "<-" : "<->", *object.other);
    return std::to_string(*object.value);
  default:
    return fmt::format("{:#x}", *object.value);
  }
}

std::string objectText(const TraceInput &input, const WaitedFor &object, FunctionNames &names) {
  std::string text(analysis::waitKindName(object.kind));
  if (object.kind == WaitKind::Own)
    return "in the program's own code or untraced callees";
  if (object.kind == WaitKind::Recorder)
    return "recorder: held up by AdaTrace, not a wait of the program";
  if (object.kind == WaitKind::Unknown)
    return "unknown: scheduling records were lost";
  if (const std::string name = objectName(input, object); !name.empty())
    text += (object.joined != kNobody ? " of " : " ") + name;
  else if (object.callee != kNobody)
    text = object.kind == WaitKind::Library ? names.name(object.callee) : text + " in " + names.name(object.callee);
  if (object.place != kNobody)
    text += ", created in " + names.name(object.place);
  return text;
}

std::string whereText(FunctionNames &names, uint32_t function, uint32_t library) {
  std::string text = function == kNobody ? std::string() : names.name(function);
  if (library != kNobody)
    text += (text.empty() ? "in " : ", in ") + names.name(library);
  return text;
}

std::vector<std::string> waitColumns() { return {"total", "max", "mean", "waits", "object"}; }

void sortWaits(std::vector<WaitRow> &rows, const TraceInput &input, const std::string &column) {
  const auto figure = [&](const WaitRow &row) -> uint64_t {
    return column == "max"     ? row.maxNs
           : column == "mean"  ? row.totalNs / row.waits
           : column == "waits" ? row.waits
                               : row.totalNs;
  };
  std::ranges::stable_sort(rows, [&](const WaitRow &a, const WaitRow &b) {
    if (column == "object") {
      const auto key = [&](const WaitRow &row) { return std::pair(row.object.kind, objectName(input, row.object)); };
      return key(a) < key(b);
    }
    return figure(a) > figure(b);
  });
}

//===--- text -------------------------------------------------------------===//

namespace {

constexpr size_t kShown = 3; // most callers and holders shown in a row

std::string holderText(const TraceInput &input, const WaitRow &row, const WaitHolder &holder, FunctionNames &names) {
  const bool isJoin = row.object.joined != kNobody;
  const bool isOwned = row.object.kind == WaitKind::Mutex || row.object.kind == WaitKind::RwLock ||
                       row.object.kind == WaitKind::SpinLock;
  std::string text = isJoin ? "" : isOwned ? "held by " : "woken by ";
  text += input.label(holder.thread);
  if (holder.hasEnded)
    text += ", which has ended";
  if (const std::string where = whereText(names, holder.function, holder.library); !where.empty())
    text += (isJoin ? " was in " : ", mostly in ") + where;
  if (holder.takenIn != kNobody && holder.takenIn != holder.function)
    text += (isOwned ? "; locked in " : "; woken from ") + names.name(holder.takenIn);
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

} // namespace

static void printRow(Output &out, const Palette &palette, const TraceInput &input, const WaitRow &row,
                     FunctionNames &names) {
  const std::string process =
      input.severalProcesses() ? input.table().processes[row.object.process].name + " " : std::string();
  out.print("{}{:>11} {:>11} {:>11} {:>8}{}  {}{}{}{}", palette.number, formatDuration(row.totalNs),
            formatDuration(row.maxNs), formatDuration(row.totalNs / row.waits), row.waits, palette.reset, process,
            palette.name, objectText(input, row.object, names), palette.reset);
  std::string notes;
  if (row.open)
    notes = fmt::format("{} still open", row.open == row.waits ? "" : std::to_string(row.open));
  if (row.timeouts)
    notes += (notes.empty() ? "" : ", ") + formatCount(row.timeouts, "timeout");
  if (!notes.empty())
    out.print("  {}[{}]{}", palette.dim, notes.substr(notes.find_first_not_of(' ')), palette.reset);
  out.write("\n");
  constexpr int kIndent = 46;
  std::string callers;
  for (size_t i = 0; i < std::min(kShown, row.callers.size()); ++i) {
    const analysis::WaitCaller &caller = row.callers[i];
    callers += (i ? ", " : "") + (caller.function == kNobody ? "(no traced function)" : names.name(caller.function));
    if (row.callers.size() > 1)
      callers += " " + formatDuration(caller.ns);
  }
  if (row.callers.size() > kShown)
    callers += fmt::format(" and {} more", row.callers.size() - kShown);
  out.print("{:{}}{}in {}{}\n", "", kIndent, palette.dim, callers, palette.reset);
  for (size_t i = 0; i < std::min(kShown, row.holders.size()); ++i)
    out.print("{:{}}{}\n", "", kIndent, holderText(input, row, row.holders[i], names));
  if (row.holders.size() > kShown)
    out.print("{:{}}{}and by {}{}\n", "", kIndent, palette.dim, formatCount(row.holders.size() - kShown, "more thread"),
              palette.reset);
}

void printDeadlocks(Output &out, const Palette &palette, const TraceInput &input,
                    const std::vector<std::vector<DeadlockThread>> &deadlocks, NameStyle style) {
  FunctionNames names(input.table().functions, style);
  for (const std::vector<DeadlockThread> &cycle : deadlocks) {
    if (cycle.size() == 1)
      out.print("{}deadlock{}: a thread waits for itself\n", palette.error, palette.reset);
    else
      out.print("{}deadlock{}: {} wait for each other\n", palette.error, palette.reset,
                formatCount(cycle.size(), "thread"));
    for (size_t i = 0; i < cycle.size(); ++i) {
      const DeadlockThread &thread = cycle[i];
      WaitedFor object = thread.object;
      object.place = kNobody;
      out.print("  {} waits for {}", input.label(thread.thread), objectText(input, object, names));
      if (object.joined == kNobody)
        out.print(", held by {}", input.label(cycle[(i + 1) % cycle.size()].thread));
      if (thread.takenIn != kNobody)
        out.print(", taken in {}", names.name(thread.takenIn));
      out.print("\n    {}", palette.dim);
      for (size_t frame = 0; frame < thread.frames.size() && frame < 12; ++frame)
        out.print("{}{}", frame ? " < " : "", names.name(thread.frames[frame]));
      if (thread.frames.size() > 12)
        out.print(" < {}", formatCount(thread.frames.size() - 12, "more"));
      out.print("{}\n", palette.reset);
    }
  }
}

//===--- JSON -------------------------------------------------------------===//

namespace {

JsonMembers &nameOrNull(JsonMembers &json, const char *key, FunctionNames &names, uint32_t function) {
  if (function == kNobody)
    json.null(key);
  else
    json.text(key, names.name(function));
  return json;
}

std::string rowJson(const TraceInput &input, const WaitRow &row,
                    const std::vector<std::vector<DeadlockThread>> &deadlocks, FunctionNames &names) {
  const WaitedFor &object = row.object;
  JsonMembers json = processFields(input.table().processes[object.process]);
  json.textOrNull("object", objectName(input, object)).text("kind", analysis::waitKindName(object.kind));
  nameOrNull(json, "call", names, object.callee);
  nameOrNull(json, "place", names, object.place);
  json.number("waits", row.waits).number("total_ns", row.totalNs).number("max_ns", row.maxNs);
  json.number("mean_ns", row.totalNs / row.waits).number("timeouts", row.timeouts).number("open", row.open);
  json.number("max_thread", input.table().threads[row.maxThread].number).number("max_seq", row.maxSeq);
  json.beginArray("callers");
  for (const analysis::WaitCaller &caller : row.callers) {
    JsonMembers one;
    nameOrNull(one, "function", names, caller.function).number("waits", caller.waits).number("total_ns", caller.ns);
    json.json({}, one.object());
  }
  json.endArray().beginArray("holders");
  for (const WaitHolder &holder : row.holders) {
    const model::Thread &thread = input.table().threads[holder.thread];
    JsonMembers one;
    one.number("thread", thread.number).number("tid", thread.tid).textOrNull("name", thread.name);
    nameOrNull(one, "function", names, holder.function);
    nameOrNull(one, "call", names, holder.library);
    nameOrNull(one, "taken_in", names, holder.takenIn);
    one.number("waits", holder.waits).number("total_ns", holder.ns);
    one.number("waiting_ns", holder.off.waitingNs).number("preempted_ns", holder.off.preemptedNs);
    one.number("recorder_ns", holder.off.recorderNs).number("unknown_ns", holder.off.unknownNs);
    json.json({}, one.boolean("ended", holder.hasEnded).object());
  }
  json.endArray();
  const std::vector<DeadlockThread> *found = nullptr;
  for (const std::vector<DeadlockThread> &cycle : deadlocks)
    for (const DeadlockThread &thread : cycle)
      if (object.isKnown() && thread.object.process == object.process && thread.object.kind == object.kind &&
          thread.object.value == object.value && thread.object.joined == object.joined)
        found = &cycle;
  if (found)
    json.json("deadlock", deadlockJson(input, *found, names));
  else
    json.null("deadlock");
  return json.object();
}

} // namespace

std::string deadlockJson(const TraceInput &input, const std::vector<DeadlockThread> &deadlock, FunctionNames &names) {
  std::string json;
  for (const DeadlockThread &thread : deadlock) {
    const model::Thread &about = input.table().threads[thread.thread];
    JsonMembers one;
    one.number("thread", about.number).number("tid", about.tid);
    one.textOrNull("object", objectName(input, thread.object));
    one.text("kind", analysis::waitKindName(thread.object.kind));
    one.beginArray("frames");
    for (const uint32_t function : thread.frames)
      one.text({}, names.name(function));
    json += (json.empty() ? "[" : ",") + one.endArray().object();
  }
  return json + "]";
}

void printWaits(Output &out, const Palette &palette, const TraceInput &input, const std::vector<WaitRow> &rows,
                const std::vector<std::vector<DeadlockThread>> &deadlocks, const WaitLineOptions &options) {
  FunctionNames names(input.table().functions, options.names.style);
  if (options.format != "text") {
    JsonList list(out, options.format == "json");
    for (const WaitRow &row : rows) {
      list.next();
      out.write(rowJson(input, row, deadlocks, names));
    }
    list.finish();
    return;
  }
  printDeadlocks(out, palette, input, deadlocks, options.names.style);
  if (rows.empty())
    return;
  out.print("{}{:>11} {:>11} {:>11} {:>8}  waited for{}\n", palette.dim, "total", "max", "mean", "waits",
            palette.reset);
  for (const WaitRow &row : rows)
    printRow(out, palette, input, row, names);
}

} // namespace ada::cli
