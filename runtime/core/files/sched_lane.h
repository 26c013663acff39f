// thread_N/sched.ads of each thread: when it was on-CPU, and when the recorder held it up.
//
// See docs/formats/sched.md. The trace does not depend on these files: if one cannot be written, the trace continues
// without it, and the manifest says so. If the kernel reports nothing, the files contain what the recorder knows about
// itself. Owned by the drain thread; its helpers may call begin(), noteHeld() and writeHeld(), each for different
// slots.
#ifndef ADA_RUNTIME_CORE_SCHED_LANE_H
#define ADA_RUNTIME_CORE_SCHED_LANE_H

#include "core/base/stepped_array.h"
#include "core/ring/ring.h"
#include "shared/encode/sched_format.h"
#include "shared/ring/held.h"
#include "switch_events.h"
#include "thread_file.h"

namespace ada {

class JsonWriter;

class SchedLane {
public:
  // Times during which the recorder held a thread up, not yet in its file.
  class HeldTimes {
    friend SchedLane;
    static constexpr unsigned kMost = 128;
    sched::Record records_[kMost];
    unsigned count_ = 0;
    uint64_t ns_ = 0;      // the sum of these
    uint64_t endSeq_ = 0;  // after the last chunk that had such a time; 0 if none had
    uint64_t missing_ = 0; // times from chunks that are not in the file
  };

  // Call it first. `place`: the process's directory; it must outlive this object. `isBounded`: only the newest records
  // are kept.
  void begin(Ring &ring, const char *place, bool isBounded);
  // Sets the reason, for the manifest, why the kernel is not asked; called instead of start().
  void refuse(const char *why) { why_ = why; }
  // From now on the kernel is asked, if it allows that.
  void start();
  void reset();
  bool active() const { return events_.active(); }
  // Ensures memory for the threads of slots below `slots`. False if there is none.
  bool reserve(uint64_t slots) { return threads_.reserve(slots); }
  void begin(uint64_t slot, uint32_t tid, uint32_t number);

  // Chunk number `seq` of the thread says how long the thread was held up. `isFirst`: it has no event yet.
  void noteHeld(uint64_t slot, HeldTimes &times, const ring::Held &held, uint64_t seq, bool isFirst);
  void noteHeldAtEnd(uint64_t slot, HeldTimes &times, const ring::Held &held);
  // Writes all of them to the thread's file, or counts them as missing.
  void writeHeld(uint64_t slot, HeldTimes &times);
  // How long the recorder held the thread up in this part of the trace, and how much of that is not in its file.
  // `isPartDone`: what lost events have cost so far counts for the next part, whose first chunk reports it.
  struct HeldSum {
    uint64_t ns, missingNs;
  };
  HeldSum heldOf(uint64_t slot, bool isPartDone);

  // At the start of a pass: the time up to which read() should take records. `all`: up to now.
  uint64_t limitNs(bool all);
  // At the end of a pass: writes the records up to that time, for threads that have begun.
  void read(uint64_t limitNs);
  // For a thread that was seen to have ended before the last read(): whether there may be records that read() has not
  // reached. Then ask again after the next pass, which isBusy() brings forward.
  bool isBehind(uint64_t slot);
  // Whether the next pass should come soon.
  bool isBusy() const { return events_.isBusy() || isWaited_; }
  // Whether it should come soon enough for a burst.
  bool isUsed() const { return events_.isUsed(); }

  // Writes everything that will be known about the thread. The file may still be appended to.
  void finish(uint64_t slot);
  // Removes its file, if there is one.
  void remove(uint64_t slot);
  // From now on the files are in another process directory. The files of all threads are finished, and the times that
  // finish() wrote end where the new files begin.
  void beginPart() { fromNs_ = readToNs_, lost_ = 0; }
  void goOn(uint64_t slot);
  // After this the slot may belong to another thread.
  void end(uint64_t slot) { threads_[slot].active = false; }
  void writeManifest(JsonWriter &json) const;

private:
  struct Thread {
    bool active;
    uint32_t tid, number;
    uint32_t sum; // CRC-32C of the file's contents
    // The same without its last record, and that record's time; 0 if there is none.
    uint32_t sumBeforeLast;
    uint64_t lastNs;
    bool isOn; // the state in the last record, if there was one
    bool isKnown;
    sched::Record last; // the last one from the kernel
    uint64_t heldNs;    // the sum of the hold times in the file
    uint64_t unplaced;  // ada_ring_thread.held_unplaced at the last heldOf()
    uint64_t bytes;
    uint64_t endedNs; // when isBehind() was first called; 0 if never
    ThreadFile file;
  };
  static constexpr uint64_t kMostPending = 16384; // plus the same amount for sorting
  static constexpr uint64_t kLateNs = 200000;     // a record reaches its buffer some time after its own time
  static constexpr char kNewerName[] = "sched.ads.new";
  static constexpr uint64_t kMostKept = 8192; // records of a bounded trace: half are removed at a time

  void writePending();
  void sortPending();
  static bool isRepeated(Thread &t, const SwitchEvents::Switch &s);
  uint64_t slotOf(uint32_t tid);
  void append(Thread &t, const sched::Record *records, uint64_t count);
  void noteLost(const SwitchEvents::Switch &s);
  int write(Thread &t, const void *from, size_t bytes, bool stays);
  void giveUp(Thread &t, int error);
  void miss(uint64_t slot, uint64_t ns);
  int keepNewest(uint64_t slot);
  sched::Header headerOf(const Thread &t) const;

  Ring *ring_ = nullptr;
  const char *place_ = nullptr;
  const char *why_ = nullptr;
  SwitchEvents events_;
  SteppedArray<Thread, ADA_RING_THREADS> threads_; // by slot
  SwitchEvents::Switch *pending_ = nullptr;
  uint64_t pendingCount_ = 0, slots_ = 0, lastSlot_ = 0;
  uint64_t fromNs_ = 0, readToNs_ = 0, askedAtNs_ = 0, lost_ = 0;
  int error_ = 0; // of a file
  bool isBounded_ = false;
  bool isWaited_ = false; // isBehind() was true since the last read()
};

} // namespace ada
#endif
