// Writes manifest.json: when recording starts, and again as a whole whenever its content has changed.
//
// What the manifest says about threads, losses and parts comes from plain facts, which the caller has gathered; the
// parts that describe themselves (windows, scheduling, budget, modules, anchors) write their own sections.
#pragma once

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/facts/ending.h"
#include "core/images/images.h"
#include "thread_facts.h"

namespace ada::runtime {

class Budget;
class Parts;
class Ring;
class SchedLane;
class TimingAnchors;
class Windows;
struct Options;

class ManifestWriter {
public:
  // The objects that it asks. All of them must outlive it.
  struct Sources {
    Ring *ring;
    Images *images;
    TimingAnchors *anchors;
    const Options *options;
    Windows *windows;
    SchedLane *sched;
    Budget *budget;
    const FactsOfThreads *threads;
    const Parts *parts; // null without option rotate
  };
  // What was lost, or left out, of threads that the manifest does not list.
  struct OtherLosses {
    uint64_t unattached, late; // events that belong to no thread of the trace
    uint64_t ended, leftOut;   // of threads that have ended
  };
  struct Facts {
    Ending ending; // Rotated: the next part follows
    int status;
    bool isNext;         // of the part that is about to begin: nothing is in it
    const char *place;   // the process's directory, absolute
    const char *ring;    // the path of the ring; null if nothing is left in it
    const char *failure; // what could not be written; empty if everything could
    OtherLosses lost;    // since the trace began
    OtherLosses before;  // the part of them that earlier parts have reported
  };

  void start(const Sources &sources) { from_ = sources; }
  // From now on manifests say which part of the trace they are about.
  void beginParts(const Parts &parts) { from_.parts = &parts; }
  // Writes the manifest in that directory. Returns 0 or a negative errno: then the old one stays.
  int write(const char *directory, const Facts &facts);
  // Adds new modules, anchors, windows and switched off functions to the manifest's data without rewriting all of it.
  // Returns 0 or a negative errno.
  int writeNews(const char *directory);
  // The manifest in that directory has them now.
  void removeLateModules(const char *directory);

private:
  void writeBinaries(const char *directory, const char *place, Which which);
  void writeContent(JsonWriter &json, const Facts &facts);
  void writeRecorder(JsonWriter &json, const Facts &facts);
  void writeTimes(JsonWriter &json);
  void writeClock(JsonWriter &json);
  void writeOptions(JsonWriter &json);
  void writeThreads(JsonWriter &json);
  void writeGaps(JsonWriter &json, const ThreadFacts &f) const;
  void writeNextThreads(JsonWriter &json);
  void writePart(JsonWriter &json, const Facts &facts);

  Sources from_ = {};
  bool hasLateModules_ = false;
};

} // namespace ada::runtime
