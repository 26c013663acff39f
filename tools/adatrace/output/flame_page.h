// Writes flame graphs as one self-contained HTML page.
#ifndef ADATRACE_FLAME_PAGE_H
#define ADATRACE_FLAME_PAGE_H

#include "function_names.h"
#include "terminal/terminal.h"

#include "analysis/tree/flame_tree.h"

#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

/// One entry of the page's list of trees.
struct FlameSheet {
  std::string label;
  analysis::FlameTree tree;
  bool isCut = false; ///< the trace had more paths than fit on the page
};

struct FlamePage {
  std::string title;
  std::optional<std::string> before; ///< the session to compare with
  std::vector<model::Function> functions;
  std::vector<FlameSheet> sheets;
};

void printFlamePage(Output &out, const FlamePage &page, NameStyle style);

} // namespace ada::cli
#endif // ADATRACE_FLAME_PAGE_H
