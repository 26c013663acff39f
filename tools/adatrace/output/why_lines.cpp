// Prints how a call spent its time.
#include "why_lines.h"
#include "wait_lines.h"

#include "trace/base/quantities.h"

#include <cmath>

namespace ada::cli {

using analysis::kNobody, analysis::PartKind, analysis::WaitKind, analysis::Why, analysis::WhyPart;

namespace {

class WhyLines {
public:
  WhyLines(Output &out, const Palette &palette, const TraceInput &input, const Why &why, NameStyle style)
      : out_(out), palette_(palette), input_(input), why_(why), trace_(namedTrace(input, style)) {}

  void print() {
    const uint64_t ns = why_.endNs - why_.beginNs;
    out_.print("{}{}{} on {}: {}{}{}, from {}{}\n", palette_.name, trace_.name(why_.function), palette_.reset,
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
  void printParts(const std::vector<WhyPart> &parts, size_t depth) {
    for (const WhyPart &part : parts) {
      line(part.ns, depth, whyPartText(trace_, part, depth == 0));
      for (const WhyPart::Holder &holder : part.holders) {
        line(holder.ns, depth + 1, whyHolderText(part, holder, input_.label(holder.thread)));
        printParts(holder.parts, depth + 2);
      }
    }
  }

  Output &out_;
  const Palette &palette_;
  const TraceInput &input_;
  const Why &why_;
  const analysis::NamedTrace trace_;
};

// In the order in which they are printed.
template <class IsLeftOut> void shortenParts(std::vector<WhyPart> &parts, const IsLeftOut &isLeftOut) {
  std::vector<WhyPart> shown;
  for (WhyPart &part : parts) {
    if (isLeftOut(part.ns))
      continue;
    std::vector<WhyPart::Holder> holders;
    for (WhyPart::Holder &holder : part.holders)
      if (!isLeftOut(holder.ns)) {
        shortenParts(holder.parts, isLeftOut);
        holders.push_back(std::move(holder));
      }
    part.holders = std::move(holders);
    shown.push_back(std::move(part));
  }
  parts = std::move(shown);
}

} // namespace

WhyLeftOut shorten(Why &why, const WhyLimits &limits) {
  WhyLeftOut leftOut;
  const auto leastNs =
      static_cast<uint64_t>(std::ceil(limits.minPercent / 100 * static_cast<double>(why.endNs - why.beginNs)));
  uint64_t lines = limits.lines ? limits.lines : ~uint64_t(0);
  const auto isLeftOut = [&](uint64_t ns) {
    leftOut.small += ns < leastNs;
    leftOut.more += ns >= leastNs && lines == 0;
    if (ns < leastNs || lines == 0)
      return true;
    --lines;
    return false;
  };
  shortenParts(why.parts, isLeftOut);
  return leftOut;
}

std::string whyPartText(const analysis::NamedTrace &trace, const WhyPart &part, bool isOfCall) {
  switch (part.kind) {
  case PartKind::Own:
    if (isOfCall)
      return "its own code";
    [[fallthrough]];
  case PartKind::Callee: {
    const std::string where = whereText(trace, part.function, part.library);
    return "running " + (where.empty() ? "untraced code" : where);
  }
  case PartKind::Preempted:
    return "preempted";
  case PartKind::Unknown:
    return "unknown: there are no scheduling records";
  case PartKind::Recorder:
    return "held up by the recorder";
  case PartKind::Waiting:
    break;
  }
  const std::string caller = part.function == kNobody ? std::string() : " in " + trace.name(part.function);
  if (part.object.kind == WaitKind::Own)
    return "waiting" + (caller.empty() ? " in untraced code" : caller);
  if (part.object.kind == WaitKind::Sleep)
    return "sleeping" + caller;
  return "waiting" + caller + " for " + objectText(trace, part.object);
}
std::string whyHolderText(const WhyPart &part, const WhyPart::Holder &holder, const std::string &thread) {
  const bool isWoken = part.object.joined == kNobody && !analysis::isLock(part.object.kind);
  if (part.object.kind == WaitKind::Child)
    return "until the end of " + thread + (holder.isInferred ? " (inferred)" : "");
  return (part.object.joined != kNobody ? ""
          : isWoken                     ? "until woken by "
                                        : "held by ") +
         thread + (holder.isCycle ? ", which waits for a thread above" : "");
}

void printWhy(Output &out, const Palette &palette, const TraceInput &input, const Why &why, NameStyle style) {
  WhyLines(out, palette, input, why, style).print();
}

void printWhyJson(Output &out, const TraceInput &input, const Why &why, NameStyle style) {
  const analysis::NamedTrace trace = namedTrace(input, style);
  out.write(jsonOf(analysis::whyColumns(), {&why, &trace}) + "\n");
}

} // namespace ada::cli
