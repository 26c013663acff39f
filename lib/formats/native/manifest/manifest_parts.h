// A manifest.json, split into the parts that a conversion handles differently.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace ada::formats {

struct ManifestParts {
  std::string description;                           ///< object: everything but threads and symbols
  std::string symbols;                               ///< array; empty if there is none
  std::unordered_map<uint64_t, std::string> threads; ///< objects

  /// Empty parts if the file can't be read or is not an object.
  static ManifestParts read(const std::string &path);
  /// The manifest's members of thread_N that model::Thread does not have; empty if there are none.
  std::string threadDescription(uint64_t number) const;
};

} // namespace ada::formats
