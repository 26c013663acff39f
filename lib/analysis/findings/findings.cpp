// Reads a session, asks all detectors, and keeps what is at stake most.
#include "findings.h"

#include "analysis/events/call_name.h"
#include "detectors.h"
#include "trace/base/format.h"
#include "trace/base/text.h"
#include "trace/base/try.h"
#include "trace/names.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace ada::analysis {

std::string_view findingKindName(FindingKind kind) {
  static constexpr std::string_view kNames[] = {"crash",
                                                "never-ended",
                                                "slow-calls",
                                                "lock",
                                                "io-in-lock",
                                                "hot-code",
                                                "repeated-calls",
                                                "slower-over-time",
                                                "slower-with-argument",
                                                "one-thread-works",
                                                "no-core",
                                                "polling",
                                                "woken-for-nothing",
                                                "exceptions",
                                                "start-up"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view sureName(Sure sure) { return sure == Sure::Certain ? "certain" : "likely"; }

std::string SessionFacts::shortOf(uint32_t function) const { return shortName(profile.functions[function].name); }

std::string SessionFacts::command(std::string_view command) const {
  return fmt::format("adatrace {} {}", command, session);
}

std::string SessionFacts::commandFor(std::string_view command, const std::string &function) const {
  return fmt::format("adatrace {} --function={} {}", command, quotedForShell(function), session);
}

std::string SessionFacts::thread(uint32_t thread) const {
  const model::Thread &about = trace.table.threads[thread];
  return fmt::format("thread {}{}", about.number, about.label.empty() ? "" : " (" + about.label + ")");
}

const FunctionTimes *timesOf(const ReadTimes &times, const FunctionCost &function) {
  const auto at = std::ranges::find(times.functions, function.name, &FunctionTimes::function);
  return at == times.functions.end() ? nullptr : &*at;
}

namespace {

bool callsLibrary(const SessionProfile &profile) {
  return std::ranges::any_of(profile.functions, &FunctionCost::isLibrary);
}

// Whether threads waited, or it is not known whether they did.
bool mayWait(const Trace &trace, const SessionProfile &profile) {
  const auto waitingNs = static_cast<double>(profile.sumOf(&PathCost::selfWaitingNs));
  const bool knowsAll = std::ranges::all_of(trace.table.threads, &model::Thread::knowsSched);
  // A wait that never ended is in no call's figures.
  const bool mayHang = std::ranges::any_of(
      profile.open, [&](const SessionProfile::OpenCall &call) { return profile.isHang(profile.endNs - call.lastNs); });
  return mayHang || waitingNs >= kLeastAtStake * static_cast<double>(profile.totalNs()) ||
         (!knowsAll && callsLibrary(profile));
}

// What single calls show. They are read once for all of these detectors.
Expected<void> findInCalls(const SessionFacts &facts, FindingList &found) {
  const std::vector<uint32_t> varying = functionsThatVary(facts), repeating = pathsThatRepeat(facts),
                              slow = requestsWithTail(facts);
  const std::optional<uint32_t> stalled = functionThatStalled(facts);
  std::set<uint32_t> functions(varying.begin(), varying.end());
  if (stalled)
    functions.insert(*stalled);
  functions.insert(slow.begin(), slow.end());
  for (const uint32_t node : repeating)
    functions.insert(facts.profile.callerOf(node));
  if (functions.empty())
    return {};
  TimesWanted wanted;
  for (const uint32_t function : functions)
    wanted.names.push_back(facts.profile.functions[function].name);
  wanted.mostComplete = functions.size();
  Damage again; // reported already
  const ReadTimes times = ADA_TRY(readTimes(facts.trace, wanted, again));
  ADA_TRY(findSlowerWithArgument(facts, varying, times, found));
  ADA_TRY(findRepeatedCalls(facts, repeating, times, found));
  return findSlowCalls(facts, slow, stalled, times, found);
}

Expected<void> findByTime(const SessionFacts &facts, FindingList &found) {
  findLocks(facts, found);
  findPolling(facts, found);
  findUselessWakes(facts, found);
  findHotCode(facts, found);
  findExceptions(facts, found);
  findStartUp(facts, found);
  findOneThread(facts, found);
  findNoCore(facts, found);
  findSlowerOverTime(facts, found);
  return findInCalls(facts, found);
}

// Findings that another one explains.
void dropExplained(FindingList &found) {
  if (const auto ended = std::ranges::find(found, FindingKind::NeverEnded, &Finding::kind); ended != found.end()) {
    const std::string object = ended->object;
    std::erase_if(found, [&](const Finding &finding) {
      return finding.kind == FindingKind::Crash || // it was killed because it hung
             finding.kind == FindingKind::OneThreadWorks ||
             (finding.kind != FindingKind::NeverEnded && !object.empty() && finding.object == object);
    });
  }
  // That code has much of the time says less than why it has: half of it, or a quarter that is the same function's.
  const auto explains = [](const Finding &why, const Finding &hot) {
    switch (why.kind) {
    case FindingKind::SlowCalls:
    case FindingKind::RepeatedCalls:
    case FindingKind::SlowerOverTime:
    case FindingKind::SlowerWithArgument:
    case FindingKind::Exceptions:
      return why.stakeNs >= hot.stakeNs / (why.function == hot.function ? 4 : 2);
    case FindingKind::NoCore: // other programs may have had the cores for the rest
      return why.stakeNs >= hot.stakeNs / 4;
    case FindingKind::Polling: // the calls that pause are on-CPU, too
      return why.function == hot.function && why.stakeNs >= hot.stakeNs;
    default:
      return false;
    }
  };
  const auto isExplained = [&](const Finding &finding) {
    return finding.kind == FindingKind::HotCode &&
           std::ranges::any_of(found, [&](const Finding &why) { return explains(why, finding); });
  };
  if (const auto hot = std::ranges::find_if(found, isExplained); hot != found.end())
    found.erase(hot); // there is one at most
}

// A crash comes first, because nothing went on after it; then what never ended.
int orderOf(const Finding &finding) {
  return finding.kind == FindingKind::Crash ? 0 : finding.kind == FindingKind::NeverEnded ? 1 : 2;
}

} // namespace

Expected<Findings> findAll(const Trace &trace, const std::string &session, Damage &damage) {
  const SessionProfile profile = ADA_TRY(readProfile(trace, damage));
  const ProcessList processes = listProcesses(trace.table);
  Waits waits;
  RequestWaits requestWaits(trace.table, profile);
  const bool hasWaits = mayWait(trace, profile);
  if (hasWaits)
    waits = ADA_TRY(readWaits(trace, {.callsLibrary = callsLibrary(profile)}, &requestWaits));
  const SessionFacts facts{.trace = trace,
                           .session = pathForShell(session),
                           .profile = profile,
                           .processes = processes,
                           .names = namedTrace(trace.table, {}),
                           .waits = hasWaits ? &waits : nullptr,
                           .requestWaits = hasWaits ? &requestWaits : nullptr};
  Findings result;
  result.requestCalls = profile.requestCalls, result.requestsNs = profile.requestsNs, result.runNs = profile.runNs();
  for (const uint32_t function : profile.requests)
    result.requests.push_back(facts.shortOf(function));
  FindingList &found = result.findings;
  findCrashes(facts, found);
  findNeverEnded(facts, found);
  if (std::ranges::any_of(trace.table.processes, &model::Process::timesAreOrder))
    result.cannotSay.push_back({"how long anything took: with clock=none, times show only the order", ""});
  else
    ADA_TRY(findByTime(facts, found));
  findMissing(facts, result.cannotSay);
  dropExplained(found);
  std::ranges::stable_sort(found, [](const Finding &a, const Finding &b) {
    return std::pair(orderOf(a), b.stakeNs) < std::pair(orderOf(b), a.stakeNs);
  });
  if (found.size() > kMaxFindings)
    found.resize(kMaxFindings);
  for (Finding &finding : found)
    if (finding.place && finding.place->seq)
      finding.call =
          callName(trace.table, trace.table.processes.size() > 1, finding.place->thread, *finding.place->seq);
  return result;
}

} // namespace ada::analysis
