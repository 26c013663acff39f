// drain.h - the thread that turns ring records into files.
//
// One pass: take an anchor, then for each thread take the records that are complete and not younger than it, expand
// them to events, write them, give the chunks back. Records that were reserved but never stamped (a signal handler that left by longjmp
// in the few nanoseconds between) are skipped when nothing can complete them any more.
#ifndef ADA_RUNTIME_CORE_DRAIN_H
#define ADA_RUNTIME_CORE_DRAIN_H

#include "detail_file.h"
#include "index_file.h"
#include "ring.h"
#include "ring/expander.h"
#include "windows.h"

namespace ada {

class Images;
struct Options;

// What is known of a thread of the trace, for the manifest.
struct ThreadSummary {
  uint32_t index, tid;
  char name[16];
  uint64_t events, details, timeStart, timeEnd;
  uint64_t lost[ADA_LOST_REASONS];
};

// How the process ends, or is about to; for the manifest.
enum class Ending : uint32_t { Running, Exit, Exec, Unknown };

class Drain {
public:
  // Starts the thread. `directory` is the process's. 0 or a negative errno.
  int start(Ring &ring, Images &images, const Options &options, const TriggerRules &triggers, const char *directory);
  // After a fork: there is no thread any more; ready for start().
  void reset();

  // For the slow path: there is work. Wakes the thread if it sleeps. Async-signal-safe.
  void wake();
  void chunkClosed();
  // Asks for a pass over everything that was recorded before the call and waits for it. 0, or -1 if something could not be written.
  int flush();
  // The same; then footers, headers and the manifest are written as at the end. With `Ending::Exit` the thread ends.
  int finish(Ending ending, int status);
  // Opens a detail window at `ns`. Async-signal-safe.
  void trigger(uint64_t ns, TriggerKind kind = TriggerKind::Api) { windows_.trigger(ns, kind); }
  // Something of the manifest changed.
  void manifestChanged() { __atomic_store_n(&manifestDirty_, 1, __ATOMIC_RELEASE); }
  void setExitStatus(int status) { exitStatus_ = status; }

  // After a failure to write: what failed, in words; empty otherwise.
  const char *failure() const { return failed_ ? failure_ : ""; }

private:
  struct ThreadState;
  static int threadMain(void *self);
  void run();
  void takeAnchor();
  uint64_t pass(bool last);
  uint64_t drainThread(ada_ring_thread &slot, ThreadState &t, bool last);
  uint64_t takeRecords(ada_ring_thread &slot, ThreadState &t, bool last, bool &more);
  void expandBatch(ada_ring_thread &slot, ThreadState &t, uint64_t count);
  void countGaps(ada_ring_thread &slot, ThreadState &t);
  void flushThread(ada_ring_thread &slot, ThreadState &t);
  void flushThread(ada_ring_thread &slot, ThreadState &t, const ada_ring_cursor &position);
  void addDetail(ThreadState &t, const ring::Event &e, const ada_detail &d);
  void writeWindows(ThreadState &t, uint64_t undrainedNs);
  void flushDetail(ThreadState &t);
  int finishThread(ThreadState &t);
  void endThread(ada_ring_thread &slot, ThreadState &t);
  void finishFiles();
  void summarise(ada_ring_thread &slot, ThreadState &t);
  void summariseAll();
  void closeDescriptors();
  void fail(const char *what, int error);
  void writeManifest();
  void writeThreads(class JsonWriter &json);
  void noteTimes(const IndexFile &file);
  void request(uint32_t *word);

  Ring *ring_ = nullptr;
  Images *images_ = nullptr;
  const Options *options_ = nullptr;
  const char *directory_ = nullptr;

  // Between the threads of the program and the drain.
  uint32_t wakeWord_ = 0, sleeping_ = 0;
  uint32_t requested_ = 0, done_ = 0; // passes asked for and completed; done_ is a futex
  uint32_t finishRequested_ = 0;      // with the next pass: finish as ending_ says
  uint32_t manifestDirty_ = 1;
  uint32_t closedChunks_ = 0; // full and not yet given back
  Ending ending_ = Ending::Running;
  int exitStatus_ = 0;
  Mutex requestMutex_;

  // The drain thread's own.
  bool ownFiles_ = false, failed_ = false, stopped_ = false;
  uint64_t limitStamp_ = 0; // of this pass
  uint64_t openFiles_ = 0;
  uint64_t manifestDueNs_ = 0;
  uint64_t modulesSeen_ = 0;
  uint64_t timeStart_ = 0, timeEnd_ = 0;
  ring::ClockMap clock_;
  ring::ModuleMap modules_;
  ThreadState *threads_ = nullptr;      // by slot
  ThreadSummary *summaries_ = nullptr;  // by thread index
  uint64_t summaryCount_ = 0, summaryCapacity_ = 0;
  ada_record *batch_ = nullptr;         // one chunk's records, copied
  const ada_detail **details_ = nullptr; // what follows each of them, in the chunk; null if nothing
  uint16_t batchPlaces_[ADA_CHUNK_RECORDS] = {}; // which of the chunk's records each of them is
  unsigned char *events_ = nullptr;     // encoded, not yet written
  uint64_t eventCount_ = 0;
  // The same for detail events. With windows: those of one thread that are being written.
  unsigned char *detailBytes_ = nullptr;
  size_t detailUsed_ = 0;
  uint64_t detailCount_ = 0, detailFirstSeq_ = 0, detailLastSeq_ = 0, detailFirstNs_ = 0, detailLastNs_ = 0;
  Windows windows_;
  uint64_t outsideTriggers_ = 0; // of ada_ring_header.trigger_count, seen
  char failure_[512] = {};
};

} // namespace ada
#endif
