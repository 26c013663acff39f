// Finds which modules of a process are the same library, loaded again.
#pragma once

#include "ada/trace/model.h"

#include <cstdint>
#include <unordered_map>

namespace ada::analysis {

/// Each load of a library is a separate module with its own functions, at any address. This class maps all loads of one
/// file (same path and build id) to the first of these modules. A library without a build id may have changed by the
/// next load, so its loads stay separate.
class ModuleLoads {
public:
  ModuleLoads() = default;
  explicit ModuleLoads(const model::Process &process);
  uint32_t firstOf(uint32_t module) const {
    const auto found = first_.find(module);
    return found == first_.end() ? module : found->second;
  }
  /// The function's id at the first load. Functions of one file have the same numbers at each load.
  uint64_t firstFunction(uint64_t function) const;

private:
  std::unordered_map<uint32_t, uint32_t> first_; // of modules that were not the first
};

} // namespace ada::analysis
