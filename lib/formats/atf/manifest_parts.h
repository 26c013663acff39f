// A manifest.json in the parts that a conversion handles differently.
#ifndef ADA_LIB_MODEL_CONVERT_MANIFEST_PARTS_H
#define ADA_LIB_MODEL_CONVERT_MANIFEST_PARTS_H

#include <cstdint>
#include <string>
#include <unordered_map>

namespace ada::model {

struct ManifestParts {
  std::string description;                                ///< object: everything but threads and symbols
  std::string symbols;                                    ///< array; empty if there is none
  std::unordered_map<std::uint64_t, std::string> threads; ///< objects

  /// Empty parts if the file can't be read or is no object.
  static ManifestParts read(const std::string &path);
  /// What the manifest says of thread_N beyond what model::Thread has; empty if
  /// nothing.
  std::string threadDescription(std::uint64_t number) const;
};

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_MANIFEST_PARTS_H
