// The trace of one thread: from its chunks in the ring to its files.
//
// drain() is the way there: it looks for records, expands them to events, encodes these into the workspace, and
// commits: writes them to the files, then the journal's entry, then gives the chunks back. Whenever the process is
// killed, the files on disk are consistent: detail events are written before the links that lead to them, and the
// journal says which records the index file holds (see ring_file.h).
#pragma once

#include "core/files/detail_lane.h"
#include "core/files/index_lane.h"
#include "core/files/sched_file.h"
#include "retained_details.h"
#include "shared/ring/record_reader.h"
#include "thread_facts.h"
#include "windows.h"
#include "workspace.h"

namespace ada::runtime {

class Identity;
class ProcessWriter;

// How much of what is in the ring a pass takes.
enum class Extent : uint8_t {
  Some,  // not so much of a thread that others wait for long
  Whole, // everything that was recorded before it, however much that is
  Last,  // everything: nothing more is recorded
};

// There is one for each slot of the ring. Zero-initialised is the state before the first begin().
class ThreadWriter {
public:
  // What a pass takes.
  struct Pass {
    Extent extent;
    uint64_t limitNs; // no later record is older
  };

  // The thread that now has the slot begins.
  void begin(ProcessWriter &process, uint64_t slot);
  // After a fork: frees the memory of the parent's.
  void release();
  bool isActive() const { return isActive_; }

  // Reads the records that the pass takes, and writes their events. Returns how many records there were.
  uint64_t drain(Workspace &work, const Pass &pass);
  // There was more than the last pass took.
  bool isBehind() const { return isBehind_; }
  // The thread is gone, and end() may be called: nothing more comes, but that of the kernel if the process goes on.
  bool isOver(bool isLast) { return isEnded_ && !isBehind_ && !retained_.oldest() && (isLast || !sched_->isBehind()); }
  // No event that the next passes read is older.
  uint64_t lastNs() const { return reader_.expansion.lastNs; }
  // The chunk that the next records are read from, or null.
  ada_chunk *chunk() const { return const_cast<ada_chunk *>(reader_.walk.chunk); }
  // Writes for how long the thread has been waiting before exit or exec.
  void writeHeldAtEnd(PassClock::View &view);

  // Decides about detail that waits for a trigger, as far as possible. `undrainedNs`: all older events of all threads
  // have been seen.
  void writeWindows(Workspace &work, uint64_t undrainedNs);

  // Writes footers and headers of index and detail. The files may still be appended to.
  void finish();
  // The same for the scheduling file; a thread without events has none.
  void finishSched() { index_.exists() ? sched_->finish() : sched_->remove(); }
  // On a full disk: removes the newest events to make room for the data that describes the others. False if there are
  // none.
  bool makeRoom();
  // All records are read: finishes the files, and gives the slot and the last chunks back.
  void end();

  // Removes the index file's oldest block. Returns 0 or a negative errno.
  int removeOldestBlock() { return index_.packed()->removeFirst(); }
  void closeDescriptors();
  // Gives the files to another user; `give(path)` does that for one.
  template <class Give> void handOver(Path directory, Give &&give) const;

  uint32_t number() const { return number_; }
  const char *indexName() const { return index_.name(); }
  // Gathers what the manifest has about the thread, as of now. `isPartDone`: losses after the last record that was read
  // count for the next part, and so do records that the thread may have made since.
  void gatherFacts(bool isPartDone);
  // Lists the times at which events were lost, up to what has been read.
  void listGaps(ring::GapList &list) const;

  // Option rotate. Creates the files of the next part in that directory. Returns 0 or a negative errno.
  int makeNext(const char *directory, unsigned char *buffer);
  // From now on those are the thread's files.
  void goOn();

private:
  void beginReading();
  bool leavesOut() const { return ring::leavesOut(reader_.expansion); }
  // What happens to events on their way to the file.
  enum class Filter { None, Counts, LeavesOut };
  uint64_t takePlain(Workspace &work);
  bool agrees() const;
  template <Filter kFilter> uint64_t takePlainWith(Workspace &work);
  void expandBatch(Workspace &work);
  void writeWaiting(Workspace &work, uint64_t nowNs);
  bool takeHeld(PassClock::View &view, ring::Held &held);
  void publish(PassClock::View &view);
  void giveEverythingBack();

  template <class File> static unsigned char *endOf(const Workspace &work, File &file);
  bool hasRoom(const Workspace &work, uint64_t events) const;
  uint64_t events(const Workspace &work) const { return index_.events() + work.eventCount; }
  bool isWanted(const ring::Event &e) const;
  void add(Workspace &work, const ring::Event &e, const ada_detail *detail);
  uint64_t addDetail(Workspace &work, const ring::Event &e, const ada_detail &d);

  void commit(Workspace &work, uint64_t place);
  void fillCursor(uint64_t events, uint64_t place, unsigned half);
  ada_ring_note *notes(unsigned half);
  void turnJournal();
  void writeEvents(Workspace &work);
  void flushDetail(Workspace &work);
  void closeOneTooMany();
  void noteClosedBlock();

  void lookForTriggers(Workspace &work, const ring::Event &e, const ada_detail *detail);
  void retain(Workspace &work, const ring::Event &e, const ada_detail &d, bool isWatched);
  void dispose(Workspace &work, Windows::Fate fate);
  void writeDetail(Workspace &work, const RetainedDetails::Entry &e);
  void noteDropped(uint64_t ns);
  void noteGone(uint64_t ns);

  int cutDetail();
  int finishFiles();

  ProcessWriter *process_ = nullptr;
  Ring *ring_ = nullptr;
  ada_ring_thread *slot_ = nullptr;
  uint64_t slotNumber_ = 0;
  uint32_t number_ = 0; // N of thread_N
  bool isActive_ = false, isEnded_ = false, isBehind_ = false;
  bool isCounted_ = false; // its index file is one of the process's open files

  ring::RecordReader reader_;
  uint64_t heldSeq_ = 0;  // the hold times in chunks below this number have been taken
  uint64_t readToNs_ = 0; // all records up to that time have been read; 0: there are more, of unknown age

  IndexLane index_;
  DetailLane detail_;
  SchedFile *sched_ = nullptr;
  RetainedDetails retained_; // with windows

  uint64_t inferred_ = 0;  // exits that no hook saw
  uint64_t unwritten_ = 0; // events that could not be written
  uint64_t lostByIt_ = 0;  // losses that the thread itself had counted when facts were last gathered
  EarlierParts before_ = {};
};

template <class Give> void ThreadWriter::handOver(Path directory, Give &&give) const {
  const Path thread = directory << "/thread_" << number_;
  if (!index_.packed())
    give(thread.c_str());
  for (const char *name : {index_.name(), detail_.name(), sched_->name()})
    give((Path(thread) << name).c_str());
}

} // namespace ada::runtime
