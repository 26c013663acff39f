// Which modules of a process are the same library, loaded again.
#ifndef ADA_LIB_ANALYSIS_MODULE_LOADS_H
#define ADA_LIB_ANALYSIS_MODULE_LOADS_H

#include "ada/trace/model.h"

#include <cstdint>
#include <unordered_map>

namespace ada::analysis {

/// Each load of a library is a module of its own, with functions of its own, at whatever address. Here all loads of
/// one file (the same path and build id) are the module that was the first of them. A library without build id may be
/// another one at the next load, so its loads stay apart.
class ModuleLoads {
public:
  ModuleLoads() = default;
  explicit ModuleLoads(const model::Process &process);
  std::uint32_t firstOf(std::uint32_t module) const {
    const auto found = first_.find(module);
    return found == first_.end() ? module : found->second;
  }
  /// The function's id as it was at the first load: functions of one file have the same numbers each time.
  std::uint64_t firstFunction(std::uint64_t function) const;

private:
  std::unordered_map<std::uint32_t, std::uint32_t> first_; // of modules that were not the first
};

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_MODULE_LOADS_H
