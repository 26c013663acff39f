// Globs that match nothing, and what may have been meant.
#pragma once

#include "ada/trace/model.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

/// Number of edits that turn `b` into `a`; swapping two adjacent letters is one edit.
size_t editDistance(std::string_view a, std::string_view b);

/// Up to `most` of the `names` that are close to `glob`, the closest first: `Server::handle` for `handle*` or
/// `Server::handel`. `names` are functions without parameters; duplicates count once.
std::vector<std::string> nearNames(std::string_view glob, std::span<const std::string> names, size_t most = 3);

struct UnmatchedGlob {
  std::string glob;
  std::vector<std::string> near;
};
/// The globs (for `a|b`, each alternative) that match none of the functions.
std::vector<UnmatchedGlob> unmatchedGlobs(const std::vector<std::string> &globs,
                                          const std::vector<model::Function> &functions);

} // namespace ada::analysis
