// Globs that match nothing, and what might have been meant.
#ifndef ADA_LIB_ANALYSIS_NEAR_NAMES_H
#define ADA_LIB_ANALYSIS_NEAR_NAMES_H

#include "ada/trace/model.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

/// Edits that make `a` of `b`; two neighbouring letters that are swapped are one.
size_t editDistance(std::string_view a, std::string_view b);

/// The `most` of `names` that `glob` comes near to, the nearest first: `Server::handle` for `handle*` or
/// `Server::handel`. `names` are functions without parameters; one that comes twice counts once.
std::vector<std::string> nearNames(std::string_view glob, std::span<const std::string> names, size_t most = 3);

struct UnmatchedGlob {
  std::string glob;
  std::vector<std::string> near;
};
/// Those of the globs (of each `a|b`, the alternatives) that match none of the functions.
std::vector<UnmatchedGlob> unmatchedGlobs(const std::vector<std::string> &globs,
                                          const std::vector<model::Function> &functions);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_NEAR_NAMES_H
