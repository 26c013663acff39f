// Rewrites manifest.json after a recovery, keeping every field that it does not know.
#include "recover/manifest_update.h"

#include "ada/trace/atf_format.h"
#include "base/nested_json.h"
#include "base/safe_file.h"
#include "formats/atf/manifest/json_repair.h"
#include "formats/atf/session/directories.h"
#include "recover/detail_recovery.h"
#include "shared/manifest_keys.h"
#include "shared/options/triggers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>
#include <set>
#include <sstream>
#include <sys/stat.h>

namespace ada {

namespace {

using Json = nlohmann::ordered_json;

Json parseJson(const std::string &text) {
  Json json = parseNested<Json>(text);
  if (json.is_discarded()) // paths may hold any bytes
    json = parseNested<Json>(repairJson(text));
  return json;
}

// Empty if there is no such file.
Expected<std::string> readIfThere(const std::string &path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 ? readWithoutLinks(path) : Expected<std::string>(std::string());
}

// An empty object if there is no manifest, or it is not a JSON object.
Expected<Json> readManifest(const std::string &directory) {
  const auto text = readIfThere(directory + "/manifest.json");
  if (!text)
    return text.error();
  Json json = parseJson(*text);
  return json.is_object() ? std::move(json) : Json(Json::object());
}

Json &arrayAt(Json &json, const char *key) {
  Json &value = json[key];
  if (!value.is_array())
    value = Json::array();
  return value;
}

std::string lateModulesPath(const std::string &directory) { return directory + "/" + manifest::kLateModulesFile; }

// Adds the anchors that the manifest lacks. It has all anchors up to some moment.
void addAnchors(Json &json, Json &more) {
  Json &anchors = arrayAt(json, manifest::kTimingAnchors);
  std::set<Json> known(anchors.begin(), anchors.end());
  for (Json &anchor : more)
    if (known.insert(anchor).second)
      anchors.push_back(std::move(anchor));
}

// Adds modules that were loaded after the manifest was written, and their symbols. Modules that the manifest already
// has are skipped.
Expected<void> addLateModules(Json &json, const std::string &directory) {
  (void)arrayAt(json, manifest::kModules), (void)arrayAt(json, manifest::kSymbols); // first: a new key moves the others
  Json &modules = json[manifest::kModules], &symbols = json[manifest::kSymbols];
  Json anchors = Json::array();
  std::set<Json> known;
  for (const Json &module : modules)
    if (module.is_object() && module.contains(manifest::kModuleId))
      known.insert(module[manifest::kModuleId]);
  const std::set<Json> before = known;
  auto isNew = [&](const Json &element) {
    return element.is_object() && element.contains(manifest::kModuleId) &&
           !before.contains(element[manifest::kModuleId]);
  };
  const auto text = readIfThere(lateModulesPath(directory));
  if (!text)
    return text.error();
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) {
    Json more = parseJson(line);
    if (!more.is_object()) // the last line may be cut off
      continue;
    for (Json &module : arrayAt(more, manifest::kModules))
      if (isNew(module) && known.insert(module[manifest::kModuleId]).second)
        modules.push_back(std::move(module));
    for (Json &symbol : arrayAt(more, manifest::kSymbols))
      if (isNew(symbol))
        symbols.push_back(std::move(symbol));
    if (more.contains(manifest::kTimingAnchors))
      for (Json &anchor : arrayAt(more, manifest::kTimingAnchors))
        anchors.push_back(std::move(anchor));
  }
  if (!anchors.empty())
    addAnchors(json, anchors);
  return {};
}

Json &objectAt(Json &json, const char *key) {
  Json &value = json[key];
  if (!value.is_object())
    value = Json::object();
  return value;
}

uint64_t sumOfDropped(const Json &thread) {
  uint64_t sum = 0;
  if (thread.is_object() && thread.contains(manifest::kDropped) && thread[manifest::kDropped].is_object())
    for (const Json &count : thread[manifest::kDropped])
      if (count.is_number_unsigned())
        sum += count.get<uint64_t>();
  return sum;
}

uint64_t numberAt(const Json &object, const char *key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

// The gaps in the manifest's `thread` and those that were found now. The number of events in a gap is 0 if it is
// unknown.
Json gapsOf(const Json &thread, const RecoveredThread &t, bool isPart) {
  std::vector<ring::Gap> all = t.gaps;
  const bool isRead = !t.lost.empty();
  const uint64_t readToNs = numberAt(thread, manifest::kTimeEndNs);
  if (const auto known = thread.find(manifest::kGaps); known != thread.end() && known->is_array())
    for (const Json &entry : *known) {
      if (!entry.is_object())
        continue;
      const ring::Gap gap = {numberAt(entry, manifest::kFromNs), numberAt(entry, manifest::kToNs),
                             numberAt(entry, manifest::kEvents)};
      // When the manifest was written, nothing had followed the last gap. The ring knows what became of it.
      if (gap.fromNs <= gap.toNs && !(isRead && gap.fromNs >= readToNs))
        all.push_back(gap);
    }
  std::ranges::stable_sort(all, {}, &ring::Gap::fromNs);
  const auto list = std::make_unique<ring::GapList>();
  for (const ring::Gap &gap : all)
    list->add(gap);
  if (t.isCut && !isPart)
    list->removeBefore(t.timeStartNs);
  Json json = Json::array();
  for (size_t i = 0; i < list->count; ++i) {
    const ring::Gap &gap = list->gaps[i];
    Json &entry = json.emplace_back(Json{{manifest::kFromNs, gap.fromNs}, {manifest::kToNs, gap.toNs}});
    if (gap.events > 0)
      entry[manifest::kEvents] = gap.events;
  }
  return json;
}

// The counts of a thread, or of all ended threads, in earlier parts of the trace.
const Json &before(const Json &thread) {
  static const Json none = Json::object();
  const auto found = thread.find(manifest::kBefore);
  return found != thread.end() && found->is_object() ? *found : none;
}
uint64_t lostBefore(const Json &thread, const char *reason) {
  const Json &counts = before(thread);
  const auto dropped = counts.find(manifest::kDropped);
  return dropped != counts.end() && dropped->is_object() ? numberAt(*dropped, reason) : 0;
}
uint64_t leftOutBefore(const Json &thread) { return numberAt(before(thread), manifest::kLeftOutCount); }

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

// Subtracts up to `count` from a number in an object, and removes the number if it becomes 0. Returns the amount
// subtracted.
uint64_t takeFrom(Json &object, const std::string &key, uint64_t count) {
  const uint64_t before = numberAt(object, key.c_str()), taken = std::min(before, count);
  if (taken < before)
    object[key] = before - taken;
  else if (taken > 0)
    object.erase(key);
  return taken;
}

// Takes back losses that became events. After an exit was lost, a later record may still show what the call was. That
// record makes an event of the exit, and the loss is taken back. A manifest that was written in between still counts
// the exit as lost. If the thread's slot has been given to another thread since, only the sum over all such threads
// shows it: `excess` is how far the manifest is above that sum. It belongs to threads that continued after the manifest
// was written, `wentOn`.
void takeBack(uint64_t excess, Json &threads, const std::vector<size_t> &wentOn) {
  for (const size_t place : wentOn) {
    Json &thread = threads[place];
    if (!thread.contains(manifest::kDropped))
      continue;
    uint64_t taken = 0;
    for (const char *reason : manifest::kLossReasons)
      taken += takeFrom(thread[manifest::kDropped], reason, excess - taken);
    if (thread.contains(manifest::kGaps))
      takeFrom(thread[manifest::kGaps].back(), manifest::kEvents, taken);
    excess -= taken;
  }
}

// Adds losses that belong to no thread in `threads`. `told` are the counts of ended threads in the manifest.
void addOwnLosses(Json &json, const RingSnapshot &ring, const EndedThreads &told, const EndedThreads &ended) {
  const ada_ring_header &header = ring.header();
  const auto add = [&](const char *reason, uint64_t count) {
    if (count > 0)
      objectAt(json, manifest::kDropped)[reason] = count;
  };
  const Json part = json.contains(manifest::kPart) ? json[manifest::kPart] : Json::object();
  add(manifest::kUnattachedReason, beyond(header.events_unattached, lostBefore(part, manifest::kUnattachedReason)));
  add(manifest::kLateReason, beyond(header.events_late, lostBefore(part, manifest::kLateReason)));
  // Some of these came after the manifest was last written:
  add(manifest::kForgottenReason, beyond(ended.lost, told.lost));
  if (ended.leftOut > told.leftOut)
    json[manifest::kLeftOutCount] = ended.leftOut - told.leftOut;
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
  const auto path = canonicalPath(directory);
  auto json = path ? readManifest(*path) : Expected<Json>(path.error());
  if (!json || !json->contains(manifest::kProcess))
    return false;
  const Json &process = (*json)[manifest::kProcess];
  if (!process.is_object() || !process.contains(manifest::kExit))
    return false;
  const Json &exit = process[manifest::kExit];
  const Json *how = exit.is_object() && exit.contains(manifest::kHow) ? &exit[manifest::kHow] : &exit;
  return how->is_string() && *how != manifest::kRunning;
}

std::string manifestRing(const std::string &directory) {
  const auto json = readManifest(directory);
  if (!json || !json->contains(manifest::kRecorder))
    return {};
  const Json &recorder = (*json)[manifest::kRecorder];
  const auto ring = recorder.is_object() ? recorder.find(manifest::kRing) : recorder.end();
  return ring != recorder.end() && ring->is_string() ? ring->get<std::string>() : std::string();
}

bool manifestIsOfPart(const std::string &directory) {
  const auto json = readManifest(directory);
  return json && json->contains(manifest::kPart);
}

bool manifestLeadsOn(const std::string &directory) {
  const auto json = readManifest(directory);
  if (!json || !json->contains(manifest::kPart) || !(*json)[manifest::kPart].is_object())
    return false;
  const Json &part = (*json)[manifest::kPart];
  const auto next = part.find(manifest::kNext);
  return next != part.end() && next->is_string() &&
         atf::isDirectory(
             atf::joinPath(atf::parentPath(directory), atf::baseName(next->get_ref<const std::string &>())));
}

static Json howItEnded(const RingSnapshot *ring, const RecoverOptions &options) {
  if (ring && ring->header().state == ADA_RING_EXEC) // `options` describe the program that came after it
    return {{manifest::kHow, manifest::kExec}};
  if (options.signal)
    return {{manifest::kHow, manifest::kSignal}, {manifest::kSignal, *options.signal}};
  if (options.exitCode)
    return {{manifest::kHow, manifest::kCode}, {manifest::kCode, *options.exitCode}};
  return {{manifest::kHow, manifest::kUnknown}};
}

// Sets how long the recorder held the thread or process up. A number that is 0 is left out.
static void describeHeld(Json &object, const HeldSum &held) {
  object.erase(manifest::kRecorderWaitNs), object.erase(manifest::kRecorderSpansMissingNs);
  if (held.ns > 0)
    object[manifest::kRecorderWaitNs] = held.ns;
  if (held.missingNs > 0)
    object[manifest::kRecorderSpansMissingNs] = held.missingNs;
}

// Overwrites what the manifest says about a thread with what the files and the ring say.
static void describeThread(Json &thread, uint64_t number, const RecoveredThread &t, const std::string &directory,
                           bool isPart) {
  thread[manifest::kId] = number;
  struct stat info = {};
  const std::string detail = atf::detailPathIn(directory + "/thread_" + std::to_string(number));
  thread[manifest::kHasDetail] = ::stat(detail.c_str(), &info) == 0;
  thread[manifest::kTid] = t.tid;
  if (!t.name.empty() || !thread.contains(manifest::kName))
    thread[manifest::kName] = t.name;
  thread[manifest::kEventCount] = t.events;
  thread.erase(manifest::kDetailCount); // dates from when the manifest was written; the file has the right one
  if (t.removed > 0 && !isPart)
    thread[manifest::kRemovedCount] = t.removed;
  if (const uint64_t leftOut = beyond(t.leftOut, leftOutBefore(thread)))
    thread[manifest::kLeftOutCount] = leftOut;
  if (!t.lost.empty()) {
    Json &dropped = objectAt(thread, manifest::kDropped);
    uint64_t found = 0;
    for (size_t i = 0; i < t.lost.size() && i < ADA_LOST_REASONS; ++i) {
      const uint64_t before = lostBefore(thread, manifest::kLossReasons[i]);
      found += beyond(before, t.lost[i]);
      if (const uint64_t lost = beyond(t.lost[i], before))
        dropped[manifest::kLossReasons[i]] = lost;
      else if (before > 0)
        dropped.erase(manifest::kLossReasons[i]);
    }
    if (found > 0)
      thread[manifest::kFoundCount] = found;
    else
      thread.erase(manifest::kFoundCount);
  }
  HeldSum held = t.held;
  if (t.lost.empty()) // not in the ring: apart from the manifest there is only its file
    held.missingNs = numberAt(thread, manifest::kRecorderSpansMissingNs), held.ns += held.missingNs;
  describeHeld(thread, held);
  Json gaps = gapsOf(thread, t, isPart);
  thread.erase(manifest::kGaps);
  if (!gaps.empty())
    thread[manifest::kGaps] = std::move(gaps);
  thread[manifest::kTimeStartNs] = t.timeStartNs;
  thread[manifest::kTimeEndNs] = t.timeEndNs;
}

// With trigger=signal: adds the window for a death that the drain did not see.
static void addDeathWindow(Json &json, const RingSnapshot &ring, const RecoverOptions &options, uint64_t endNs) {
  const auto start = deathWindowStart(ring, options);
  if (!start)
    return;
  Json &windows = arrayAt(json, manifest::kWindows);
  const char *const signal = options::kTriggerKinds[static_cast<int>(options::TriggerKind::Signal)];
  const auto isOfSignal = [&](const Json &window) {
    const auto triggers = window.find(manifest::kTriggers);
    return triggers != window.end() && std::ranges::any_of(*triggers, [&](const Json &trigger) {
             return trigger.is_object() && trigger.contains(manifest::kKind) && trigger[manifest::kKind] == signal;
           });
  };
  if (std::ranges::any_of(windows, isOfSignal))
    return;
  const uint64_t diedNs = ring.timeOfAnchor(/*newest=*/true); // or a moment later
  const uint64_t preRollMs = (ring.header().death_pre_roll - 1) / 1000000;
  const uint64_t keptFromNs = std::min(std::max(*start, ring.header().detail_gone_ns), diedNs);
  windows.push_back({{manifest::kStartNs, *start},
                     {manifest::kEndNs, std::max(diedNs, endNs)},
                     {manifest::kTriggerCount, 1},
                     {manifest::kTriggers, Json::array({{{manifest::kKind, signal}, {manifest::kTimeNs, diedNs}}})},
                     {manifest::kPreRollMs, preRollMs},
                     {manifest::kPreRollAvailableMs, std::min(preRollMs, (diedNs - keptFromNs) / 1000000)}});
}

Expected<void> updateManifest(const std::string &directory, const std::map<uint64_t, RecoveredThread> &threads,
                              const RingSnapshot *ring, const RecoverOptions &options, const RecoverResult &result) {
  auto found = readManifest(directory);
  if (!found)
    return found.error();
  Json &json = *found;
  if (!json.contains(manifest::kFormatVersion))
    json[manifest::kFormatVersion] = "2.1";
  json[manifest::kClockType] = atf::kClockBoottime;

  // The manifest's fields of a thread (its name, for example) are kept where the files do not know better.
  std::map<uint64_t, Json> known;
  if (json.contains(manifest::kThreads) && json[manifest::kThreads].is_array())
    for (Json &thread : json[manifest::kThreads])
      if (thread.is_object() && thread.contains(manifest::kId) && thread[manifest::kId].is_number_unsigned())
        known[thread[manifest::kId].get<uint64_t>()] = thread;
  uint64_t start = 0, end = 0;
  HeldSum heldInAll;
  const bool isPart = json.contains(manifest::kPart) && json[manifest::kPart].is_object();
  EndedThreads told = {0, 0};
  if (isPart) {
    json[manifest::kPart].erase(manifest::kNext); // it is the last part after all
    told = {lostBefore(json[manifest::kPart], manifest::kForgottenReason), leftOutBefore(json[manifest::kPart])};
  }
  std::vector<size_t> wentOn; // places in `list` of such threads that have later events than the manifest knew
  Json list = Json::array();
  for (const auto &[number, t] : threads) {
    Json thread = known.contains(number) ? known[number] : Json::object();
    if (t.lost.empty()) {
      told.lost += sumOfDropped(thread) + sumOfDropped(before(thread)) - numberAt(thread, manifest::kFoundCount);
      if (t.timeEndNs > numberAt(thread, manifest::kTimeEndNs))
        wentOn.push_back(list.size());
      if (const auto leftOut = thread.find(manifest::kLeftOutCount);
          leftOut != thread.end() && leftOut->is_number_unsigned())
        told.leftOut += leftOut->get<uint64_t>();
      told.leftOut += leftOutBefore(thread);
    }
    describeThread(thread, number, t, directory, isPart);
    heldInAll.ns += numberAt(thread, manifest::kRecorderWaitNs);
    heldInAll.missingNs += numberAt(thread, manifest::kRecorderSpansMissingNs);
    if (t.events > 0) {
      start = start == 0 ? t.timeStartNs : std::min(start, t.timeStartNs);
      end = std::max(end, t.timeEndNs);
    }
    list.push_back(std::move(thread));
  }
  if (ring) {
    const EndedThreads ended = endedThreads(*ring);
    takeBack(told.lost > ended.lost ? told.lost - ended.lost : 0, list, wentOn);
    addOwnLosses(json, *ring, told, ended);
    addDeathWindow(json, *ring, options, end);
  }
  json[manifest::kThreads] = std::move(list);
  describeHeld(json, heldInAll);
  json[manifest::kTimeStartNs] = start;
  json[manifest::kTimeEndNs] = end;
  if (auto added = addLateModules(json, directory); !added)
    return added;

  Json &process = objectAt(json, manifest::kProcess);
  if (ring && !process.contains(manifest::kPid))
    process[manifest::kPid] = ring->header().pid;
  process[manifest::kExit] = howItEnded(ring, options);
  json[manifest::kRecovered] = {{manifest::kWhen, utcTime()},
                                {manifest::kEventsFromRing, result.eventsFromRing},
                                {manifest::kRingFound, result.ringFound}};
  if (json.contains(manifest::kRecorder) && json[manifest::kRecorder].is_object())
    json[manifest::kRecorder].erase(manifest::kRing);
  if (ring && ring->header().failure[0] != 0)
    objectAt(json, manifest::kRecorder)[manifest::kFailure] =
        std::string(ring->header().failure, ::strnlen(ring->header().failure, sizeof ring->header().failure));

  if (auto replaced =
          replaceFile(directory + "/manifest.json", json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
      !replaced)
    return replaced;
  return removeFile(lateModulesPath(directory));
}

} // namespace ada
