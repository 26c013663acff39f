// Writes a process's files: index and detail events of each thread, and the manifest. Used by the drain only.
//
// Whenever the process is killed, the files on disk are consistent: detail events are written before the links that
// lead to them, and a journal in the ring says which records the index files hold (see ring_file.h).
#ifndef ADA_RUNTIME_CORE_SESSION_WRITER_H
#define ADA_RUNTIME_CORE_SESSION_WRITER_H

#include "bound.h"
#include "budget.h"
#include "core/base/stepped_array.h"
#include "core/files/detail_lane.h"
#include "core/files/index_lane.h"
#include "core/files/sched_lane.h"
#include "core/ring/ring.h"
#include "core/session/timing_anchors.h"
#include "parts.h"
#include "retained_details.h"
#include "shared/ring/left_out.h"
#include "windows.h"

#include <type_traits>

namespace ada {

class Identity;
class Images;
class JsonWriter;

// How the process ends, or is about to; for the manifest.
enum class Ending : uint32_t { Running, Exit, Exec, Unknown, Dump, Rotated, Signal };

class SessionWriter {
public:
  // Encoded events and details of one thread that are not yet written: one batch for each drain thread.
  class Batch {
  public:
    // 0 or -ENOMEM.
    int start();
    void reset();

  private:
    friend SessionWriter;
    struct Link {
      uint64_t indexSeq, detailSeq;
    };
    unsigned char *events_ = nullptr;
    size_t eventBytes_ = 0;
    uint64_t eventCount_ = 0;
    unsigned char *detailBytes_ = nullptr;
    atf::DetailTotals details_;
    // With windows: links to these details, for index events that are already in the file.
    Link *links_ = nullptr;
    uint64_t linkCount_ = 0;
  };

  // `directory` is the process's.
  void start(Ring &ring, Images &images, TimingAnchors &anchors, const Options &options, const TriggerRules &triggers,
             const char *directory);
  // After a fork: frees the memory of the parent's writer.
  void reset();
  // Descriptors may stay open between passes: the program can't touch them. `isInside`: the process's directory is the
  // current directory of the drain and of no other thread; then nothing above it need be accessible any more.
  void keepDescriptors(bool isInside) {
    ownFiles_ = true;
    if (isInside)
      place_ = ".", parts_.stayInside();
  }

  // Ensures that there is memory for the threads of slots below `slots`. False if there is none.
  bool reserve(uint64_t slots) {
    return threads_.reserve(slots) && sched_.reserve(slots) &&
           (!isPacked() || (blocks_.reserve(slots) && details_.reserve(slots)));
  }
  // Likewise for threads with numbers below `threads`: the manifest lists each of them.
  bool reserveNumbers(uint64_t threads) {
    return summaries_.reserve(threads < kMostSummaries ? threads : kMostSummaries);
  }
  // Everything is in the files, and there is nothing to recover.
  void removeRing();
  // The program continues as another user, and the drain follows: gives that user the files written so far, so that the
  // drain can continue.
  void handOver(Identity &identity);
  // Whether several drain threads may write at once, each for its own slots, from begin() to closeFiles(). Not if one
  // thread's work may touch files of another's slots, or if descriptors may run out.
  bool canShare() const;
  // Sets whether they do.
  void share(bool isShared) { isShared_ = isShared; }
  // `expansion` is that of the thread's records; it lives as long as the thread does here.
  void begin(uint64_t slot, ring::ThreadExpansion &expansion);
  // All records of the thread up to that time have been read; 0: there are more, of unknown age.
  void noteRead(uint64_t slot, uint64_t ns) { threads_[slot].readToNs = ns; }
  // Adds an event. `detail`: the detail in its record, or null.
  void add(Batch &batch, uint64_t slot, const ring::Event &e, const ada_detail *detail);
  // Adds events that have no detail and trigger nothing. `take(emit)` calls emit(const ring::Event &) for each, at most
  // once per record of a chunk and call that waited (left_out.h), and returns their number. Only if hasRoomForPlain().
  template <class Take> void addPlain(Batch &batch, uint64_t slot, Take &&take) {
    threads_[slot].index.with([&](auto &file) {
      typename std::remove_reference_t<decltype(file)>::Run run(file, endOf(batch, file));
      const uint64_t count = take([&](const ring::Event &e) __attribute__((always_inline)) { run.encode(e); });
      if (count > 0)
        batch.eventCount_ += count, batch.eventBytes_ = (size_t)(run.end() - batch.events_);
    });
  }
  bool hasRoomForPlain(const Batch &batch, uint64_t slot) const {
    constexpr uint64_t kMost = ADA_CHUNK_RECORDS + ring::kMostWaiting;
    return threads_[slot].index.with([&](const auto &file) { return hasRoom(batch, file, kMost); });
  }
  // Whether the call goes to the file however short it is.
  bool isWanted(const ring::Event &e) const;
  // Events of the thread so far, including those of the batch.
  uint64_t events(const Batch &batch, uint64_t slot) const { return threads_[slot].index.events() + batch.eventCount_; }
  // A record may produce any number of events. When this is true, commit before the next one.
  bool isNearlyFull(const Batch &batch, uint64_t slot) const {
    return threads_[slot].index.with([&](const auto &file) { return !hasRoom(batch, file, 1024); });
  }
  // Writes the batch. `fill(events, half, cursor)` writes the journal's entry for a file with `events` events into half
  // 0 or 1 of the journal.
  template <class Fill> void commit(Batch &batch, uint64_t slot, Fill &&fill) {
    ada_ring_thread &thread = ring_->threads()[slot];
    const uint32_t other = 1 - thread.current;
    fill(events(batch, slot), other, thread.cursor[other]);
    writeEvents(batch, slot);
    if (failed())
      thread.cursor[other].events = threads_[slot].index.events();
    turnJournal(slot);
  }
  // After commit(): closes descriptors that must not stay open.
  void closeFiles(uint64_t slot);
  // Removes the oldest blocks that exceed max_size and max_time at that time.
  void enforceBound(uint64_t nowNs) {
    while (__builtin_expect(bound_.isDue(nowNs), 0))
      removeOldest();
  }
  // Decides about detail that waits for a trigger, as far as possible.
  void writeWindows(Batch &batch, uint64_t slot, uint64_t undrainedNs);
  bool isWaiting(uint64_t slot) const { return threads_[slot].retained.oldest() != nullptr; }
  // All events of the thread are written: finishes its files.
  void end(uint64_t slot);
  // Writes footers and headers of all files, and the manifest. The files may still be appended to.
  void finish(Ending ending, int status);
  void finishFiles();
  // Returns 0 or a negative errno, after which nothing more is written. `copyIn`: writes not the process's own manifest
  // but that of a dump in this directory; a failure of that has no consequences.
  int writeManifest(Ending ending, int status, const char *copyIn = nullptr);
  // With option rotate, at the end of a pass: if the current part is complete, closes it and begins the next. True if
  // that was attempted.
  bool rotate(Batch &batch);
  // The directory of the last part, absolute: with option rotate, the process's directory gets a new name now and then.
  const char *directory() const { return directory_; }
  // While a dump copies the files nothing is removed from them.
  void holdOldest(bool hold) { bound_.hold(hold); }
  // Adds the new modules to the manifest's data without rewriting all of it. False if that failed.
  bool writeModules();
  bool hasNewAnchors() const { return anchors_->hasNew(); }

  Windows &windows() { return windows_; }
  SchedLane &sched() { return sched_; }
  // Starts scheduling records, if wanted and possible. After keepDescriptors().
  void startSched();
  Budget &budget() { return budget_; }
  // After a failed write: a description of what failed; otherwise empty.
  const char *failure() const { return failed() ? failure_ : ""; }
  // Whether the last manifest could be written.
  bool isComplete() const { return !manifestFailed_; }
  bool failed() const { return __atomic_load_n(&failed_, __ATOMIC_ACQUIRE); }

private:
  static constexpr size_t kBatchBytes = 1 << 20;
  static constexpr uint64_t kMostSummaries = 1u << 24;

  // A thread's figures in the parts of the trace before the current one.
  struct Before {
    uint64_t lost[ADA_LOST_REASONS];
    uint64_t leftOut;
    uint64_t gapNs, gapEvents; // how far a continuing gap was reported, and how many of its events
  };
  struct Thread {
    bool active;
    bool isCounted;     // its index file is one of openFiles_
    uint32_t number;    // N of thread_N
    uint64_t unwritten; // events that could not be written
    uint64_t readToNs;  // see noteRead()
    uint64_t lostByIt;  // losses that the thread itself had counted when summarised
    Before before;
    ring::ThreadExpansion *expansion;
    IndexLane index;
    DetailLane detail;
    RetainedDetails retained; // with windows
  };
  // What is known about a thread of the trace, for the manifest.
  struct Summary {
    uint32_t number, tid;
    char name[16];
    uint64_t events, removed, details, timeStart, timeEnd; // `removed`: those of the events that max_size removed
    uint64_t leftOut;                                      // by min_duration and max_depth
    uint64_t lost[ADA_LOST_REASONS], lostInAll[ADA_LOST_REASONS]; // in this part of the trace; and since it began
    uint64_t found; // exits that earlier parts count as lost, but that turned out to be events of this one
    Before before;
    SchedLane::HeldSum held;
    // Where these were lost: for a live thread, what its slot knows; otherwise `gapCount` gaps from `gapsAt` on.
    uint64_t slot, gapsAt, gapCount;
    bool isLive;
  };

  bool isPacked() const { return ring_->header().format == ADA_FORMAT_PACKED; }
  // The place for the next event of the batch.
  template <class File> static unsigned char *endOf(const Batch &batch, File &file) {
    return batch.eventBytes_ ? batch.events_ + batch.eventBytes_ : file.beginBatch(batch.events_);
  }
  // Whether the batch may grow by `events` events: it need not be written yet, and there is memory.
  template <class File> static bool hasRoom(const Batch &batch, const File &, uint64_t events) {
    return batch.eventBytes_ < File::kMostBatchBytes &&
           batch.eventBytes_ + events * File::kMostEventBytes <= kBatchBytes;
  }
  uint64_t addDetail(Batch &batch, Thread &t, const ring::Event &e, const ada_detail &d);
  void writeEvents(Batch &batch, uint64_t slot);
  void noteClosed(uint64_t slot);
  void removeOldest();
  void retain(Batch &batch, uint64_t slot, const ring::Event &e, const ada_detail &d, bool isWatched);
  void dispose(Batch &batch, Thread &t, Windows::Fate fate);
  void noteDropped(uint64_t ns);
  void noteGone(uint64_t ns);
  void writeDetail(Batch &batch, Thread &t, const RetainedDetails::Entry &e);
  void flushDetail(Batch &batch, Thread &t);
  template <class Write> void tryToWrite(uint64_t thread, const char *file, Write &&write);
  void closeDescriptors();
  void closeDescriptors(Thread &t);
  void fail(const char *what, int error);
  void finishThread(uint64_t slot);
  void finishSched(uint64_t slot);
  bool makeRoom(uint64_t slot);
  void turnJournal(uint64_t slot);
  void summarise(uint64_t slot, bool isPartDone = false);
  void listGaps(uint64_t slot, ring::GapList &list) const;
  void keepGaps(uint64_t slot);
  void writeGaps(JsonWriter &json, const Summary &s) const;
  Path lateModulesPath() const;
  uint64_t firstAnchor() const;
  void writeTimes(JsonWriter &json);
  void writeClock(JsonWriter &json);
  void writeOptions(JsonWriter &json);
  void writeThreads(JsonWriter &json);
  static void writeHeld(JsonWriter &json, const SchedLane::HeldSum &held);
  // Like writeManifest, but the old manifest may stay. With Ending::Rotated, `copyIn` is the directory of the next
  // part.
  int tryManifest(Ending ending, int status, const char *copyIn = nullptr);
  void writeBefore(JsonWriter &json, uint64_t events, const Before &before);
  void writeNextThreads(JsonWriter &json);
  void writePart(JsonWriter &json, bool isNext, bool goesOn);
  void writeUnattached(JsonWriter &json);
  // Everything that the manifest has reported about the thread, in the form for the next part.
  static Before beforeNext(const Summary &s);
  int makeNextPart(Batch &batch);
  int linkRing();
  void enterNextPart();

  Ring *ring_ = nullptr;
  Images *images_ = nullptr;
  TimingAnchors *anchors_ = nullptr;
  const Options *options_ = nullptr;
  const char *directory_ = nullptr; // the process's, absolute
  const char *place_ = nullptr;     // the same, as a path for opening files
  bool ownFiles_ = false, isShared_ = false, failing_ = false, failed_ = false, manifestFailed_ = false,
       hasLateModules_ = false;
  uint64_t openFiles_ = 0;
  SteppedArray<Thread, ADA_RING_THREADS> threads_;                     // by slot
  SteppedArray<packed::BlockWriter, ADA_RING_THREADS> blocks_;         // likewise, for packed files
  SteppedArray<PackedDetailFile::Memory *, ADA_RING_THREADS> details_; // likewise, for those with detail
  SteppedArray<Summary, kMostSummaries, 4096> summaries_;              // by thread number
  uint64_t summaryCount_ = 0;
  SteppedArray<ring::Gap, kMostSummaries, 4096> gaps_; // of threads that have ended
  uint64_t gapCount_ = 0;

  Parts parts_;
  bool ringIsBeside_ = false;                      // the ring is a file in the process's directory
  uint64_t unattachedTold_ = 0, lateTold_ = 0;     // reported in the last manifest
  uint64_t unattachedBefore_ = 0, lateBefore_ = 0; // reported in other parts' manifests
  uint64_t lostEndedBefore_ = 0, leftOutEndedBefore_ = 0;
  Windows windows_;
  SchedLane sched_;
  Bound bound_;
  Budget budget_;
  DetailPool pool_;
  char failure_[512] = {};
};

} // namespace ada
#endif
