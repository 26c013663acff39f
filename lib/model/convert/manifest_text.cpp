// Puts a manifest.json together from the model.
#include "model/convert/manifest_text.h"

#include "ada/trace/event.h"
#include "ada/trace/names.h"
#include "formats/atf/file_bytes.h"
#include "model/json_string.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace ada::model {

using Json = nlohmann::ordered_json;

static Json parseObject(const std::string &text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json::object();
}

// One line, and bytes that are not UTF-8 as U+FFFD.
static std::string textOf(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ManifestText::ManifestText(const Process &process)
    : description(process.description), allSymbols(!process.symbols.empty()),
      pid(process.pid), executable(process.executable),
      clockType(process.clockType) {
  if (allSymbols && process.symbols.size() >= 2)
    symbols = process.symbols.substr(1, process.symbols.size() - 2);
}

void ManifestText::addSymbol(const Function &function) {
  // A function that its own manifest did not know has no name either here.
  if (allSymbols || (function.name.empty() && function.displayName.empty()))
    return;
  if (function.name.empty() &&
      function.displayName == functionIdText(function.id))
    return;
  if (!symbols.empty())
    symbols += ",\n";
  symbols +=
      "{\"function_id\":\"" + functionIdText(function.id) +
      "\",\"module_id\":" + std::to_string(moduleOf(function.id)) +
      ",\"symbol_index\":" + std::to_string(symbolOf(function.id)) +
      ",\"name\":" +
      jsonString(function.name.empty() ? function.displayName : function.name);
  const auto add = [&](const char *key, const std::string &value) {
    if (!value.empty())
      symbols += std::string(",\"") + key + "\":" + jsonString(value);
  };
  add("file", function.file);
  add("signature", function.signature);
  add("types", function.types);
  if (function.line)
    symbols += ",\"line\":" + std::to_string(function.line);
  if (function.address) {
    const std::string hex = functionIdText(function.address); // 16 digits
    symbols += ",\"address\":\"" + hex + "\"";
  }
  symbols += '}';
}

void ManifestText::addThread(const Thread &thread, std::uint64_t events,
                             std::uint64_t details, std::uint64_t minTimeNs,
                             std::uint64_t maxTimeNs) {
  Json json = {{"id", thread.number},        {"has_detail", details > 0},
               {"tid", thread.tid},          {"name", thread.name},
               {"event_count", events},      {"detail_count", details},
               {"time_start_ns", minTimeNs}, {"time_end_ns", maxTimeNs}};
  const Json more = parseObject(thread.description);
  for (const auto &[key, value] : more.items())
    if (!json.contains(key))
      json[key] = value;
  if (!threads.empty())
    threads += ",\n";
  threads += textOf(json);
  if (events) {
    startNs = std::min(startNs, minTimeNs);
    endNs = std::max(endNs, maxTimeNs);
  }
}

Expected<void> ManifestText::write(const std::string &path) const {
  Json json = {{"format_version", "2.1"},
               {"time_start_ns", startNs > endNs ? 0 : startNs},
               {"time_end_ns", endNs},
               {"clock_type", clockType}};
  const Json more = parseObject(description);
  for (const auto &[key, value] : more.items())
    if (!json.contains(key) && key != "threads" && key != "symbols")
      json[key] = value;
  if (!json.contains("modules"))
    json["modules"] = Json::array();
  if (!json.contains("process") && (pid || !executable.empty())) {
    Json process = Json::object();
    if (pid)
      process["pid"] = *pid;
    process["executable"] = executable;
    json["process"] = std::move(process);
  }
  std::string text = textOf(json);
  text.pop_back(); // the brace
  text += ",\n\"threads\":[" + threads + "],\n\"symbols\":[" + symbols + "]}\n";
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out)
    return atf::systemError(path, "cannot be written", errno);
  return {};
}

} // namespace ada::model
