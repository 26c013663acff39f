// The trace of a process: the traces of its threads, what they share, and the manifest. Used by the drain only.
#pragma once

#include "bound.h"
#include "budget.h"
#include "core/base/stepped_array.h"
#include "core/facts/timing_anchors.h"
#include "core/files/descriptors.h"
#include "core/files/sched_lane.h"
#include "core/ring/pass_clock.h"
#include "manifest.h"
#include "parts.h"
#include "thread_facts.h"
#include "thread_writer.h"
#include "windows.h"

namespace ada::runtime {

class Identity;
class Images;

class ProcessWriter {
public:
  // `directory` is the process's.
  void start(Ring &ring, Images &images, TimingAnchors &anchors, const Options &options, const TriggerRules &triggers,
             const char *directory);
  // After a fork: frees the memory of the parent's.
  void reset();
  // Descriptors may stay open between passes: the program can't touch them. `isInside`: the process's directory is the
  // current directory of the drain and of no other thread; then nothing above it need be accessible any more.
  void keepDescriptors(bool isInside) {
    ownFiles_ = true;
    if (isInside)
      place_ = ".", parts_.stayInside();
  }
  // Starts scheduling records, if wanted and possible. After keepDescriptors().
  void startSched(bool isAlone);

  // Prepares memory ahead of need, for the ring and for this, and wakes threads that wait for it.
  void prepare();
  // Everything is in the files, and there is nothing to recover.
  void removeRing();
  // The program continues as another user, and the drain follows: gives that user the files written so far, so that the
  // drain can continue.
  void handOver(Identity &identity);
  // Whether several drain threads may work at once, each on other threads' traces. Not if one thread's work may touch
  // files of another's, or if descriptors may run out.
  bool canShare() const;
  // Sets whether they do.
  void share(bool isShared) { isShared_ = isShared; }
  // Removes the oldest blocks that exceed max_size and max_time at that time.
  void enforceBound(uint64_t nowNs) {
    while (__builtin_expect(bound_.isDue(nowNs), 0))
      removeOldest();
  }
  // While a dump copies the files nothing is removed from them.
  void holdOldest(bool hold) { bound_.hold(hold); }

  // Writes footers and headers of all files, and the manifest. The files may still be appended to.
  void finish(Ending ending, int status);
  void finishFiles();
  // Returns 0 or a negative errno, after which nothing more is written.
  int writeManifest(Ending ending, int status);
  // The same for a dump in that directory; a failure of that has no consequences.
  int writeDumpManifest(Ending ending, int status, const char *directory);
  // With option rotate, at the end of a pass: if the current part is complete, closes it and begins the next. True if
  // that was attempted.
  bool rotate(unsigned char *buffer);
  // Continues the trace in another session, which exists; the files here are finished. Returns 0 or a negative errno:
  // then nothing has changed.
  int moveTo(const char *session, unsigned char *buffer);
  // Why that can't be done with these options; null if it can.
  const char *whyNoMove() const;
  // Whether the process's directory was deleted, or can't be found because it was renamed.
  bool isGone() const;
  // Whether it was certainly deleted: nothing can be written there any more, not even by recovery.
  bool isDeleted() const;
  // The directory of the last part, absolute: with option rotate, the process's directory gets a new name now and then.
  const char *directory() const { return directory_; }
  // Adds what is new to the manifest's data without rewriting all of it. Returns 0 or a negative errno.
  int writeNews() {
    return withDescriptors([this] { return manifest_.writeNews(place_); });
  }
  // The same for windows, before their detail and what has opened them are written: a kill must not leave these alone.
  void writeNewWindows();
  bool hasNewAnchors() const { return anchors_->hasNew(); }
  // The content of the manifest has changed. Any thread.
  void manifestChanged() { __atomic_store_n(&isManifestOld_, true, __ATOMIC_RELEASE); }
  bool isManifestOld() const { return __atomic_load_n(&isManifestOld_, __ATOMIC_ACQUIRE); }
  // A manifest with the content as of now is about to be written.
  void manifestIsNew() { __atomic_store_n(&isManifestOld_, false, __ATOMIC_RELEASE); }
  // Whether the last manifest could be written.
  bool isComplete() const { return !manifestFailed_; }
  // After a failed write: a description of what failed; otherwise empty.
  const char *failure() const { return failed() ? failure_ : ""; }
  // Its negative errno; otherwise 0.
  int failedWith() const { return failed() ? error_ : 0; }

  // Calls use(ThreadWriter &) for each thread that has begun and not ended.
  template <class Use> void eachThread(Use &&use) {
    const uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; i < used; ++i)
      if (threads_[i].isActive())
        use(threads_[i]);
  }
  ThreadWriter &thread(uint64_t slot) { return threads_[slot]; }

  // What the threads share.
  Ring &ring() { return *ring_; }
  Images &images() { return *images_; }
  PassClock &clock() { return clock_; }
  Windows &windows() { return windows_; }
  DetailPool &pool() { return pool_; }
  SchedLane &sched() { return sched_; }
  Budget &budget() { return budget_; }
  Bound &bound() { return bound_; }
  FactsOfThreads &facts() { return facts_; }
  const Parts &parts() const { return parts_; }
  // The process's directory, as a path for opening files.
  const char *place() const { return place_; }
  bool ownsFiles() const { return ownFiles_; }
  // Memory for the packed files of a slot's thread; null for ATF.
  packed::BlockWriter *blocksOf(uint64_t slot) { return isPacked() ? &blocks_[slot] : nullptr; }
  PackedDetailFile::Memory **detailsOf(uint64_t slot) { return isPacked() ? &details_[slot] : nullptr; }

  // For all files of the process.
  template <class Write> int withDescriptors(Write &&write) {
    return ada::runtime::withDescriptors(write, [this] { return closeDescriptors(); });
  }
  // The same for a thread's index and detail. After a failure nothing more is written: later events are counted and
  // dropped.
  template <class Write> void tryToWrite(uint64_t thread, const char *file, Write &&write) {
    const int error = withDescriptors(write);
    if (error < 0)
      fail((Path("thread_") << thread << file).c_str(), error);
  }
  bool failed() const { return __atomic_load_n(&failed_, __ATOMIC_ACQUIRE); }
  static bool isFull(int error) { return error == -ENOSPC || error == -EDQUOT || error == -EFBIG; }
  // The thread's descriptors stay open; if there are too many, some are closed.
  void countOpenFile(ThreadWriter &thread);
  void uncountOpenFile() { __atomic_sub_fetch(&openFiles_, 1, __ATOMIC_RELAXED); }
  // Removes the oldest block of all threads.
  void removeOldest();

private:
  bool isPacked() const { return ring_->header().format == ADA_FORMAT_PACKED; }
  bool reserve(uint64_t slots) {
    return threads_.reserve(slots) && sched_.reserve(slots) &&
           (!isPacked() || (blocks_.reserve(slots) && details_.reserve(slots)));
  }
  // Closes those of all threads' files, if no other drain thread may be using them. False if one may.
  bool closeDescriptors();
  void fail(const char *what, int error);

  // What the manifest has as of now.
  ManifestWriter::Facts gatherFacts(Ending ending, int status);
  // Like writeManifest, but the old manifest may stay.
  int tryManifest(Ending ending, int status);
  int writeNextManifest();
  int makeNextPart(unsigned char *buffer);
  int linkRing();
  void enterNextPart();

  Ring *ring_ = nullptr;
  Images *images_ = nullptr;
  TimingAnchors *anchors_ = nullptr;
  const Options *options_ = nullptr;
  const char *directory_ = nullptr; // the process's, absolute
  const char *place_ = nullptr;     // the same, as a path for opening files
  bool ownFiles_ = false, isShared_ = false, failing_ = false, failed_ = false, manifestFailed_ = false;
  bool isManifestOld_ = true; // (atomic)
  uint64_t openFiles_ = 0;
  SteppedArray<ThreadWriter, ADA_RING_THREADS> threads_;               // by slot
  SteppedArray<packed::BlockWriter, ADA_RING_THREADS> blocks_;         // likewise, for packed files
  SteppedArray<PackedDetailFile::Memory *, ADA_RING_THREADS> details_; // likewise, for those with detail
  FactsOfThreads facts_;

  PassClock clock_;
  Parts parts_;
  bool ringIsBeside_ = false; // the ring is a file in the process's directory
  ManifestWriter manifest_;
  ManifestWriter::OtherLosses reported_ = {}, before_ = {}; // in the last manifest; in earlier parts' manifests
  Windows windows_;
  SchedLane sched_;
  Bound bound_;
  Budget budget_;
  DetailPool pool_;
  char failure_[512] = {};
  int error_ = 0; // its negative errno
};

} // namespace ada::runtime
