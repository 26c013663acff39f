// Makes the answers of `adatrace view`.
#include "api.h"
#include "api_request.h"

#include "analysis/processes/command_shape.h"
#include "analysis/view/call_answers.h"
#include "analysis/view/processor_lanes.h"
#include "analysis/view/range_answers.h"
#include "analysis/waits/wait_functions.h"
#include "output/function_names.h"

#include "trace/base/file_bytes.h"
#include "trace/base/format.h"
#include "trace/base/json_object.h"
#include "trace/base/text.h"

#include <algorithm>
#include <filesystem>
#include <span>

namespace ada::cli {

namespace {

constexpr uint64_t kMaxPixels = 10'000;
// Deeper calls are left out of a picture unless the request asks for them.
constexpr uint64_t kDepths = 2000;

using view::Item;
using view::kNoSeq;

// The computed value. If the trace can no longer be read, the page is told that it is gone.
template <class T> T valueOf(Expected<T> result) {
  if (!result)
    throw ApiError{410, result.error().text()};
  return *std::move(result);
}

std::string lastPart(const std::string &path) {
  const std::string name = std::filesystem::path(path).lexically_normal().filename().string();
  return oneLine(name.empty() ? path : name);
}

// "exit" of the manifest (docs/formats/manifest.md) unchanged, or null.
std::string exitOf(const model::Process &process) {
  const JsonObject manifest(process.description.get());
  const std::string *const about = manifest.find("process");
  const JsonObject members(about ? std::string_view(*about) : std::string_view());
  const std::string *const exit = members.find("exit");
  return exit ? *exit : "null";
}

// How many processes and threads /api/sessions has of each session, and /api/members at a time. A session may have ten
// thousand, and the page shows some fifty at first.
constexpr uint64_t kFirstMembers = 200, kMaxMembers = 2000;

template <class List> auto part(const List &list, uint64_t from, uint64_t most) {
  const size_t first = std::min<uint64_t>(from, list.size());
  return std::span(list).subspan(first, std::min<uint64_t>(most, list.size() - first));
}

// `most` processes and threads, from these numbers on.
void writeMembers(JsonText &json, const ViewSession &session, const ViewSession::Opened &opened, uint64_t fromProcess,
                  uint64_t fromThread, uint64_t most) {
  const analysis::TraceTable &table = opened.view->table();
  const uint64_t start = session.startNs();
  json.beginArray("processes");
  for (const model::Process &process : part(table.processes, fromProcess, most)) {
    json.beginObject().number("id", opened.processIds[process.index]);
    process.pid ? json.number("pid", *process.pid) : json.null("pid");
    json.text("name", oneLine(process.label)).text("executable", oneLine(process.executable));
    json.json("exit", exitOf(process)).endObject();
  }
  json.endArray().beginArray("threads");
  for (const model::Thread &thread : part(table.threads, fromThread, most)) {
    const model::ThreadExtent extent = thread.extent.value_or(model::ThreadExtent());
    const bool any = extent.events > 0;
    json.beginObject().number("id", opened.threadIds[thread.index]);
    json.number("process", opened.processIds[thread.process]).number("number", thread.number);
    json.number("tid", thread.tid).text("name", oneLine(thread.label)).number("events", extent.events);
    json.boolean("knows_sched", thread.knowsSched());
    json.number("begin_ns", any ? static_cast<int64_t>(extent.firstNs - start) : 0);
    json.number("end_ns", any ? static_cast<int64_t>(std::max(extent.firstNs, extent.lastNs) - start) : 0).endObject();
  }
  json.endArray();
}

void writeFurtherMembers(JsonText &json, ApiRequest &request) {
  json.beginObject();
  writeMembers(json, request.session(), request.opened(), request.number("processes", 0), request.number("threads", 0),
               kMaxMembers);
  json.endObject();
}

void writeSession(JsonText &json, ViewSession &session) {
  const std::shared_ptr<const ViewSession::Opened> opened = session.opened();
  const ViewSession::Status status = session.status();
  const view::TraceView *view = opened->view.get();
  const analysis::TraceTable &table = view->table();
  const uint64_t start = session.startNs();
  uint64_t resolution = 0;
  bool isOrder = false;
  for (const model::Process &process : table.processes) {
    resolution = std::max(resolution, process.resolutionNs);
    isOrder |= process.timesAreOrder;
  }
  json.beginObject();
  json.number("id", session.id()).text("name", lastPart(session.path())).number("start_ns", start);
  json.text("operand", pathForShell(session.path())); // for commands that the page shows
  json.number("duration_ns", view->endNs() - std::min(start, view->endNs())).number("events", view->events());
  json.boolean("is_live", status.isLive).boolean("is_gone", session.isGone());
  json.number("resolution_ns", resolution).boolean("times_are_order", isOrder);
  json.number("process_count", table.processes.size()).number("thread_count", table.threads.size());
  writeMembers(json, session, *opened, 0, 0, kFirstMembers);
  json.number("functions", session.functions().size());
  static constexpr const char *kStates[] = {"building", "ready", "failed"};
  json.beginObject("index").text("state", kStates[static_cast<size_t>(status.index)]);
  json.real("progress", status.progress).text("note", oneLine(status.note)).endObject();
  json.beginArray("warnings");
  // Files that are being written are never complete, so warnings about them mean nothing.
  for (const std::string &warning : status.isLive ? std::vector<std::string>() : view->warnings())
    json.text({}, oneLine(warning));
  json.endArray().endObject();
}

void writeFunctions(JsonText &json, ApiRequest &request) {
  const uint64_t since = request.number("since", 0);
  uint64_t number = since;
  json.beginObject().beginArray("functions");
  for (const model::Function &function : request.session().functions().from(since)) {
    json.beginObject().number("id", number++).text("name", nameOf(function, NameStyle::Short));
    json.text("file", oneLine(function.file)).number("line", function.line);
    const analysis::WaitFunction waits = analysis::waitFunctionOf(function);
    if (analysis::canWait(waits.action))
      json.text("waits_for", analysis::waitKindName(waits.kind));
    json.endObject();
  }
  json.endArray().endObject();
}

template <class List, class Value>
void writeColumn(JsonText &json, const char *name, const List &items, Value &&value) {
  json.beginArray(name);
  for (const auto &item : items)
    json.number({}, value(item));
  json.endArray();
}

int64_t seqNumber(uint64_t seq) { return seq == kNoSeq ? -1 : static_cast<int64_t>(seq); }

void writeTimeline(JsonText &json, TextPiece name, ApiRequest &request, uint32_t thread) {
  view::PictureRequest what{.thread = thread, .fromNs = request.fromNs(), .toNs = request.toNs()};
  what.pixels = std::clamp<uint64_t>(request.number("pixels", 1000), 1, kMaxPixels);
  what.depths = static_cast<uint32_t>(std::min<uint64_t>(request.number("depths", kDepths), ~uint32_t(0)));
  const view::Picture picture = valueOf(request.view().picture(what));
  const auto time = [&](uint64_t ns) { return request.sinceStart(ns); };
  static constexpr const char *kFrom[] = {"events", "index", "samples"};
  const std::vector<Item> &items = picture.items;
  json.beginObject(name).number("from", time(what.fromNs)).number("to", time(what.toNs));
  json.text("source", kFrom[static_cast<size_t>(picture.from)]).boolean("exact", picture.isExact);
  json.number("max_depth", picture.maxDepth);
  writeColumn(json, "depth", items, [](const Item &item) { return item.depth; });
  writeColumn(json, "begin", items, [&](const Item &item) { return time(item.beginNs); });
  writeColumn(json, "end", items, [&](const Item &item) { return time(item.endNs); });
  writeColumn(json, "function", items, [](const Item &item) { return item.function; });
  writeColumn(json, "kind", items, [](const Item &item) { return static_cast<unsigned>(item.kind); });
  writeColumn(json, "seq", items, [](const Item &item) { return seqNumber(item.seq); });
  writeColumn(json, "count", items, [](const Item &item) { return item.count; });
  writeColumn(json, "fill", items, [](const Item &item) { return item.fillNs; });
  json.endObject();
}

void writeThread(JsonText &json, ApiRequest &request) { writeTimeline(json, {}, request, request.thread()); }

void writePicture(JsonText &json, ApiRequest &request) {
  json.beginObject().number("from", request.sinceStart(request.fromNs()));
  json.number("to", request.sinceStart(request.toNs()));
  json.beginArray("threads");
  for (const uint32_t thread : request.threads()) {
    json.beginObject().number("thread", request.opened().threadIds[thread]);
    writeTimeline(json, "timeline", request, thread);
    json.endObject();
  }
  json.endArray().endObject();
}

void writeSeq(JsonText &json, const char *name, const std::optional<uint64_t> &seq) {
  seq ? json.number(name, *seq) : json.null(name);
}

// A line of a source file, in which even comments may turn the direction of what follows. It keeps its tabs.
std::string sourceLine(std::string_view line) {
  constexpr size_t kMaxBytes = 400;
  line = line.substr(0, std::min(line.find_last_not_of('\r') + 1, kMaxBytes));
  std::string safe;
  for (;;) {
    const size_t tab = line.find('\t');
    safe += oneLine(line.substr(0, tab));
    if (tab == line.npos)
      return safe;
    safe += '\t';
    line.remove_prefix(tab + 1);
  }
}

// Writes a few lines around the function's first line, or null, because the file may be on another machine.
void writeSource(JsonText &json, formats::SourceFiles &sources, const model::Function &function) {
  constexpr uint64_t kBefore = 3, kBehind = 40;
  const auto file = function.file.empty() || function.line == 0 ? Error() : sources.read(function.file);
  if (!file) {
    json.null("source");
    return;
  }
  std::string_view text = file->text;
  json.beginObject("source").text("file", oneLine(function.file)).number("line", function.line);
  json.beginArray("text");
  for (uint64_t line = 1; !text.empty() && line <= function.line + kBehind; ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (line + kBefore >= function.line)
      json.beginArray().number({}, line).text({}, sourceLine(text.substr(0, end))).endArray();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  json.endArray().endObject();
}

// The text of a file. Only of one that a function of the trace names and that may be read: nothing else on this machine
// is served.
void writeSourceFile(JsonText &json, ApiRequest &request) {
  constexpr uint64_t kMaxLines = 100'000;
  const std::string *name = request.text("file");
  if (!name || name->empty())
    throw ApiError{400, "file is missing: the file of a function in /api/functions"};
  const auto all = request.session().functions().from(0);
  const auto named =
      std::ranges::find_if(all, [&](const model::Function &function) { return oneLine(function.file) == *name; });
  if (named == all.end())
    throw ApiError{404, fmt::format("no function of the trace is in {}", oneLine(*name))};
  const auto file = request.session().sources().read(named->file);
  std::string note;
  if (!file && file.error().code == "E_IO")
    note = "the file can't be read here. It is where the program was built, unless it was packed with `adatrace pack "
           "--sources`; names that are not absolute are looked for in the directory in which the viewer was started";
  else if (!file)
    note = file.error().message;
  std::string_view text = file ? std::string_view(file->text) : std::string_view();
  json.beginObject().text("file", *name).text("note", note).beginArray("lines");
  for (uint64_t line = 0; !text.empty() && line < kMaxLines; ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    json.text({}, sourceLine(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  json.endArray().endObject();
}

// The program's own function whose source shows the call: of a library's function, the one that called it.
uint32_t ownFunction(const view::FunctionList &functions, const view::CallDetails &call) {
  if (!analysis::isOfLibrary(functions.at(call.function)))
    return call.function;
  const auto own = std::ranges::find_if(
      call.callers, [&](uint32_t function) { return !analysis::isOfLibrary(functions.at(function)); });
  return own == call.callers.end() ? call.function : *own;
}

void writeCall(JsonText &json, ApiRequest &request) {
  const uint32_t thread = request.thread();
  std::optional<uint64_t> seq = request.number("seq");
  if (!seq && request.text("at")) {
    const uint64_t at = request.timeNs("at");
    const std::optional<uint64_t> depth = request.number("depth");
    seq = valueOf(depth ? view::callAt(request.view(), thread, at, static_cast<uint32_t>(*depth))
                        : view::innermostAt(request.view(), thread, at));
    if (!seq)
      throw ApiError{404, depth ? "no call of that depth is open at that time" : "no call is open at that time"};
  }
  if (!seq)
    throw ApiError{400, "seq (the number of the event that began the call) or at=TIME is missing"};
  const auto found = valueOf(view::callDetails(request.view(), thread, *seq));
  if (!found)
    throw ApiError{404, fmt::format("no call begins with event {} of this thread", *seq)};
  const view::CallDetails &call = *found;
  json.beginObject().number("seq", call.seq).number("thread", request.opened().threadIds[thread]);
  json.number("function", call.function).number("depth", call.depth);
  json.number("begin_ns", request.sinceStart(call.beginNs));
  call.endNs ? json.number("end_ns", request.sinceStart(*call.endNs)) : json.null("end_ns");
  json.text("end", spanEndName(call.how));
  writeSeq(json, "self_ns", call.selfNs);
  writeSeq(json, "waiting_ns", call.knowsSched ? std::optional(call.offCpu->waitingNs) : std::nullopt);
  writeSeq(json, "preempted_ns", call.knowsSched ? std::optional(call.offCpu->preemptedNs) : std::nullopt);
  writeSeq(json, "recorder_ns", call.offCpu ? std::optional(call.offCpu->recorderNs) : std::nullopt);
  writeSeq(json, "unknown_ns", call.knowsSched ? std::optional(call.offCpu->unknownNs) : std::nullopt);
  writeSeq(json, "calls", call.calls);
  json.text("args", oneLine(call.arguments)).text("result", oneLine(call.result));
  writeSeq(json, "parent", call.parent);
  writeSeq(json, "first_child", call.firstChild);
  writeSeq(json, "previous", call.previous);
  writeSeq(json, "next", call.next);
  writeSeq(json, "previous_same", call.previousSame);
  writeSeq(json, "next_same", call.nextSame);
  const uint32_t own = ownFunction(request.view().functions(), call);
  json.number("source_of", own);
  writeSource(json, request.session().sources(), request.view().functions().at(own));
  json.endObject();
}

void writeFound(JsonText &json, ApiRequest &request) {
  constexpr uint64_t kMaxFound = 1000;
  view::FindRequest what{.threads = request.threads(), .fromNs = request.fromNs(), .toNs = request.toNs()};
  if (const std::string *globs = request.text("function"))
    what.function = *globs;
  if (const std::string *text = request.text("args"))
    what.arguments = *text;
  what.minNs = request.number("min_ns", 0);
  what.limit = std::min(request.number("limit", 20), kMaxFound);
  if (const std::string *order = request.text("order"); order && !order->empty()) {
    if (*order != "time" && *order != "slowest")
      throw ApiError{400, fmt::format("order: '{}' is neither time nor slowest", *order)};
    what.slowestFirst = *order == "slowest";
  }
  const view::FoundCalls found = valueOf(view::findCalls(request.view(), what));
  json.beginObject().beginArray("calls");
  for (const view::FoundCalls::Call &call : found.calls) {
    json.beginObject()
        .number("thread", request.opened().threadIds[call.thread])
        .number("seq", seqNumber(call.item.seq));
    json.number("function", call.item.function).number("depth", call.item.depth);
    json.number("begin_ns", request.sinceStart(call.item.beginNs));
    call.item.kind == view::ItemKind::Open ? json.null("end_ns")
                                           : json.number("end_ns", request.sinceStart(call.item.endNs));
    json.text("args", oneLine(call.arguments)).endObject();
  }
  json.endArray().boolean("is_complete", found.isComplete).endObject();
}

void writeProcessors(JsonText &json, ApiRequest &request) {
  const uint64_t pixels = std::clamp<uint64_t>(request.number("pixels", 1000), 1, kMaxPixels);
  const view::ProcessorLanes all =
      view::processorLanes(request.view().table(), request.threads(), request.fromNs(), request.toNs(), pixels);
  const std::vector<uint32_t> &ids = request.opened().threadIds;
  json.beginObject().beginArray("processors");
  for (const auto &[processor, boxes] : all.lanes) {
    using Box = view::ProcessorBox;
    json.beginObject().number("processor", processor);
    writeColumn(json, "begin", boxes, [&](const Box &box) { return request.sinceStart(box.fromNs); });
    writeColumn(json, "end", boxes, [&](const Box &box) { return request.sinceStart(box.toNs); });
    writeColumn(json, "thread", boxes, [&](const Box &box) { return ids[box.thread]; });
    writeColumn(json, "count", boxes, [](const Box &box) { return box.runs; });
    writeColumn(json, "fill", boxes, [](const Box &box) { return box.fillNs; });
    json.endObject();
  }
  json.endArray();
  writeColumn(json, "unknown", all.unknown, [&](uint32_t thread) { return ids[thread]; });
  json.endObject();
}

// The number in the page of a process's main thread, or -1 if there is none.
int64_t mainThreadId(const ViewSession::Opened &opened, const analysis::Execution &execution) {
  return execution.mainThread() == analysis::kNoProcess ? -1 : int64_t{opened.threadIds[execution.mainThread()]};
}

void writeProcesses(JsonText &json, ApiRequest &request) {
  constexpr uint64_t kMaxRows = 500;
  const ViewSession::Opened &opened = request.opened();
  const view::ProcessGantt &gantt = opened.gantt();
  view::GanttRequest what{.fromNs = request.fromNs(), .toNs = request.toNs()};
  what.pixels = std::clamp<uint64_t>(request.number("pixels", 1000), 1, kMaxPixels);
  what.first = std::min<uint64_t>(request.number("first", 0), gantt.list().all.size() * 2);
  what.rows = std::min(request.number("rows", 100), kMaxRows);
  what.open = request.numbers("open");
  for (uint32_t &key : what.open) { // ids stay the same when the session grows, numbers need not
    const auto at = std::ranges::find(opened.processIds, key);
    key = static_cast<uint32_t>(at - opened.processIds.begin());
  }
  std::ranges::sort(what.open);
  if (const std::string *match = request.text("match"))
    what.match = *match;
  what.hit = request.number("hit");
  const view::GanttPart part = gantt.part(what);
  json.beginObject().number("processes", gantt.list().all.size()).number("total_rows", part.totalRows);
  json.number("hits", part.processes);
  if (part.hit) {
    const analysis::ProcessRun &run = gantt.list().all[part.hit->run];
    json.beginObject("hit").number("row", part.hit->row).number("key", opened.processIds[part.hit->key]);
    json.number("thread", mainThreadId(opened, run.last()));
    json.number("begin_ns", request.sinceStart(run.beginNs)).number("end_ns", request.sinceStart(run.endNs));
    json.endObject();
  }
  json.number("first", what.first).beginArray("rows");
  for (const view::GanttRow &row : part.rows) {
    using Box = view::GanttBox;
    const analysis::ProcessRun &run = gantt.list().all[row.run];
    const bool isOne = row.count() == 1;
    json.beginObject().number("key", opened.processIds[row.key]);
    json.number("depth", row.node->depth + (row.isInstance ? 1 : 0)).boolean("is_open", row.isOpen);
    json.text("command",
              row.isInstance ? analysis::commandText(run.last().program, run.last().arguments) : row.node->command);
    json.number("count", row.count()).number("failed", isOne ? run.hasFailed() : row.node->failed);
    isOne &&run.pid ? json.number("pid", *run.pid) : json.null("pid");
    isOne ? json.text("exit", oneLine(run.exit())) : json.null("exit");
    json.number("wall_ns", isOne ? run.durationNs() : row.node->totalNs);
    json.number("median_ns", isOne ? run.durationNs() : row.node->medianNs);
    const auto onCpu = isOne ? run.onCpuNs : row.node->onCpuNs;
    onCpu ? json.number("on_cpu_ns", *onCpu) : json.null("on_cpu_ns");
    writeColumn(json, "begin", row.boxes, [&](const Box &box) { return request.sinceStart(box.fromNs); });
    writeColumn(json, "end", row.boxes, [&](const Box &box) { return request.sinceStart(box.toNs); });
    writeColumn(json, "processes", row.boxes, [](const Box &box) { return box.count; });
    writeColumn(json, "fill", row.boxes, [](const Box &box) { return box.fillNs; });
    writeColumn(json, "thread", row.boxes,
                [&](const Box &box) { return mainThreadId(opened, gantt.list().all[box.run].last()); });
    json.endObject();
  }
  json.endArray().endObject();
}

view::RangeRequest rangeOf(ApiRequest &request) {
  return {.threads = request.threads(), .fromNs = request.fromNs(), .toNs = request.toNs()};
}

void writeStatistics(JsonText &json, ApiRequest &request) {
  const view::RangeStatistics all = valueOf(view::rangeStatistics(request.view(), rangeOf(request)));
  json.beginObject().beginArray("functions");
  for (const view::RangeStatistics::Function &one : all.functions) {
    json.beginObject().number("function", one.function).number("calls", one.calls);
    json.number("total_ns", one.totalNs).number("self_ns", one.selfNs).number("recorder_ns", one.recorderNs);
    json.number("min_ns", one.minNs).number("max_ns", one.maxNs);
    json.number("p50_ns", one.p50Ns).number("p99_ns", one.p99Ns).endObject();
  }
  json.endArray().number("calls", all.calls).boolean("is_complete", all.isComplete).endObject();
}

void writeFlame(JsonText &json, ApiRequest &request) {
  constexpr uint64_t kMaxNodes = 20'000;
  const view::RangePaths paths = valueOf(view::rangePaths(request.view(), rangeOf(request), kMaxNodes));
  const PathTree &tree = paths.tree;
  json.beginObject().beginArray("nodes");
  for (uint32_t node = 1; node < tree.size(); ++node) {
    const PathTree::Node &path = tree[node];
    json.beginObject();
    json.number("function", PathTree::isFunction(path.function) ? static_cast<int64_t>(path.function)
                            : path.function == PathTree::kRest  ? -1
                                                                : -2);
    json.number("parent", static_cast<int64_t>(path.parent) - 1).number("calls", path.calls);
    json.number("total_ns", path.totalNs).number("self_ns", path.selfNs).endObject();
  }
  json.endArray().boolean("is_cut", tree.isCut() || !paths.isComplete).endObject();
}

void writeHistogram(JsonText &json, ApiRequest &request) {
  const auto function = request.number("function");
  if (!function)
    throw ApiError{400, "function is missing: the id of a function in /api/functions"};
  const view::LengthHistogram all =
      valueOf(view::lengthHistogram(request.view(), rangeOf(request), static_cast<uint32_t>(*function)));
  json.beginObject().beginArray("buckets");
  for (const view::LengthHistogram::Bucket &bucket : all.buckets)
    json.beginObject()
        .number("from_ns", bucket.fromNs)
        .number("to_ns", bucket.toNs)
        .number("calls", bucket.calls)
        .endObject();
  json.endArray().number("calls", all.calls).number("min_ns", all.minNs).number("max_ns", all.maxNs);
  json.boolean("is_complete", all.isComplete).endObject();
}

HttpReply errorAnswer(int status, const std::string &message) {
  JsonMembers json;
  json.text("error", oneLine(message));
  return {status, json.object()};
}

} // namespace

HttpReply ViewApi::answer(const std::string &name, const std::map<std::string, std::string> &query) {
  std::string text;
  JsonText json(text);
  ApiRequest request(query, sessions_);
  static const std::map<std::string, void (*)(JsonText &, ApiRequest &)> kAnswers = {
      {"functions", writeFunctions}, {"picture", writePicture},     {"timeline", writeThread},
      {"call", writeCall},           {"find", writeFound},          {"statistics", writeStatistics},
      {"flame", writeFlame},         {"histogram", writeHistogram}, {"processors", writeProcessors},
      {"source", writeSourceFile},   {"processes", writeProcesses}, {"members", writeFurtherMembers},
  };
  try {
    const auto known = kAnswers.find(name);
    if (name == "sessions") {
      json.beginObject().beginArray("sessions");
      for (const auto &session : sessions_)
        writeSession(json, *session);
      json.endArray().endObject();
    } else if (name == "findings") {
      return analyses_.findings(request);
    } else if (name == "why" || name == "outliers") {
      return name == "why" ? analyses_.why(request) : analyses_.outliers(request);
    } else if (known != kAnswers.end()) {
      known->second(json, request);
    } else {
      return errorAnswer(404, fmt::format("there is no /api/{}; docs/developers/view.md lists the requests", name));
    }
  } catch (const ApiError &error) {
    return errorAnswer(error.status, error.message);
  }
  return {200, std::move(text)};
}

} // namespace ada::cli
