// Prints coroutines.
#include "coroutine_lines.h"
#include "base/format.h"
#include "base/quantities.h"
#include "json_fields.h"
#include "line_text.h"

#include <algorithm>

namespace ada::cli {

using analysis::Coroutine;
using analysis::CoroutineLink;
using analysis::CoroutineNode;
using analysis::Coroutines;
using analysis::kNoCoroutine;

// The name without the ".resume" of a coroutine whose creation was not recorded.
static std::string nameOfCoroutine(FunctionNames &names, uint32_t function) {
  std::string name = names.name(function);
  for (const std::string_view part : {" [.resume]", " [.destroy]", " [.cleanup]"})
    if (name.ends_with(part))
      name.resize(name.size() - part.size());
  return name;
}

static std::string parentNote(CoroutineLink link) {
  return link == CoroutineLink::Created ? "created there" : link == CoroutineLink::Resumed ? "resumed there" : "";
}

void printCoroutineTree(Output &out, const Palette &palette, const TraceInput &input,
                        const std::vector<CoroutineNode> &nodes, const CoroutineLineOptions &options) {
  FunctionNames names(input.table().functions, options.names.style);
  if (options.format != "text") {
    JsonList list(out, options.format == "json");
    for (const CoroutineNode &node : nodes) {
      JsonMembers json;
      json.number("depth", node.depth).text("function", nameOfCoroutine(names, node.function));
      json.textOrNull("source", names.source(node.function)).text("link", coroutineLinkName(node.link));
      json.number("count", node.count).number("open", node.open).number("exceptions", node.exceptions);
      json.number("resumptions", node.resumptions).number("life_ns", node.lifeNs).number("running_ns", node.runningNs);
      json.number("suspended_ns", node.suspendedNs).number("longest_ns", node.longestNs);
      json.number("longest", node.longest);
      list.next();
      out.write(json.object());
    }
    list.finish();
    return;
  }
  if (nodes.empty())
    return;
  out.print("{}{:>11} {:>11} {:>11} {:>11} {:>8} {:>8}  coroutine, and below it the coroutines that it awaited{}\n",
            palette.dim, "life", "longest", "running", "suspended", "count", "resumed", palette.reset);
  for (const CoroutineNode &node : nodes) {
    out.print("{}{:>11} {:>11} {:>11} {:>11} {:>8} {:>8}{}  {:{}}{}{}{}", palette.number, formatDuration(node.lifeNs),
              formatDuration(node.longestNs), formatDuration(node.runningNs), formatDuration(node.suspendedNs),
              node.count, node.resumptions, palette.reset, "", 2 * std::min(node.depth, kDeepestIndent), palette.name,
              nameOfCoroutine(names, node.function), palette.reset);
    if (const std::string note = parentNote(node.link); !note.empty())
      out.print(" {}[{}]{}", palette.dim, note, palette.reset);
    if (node.open)
      out.print(" {}[{} without a recorded end]{}", palette.warn, node.open, palette.reset);
    if (node.exceptions)
      out.print(" {}[{} left by exception]{}", palette.error, node.exceptions, palette.reset);
    if (const std::string place = options.names.source ? names.source(node.function) : ""; !place.empty())
      out.print("  {}{}{}", palette.dim, place, palette.reset);
    out.write("\n");
  }
}

void printEachCoroutine(Output &out, const Palette &palette, const TraceInput &input, const Coroutines &coroutines,
                        const std::vector<uint32_t> &which, const CoroutineLineOptions &options) {
  FunctionNames names(input.table().functions, options.names.style);
  const auto numberOrNull = [](uint32_t number) {
    return number == kNoCoroutine ? std::nullopt : std::optional<uint64_t>(number);
  };
  if (options.format != "text") {
    JsonList list(out, options.format == "json");
    for (const uint32_t number : which) {
      const Coroutine &one = coroutines.all[number];
      JsonMembers json = processFields(input.table().processes[one.process]);
      json.number("coroutine", number).text("function", nameOfCoroutine(names, one.function));
      json.textOrNull("source", names.source(one.function));
      json.textOrNull("frame", one.frame ? fmt::format("{:#x}", one.frame) : std::string());
      json.number("begin_ns", one.beginNs).number("life_ns", one.endNs - one.beginNs);
      json.number("running_ns", one.runningNs).number("suspended_ns", one.suspendedNs);
      json.number("resumptions", one.resumptions).boolean("begin_known", one.isBeginKnown);
      json.boolean("ended", one.isEnded).boolean("exception", one.isLeftByException);
      json.number("thread", input.table().threads[one.firstThread].number);
      json.boolean("several_threads", one.isOnSeveralThreads).number("parent", numberOrNull(one.parent));
      json.text("link", coroutineLinkName(one.link)).number("creator", numberOrNull(one.creator));
      json.textOrNull("created_in", one.createdIn == kNoCoroutine ? std::string() : names.name(one.createdIn));
      list.next();
      out.write(json.object());
    }
    list.finish();
    return;
  }
  if (which.empty())
    return;
  out.print("{}{:>13} {:>11} {:>11} {:>11} {:>8}  {:>8}  coroutine{}\n", palette.dim, "begin", "life", "running",
            "suspended", "resumed", "number", palette.reset);
  for (const uint32_t number : which) {
    const Coroutine &one = coroutines.all[number];
    out.print("{}{:>13} {:>11} {:>11} {:>11} {:>8}{}  {:>8}  {}{}{}", palette.number,
              formatTime(one.beginNs, input.originNs()), formatDuration(one.endNs - one.beginNs),
              formatDuration(one.runningNs), formatDuration(one.suspendedNs), one.resumptions, palette.reset, number,
              palette.name, nameOfCoroutine(names, one.function), palette.reset);
    if (one.parent != kNoCoroutine)
      out.print(" {} {} {}",
                one.link == CoroutineLink::Awaited   ? "awaited by"
                : one.link == CoroutineLink::Resumed ? "resumed by"
                                                     : "created by",
                one.parent, nameOfCoroutine(names, coroutines.all[one.parent].function));
    else if (one.createdIn != kNoCoroutine)
      out.print(" created in {}", names.name(one.createdIn));
    if (one.isOnSeveralThreads)
      out.print(" {}[on several threads]{}", palette.dim, palette.reset);
    if (!one.isEnded)
      out.print(" {}[no end recorded]{}", palette.warn, palette.reset);
    if (one.isLeftByException)
      out.print(" {}[left by exception]{}", palette.error, palette.reset);
    out.write("\n");
  }
}

} // namespace ada::cli
