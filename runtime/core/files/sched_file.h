// The scheduling record of one thread: when it was on-CPU, where it had page faults, and when the recorder held it up.
//
// See docs/formats/sched.md. While it is short, its bytes are in the ring, where a kill leaves them, and a manifest
// that is written after finish() has them: a file for each process of a build would cost more than its contents.
// Otherwise they are in the thread's scheduling file. The trace does not depend on this file: if it cannot be written,
// the trace continues without it, and the manifest says so. If the kernel reports nothing, the file contains what the
// recorder knows about itself. Owned by the drain thread; a helper may call begin(), noteHeld() and writeHeld() for its
// threads.
#pragma once

#include "core/ring/ring.h"
#include "shared/encode/sched_format.h"
#include "shared/ring/held.h"
#include "switch_events.h"
#include "thread_file.h"

namespace ada::runtime {

class SchedLane;

class SchedFile {
public:
  // Times during which the recorder held a thread up, not yet in its file.
  class HeldTimes {
    friend SchedFile;
    static constexpr unsigned kMax = 128;
    sched::Record records_[kMax];
    unsigned count_ = 0;
    uint64_t ns_ = 0;      // the sum of these
    uint64_t endSeq_ = 0;  // after the last chunk that had such a time; 0 if none had
    uint64_t missing_ = 0; // times from chunks that are not in the file
  };

  // `lane` is that of all threads.
  void begin(SchedLane &lane, ada_ring_thread &slot);
  bool isActive() const { return isActive_; }
  // See thread_files.
  const char *name() const;
  // Whether what the kernel reports about that thread belongs here. Nothing says when a fiber's thread ran the fiber,
  // and which thread that was.
  bool isOf(uint32_t tid) const { return isActive_ && !isFiber_ && tid_ == tid; }

  // Chunk number `seq` of the thread says how long the thread was held up. `isFirst`: it has no event yet.
  void noteHeld(HeldTimes &times, const ring::Held &held, uint64_t seq, bool isFirst);
  void noteHeldAtEnd(HeldTimes &times, const ring::Held &held);
  // Writes all of them to the file, or counts them as missing.
  void writeHeld(HeldTimes &times);
  // How long the recorder held the thread up in this part of the trace, and how much of that is not in the file.
  // `isPartDone`: what lost events have cost so far counts for the next part, whose first chunk reports it.
  struct HeldSum {
    uint64_t ns, missingNs;
  };
  HeldSum heldInAll(bool isPartDone);

  // The kernel's records, in order.
  void write(const SwitchEvents::Switch *switches, uint64_t count);
  // The kernel lost records, of this thread or of others.
  void noteLost(const sched::Record &record);
  void forgetState() { isKnown_ = false, onSinceNs_ = 0; }
  // Nothing was reported between these times.
  void noteUnknown(uint64_t fromNs, uint64_t toNs);
  // For a thread that was seen to have ended before the lane's last read(): whether there may be records that read()
  // has not reached. Then ask again after the next pass, which SchedLane::isBusy() brings forward.
  bool isBehind();

  // Writes everything that will be known about the thread. The file may still be appended to.
  void finish();
  // The whole record, for the manifest, since finish(); empty if it is in the file. Valid until the next change.
  TextPiece kept() const;
  // From now on it is in the file: the slot may belong to another thread before there is a manifest.
  void leaveRing();
  // Removes the file, if there is one.
  void remove();
  // From now on the file is in another process directory.
  void goOn();
  // After this the object may belong to another thread.
  void end() { isActive_ = false; }

private:
  static constexpr uint64_t kMaxKept = 8192; // records of a bounded trace: half are removed at a time

  bool isRepeated(const SwitchEvents::Switch &s);
  void append(const sched::Record *records, uint64_t count);
  bool keep(const void *from, size_t bytes, bool stays);
  void beginKept();
  void dropKept();
  int open();
  void noteBegun(const void *from, size_t bytes);
  void noteWritten(const void *from, size_t bytes);
  uint64_t lastKnownNs() const;
  int put(const void *from, size_t bytes, bool stays);
  void giveUp(int error);
  int cut();
  void miss(uint64_t ns) { slot_->held_missing += ns; }
  int keepNewest();
  void forgetContents() { bytes_ = 0, sum_ = 0, lastNs_ = 0; }
  bool isReported() const;
  sched::Header header() const;

  SchedLane *lane_ = nullptr;
  ada_ring_thread *slot_ = nullptr;
  bool isActive_ = false, isFiber_ = false;
  bool lacksEnd_ = false;                // it was given up, and not even its end could be written
  ada_ring_sched *kept_ = nullptr;       // its place in the ring; null if it has none
  bool isKept_ = false, hasEnd_ = false; // the bytes are there, and not in the file; they have the end record
  uint32_t tid_ = 0, number_ = 0;
  uint32_t sum_ = 0; // CRC-32C of the file's contents
  // The same without its last record, and that record's time; 0 if there is none.
  uint32_t sumBeforeLast_ = 0;
  uint64_t lastNs_ = 0;
  bool isOn_ = false; // the state in the last record, if there was one
  bool isKnown_ = false;
  uint32_t faults_ = 0;     // how many a record of them stands for
  sched::Record last_ = {}; // the last one from the kernel about switches
  // At its first event the thread was on-CPU, and if the kernel's first record says that it leaves, it was until then.
  // The time of that event; 0 if it is not known, or the kernel may have reported something since.
  uint64_t onSinceNs_ = 0;
  uint64_t heldNs_ = 0;   // the sum of the hold times in the file
  uint64_t unplaced_ = 0; // ada_ring_thread.held_unplaced at the last heldInAll()
  uint64_t bytes_ = 0;    // of the file
  uint64_t endedNs_ = 0;  // when isBehind() was first called; 0 if never
  ThreadFile file_;
};

} // namespace ada::runtime
