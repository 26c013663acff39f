// The columns of the table of processes.
#pragma once

#include "process_tree.h"
#include "trace/base/table.h"

namespace ada::analysis {

/// Facts about the whole table.
inline constexpr Facts kSomeAreFolded = 1, kSomeLost = 2, kSomeOnCpu = 4;
Facts processTableFacts(const std::vector<ProcessNode> &nodes);

struct ProcessLine {
  const ProcessNode *node;
  const ProcessList *list;
  uint64_t originNs = 0; ///< times in text count from here

  const ProcessRun &first() const { return list->all[node->runs[0]]; }
};
Columns<ProcessLine> processColumns();

/// A word of sortWords(processColumns()), or "begin".
ProcessOrder processOrder(std::string_view word);

/// The processes' parents, as far as they are known: "parent 17 not traced", "parents not traced"; empty if they were.
std::string unknownParents(const ProcessLine &line);

} // namespace ada::analysis
