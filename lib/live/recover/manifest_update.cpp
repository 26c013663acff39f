// Rewrites manifest.json after a recovery, keeping every field that it does not know.
#include "live/recover/manifest_update.h"

#include "ada/trace/atf_format.h"
#include "formats/native/directories.h"
#include "formats/native/manifest/manifest_fields.h"
#include "formats/native/sched/sched_file.h"
#include "live/recover/detail_recovery.h"
#include "shared/manifest_keys.h"
#include "shared/options/triggers.h"
#include "shared/ring/death.h"
#include "shared/ring/tick_figures.h"
#include "trace/base/json_document.h"
#include "trace/base/json_object.h"
#include "trace/base/nested_json.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <set>
#include <sys/stat.h>

namespace ada::recover {

namespace {

// A thread as the manifest has it, and the fields of it that are known here.
struct KnownThread {
  JsonObject json;
  ManifestThread fields;
};

struct KnownManifest {
  JsonObject json;
  Manifest fields = Manifest::empty();
  std::map<uint64_t, KnownThread> threads;
  std::set<uint64_t> modules;
  std::set<std::string> anchors; // as in the file
  bool hasLate = false;          // the lists in `fields` have more than `json`

  bool isOfPart() const {
    const std::string *part = json.find(manifest::kPart);
    return part && part->starts_with('{');
  }
};

// Empty if there is no such file.
Expected<std::string> readIfThere(const std::string &path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 ? readWithoutLinks(path) : Expected<std::string>(std::string());
}

std::optional<uint64_t> moduleIdOf(const dom::object &entry) {
  uint64_t id;
  return entry[manifest::kModuleId].get(id) ? std::nullopt : std::optional(id);
}

// Has no fields if there is no manifest, or it is not a JSON object.
Expected<KnownManifest> readManifest(const std::string &directory) {
  const auto text = readIfThere(directory + "/manifest.json");
  if (!text)
    return text.error();
  KnownManifest known;
  const JsonDocument document(cutNesting(*text, JsonObject::kMaxNesting));
  if (!document.object())
    return known;
  const dom::object &root = *document.object();
  known.json = JsonObject(root);
  atf::readFields(root, known.fields);
  eachObject(root, manifest::kThreads, [&](const dom::object &entry) {
    if (ManifestThread thread; atf::readThread(entry, thread))
      known.threads.insert_or_assign(thread.id, KnownThread{JsonObject(entry), thread});
  });
  eachObject(root, manifest::kModules, [&](const dom::object &entry) {
    if (const auto id = moduleIdOf(entry))
      known.modules.insert(*id);
  });
  eachObject(root, manifest::kTimingAnchors,
             [&](const dom::object &entry) { known.anchors.insert(simdjson::minify(entry)); });
  return known;
}

std::string lateModulesPath(const std::string &directory) { return directory + "/" + manifest::kLateModulesFile; }

// Calls use(line) for each addition to the manifest.
template <class Use> Expected<void> eachLateLine(const std::string &directory, Use &&use) {
  const auto text = readIfThere(lateModulesPath(directory));
  if (!text)
    return text.error();
  for (std::string_view lines = *text; !lines.empty();) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const JsonDocument document(cutNesting(lines.substr(0, end), JsonObject::kMaxNesting));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (document.object()) // the last line may be cut off
      use(*document.object());
  }
  return {};
}

// Adds what came after the manifest was written. Modules that it already has are skipped, with their symbols. It also
// has all timing anchors up to some moment.
Expected<void> addLate(KnownManifest &known, const std::string &directory) {
  JsonMembers modules, symbols, anchors;
  std::set<uint64_t> added;
  ADA_TRY(eachLateLine(directory, [&](const dom::object &more) {
    atf::takeLateFields(more, known.fields);
    known.hasLate = true;
    const auto isNew = [&](const std::optional<uint64_t> &id) { return id && !known.modules.contains(*id); };
    eachObject(more, manifest::kModules, [&](const dom::object &entry) {
      if (const auto id = moduleIdOf(entry); isNew(id) && added.insert(*id).second)
        modules.json({}, simdjson::minify(entry));
    });
    eachObject(more, manifest::kSymbols, [&](const dom::object &entry) {
      if (isNew(moduleIdOf(entry)))
        symbols.json({}, simdjson::minify(entry));
    });
    eachObject(more, manifest::kTimingAnchors, [&](const dom::object &entry) {
      if (std::string anchor = simdjson::minify(entry); known.anchors.insert(anchor).second)
        anchors.json({}, anchor);
    });
  }));
  known.json.append(manifest::kModules, modules.list());
  known.json.append(manifest::kSymbols, symbols.list());
  if (!anchors.list().empty())
    known.json.append(manifest::kTimingAnchors, anchors.list());
  return {};
}

using Dropped = std::map<std::string, uint64_t>;

uint64_t sumOf(const Dropped &dropped) {
  uint64_t sum = 0;
  for (const auto &[reason, count] : dropped)
    sum += count;
  return sum;
}

// The gaps that the manifest has, and those that were found now. The number of events in a gap is 0 if it is unknown.
std::vector<LossGap> gapsOf(const ManifestThread &thread, const RecoveredThread &t, bool isPart) {
  std::vector<ring::Gap> all = t.gaps;
  for (const LossGap &gap : thread.gaps)
    // When the manifest was written, nothing had followed the last gap. The ring knows what became of it.
    if (t.lost.empty() || gap.fromNs < thread.timeEndNs.value_or(0))
      all.push_back({gap.fromNs, gap.toNs, gap.events.value_or(0)});
  std::ranges::stable_sort(all, {}, &ring::Gap::fromNs);
  const auto list = std::make_unique<ring::GapList>();
  for (const ring::Gap &gap : all)
    list->add(gap);
  if (t.isCut && !isPart)
    list->removeBefore(t.timeStartNs);
  std::vector<LossGap> gaps;
  for (size_t i = 0; i < list->count; ++i) {
    const ring::Gap &gap = list->gaps[i];
    gaps.push_back({gap.fromNs, gap.toNs, gap.events ? std::optional(gap.events) : std::nullopt});
  }
  return gaps;
}

// The counts of a thread, or of all ended threads, in earlier parts of the trace.
uint64_t lostBefore(const std::optional<ManifestEarlier> &before, const std::string &reason) {
  const auto found = before ? before->dropped.find(reason) : Dropped::const_iterator();
  return before && found != before->dropped.end() ? found->second : 0;
}
uint64_t allLostBefore(const std::optional<ManifestEarlier> &before) { return before ? sumOf(before->dropped) : 0; }
uint64_t leftOutBefore(const std::optional<ManifestEarlier> &before) { return before ? before->leftOutCount : 0; }

uint64_t beyond(uint64_t count, uint64_t less) { return count > less ? count - less : 0; }

// Events that were lost and left out in threads that had ended and given back their slots.
struct EndedThreads {
  uint64_t lost, leftOut;
};
EndedThreads endedThreads(const RingSnapshot &ring) {
  for (const ada_ring_thread &thread : ring.threads())
    if (thread.state == ADA_THREAD_GONE)
      return {thread.events_ended, thread.left_out_ended};
  return {ring.header().events_ended, ring.header().left_out_ended};
}

// Takes back losses that became events. After an exit was lost, a later record may still show what the call was. That
// record makes an event of the exit, and the loss is taken back. A manifest that was written in between still counts
// the exit as lost. If the thread's slot has been given to another thread since, only the sum over all such threads
// shows it: `excess` is how far the manifest is above that sum. It belongs to threads that continued after the manifest
// was written, `wentOn`.
void takeBack(uint64_t excess, const std::vector<ManifestThread *> &wentOn) {
  for (ManifestThread *const thread : wentOn) {
    uint64_t taken = 0;
    for (const char *reason : manifest::kLossReasons)
      if (const auto count = thread->dropped.find(reason); count != thread->dropped.end()) {
        const uint64_t less = std::min(count->second, excess - taken);
        taken += less;
        if ((count->second -= less) == 0)
          thread->dropped.erase(count);
      }
    if (!thread->gaps.empty() && thread->gaps.back().events) {
      auto &events = thread->gaps.back().events;
      events = *events > taken ? std::optional(*events - taken) : std::nullopt;
    }
    excess -= taken;
  }
}

// Adds losses that belong to no thread in `threads`. `told` are the counts of ended threads in the manifest.
void addOwnLosses(Manifest &fields, const RingSnapshot &ring, const EndedThreads &told, const EndedThreads &ended) {
  const ada_ring_header &header = ring.header();
  const auto add = [&](const char *reason, uint64_t count) {
    if (count > 0)
      fields.dropped[reason] = count;
  };
  const auto &before = fields.part.before;
  add(manifest::kUnattachedReason, beyond(header.events_unattached, lostBefore(before, manifest::kUnattachedReason)));
  add(manifest::kLateReason, beyond(header.events_late, lostBefore(before, manifest::kLateReason)));
  // Some of these came after the manifest was last written:
  add(manifest::kForgottenReason, beyond(ended.lost, told.lost));
  if (ended.leftOut > told.leftOut)
    fields.leftOutCount = ended.leftOut - told.leftOut;
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

static std::string exitIn(const std::string &directory) {
  const auto path = canonicalPath(directory);
  const auto known = path ? readManifest(*path) : Expected<KnownManifest>(path.error());
  return known ? known->fields.exit.how : std::string();
}

bool isFinal(const Manifest &manifest) {
  const std::string &how = manifest.exit.how;
  return !how.empty() && how != manifest::kRunning;
}

bool manifestHasEnd(const std::string &directory) {
  const std::string how = exitIn(directory);
  return how == manifest::kCode || how == manifest::kExec || how == manifest::kSignal || how == manifest::kUnknown;
}

Manifest readableManifest(const std::string &directory) {
  auto known = readManifest(directory);
  return known ? std::move(known->fields) : Manifest::empty();
}

bool manifestIsOfPart(const std::string &directory) {
  const auto known = readManifest(directory);
  return known && known->json.find(manifest::kPart);
}

std::vector<DetailWindow> manifestWindows(const std::string &directory) {
  auto known = readManifest(directory);
  if (!known)
    return {};
  (void)eachLateLine(directory, [&](const dom::object &more) { atf::takeLateFields(more, known->fields); });
  return std::move(known->fields.windows);
}

bool manifestLeadsOn(const std::string &directory) {
  const auto known = readManifest(directory);
  const std::string next = known ? known->fields.part.next : "";
  return !next.empty() && atf::isDirectory(atf::joinPath(atf::parentPath(directory), atf::baseName(next)));
}

// Whether the signal is one that a program brings upon itself, by a fault or abort().
static bool isOwnFault(int signal) {
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  return std::ranges::find(kFaults, signal) != std::end(kFaults);
}

// When the process ended, on the trace's clock: a thread that waits then has no event that would say so. After a fault,
// the program does nothing any more while the system writes its memory to a file, which may take seconds.
static std::optional<uint64_t> whenItEnded(const JsonObject &manifest, const RecoverOptions &options) {
  if (options.signal && isOwnFault(*options.signal))
    return std::nullopt;
  const std::string *const text = manifest.find(manifest::kClock);
  const JsonDocument clock(text ? std::string_view(*text) : std::string_view());
  uint64_t offsetNs = 0;
  if (!options.endedUtcNs || !clock.object() || (*clock.object())[manifest::kEpochOffsetNs].get(offsetNs) ||
      offsetNs >= *options.endedUtcNs)
    return std::nullopt;
  return *options.endedUtcNs - offsetNs;
}

static std::string howItEnded(const RingSnapshot *ring, const RecoverOptions &options,
                              std::optional<uint64_t> endedNs) {
  JsonMembers exit;
  if (ring && ring->header().state == ADA_RING_EXEC) // `options` describe the program that came after it
    exit.text(manifest::kHow, manifest::kExec);
  else if (const uint32_t seen = ring ? ring->header().death.signal : 0;
           options.signal || (seen && !options.exitCode)) {
    const auto signal = options.signal ? static_cast<uint32_t>(*options.signal) : seen;
    exit.text(manifest::kHow, manifest::kSignal).number(manifest::kSignal, signal);
    if (ring)
      putDeath(exit, ring->header(), signal);
  } else if (options.exitCode)
    exit.text(manifest::kHow, manifest::kCode).number(manifest::kCode, *options.exitCode);
  else
    exit.text(manifest::kHow, manifest::kUnknown);
  if (endedNs && !(ring && ring->header().state == ADA_RING_EXEC))
    exit.number(manifest::kEndedNs, *endedNs);
  return exit.object();
}

// Overwrites what the manifest says about a thread with what the files and the ring say.
static void describeThread(ManifestThread &thread, uint64_t number, const RecoveredThread &t,
                           const std::string &directory, bool isPart) {
  thread.id = number;
  struct stat info = {};
  const std::string detail = atf::detailPathIn(directory + "/thread_" + std::to_string(number));
  thread.hasDetail = ::stat(detail.c_str(), &info) == 0;
  thread.tid = t.tid;
  if (!t.name.empty())
    thread.name = t.name;
  thread.eventCount = t.events;
  thread.detailCount.reset(); // dates from when the manifest was written; the file has the right one
  if (t.removed > 0 && !isPart)
    thread.removedCount = t.removed;
  if (const uint64_t leftOut = beyond(t.leftOut, leftOutBefore(thread.before)))
    thread.leftOutCount = leftOut;
  if (!t.lost.empty()) {
    thread.inferredCount = t.inferred;
    thread.strayCount = std::max(thread.strayCount, t.strays); // the drain's may be from long before the end
    thread.foundCount = 0;
    for (size_t i = 0; i < t.lost.size() && i < ADA_LOST_REASONS; ++i) {
      const uint64_t before = lostBefore(thread.before, manifest::kLossReasons[i]);
      thread.foundCount += beyond(before, t.lost[i]);
      if (const uint64_t lost = beyond(t.lost[i], before))
        thread.dropped[manifest::kLossReasons[i]] = lost;
      else if (before > 0)
        thread.dropped.erase(manifest::kLossReasons[i]);
    }
  }
  thread.recorderWaitNs = t.held.ns;
  if (t.lost.empty()) // not in the ring: apart from the manifest there is only its file
    thread.recorderWaitNs += thread.recorderSpansMissingNs;
  else
    thread.recorderSpansMissingNs = t.held.missingNs;
  if (atf::exists(atf::schedPathIn(directory + "/thread_" + std::to_string(number))))
    thread.schedAds.clear(); // the file has more
  thread.gaps = gapsOf(thread, t, isPart);
  thread.timeStartNs = t.timeStartNs;
  thread.timeEndNs = t.timeEndNs;
}

// Adds the newest window. It becomes one with those that it touches.
static void joinWindow(std::vector<DetailWindow> &windows, DetailWindow &window) {
  while (!windows.empty() && windows.back().endNs >= window.startNs) {
    DetailWindow &last = windows.back();
    if (last.startNs < window.startNs)
      window.startNs = last.startNs, window.preRollAvailableMs = last.preRollAvailableMs;
    window.endNs = std::max(window.endNs, last.endNs);
    window.triggerCount += last.triggerCount;
    window.triggers.insert(window.triggers.begin(), last.triggers.begin(), last.triggers.end());
    windows.pop_back();
  }
  window.triggers.resize(std::min<size_t>(window.triggers.size(), manifest::kMaxTriggers));
  windows.push_back(window);
}

static void addSums(Manifest &fields, const ManifestThread &thread) {
  fields.inferredCount += thread.inferredCount;
  fields.recorderWaitNs += thread.recorderWaitNs;
  fields.recorderSpansMissingNs += thread.recorderSpansMissingNs;
}

// With trigger=signal: adds the window for a death that the drain did not see.
static void addDeathWindow(KnownManifest &known, const RingSnapshot &ring, const RecoverOptions &options,
                           uint64_t endNs) {
  const auto start = deathWindowStart(ring, options);
  if (!start)
    return;
  const char *const signal = options::kTriggerKinds[static_cast<int>(options::TriggerKind::Signal)];
  for (const DetailWindow &window : known.fields.windows)
    if (std::ranges::find(window.triggers, signal, &WindowTrigger::kind) != window.triggers.end())
      return;
  const uint64_t diedNs = ring.timeOfAnchor(/*newest=*/true); // or a moment later
  const uint64_t preRollMs = (ring.header().death_pre_roll - 1) / 1000000;
  const uint64_t keptFromNs = std::min(std::max(*start, ring.header().detail_gone_ns), diedNs);
  DetailWindow window = {.startNs = *start,
                         .endNs = std::max(diedNs, endNs),
                         .triggerCount = 1,
                         .triggers = {{.kind = signal, .functionId = {}, .timeNs = diedNs, .thread = {}}},
                         .preRollMs = preRollMs,
                         .preRollAvailableMs = std::min(preRollMs, (diedNs - keptFromNs) / 1000000)};
  joinWindow(known.fields.windows, window);
  known.hasLate = true;
}

static void updateLists(JsonObject &json, const Manifest &fields) {
  json.update(fields, [](auto &f, auto &m) {
    if (!m.windows.empty())
      f.list(manifest::kWindows, m.windows, [](auto &g, auto &window) { manifest::windowFields(g, window); });
    if (!m.switchedOff.empty())
      f.object(manifest::kBudget, m, [](auto &g, auto &budget) { manifest::budgetFields(g, budget); });
  });
}

// The ring has newer figures than the manifest.
static void updateClock(JsonObject &json, const RingSnapshot &ring) {
  const std::string *const now = json.find(manifest::kClock);
  if (!now)
    return;
  JsonObject clock(*now);
  const ada_ring_header &header = ring.header();
  if (header.times == ADA_TIMES_TICK) {
    const ring::TickFigures figures = ring::tickFigures(header, ring.anchors());
    clock.set(manifest::kResolutionNs, std::to_string(figures.resolutionNs));
    if (figures.longestNs > 0)
      clock.set(manifest::kLongestTickNs, std::to_string(figures.longestNs));
  }
  if (header.counter_faults > 0)
    clock.set(manifest::kCounterFaults, std::to_string(header.counter_faults));
  json.set(manifest::kClock, clock.text());
}

Expected<void> updateManifest(const std::string &directory, const std::map<uint64_t, RecoveredThread> &threads,
                              const RingSnapshot *ring, const RecoverOptions &options, const RecoverResult &result) {
  auto known = readManifest(directory);
  if (!known)
    return known.error();
  ADA_TRY(addLate(*known, directory));
  JsonObject &json = known->json;
  Manifest &fields = known->fields;
  const bool isPart = known->isOfPart();
  fields.part.next.clear(); // it is the last part after all
  EndedThreads told = {lostBefore(fields.part.before, manifest::kForgottenReason), leftOutBefore(fields.part.before)};
  fields.timeStartNs = fields.timeEndNs = 0;
  fields.inferredCount = fields.recorderWaitNs = fields.recorderSpansMissingNs = 0;
  std::vector<ManifestThread *> wentOn; // such threads that have later events than the manifest knew
  for (const auto &[number, t] : threads) {
    // The manifest's fields of a thread (its name, for example) are kept where the files do not know better.
    ManifestThread &thread = known->threads[number].fields;
    if (t.lost.empty()) {
      told.lost += sumOf(thread.dropped) + allLostBefore(thread.before) - thread.foundCount;
      told.leftOut += thread.leftOutCount + leftOutBefore(thread.before);
      if (t.timeEndNs > thread.timeEndNs.value_or(0))
        wentOn.push_back(&thread);
    }
    describeThread(thread, number, t, directory, isPart);
    addSums(fields, thread);
    if (t.events > 0) {
      fields.timeStartNs = fields.timeStartNs == 0 ? t.timeStartNs : std::min(fields.timeStartNs, t.timeStartNs);
      fields.timeEndNs = std::max(fields.timeEndNs, t.timeEndNs);
    }
  }
  if (ring) {
    const EndedThreads ended = endedThreads(*ring);
    takeBack(beyond(told.lost, ended.lost), wentOn);
    addOwnLosses(fields, *ring, told, ended);
    addDeathWindow(*known, *ring, options, fields.timeEndNs);
    updateClock(json, *ring);
  }
  if (fields.formatVersion.empty())
    fields.formatVersion = "2.1";
  fields.clockType = atf::kClockBoottime;
  json.update(fields, [](auto &f, auto &m) { manifest::wholeFields(f, m); });
  if (isPart)
    json.update(fields, [](auto &f, auto &m) {
      f.object(manifest::kPart, m.part, [](auto &g, auto &part) { manifest::partFields(g, part); });
    });
  if (known->hasLate)
    updateLists(json, fields);
  json.set(manifest::kThreads, "[]");
  JsonMembers list;
  for (const auto &[number, t] : threads) {
    KnownThread &thread = known->threads[number];
    thread.json.update(thread.fields, [](auto &f, auto &to) { manifest::threadFields(f, to); });
    list.json({}, thread.json.text());
  }
  json.append(manifest::kThreads, list.list());
  const auto objectAt = [&](const char *key) {
    const std::string *const now = json.find(key);
    return now ? JsonObject(*now) : JsonObject();
  };
  JsonObject process = objectAt(manifest::kProcess), recorder = objectAt(manifest::kRecorder);
  if (ring && !process.find(manifest::kPid))
    process.set(manifest::kPid, std::to_string(ring->header().pid));
  process.set(manifest::kExit, howItEnded(ring, options, whenItEnded(json, options)));
  json.set(manifest::kProcess, process.text());
  json.set(manifest::kRecovered, JsonMembers()
                                     .text(manifest::kWhen, utcTime())
                                     .number(manifest::kEventsFromRing, result.eventsFromRing)
                                     .boolean(manifest::kRingFound, result.ringFound)
                                     .object());
  if (ring && ring->header().failure[0] != 0)
    recorder.set(manifest::kFailure, jsonString({ring->header().failure,
                                                 ::strnlen(ring->header().failure, sizeof ring->header().failure)}));
  if (json.find(manifest::kRecorder) || !recorder.empty())
    json.set(manifest::kRecorder, recorder.text());

  if (auto replaced = replaceFile(directory + "/manifest.json", json.text() + '\n'); !replaced)
    return replaced;
  return removeFile(lateModulesPath(directory));
}

} // namespace ada::recover
