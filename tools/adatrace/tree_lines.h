//===- tree_lines.h - prints the lines of a call tree ---------------------===//
#ifndef ADATRACE_TREE_LINES_H
#define ADATRACE_TREE_LINES_H

#include "call_tree.h"
#include "call_values.h"
#include "function_names.h"
#include "terminal.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::cli {

/// Prints at most a number of lines, and remembers that there were more.
class TreeLines {
public:
  TreeLines(Output &out, const Palette &palette, uint64_t limit, bool source)
      : out(out), palette(palette), limit(limit), source(source) {}

  /// What to print above the next line; not counted.
  void setHeading(std::string text) { heading = std::move(text); }
  /// Shows arguments and results from here on; null: does not.
  void setValues(const CallValues *callValues) { values = callValues; }
  /// One call, without its children.
  void line(const CallNode &node, FunctionNames &names, uint32_t depth);
  /// A call with all below it.
  void subtree(const CallTree &tree, uint32_t node, FunctionNames &names,
               uint32_t depth);

  uint64_t printed() const { return lines; }
  /// True if a line was not printed because of the limit.
  bool wasCut() const { return cut; }

private:
  Output &out;
  const Palette &palette;
  uint64_t limit, lines = 0;
  bool source, cut = false;
  std::string heading;
  const CallValues *values = nullptr;
};

} // namespace ada::cli
#endif // ADATRACE_TREE_LINES_H
