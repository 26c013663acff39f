// Reads manifest.json with simdjson, which parses some hundred thousand symbols in well under a tenth of a second.
// The symbols' texts stay in its buffers.
#include "ada/trace/manifest.h"

#include "ada/trace/event.h"
#include "base/file_bytes.h"
#include "formats/atf/manifest/json_repair.h"
#include "formats/atf/manifest/lambda_places.h"
#include "formats/atf/manifest/symbol_entries.h"
#include "formats/atf/session/directories.h"
#include "model/names.h"
#include "shared/manifest_keys.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <deque>
#include <mutex>
#include <simdjson.h>
#include <unordered_map>
#include <unordered_set>

namespace ada {

namespace dom = simdjson::dom;

// A name that is made on first use. If several threads make it, the first one to finish wins.
class LazyText {
public:
  LazyText() = default;
  LazyText(LazyText &&other) noexcept : made_(other.made_.exchange(nullptr)) {}
  ~LazyText() { delete made_.load(); }

  template <class Make> std::string_view get(Make make) const {
    const std::string *text = made_.load(std::memory_order_acquire);
    if (!text) {
      auto *fresh = new std::string(make());
      if (made_.compare_exchange_strong(text, fresh, std::memory_order_acq_rel))
        text = fresh;
      else
        delete fresh;
    }
    return *text;
  }

private:
  mutable std::atomic<const std::string *> made_{nullptr};
};

struct Manifest::Table {
  // A trace with damaged ids can contain any number of unknown functions; at most this many get a name each.
  static constexpr size_t kMaxUnknown = 1 << 20;

  dom::parser parser;                  // owns the texts
  std::deque<dom::parser> lateParsers; // own the texts of late modules
  std::vector<Symbol> symbols;
  std::vector<LazyText> names, shortNames; // by position in `symbols`
  std::unordered_map<uint64_t, uint32_t> byId;
  mutable std::once_flag lambdasMade;
  mutable atf::LambdaPlaces lambdas;
  std::unordered_map<uint64_t, uint32_t> moduleById;

  // Made when a lambda's name is first needed; by then all symbols are there.
  const atf::LambdaPlaces &placesOfLambdas() const {
    std::call_once(lambdasMade, [this] {
      for (const Symbol &symbol : symbols)
        if (symbol.line && symbol.displayName.empty() && atf::LambdaPlaces::mayName(symbol.name))
          lambdas.add(demangle(symbol.name), symbol.file, symbol.line);
      lambdas.finish();
    });
    return lambdas;
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

//===--- values -----------------------------------------------------------===//

static std::optional<uint64_t> number(const dom::object &object, std::string_view key) {
  dom::element value;
  return object[key].get(value) ? std::nullopt : atf::asNumber(value);
}

static std::optional<int64_t> signedNumber(const dom::object &object, std::string_view key) {
  int64_t value;
  if (object[key].get(value))
    return std::nullopt;
  return value;
}

static std::string_view text(const dom::object &object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) ? std::string_view() : value;
}

// Strings unchanged, everything else as JSON.
static std::string asText(dom::element value) {
  std::string_view string;
  if (!value.get(string))
    return std::string(string);
  return simdjson::minify(value);
}

static std::vector<std::pair<std::string, std::string>> asPairs(const dom::object &object, std::string_view key) {
  std::vector<std::pair<std::string, std::string>> pairs;
  dom::object fields;
  if (!object[key].get(fields))
    for (auto field : fields)
      pairs.emplace_back(field.key, asText(field.value));
  return pairs;
}

// Calls f for each object of an array field; skips other elements.
template <class F> static void eachObject(const dom::object &object, std::string_view key, F f) {
  dom::array elements;
  if (object[key].get(elements))
    return;
  for (dom::element element : elements) {
    dom::object entry;
    if (!element.get(entry))
      f(entry);
  }
}

//===--- fields -----------------------------------------------------------===//

class ManifestParser {
public:
  explicit ManifestParser(std::string name) : name_(std::move(name)) {}

  Expected<Manifest> run(std::string_view json) {
    dom::element document;
    auto error = manifest_.table_->parser.parse(json.data(), json.size()).get(document);
    if (error && !json.empty()) {
      std::string repaired = repairJson(json);
      if (repaired != json)
        error = manifest_.table_->parser.parse(repaired).get(document);
      if (!error)
        manifest_.warnings.push_back(
            {"W_MANIFEST_REPAIRED",
             "the manifest holds bytes that are not UTF-8 or numbers out of range; they were replaced"});
    }
    if (error)
      return bad("", json.empty() ? "the file is empty"
                                  : std::string("this is not JSON: ") + simdjson::error_message(error));
    if (document.get(root_))
      return bad("", "a JSON object was expected");
    if (auto failed = readThreads())
      return *failed;
    readDropped(root_, manifest_.dropped);
    manifest_.leftOutCount = number(root_, manifest::kLeftOutCount).value_or(0);
    manifest_.recorderWaitNs = number(root_, manifest::kRecorderWaitNs).value_or(0);
    manifest_.recorderSpansMissingNs = number(root_, manifest::kRecorderSpansMissingNs).value_or(0);
    readModules();
    readSymbols();
    readProcess();
    readPart();
    readRest();
    return std::move(manifest_);
  }

  // Adds the modules that were loaded after the manifest was written. Each line is one addition; the last one may be
  // cut off.
  static void addLate(Manifest &manifest, std::string_view lines) {
    while (!lines.empty()) {
      const size_t end = std::min(lines.find('\n'), lines.size());
      const std::string line = repairJson(lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
      ManifestParser more(manifest::kLateModulesFile);
      more.manifest_ = std::move(manifest);
      more.isLate_ = true;
      dom::element document;
      if (!more.manifest_.table_->lateParsers.emplace_back().parse(line).get(document) && !document.get(more.root_)) {
        more.readModules();
        more.readSymbols();
        more.readTimingAnchors();
      }
      manifest = std::move(more.manifest_);
    }
  }

private:
  Error bad(std::string field, std::string message) {
    return {.code = "E_BAD_MANIFEST", .message = std::move(message), .file = name_, .field = std::move(field)};
  }

  std::optional<Error> readThreads() {
    dom::array threads;
    if (root_[manifest::kThreads].get(threads))
      return bad(manifest::kThreads, "there is no array of threads");
    std::unordered_set<uint64_t> seen;
    size_t position = 0;
    for (dom::element element : threads) {
      std::string field = "threads[" + std::to_string(position++) + "]";
      dom::object entry;
      if (element.get(entry))
        return bad(field, "an object was expected");
      // Must be a number, because it becomes part of a path.
      uint64_t id;
      if (entry[manifest::kId].get(id) || id > 0xffffffffu)
        return bad(field + ".id", "an integer from 0 to 4294967295 was expected");
      if (!seen.insert(id).second)
        continue;
      ManifestThread thread;
      thread.id = id;
      bool hasDetail;
      if (!entry[manifest::kHasDetail].get(hasDetail))
        thread.hasDetail = hasDetail;
      thread.tid = number(entry, manifest::kTid);
      thread.name = text(entry, manifest::kName);
      thread.eventCount = number(entry, manifest::kEventCount);
      thread.detailCount = number(entry, manifest::kDetailCount);
      dom::object before;
      if (!entry[manifest::kBefore].get(before))
        thread.beforeCount = number(before, manifest::kEventCount).value_or(0);
      thread.removedCount = number(entry, manifest::kRemovedCount).value_or(0);
      thread.leftOutCount = number(entry, manifest::kLeftOutCount).value_or(0);
      thread.recorderWaitNs = number(entry, manifest::kRecorderWaitNs).value_or(0);
      thread.timeStartNs = number(entry, manifest::kTimeStartNs);
      thread.timeEndNs = number(entry, manifest::kTimeEndNs);
      readDropped(entry, thread.dropped);
      readGaps(entry, thread.gaps);
      manifest_.threads.push_back(std::move(thread));
    }
    return std::nullopt;
  }

  static void readDropped(const dom::object &owner, std::map<std::string, uint64_t> &result) {
    dom::object dropped;
    if (owner[manifest::kDropped].get(dropped))
      return;
    for (auto reason : dropped) {
      uint64_t count;
      if (!reason.value.get(count))
        result[std::string(reason.key)] += count;
    }
  }

  // Skips entries that are not time ranges.
  static void readGaps(const dom::object &thread, std::vector<LossGap> &gaps) {
    eachObject(thread, manifest::kGaps, [&](const dom::object &entry) {
      const auto from = number(entry, manifest::kFromNs), to = number(entry, manifest::kToNs);
      if (from && to && *from <= *to)
        gaps.push_back({*from, *to, number(entry, manifest::kEvents)});
    });
    std::ranges::stable_sort(gaps, {}, &LossGap::fromNs);
  }

  void readModules() {
    eachObject(root_, manifest::kModules, [this](const dom::object &entry) {
      auto id = number(entry, manifest::kModuleId);
      if (!id || (isLate_ && manifest_.table_->moduleById.contains(*id)))
        return;
      ManifestModule module;
      module.id = *id;
      module.path = text(entry, manifest::kPath);
      module.baseAddress = number(entry, manifest::kBaseAddress).value_or(0);
      module.size = number(entry, manifest::kSize).value_or(0);
      module.uuid = text(entry, manifest::kUuid);
      module.buildId = text(entry, manifest::kBuildId);
      module.loadedNs = number(entry, manifest::kLoadedNs);
      module.unloadedNs = number(entry, manifest::kUnloadedNs);
      manifest_.table_->moduleById.emplace(module.id, static_cast<uint32_t>(manifest_.modules.size()));
      manifest_.modules.push_back(std::move(module));
    });
  }

  void readSymbols() {
    dom::array entries;
    if (root_[manifest::kSymbols].get(entries))
      return;
    Manifest::Table &table = *manifest_.table_;
    // size() saturates at 2^24-1 and is bounded by the length of the parsed text.
    table.symbols.reserve(entries.size());
    table.byId.reserve(entries.size());
    uint64_t leftOut = 0;
    bool hasInlined = false;
    for (dom::element element : entries) {
      dom::object entry;
      if (element.get(entry)) {
        ++leftOut;
        continue;
      }
      const std::optional<Symbol> symbol = atf::symbolOf(entry);
      if (!symbol) {
        ++leftOut;
        continue;
      }
      auto position = static_cast<uint32_t>(table.symbols.size());
      if (table.byId.emplace(symbol->functionId, position).second)
        table.symbols.push_back(*symbol);
      hasInlined |= symbol->isInlined;
      manifest_.hasAnnotatedValues |= symbol->kind != SymbolKind::Function && !symbol->types.empty();
    }
    if (hasInlined)
      atf::findOriginals(table.symbols);
    table.names.resize(table.symbols.size());
    table.shortNames.resize(table.symbols.size());
    if (leftOut > 0)
      manifest_.warnings.push_back(
          {"W_SYMBOLS_LEFT_OUT", std::to_string(leftOut) + " symbols have no usable id or name and were left out"});
  }

  void readProcess() {
    dom::object process;
    if (root_[manifest::kProcess].get(process))
      return;
    manifest_.pid = number(process, manifest::kPid);
    manifest_.ppid = number(process, manifest::kPpid);
    manifest_.executable = text(process, manifest::kExecutable);
    manifest_.cwd = text(process, manifest::kCwd);
    dom::array argv;
    if (!process[manifest::kArgv].get(argv))
      for (dom::element argument : argv)
        manifest_.argv.push_back(asText(argument));
    readExit(process);
  }

  void readPart() {
    dom::object part;
    if (root_[manifest::kPart].get(part))
      return;
    ManifestPart &to = manifest_.part;
    to.number = number(part, manifest::kNumber).value_or(0);
    to.startNs = number(part, manifest::kStartNs).value_or(0);
    to.previous = text(part, manifest::kPrevious);
    to.next = text(part, manifest::kNext);
    to.failure = text(part, manifest::kFailure);
  }

  // Either a word, such as "running", or an object that has one of the words as its key or in its field `how`:
  // {"code": 3}, {"how": "signal", "value": 9}.
  void readExit(const dom::object &process) {
    dom::element value;
    if (process[manifest::kExit].get(value))
      return;
    std::string_view word;
    dom::object fields;
    if (!value.get(word)) {
      manifest_.exit.how = word;
    } else if (!value.get(fields)) {
      manifest_.exit.how = text(fields, manifest::kHow);
      manifest_.exit.value = signedNumber(fields, manifest::kValue);
      for (const std::string_view key :
           {manifest::kCode, manifest::kSignal, manifest::kExec, manifest::kRunning, manifest::kUnknown}) {
        dom::element ignored;
        if (fields[key].get(ignored))
          continue;
        if (manifest_.exit.how.empty())
          manifest_.exit.how = key;
        if (!manifest_.exit.value && manifest_.exit.how == key)
          manifest_.exit.value = signedNumber(fields, key);
      }
    }
  }

  void readRest() {
    manifest_.formatVersion = text(root_, manifest::kFormatVersion);
    manifest_.timeStartNs = number(root_, manifest::kTimeStartNs).value_or(0);
    manifest_.timeEndNs = number(root_, manifest::kTimeEndNs).value_or(0);
    manifest_.clockType = number(root_, manifest::kClockType).value_or(0);
    manifest_.host = asPairs(root_, manifest::kHost);
    manifest_.options = asPairs(root_, manifest::kOptions);
    manifest_.recorder = asPairs(root_, manifest::kRecorder);
    manifest_.recovered = asPairs(root_, manifest::kRecovered);
    dom::object recovered;
    manifest_.wasRecovered = !root_[manifest::kRecovered].get(recovered);
    dom::object clock;
    if (!root_[manifest::kClock].get(clock)) {
      manifest_.clockSource = text(clock, manifest::kSource);
      manifest_.times = text(clock, manifest::kTimes);
      manifest_.resolutionNs = number(clock, manifest::kResolutionNs).value_or(0);
      manifest_.longestTickNs = number(clock, manifest::kLongestTickNs).value_or(0);
      manifest_.counterFaults = number(clock, manifest::kCounterFaults).value_or(0);
      eachObject(clock, manifest::kAnchors, [this](const dom::object &anchor) {
        manifest_.clockAnchors.push_back(
            {number(anchor, manifest::kCounter).value_or(0), number(anchor, manifest::kTimeNs).value_or(0)});
      });
    }
    readWindows();
    readBudget();
    readSched();
    readTimingAnchors();
  }

  void readTimingAnchors() {
    eachObject(root_, manifest::kTimingAnchors, [this](const dom::object &anchor) {
      Manifest::TimingAnchor result;
      result.hostTimeNs = number(anchor, manifest::kHostTimeNs).value_or(0);
      result.label = text(anchor, manifest::kLabel);
      dom::object media;
      if (!anchor[manifest::kMediaTime].get(media)) {
        result.mediaValue = signedNumber(media, manifest::kValue).value_or(0);
        result.mediaTimescale = signedNumber(media, manifest::kTimescale).value_or(0);
      }
      // A manifest written in the meantime also has the anchors from the file of late modules.
      if (!isLate_ || std::ranges::find(manifest_.timingAnchors, result) == manifest_.timingAnchors.end())
        manifest_.timingAnchors.push_back(std::move(result));
    });
  }

  void readWindows() {
    eachObject(root_, manifest::kWindows, [this](const dom::object &entry) {
      DetailWindow window;
      window.startNs = number(entry, manifest::kStartNs).value_or(0);
      window.endNs = number(entry, manifest::kEndNs).value_or(0);
      window.preRollMs = number(entry, manifest::kPreRollMs).value_or(0);
      window.preRollAvailableMs = number(entry, manifest::kPreRollAvailableMs).value_or(0);
      eachObject(entry, manifest::kTriggers, [&](const dom::object &cause) {
        window.triggers.push_back({.kind = std::string(text(cause, manifest::kKind)),
                                   .functionId = number(cause, manifest::kFunctionId),
                                   .timeNs = number(cause, manifest::kTimeNs).value_or(0),
                                   .thread = number(cause, manifest::kThread)});
      });
      window.triggerCount = number(entry, manifest::kTriggerCount).value_or(window.triggers.size());
      manifest_.windows.push_back(std::move(window));
    });
  }

  void readBudget() {
    dom::object budget;
    if (root_[manifest::kBudget].get(budget))
      return;
    manifest_.budget = text(budget, manifest::kShare);
    manifest_.budgetCallNs = number(budget, manifest::kCallNs).value_or(0);
    eachObject(budget, manifest::kFunctions, [&](const dom::object &entry) {
      if (const auto id = number(entry, manifest::kFunctionId))
        manifest_.switchedOff.push_back({.functionId = *id,
                                         .offNs = number(entry, manifest::kOffNs).value_or(0),
                                         .onNs = number(entry, manifest::kOnNs),
                                         .calls = number(entry, manifest::kCalls).value_or(0),
                                         .estimatedCalls = number(entry, manifest::kEstimatedCalls).value_or(0)});
    });
  }

  void readSched() {
    dom::object sched;
    if (root_[manifest::kSched].get(sched))
      return;
    bool isRecorded = false;
    const bool isThere = sched[manifest::kIsRecorded].get(isRecorded) == simdjson::SUCCESS;
    manifest_.sched = {.isRecorded = isThere && isRecorded,
                       .fromNs = number(sched, manifest::kFromNs).value_or(0),
                       .lostRecords = number(sched, manifest::kLostRecords).value_or(0),
                       .missedThreads = number(sched, manifest::kMissedThreads).value_or(0),
                       .failure = std::string(text(sched, manifest::kFailure))};
  }

  std::string name_;
  Manifest manifest_;
  bool isLate_ = false;
  dom::object root_;
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
  if (!file)
    return file.error();
  auto manifest = parse(text(file->holes().before(file->bytes())), path);
  if (manifest && late)
    ManifestParser::addLate(*manifest, text(late->bytes()));
  return manifest;
}

//===--- questions --------------------------------------------------------===//

std::span<const Symbol> Manifest::symbols() const noexcept { return table_->symbols; }

const Symbol *Manifest::find(uint64_t functionId) const noexcept {
  auto found = table_->byId.find(functionId);
  return found == table_->byId.end() ? nullptr : &table_->symbols[found->second];
}

const ManifestModule *Manifest::moduleOfFunction(uint64_t functionId) const noexcept {
  auto found = table_->moduleById.find(moduleOf(functionId));
  return found == table_->moduleById.end() ? nullptr : &modules[found->second];
}

std::string_view Manifest::displayName(uint64_t functionId) const {
  auto found = table_->byId.find(functionId);
  if (found == table_->byId.end())
    return table_->unknownName(functionId);
  return table_->names[found->second].get([&] {
    const Symbol &symbol = table_->symbols[found->second];
    const bool isAsWritten = !symbol.displayName.empty() || symbol.kind != SymbolKind::Function;
    if (isAsWritten)
      return std::string(symbol.displayName.empty() ? symbol.name : symbol.displayName);
    std::string name = demangle(symbol.name);
    return atf::LambdaPlaces::mayName(symbol.name) ? table_->placesOfLambdas().apply(std::move(name)) : name;
  });
}

std::string_view Manifest::shortDisplayName(uint64_t functionId) const {
  auto found = table_->byId.find(functionId);
  if (found == table_->byId.end())
    return table_->unknownName(functionId);
  return table_->shortNames[found->second].get([&] {
    const Symbol &symbol = table_->symbols[found->second];
    const bool isAsWritten = !symbol.displayName.empty() || symbol.kind != SymbolKind::Function;
    return isAsWritten ? std::string(displayName(functionId)) : shortName(displayName(functionId));
  });
}

std::map<std::string, uint64_t> Manifest::allDropped() const {
  std::map<std::string, uint64_t> all = dropped;
  for (const ManifestThread &thread : threads)
    for (const auto &[reason, count] : thread.dropped)
      all[reason] += count;
  return all;
}

// The value of a field that was read as text; empty if it is missing.
static std::string valueOf(const std::vector<std::pair<std::string, std::string>> &fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, [](const auto &field) { return std::string_view(field.first); });
  return found == fields.end() ? std::string() : found->second;
}

std::string Manifest::whyLossesAreUnknown() const {
  if (exit.how == manifest::kRunning)
    return "the trace has no end yet; after a kill, `adatrace recover` finds out";
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

uint64_t Manifest::allLeftOut() const {
  uint64_t all = leftOutCount;
  for (const ManifestThread &thread : threads)
    all += thread.leftOutCount;
  return all;
}

} // namespace ada
