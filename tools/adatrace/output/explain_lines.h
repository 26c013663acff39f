// Prints what made functions slower.
#pragma once

#include "options/table_options.h"
#include "terminal/terminal.h"

#include "analysis/diff/explain_table.h"

#include <vector>

namespace ada::cli {

/// `more`: how many other functions could be explained.
void printExplanations(Output &out, const Palette &palette, const std::vector<analysis::Explanation> &all, size_t more,
                       const TableOptions &options);

} // namespace ada::cli
