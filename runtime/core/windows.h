// windows.h - detail_mode=window: keeps detail events in memory and decides which of them are written.
//
// All detail is captured; the drain encodes it and puts it here, thread by thread, in order. A trigger at time T opens the
// window [T - pre_roll, T + post_roll]; windows that touch become one. What lies in a window is taken out again and
// written; what is older than any window that can still open is dropped. The drain thread only, but for trigger().
#ifndef ADA_RUNTIME_CORE_WINDOWS_H
#define ADA_RUNTIME_CORE_WINDOWS_H

#include "options.h"
#include "os.h"
#include "ring/expander.h"

namespace ada {

class JsonWriter;

enum class TriggerKind : uint8_t { Call, Slow, Exception, Signal, Api, Outside };

// One of the triggers of option `trigger`.
struct TriggerRule {
  TriggerKind kind;
  const char *glob; // null for Signal
  uint64_t limitNs; // Slow: calls that last longer
};

// The option, parsed. At most 8 rules, so that a byte a function says which mean it.
struct TriggerRules {
  static constexpr unsigned kMost = 8;
  TriggerRule rules[kMost] = {};
  unsigned count = 0;
  bool onSignal = false;

  // False, after one message, if `text` is no list of triggers.
  bool parse(const char *text);
  bool any() const { return count > 0; }
};

// Encoded detail events of one thread, oldest first, in blocks.
class Retained {
public:
  struct Entry {
    uint64_t ns, indexSeq;
    uint32_t bytes, count; // of encoded events that follow
    const unsigned char *data() const { return (const unsigned char *)(this + 1); }
  };
  struct Block {
    Block *next;
    uint32_t begin, end; // bytes of data that are entries
    unsigned char data[65536 - 16];
  };

  const Entry *oldest() const { return first_ ? (const Entry *)(first_->data + first_->begin) : nullptr; }

private:
  friend class Windows;
  Block *first_ = nullptr, *last_ = nullptr;
};

class Windows {
public:
  void start(const Options &options, const TriggerRules &rules);
  bool active() const { return active_; }

  // Any thread, also a signal handler: a trigger at `ns`.
  void trigger(uint64_t ns, TriggerKind kind);
  // Takes those; before a pass.
  void takePending();

  // Looks whether an event is a trigger. `rules`: bit i is set if rule i means the event's function.
  void look(const ring::Event &e, uint8_t rules, uint32_t thread);

  // Keeps the encoded detail of an event. Drops the thread's oldest ones if memory is short.
  void keep(Retained &r, uint64_t ns, uint64_t indexSeq, const unsigned char *data, uint32_t bytes, uint32_t count);
  enum class Fate { Write, Drop, Wait };
  // What is to be done with a thread's oldest entry. `undrainedNs`: all older events of all threads have been seen.
  Fate fateOf(const Retained::Entry &e, uint64_t undrainedNs) const;
  void removeOldest(Retained &r);

  void writeManifest(JsonWriter &json);
  // There are windows that no manifest has yet.
  bool manifestIsBehind() const { return manifestIsBehind_; }

private:
  static constexpr uint32_t kMostWindows = 65536, kTriggersKept = 16, kPending = 4096;
  struct Trigger {
    uint64_t ns, functionId;
    uint32_t thread;
    TriggerKind kind;
  };
  struct Window {
    uint64_t startNs, endNs, availableFromNs;
    uint64_t triggerCount;
    Trigger triggers[kTriggersKept]; // the first ones
  };

  void open(const Trigger &t);
  Retained::Block *takeBlock(Retained &r);
  void freeBlock(Retained::Block *b);

  bool active_ = false, manifestIsBehind_ = false;
  uint64_t preNs_ = 0, postNs_ = 0;
  const TriggerRules *rules_ = nullptr;
  uint64_t beganNs_ = 0;
  uint64_t droppedToNs_ = 0; // events up to here were dropped for want of memory
  Window *windows_ = nullptr; // by time, disjoint
  uint64_t windowCount_ = 0;
  uint64_t blocksLeft_ = 0;
  Retained::Block *freeBlocks_ = nullptr;

  struct Pending {
    uint64_t ns; // 0 until it is written
    TriggerKind kind;
  };
  Pending pending_[kPending] = {};
  uint64_t pendingHead_ = 0, pendingTail_ = 0;
};

} // namespace ada
#endif
