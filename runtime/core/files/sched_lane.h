// The scheduling files of all threads, and what the kernel reports for them.
//
// Owned by the drain thread.
#pragma once

#include "core/base/stepped_array.h"
#include "core/ring/ring.h"
#include "descriptors.h"
#include "sched_file.h"
#include "switch_events.h"

namespace ada::runtime {

class JsonWriter;

class SchedLane {
public:
  // Call it first. `place`: the process's directory; it must outlive this object. `isBounded`: only the newest records
  // are kept.
  void begin(Ring &ring, const char *place, bool isBounded);
  // Sets what closes other files' descriptors, so that one can be opened; it returns false if it must not now.
  void whenOutOfDescriptors(bool (*close)(void *), void *of) { closeOthers_ = close, closeOf_ = of; }
  // Sets the reason, for the manifest, why the kernel is not asked; called instead of start().
  void refuse(const char *why) { why_ = why; }
  // From now on the kernel is asked, if it allows that.
  void start(bool isAlone);
  void reset();
  // While recording is stopped the kernel reports nothing. Every state between these two calls is unknown.
  void pause();
  // The files that come next are those of another session: they begin without a known state, now.
  void forgetStates();
  void goOn();
  bool active() const { return events_.active(); }
  // The number of descriptors that the kernel's records take for as long as they come.
  uint64_t descriptors() const { return events_.descriptors(); }
  // Ensures memory for the threads of slots below `slots`. False if there is none.
  bool reserve(uint64_t slots) { return files_.reserve(slots); }
  // That of the slot's thread.
  SchedFile &file(uint64_t slot) { return files_[slot]; }

  // At the start of a pass: the time up to which read() should take records. `all`: up to now.
  uint64_t limitNs(bool all);
  // At the end of a pass: writes the records up to that time, for threads that have begun.
  void read(uint64_t limitNs);
  // Whether the next pass should come soon.
  bool isBusy() const { return events_.isBusy() || isWaited_; }
  // Whether the process may live so shortly that nothing was prepared for a burst.
  bool isNarrow() const { return events_.isNarrow(); }
  // Whether it should come soon enough for a burst.
  bool isUsed() const { return events_.isUsed(); }

  // From now on the files are in another process directory. The files of all threads are finished, and the times that
  // finish() wrote end where the new files begin.
  void beginPart() { fromNs_ = readToNs_, lost_ = 0; }
  void writeManifest(JsonWriter &json);
  // Whether something is missing that no manifest shows yet.
  bool manifestIsBehind() const { return missing() != told_; }

  // For the files.
  Ring &ring() { return *ring_; }
  const char *place() const { return place_; }
  bool isBounded() const { return isBounded_; }
  uint64_t fromNs() const { return fromNs_; }
  uint64_t readToNs() const { return readToNs_; }
  uint64_t askedAtNs() const { return askedAtNs_; }
  bool mayLack() const { return active() && events_.mayLack(); }
  void noteError(int error) { error_ = error; }
  template <class Open> int withDescriptors(Open &&open) {
    return ada::runtime::withDescriptors(open, [this] { return closeOthers_ && closeOthers_(closeOf_); });
  }
  void noteWaited() { isWaited_ = true; }

private:
  static constexpr uint64_t kMaxPending = 16384; // plus the same amount for sorting
  // Most processes of a build have ended by then. Those that have not get buffers for bursts.
  static constexpr uint64_t kShortNs = 5000000;
  static constexpr uint64_t kLateNs = 200000; // a record reaches its buffer some time after its own time

  void writePending();
  void sortPending();
  SchedFile *fileOf(uint32_t tid);
  void noteLost(const SwitchEvents::Switch &s);
  uint64_t missing() const { return lost_ + events_.missedThreads() + (error_ < 0); }

  Ring *ring_ = nullptr;
  const char *place_ = nullptr;
  const char *why_ = nullptr;
  bool (*closeOthers_)(void *) = nullptr;
  void *closeOf_ = nullptr;
  SwitchEvents events_;
  SteppedArray<SchedFile, ADA_RING_THREADS> files_; // by slot
  SwitchEvents::Switch *pending_ = nullptr;
  uint64_t pendingCount_ = 0, slots_ = 0, lastSlot_ = 0;
  uint64_t fromNs_ = 0, readToNs_ = 0, askedAtNs_ = 0, lost_ = 0, told_ = 0;
  int error_ = 0; // of a file
  bool isBounded_ = false;
  bool isWaited_ = false; // a file's isBehind() was true since the last read()
};

} // namespace ada::runtime
