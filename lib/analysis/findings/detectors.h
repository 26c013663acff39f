// The detectors: each looks for one kind of cause, or for a few that are closely related, in what was read.
//
// A finding needs kLeastAtStake of the time. What stands out is relative to the trace: to the function's own
// percentiles, to the next function, to the first part of the run.
#pragma once

#include "analysis/outliers/function_times.h"
#include "analysis/processes/process_list.h"
#include "analysis/waits/wait_table.h"
#include "finding.h"
#include "request_waits.h"
#include "session_profile.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

inline constexpr double kLeastAtStake = 0.05;

/// What detectors look at.
struct SessionFacts {
  Trace trace;
  std::string session; ///< as a shell takes it, for commands
  const SessionProfile &profile;
  const ProcessList &processes;
  NamedTrace names;
  const Waits *waits = nullptr; ///< null if nothing waited
  const RequestWaits *requestWaits = nullptr;

  uint64_t totalNs() const { return profile.totalNs(); }
  bool isEnough(uint64_t ns) const {
    return ns > 0 && static_cast<double>(ns) >= kLeastAtStake * static_cast<double>(totalNs());
  }
  std::string shortOf(uint32_t profileFunction) const;
  /// "adatrace COMMAND… SESSION"
  std::string command(std::string_view command) const;
  /// The same with an option that names a function.
  std::string commandFor(std::string_view command, const std::string &function) const;
  std::string thread(uint32_t thread) const; ///< "thread 3 (compactor)"
  /// The longest wait for an object.
  std::optional<FindingPlace> longestWait(const WaitedFor &object) const;
};

using FindingList = std::vector<Finding>;
void findCrashes(const SessionFacts &facts, FindingList &found);
void findNeverEnded(const SessionFacts &facts, FindingList &found);
void findLocks(const SessionFacts &facts, FindingList &found); ///< also IoInLock
void findPolling(const SessionFacts &facts, FindingList &found);
void findUselessWakes(const SessionFacts &facts, FindingList &found);
void findHotCode(const SessionFacts &facts, FindingList &found);
void findExceptions(const SessionFacts &facts, FindingList &found);
void findStartUp(const SessionFacts &facts, FindingList &found);
void findOneThread(const SessionFacts &facts, FindingList &found);
void findNoCore(const SessionFacts &facts, FindingList &found);
void findSlowerOverTime(const SessionFacts &facts, FindingList &found);
void findMissing(const SessionFacts &facts, std::vector<CannotSay> &missing);

// Some look at single calls. All calls of the functions that they choose are read together, before they begin.

/// Those of a function; null if it has no complete call.
const FunctionTimes *timesOf(const ReadTimes &times, const FunctionCost &function);

std::vector<uint32_t> requestsWithTail(const SessionFacts &facts); ///< functions
/// The function of which one call took far longer than all others, if there is one. Everybody who is served by that
/// thread waited for it, so it counts from a quarter of a per cent of the run on.
std::optional<uint32_t> functionThatStalled(const SessionFacts &facts);
Expected<void> findSlowCalls(const SessionFacts &facts, std::span<const uint32_t> requests,
                             std::optional<uint32_t> stalled, const ReadTimes &times, FindingList &found);
std::vector<uint32_t> functionsThatVary(const SessionFacts &facts);
Expected<void> findSlowerWithArgument(const SessionFacts &facts, std::span<const uint32_t> varying,
                                      const ReadTimes &times, FindingList &found);
std::vector<uint32_t> pathsThatRepeat(const SessionFacts &facts); ///< nodes, whose callers' calls are read
Expected<void> findRepeatedCalls(const SessionFacts &facts, std::span<const uint32_t> repeating, const ReadTimes &times,
                                 FindingList &found);

} // namespace ada::analysis
