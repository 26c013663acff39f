// Makes the rows of the chart of processes.
#include "process_gantt.h"

#include <algorithm>

namespace ada::view {

ProcessGantt::ProcessGantt(const analysis::TraceTable &table)
    : list_(analysis::listProcesses(table)), nodes_(analysis::processTree(list_, true)) {}

GanttPart ProcessGantt::part(const GanttRequest &request) const {
  GanttPart part;
  const size_t end = request.first + request.rows;
  for (const analysis::ProcessNode &node : nodes_) {
    const uint32_t key = list_.all[node.runs[0]].executions[0].process;
    const bool isOpen = node.count() > 1 && std::ranges::binary_search(request.open, key);
    if (part.totalRows >= request.first && part.totalRows < end) {
      part.rows.push_back(row(node, node.runs[0], false, request));
      part.rows.back().isOpen = isOpen;
    }
    ++part.totalRows;
    if (!isOpen)
      continue;
    const size_t from = std::max(request.first, part.totalRows) - part.totalRows;
    for (size_t i = from; i < node.count() && part.totalRows + i < end; ++i)
      part.rows.push_back(row(node, node.runs[i], true, request));
    part.totalRows += node.count();
  }
  return part;
}

GanttRow ProcessGantt::row(const analysis::ProcessNode &node, uint32_t run, bool isInstance,
                           const GanttRequest &request) const {
  GanttRow row{.node = &node, .key = list_.all[run].executions[0].process, .isInstance = isInstance, .run = run};
  row.boxes = isInstance ? boxes({run}, request) : boxes(node.runs, request);
  return row;
}

// The processes come by begin. Those that overlap, or are less than a pixel apart, are one box.
std::vector<GanttBox> ProcessGantt::boxes(const std::vector<uint32_t> &runs, const GanttRequest &request) const {
  std::vector<GanttBox> boxes;
  const uint64_t pixelNs = (request.toNs - request.fromNs) / std::max<uint64_t>(request.pixels, 1);
  for (const uint32_t number : runs) {
    const analysis::ProcessRun &run = list_.all[number];
    if (run.endNs < request.fromNs || run.beginNs >= request.toNs)
      continue;
    if (boxes.empty() || run.beginNs > boxes.back().toNs + pixelNs)
      boxes.push_back({.fromNs = run.beginNs, .toNs = run.endNs, .run = number});
    GanttBox &box = boxes.back();
    box.toNs = std::max(box.toNs, run.endNs);
    box.fillNs += run.durationNs();
    ++box.count;
    if (run.durationNs() > list_.all[box.run].durationNs())
      box.run = number;
  }
  return boxes;
}

} // namespace ada::view
