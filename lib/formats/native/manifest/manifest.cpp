// Reads manifest.json with simdjson, which parses some hundred thousand symbols in well under a tenth of a second.
// The symbols' texts stay in its buffers.
#include "ada/trace/manifest.h"

#include "ada/trace/event.h"
#include "formats/native/directories.h"
#include "formats/native/manifest/binaries.h"
#include "formats/native/manifest/manifest_fields.h"
#include "formats/native/manifest/symbol_entries.h"
#include "formats/native/manifest/symbol_names.h"
#include "shared/manifest_keys.h"
#include "trace/base/file_bytes.h"
#include "trace/base/json_document.h"
#include "trace/names.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace ada {

struct Manifest::Table {
  // A trace with damaged ids can contain any number of unknown functions; at most this many get a name each.
  static constexpr size_t kMaxUnknown = 1 << 20;

  std::list<JsonDocument> documents; // own the texts of `symbols`
  std::vector<Symbol> symbols;       // those that are in the manifest itself
  atf::SymbolNames names;
  std::unordered_map<uint64_t, uint32_t> byId;
  bool hasAnnotatedValues = false;
  std::unordered_map<uint64_t, uint32_t> moduleById;

  // The symbols of a module that are in a file.
  struct Elsewhere {
    uint32_t moduleId = 0;
    uint64_t baseAddress = 0;
    std::once_flag once;
    std::optional<Expected<std::shared_ptr<const atf::Binary>>> read;

    // With the id and address of this process.
    Symbol symbol(const Symbol &known) const {
      Symbol symbol = known;
      symbol.functionId = makeFunctionId(moduleId, static_cast<uint32_t>(known.functionId));
      if (symbol.address)
        symbol.address += baseAddress;
      if (symbol.isInlined)
        symbol.original = makeFunctionId(moduleId, static_cast<uint32_t>(known.original));
      return symbol;
    }
  };
  std::shared_ptr<atf::Binaries> binaries; // null if no module is in a file
  mutable std::list<Elsewhere> elsewhere;
  std::unordered_map<uint64_t, Elsewhere *> elsewhereById; // by module id

  const Expected<std::shared_ptr<const atf::Binary>> &read(Elsewhere &module,
                                                           const std::vector<ManifestModule> &modules) const {
    std::call_once(module.once, [&] { module.read = binaries->get(modules[moduleById.at(module.moduleId)]); });
    return *module.read;
  }

  // The file that has a function, and its module; null if there is none that does.
  std::pair<const atf::Binary *, Elsewhere *> fileOf(uint64_t functionId,
                                                     const std::vector<ManifestModule> &modules) const {
    const auto found = binaries ? elsewhereById.find(moduleOf(functionId)) : elsewhereById.end();
    if (found == elsewhereById.end())
      return {};
    Elsewhere &module = *found->second;
    const auto &binary = read(module, modules);
    if (!binary || !(*binary)->at(symbolOf(functionId)))
      return {};
    return {binary->get(), &module};
  }

  mutable std::mutex unknownMutex;
  mutable std::unordered_map<uint64_t, std::string> unknown;

  std::string_view unknownName(uint64_t functionId) const {
    std::lock_guard lock(unknownMutex);
    if (auto found = unknown.find(functionId); found != unknown.end())
      return found->second;
    if (unknown.size() >= kMaxUnknown)
      return "(unknown function)";
    return unknown.emplace(functionId, functionIdText(functionId)).first->second;
  }
};

Manifest::Manifest() : table_(std::make_unique<Table>()) {}
Manifest::Manifest(Manifest &&) noexcept = default;
Manifest &Manifest::operator=(Manifest &&) noexcept = default;
Manifest::~Manifest() = default;

Manifest Manifest::empty() { return Manifest(); }

//===--- fields -----------------------------------------------------------===//

class ManifestParser {
public:
  explicit ManifestParser(std::string name) : name_(std::move(name)) {}

  Expected<Manifest> run(std::string_view json) {
    JsonDocument &document = manifest_.table_->documents.emplace_back();
    if (const auto error = document.parse(json))
      return bad("", json.empty() ? "the file is empty"
                                  : std::string("this is not JSON: ") + simdjson::error_message(error));
    if (document.isRepaired())
      manifest_.warnings.push_back(
          {"W_MANIFEST_REPAIRED",
           "the manifest holds bytes that are not UTF-8 or numbers out of range; they were replaced"});
    if (!document.object())
      return bad("", "a JSON object was expected");
    const dom::object &root = *document.object();
    if (auto failed = readThreads(root))
      return *failed;
    atf::readFields(root, manifest_);
    std::erase_if(manifest_.dropped, [](const auto &reason) { return reason.second == 0; });
    readTables(root);
    dropUnused();
    return std::move(manifest_);
  }

  // Adds what was written after the manifest. Each line is one addition; the last one may be
  // cut off.
  static void addLate(Manifest &manifest, std::string_view lines) {
    ManifestParser more(manifest::kLateModulesFile);
    more.manifest_ = std::move(manifest);
    more.symbolsBefore_ = more.manifest_.table_->symbols.size();
    more.isLate_ = true;
    while (!lines.empty()) {
      const size_t end = std::min(lines.find('\n'), lines.size());
      JsonDocument &document = more.manifest_.table_->documents.emplace_back(lines.substr(0, end));
      if (document.object()) {
        more.readTables(*document.object());
        atf::takeLateFields(*document.object(), more.manifest_);
      }
      more.dropUnused();
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    manifest = std::move(more.manifest_);
  }

private:
  // Keeps the last document only if symbols have texts of it: of thousands of processes, each would take a lot.
  void dropUnused() {
    Manifest::Table &table = *manifest_.table_;
    if (table.symbols.size() == symbolsBefore_)
      table.documents.pop_back();
    symbolsBefore_ = table.symbols.size();
  }

  Error bad(std::string field, std::string message) {
    return {.code = "E_BAD_MANIFEST", .message = std::move(message), .file = name_, .field = std::move(field)};
  }

  std::optional<Error> readThreads(const dom::object &root) {
    dom::array threads;
    if (root[manifest::kThreads].get(threads))
      return bad(manifest::kThreads, "there is no array of threads");
    std::unordered_set<uint64_t> seen;
    size_t position = 0;
    for (const dom::element element : threads) {
      const std::string field = "threads[" + std::to_string(position++) + "]";
      dom::object entry;
      if (element.get(entry))
        return bad(field, "an object was expected");
      ManifestThread thread;
      if (!atf::readThread(entry, thread))
        return bad(field + ".id", "an integer from 0 to 4294967295 was expected");
      if (seen.insert(thread.id).second)
        manifest_.threads.push_back(std::move(thread));
    }
    return std::nullopt;
  }

  // What a late addition has, too.
  void readTables(const dom::object &root) {
    eachObject(root, manifest::kModules, [this](const dom::object &entry) {
      ManifestModule module;
      const bool isUsable = FieldReader::read(entry, module, [](auto &f, auto &to) { manifest::moduleFields(f, to); });
      if (!isUsable || (isLate_ && manifest_.table_->moduleById.contains(module.id)))
        return;
      manifest_.table_->moduleById.emplace(module.id, static_cast<uint32_t>(manifest_.modules.size()));
      if (atf::Binaries::isName(module.binary) && module.id <= UINT32_MAX) {
        Manifest::Table &table = *manifest_.table_;
        Manifest::Table::Elsewhere &elsewhere = table.elsewhere.emplace_back();
        table.elsewhereById.emplace(module.id, &elsewhere);
        elsewhere.moduleId = static_cast<uint32_t>(module.id), elsewhere.baseAddress = module.baseAddress;
      } else {
        module.binary.clear();
      }
      manifest_.modules.push_back(std::move(module));
    });
    readSymbols(root);
    eachObject(root, manifest::kTimingAnchors, [this](const dom::object &entry) {
      TimingAnchor anchor;
      (void)FieldReader::read(entry, anchor, [](auto &f, auto &to) { manifest::anchorFields(f, to); });
      // A manifest written in the meantime also has the anchors from the file of late modules.
      if (!isLate_ || std::ranges::find(manifest_.timingAnchors, anchor) == manifest_.timingAnchors.end())
        manifest_.timingAnchors.push_back(std::move(anchor));
    });
  }

  static std::optional<Symbol> symbolOf(const dom::object &object) {
    atf::SymbolEntry entry;
    (void)FieldReader::read(object, entry, [](auto &f, auto &to) {
      manifest::symbolIds(f, to.ids);
      manifest::symbolFields(f, to);
    });
    const std::optional<uint64_t> id = entry.ids.id();
    if (!id || entry.name.empty())
      return std::nullopt;
    entry.functionId = *id;
    entry.kind = symbolKindOf(entry.kindName);
    return entry;
  }

  void readSymbols(const dom::object &root) {
    dom::array entries;
    if (root[manifest::kSymbols].get(entries))
      return;
    Manifest::Table &table = *manifest_.table_;
    // size() saturates at 2^24-1 and is bounded by the length of the parsed text.
    table.symbols.reserve(entries.size());
    table.byId.reserve(entries.size());
    uint64_t leftOut = 0;
    bool hasInlined = false;
    for (const dom::element element : entries) {
      dom::object entry;
      const std::optional<Symbol> symbol = element.get(entry) ? std::nullopt : symbolOf(entry);
      if (!symbol) {
        ++leftOut;
        continue;
      }
      auto position = static_cast<uint32_t>(table.symbols.size());
      if (table.byId.emplace(symbol->functionId, position).second)
        table.symbols.push_back(*symbol);
      hasInlined |= symbol->isInlined;
      table.hasAnnotatedValues |= symbol->kind != SymbolKind::Function && !symbol->types.empty();
    }
    if (hasInlined)
      atf::findOriginals(table.symbols);
    table.names.resize(table.symbols.size());
    if (leftOut > 0)
      manifest_.warnings.push_back(
          {"W_SYMBOLS_LEFT_OUT", std::to_string(leftOut) + " symbols have no usable id or name and were left out"});
  }

  std::string name_;
  Manifest manifest_;
  bool isLate_ = false;
  size_t symbolsBefore_ = 0;
};

Expected<Manifest> Manifest::parse(std::string_view json, const std::string &name) {
  return ManifestParser(name).run(json);
}

Expected<Manifest> Manifest::read(const std::string &path) {
  auto text = [](std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  };
  // Open this first: a writer removes it once all of its contents are in a new manifest.
  const auto late = FileBytes::open(atf::joinPath(atf::parentPath(path), manifest::kLateModulesFile));
  auto file = FileBytes::open(path);
  // One of this size may be overwritten at this moment: what is read twice is whole.
  for (bool isWhole = !file || file->bytes().size() != manifest::kSmallBytes; !isWhole;) {
    auto again = FileBytes::open(path);
    isWhole = !again || std::ranges::equal(file->bytes(), again->bytes());
    file = std::move(again);
  }
  if (!file)
    return file.error();
  auto manifest = parse(text(file->holes().before(file->bytes())), path);
  if (manifest && late)
    ManifestParser::addLate(*manifest, text(late->bytes()));
  if (manifest && !manifest->table_->elsewhere.empty())
    manifest->table_->binaries = atf::Binaries::beside(atf::parentPath(path));
  return manifest;
}

//===--- questions --------------------------------------------------------===//

std::span<const Symbol> Manifest::ownSymbols() const noexcept { return table_->symbols; }

uint64_t Manifest::functionCount(const ManifestModule &module) const noexcept {
  return module.binary.empty()
             ? static_cast<uint64_t>(std::ranges::count(
                   table_->symbols, module.id, [](const Symbol &symbol) { return moduleOf(symbol.functionId); }))
             : module.functions;
}

uint64_t Manifest::functionCount() const noexcept {
  uint64_t count = table_->symbols.size();
  for (const ManifestModule &module : modules)
    if (!module.binary.empty())
      count += module.functions;
  return count;
}

void Manifest::eachSymbol(const std::function<void(const Symbol &symbol)> &visit,
                          const std::function<bool(const ManifestModule &module)> &wants) const {
  for (const Symbol &symbol : table_->symbols)
    visit(symbol);
  for (const auto &[id, place] : table_->elsewhereById) {
    Table::Elsewhere &module = *place;
    if (!table_->binaries || (wants && !wants(modules[table_->moduleById.at(id)])))
      continue;
    if (const auto &binary = table_->read(module, modules))
      for (const Symbol &symbol : (*binary)->symbols())
        if (!symbol.name.empty())
          visit(module.symbol(symbol));
  }
}

std::optional<Symbol> Manifest::find(uint64_t functionId) const {
  if (const auto found = table_->byId.find(functionId); found != table_->byId.end())
    return table_->symbols[found->second];
  const auto [binary, module] = table_->fileOf(functionId, modules);
  if (!binary)
    return std::nullopt;
  return module->symbol(*binary->at(symbolOf(functionId)));
}

bool Manifest::hasAnnotatedValues() const {
  return table_->hasAnnotatedValues ||
         (table_->binaries && std::ranges::any_of(table_->elsewhere, [this](Table::Elsewhere &module) {
            const auto &binary = table_->read(module, modules);
            return binary && (*binary)->hasAnnotatedValues();
          }));
}

std::vector<Error> Manifest::binaryFlaws() const {
  std::vector<Error> flaws;
  if (!table_->binaries)
    return flaws;
  for (Table::Elsewhere &module : table_->elsewhere) {
    const auto &binary = table_->read(module, modules);
    const ManifestModule &known = modules[table_->moduleById.at(module.moduleId)];
    if (!binary)
      flaws.push_back(binary.error());
    else if ((*binary)->flaw())
      flaws.push_back(*(*binary)->flaw());
    else if ((*binary)->symbols().size() != (*binary)->claimedFunctions() ||
             (known.functions && known.functions != (*binary)->symbols().size()))
      flaws.push_back({.code = "E_BAD_BINARY",
                       .message = "it has " + std::to_string((*binary)->symbols().size()) + " functions instead of " +
                                  std::to_string(known.functions ? known.functions : (*binary)->claimedFunctions()) +
                                  "; others have no names",
                       .file = table_->binaries->pathOf(known.binary)});
  }
  return flaws;
}

std::string Manifest::binariesFolder() const { return table_->binaries ? table_->binaries->folder() : std::string(); }

const ManifestModule *Manifest::moduleOfFunction(uint64_t functionId) const noexcept {
  auto found = table_->moduleById.find(moduleOf(functionId));
  return found == table_->moduleById.end() ? nullptr : &modules[found->second];
}

std::string_view Manifest::displayName(uint64_t functionId) const {
  if (const auto found = table_->byId.find(functionId); found != table_->byId.end())
    return table_->names.displayName(table_->symbols, found->second);
  const atf::Binary *binary = table_->fileOf(functionId, modules).first;
  return binary ? binary->displayName(symbolOf(functionId)) : table_->unknownName(functionId);
}

std::string_view Manifest::shortDisplayName(uint64_t functionId) const {
  if (const auto found = table_->byId.find(functionId); found != table_->byId.end())
    return table_->names.shortDisplayName(table_->symbols, found->second);
  const atf::Binary *binary = table_->fileOf(functionId, modules).first;
  return binary ? binary->shortDisplayName(symbolOf(functionId)) : table_->unknownName(functionId);
}

std::map<std::string, uint64_t> Manifest::allDropped() const {
  std::map<std::string, uint64_t> all = dropped;
  for (const ManifestThread &thread : threads)
    for (const auto &[reason, count] : thread.dropped)
      all[reason] += count;
  return all;
}

// The value of a field that was read as text; empty if it is missing.
static std::string valueOf(const ManifestFields &fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, [](const auto &field) { return std::string_view(field.first); });
  return found == fields.end() ? std::string() : found->second;
}

std::string Manifest::whyNothingIsRecorded() const {
  if (exit.how == manifest::kUntraced)
    return "the program ran untraced, because its recorder could not start";
  // The recorder writes its first manifest before it records anything.
  if (wasRecovered && recorder.empty() && threads.empty())
    return kNeverBegan;
  return {};
}

std::string Manifest::whyLossesAreUnknown() const {
  if (std::string why = whyNothingIsRecorded(); !why.empty())
    return why;
  if (exit.how == manifest::kRunning)
    return "the trace has no end yet; if its process was killed, recovery finds out";
  if (valueOf(recovered, manifest::kRingFound) == "false")
    return "the process did not finish its trace, and its events in memory were gone before they could be recovered";
  return {};
}

std::string Manifest::failure() const { return valueOf(recorder, manifest::kFailure); }

uint64_t Manifest::allLost() const {
  uint64_t all = 0;
  for (const auto &[reason, count] : allDropped())
    all += count;
  return all;
}

uint64_t Manifest::allEstimated() const {
  uint64_t all = 0;
  for (const SwitchedOffFunction &function : switchedOff)
    all += function.estimatedCalls;
  return all;
}

uint64_t Manifest::allAtMost() const {
  uint64_t most = 0;
  for (const SwitchedOffFunction &function : switchedOff)
    if (function.mostCalls == 0)
      return 0;
    else
      most = std::max(most, function.mostCalls);
  return most;
}

uint64_t Manifest::allLeftOut() const {
  uint64_t all = leftOutCount;
  for (const ManifestThread &thread : threads)
    all += thread.leftOutCount;
  return all;
}

} // namespace ada
