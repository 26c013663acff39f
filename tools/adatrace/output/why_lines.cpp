// Prints how a call spent its time.
#include "why_lines.h"
#include "json_fields.h"
#include "wait_lines.h"

#include "base/quantities.h"

namespace ada::cli {

using analysis::kNobody, analysis::PartKind, analysis::WaitKind, analysis::Why, analysis::WhyPart;

namespace {

bool isIo(WaitKind kind) {
  return kind == WaitKind::Pipe || kind == WaitKind::Socket || kind == WaitKind::File || kind == WaitKind::Descriptor;
}

class WhyLines {
public:
  WhyLines(Output &out, const Palette &palette, const TraceInput &input, const Why &why, NameStyle style)
      : out_(out), palette_(palette), input_(input), why_(why), names_(input.table().functions, style) {}

  void print() {
    const uint64_t ns = why_.endNs - why_.beginNs;
    out_.print("{}{}{} on {}: {}{}{}, from {}{}\n", palette_.name, names_.name(why_.function), palette_.reset,
               input_.label(why_.thread), palette_.number, formatDuration(ns), palette_.reset,
               formatDuration(why_.beginNs - std::min(why_.beginNs, input_.originNs())),
               why_.how == SpanEnd::Open ? ", still open" : "");
    printParts(why_.parts, 0);
  }

private:
  void line(uint64_t ns, size_t depth, const std::string &text) {
    const uint64_t all = why_.endNs - why_.beginNs;
    out_.print("  {}{:>11} {:>5.1f}%{}  {:{}}{}\n", palette_.number, formatDuration(ns),
               all ? 100.0 * static_cast<double>(ns) / static_cast<double>(all) : 0.0, palette_.reset, "", 2 * depth,
               text);
  }
  std::string textOf(const WhyPart &part, size_t depth) {
    switch (part.kind) {
    case PartKind::Own:
      if (depth == 0)
        return "its own code";
      [[fallthrough]];
    case PartKind::Callee: {
      const std::string where = whereText(names_, part.function, part.library);
      return "running " + (where.empty() ? "untraced code" : where);
    }
    case PartKind::Preempted:
      return "preempted";
    case PartKind::Unknown:
      return "unknown: scheduling records were lost";
    case PartKind::Recorder:
      return "held up by the recorder";
    case PartKind::Waiting:
      break;
    }
    const std::string caller = part.function == kNobody ? std::string() : " in " + names_.name(part.function);
    if (part.object.kind == WaitKind::Own)
      return "waiting" + (caller.empty() ? " in untraced code" : caller);
    if (part.object.kind == WaitKind::Sleep)
      return "sleeping" + caller;
    return "waiting" + caller + " for " + objectText(input_, part.object, names_);
  }
  void printParts(const std::vector<WhyPart> &parts, size_t depth) {
    for (const WhyPart &part : parts) {
      line(part.ns, depth, textOf(part, depth));
      for (const WhyPart::Holder &holder : part.holders) {
        const bool isWoken = part.object.joined == kNobody && !analysis::isLock(part.object.kind);
        line(holder.ns, depth + 1,
             (part.object.joined != kNobody ? ""
              : isWoken                     ? "until woken by "
                                            : "held by ") +
                 input_.label(holder.thread) + (holder.isCycle ? ", which waits for a thread above" : ""));
        printParts(holder.parts, depth + 2);
      }
    }
  }

  Output &out_;
  const Palette &palette_;
  const TraceInput &input_;
  const Why &why_;
  FunctionNames names_;
};

void putName(JsonMembers &json, const char *key, FunctionNames &names, uint32_t function) {
  if (function == kNobody)
    json.null(key);
  else
    json.text(key, names.name(function));
}

const char *whatOf(const WhyPart &part) {
  switch (part.kind) {
  case PartKind::Own:
    return "own";
  case PartKind::Callee:
    return "callee";
  case PartKind::Preempted:
    return "preempted";
  case PartKind::Unknown:
    return "unknown";
  case PartKind::Recorder:
    return "recorder";
  case PartKind::Waiting:
    break;
  }
  return part.object.kind == WaitKind::Sleep ? "sleeping" : isIo(part.object.kind) ? "io" : "waiting";
}

void addParts(JsonMembers &json, const TraceInput &input, const std::vector<WhyPart> &parts, FunctionNames &names) {
  json.beginArray("parts");
  for (const WhyPart &part : parts) {
    const bool isWait = part.kind == PartKind::Waiting;
    JsonMembers one;
    one.text("what", whatOf(part)).number("total_ns", part.ns);
    putName(one, "function", names, part.function);
    putName(one, "call", names, part.library);
    one.textOrNull("object", isWait ? objectName(input, part.object) : std::string());
    const bool isOther = part.kind == PartKind::Recorder || part.kind == PartKind::Unknown;
    one.textOrNull("kind", isWait    ? waitKindName(part.object.kind)
                           : isOther ? std::string_view(whatOf(part))
                                     : std::string_view());
    putName(one, "place", names, isWait ? part.object.place : kNobody);
    one.beginArray("holders");
    for (const WhyPart::Holder &holder : part.holders) {
      const model::Thread &thread = input.table().threads[holder.thread];
      JsonMembers who;
      who.number("thread", thread.number).number("tid", thread.tid).textOrNull("name", thread.name);
      who.number("total_ns", holder.ns).boolean("cycle", holder.isCycle);
      addParts(who, input, holder.parts, names);
      one.json({}, who.object());
    }
    json.json({}, one.endArray().object());
  }
  json.endArray();
}

} // namespace

void printWhy(Output &out, const Palette &palette, const TraceInput &input, const Why &why, NameStyle style) {
  WhyLines(out, palette, input, why, style).print();
}

void printWhyJson(Output &out, const TraceInput &input, const Why &why, NameStyle style) {
  FunctionNames names(input.table().functions, style);
  JsonMembers json = threadFields(input, why.thread);
  json.text("function", names.name(why.function));
  json.number("seq", why.seq == Span::kNoSeq ? std::nullopt : std::optional(why.seq));
  json.number("begin_ns", why.beginNs).number("total_ns", why.endNs - why.beginNs).text("end", spanEndName(why.how));
  addParts(json, input, why.parts, names);
  out.write(json.object() + "\n");
}

} // namespace ada::cli
