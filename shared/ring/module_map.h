// Finds the function id for the address of a function entry.
//
// Addresses are reused: another library may be loaded where one was unloaded. A record belongs to the youngest module
// that covers the address and was registered before the record was stamped. Slots of the table are reused as well,
// so their order says nothing; of modules with the same stamp, the one with the larger id is the younger.
//
// If the counter has gone back, there may be no module that is old enough:
// then the oldest that covers the address counts.
//
// The table may change while it is read: a slot without any records left is filled in again.
// Its stamp marks the slot as unusable before the other fields change, and gets another value when they have,
// so a reader looks at it twice. The new module's own records are younger than the change.
#pragma once

#include "shared/ring/ring_file.h"

namespace ada::ring {

inline constexpr uint64_t kNoFunction = UINT64_MAX;

class ModuleMap {
public:
  // For entries in [begin, end) with stamps in [from, to): a copy of it stays true until the next update().
  struct Answer {
    uint64_t begin = 0, end = 0, from = 0, to = 0, moduleBits = 0;
    bool mayShare = false; // its functions may share a frame, see ADA_MODULE_INLINED
    bool isUnexamined = false;

    bool covers(uint64_t entry, uint64_t stamp) const {
      return entry - begin < end - begin && stamp >= from && stamp < to;
    }
    uint64_t functionId(uint64_t entry) const { return moduleBits | (entry - begin) / sizeof(ada_function); }
  };

  // `modules` is owned by the caller. Call update() when modules were added.
  void update(const ada_ring_module *modules, uint64_t used) {
    modules_ = modules;
    used_ = used;
    for (Answer &answer : answers_)
      answer = {};
  }

  // Sets what looks whether a module's functions may share a frame, and writes that to its slot. Without it,
  // unexamined modules count as if they may.
  void examineBy(void (*examine)(void *context, uint32_t moduleId), void *context) {
    examine_ = examine, context_ = context;
  }
  // Whether the function at an address may share a frame with others of its module.
  bool mayShare(uint64_t entry, uint64_t stamp) {
    const Answer *answer = answerFor(entry, stamp);
    if (answer && answer->isUnexamined && examine_) {
      examine_(context_, static_cast<uint32_t>(answer->moduleBits >> 32));
      update(modules_, used_);
      answer = answerFor(entry, stamp);
    }
    return !answer || answer->mayShare;
  }

  // The function id (module id << 32 | ordinal), or kNoFunction if no module covers the address.
  uint64_t functionId(uint64_t entry, uint64_t stamp) {
    const Answer *a = answerFor(entry, stamp);
    return a ? a->functionId(entry) : kNoFunction;
  }

  // Null if no module covers the address.
  const Answer *answerFor(uint64_t entry, uint64_t stamp) {
    Answer &a = answers_[entry / kEntriesBytes % kAnswers];
    return a.covers(entry, stamp) || find(entry, stamp, a) ? &a : nullptr;
  }

private:
  // Programs call back and forth between libraries: an answer is kept for every few pages of entries.
  static constexpr uint64_t kEntriesBytes = 16384, kAnswers = 64;

  // A copy of a slot. False if the slot can't be used.
  static bool read(const ada_ring_module &slot, ada_ring_module &copy) {
    copy.loaded_stamp = __atomic_load_n(&slot.loaded_stamp, __ATOMIC_ACQUIRE);
    copy.begin = __atomic_load_n(&slot.begin, __ATOMIC_RELAXED);
    copy.end = __atomic_load_n(&slot.end, __ATOMIC_RELAXED);
    copy.module_id = __atomic_load_n(&slot.module_id, __ATOMIC_RELAXED);
    copy.flags = __atomic_load_n(&slot.flags, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return copy.loaded_stamp != UINT64_MAX &&
           copy.loaded_stamp == __atomic_load_n(&slot.loaded_stamp, __ATOMIC_RELAXED);
  }

  static bool isYounger(const ada_ring_module &a, const ada_ring_module &b) {
    return a.loaded_stamp != b.loaded_stamp ? a.loaded_stamp > b.loaded_stamp : a.module_id > b.module_id;
  }

  bool find(uint64_t entry, uint64_t stamp, Answer &answer) {
    ada_ring_module best = {}, m;
    bool isFound = false;
    for (uint64_t i = 0; i < used_; ++i)
      if (read(modules_[i], m) && m.begin <= entry && entry < m.end && m.loaded_stamp <= stamp &&
          (!isFound || isYounger(m, best)))
        best = m, isFound = true;
    if (!isFound)
      return findOldest(entry, answer);
    answer = {best.begin,
              best.end,
              best.loaded_stamp,
              UINT64_MAX,
              static_cast<uint64_t>(best.module_id) << 32,
              (best.flags & ADA_MODULE_INLINED) != 0,
              (best.flags & ADA_MODULE_UNEXAMINED) != 0};
    // A younger module that takes some of this one's place ends the answer. If it was there already, but not at this
    // entry, the answer holds for this entry only.
    for (uint64_t i = 0; i < used_; ++i)
      if (read(modules_[i], m) && m.begin < best.end && best.begin < m.end && isYounger(m, best) &&
          m.loaded_stamp < answer.to)
        answer.to = m.loaded_stamp > stamp ? m.loaded_stamp : 0;
    return true;
  }

  // No record is older than its module. If one says so, the counter has gone back since the module was loaded.
  bool findOldest(uint64_t entry, Answer &answer) {
    ada_ring_module oldest = {}, m;
    bool isFound = false;
    for (uint64_t i = 0; i < used_; ++i)
      if (read(modules_[i], m) && m.begin <= entry && entry < m.end && (!isFound || isYounger(oldest, m)))
        oldest = m, isFound = true;
    answer = {entry,
              entry + sizeof(ada_function),
              0,
              oldest.loaded_stamp,
              static_cast<uint64_t>(oldest.module_id) << 32,
              (oldest.flags & ADA_MODULE_INLINED) != 0,
              (oldest.flags & ADA_MODULE_UNEXAMINED) != 0};
    answer.moduleBits |= (entry - oldest.begin) / sizeof(ada_function);
    return isFound;
  }

  void (*examine_)(void *context, uint32_t moduleId) = nullptr;
  void *context_ = nullptr;
  const ada_ring_module *modules_ = nullptr;
  uint64_t used_ = 0;
  Answer answers_[kAnswers] = {};
};

} // namespace ada::ring
