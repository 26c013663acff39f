// Makes the rows of the chart of processes.
#include "process_gantt.h"

#include <algorithm>

namespace ada::view {

ProcessGantt::ProcessGantt(const analysis::TraceTable &table)
    : list_(analysis::listProcesses(table)), nodes_(analysis::processTree(list_, true)) {}

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace

bool ProcessGantt::matches(const analysis::ProcessRun &run, const std::string &match) const {
  if (run.pid && std::to_string(*run.pid) == match)
    return true;
  return std::ranges::any_of(run.executions, [&](const analysis::Execution &execution) {
    std::string line = execution.program;
    for (const std::string &argument : execution.arguments)
      line.append(" ").append(argument);
    return std::search(line.begin(), line.end(), match.begin(), match.end(),
                       [](char a, char b) { return lower(a) == lower(b); }) != line.end();
  });
}

GanttPart ProcessGantt::part(const GanttRequest &request) const {
  GanttPart part;
  for (const analysis::ProcessNode &node : nodes_) {
    const uint32_t key = list_.all[node.runs[0]].executions[0].process;
    if (request.match.empty()) {
      add(part, node, key, request);
      continue;
    }
    analysis::ProcessNode kept =
        partOf(list_, node, [&](const analysis::ProcessRun &run) { return matches(run, request.match); });
    if (!kept.runs.empty())
      add(part, part.nodes.emplace_back(std::move(kept)), key, request);
  }
  return part;
}

// Adds the rows of a line.
void ProcessGantt::add(GanttPart &part, const analysis::ProcessNode &node, uint32_t key,
                       const GanttRequest &request) const {
  const size_t end = request.first + request.rows, before = part.processes;
  part.processes += node.count();
  const bool hasHit = request.hit && *request.hit >= before && *request.hit < part.processes;
  const bool isOpen = node.count() > 1 && (hasHit || std::ranges::binary_search(request.open, key));
  if (hasHit) {
    const size_t at = *request.hit - before;
    part.hit = {part.totalRows + (isOpen ? 1 + at : 0), key, node.runs[at]};
  }
  if (part.totalRows >= request.first && part.totalRows < end) {
    part.rows.push_back(row(node, node.runs[0], false, request));
    part.rows.back().key = key, part.rows.back().isOpen = isOpen;
  }
  ++part.totalRows;
  if (!isOpen)
    return;
  const size_t from = std::max(request.first, part.totalRows) - part.totalRows;
  for (size_t i = from; i < node.count() && part.totalRows + i < end; ++i)
    part.rows.push_back(row(node, node.runs[i], true, request));
  part.totalRows += node.count();
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
    if (!run.beginNs || run.endNs < request.fromNs || run.beginNs >= request.toNs)
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
