// Counts in which path each slow call is slow.
#include "interruptions.h"

#include "chance.h"

#include <algorithm>
#include <optional>

namespace ada::analysis {

namespace {

// The part that has more of the call's extra time than any other.
std::optional<size_t> slowestPart(const std::vector<PartColumn> &columns, size_t call) {
  std::optional<size_t> slowest;
  double most = 0;
  for (size_t c = 0; c < columns.size(); ++c)
    if (const double ns = columns[c].ns[call] - columns[c].ordinaryMean; ns > most)
      most = ns, slowest = c;
  return slowest;
}

} // namespace

Interruptions::Interruptions(const CallSample &sample, const std::vector<PartColumn> &columns)
    : nodes_(sample.paths.size()) {
  std::vector<size_t> columnOf(sample.paths.size());
  for (size_t c = 0; c < columns.size(); ++c)
    for (const uint32_t node : columns[c].nodes)
      columnOf[node] = c;
  for (const SampledCall &call : sample.calls)
    for (const CallPart &part : call.parts)
      if (!call.isSlow && columns[columnOf[part.node]].isSlower)
        nodes_[part.node].ordinaryNs += static_cast<double>(part.cpuNs), ordinaryNs_ += static_cast<double>(part.cpuNs);
  const auto ordinary = static_cast<double>(std::max<uint64_t>(sample.ordinary, 1));
  for (size_t i = 0; i < sample.calls.size(); ++i) {
    const std::optional<size_t> slowest = sample.calls[i].isSlow ? slowestPart(columns, i) : std::nullopt;
    if (!slowest || !columns[*slowest].isSlower)
      continue;
    Node *most = nullptr;
    double mostNs = 0;
    for (const CallPart &part : sample.calls[i].parts)
      if (columnOf[part.node] == *slowest)
        if (const double ns = static_cast<double>(part.cpuNs) - nodes_[part.node].ordinaryNs / ordinary; ns > mostNs)
          most = &nodes_[part.node], mostNs = ns;
    if (most)
      tested_ += most->slowMostly == 0, ++most->slowMostly, ++slowMostly_;
  }
}

double Interruptions::chanceOf(const PartColumn &column) const {
  if (ordinaryNs_ <= 0)
    return 1;
  double chance = 1;
  for (const uint32_t node : column.nodes)
    if (const Node &of = nodes_[node]; of.slowMostly > 0)
      chance = std::min(chance, static_cast<double>(tested_) *
                                    binomialTail(of.slowMostly, slowMostly_, of.ordinaryNs / ordinaryNs_));
  return chance;
}

} // namespace ada::analysis
