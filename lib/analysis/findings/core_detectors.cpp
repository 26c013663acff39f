// Threads that do the work of others, and threads that had no core.
#include "detectors.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ada::analysis {

namespace {

// The program's own function that a thread was in from its begin: the outermost one.
std::map<uint32_t, std::vector<uint32_t>> threadsByFunction(const SessionFacts &facts) {
  std::map<uint32_t, std::vector<uint32_t>> threads;
  for (const SessionProfile::Root &root : facts.profile.roots)
    threads[root.function].push_back(root.thread);
  return threads;
}

// How long the thread had work to do, on-CPU or preempted; and how long it was on-CPU.
struct Busy {
  uint64_t ns = 0, onCpuNs = 0;
};
Busy busyOf(const model::Thread &thread) {
  const uint64_t fromNs = thread.extent->firstNs, toNs = std::max(thread.extent->lastNs, fromNs);
  const OffCpuTimes off = thread.offCpu->timesBetween(fromNs, toNs);
  const uint64_t ns = toNs - fromNs - std::min(toNs - fromNs, off.waitingNs + off.recorderNs);
  return {.ns = ns, .onCpuNs = ns - std::min(ns, off.preemptedNs)};
}

// Threads that run the same function, of which one had more to do than the others.
void findUneven(const SessionFacts &facts, FindingList &found) {
  const TraceTable &table = facts.trace.table;
  for (const auto &[function, threads] : threadsByFunction(facts)) {
    if (threads.size() < 2 || !std::ranges::all_of(threads, [&](uint32_t thread) {
          return table.threads[thread].knowsSched() && table.threads[thread].extent;
        }))
      continue;
    uint64_t sum = 0, most = 0, onCpuSum = 0, onCpuMost = 0, firstNs = ~uint64_t{0}, lastBeginNs = 0, lastNs = 0;
    uint32_t busiest = threads[0];
    for (const uint32_t thread : threads) {
      const auto [ns, onCpuNs] = busyOf(table.threads[thread]);
      sum += ns, onCpuSum += onCpuNs;
      if (ns > most)
        most = ns, onCpuMost = onCpuNs, busiest = thread;
      firstNs = std::min(firstNs, table.threads[thread].extent->firstNs);
      lastBeginNs = std::max(lastBeginNs, table.threads[thread].extent->firstNs);
      lastNs = std::max(lastNs, table.threads[thread].extent->lastNs);
    }
    // They are a team only if they begin together. A thread that shared its core had no more to do for that.
    const uint64_t mean = sum / threads.size(), runNs = facts.profile.runNs();
    const double onCpuMean = static_cast<double>(onCpuSum) / static_cast<double>(threads.size());
    constexpr double kLeastOfRun = 0.1, kTimesMean = 1.25;
    if ((lastBeginNs - firstNs) * 2 > lastNs - firstNs || table.threads[busiest].extent->lastNs != lastNs ||
        static_cast<double>(most - mean) < kLeastOfRun * static_cast<double>(runNs) ||
        static_cast<double>(onCpuMost) < kTimesMean * onCpuMean)
      continue;
    Finding finding;
    finding.kind = FindingKind::OneThreadWorks, finding.sure = Sure::Likely;
    finding.function = facts.shortOf(function);
    finding.stakeNs = most - mean, finding.totalNs = runNs;
    finding.text =
        fmt::format("{} had work for {}, the {} that run {} for {} on average: evenly divided, the run would "
                    "be {} shorter",
                    facts.thread(busiest), formatDuration(most), formatCount(threads.size(), "thread"),
                    finding.function, formatDuration(mean), formatDuration(most - mean));
    finding.command = facts.command("report --by=thread --limit=20");
    found.push_back(std::move(finding));
  }
}

// Requests that wait for the answer of one thread, which works all the time.
void findServant(const SessionFacts &facts, FindingList &found) {
  if (!facts.waits || facts.profile.requests.empty())
    return;
  for (const ObjectWaits &waits : facts.requestWaits->objects) {
    if (isLock(waits.object.kind) || waits.object.kind == WaitKind::Sleep || !facts.isEnough(waits.ns))
      continue;
    for (const WaitRow &row : facts.waits->rows) {
      if (!row.object.value || !row.object.isSame(waits.object) || row.holders.empty())
        continue;
      const WaitHolder &holder = row.holders[0];
      const uint64_t workedNs = holder.ns - std::min(holder.ns, holder.off.waitingNs);
      constexpr double kNearlyAll = 0.7;
      const std::vector<model::Thread> &threads = facts.trace.table.threads;
      if (!threads[holder.thread].knowsSched()) // it may have waited itself
        continue;
      if (static_cast<double>(workedNs) < kNearlyAll * static_cast<double>(row.totalNs) || threads.size() < 3 ||
          !facts.isEnough(workedNs))
        continue;
      Finding finding;
      finding.kind = FindingKind::OneThreadWorks, finding.sure = Sure::Likely;
      finding.function = facts.names.name(holder.function);
      finding.object = objectText(facts.names, row.object);
      finding.stakeNs = std::min(workedNs, waits.ns), finding.totalNs = facts.totalNs();
      finding.text = fmt::format("{} waited {} for {}, which was working in {}", formatCount(waits.requests, "request"),
                                 formatDuration(waits.ns), facts.thread(holder.thread), finding.function);
      finding.command = facts.command("waits --limit=3");
      finding.place = facts.longestWait(waits.object);
      found.push_back(std::move(finding));
      break;
    }
  }
}

struct CoreUse {
  uint64_t preemptedNs = 0; ///< of all threads
  double crowdedNs = 0;     ///< the part of it in which more threads of the session had work than there are cores
  double ownNs = 0;         ///< how much of that would be left if no other program had been there
  uint64_t mostThreads = 0;
};

CoreUse coreUse(const SessionFacts &facts, uint64_t cores) {
  struct Change {
    uint64_t ns;
    int runnable, preempted;
    bool operator<(const Change &other) const {
      return std::tie(ns, runnable, preempted) < std::tie(other.ns, other.runnable, other.preempted);
    }
  };
  std::vector<Change> changes;
  for (const model::Thread &thread : facts.trace.table.threads) {
    if (!thread.knowsSched() || !thread.extent || thread.extent->events == 0)
      continue;
    changes.push_back({thread.extent->firstNs, 1, 0}), changes.push_back({thread.extent->lastNs, -1, 0});
    for (const OffCpu &off : thread.offCpu->between(thread.extent->firstNs, thread.extent->lastNs)) {
      const uint64_t from = std::max(off.fromNs, thread.extent->firstNs),
                     to = std::min(off.toNs, thread.extent->lastNs);
      if (from >= to || (off.why != OffCpu::Why::Waiting && off.why != OffCpu::Why::Preempted))
        continue;
      const int runnable = off.why == OffCpu::Why::Waiting ? -1 : 0, preempted = off.why == OffCpu::Why::Preempted;
      changes.push_back({from, runnable, preempted}), changes.push_back({to, -runnable, -preempted});
    }
  }
  std::sort(changes.begin(), changes.end());
  CoreUse use;
  int64_t runnable = 0, preempted = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    runnable += changes[i].runnable, preempted += changes[i].preempted;
    if (i + 1 == changes.size())
      break;
    const uint64_t ns = changes[i + 1].ns - changes[i].ns;
    const int64_t off = std::max<int64_t>(preempted, 0);
    use.preemptedNs += ns * static_cast<uint64_t>(off);
    // That many would have no core on a machine with nothing else to do, where this would not last as long.
    const auto without = static_cast<double>(ns) *
                         static_cast<double>(std::clamp<int64_t>(runnable - static_cast<int64_t>(cores), 0, off));
    use.crowdedNs += without;
    use.ownNs += without * std::min(1.0, static_cast<double>(runnable - off) / static_cast<double>(cores));
    use.mostThreads = std::max(use.mostThreads, static_cast<uint64_t>(std::max<int64_t>(runnable, 0)));
  }
  return use;
}

} // namespace

void findOneThread(const SessionFacts &facts, FindingList &found) {
  findUneven(facts, found);
  findServant(facts, found);
}

void findNoCore(const SessionFacts &facts, FindingList &found) {
  const SessionProfile &profile = facts.profile;
  uint64_t preemptedNs = 0;
  for (const uint32_t node : profile.requestNodes)
    preemptedNs += profile.costs[node].preemptedNs;
  // A thread that shares a core now and then is usual.
  constexpr double kLeastOfRequests = 0.25;
  if (profile.requests.empty() ||
      static_cast<double>(preemptedNs) < kLeastOfRequests * static_cast<double>(facts.totalNs()))
    return;
  const uint64_t cores = facts.processes.cores.value_or(0);
  if (cores == 0)
    return;
  const CoreUse use = coreUse(facts, cores);
  // Where another program has half of the cores, the threads wait for each other even so.
  constexpr double kOwn = 0.35;
  const double crowdedNs = use.ownNs >= kOwn * use.crowdedNs ? use.crowdedNs : use.ownNs;
  const double crowded = use.preemptedNs ? crowdedNs / static_cast<double>(use.preemptedNs) : 0;
  const double stake = static_cast<double>(preemptedNs) * crowded;
  if (stake < kLeastOfRequests * static_cast<double>(facts.totalNs()))
    return; // other programs had the cores: findMissing() says so
  Finding finding;
  finding.kind = FindingKind::NoCore, finding.sure = Sure::Certain;
  finding.function = facts.shortOf(profile.requests[0]);
  finding.stakeNs = static_cast<uint64_t>(stake), finding.totalNs = facts.totalNs();
  finding.text =
      fmt::format("requests had work but no core for {}: up to {} had work at once, on {}",
                  formatDuration(finding.stakeNs), formatCount(use.mostThreads, "thread"), formatCount(cores, "core"));
  constexpr double kNearlyAll = 0.9;
  if (use.ownNs < kNearlyAll * crowdedNs)
    finding.evidence.push_back(fmt::format("other programs had {} of the cores meanwhile",
                                           formatShare(1 - use.ownNs / std::max(crowdedNs, 1.0))));
  finding.command = facts.command("why --process=all");
  found.push_back(std::move(finding));
}

} // namespace ada::analysis
