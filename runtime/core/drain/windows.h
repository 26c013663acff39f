// The windows of detail_mode=window: periods whose detail events are written.
//
// All detail is captured; a trigger at time T opens the window [T - pre_roll, T + post_roll], and windows that touch
// are merged. Used by the drain thread only, except for trigger().
#pragma once

#include "core/base/os.h"
#include "core/facts/options.h"
#include "shared/manifest_keys.h"
#include "shared/ring/expander.h"

namespace ada::runtime {

class JsonWriter;

class Windows {
public:
  void start(const Options &options, const TriggerRules &rules);
  // Converts an option in milliseconds, however large.
  static uint64_t nanoseconds(uint64_t ms) { return ms < (1ull << 40) ? ms * 1000000 : UINT64_MAX / 4; }
  bool active() const { return active_; }

  // A trigger at `ns`. Any thread, signal handlers too, even one that never returns.
  void trigger(uint64_t ns, TriggerKind kind);
  // Opens windows for these triggers; called before a pass.
  void takePending();

  // Opens a window if an event is a trigger. `rules`: bit i is set if rule i matches the event's function. True if a
  // slow call was caught.
  bool look(const ring::Event &e, uint8_t rules, uint32_t thread);
  // The rules, as bits, that depend on a call's duration.
  uint8_t slowRules() const { return slowRules_; }

  enum class Fate { Write, Drop, Wait };
  // What to do with a detail event of that time. `undrainedNs`: all older events of all threads have been seen.
  Fate fateOf(uint64_t ns, uint64_t undrainedNs) const;
  // A detail event of that time is dropped, because it is too old or because memory is short. A window that reaches
  // back that far is incomplete.
  void noteDropped(uint64_t ns);

  // Adds all windows to a manifest.
  void writeManifest(JsonWriter &json);
  // Whether there are windows that no manifest has yet.
  bool manifestIsBehind() const { return manifestIsBehind_; }
  // Adds those that are not on disk, or have changed since.
  void writeNews(JsonWriter &json);
  bool hasNews() const { return hasNews_; }
  // A detail event of that time waits in memory that does not outlive the process.
  void noteUnsafe(uint64_t ns) { unsafeToNs_ = ns > unsafeToNs_ ? ns : unsafeToNs_; }
  // All detail in windows has been written, as far as it has been read. Until then no unsafe detail counts as
  // available.
  void noteWritten();

private:
  static constexpr uint32_t kMaxWindows = 65536, kPending = 4096;
  struct Trigger {
    uint64_t ns, functionId;
    uint32_t thread;
    TriggerKind kind;
  };
  struct Window {
    uint64_t startNs, endNs;
    uint64_t firstTriggerNs;  // the earliest
    uint64_t availableFromNs; // detail before it was dropped
    uint64_t triggerCount;
    bool isNews, isOpen;                      // it is not on disk as it is now; not all of its detail is on disk
    Trigger triggers[manifest::kMaxTriggers]; // the first ones
  };

  void open(const Trigger &t);
  void extend(uint64_t at, const Trigger &t, uint64_t start, uint64_t end);
  void noteChange(uint64_t at);
  void write(JsonWriter &json, const Window &w) const;
  void noteTold();

  bool active_ = false, manifestIsBehind_ = false, hasNews_ = false, areOpen_ = false;
  uint64_t firstChanged_ = UINT64_MAX; // no window before it has news or is open
  uint8_t slowRules_ = 0;
  uint64_t preNs_ = 0, postNs_ = 0;
  const TriggerRules *rules_ = nullptr;
  uint64_t droppedToNs_ = 0;  // detail events up to here may have been dropped
  uint64_t unsafeToNs_ = 0;   // and up to here, a kill may take them
  Window *windows_ = nullptr; // by time, disjoint
  uint64_t windowCount_ = 0;

  // Triggers from other threads, each in one word (time and kind) that is set in one step: a writer that dies in the
  // middle leaves nothing half done. 0 is a free place.
  uint64_t pending_[kPending] = {};
  uint32_t pendingNext_ = 0; // where a writer looks for a free place first
};

} // namespace ada::runtime
