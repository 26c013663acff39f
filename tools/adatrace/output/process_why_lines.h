// Prints why a process, or a session of processes, took as long as it did.
#pragma once

#include "analysis/processes/process_chain.h"
#include "terminal/terminal.h"
#include "trace/base/table.h"

namespace ada::cli {

struct ProcessWhy {
  const analysis::ProcessList *list = nullptr;
  uint32_t run = analysis::kNoProcess; ///< kNoProcess: the session
  uint64_t fromNs = 0, toNs = 0;
  std::vector<analysis::ChainRow> chain;
  analysis::CpuUse use;

  uint64_t durationNs() const { return toNs - fromNs; }
};

ColumnList processWhyTable();
ColumnList processChainTable();
ColumnList atOnceTable();
ColumnList aloneTable();

void printProcessWhy(Output &out, const Palette &palette, const ProcessWhy &why, uint64_t limit, double minPercent);
void printProcessWhyJson(Output &out, const ProcessWhy &why);

} // namespace ada::cli
