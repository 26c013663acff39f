// The thread that turns ring records into files: when it runs, what it is asked to do, and what each turn does.
//
// Most turns make a pass (passes.h). It takes an anchor. Then, for each thread, it reads the records that are complete
// and not younger than the anchor, writes their events, and gives the chunks back: see ThreadWriter.
#pragma once

#include "core/control/order.h"
#include "flight_dumps.h"
#include "passes.h"
#include "requests.h"
#include "upkeep.h"

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
  void whenOrdered(bool (*execute)(Order &)) { control_.execute = execute; }
  // For execute(): after the next pass the files are finished, and the thread sleeps until there is something to do.
  void park() { setMode(isParked() ? Mode::Reparking : Mode::Parking); }
  // For execute(): whether it sleeps so.
  bool isParked() const { return mode() >= Mode::Parked; }
  // For execute(): continues in another session, which exists. Returns 0 or a negative errno: then nothing has changed.
  int moveTo(const char *session) { return trace_.moveTo(session, passes_.buffer()); }
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
    if (flight_.isOn())
      askForDump(kind == TriggerKind::Signal);
  }
  // The process will die of this signal when its handler returns. Call it before trigger(). Async-signal-safe.
  void noteFatalSignal(int number) { flight_.noteFatalSignal(number); }
  // The session of the last dump; empty if there was none.
  const char *lastDump() const { return flight_.session(); }
  // The content of the manifest has changed.
  void manifestChanged() { trace_.manifestChanged(); }

  // After a failed write: a description of what failed; otherwise empty.
  const char *failure() const { return flight_.hasFailed() ? flight_.failure() : trace_.failure(); }
  // Called in the drain's thread when the program's last thread has ended without exit(), before the files are
  // finished.
  void whenAbandoned(void (*callback)()) { abandoned_.callback = callback; }
  // Called before start(): the process may have left a ring behind before an exec. It is looked for.
  void lookForOwnOrphan() { upkeep_.lookForOwnOrphan(); }
  // At the end: whether everything that is known of the trace is in its files.
  bool isComplete() const { return trace_.isComplete(); }
  // Likewise: whether the directory was deleted, and the ring with it.
  bool isDeleted() const { return isDeleted_; }
  // Likewise: the negative errno of failure(); 0 if it has none.
  int failedWith() const { return flight_.hasFailed() ? 0 : trace_.failedWith(); }
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
  // Whether it is parked: asleep, with complete files.
  enum class Mode : uint32_t {
    Recording,
    Parking, // recording, and parked after the next pass
    Parked,
    Reparking, // parked, and the files are finished once more after the next pass
  };
  // What was asked for before a turn's pass, which takes everything that was recorded before.
  struct Asked {
    uint32_t wake;          // the wake-up word: the thread does not sleep if it has changed since
    bool hasOrder;          // to be answered after the pass
    uint32_t passes, dumps; // how many of them
    bool isFlush;           // there are new passes among them
    bool isFinishing;       // of Drain::ending_
  };
  // What a turn of the thread's loop does. Each has a function.
  enum class Turn {
    Recording,
    Finishing, // the files are to be finished, at exec or at the end of the process
    Parked,    // nothing has happened
    Gone,      // the same as Finishing, but the user has deleted the session, which was complete
    Abandoned, // the program's last thread has ended, and this thread ends the process
  };

  Mode mode() const { return static_cast<Mode>(__atomic_load_n(&mode_, __ATOMIC_ACQUIRE)); }
  bool mustPark() const { return mode() == Mode::Parking || mode() == Mode::Reparking; }
  // Everything that was recorded before has to be taken now.
  bool takesAll(const Asked &asked) const { return asked.isFlush || asked.hasOrder || mustPark(); }
  void setMode(Mode mode) { __atomic_store_n(&mode_, static_cast<uint32_t>(mode), __ATOMIC_RELEASE); }

  static void threadMain(void *self);
  int begin();
  void settle();
  void run();
  Asked look();
  Turn turnFor(const Asked &asked);
  // False if that was the last turn: then nothing in this object belongs to the drain any more.
  bool recordOn(const Asked &asked);
  bool finishFiles(const Asked &asked);
  bool answerGone(const Asked &asked);
  void takeAbandoned();
  bool endTurn(const Asked &asked, uint64_t records, bool isDumping);
  bool answer(const Asked &asked);

  uint64_t pass(const Asked &asked);
  void takeModules();
  void writeManifest();
  bool isManifestDue(const Asked &asked, bool lacksWindows);
  void rotate();
  void followIdentity();
  bool isAbandoned();

  void wake();
  void askForDump(bool isUrgent);
  bool takeOrder();
  void answerOrder();
  void endLease();
  void finishParked();
  void sleepUnless(uint32_t seen, uint64_t records);

  Ring *ring_ = nullptr;
  bool isDeleted_ = false;
  ProcessWriter trace_;
  Passes passes_;
  DrainRequests requests_; // shared by the program's threads and the drain
  FlightDumps flight_;     // likewise
  const Beginning *beginning_ = nullptr;
  int beginError_ = 0;         // (atomic)
  uint64_t threadsWanted_ = 0; // drain_threads
  const char *directory_ = nullptr;
  bool isAlone_ = false; // the process had one thread when this was started

  // Written by the drain thread only; threads of the program read the mode.
  uint32_t mode_ = 0; // (atomic) Mode
  Ending ending_ = Ending::Running;
  uint64_t manifestDueNs_ = 0;
  bool hasManifest_ = false;
  bool ownsFiles_ = false; // its table of open files is not the program's
  Upkeep upkeep_;
  Identity identity_;
  struct {
    bool isTrue;
    uint32_t endCode; // the process's exit code as far as known
    void (*callback)();
  } abandoned_ = {};
  struct {
    bool (*execute)(Order &);
    uint32_t number;
    Order order;
  } control_ = {};
};

} // namespace ada::runtime
