// How the program ended, and what the recording lacks.
#include "detectors.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace ada::analysis {

namespace {

// Signals by which people and supervisors end a program.
bool isPolite(int64_t signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

} // namespace

void findCrashes(const SessionFacts &facts, FindingList &found) {
  const bool isOne = facts.processes.all.size() == 1;
  for (const ProcessRun &run : facts.processes.all) {
    const bool isSignal = run.how == "signal" && !isPolite(run.value);
    // Programs of a test suite may well fail on purpose.
    if (!isSignal && !(isOne && run.how == "code" && run.value != 0))
      continue;
    Finding finding;
    finding.kind = FindingKind::Crash, finding.sure = Sure::Certain;
    finding.stakeNs = finding.totalNs = facts.profile.runNs();
    // The calls that were open, of the thread that recorded last.
    const SessionProfile::OpenCall *last = nullptr;
    for (const SessionProfile::OpenCall &call : facts.profile.open)
      if (const model::Thread &thread = facts.trace.table.threads[call.thread];
          facts.processes.runOf[thread.process] == static_cast<uint32_t>(&run - facts.processes.all.data()) &&
          !facts.profile.functions[call.function].isLibrary &&
          (!last || std::pair(call.lastNs, call.depth) > std::pair(last->lastNs, last->depth)))
        last = &call;
    const std::string where = last ? facts.shortOf(last->function) : std::string();
    finding.function = isSignal ? where : std::string();
    const std::string pid = run.pid ? fmt::format(" (pid {})", *run.pid) : std::string();
    if (isSignal)
      finding.text = fmt::format("{}{} was killed by signal {} ({}) after {}{}", run.program(), pid, run.value,
                                 strsignal(static_cast<int>(run.value)), formatDuration(run.durationNs()),
                                 where.empty() ? "" : fmt::format(", in {} of {}", where, facts.thread(last->thread)));
    else
      finding.text = fmt::format("{}{} ended with exit status {} after {}", run.program(), pid, run.value,
                                 formatDuration(run.durationNs()));
    finding.command = facts.command(isSignal ? "stacks" : "last 20");
    if (last)
      finding.place = {.thread = last->thread, .seq = {}, .ns = last->lastNs};
    found.push_back(std::move(finding));
    break; // one is enough; `processes` shows all
  }
}

void findMissing(const SessionFacts &facts, std::vector<CannotSay> &missing) {
  const TraceTable &table = facts.trace.table;
  size_t withEvents = 0, withSched = 0;
  uint64_t gaps = 0;
  for (const model::Thread &thread : table.threads) {
    if (!thread.extent || thread.extent->events == 0)
      continue;
    ++withEvents, withSched += thread.knowsSched(), gaps += thread.gaps.size();
  }
  if (withEvents == 0) {
    missing.push_back({"anything: there are no events", ""});
    return;
  }
  if (withSched < withEvents)
    missing.push_back({fmt::format("when {} on-CPU: there are no scheduling records",
                                   withSched == 0 ? std::string("threads were")
                                                  : formatCount(withEvents - withSched, "thread") + " of " +
                                                        formatCount(withEvents) + " were"),
                       "adatrace doctor"});
  const bool matters = withEvents > 1 || facts.isEnough(facts.profile.sumOf(&PathCost::selfWaitingNs));
  if (facts.waits && matters) {
    if (!facts.waits->hasWaitFunctions)
      missing.push_back(
          {"what threads waited for: library calls were not recorded; build with --ada-calls=default", ""});
    else if (!facts.waits->hasArguments)
      missing.push_back({"which lock or condition it was: arguments of library calls were not recorded",
                         "adatrace record --waits PROGRAM"});
  }
  uint64_t lost = 0;
  for (const ProcessRun &run : facts.processes.all)
    lost += run.lost;
  if (lost || gaps)
    missing.push_back({fmt::format("what happened where {} were lost", lost ? formatCount(lost, "event") : "events"),
                       facts.command("info")});
  const uint64_t preemptedNs = facts.profile.sumOf(&PathCost::selfPreemptedNs);
  if (facts.isEnough(preemptedNs / 2) && !facts.profile.requests.empty())
    missing.push_back({fmt::format("how long it takes on an idle machine: threads had work but no core for {}",
                                   formatDuration(preemptedNs)),
                       facts.command("why --process=all")});
  if (facts.isEnough(facts.profile.recorderNs))
    missing.push_back({fmt::format("what the program does without the recorder: it held calls up for {}",
                                   formatDuration(facts.profile.recorderNs)),
                       facts.command("info")});
}

} // namespace ada::analysis
