// What is wrong with a program, as far as a recording of it tells.
#pragma once

#include "analysis/waits/waits.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

/// The order is that of the page docs/explanation/findings.md.
enum class FindingKind : uint8_t {
  Crash,              ///< ended by a signal or with an exit status
  NeverEnded,         ///< a deadlock, or a wait that lasted until the end
  SlowCalls,          ///< a few calls of a request function are slow
  Lock,               ///< requests wait for a lock
  IoInLock,           ///< the same, and its holder did I/O meanwhile
  HotCode,            ///< one function's own code has most of the time
  RepeatedCalls,      ///< a call made again and again inside one call
  SlowerOverTime,     ///< calls get slower as the run goes on
  SlowerWithArgument, ///< calls get slower with the value of an argument
  OneThreadWorks,     ///< one thread works while the others wait for it
  NoCore,             ///< threads of the program had to share cores
  Polling,            ///< sleeping or yielding until something happens
  WokenForNothing,    ///< woken, and waiting again at once
  Exceptions,         ///< exceptions in the usual path
  StartUp,            ///< much of the run is over before the first request
};
/// "slow-calls", …: the word of --format=json.
std::string_view findingKindName(FindingKind kind);

/// How sure it is: seen in the records, or inferred from them.
enum class Sure : uint8_t { Certain, Likely };
std::string_view sureName(Sure sure);

/// A call that shows it.
struct FindingPlace {
  uint32_t thread = 0;         ///< of the table
  std::optional<uint64_t> seq; ///< the call's number in its thread
  uint64_t ns = 0;             ///< without a number: a moment at which it is the innermost call
};

struct Finding {
  FindingKind kind = FindingKind::Crash;
  std::string function;          ///< the program's function that it is about; may be empty
  std::string object;            ///< what is waited for; may be empty
  std::optional<WaitedFor> lock; ///< of Lock and IoInLock
  /// The time that would be saved if the cause were taken away, of `totalNs`.
  uint64_t stakeNs = 0, totalNs = 0;
  Sure sure = Sure::Likely;
  std::string text;                  ///< one sentence
  std::vector<std::string> evidence; ///< further figures, each a short phrase
  std::string command;               ///< shows it; empty if no command shows more
  std::optional<FindingPlace> place; ///< nothing: any long call of `function`
  std::string call;                  ///< `place` for `why --call`; empty if the call's number is not known

  double share() const { return totalNs ? static_cast<double>(stakeNs) / static_cast<double>(totalNs) : 0; }
};

/// What the trace does not tell, and how to record it.
struct CannotSay {
  std::string what;
  std::string command; ///< may be empty
};

struct Findings {
  /// The functions whose calls count as requests, by the time in them; empty if nothing repeats.
  std::vector<std::string> requests;
  uint64_t requestCalls = 0;
  uint64_t requestsNs = 0; ///< the time in all of these calls
  uint64_t runNs = 0;      ///< from the first event to the last
  std::vector<Finding> findings;
  std::vector<CannotSay> cannotSay;

  /// What shares are of, unless a finding is about the whole run.
  uint64_t totalNs() const { return requests.empty() ? runNs : requestsNs; }
};

} // namespace ada::analysis
