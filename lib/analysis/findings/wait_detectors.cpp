// Locks, I/O in locks, deadlocks, and waits that never ended.
#include "detectors.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/names.h"

#include <algorithm>
#include <map>
#include <set>

namespace ada::analysis {

std::optional<FindingPlace> SessionFacts::longestWait(const WaitedFor &object) const {
  std::optional<FindingPlace> place;
  uint64_t longest = 0;
  for (const WaitRow &row : waits->rows)
    if (row.maxSeq && row.maxNs > longest && row.object.isSame(object))
      longest = row.maxNs, place = {.thread = row.maxThread, .seq = row.maxSeq};
  return place;
}

namespace {

// What the holders of an object did while others waited.
struct Held {
  uint64_t ns = 0, waitingNs = 0, preemptedNs = 0;
  uint64_t ioNs = 0;         ///< how long they did I/O, if it was a good part of that
  uint32_t thread = kNobody; ///< if one thread held it for most of the time
  uint32_t function = kNobody, library = kNobody, takenIn = kNobody;
  /// Without the time in which they had no core.
  uint64_t didNs() const { return ns - std::min(ns, preemptedNs); }
};

bool doesIo(const SessionFacts &facts, uint32_t library) {
  if (library == kNobody)
    return false;
  const model::Function &function = facts.trace.table.functions[library];
  if (const WaitFunction does = waitFunctionOf(function); does.action != WaitAction::None)
    if (isIo(does.kind) || does.kind == WaitKind::Poll)
      return true;
  // Those that hardly ever wait.
  static const std::set<std::string, std::less<>> kNames = {"ftruncate", "rename", "unlink",  "mkdir", "stat",
                                                            "fstat",     "lstat",  "printf",  "puts",  "putchar",
                                                            "fputc",     "sync",   "truncate"};
  std::string name = function.name.empty() ? function.displayName : function.name;
  name = name.substr(0, name.find_first_of("(@"));
  return kNames.contains(name) || function.displayName.starts_with("std::basic_ostream") ||
         function.displayName.starts_with("std::basic_filebuf") || function.displayName.starts_with("std::ostream");
}

Held heldOf(const SessionFacts &facts, const WaitedFor &object) {
  Held held;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> where;
  std::map<uint32_t, uint64_t> threads, takenIn;
  for (const WaitRow &row : facts.waits->rows) {
    if (!row.object.isSame(object))
      continue;
    for (const WaitHolder &holder : row.holders) {
      held.ns += holder.ns, held.waitingNs += holder.off.waitingNs, held.preemptedNs += holder.off.preemptedNs;
      where[{holder.function, holder.library}] += holder.ns - std::min(holder.ns, holder.off.preemptedNs);
      threads[holder.thread] += holder.ns;
      if (holder.takenIn != kNobody)
        takenIn[holder.takenIn] += holder.ns;
    }
  }
  // I/O need not be most of it to be what should not be done there.
  constexpr double kLeastOfIo = 0.25;
  auto io = where;
  std::erase_if(io, [&](const auto &of) { return !doesIo(facts, of.first.second); });
  for (const auto &[place, ns] : io)
    held.ioNs += ns;
  if (static_cast<double>(held.ioNs) < kLeastOfIo * static_cast<double>(held.didNs()))
    held.ioNs = 0;
  std::tie(held.function, held.library) = mostOf(held.ioNs > 0 ? io : where, std::pair(kNobody, kNobody));
  held.takenIn = mostOf(takenIn, kNobody);
  const uint32_t thread = mostOf(threads, kNobody);
  if (thread != kNobody && threads[thread] * 10 >= held.ns * 9)
    held.thread = thread;
  return held;
}

std::string whereText(const SessionFacts &facts, uint32_t function, uint32_t library) {
  std::string text = facts.names.name(function);
  if (library != kNobody)
    text += (text.empty() ? "" : ", in ") + facts.names.name(library);
  return text;
}

// "without it, p99 of handle() would be 1.100 ms instead of 478.000 ms". If fewer requests waited than p99 leaves out,
// or the percentiles hardly change, the longest call shows what the waits cost.
std::string withoutText(const SessionFacts &facts, const ObjectWaits &waits) {
  const auto most = std::ranges::max_element(waits.without, {}, [](const auto &of) { return of.second.ns; });
  if (most == waits.without.end())
    return {};
  for (const uint32_t function : facts.profile.requests) {
    const FunctionCost &cost = facts.profile.functions[function];
    if (cost.name != most->first)
      continue;
    DurationBins without = cost.durations;
    without += most->second.change;
    std::string text;
    for (const auto &[name, part] : {std::pair("p99", 0.99), std::pair("p50", 0.5)}) {
      const uint64_t nowNs = cost.durations.quantile(part), thenNs = without.quantile(part);
      constexpr double kSame = 0.95;
      if (waits.requests * 100 < cost.sum.calls || static_cast<double>(thenNs) > kSame * static_cast<double>(nowNs))
        continue;
      text += text.empty()
                  ? fmt::format("without it, {} of {} would be {} instead of {}", name, facts.shortOf(function),
                                formatDuration(thenNs), formatDuration(nowNs))
                  : fmt::format(", and {} {} instead of {}", name, formatDuration(thenNs), formatDuration(nowNs));
    }
    const ObjectWaits::Without &longest = most->second;
    return !text.empty()
               ? text
               : fmt::format("without it, the longest call of {} that waited would have taken {} instead of {}",
                             facts.shortOf(function), formatDuration(longest.longestNs - longest.longestWaitedNs),
                             formatDuration(longest.longestNs));
  }
  return {};
}

// The time in the requests of the functions that waited for it: others, of threads that serve them, have no part in it.
uint64_t totalOf(const SessionFacts &facts, const ObjectWaits &waits) {
  uint64_t ns = 0;
  for (const uint32_t node : facts.profile.requestNodes)
    if (waits.without.contains(facts.profile.functions[facts.profile.paths[node].function].name))
      ns += facts.profile.costs[node].totalNs;
  return ns ? ns : facts.totalNs();
}

uint32_t callerOf(const ObjectWaits &waits) { return mostOf(waits.callers, kNobody); }

// Who waited for how long, and what would be gained. Without requests, threads are what waits: one whose lock is free
// ends earlier by its own waits, so the run can't become shorter by more than the longest of these.
struct Waited {
  uint64_t stakeNs = 0;
  std::string text;    ///< "13 requests of 2,000 waited 478.000 ms"
  std::string without; ///< what would have been without the object; empty if unknown
};

Waited waitedOf(const SessionFacts &facts, const ObjectWaits &waits) {
  if (!facts.profile.requests.empty())
    return {waits.ns,
            fmt::format("{} of {} waited {}", formatCount(waits.requests, "request"),
                        formatCount(facts.profile.requestCalls), formatDuration(waits.ns)),
            withoutText(facts, waits)};
  const auto longest =
      std::ranges::max_element(waits.otherThreads, {}, [](const auto &thread) { return thread.second; });
  if (longest == waits.otherThreads.end())
    return {};
  return {longest->second,
          fmt::format("{} waited {}", formatCount(waits.otherThreads.size(), "thread"), formatDuration(waits.otherNs)),
          fmt::format("{} waited longest: {}", facts.thread(longest->first), formatDuration(longest->second))};
}

// The part of the time in which a lock was held and its holder was pushed off its core.
double preemptedPart(const Held &held) {
  return held.ns ? std::min(1.0, static_cast<double>(held.preemptedNs) / static_cast<double>(held.ns)) : 0;
}

std::vector<std::string> evidenceOf(const SessionFacts &facts, const Held &held, std::string without) {
  std::vector<std::string> evidence;
  if (!without.empty())
    evidence.push_back(std::move(without));
  if (held.takenIn != kNobody && held.takenIn != held.function)
    evidence.push_back("taken in " + facts.names.name(held.takenIn));
  if (held.ioNs > 0 && held.ioNs * 10 < held.didNs() * 9)
    evidence.push_back(fmt::format("I/O was {} of what the holder did in that time",
                                   formatShare(static_cast<double>(held.ioNs) / static_cast<double>(held.didNs()))));
  if (held.waitingNs > held.ns / 10)
    evidence.push_back(fmt::format("the holder itself waited for {} of that time",
                                   formatShare(static_cast<double>(held.waitingNs) / static_cast<double>(held.ns))));
  if (preemptedPart(held) > 0.1)
    evidence.push_back(fmt::format("it was off-CPU for {} of that time, although it had work to do",
                                   formatShare(preemptedPart(held))));
  return evidence;
}

} // namespace

void findLocks(const SessionFacts &facts, FindingList &found) {
  if (!facts.waits)
    return;
  for (const ObjectWaits &waits : facts.requestWaits->objects) {
    if (!isLock(waits.object.kind))
      continue;
    Waited waited = waitedOf(facts, waits);
    const Held held = heldOf(facts, waits.object);
    // A holder that was pushed off its core made others wait, whatever it did. That alone is not the lock's fault.
    constexpr double kLeastOfLock = 0.01;
    if (!facts.isEnough(waited.stakeNs) || static_cast<double>(waited.stakeNs) * (1 - preemptedPart(held)) <
                                               kLeastOfLock * static_cast<double>(facts.totalNs()))
      continue;
    Finding finding;
    finding.kind = held.ioNs > 0 ? FindingKind::IoInLock : FindingKind::Lock;
    finding.function = facts.names.name(callerOf(waits));
    finding.object = objectText(facts.names, waits.object), finding.lock = waits.object;
    finding.stakeNs = waited.stakeNs, finding.totalNs = totalOf(facts, waits);
    finding.sure = waits.object.isKnown() ? Sure::Certain : Sure::Likely;
    const std::string where = whereText(facts, held.function, held.library);
    finding.text = fmt::format("{} for {}{}{}", waited.text, finding.object,
                               held.thread == kNobody ? "" : ", held by " + facts.thread(held.thread),
                               where.empty()            ? ""
                               : held.thread == kNobody ? ", whose holders were in " + where + " meanwhile"
                                                        : ", which was in " + where + " meanwhile");
    finding.evidence = evidenceOf(facts, held, std::move(waited.without));
    finding.command = facts.command("waits --limit=3");
    finding.place = facts.longestWait(waits.object);
    found.push_back(std::move(finding));
  }
}

//===--- polling, and wakes for nothing -----------------------------------===//

void findPolling(const SessionFacts &facts, FindingList &found) {
  if (!facts.waits || facts.profile.requests.empty())
    return;
  for (const ObjectWaits &waits : facts.requestWaits->objects) {
    const bool isPause = waits.object.kind == WaitKind::Sleep || waits.timeouts * 2 > waits.waits;
    if (!isPause || !facts.isEnough(waits.loopNs))
      continue;
    // If most requests pause again and again, a single pause of another one is polling that was over soon.
    const uint64_t stakeNs = waits.loopNs * 2 >= waits.callNs ? waits.callNs : waits.loopNs;
    Finding finding;
    finding.kind = FindingKind::Polling, finding.sure = Sure::Likely;
    finding.function = facts.names.name(callerOf(waits));
    finding.object = objectText(facts.names, waits.object);
    finding.stakeNs = stakeNs, finding.totalNs = totalOf(facts, waits);
    finding.text = fmt::format("{} waited {} in {}, {} in each of {}, until something happened",
                               finding.function.empty() ? "requests" : finding.function, formatDuration(stakeNs),
                               finding.object, formatCount(waits.loops / std::max<uint64_t>(waits.requests, 1), "time"),
                               formatCount(waits.requests, "request"));
    finding.evidence.push_back(
        fmt::format("a pause took {} on average", formatDuration(waits.loopNs / std::max<uint64_t>(waits.loops, 1))));
    finding.command = facts.command("waits --limit=3");
    finding.place = facts.longestWait(waits.object);
    found.push_back(std::move(finding));
  }
}

void findUselessWakes(const SessionFacts &facts, FindingList &found) {
  if (!facts.waits)
    return;
  const uint64_t cores = std::max<uint64_t>(facts.processes.cores.value_or(1), 1);
  // What they take is time on-CPU, so it is compared with that: threads that mostly wait have long runs.
  const SessionProfile &profile = facts.profile;
  const uint64_t onCpuNs = profile.sumOf(&PathCost::selfNs) - profile.sumOf(&PathCost::selfWaitingNs) -
                           profile.sumOf(&PathCost::selfPreemptedNs);
  for (const ObjectWaits &waits : facts.requestWaits->objects) {
    const uint64_t all = waits.waits + waits.otherWaits;
    if (waits.uselessWakes * 2 < all || waits.uselessNs == 0 ||
        static_cast<double>(waits.uselessNs) < kLeastAtStake * static_cast<double>(onCpuNs))
      continue;
    Finding finding;
    finding.kind = FindingKind::WokenForNothing, finding.sure = Sure::Certain;
    finding.object = objectText(facts.names, waits.object);
    finding.function = facts.names.name(callerOf(waits));
    finding.stakeNs = waits.uselessNs / cores, finding.totalNs = std::max(waits.uselessNs, onCpuNs) / cores;
    finding.text = fmt::format("{} of {} that waited for {} ended with the thread waiting again at once: {} on-CPU for "
                               "nothing",
                               formatCount(waits.uselessWakes), formatCount(all, "call"), finding.object,
                               formatDuration(waits.uselessNs));
    const Held held = heldOf(facts, waits.object);
    if (held.takenIn != kNobody)
      finding.evidence.push_back("woken from " + facts.names.name(held.takenIn));
    finding.command = facts.command("waits --limit=3");
    finding.place = facts.longestWait(waits.object);
    found.push_back(std::move(finding));
  }
}

//===--- waits without an end ---------------------------------------------===//

namespace {

// Threads that wait like this at the end of a program are often idle.
bool isIdleKind(WaitKind kind) {
  switch (kind) {
  case WaitKind::Pipe:
  case WaitKind::Socket:
  case WaitKind::Descriptor:
  case WaitKind::Poll:
  case WaitKind::Queue:
  case WaitKind::Signal:
  case WaitKind::Sleep:
  case WaitKind::Library:
  case WaitKind::Own:
  case WaitKind::Child:
    return true;
  default:
    return false;
  }
}

// The longest earlier wait for the object that ended.
uint64_t longestBefore(const SessionFacts &facts, const OpenWait &wait) {
  uint64_t longest = 0;
  for (const WaitRow &row : facts.waits->rows)
    if (row.object.isSame(wait.object) && row.waits > row.open && row.maxNs < wait.endNs - wait.beginNs)
      longest = std::max(longest, row.maxNs);
  return longest;
}

// By process: when a thread other than the main one did something for the last time.
std::vector<uint64_t> othersUntil(const TraceTable &table) {
  std::vector<uint64_t> untilNs(table.processes.size());
  for (const model::Thread &thread : table.threads) {
    if (thread.number == 0 || !thread.extent)
      continue;
    uint64_t &lastNs = untilNs[thread.process];
    lastNs = std::max(lastNs, thread.extent->lastNs);
    if (thread.offCpu)
      for (const OnCpu &on : thread.offCpu->runs())
        lastNs = std::max(lastNs, on.toNs);
  }
  return untilNs;
}

class OpenWaits {
public:
  explicit OpenWaits(const SessionFacts &facts) {
    for (const OpenWait &wait : facts.requestWaits->open)
      byThread_[wait.thread] = &wait;
  }
  const OpenWait *of(uint32_t thread) const {
    const auto at = byThread_.find(thread);
    return at == byThread_.end() ? nullptr : at->second;
  }
  // From the thread to the wait that all others in the chain depend on.
  const OpenWait *last(const OpenWait *wait) const {
    for (int steps = 0; steps < 16 && wait; ++steps) {
      const OpenWait *next = nullptr;
      for (const uint32_t holder : wait->holders)
        if (!next)
          next = of(holder);
      if (wait->object.kind == WaitKind::Join && wait->object.joined != kNobody && !next)
        next = of(wait->object.joined);
      if (!next)
        break;
      wait = next;
    }
    return wait;
  }

private:
  std::map<uint32_t, const OpenWait *> byThread_;
};

void findDeadlocks(const SessionFacts &facts, FindingList &found) {
  const uint64_t runNs = facts.profile.runNs(), endNs = facts.profile.endNs;
  for (const std::vector<DeadlockThread> &cycle : facts.waits->deadlocks) {
    uint64_t sinceNs = 0;
    for (const DeadlockThread &thread : cycle)
      sinceNs = std::max(sinceNs, thread.beginNs);
    Finding finding;
    finding.kind = FindingKind::NeverEnded, finding.sure = Sure::Certain;
    finding.stakeNs = endNs - std::min(endNs, sinceNs), finding.totalNs = runNs;
    finding.object = objectText(facts.names, cycle[0].object);
    const auto ownOf = [&](const DeadlockThread &thread) {
      for (const uint32_t frame : thread.frames)
        if (!isOfLibrary(facts.trace.table.functions[frame]))
          return facts.names.name(frame);
      return thread.frames.empty() ? std::string() : facts.names.name(thread.frames.front());
    };
    finding.function = ownOf(cycle[0]);
    finding.text =
        fmt::format("{} {} for {}: a deadlock", formatCount(cycle.size(), "thread"),
                    cycle.size() == 1 ? "waits for itself" : "wait for each other", formatDuration(finding.stakeNs));
    for (size_t i = 0; i < std::min<size_t>(cycle.size(), 3); ++i)
      finding.evidence.push_back(
          fmt::format("{} is in {} and waits for {}{}", facts.thread(cycle[i].thread), ownOf(cycle[i]),
                      objectText(facts.names, cycle[i].object),
                      cycle[i].takenIn == kNobody ? "" : ", taken in " + facts.names.name(cycle[i].takenIn)));
    finding.command = facts.command("stacks");
    finding.place = {.thread = cycle[0].thread, .seq = {}, .ns = cycle[0].beginNs};
    found.push_back(std::move(finding));
  }
}

// The first wait that never ended and that others depend on; null if there is none.
const OpenWait *findHang(const SessionFacts &facts) {
  const uint64_t endNs = facts.profile.endNs;
  const OpenWaits waits(facts);
  const std::vector<uint64_t> activeUntil = othersUntil(facts.trace.table);
  const OpenWait *first = nullptr;
  for (const OpenWait &wait : facts.requestWaits->open) {
    const uint64_t ns = wait.endNs - wait.beginNs;
    const model::Thread &thread = facts.trace.table.threads[wait.thread];
    const bool isMain = thread.number == 0;
    if (!facts.profile.isHang(ns) || (!isMain && wait.request == kNobody && !isLock(wait.object.kind)))
      continue;
    const OpenWait *last = waits.last(&wait);
    if (isIdleKind(last->object.kind) || (wait.request == kNobody && isIdleKind(wait.object.kind)))
      continue;
    // As long as another thread does something, the main thread waits for that.
    if (isMain && wait.request == kNobody && last == &wait &&
        !facts.profile.isHang(endNs - std::min(endNs, activeUntil[thread.process])))
      continue;
    // A thread that waits for work does so often.
    if (!isLock(last->object.kind) && last->object.kind != WaitKind::Join &&
        (last->endNs - last->beginNs) < 10 * longestBefore(facts, *last))
      continue;
    // What it joins depends on another wait, even if the trace does not say which.
    const auto order = [](const OpenWait &one) { return std::pair(one.object.kind == WaitKind::Join, one.beginNs); };
    if (!first || order(*last) < order(*first))
      first = last;
  }
  return first;
}

} // namespace

void findNeverEnded(const SessionFacts &facts, FindingList &found) {
  if (!facts.waits)
    return;
  if (!facts.waits->deadlocks.empty())
    return findDeadlocks(facts, found);
  const OpenWait *const hang = findHang(facts);
  if (!hang)
    return;
  Finding finding;
  finding.kind = FindingKind::NeverEnded;
  finding.sure = isLock(hang->object.kind) || hang->object.kind == WaitKind::Join ? Sure::Certain : Sure::Likely;
  finding.stakeNs = hang->endNs - hang->beginNs, finding.totalNs = facts.profile.runNs();
  finding.function = facts.names.name(hang->caller);
  finding.object = objectText(facts.names, hang->object);
  std::string holder;
  for (const WaitRow &row : facts.waits->rows)
    if (row.object.isSame(hang->object) && !row.holders.empty() && isLock(row.object.kind)) {
      holder = fmt::format(", held by {}{}", facts.thread(row.holders[0].thread),
                           row.holders[0].hasEnded ? ", which has ended" : "");
      if (row.holders[0].takenIn != kNobody)
        finding.evidence.push_back("taken in " + facts.names.name(row.holders[0].takenIn));
    }
  finding.text = fmt::format("{} waits in {} for {}{}: {} until the end", facts.thread(hang->thread),
                             finding.function.empty() ? "untraced code" : finding.function, finding.object, holder,
                             formatDuration(finding.stakeNs));
  if (hang->object.kind == WaitKind::Condition || hang->object.kind == WaitKind::Semaphore)
    finding.evidence.push_back("no thread woke it");
  finding.command = facts.command("stacks");
  finding.place = {.thread = hang->thread, .seq = {}, .ns = hang->beginNs};
  found.push_back(std::move(finding));
}

} // namespace ada::analysis
