// Counts what a process does after its trace has ended.
//
// Threads run on while a process exits, and there are destructors and handlers that run after the runtime's own. Nobody
// can record that: the files are complete, and the process may be gone at any moment. But a trace must not claim that
// nothing is missing. So from its end on, the enable bytes lead each call to the hooks for detail, which count it here.
// The number is in the manifest: a page of that file stays mapped, and each event stores it there as text. That needs
// no system call, works with the process's rights of that time, and outlives the process. Where files can't be mapped,
// each event opens the manifest and writes it.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada::runtime {

// Zeroed, it is the state before the end. Any thread and signal handler may call it.
class LateEvents {
public:
  // The first bytes of a manifest that shows them. The number follows, which has kDigits characters.
  static constexpr char kBegin[] = "{\"dropped\":{\"after_end\":", kNone[] = "       0";
  static constexpr size_t kDigits = sizeof kNone - 1;
  static_assert((sizeof kBegin - 1) % sizeof(uint64_t) == 0 && kDigits == sizeof(uint64_t), "one store changes it");

  // The trace ends: from now on events are counted.
  void begin() { __atomic_store_n(&isOver_, true, __ATOMIC_SEQ_CST); }
  bool areCounted() const { return __atomic_load_n(&isOver_, __ATOMIC_RELAXED); }
  void count();
  // From now on the manifest in this file, which may be written to, shows them. `path`: its absolute path.
  void showIn(int manifest, const char *path);

private:
  void show(uint64_t count);
  void write();

  bool isOver_ = false;       // (atomic)
  uint64_t count_ = 0;        // (atomic)
  uint64_t *shown_ = nullptr; // (atomic) the characters in the manifest; null before showIn()
  bool isWritten_ = false;    // (atomic) they can't be mapped
  char path_[4096] = {};      // then the manifest's
};

extern LateEvents lateEvents;

} // namespace ada::runtime
