// Writes manifest.json: when recording starts, and again as a whole whenever its content has changed.
#include "core/base/json.h"
#include "core/drain/session_writer.h"
#include "images.h"
#include "options.h"
#include "process_info.h"
#include "shared/manifest_keys.h"

namespace ada {

void SessionWriter::writeGaps(JsonWriter &json, const Summary &s) const {
  ring::GapList list;
  list.count = 0;
  if (s.isLive)
    listGaps(s.slot, list);
  else
    for (uint64_t i = 0; i < s.gapCount; ++i)
      list.gaps[list.count++] = gaps_[s.gapsAt + i];
  // Gaps before that time are gone, or the previous part has reported them.
  const bool isBounded = s.removed > 0 && !parts_.active();
  const uint64_t fromNs = isBounded ? s.timeStart : s.before.gapNs;
  if (isBounded)
    list.removeBefore(s.events > s.removed ? s.timeStart : UINT64_MAX);
  bool any = false;
  for (size_t i = 0; i < list.count; ++i) {
    const ring::Gap &gap = list.gaps[i];
    const bool isCut = isBounded ? gap.fromNs < fromNs : s.before.gapEvents > 0 && gap.fromNs <= fromNs;
    const uint64_t told = isCut && !isBounded ? s.before.gapEvents : 0;
    if (gap.events <= told)
      continue;
    if (!any)
      json.beginArray(manifest::kGaps);
    any = true;
    const uint64_t toNs = gap.toNs < fromNs ? fromNs : gap.toNs;
    json.beginObject().number(manifest::kFromNs, isCut ? fromNs : gap.fromNs).number(manifest::kToNs, toNs);
    if (!isCut || !isBounded) // otherwise it is unknown how many were lost on either side
      json.number(manifest::kEvents, gap.events - told);
    json.endObject();
  }
  if (any)
    json.endArray();
}

// Writes how long the recorder held up one thread or all threads.
void SessionWriter::writeHeld(JsonWriter &json, const SchedLane::HeldSum &held) {
  if (held.ns)
    json.number(manifest::kRecorderWaitNs, held.ns);
  if (held.missingNs)
    json.number(manifest::kRecorderSpansMissingNs, held.missingNs);
}

void SessionWriter::writeThreads(JsonWriter &json) {
  SchedLane::HeldSum heldInAll = {};
  json.line().beginArray(manifest::kThreads);
  for (uint64_t i = 0; i < summaryCount_; ++i) {
    const Summary &s = summaries_[i];
    if (s.tid == 0)
      continue; // a thread that has not written anything yet
    json.line().beginObject();
    json.number(manifest::kId, s.number).boolean(manifest::kHasDetail, s.details > 0);
    json.number(manifest::kTid, s.tid).text(manifest::kName, s.name);
    json.number(manifest::kEventCount, s.events - s.removed).number(manifest::kDetailCount, s.details);
    if (parts_.active())
      writeBefore(json, s.removed, s.before);
    else if (s.removed)
      json.number(manifest::kRemovedCount, s.removed);
    if (s.found)
      json.number(manifest::kFoundCount, s.found);
    if (s.leftOut)
      json.number(manifest::kLeftOutCount, s.leftOut);
    json.beginObject(manifest::kDropped);
    static_assert(sizeof manifest::kLossReasons == ADA_LOST_REASONS * sizeof(char *));
    for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
      if (s.lost[r])
        json.number(manifest::kLossReasons[r], s.lost[r]);
    json.endObject();
    writeGaps(json, s);
    writeHeld(json, s.held);
    heldInAll.ns += s.held.ns, heldInAll.missingNs += s.held.missingNs;
    json.number(manifest::kTimeStartNs, s.timeStart).number(manifest::kTimeEndNs, s.timeEnd);
    json.endObject();
  }
  json.endArray();
  writeHeld(json, heldInAll);
}

// The first anchor that is still known and useful.
uint64_t SessionWriter::firstAnchor() const {
  const ada_ring_header &h = ring_->header();
  uint64_t known = h.anchors_used > ADA_RING_ANCHORS ? h.anchors_used - ADA_RING_ANCHORS : 0;
  return h.anchors_from > known ? h.anchors_from : known;
}

// Writes, for clock=tick, how coarse times are. A point in time is more likely to lie in a long gap than in a short
// one, so the mean is taken over time, not over gaps.
void SessionWriter::writeTimes(JsonWriter &json) {
  const ada_ring_header &h = ring_->header();
  json.text(manifest::kTimes, manifest::kTimesFrom[h.times]);
  if (h.times != ADA_TIMES_TICK)
    return;
  const ada_anchor *anchors = ring_->anchors();
  const uint64_t used = h.anchors_used, first = firstAnchor();
  const ada_anchor &a = anchors[first % ADA_RING_ANCHORS], &b = anchors[(used - 1) % ADA_RING_ANCHORS];
  const uint64_t gaps = __atomic_load_n(&h.tick_gaps, __ATOMIC_RELAXED);
  const uint64_t squares = __atomic_load_n(&h.tick_gaps_squared, __ATOMIC_RELAXED);
  const uint64_t longest = __atomic_load_n(&h.tick_longest, __ATOMIC_RELAXED);
  if (used < 2 || gaps == 0) {
    json.number(manifest::kResolutionNs, h.tick_ns); // nothing is known yet
    return;
  }
  auto nanoseconds = [&](unsigned __int128 stamps) {
    return (uint64_t)(stamps * (b.time_ns - a.time_ns) / (b.counter - a.counter));
  };
  json.number(manifest::kResolutionNs, nanoseconds(((unsigned __int128)squares << 16) / gaps));
  json.number(manifest::kLongestTickNs, nanoseconds(longest));
}

void SessionWriter::writeClock(JsonWriter &json) {
  json.line().beginObject(manifest::kClock);
  bool system = ring_->usesSystemClock();
  json.text(manifest::kSource, system ? "clock_gettime" : arch::kCounterName);
  if (uint64_t frequency = system ? 0 : arch::counterFrequency())
    json.number(manifest::kFrequencyHz, frequency);
  writeTimes(json);
  json.number(manifest::kEpochOffsetNs, sys::epochOffsetNs());
  if (uint64_t faults = __atomic_load_n(&ring_->header().counter_faults, __ATOMIC_RELAXED))
    json.number(manifest::kCounterFaults, faults);
  json.beginArray(manifest::kAnchors);
  // A few show the counter's rate: the first that is still known, the last, and some in between.
  uint64_t anchors = ring_->header().anchors_used, first = firstAnchor();
  uint64_t step = (anchors - first) / 16 + 1;
  for (uint64_t n = first; n < anchors; n = n + step < anchors || n + 1 == anchors ? n + step : anchors - 1) {
    const ada_anchor &a = ring_->anchors()[n % ADA_RING_ANCHORS];
    json.beginObject().number(manifest::kCounter, a.counter).number(manifest::kTimeNs, a.time_ns).endObject();
  }
  json.endArray().endObject();
}

void SessionWriter::writeOptions(JsonWriter &json) {
  json.line().beginObject(manifest::kOptions);
  visitOptions(
      *options_,
      [](void *context, const char *name, const char *value, bool isText) {
        JsonWriter &j = *(JsonWriter *)context;
        TextPiece word(value);
        uint64_t number;
        if (isText)
          j.text(name, value);
        else if (options::takeNumber(word, number))
          j.number(name, number);
        else
          j.boolean(name, value[0] == 't');
      },
      &json);
  json.endObject();
}

void SessionWriter::writeUnattached(JsonWriter &json) {
  unattachedTold_ = __atomic_load_n(&ring_->header().events_unattached, __ATOMIC_RELAXED);
  lateTold_ = __atomic_load_n(&ring_->header().events_late, __ATOMIC_RELAXED);
  const uint64_t unattached = unattachedTold_ - unattachedBefore_, late = lateTold_ - lateBefore_;
  if ((unattached | late) == 0)
    return;
  json.line().beginObject(manifest::kDropped);
  if (unattached)
    json.number(manifest::kUnattachedReason, unattached);
  if (late)
    json.number(manifest::kLateReason, late);
  json.endObject();
}

int SessionWriter::writeManifest(Ending ending, int status, const char *copyIn) {
  const int error = tryManifest(ending, status, copyIn);
  if (copyIn)
    return error;
  manifestFailed_ = error < 0;
  if (error < 0)
    fail("manifest.json", error);
  return error;
}

int SessionWriter::tryManifest(Ending ending, int status, const char *copyIn) {
  const bool isNext = copyIn && ending == Ending::Rotated, isDump = copyIn && !isNext;
  const uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used && !isNext; ++i) // the next part begins with what this one's manifest has
    if (threads_[i].active)
      summarise(i, ending == Ending::Rotated);

  uint64_t timeStart = 0, timeEnd = 0;
  for (uint64_t i = 0; i < summaryCount_ && !isNext; ++i)
    if (const Summary &s = summaries_[i]; s.events > s.removed) {
      timeStart = timeStart == 0 || s.timeStart < timeStart ? s.timeStart : timeStart;
      timeEnd = s.timeEnd > timeEnd ? s.timeEnd : timeEnd;
    }
  Path path(copyIn ? copyIn : place_), temporary;
  path << "/manifest.json";
  temporary << path.c_str() << ".new";
  sys::unlink(temporary.c_str());
  int fd = sys::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  int error = fd;
  if (fd >= 0) {
    JsonWriter json(fd);
    json.beginObject();
    json.text(manifest::kFormatVersion, "2.1");
    json.number(manifest::kTimeStartNs, timeStart).number(manifest::kTimeEndNs, timeEnd);
    json.number(manifest::kClockType, atf::kClockBoottime);
    writeProcess(json, isNext ? Ending::Running : isDump && ending == Ending::Running ? Ending::Dump : ending, status);
    if (parts_.active())
      writePart(json, isNext, !isNext && ending == Ending::Rotated);
    writeHost(json);
    writeClock(json);
    writeOptions(json);
    json.line().beginObject(manifest::kRecorder);
    json.text(manifest::kName, "AdaTrace").text(manifest::kVersion, ADA_VERSION);
    json.number(manifest::kAbiVersion, ADA_ABI_VERSION);
    if (ending == Ending::Rotated ? isNext : ending != Ending::Exit && !isDump)
      json.text(manifest::kRing,
                isNext && ringIsBeside_ ? (Path(parts_.nextDirectory()) << "/ring").c_str() : ring_->path());
    if (failed_)
      json.text(manifest::kFailure, failure_);
    json.endObject();
    if (isNext) {
      writeNextThreads(json);
    } else {
      writeUnattached(json);
      writeThreads(json);
    }
    windows_.writeManifest(json);
    sched_.writeManifest(json);
    budget_.writeManifest(json);
    anchors_->writeManifest(json, Images::Which::All);
    images_->writeManifest(json, Images::Which::All);
    json.line().endObject();
    error = json.finish();
    sys::close(fd);
    if (error == 0)
      error = sys::rename(temporary.c_str(), path.c_str());
    if (error < 0)
      sys::unlink(temporary.c_str()); // the old one stays
  }
  if (copyIn || error < 0)
    return error;
  if (hasLateModules_)
    sys::unlink(lateModulesPath().c_str()); // the manifest has them now
  hasLateModules_ = false;
  return 0;
}

Path SessionWriter::lateModulesPath() const {
  Path path(place_);
  return path << '/' << manifest::kLateModulesFile;
}

// The time to write a manifest is proportional to everything that was ever loaded; a program that loads library after
// library would wait for that each time.
bool SessionWriter::writeModules() {
  int fd = sys::open(lateModulesPath().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  if (fd < 0)
    return false;
  hasLateModules_ = true;
  JsonWriter json(fd);
  json.inOneLine().beginObject();
  anchors_->writeManifest(json, Images::Which::New);
  images_->writeManifest(json, Images::Which::New);
  json.endObject();
  int error = json.finish();
  sys::close(fd);
  return error == 0;
}

} // namespace ada
