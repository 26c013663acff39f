// The answers of `adatrace view`.
#include "api.h"
#include "api_request.h"
#include "output/function_names.h"

#include "base/json.h"
#include "base/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace ada::cli {

namespace {

constexpr uint64_t kMostPixels = 10'000;
// Deeper calls are left out of a picture unless it asks for them.
constexpr uint64_t kDepths = 2000;

using view::Item;
using view::kNoSeq;

std::string lastPart(const std::string &path) {
  const std::string name = std::filesystem::path(path).lexically_normal().filename().string();
  return oneLine(name.empty() ? path : name);
}

// "exit" of the manifest (docs/formats/manifest.md) as it is, or null.
std::string exitOf(const model::Process &process) {
  const auto manifest = nlohmann::json::parse(process.description, nullptr, /*allow_exceptions=*/false);
  const auto about = manifest.is_object() ? manifest.find("process") : manifest.end();
  if (!manifest.is_object() || about == manifest.end() || !about->is_object() || !about->contains("exit"))
    return "null";
  return (*about)["exit"].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
  json.number("duration_ns", view->endNs() - std::min(start, view->endNs())).number("events", view->events());
  json.boolean("is_live", status.isLive).boolean("is_gone", session.isGone());
  json.number("resolution_ns", resolution).boolean("times_are_order", isOrder);
  json.beginArray("processes");
  for (const model::Process &process : table.processes) {
    json.beginObject().number("id", opened->processIds[process.index]);
    process.pid ? json.number("pid", *process.pid) : json.null("pid");
    json.text("name", oneLine(process.name)).text("executable", oneLine(process.executable));
    json.json("exit", exitOf(process)).endObject();
  }
  json.endArray().beginArray("threads");
  for (const model::Thread &thread : table.threads) {
    const model::ThreadExtent extent = thread.extent.value_or(model::ThreadExtent());
    const bool any = extent.events > 0;
    json.beginObject().number("id", opened->threadIds[thread.index]);
    json.number("process", opened->processIds[thread.process]).number("number", thread.number);
    json.number("tid", thread.tid).text("name", oneLine(thread.name)).number("events", extent.events);
    json.number("begin_ns", any ? static_cast<int64_t>(extent.firstNs - start) : 0);
    json.number("end_ns", any ? static_cast<int64_t>(std::max(extent.firstNs, extent.lastNs) - start) : 0).endObject();
  }
  json.endArray().number("functions", session.functions().size());
  static constexpr const char *kStates[] = {"building", "ready", "failed"};
  json.beginObject("index").text("state", kStates[static_cast<size_t>(status.index)]);
  json.real("progress", status.progress).text("note", oneLine(status.note)).endObject();
  json.beginArray("warnings");
  for (const std::string &warning : view->warnings())
    json.text({}, oneLine(warning));
  json.endArray().endObject();
}

void writeFunctions(JsonText &json, ApiRequest &request) {
  const uint64_t since = request.number("since", 0);
  uint64_t number = since;
  json.beginObject().beginArray("functions");
  for (const auto &[process, function] : request.session().functions().from(since)) {
    json.beginObject().number("id", number++).text("name", nameOf(function, NameStyle::Short));
    json.text("file", oneLine(function.file)).number("line", function.line).endObject();
  }
  json.endArray().endObject();
}

template <class Value>
void writeColumn(JsonText &json, const char *name, const std::vector<Item> &items, Value &&value) {
  json.beginArray(name);
  for (const Item &item : items)
    json.number({}, value(item));
  json.endArray();
}

int64_t seqNumber(uint64_t seq) { return seq == kNoSeq ? -1 : static_cast<int64_t>(seq); }

void writeTimeline(JsonText &json, TextPiece name, ApiRequest &request, uint32_t thread) {
  view::PictureRequest what{.thread = thread, .fromNs = request.fromNs(), .toNs = request.toNs()};
  what.pixels = std::clamp<uint64_t>(request.number("pixels", 1000), 1, kMostPixels);
  what.depths = static_cast<uint32_t>(std::min<uint64_t>(request.number("depths", kDepths), ~uint32_t(0)));
  const auto picture = request.view().picture(what);
  if (!picture)
    throw ApiError{410, picture.error().text()};
  const auto time = [&](uint64_t ns) { return request.sinceStart(ns); };
  static constexpr const char *kFrom[] = {"events", "index", "samples"};
  const std::vector<Item> &items = picture->items;
  json.beginObject(name).number("from", time(what.fromNs)).number("to", time(what.toNs));
  json.text("source", kFrom[static_cast<size_t>(picture->from)]).boolean("exact", picture->isExact);
  json.number("max_depth", picture->maxDepth);
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

HttpAnswer errorAnswer(int status, const std::string &message) {
  JsonMembers json;
  json.text("error", message);
  return {status, json.object()};
}

} // namespace

HttpAnswer ViewApi::answer(const std::string &name, const std::map<std::string, std::string> &query) {
  std::string text;
  JsonText json(text);
  ApiRequest request(query, sessions_);
  try {
    if (name == "sessions") {
      json.beginObject().beginArray("sessions");
      for (const auto &session : sessions_)
        writeSession(json, *session);
      json.endArray().endObject();
    } else if (name == "functions") {
      writeFunctions(json, request);
    } else if (name == "timeline") {
      writeTimeline(json, {}, request, request.thread());
    } else if (name == "picture") {
      writePicture(json, request);
    } else {
      return errorAnswer(404, fmt::format("there is no /api/{}; docs/view.md lists what can be asked", name));
    }
  } catch (const ApiError &error) {
    return errorAnswer(error.status, error.message);
  }
  return {200, std::move(text)};
}

} // namespace ada::cli
