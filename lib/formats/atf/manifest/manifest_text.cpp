// Builds a manifest.json from the model.
#include "manifest_text.h"

#include "ada/trace/event.h"
#include "base/json_object.h"
#include "base/safe_file.h"
#include "formats/atf/manifest/symbol_entries.h"
#include "formats/atf/session/directories.h"
#include "model/names.h"
#include "shared/manifest_keys.h"

#include <algorithm>

namespace ada::model {

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
  symbols_.line();
  FieldWriter(symbols_).object({}, atf::entryOf(function), [](auto &f, auto &entry) {
    manifest::symbolIds(f, entry.ids);
    manifest::symbolFields(f, entry);
  });
}

void ManifestText::addThread(const Thread &thread, uint64_t events, uint64_t details, uint64_t inferred,
                             uint64_t minTimeNs, uint64_t maxTimeNs) {
  ManifestThread known;
  known.id = thread.number, known.tid = thread.tid, known.name = thread.name;
  known.hasDetail = details > 0, known.eventCount = events, known.detailCount = details;
  known.timeStartNs = minTimeNs, known.timeEndNs = maxTimeNs;
  JsonObject json;
  json.update(known, [](auto &f, auto &t) { manifest::convertedThreadFields(f, t); });
  if (inferred > 0) // files that have a count instead of exits keep the count
    json.set(manifest::kInferredCount, std::to_string(inferred));
  json.addMissing(JsonObject(thread.description));
  inferred_ += inferred;
  threads_.line().json({}, json.text());
  if (events) {
    startNs_ = std::min(startNs_, minTimeNs);
    endNs_ = std::max(endNs_, maxTimeNs);
  }
}

Expected<void> ManifestText::write(const std::string &path) const {
  JsonObject json;
  json.set(manifest::kFormatVersion, jsonString("2.1"));
  json.set(manifest::kTimeStartNs, std::to_string(startNs_ > endNs_ ? 0 : startNs_));
  json.set(manifest::kTimeEndNs, std::to_string(endNs_));
  json.set(manifest::kClockType, std::to_string(clockType_));
  if (inferred_ > 0)
    json.set(manifest::kInferredCount, std::to_string(inferred_));
  json.addMissing(JsonObject(description_));
  json.erase(manifest::kThreads), json.erase(manifest::kSymbols);
  if (!json.find(manifest::kModules)) {
    JsonMembers modules;
    for (const uint64_t id : modules_) { // of a trace that has functions but no modules
      ManifestModule module;
      module.id = id, module.path = id == 0 ? executable_ : std::string();
      module.uuid = "00000000-0000-0000-0000-000000000000";
      FieldWriter(modules).object({}, module, [](auto &f, auto &m) { manifest::moduleFields(f, m); });
    }
    json.append(manifest::kModules, modules.list());
  }
  if (!json.find(manifest::kProcess) && (pid_ || !executable_.empty())) {
    JsonMembers process;
    if (pid_)
      process.number(manifest::kPid, *pid_);
    json.set(manifest::kProcess, process.text(manifest::kExecutable, executable_).object());
  }
  std::string text = json.text();
  text.pop_back(); // the closing brace
  JsonMembers rest;
  rest.line().json(manifest::kThreads, "[" + threads_.list() + "]");
  rest.line().json(manifest::kSymbols, allSymbols_.empty() ? "[" + symbols_.list() + "]" : allSymbols_);
  text += "," + rest.list() + "}\n";
  const auto parent = canonicalPath(atf::parentPath(path));
  return parent ? replaceFile(atf::joinPath(*parent, atf::baseName(path)), text) : Expected<void>(parent.error());
}

} // namespace ada::model
