// Builds a manifest.json from the model.
#include "manifest_text.h"

#include "ada/trace/event.h"
#include "base/nested_json.h"
#include "base/safe_file.h"
#include "formats/atf/session/directories.h"
#include "model/names.h"
#include "shared/manifest_keys.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ada::model {

using Json = nlohmann::ordered_json;

// Adds the members of `object` that `json` does not have.
static void addMissing(Json &json, const std::string &object) {
  const Json more = parseNested<Json>(object);
  if (more.is_object())
    for (const auto &[key, value] : more.items())
      if (!json.contains(key))
        json[key] = value;
}

// One line, with bytes that are not UTF-8 replaced by U+FFFD.
static std::string textOf(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

ManifestText::ManifestText(const Process &process)
    : description_(process.description), allSymbols_(process.symbols), pid_(process.pid),
      executable_(process.executable), clockType_(process.clockType) {}

void ManifestText::addSymbol(const Function &function) {
  // A function that its own manifest did not know gets no name here either.
  if (!allSymbols_.empty() || (function.name.empty() && function.displayName.empty()))
    return;
  if (function.name.empty() && function.displayName == functionIdText(function.id))
    return;
  modules_.insert(moduleOf(function.id));
  symbols_.line().beginObject().text(manifest::kFunctionId, functionIdText(function.id));
  symbols_.number(manifest::kModuleId, moduleOf(function.id)).number(manifest::kSymbolIndex, symbolOf(function.id));
  symbols_.text(manifest::kName, function.name.empty() ? function.displayName : function.name);
  const auto add = [&](const char *key, const std::string &value) {
    if (!value.empty())
      symbols_.text(key, value);
  };
  add(manifest::kDisplayName, function.isRenamed ? function.displayName : std::string());
  add(manifest::kFile, function.file);
  add(manifest::kSignature, function.signature);
  add(manifest::kTypes, function.types);
  if (function.line)
    symbols_.number(manifest::kLine, function.line);
  if (function.address)
    symbols_.hex(manifest::kAddress, function.address, 16);
  if (function.isExternal)
    symbols_.boolean(manifest::kExternal, true);
  if (function.isInlined)
    symbols_.boolean(manifest::kInlined, true);
  if (function.isCoroutine)
    symbols_.boolean(manifest::kCoroutine, true);
  if (function.kind != SymbolKind::Function)
    symbols_.text(manifest::kKind, kindName(function.kind));
  symbols_.endObject();
}

void ManifestText::addThread(const Thread &thread, uint64_t events, uint64_t details, uint64_t minTimeNs,
                             uint64_t maxTimeNs) {
  Json json = {{manifest::kId, thread.number},      {manifest::kHasDetail, details > 0},
               {manifest::kTid, thread.tid},        {manifest::kName, thread.name},
               {manifest::kEventCount, events},     {manifest::kDetailCount, details},
               {manifest::kTimeStartNs, minTimeNs}, {manifest::kTimeEndNs, maxTimeNs}};
  addMissing(json, thread.description);
  threads_.line().json({}, textOf(json));
  if (events) {
    startNs_ = std::min(startNs_, minTimeNs);
    endNs_ = std::max(endNs_, maxTimeNs);
  }
}

Expected<void> ManifestText::write(const std::string &path) const {
  Json json = {{manifest::kFormatVersion, "2.1"},
               {manifest::kTimeStartNs, startNs_ > endNs_ ? 0 : startNs_},
               {manifest::kTimeEndNs, endNs_},
               {manifest::kClockType, clockType_}};
  addMissing(json, description_);
  json.erase(manifest::kThreads), json.erase(manifest::kSymbols);
  if (!json.contains(manifest::kModules)) {
    Json &modules = json[manifest::kModules] = Json::array();
    for (const uint64_t id : modules_) // of a trace that has functions but no modules
      modules.push_back({{manifest::kModuleId, id},
                         {manifest::kPath, id == 0 ? executable_ : std::string()},
                         {manifest::kBaseAddress, "0x0"},
                         {manifest::kSize, 0},
                         {manifest::kUuid, "00000000-0000-0000-0000-000000000000"}});
  }
  if (!json.contains(manifest::kProcess) && (pid_ || !executable_.empty())) {
    Json &process = json[manifest::kProcess] = Json::object();
    if (pid_)
      process[manifest::kPid] = *pid_;
    process[manifest::kExecutable] = executable_;
  }
  std::string text = textOf(json);
  text.pop_back(); // the closing brace
  JsonMembers rest;
  rest.line().json(manifest::kThreads, "[" + threads_.list() + "]");
  rest.line().json(manifest::kSymbols, allSymbols_.empty() ? "[" + symbols_.list() + "]" : allSymbols_);
  text += "," + rest.list() + "}\n";
  const auto parent = canonicalPath(atf::parentPath(path));
  return parent ? replaceFile(atf::joinPath(*parent, atf::baseName(path)), text) : Expected<void>(parent.error());
}

} // namespace ada::model
