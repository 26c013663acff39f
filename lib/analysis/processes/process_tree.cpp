// Folds processes by program and command line, level by level.
#include "process_tree.h"

#include "command_shape.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ada::analysis {

namespace {

std::string programsBefore(const ProcessRun &run) {
  const std::string all = run.program();
  return all.substr(0, all.size() - run.last().program.size());
}

void addUp(const ProcessList &list, ProcessNode &node) {
  std::vector<uint64_t> walls;
  node.beginNs = list.all[node.runs[0]].beginNs;
  node.onCpuNs = 0;
  for (const uint32_t number : node.runs) {
    const ProcessRun &run = list.all[number];
    walls.push_back(run.durationNs());
    node.totalNs += walls.back();
    node.events += run.events, node.lost += run.lost, node.failed += run.hasFailed();
    ++node.exits[run.exit()];
    if (node.onCpuNs && run.onCpuNs)
      *node.onCpuNs += *run.onCpuNs;
    else
      node.onCpuNs.reset();
  }
  const auto middle = walls.begin() + static_cast<ptrdiff_t>((walls.size() - 1) / 2);
  std::ranges::nth_element(walls, middle);
  node.medianNs = *middle;
  const auto [least, most] = std::ranges::minmax_element(walls);
  node.minNs = *least, node.maxNs = *most;
}

void describe(const ProcessList &list, ProcessNode &node) {
  const ProcessRun &first = list.all[node.runs[0]];
  node.command = programsBefore(first) +
                 (node.count() == 1 ? commandText : commandShape)(first.last().program, first.last().arguments);
  addUp(list, node);
}

uint64_t rankOf(const ProcessNode &node, ProcessOrder order) {
  switch (order) {
  case ProcessOrder::Begin:
    break;
  case ProcessOrder::Wall:
    return node.totalNs;
  case ProcessOrder::Median:
    return node.medianNs;
  case ProcessOrder::Count:
    return node.count();
  case ProcessOrder::OnCpu:
    return node.onCpuNs.value_or(0);
  case ProcessOrder::Events:
    return node.events;
  case ProcessOrder::Lost:
    return node.lost;
  case ProcessOrder::Failed:
    return node.failed;
  }
  return 0;
}

// The lines for these processes, which have the same ancestors.
std::vector<ProcessNode> fold(const ProcessList &list, const std::vector<uint32_t> &runs, uint32_t depth, bool isFolded,
                              ProcessOrder order) {
  std::vector<ProcessNode> nodes;
  std::map<std::string, size_t> known;
  for (const uint32_t number : runs) {
    const ProcessRun &run = list.all[number];
    size_t at = nodes.size();
    if (isFolded) {
      std::string key = programsBefore(run) + commandShape(run.last().program, run.last().arguments);
      at = known.try_emplace(std::move(key), nodes.size()).first->second;
    }
    if (at == nodes.size())
      nodes.emplace_back().depth = depth;
    nodes[at].runs.push_back(number);
  }
  for (ProcessNode &node : nodes)
    describe(list, node);
  std::ranges::stable_sort(nodes, std::greater(), [&](const ProcessNode &node) { return rankOf(node, order); });
  return nodes;
}

} // namespace

std::vector<ProcessNode> processTree(const ProcessList &list, bool isFolded, ProcessOrder order) {
  const std::vector<std::vector<uint32_t>> children = list.children();
  std::vector<ProcessNode> lines, waiting; // the last of `waiting` is the next line
  const auto expect = [&](const std::vector<uint32_t> &runs, uint32_t depth) {
    std::vector<ProcessNode> nodes = fold(list, runs, depth, isFolded, order);
    std::move(nodes.rbegin(), nodes.rend(), std::back_inserter(waiting));
  };
  expect(children.back(), 0);
  while (!waiting.empty()) {
    lines.push_back(std::move(waiting.back()));
    waiting.pop_back();
    std::vector<uint32_t> next;
    for (const uint32_t run : lines.back().runs)
      next.insert(next.end(), children[run].begin(), children[run].end());
    std::ranges::sort(next);
    expect(next, lines.back().depth + 1);
  }
  return lines;
}

ProcessNode partOf(const ProcessList &list, const ProcessNode &node,
                   const std::function<bool(const ProcessRun &run)> &keep) {
  ProcessNode part;
  part.depth = node.depth;
  std::ranges::copy_if(node.runs, std::back_inserter(part.runs), [&](uint32_t run) { return keep(list.all[run]); });
  if (!part.runs.empty())
    describe(list, part);
  return part;
}

std::vector<ProcessNode> foldedProcesses(const ProcessList &list) {
  std::vector<uint32_t> all(list.all.size());
  std::iota(all.begin(), all.end(), 0);
  return all.empty() ? std::vector<ProcessNode>() : fold(list, all, 0, true, ProcessOrder::Count);
}

} // namespace ada::analysis
