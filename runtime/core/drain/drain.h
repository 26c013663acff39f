// The thread that turns ring records into files: when it runs, what it is asked to do, and the order of a pass.
//
// One pass takes an anchor. Then, for each thread, it reads the records that are complete and not younger than the
// anchor, writes their events, and gives the chunks back: see ThreadTrace.
#pragma once

#include "core/control/order.h"
#include "drain_helpers.h"
#include "dump.h"
#include "identity.h"
#include "process_trace.h"

namespace ada::runtime {

class Drain {
public:
  // Starts the thread, which creates the ring first: makeRing() runs in it, so that the ring's file is not among the
  // program's. Then it waits for the first pass, which writes the manifest. `directory` is the process's; `session` is
  // where the dumps of a flight recorder go. Returns 0 or a negative errno, also that of makeRing().
  int start(Ring &ring, Images &images, TimingAnchors &anchors, const Options &options, const TriggerRules &triggers,
            const char *directory, const char *session, int (*makeRing)());
  // After a fork, when the thread no longer exists: makes this ready for start().
  void reset();

  // Whether something could not be written.
  bool hasFailed() const { return trace_.failed(); }
  // Asks for a pass over everything that was recorded before the call and waits for it. Returns 0, or -1 if something
  // could not be written.
  int flush();
  // The same; then footers, headers and the manifest are written as at the end. With `Ending::Exit` the thread ends.
  // Async-signal-safe, even in a handler that interrupts this function; Ending::Exit always wins.
  int finish(Ending ending, int status);
  // Called after finish(Ending::Exec) if the process continues.
  void resume();
  // Called in the drain's thread for each order from another process. True if the answer has to wait for a pass over
  // everything that was recorded before.
  void whenOrdered(bool (*execute)(Order &)) { execute_ = execute; }
  // For execute(): after the next pass the files are finished, and the thread sleeps until there is something to do.
  void park() { mustPark_ = true; }
  // For execute(): whether it sleeps so.
  bool isParked() const { return isParked_; }
  // For execute(): continues in another session, which exists. Returns 0 or a negative errno: then nothing has changed.
  int moveTo(const char *session) { return trace_.moveTo(session, own_.events); }
  const char *whyNoMove() const { return trace_.failed() ? trace_.failure() : trace_.whyNoMove(); }
  bool isGone() const { return trace_.isGone(); }
  // For execute(): recording goes on.
  void goOn();
  // The same, for the program's threads. Does nothing if it was not parked.
  void askToGoOn();
  // Opens a detail window at `ns` and asks a flight recorder for a dump. For a fatal signal, the dump is made before
  // the next flush() is answered. Async-signal-safe.
  void trigger(uint64_t ns, TriggerKind kind = TriggerKind::Api) {
    trace_.windows().trigger(ns, kind);
    if (isFlight_)
      askForDump(kind == TriggerKind::Signal);
  }
  // The process will die of this signal when its handler returns. Call it before trigger(). Async-signal-safe.
  void noteFatalSignal(int number) { __atomic_store_n(&fatalSignal_, number, __ATOMIC_RELAXED); }
  // The session of the last dump; empty if there was none.
  const char *lastDump() const { return dump_.session(); }
  // The content of the manifest has changed.
  void manifestChanged() { trace_.manifestChanged(); }

  // After a failed write: a description of what failed; otherwise empty.
  const char *failure() const { return dumpFailure_.empty() ? trace_.failure() : dumpFailure_.c_str(); }
  // Called in the drain's thread when the program's last thread has ended without exit(), before the files are
  // finished.
  void whenAbandoned(void (*callback)()) { onAbandoned_ = callback; }
  // Called before start(): the process may have left a ring behind before an exec. It is looked for.
  void lookForOwnOrphan() { mayHaveOrphan_ = true; }
  // At the end: whether everything that is known of the trace is in its files.
  bool isComplete() const { return trace_.isComplete(); }
  // The process's directory; with option rotate, that of the last part. Valid once the drain has stopped.
  const char *directory() const { return trace_.directory(); }

private:
  // What start() was given, until the thread has begun.
  struct Beginning {
    Images &images;
    TimingAnchors &anchors;
    const Options &options;
    const TriggerRules &triggers;
    int (*makeRing)();
  };

  void wake();
  static void threadMain(void *self);
  int begin();
  void run();
  bool answer(uint32_t wanted, bool finishing);
  void startHelpers();
  uint64_t pass(bool last, bool whole);
  static void examineModule(void *trace, uint32_t moduleId);
  bool isWorthSharing() const;
  void takePart(Workspace &work);
  void askNames();
  void takeAnchor();
  void writeWindows(uint64_t limitNs);
  void writeManifest();
  void endHeld();
  void rotate();
  void followIdentity();
  void takeModules();
  bool lookForOrphans();
  bool isManifestDue(bool isBehind, bool isFlush);
  bool noteIfAbandoned();
  void askForDump(bool isUrgent);
  bool dump(uint32_t asked, bool toTheEnd);
  bool takeOrder();
  void answerOrder();
  void endLease();
  void finishParked();
  void sleepUnless(uint32_t seen, uint64_t records);
  int beginDump();
  void endUrgentDump();
  void endFlight();

  Ring *ring_ = nullptr;
  ProcessTrace trace_;
  Workspace own_; // the drain thread's
  DrainHelpers helpers_;
  Workspace *helpersOwn_ = nullptr; // one for each helper
  uint64_t threadsWanted_ = 0;      // drain_threads

  // Shared by the program's threads and the drain.
  uint32_t requested_ = 0, done_ = 0; // passes asked for and completed; done_ is a futex
  uint32_t finishRequested_ = 0;      // an Ending for the next pass, the final one wins; 0 if none
  uint32_t finishedAt_ = 0;           // the request that the last finishing pass answered
  uint32_t resumed_ = 0;              // an exec failed
  uint32_t goesOn_ = 0;               // the program's own ada_start()
  const Beginning *beginning_ = nullptr;
  int beginError_ = 0; // (atomic)
  Ending ending_ = Ending::Running;
  int exitStatus_ = 0;
  bool stopped_ = false;
  uint32_t dumpsAsked_ = 0;
  uint32_t urgentDump_ = 0; // the number in dumpsAsked_ of the dump that a thread waits for; 0 if none
  int fatalSignal_ = 0;     // the signal that is about to end the process

  // Used by the drain thread only.
  ThreadTrace::Pass pass_ = {};
  uint64_t slots_ = 0, nextSlot_ = 0; // of this pass: the number of slots, and the next one to take
  uint64_t manifestDueNs_ = 0;
  uint64_t namesDueNs_ = 0, namesNext_ = 0; // when the next round of askNames begins, and its next slot
  bool ownsFiles_ = false;                  // its table of open files is not the program's
  bool mayHaveOrphan_ = false;              // before an exec it may have had another ring
  bool isAlone_ = false;                    // the process had one thread when this was started
  bool hasManifest_ = false;
  enum class Looked : uint8_t { Not, ForOwn, ForAll } lookedForOrphans_ = Looked::Not;
  bool isBehind_ = false; // the last pass did not take all that was recorded before it
  Identity identity_;
  bool isFlight_ = false, isAbandoned_ = false;
  uint32_t endCode_ = 0; // the process's exit code as far as known, if abandoned
  void (*onAbandoned_)() = nullptr;
  uint32_t dumpsBegun_ = 0; // of dumpsAsked_
  int signalOfDump_ = 0;    // given as the process's end in the last dump; also 0 if that failed
  const char *directory_ = nullptr, *session_ = nullptr;
  Dump dump_;
  Text<512> dumpFailure_;
  bool (*execute_)(Order &) = nullptr;
  Order order_;
  uint32_t orderNumber_ = 0;
  bool mustPark_ = false, isParked_ = false; // (isParked_ atomic)
};

} // namespace ada::runtime
