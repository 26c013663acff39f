// Reads manifest.json with simdjson, which does some hundred thousand symbols
// in well under a tenth of a second. The symbols' texts stay in its buffers.
#include "ada/trace/manifest.h"

#include "ada/trace/event.h"
#include "ada/trace/names.h"
#include "formats/atf/file_bytes.h"
#include "formats/atf/json_repair.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <simdjson.h>
#include <unordered_map>
#include <unordered_set>

namespace ada {

namespace dom = simdjson::dom;

// A name that is made when it is first asked for. The first thread to finish
// wins.
class LazyText {
public:
  LazyText() = default;
  LazyText(LazyText &&other) noexcept : made(other.made.exchange(nullptr)) {}
  ~LazyText() { delete made.load(); }

  template <class Make> std::string_view get(Make make) const {
    const std::string *text = made.load(std::memory_order_acquire);
    if (!text) {
      auto *fresh = new std::string(make());
      if (made.compare_exchange_strong(text, fresh, std::memory_order_acq_rel))
        text = fresh;
      else
        delete fresh;
    }
    return *text;
  }

private:
  mutable std::atomic<const std::string *> made{nullptr};
};

struct Manifest::Table {
  // A trace with damaged ids could ask for any number of unknown functions;
  // only so many get a text of their own.
  static constexpr std::size_t kMaxUnknown = 1 << 20;

  dom::parser parser; // owns the texts
  std::vector<Symbol> symbols;
  std::vector<LazyText> names, shortNames; // by position in `symbols`
  std::unordered_map<std::uint64_t, std::uint32_t> byId;
  std::unordered_map<std::uint64_t, std::uint32_t> moduleById;

  mutable std::mutex unknownMutex;
  mutable std::unordered_map<std::uint64_t, std::string> unknown;

  std::string_view unknownName(std::uint64_t functionId) const {
    std::lock_guard lock(unknownMutex);
    if (auto found = unknown.find(functionId); found != unknown.end())
      return found->second;
    if (unknown.size() >= kMaxUnknown)
      return "(unknown function)";
    return unknown.emplace(functionId, functionIdText(functionId))
        .first->second;
  }
};

Manifest::Manifest() : table(std::make_unique<Table>()) {}
Manifest::Manifest(Manifest &&) noexcept = default;
Manifest &Manifest::operator=(Manifest &&) noexcept = default;
Manifest::~Manifest() = default;

Manifest Manifest::empty() { return Manifest(); }

//===--- values
//------------------------------------------------------------===//

// "0x1f" as a number.
static std::optional<std::uint64_t> parseHex(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X"))
    return std::nullopt;
  std::uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return value;
}

// An integer, or a hexadecimal string: fields that other writers give as the
// one or the other are taken as either.
static std::optional<std::uint64_t> number(const dom::object &object,
                                           std::string_view key) {
  dom::element value;
  if (object[key].get(value))
    return std::nullopt;
  std::uint64_t integer;
  if (!value.get(integer))
    return integer;
  std::string_view text;
  if (!value.get(text))
    return parseHex(text);
  return std::nullopt;
}

static std::optional<std::int64_t> signedNumber(const dom::object &object,
                                                std::string_view key) {
  std::int64_t value;
  if (object[key].get(value))
    return std::nullopt;
  return value;
}

static std::string_view text(const dom::object &object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) ? std::string_view() : value;
}

// Strings as they are, everything else as JSON.
static std::string asText(dom::element value) {
  std::string_view string;
  if (!value.get(string))
    return std::string(string);
  return simdjson::minify(value);
}

static std::vector<std::pair<std::string, std::string>>
asPairs(const dom::object &object, std::string_view key) {
  std::vector<std::pair<std::string, std::string>> pairs;
  dom::object fields;
  if (!object[key].get(fields))
    for (auto field : fields)
      pairs.emplace_back(field.key, asText(field.value));
  return pairs;
}

// Calls f for each object of an array field; other elements are left out.
template <class F>
static void eachObject(const dom::object &object, std::string_view key, F f) {
  dom::array elements;
  if (object[key].get(elements))
    return;
  for (dom::element element : elements) {
    dom::object entry;
    if (!element.get(entry))
      f(entry);
  }
}

//===--- fields
//------------------------------------------------------------===//

class ManifestParser {
public:
  explicit ManifestParser(const std::string &name) : name(name) {}

  Expected<Manifest> run(std::string_view json) {
    dom::element document;
    auto error =
        manifest.table->parser.parse(json.data(), json.size()).get(document);
    if (error && !json.empty()) {
      std::string repaired = repairJson(json);
      if (repaired != json)
        error = manifest.table->parser.parse(repaired).get(document);
      if (!error)
        manifest.warnings.push_back(
            {"W_MANIFEST_REPAIRED",
             "the manifest holds bytes that are not UTF-8 or numbers out of "
             "range; they were replaced"});
    }
    if (error)
      return bad("", json.empty() ? "the file is empty"
                                  : std::string("this is not JSON: ") +
                                        simdjson::error_message(error));
    if (document.get(root))
      return bad("", "a JSON object was expected");
    if (auto failed = readThreads())
      return *failed;
    readModules();
    readSymbols();
    readProcess();
    readRest();
    return std::move(manifest);
  }

private:
  Error bad(std::string field, std::string message) {
    return {.code = "E_BAD_MANIFEST",
            .message = std::move(message),
            .file = name,
            .field = std::move(field)};
  }

  std::optional<Error> readThreads() {
    dom::array threads;
    if (root["threads"].get(threads))
      return bad("threads", "there is no array of threads");
    std::unordered_set<std::uint64_t> seen;
    std::size_t position = 0;
    for (dom::element element : threads) {
      std::string field = "threads[" + std::to_string(position++) + "]";
      dom::object entry;
      if (element.get(entry))
        return bad(field, "an object was expected");
      // A number and nothing else: it becomes part of a path.
      std::uint64_t id;
      if (entry["id"].get(id) || id > 0xffffffffu)
        return bad(field + ".id", "an integer from 0 to 4294967295 was "
                                  "expected");
      if (!seen.insert(id).second)
        continue;
      ManifestThread thread;
      thread.id = id;
      bool hasDetail;
      if (!entry["has_detail"].get(hasDetail))
        thread.hasDetail = hasDetail;
      thread.tid = number(entry, "tid");
      thread.name = text(entry, "name");
      thread.eventCount = number(entry, "event_count");
      thread.detailCount = number(entry, "detail_count");
      thread.timeStartNs = number(entry, "time_start_ns");
      thread.timeEndNs = number(entry, "time_end_ns");
      dom::object dropped;
      if (!entry["dropped"].get(dropped))
        for (auto reason : dropped) {
          std::uint64_t count;
          if (!reason.value.get(count))
            thread.dropped[std::string(reason.key)] += count;
        }
      manifest.threads.push_back(std::move(thread));
    }
    return std::nullopt;
  }

  void readModules() {
    eachObject(root, "modules", [this](const dom::object &entry) {
      auto id = number(entry, "module_id");
      if (!id)
        return;
      ManifestModule module;
      module.id = *id;
      module.path = text(entry, "path");
      module.baseAddress = number(entry, "base_address").value_or(0);
      module.size = number(entry, "size").value_or(0);
      module.uuid = text(entry, "uuid");
      module.buildId = text(entry, "build_id");
      module.loadedNs = number(entry, "loaded_ns");
      module.unloadedNs = number(entry, "unloaded_ns");
      manifest.table->moduleById.emplace(
          module.id, static_cast<std::uint32_t>(manifest.modules.size()));
      manifest.modules.push_back(std::move(module));
    });
  }

  // By hand rather than by key: a manifest may hold hundreds of thousands of
  // these, and each search by key starts at the object's beginning.
  void readSymbols() {
    dom::array entries;
    if (root["symbols"].get(entries))
      return;
    Manifest::Table &table = *manifest.table;
    // size() saturates at 2^24-1, and is bounded by the text that was parsed.
    table.symbols.reserve(entries.size());
    table.byId.reserve(entries.size());
    std::uint64_t leftOut = 0;
    for (dom::element element : entries) {
      dom::object entry;
      if (element.get(entry)) {
        ++leftOut;
        continue;
      }
      Symbol symbol;
      std::optional<std::uint64_t> id, moduleId, index;
      for (auto field : entry) {
        auto key = field.key;
        auto value = field.value;
        if (key == "function_id") {
          id = asNumber(value);
        } else if (key == "module_id") {
          moduleId = asNumber(value);
        } else if (key == "symbol_index") {
          index = asNumber(value);
        } else if (key == "name") {
          symbol.name = asView(value);
        } else if (key == "file") {
          symbol.file = asView(value);
        } else if (key == "signature") {
          symbol.signature = asView(value);
        } else if (key == "types") {
          symbol.types = asView(value);
        } else if (key == "line") {
          symbol.line = asNumber(value).value_or(0);
        } else if (key == "address") {
          symbol.address = asNumber(value).value_or(0);
        }
      }
      if (!id && moduleId && index && *moduleId <= 0xffffffffu &&
          *index <= 0xffffffffu)
        id = makeFunctionId(static_cast<std::uint32_t>(*moduleId),
                            static_cast<std::uint32_t>(*index));
      if (!id || symbol.name.empty()) {
        ++leftOut;
        continue;
      }
      symbol.functionId = *id;
      auto position = static_cast<std::uint32_t>(table.symbols.size());
      if (table.byId.emplace(*id, position).second)
        table.symbols.push_back(symbol);
    }
    table.names.resize(table.symbols.size());
    table.shortNames.resize(table.symbols.size());
    if (leftOut > 0)
      manifest.warnings.push_back(
          {"W_SYMBOLS_LEFT_OUT", std::to_string(leftOut) +
                                     " symbols have no usable id or name and "
                                     "were left out"});
  }

  static std::optional<std::uint64_t> asNumber(dom::element value) {
    std::uint64_t integer;
    if (!value.get(integer))
      return integer;
    std::string_view string;
    if (!value.get(string))
      return parseHex(string);
    return std::nullopt;
  }

  static std::string_view asView(dom::element value) {
    std::string_view string;
    return value.get(string) ? std::string_view() : string;
  }

  void readProcess() {
    dom::object process;
    if (root["process"].get(process))
      return;
    manifest.pid = number(process, "pid");
    manifest.ppid = number(process, "ppid");
    manifest.executable = text(process, "executable");
    manifest.cwd = text(process, "cwd");
    dom::array argv;
    if (!process["argv"].get(argv))
      for (dom::element argument : argv)
        manifest.argv.push_back(asText(argument));
    readExit(process);
  }

  // Either a word, "running", or an object with one of the words as its key or
  // as its field `how`: {"code": 3}, {"how": "signal", "value": 9}.
  void readExit(const dom::object &process) {
    dom::element value;
    if (process["exit"].get(value))
      return;
    std::string_view word;
    dom::object fields;
    if (!value.get(word)) {
      manifest.exit.how = word;
    } else if (!value.get(fields)) {
      manifest.exit.how = text(fields, "how");
      manifest.exit.value = signedNumber(fields, "value");
      for (std::string_view key :
           {"code", "signal", "exec", "running", "unknown"}) {
        dom::element ignored;
        if (fields[key].get(ignored))
          continue;
        if (manifest.exit.how.empty())
          manifest.exit.how = key;
        if (!manifest.exit.value && manifest.exit.how == key)
          manifest.exit.value = signedNumber(fields, key);
      }
    }
  }

  void readRest() {
    manifest.formatVersion = text(root, "format_version");
    manifest.timeStartNs = number(root, "time_start_ns").value_or(0);
    manifest.timeEndNs = number(root, "time_end_ns").value_or(0);
    manifest.clockType = number(root, "clock_type").value_or(0);
    manifest.host = asPairs(root, "host");
    manifest.options = asPairs(root, "options");
    manifest.recorder = asPairs(root, "recorder");
    manifest.recovered = asPairs(root, "recovered");
    dom::object recovered;
    manifest.wasRecovered = !root["recovered"].get(recovered);
    dom::object clock;
    if (!root["clock"].get(clock)) {
      manifest.clockSource = text(clock, "source");
      eachObject(clock, "anchors", [this](const dom::object &anchor) {
        manifest.clockAnchors.push_back(
            {number(anchor, "counter").value_or(0),
             number(anchor, "time_ns").value_or(0)});
      });
    }
    readWindows();
    eachObject(root, "timing_anchors", [this](const dom::object &anchor) {
      Manifest::TimingAnchor result;
      result.hostTimeNs = number(anchor, "host_time_ns").value_or(0);
      result.label = text(anchor, "label");
      dom::object media;
      if (!anchor["media_time"].get(media)) {
        result.mediaValue = signedNumber(media, "value").value_or(0);
        result.mediaTimescale = signedNumber(media, "timescale").value_or(0);
      }
      manifest.timingAnchors.push_back(std::move(result));
    });
  }

  void readWindows() {
    eachObject(root, "windows", [this](const dom::object &entry) {
      DetailWindow window;
      window.startNs = number(entry, "start_ns").value_or(0);
      window.endNs = number(entry, "end_ns").value_or(0);
      window.preRollMs = number(entry, "pre_roll_ms").value_or(0);
      window.preRollAvailableMs =
          number(entry, "pre_roll_available_ms").value_or(0);
      eachObject(entry, "triggers", [&](const dom::object &cause) {
        window.triggers.push_back(
            {.kind = std::string(text(cause, "kind")),
             .functionId = number(cause, "function_id"),
             .timeNs = number(cause, "time_ns").value_or(0),
             .thread = number(cause, "thread")});
      });
      window.triggerCount =
          number(entry, "trigger_count").value_or(window.triggers.size());
      manifest.windows.push_back(std::move(window));
    });
  }

  const std::string &name;
  Manifest manifest;
  dom::object root;
};

Expected<Manifest> Manifest::parse(std::string_view json,
                                   const std::string &name) {
  return ManifestParser(name).run(json);
}

Expected<Manifest> Manifest::read(const std::string &path) {
  auto file = atf::FileBytes::open(path);
  if (!file)
    return file.error();
  auto bytes = file->bytes();
  return parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
               path);
}

//===--- questions
//---------------------------------------------------------===//

std::span<const Symbol> Manifest::symbols() const noexcept {
  return table->symbols;
}

const Symbol *Manifest::find(std::uint64_t functionId) const noexcept {
  auto found = table->byId.find(functionId);
  return found == table->byId.end() ? nullptr : &table->symbols[found->second];
}

const ManifestModule *
Manifest::moduleOfFunction(std::uint64_t functionId) const noexcept {
  auto found = table->moduleById.find(moduleOf(functionId));
  return found == table->moduleById.end() ? nullptr : &modules[found->second];
}

std::string_view Manifest::displayName(std::uint64_t functionId) const {
  auto found = table->byId.find(functionId);
  if (found == table->byId.end())
    return table->unknownName(functionId);
  return table->names[found->second].get(
      [&] { return demangle(table->symbols[found->second].name); });
}

std::string_view Manifest::shortDisplayName(std::uint64_t functionId) const {
  auto found = table->byId.find(functionId);
  if (found == table->byId.end())
    return table->unknownName(functionId);
  return table->shortNames[found->second].get(
      [&] { return shortName(displayName(functionId)); });
}

} // namespace ada
