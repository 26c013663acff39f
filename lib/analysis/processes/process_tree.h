// The tree of processes, in which those of one parent with the same program and alike command lines are one line.
#pragma once

#include "process_list.h"

#include <functional>
#include <map>
#include <span>
#include <string_view>

namespace ada::analysis {

/// One line: a process, or several.
struct ProcessNode {
  uint32_t depth = 0;
  std::vector<uint32_t> runs; ///< in ProcessList::all, by begin
  std::string command;        ///< of one process its command line, of several the shape of theirs
  uint64_t beginNs = 0;       ///< of the first
  uint64_t totalNs = 0, minNs = 0, medianNs = 0, maxNs = 0;
  std::optional<uint64_t> onCpuNs;
  uint64_t events = 0, lost = 0, failed = 0;
  std::map<std::string, uint64_t> exits; ///< how many ended in which way

  size_t count() const { return runs.size(); }
};

enum class ProcessOrder { Begin, Wall, Median, Count, OnCpu, Events, Lost, Failed };

/// Lines in the order of a tree: parents before their children, of which `order` says which come first. Processes whose
/// parents were not traced are roots. `isFolded`: processes with the same ancestors are one line if their command lines
/// are alike; otherwise each has its own.
std::vector<ProcessNode> processTree(const ProcessList &list, bool isFolded, ProcessOrder order = ProcessOrder::Begin);

/// One line for each program and kind of command line, whatever started it. The most frequent first.
std::vector<ProcessNode> foldedProcesses(const ProcessList &list);

/// A line with only those of its processes that `keep` wants; without processes if it wants none.
ProcessNode partOf(const ProcessList &list, const ProcessNode &node,
                   const std::function<bool(const ProcessRun &run)> &keep);

} // namespace ada::analysis
