// Rewrites manifest.json after a recovery, keeping every field that it does not know.
#include "recover/manifest_update.h"

#include "ada/trace/atf_format.h"
#include "formats/atf/file_bytes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sys/stat.h>

namespace ada {

namespace {

using Json = nlohmann::ordered_json;

std::optional<Json> readManifest(const std::string &directory) {
  std::ifstream in(directory + "/manifest.json", std::ios::binary);
  if (!in)
    return std::nullopt;
  Json json = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return std::nullopt;
  return json;
}

Json &objectAt(Json &json, const char *key) {
  Json &value = json[key];
  if (!value.is_object())
    value = Json::object();
  return value;
}

std::string utcTime() {
  std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

} // namespace

bool manifestIsFinal(const std::string &directory) {
  auto json = readManifest(directory);
  if (!json || !json->contains("process"))
    return false;
  const Json &process = (*json)["process"];
  if (!process.is_object() || !process.contains("exit"))
    return false;
  const Json &exit = process["exit"];
  const Json *how = exit.is_object() && exit.contains("how") ? &exit["how"] : &exit;
  return how->is_string() && *how != "running";
}

Expected<void> updateManifest(const std::string &directory, const std::map<std::uint64_t, RecoveredThread> &threads,
                              const RingSnapshot *ring, const RecoverOptions &options, const RecoverResult &result) {
  Json json = readManifest(directory).value_or(Json::object());
  if (!json.contains("format_version"))
    json["format_version"] = "2.1";
  json["clock_type"] = atf::kClockBoottime;

  // What the manifest says of a thread is kept (its name, say) where the files do not know better.
  std::map<std::uint64_t, Json> known;
  if (json.contains("threads") && json["threads"].is_array())
    for (Json &thread : json["threads"])
      if (thread.is_object() && thread.contains("id") && thread["id"].is_number_unsigned())
        known[thread["id"].get<std::uint64_t>()] = thread;
  std::uint64_t start = 0, end = 0;
  Json list = Json::array();
  for (const auto &[number, t] : threads) {
    Json thread = known.contains(number) ? known[number] : Json::object();
    thread["id"] = number;
    struct stat info = {};
    const std::string detail = directory + "/thread_" + std::to_string(number) + "/detail.atf";
    thread["has_detail"] = ::stat(detail.c_str(), &info) == 0;
    thread["tid"] = t.tid;
    if (!t.name.empty() || !thread.contains("name"))
      thread["name"] = t.name;
    thread["event_count"] = t.events;
    if (!t.lost.empty()) {
      static constexpr const char *kReasons[ADA_LOST_REASONS] = {"ring_full", "no_memory", "write_error"};
      Json &dropped = objectAt(thread, "dropped");
      for (std::size_t i = 0; i < t.lost.size() && i < ADA_LOST_REASONS; ++i)
        if (t.lost[i])
          dropped[kReasons[i]] = t.lost[i];
    }
    thread["time_start_ns"] = t.timeStartNs;
    thread["time_end_ns"] = t.timeEndNs;
    if (t.events > 0) {
      start = start == 0 ? t.timeStartNs : std::min(start, t.timeStartNs);
      end = std::max(end, t.timeEndNs);
    }
    list.push_back(std::move(thread));
  }
  json["threads"] = std::move(list);
  json["time_start_ns"] = start;
  json["time_end_ns"] = end;
  if (!json.contains("modules"))
    json["modules"] = Json::array();
  if (!json.contains("symbols"))
    json["symbols"] = Json::array();

  Json &process = objectAt(json, "process");
  if (ring && !process.contains("pid"))
    process["pid"] = ring->header().pid;
  if (options.signal)
    process["exit"] = {{"how", "signal"}, {"signal", *options.signal}};
  else if (options.exitCode)
    process["exit"] = {{"how", "code"}, {"code", *options.exitCode}};
  else if (ring && ring->header().state == ADA_RING_EXEC)
    process["exit"] = {{"how", "exec"}};
  else
    process["exit"] = {{"how", "unknown"}};
  json["recovered"] = {{"when", utcTime()},
                       {"events_from_ring", result.eventsFromRing},
                       {"ring_found", result.ringFound}};
  if (json.contains("recorder") && json["recorder"].is_object())
    json["recorder"].erase("ring");

  const std::string path = directory + "/manifest.json", temporary = path + ".new";
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    out.close();
    if (!out) {
      Error error = atf::systemError(temporary, "cannot be written", errno);
      std::remove(temporary.c_str());
      return error;
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    return atf::systemError(path, "cannot be replaced", errno);
  return {};
}

} // namespace ada
