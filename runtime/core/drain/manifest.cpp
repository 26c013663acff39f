// Writes manifest.json: when recording starts, and again as a whole whenever its content has changed.
#include "manifest.h"
#include "budget.h"
#include "core/facts/options.h"
#include "core/facts/process_info.h"
#include "core/facts/timing_anchors.h"
#include "core/files/sched_lane.h"
#include "core/images/images.h"
#include "core/record/late_events.h"
#include "core/ring/ring.h"
#include "parts.h"
#include "shared/encode/atf.h"
#include "shared/manifest_keys.h"
#include "shared/ring/tick_figures.h"
#include "shared/text/base64.h"
#include "windows.h"

#include <sys/stat.h>

namespace ada::runtime {
namespace {

// Writes how long the recorder held up one thread or all threads.
void writeHeld(JsonWriter &json, const SchedFile::HeldSum &held) {
  if (held.ns)
    json.number(manifest::kRecorderWaitNs, held.ns);
  if (held.missingNs)
    json.number(manifest::kRecorderSpansMissingNs, held.missingNs);
}

void writeSched(JsonWriter &json, TextPiece record) {
  if (record.empty())
    return;
  char text[base64Size(sizeof ada_ring_sched::data)];
  size_t size = 0;
  putBase64(reinterpret_cast<const unsigned char *>(record.data), record.size, [&](char c) { text[size++] = c; });
  json.text(manifest::kSchedAds, {text, size});
}

struct Lost {
  const char *reason;
  uint64_t count;
};

template <size_t N> void writeDropped(JsonWriter &json, const Lost (&all)[N]) {
  bool any = false;
  for (const Lost &lost : all) {
    if (lost.count == 0)
      continue;
    if (!any)
      json.beginObject(manifest::kDropped);
    any = true;
    json.number(lost.reason, lost.count);
  }
  if (any)
    json.endObject();
}

void writeBefore(JsonWriter &json, uint64_t events, const EarlierParts &before) {
  json.beginObject(manifest::kBefore).number(manifest::kEventCount, events);
  if (before.leftOut)
    json.number(manifest::kLeftOutCount, before.leftOut);
  Lost lost[ADA_LOST_REASONS];
  for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
    lost[r] = {manifest::kLossReasons[r], before.lost[r]};
  writeDropped(json, lost);
  json.endObject();
}

// Writes what was lost in no thread that the manifest has. That of a process which ends begins with it: events may
// still be added.
void writeUnattached(JsonWriter &json, const ManifestWriter::Facts &facts) {
  const uint64_t unattached = facts.lost.unattached - facts.before.unattached,
                 late = facts.lost.late - facts.before.late;
  if (facts.ending != Ending::Exit) {
    if ((unattached | late) != 0)
      json.line();
    return writeDropped(json, {{manifest::kUnattachedReason, unattached}, {manifest::kLateReason, late}});
  }
  json.beginObject(manifest::kDropped).json(manifest::kAfterEndReason, LateEvents::kNone);
  if (unattached)
    json.number(manifest::kUnattachedReason, unattached);
  if (late)
    json.number(manifest::kLateReason, late);
  json.endObject();
}

// The session of a process's directory.
Path sessionOf(const char *directory) { return Path(directory) << "/.."; }

// Writes a small manifest over one of the same size, and returns its descriptor, or a negative number if that can't be
// done. A kill can't leave a part of it, because it is a single write within a page. Done where a new file has no room,
// and for the last one: a new file would cost a process more than all else that it does at its end, because ext4 does
// not use the numbers of removed files for some seconds, and each process that makes one looks past all of them.
int replaceInPlace(const char *path, TextPiece text) {
  const int fd = sys::open(path, O_RDWR | O_NOFOLLOW);
  if (fd < 0)
    return fd;
  struct stat info = {};
  if (sys::call(SYS_fstat, fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
      info.st_size == static_cast<long>(text.size) &&
      sys::pwrite(fd, text.data, text.size, 0) == static_cast<long>(text.size))
    return fd;
  sys::close(fd);
  return -1;
}

Path lateModulesPath(const char *directory) { return Path(directory) << '/' << manifest::kLateModulesFile; }

} // namespace

void ManifestWriter::writeGaps(JsonWriter &json, const ThreadFacts &s) const {
  ring::GapList list;
  from_.threads->listGaps(s, list);
  // Gaps before that time are gone, or the previous part has reported them.
  const bool isBounded = s.removed > 0 && !from_.parts;
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

void ManifestWriter::writeThreads(JsonWriter &json) {
  SchedFile::HeldSum heldInAll = {};
  uint64_t inferred = 0;
  json.line().beginArray(manifest::kThreads);
  for (uint64_t i = 0; i < from_.threads->count(); ++i) {
    const ThreadFacts &s = (*from_.threads)[i];
    if (s.tid == 0)
      continue; // a thread that has not written anything yet
    json.line().beginObject();
    json.number(manifest::kId, s.number).boolean(manifest::kHasDetail, s.details > 0);
    json.number(manifest::kTid, s.tid).text(manifest::kName, s.name);
    json.number(manifest::kEventCount, s.events - s.removed).number(manifest::kDetailCount, s.details);
    if (from_.parts)
      writeBefore(json, s.removed, s.before);
    else if (s.removed)
      json.number(manifest::kRemovedCount, s.removed);
    if (s.found)
      json.number(manifest::kFoundCount, s.found);
    if (s.leftOut)
      json.number(manifest::kLeftOutCount, s.leftOut);
    if (s.inferred)
      json.number(manifest::kInferredCount, s.inferred);
    if (s.strays)
      json.number(manifest::kStrayCount, s.strays);
    inferred += s.inferred;
    json.beginObject(manifest::kDropped);
    static_assert(sizeof manifest::kLossReasons == ADA_LOST_REASONS * sizeof(char *));
    for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
      if (s.lost[r])
        json.number(manifest::kLossReasons[r], s.lost[r]);
    json.endObject();
    writeGaps(json, s);
    writeHeld(json, s.held);
    writeSched(json, s.sched);
    heldInAll.ns += s.held.ns, heldInAll.missingNs += s.held.missingNs;
    json.number(manifest::kTimeStartNs, s.timeStart).number(manifest::kTimeEndNs, s.timeEnd);
    json.endObject();
  }
  json.endArray();
  if (inferred)
    json.number(manifest::kInferredCount, inferred);
  writeHeld(json, heldInAll);
}

// Writes, for clock=tick, how coarse times are.
void ManifestWriter::writeTimes(JsonWriter &json) {
  const ada_ring_header &h = from_.ring->header();
  json.text(manifest::kTimes, manifest::kTimesFrom[h.times]);
  if (h.times != ADA_TIMES_TICK)
    return;
  const ring::TickFigures figures = ring::tickFigures(h, from_.ring->anchors());
  json.number(manifest::kResolutionNs, figures.resolutionNs);
  if (figures.longestNs)
    json.number(manifest::kLongestTickNs, figures.longestNs);
}

void ManifestWriter::writeClock(JsonWriter &json) {
  json.line().beginObject(manifest::kClock);
  bool system = from_.ring->usesSystemClock();
  json.text(manifest::kSource, system ? "clock_gettime" : arch::kCounterName);
  if (uint64_t frequency = system ? 0 : arch::counterFrequency())
    json.number(manifest::kFrequencyHz, frequency);
  writeTimes(json);
  json.number(manifest::kEpochOffsetNs, sys::epochOffsetNs());
  if (const auto offset = static_cast<int64_t>(bootOffsetNs()))
    json.number(manifest::kBootOffsetNs, offset);
  if (uint64_t faults = __atomic_load_n(&from_.ring->header().counter_faults, __ATOMIC_RELAXED))
    json.number(manifest::kCounterFaults, faults);
  json.beginArray(manifest::kAnchors);
  // A few show the counter's rate: the first that is still known, the last, and some in between.
  uint64_t anchors = from_.ring->header().anchors_used, first = ring::firstAnchor(from_.ring->header());
  uint64_t step = (anchors - first) / 16 + 1;
  for (uint64_t n = first; n < anchors; n = n + step < anchors || n + 1 == anchors ? n + step : anchors - 1) {
    const ada_anchor &a = from_.ring->anchors()[n % ADA_RING_ANCHORS];
    json.beginObject().number(manifest::kCounter, a.counter).number(manifest::kTimeNs, a.time_ns).endObject();
  }
  json.endArray().endObject();
}

void ManifestWriter::writeOptions(JsonWriter &json) {
  json.line().beginObject(manifest::kOptions);
  visitOptions(
      *from_.options,
      [](void *context, const char *name, const char *value, bool isText) {
        JsonWriter &j = *static_cast<JsonWriter *>(context);
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

// Writes the threads of the next part, before anything is in it.
void ManifestWriter::writeNextThreads(JsonWriter &json) {
  json.line().beginArray(manifest::kThreads);
  for (uint64_t i = 0; i < from_.threads->count(); ++i) {
    const ThreadFacts &s = (*from_.threads)[i];
    if (!s.live)
      continue;
    json.line().beginObject();
    json.number(manifest::kId, s.number).boolean(manifest::kHasDetail, false);
    json.number(manifest::kTid, s.tid).text(manifest::kName, s.name).number(manifest::kEventCount, 0);
    writeBefore(json, s.events, s.beforeNext());
    json.endObject();
  }
  json.endArray();
}

void ManifestWriter::writePart(JsonWriter &json, const Facts &facts) {
  from_.parts->beginManifest(json, facts.isNext                      ? Parts::Part::Next
                                   : facts.ending == Ending::Rotated ? Parts::Part::Complete
                                                                     : Parts::Part::Current);
  json.beginObject(manifest::kBefore);
  if (facts.before.leftOut)
    json.number(manifest::kLeftOutCount, facts.before.leftOut);
  writeDropped(json, {{manifest::kUnattachedReason, facts.before.unattached},
                      {manifest::kLateReason, facts.before.late},
                      {manifest::kForgottenReason, facts.before.ended}});
  json.endObject().endObject();
}

void ManifestWriter::writeRecorder(JsonWriter &json, const Facts &facts) {
  json.line().beginObject(manifest::kRecorder);
  json.text(manifest::kName, "AdaTrace").text(manifest::kVersion, ADA_VERSION);
  json.number(manifest::kAbiVersion, ADA_ABI_VERSION);
  if (facts.ring)
    json.text(manifest::kRing, facts.ring);
  if (facts.failure[0])
    json.text(manifest::kFailure, facts.failure);
  json.endObject();
}

// What the manifest refers to is there first. A flight recorder's is in memory, in a session that has one process.
void ManifestWriter::writeBinaries(const char *directory, const char *place, Which which) {
  if (!from_.options->isFlight())
    from_.images->writeBinaries(sessionOf(directory).c_str(), sessionOf(place).c_str(), which);
}

int ManifestWriter::write(const char *directory, const Facts &facts) {
  writeBinaries(directory, facts.place, Which::All);
  const Path path = Path(directory) << "/manifest.json";
  const Path temporary = Path(path) << ".new";
  JsonWriter json(temporary.c_str());
  writeContent(json, facts);
  const bool isLast = facts.ending == Ending::Exit, isSmall = json.endAt(manifest::kSmallBytes);
  const TextPiece small = json.kept(); // stays in its buffer
  int fd = isLast && isSmall ? replaceInPlace(path.c_str(), small) : -1, error = 0;
  const bool isReplaced = fd >= 0;
  if (!isReplaced) {
    error = json.finish();
    fd = json.descriptor();
  }
  if (error == 0 && isLast)
    lateEvents.showIn(fd, (Path(facts.place) << "/manifest.json").c_str());
  if (fd >= 0)
    sys::close(fd);
  if (isReplaced)
    return 0;
  if (error == 0)
    error = sys::rename(temporary.c_str(), path.c_str());
  if (error == 0)
    return 0;
  sys::unlink(temporary.c_str());
  if (!isSmall || isLast)
    return error;
  fd = replaceInPlace(path.c_str(), small);
  if (fd < 0)
    return error;
  sys::close(fd);
  return 0;
}

void ManifestWriter::writeContent(JsonWriter &json, const Facts &facts) {
  uint64_t timeStart = 0, timeEnd = 0;
  for (uint64_t i = 0; i < from_.threads->count() && !facts.isNext; ++i)
    if (const ThreadFacts &s = (*from_.threads)[i]; s.events > s.removed) {
      timeStart = timeStart == 0 || s.timeStart < timeStart ? s.timeStart : timeStart;
      timeEnd = s.timeEnd > timeEnd ? s.timeEnd : timeEnd;
    }
  json.beginObject();
  if (facts.ending == Ending::Exit)
    writeUnattached(json, facts);
  json.text(manifest::kFormatVersion, "2.2");
  json.number(manifest::kTimeStartNs, timeStart).number(manifest::kTimeEndNs, timeEnd);
  json.number(manifest::kClockType, atf::kClockBoottime);
  writeProcess(json, &from_.ring->header(), facts.ending, facts.status);
  if (from_.parts)
    writePart(json, facts);
  writeHost(json);
  writeClock(json);
  writeOptions(json);
  writeRecorder(json, facts);
  if (facts.isNext) {
    writeNextThreads(json);
  } else {
    if (facts.ending != Ending::Exit)
      writeUnattached(json, facts);
    writeThreads(json);
  }
  from_.windows->writeManifest(json);
  from_.sched->writeManifest(json);
  from_.budget->writeManifest(json);
  from_.anchors->writeManifest(json, Which::All);
  from_.images->writeManifest(json, Which::All);
  json.line().endObject();
}

//===--- what comes later -------------------------------------------------===//

// The time to write a manifest is proportional to everything that was ever loaded; a program that loads library after
// library would wait for that each time.
int ManifestWriter::writeNews(const char *directory) {
  writeBinaries(directory, directory, Which::New);
  int fd = sys::open(lateModulesPath(directory).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  if (fd < 0)
    return fd;
  hasLateModules_ = true;
  JsonWriter json(fd);
  json.inOneLine().beginObject();
  from_.anchors->writeManifest(json, Which::New);
  from_.images->writeManifest(json, Which::New);
  from_.windows->writeNews(json);
  from_.budget->writeNews(json);
  json.endObject();
  int error = json.finish();
  sys::close(fd);
  return error;
}

void ManifestWriter::removeLateModules(const char *directory) {
  if (hasLateModules_)
    sys::unlink(lateModulesPath(directory).c_str());
  hasLateModules_ = false;
}

} // namespace ada::runtime
