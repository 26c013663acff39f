// One pass over the ring: reads, for each thread, the records that are complete, and writes their events.
//
// For the drain thread. With many threads to read, helpers take part.
#pragma once

#include "drain_helpers.h"
#include "identity.h"
#include "process_writer.h"

namespace ada::runtime {

// Zero-initialised is the initial state, too.
class Passes {
public:
  // Allocates the drain thread's memory. 0 or -ENOMEM.
  int start(ProcessWriter &trace) {
    trace_ = &trace;
    own_.view.modules.examineBy(examineModule, trace_);
    return own_.start();
  }
  // Starts the helpers. `wanted`: option drain_threads.
  void startHelpers(uint64_t wanted);
  void stopHelpers() { helpers_.stop(); }
  // The helpers take over the identity.
  void follow(Identity &identity);
  // After a fork: frees the memory of the parent's.
  void reset();

  // Begins the times of a pass.
  void takeAnchor();
  // `readsSwitches`: whether threads' switches are read, too. Returns the number of records.
  uint64_t run(Extent extent, bool readsSwitches);
  // Whether the last pass did not take all that was recorded before it.
  bool isBehind() const { return isBehind_; }
  // Writes how long the threads that asked for the end have been waiting.
  void writeHeldAtEnd();
  // Memory for the encoded events of one thread, between passes.
  unsigned char *buffer() { return own_.events; }

private:
  // Modules are examined when a thread is read that has called them.
  static void examineModule(void *trace, uint32_t moduleId);
  bool isWorthSharing() const;
  void takePart(Workspace &work);
  uint64_t readThreads();
  void writeWindows(uint64_t limitNs);

  ProcessWriter *trace_ = nullptr;
  Workspace own_; // the drain thread's
  DrainHelpers helpers_;
  Workspace *helpersOwn_ = nullptr; // one for each helper
  ThreadWriter::Pass pass_ = {};
  uint64_t slots_ = 0, nextSlot_ = 0; // of this pass: the number of slots, and the next one to take
  bool isBehind_ = false;
};

} // namespace ada::runtime
