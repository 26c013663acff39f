// Call paths seen from chosen functions: their callers, and what they called.
//
// Both views are trees whose outermost nodes are the chosen functions. A path ends where it meets such a function
// again: the rest is under that function's own node. Totals count a call only if no open call around it counts in the
// same node, so recursion counts once.
#pragma once

#include "ada/trace/model.h"
#include "trace/path_tree.h"

#include <string>
#include <vector>

namespace ada::analysis {

/// For each function, by number: whether one of the globs (shared/select/function_glob.h) matches it.
std::vector<bool> chosenFunctions(const std::vector<model::Function> &functions, const std::vector<std::string> &globs);

/// Below each chosen function are its callers, and below these theirs. A node's figures are those of the chosen
/// function's calls that came this way. The caller of outermost calls is PathTree::kNoFunction. `tree` must be sorted,
/// and so is the result.
PathTree callersOf(const PathTree &tree, const std::vector<bool> &chosen);
/// Below each chosen function are the functions that it called, and so on.
PathTree calleesOf(const PathTree &tree, const std::vector<bool> &chosen);

} // namespace ada::analysis
