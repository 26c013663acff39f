// Call paths seen from some functions: who called them, and what they called.
//
// Both are trees whose outermost nodes are the chosen functions. Where a path meets such a function again it ends: what
// is beyond is under that function's own node. Totals count a call only if none is open around it that counts in the
// same node; so recursion counts once.
#ifndef ADA_LIB_ANALYSIS_PATH_VIEWS_H
#define ADA_LIB_ANALYSIS_PATH_VIEWS_H

#include "ada/trace/model.h"
#include "model/path_tree.h"

#include <string>
#include <vector>

namespace ada::analysis {

/// Whether each of the functions, by number, is meant by one of the globs (shared/select/function_glob.h).
std::vector<bool> chosenFunctions(const std::vector<model::Function> &functions, const std::vector<std::string> &globs);

/// Below each chosen function its callers, below these theirs. A node's figures are those of the chosen function's
/// calls that came this way. Above outermost calls there is PathTree::kNoFunction.
/// `tree` must be sorted, and what is returned is.
PathTree callersOf(const PathTree &tree, const std::vector<bool> &chosen);
/// Below each chosen function what it called, and so on.
PathTree calleesOf(const PathTree &tree, const std::vector<bool> &chosen);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_PATH_VIEWS_H
