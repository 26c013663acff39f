// thread_N/sched.ads of each thread: when it had a processor, and when the recorder held it up.
//
// See docs/formats/sched.md. Beside the point of the trace: if a file cannot be written, the trace goes on without, and
// the manifest says so. If the system tells nothing, the files have what the recorder knows of itself. Owned by the
// drain thread; begin(), noteHeld() and writeHeld() may be called by its helpers, each for other slots.
#ifndef ADA_RUNTIME_CORE_SCHED_LANE_H
#define ADA_RUNTIME_CORE_SCHED_LANE_H

#include "ring.h"
#include "shared/encode/sched_format.h"
#include "shared/ring/held.h"
#include "stepped_array.h"
#include "switch_events.h"
#include "thread_file.h"

namespace ada {

class JsonWriter;

class SchedLane {
public:
  // Times that the recorder held a thread up, not yet in its file.
  class HeldTimes {
    friend SchedLane;
    static constexpr unsigned kMost = 128;
    sched::Record records_[kMost];
    unsigned count_ = 0;
    uint64_t ns_ = 0;      // the sum of these
    uint64_t endSeq_ = 0;  // behind the last chunk that told of one; 0 if none did
    uint64_t missing_ = 0; // what chunks told of, and is not in the file
  };

  // First of all. `place`: the process's directory; it must live as long as this. `isBounded`: only the newest records
  // are kept.
  void begin(Ring &ring, const char *place, bool isBounded);
  // Why the system is not asked, for the manifest; else start().
  void refuse(const char *why) { why_ = why; }
  // From now on the system is asked, if it allows it.
  void start();
  void reset();
  bool active() const { return events_.active(); }
  // Memory for the threads of slots below `slots`. False if there is none.
  bool reserve(uint64_t slots) { return threads_.reserve(slots); }
  void begin(uint64_t slot, uint32_t tid, uint32_t number);

  // Chunk number `seq` of the thread says how long it was held up. `isFirst`: it has no event yet.
  void noteHeld(uint64_t slot, HeldTimes &times, const ring::Held &held, uint64_t seq, bool isFirst);
  void noteHeldAtEnd(uint64_t slot, HeldTimes &times, const ring::Held &held);
  // All of them are in its file, or counted as missing.
  void writeHeld(uint64_t slot, HeldTimes &times);
  // How long the recorder held the thread up in this part of the trace, and how much of it is not in its file.
  struct HeldSum {
    uint64_t ns, missingNs;
  };
  HeldSum heldOf(uint64_t slot);

  // At the start of a pass: up to when read() is to take records. `all`: up to now.
  uint64_t limitNs(bool all);
  // At its end: writes the records up to then, of threads that have begun.
  void read(uint64_t limitNs);
  // Of a thread that was seen to have ended before the last read(): whether there may be records that read() has not
  // come to. Then it is to be asked again after the next pass, which isBusy() hastens.
  bool isBehind(uint64_t slot);
  // Whether the next pass had better be soon.
  bool isBusy() const { return events_.isBusy() || isWaited_; }
  // Or soon enough for a burst.
  bool isUsed() const { return events_.isUsed(); }

  // All that will be known of the thread is written. It may still be appended to.
  void finish(uint64_t slot);
  // Its file goes, if it has one.
  void remove(uint64_t slot);
  // The files are those of another process directory from now on. All threads' are finished, and what finish() said
  // of them ends where the new ones begin.
  void beginPart() { fromNs_ = readToNs_, lost_ = 0; }
  void goOn(uint64_t slot);
  // The slot may be another thread's after this.
  void end(uint64_t slot) { threads_[slot].active = false; }
  void writeManifest(JsonWriter &json) const;

private:
  struct Thread {
    bool active;
    uint32_t tid, number;
    uint32_t sum; // CRC-32C of what is in the file
    // The same without its last record, and that record's time; 0 if there is none.
    uint32_t sumBeforeLast;
    uint64_t lastNs;
    bool isOn; // as the last record has it, if there was one
    bool isKnown;
    sched::Record last; // of the system
    uint64_t heldNs;    // the sum of those in the file
    uint64_t unplaced;  // of ada_ring_thread.held_unplaced, when heldOf() was last asked
    uint64_t bytes;
    uint64_t endedNs; // when isBehind() was first asked; 0 if it was not
    ThreadFile file;
  };
  static constexpr uint64_t kMostPending = 16384; // with as much again to sort them
  static constexpr uint64_t kLateNs = 200000;     // a record is in its buffer some time after its own
  static constexpr char kNewerName[] = "sched.ads.new";
  static constexpr uint64_t kMostKept = 8192; // records of a bounded trace: half of them go at a time

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
