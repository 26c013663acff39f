// Finds the processes at both ends of each pipe, and which of them was on-CPU when one went on.
#include "process_pipes.h"

#include <algorithm>
#include <map>

namespace ada::analysis {

namespace {

// If two processes were on-CPU that shortly before a third went on, either may have woken it: a reader that gets more
// than it waited for, or a writer that fills the pipe, goes on for a while.
constexpr uint64_t kSameMomentNs = 10'000'000;

// By run, each once and in order.
struct Ends {
  std::vector<uint32_t> readers, writers;
};

bool has(const ProcessRun &run, const std::string &pipe) {
  return std::ranges::any_of(run.executions, [&](const Execution &execution) {
    return std::ranges::find(execution.pipes, pipe) != execution.pipes.end();
  });
}

void add(std::vector<uint32_t> &runs, uint32_t run) {
  if (runs.empty() || runs.back() != run)
    runs.push_back(run);
}

// The nearest ancestors of `runs` without the pipe as a standard stream.
std::vector<uint32_t> makers(const ProcessList &list, const std::vector<uint32_t> &runs, const std::string &pipe) {
  std::vector<uint32_t> found;
  for (uint32_t run : runs) {
    while (run != kNoProcess && has(list.all[run], pipe))
      run = list.all[run].parent;
    if (run != kNoProcess)
      found.push_back(run);
  }
  return found;
}

} // namespace

ProcessPipes::ProcessPipes(const ProcessList &list, const TraceTable &table)
    : list_(list), table_(table), peers_(list.all.size()), threads_(list.all.size()) {
  std::map<std::string, Ends> pipes;
  for (uint32_t run = 0; run < list.all.size(); ++run)
    for (const Execution &execution : list.all[run].executions)
      for (size_t fd = 0; fd < execution.pipes.size(); ++fd)
        if (const std::string &pipe = execution.pipes[fd]; !pipe.empty())
          add(fd == 0 ? pipes[pipe].readers : pipes[pipe].writers, run);
  for (auto &[pipe, ends] : pipes) {
    if (ends.readers.empty())
      ends.readers = makers(list, ends.writers, pipe);
    else if (ends.writers.empty())
      ends.writers = makers(list, ends.readers, pipe);
    for (const auto &[from, to] : {std::pair(&ends.readers, &ends.writers), std::pair(&ends.writers, &ends.readers)})
      for (const uint32_t run : *from)
        for (const uint32_t peer : *to)
          if (peer != run)
            peers_[run].push_back({peer, 0});
  }
  for (std::vector<Peer> &peers : peers_) {
    std::ranges::sort(peers, {}, &Peer::run); // which is by begin
    const auto isSame = [](const Peer &one, const Peer &other) { return one.run == other.run; };
    peers.erase(std::unique(peers.begin(), peers.end(), isSame), peers.end()); // clang 14 cannot compile ranges::unique
    uint64_t endNs = 0;
    for (Peer &peer : peers)
      peer.endNs = endNs = std::max(endNs, list.all[peer.run].endNs);
  }
  for (const model::Thread &thread : table.threads)
    if (const uint32_t run = list.runOf[thread.process]; hasPeers(run) && thread.knowsSched())
      threads_[run].push_back(thread.index);
}

PipeWake ProcessPipes::wakeOf(uint32_t run, uint64_t fromNs, uint64_t toNs) const {
  struct Candidate {
    PipeWake wake;
    uint64_t onCpuNs = 0;
  };
  std::vector<Candidate> candidates;
  uint64_t latestNs = 0;
  const std::vector<Peer> &peers = peers_[run];
  auto at = std::ranges::lower_bound(peers, toNs, {}, [&](const Peer &peer) { return list_.all[peer.run].beginNs; });
  while (at != peers.begin() && (--at)->endNs > fromNs) {
    Candidate peer = {.wake = {at->run, 0}};
    for (const uint32_t thread : threads_[at->run]) {
      const OffCpuLane &lane = *table_.threads[thread].offCpu;
      const auto next = std::ranges::lower_bound(lane.runs(), toNs, {}, &OnCpu::fromNs);
      if (next == lane.runs().begin())
        continue;
      peer.wake.ns = std::max(peer.wake.ns, std::min(std::prev(next)->toNs, toNs));
      peer.onCpuNs += lane.timesBetween(fromNs, toNs).onCpuNs(toNs - fromNs);
    }
    if (peer.wake.ns > fromNs)
      candidates.push_back(peer), latestNs = std::max(latestNs, peer.wake.ns);
  }
  std::erase_if(candidates, [&](const Candidate &peer) { return peer.wake.ns + kSameMomentNs < latestNs; });
  const auto best = std::ranges::max_element(candidates, {}, &Candidate::onCpuNs);
  return best == candidates.end() ? PipeWake() : best->wake;
}

} // namespace ada::analysis
