// module_map.h - finds the function id for the address of a function entry.
//
// Addresses are reused: a library that was unloaded may give its place to another. The module that counts for a record is the
// youngest one that covers the address and was registered before the record was stamped.
#ifndef ADA_LIB_RING_MODULE_MAP_H
#define ADA_LIB_RING_MODULE_MAP_H

#include <ada/ring_file.h>

namespace ada::ring {

inline constexpr uint64_t kNoFunction = UINT64_MAX;

class ModuleMap {
public:
  // `modules` is owned by the caller and append-only. Call update() when entries were added.
  void update(const ada_ring_module *modules, uint64_t used) {
    modules_ = modules;
    used_ = used;
    begin_ = end_ = 0;
  }

  // The function id (module id << 32 | ordinal), or kNoFunction if no module covers the address.
  uint64_t functionId(uint64_t entry, uint64_t stamp) {
    if (entry - begin_ >= end_ - begin_ || stamp < from_ || stamp >= to_)
      if (!find(entry, stamp))
        return kNoFunction;
    return moduleBits_ | (entry - begin_) / sizeof(ada_function);
  }

private:
  bool find(uint64_t entry, uint64_t stamp) {
    const ada_ring_module *best = nullptr;
    uint64_t validTo = UINT64_MAX;
    for (uint64_t i = used_; i-- > 0;) {
      const ada_ring_module &m = modules_[i];
      if (entry < m.begin || entry >= m.end)
        continue;
      if (m.loaded_stamp > stamp) {
        validTo = m.loaded_stamp; // the next module in this place; entries are in order of loading
        continue;
      }
      best = &m;
      break;
    }
    if (!best)
      return false;
    begin_ = best->begin, end_ = best->end;
    from_ = best->loaded_stamp, to_ = validTo;
    // A younger module may cover another part of this one's old place: then the answer holds for this entry only, or up
    // to when that one came.
    for (uint64_t i = (uint64_t)(best - modules_) + 1; i < used_; ++i)
      if (modules_[i].begin < end_ && begin_ < modules_[i].end && modules_[i].loaded_stamp < to_)
        to_ = modules_[i].loaded_stamp > stamp ? modules_[i].loaded_stamp : 0;
    moduleBits_ = (uint64_t)best->module_id << 32;
    return true;
  }

  const ada_ring_module *modules_ = nullptr;
  uint64_t used_ = 0;
  uint64_t begin_ = 0, end_ = 0, from_ = 0, to_ = 0, moduleBits_ = 0; // the module of the last answer
};

} // namespace ada::ring
#endif
