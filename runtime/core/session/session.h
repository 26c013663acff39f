// The life of the trace in this process: start, fork, exec, end.
#pragma once

#include "core/base/message.h"
#include "core/drain/drain.h"
#include "core/facts/options.h"
#include "core/facts/timing_anchors.h"
#include "core/images/images.h"
#include "core/record/recorder.h"

namespace ada::runtime {

// Shared by a process and the children that it forks before anything is recorded: they have one session.
struct SharedSession {
  enum : uint32_t { None, BeingMade, Made };
  uint32_t state;
  uint32_t number; // in the directory's name: session_…, session_…_2
};

struct Runtime {
  Options options = {};
  TriggerRules triggers;
  Images images;
  Drain drain;
  TimingAnchors timingAnchors;
  bool recording = false;          // between ada_start and ada_stop
  Message *orderProblem = nullptr; // while an order starts recording: what is wrong goes here
  bool forbidsCounter = false;     // the thread that began to record may not read the CPU's counter
  Path sessionDirectory;           // absolute
  bool sessionIsMade = false;
  SharedSession *shared = nullptr;
  uint32_t *isOriginal = nullptr; // 1 in the process that wrote it: a copied process finds 0
  Path processDirectory;          // in memory while it is a flight recorder
};

extern Runtime runtime;

void setState(State s);

// Called for the first image: reads the options.
void startOnce();
// Finds what a time namespace adds to the clock, where that is not known yet. Async-signal-safe.
void findClock();
// Creates the directory and any missing parents. Returns 0 or a negative errno. One caller at a time: the thread that
// holds the start lock, or the drain.
int makeDirectories(const char *path);
// Ends the trace, as at exit(). Idempotent.
void finishProcess(int status);

} // namespace ada::runtime
