// What sets the slow calls of a function apart from its ordinary ones.
//
// The extra time is the mean duration of the slow calls minus that of the ordinary ones. Every factor explains a part
// of it, and all factors add up to it; what no factor explains is one of its own, FactorKind::Unexplained.
//
// A call's time, without time of the recorder, is divided exactly into its own code, each path of callees, waits by
// object, and preemption. What differs there says how the slow calls are slow. Other properties of a call (an argument,
// that it is the first one, its thread) can say why: if slow calls have such a property and ordinary ones do not, the
// extra time of the calls that have it counts as explained by the property, to the extent that it is more frequent
// among slow calls. Arguments and exceptions come before all other parts but preemption, first calls before all but
// preemption and waits that another thread ends. Time in own code, and in callees that are slower than otherwise, may
// still have another reason: page faults (10 us each at most), then thread, time, what ran before and what ran at the
// same time. That a callee is called more often is a reason itself.
//
// A factor is significant if chance alone gives it with a probability of less than kLeastChance, after correction for
// the number of properties and parts that were looked at (Bonferroni), and if it explains kLeastShareExplained of the
// extra time or more. How many first calls there are is known. So a single one counts if hardly any other call is as
// slow. Preemption comes from outside and can hit any call. If there are calls that are clearly slow without it, those
// are compared, and the calls that were preempted for more than half of their time are set aside. Otherwise all calls
// are compared by their whole durations.
//
// All slow calls being slower in a part that ordinary calls have as well is no finding, because they were chosen for
// being slow: such parts also need a tail that is heavier than that of ordinary noise (chanceOfTail()). Code that is
// slower, and waits that no other thread ends, need a gap below the slow calls (chanceOfGap()). Code must also be slow
// more often than interruptions by the machine make it (Interruptions). Preemption, and being woken late from a sleep,
// explain only calls that would not be slow without it: they follow from being long.
#pragma once

#include "analysis/waits/waits.h"
#include "call_sample.h"

#include <optional>
#include <string>
#include <vector>

namespace ada::analysis {

/// A factor is named if chance alone gives it less often than that, and is certain below the second one.
inline constexpr double kLeastChance = 0.01, kCertainChance = 1e-6;
inline constexpr double kLeastShareExplained = 0.05;
inline constexpr uint64_t kFewSlowCalls = 10; ///< so few may have anything in common

enum class FactorKind {
  Own,         ///< the function's own code, on-CPU
  Callee,      ///< functions that it called: more often, or slower
  Waiting,     ///< off-CPU by itself
  Preempted,   ///< off-CPU although it had work to do
  Unknown,     ///< scheduling records are missing; counts as unexplained
  Exception,   ///< left by an exception, or one was caught in it
  Argument,    ///< an argument or the result
  Faults,      ///< page faults: memory that it touched for the first time
  Thread,      ///< on which thread it ran
  Time,        ///< first calls, bursts, a period
  Before,      ///< its caller, or what that called before
  Concurrent,  ///< what another thread did at the same time
  Unexplained, ///< the rest
};
/// "own", "callee", …; the names of --format=json, where an exception is one of the arguments and results.
const char *factorKindName(FactorKind kind);
/// The same for people: "exception" is a kind of its own.
const char *factorKindText(FactorKind kind);

struct OutlierFactor;
/// "certain" or "likely"; empty for the unexplained rest.
const char *factorSureName(const OutlierFactor &factor);

struct OutlierFactor {
  FactorKind kind = FactorKind::Unexplained;
  std::string what; ///< for people: "mutex 0x5600, held by thread 3 (compactor), taken in Table::compact()"
  std::string how;  ///< for properties: the parts of the call that hold the time
  double explainsNs = 0, share = 0; ///< of the extra time of a call
  double pValue = 1;                ///< corrected; 1 for the unexplained rest
  bool isCertain() const { return pValue < kCertainChance; }
  /// How many of the slow and of the ordinary calls have it, 0 to 1.
  double ofSlow = 0, ofOrdinary = 0;
  std::optional<WaitedFor> object; ///< of waits: what is waited for; only its kind if these are several
  double ordinaryNs = 0;           ///< of waits: how long ordinary calls wait like this
  double ofCallNs = 0;             ///< what it explains of the extra time of the call that was asked about
};

/// What can be said about the slow calls of a function.
enum class OutlierVerdict {
  Certain, ///< something sets them apart, certainly
  Likely,  ///< something does, probably
  Nothing, ///< nothing does: they are the tail of the others, or were interrupted
  TooFew,  ///< nothing is named because there are too few calls, or too few slow ones
};
/// "certain", "likely", "nothing", "too few calls"
const char *outlierVerdictName(OutlierVerdict verdict);

struct SlowExample {
  uint32_t thread = 0;
  uint64_t seq = 0, durationNs = 0, beginNs = 0, endNs = 0;
};

struct Outliers {
  std::string function;
  uint64_t calls = 0, slowCalls = 0, ordinaryCalls = 0;
  uint64_t slowFromNs = 0, ordinaryFromNs = 0, ordinaryToNs = 0;
  double slowMeanNs = 0, ordinaryMeanNs = 0, extraNs = 0;
  /// How much of `extraNs` it was off-CPU although it had work to do, and slept for longer than it had asked to: named
  /// as a factor or not.
  double preemptedExtraNs = 0, lateExtraNs = 0;
  std::vector<OutlierFactor> factors; ///< significant ones by what they explain, then the unexplained rest
  std::vector<SlowExample> slowest;   ///< a few, the slowest first
  /// The call that was asked about is one of the slow ones. Then its factors add up to `callExtraNs`: its duration
  /// minus the mean of the ordinary calls.
  bool isCallSlow = false;
  double callExtraNs = 0;
  bool hasSched = false, hasArguments = false;
  /// Calls that were not compared, because they were preempted for most of their time, and for how long on average.
  uint64_t preemptedCalls = 0;
  double preemptedMeanNs = 0;
  /// Some of these would be slow without it: how many, how long they would take together, and for how long they were
  /// preempted together.
  uint64_t preemptedSlow = 0;
  double preemptedSlowOwnNs = 0, preemptedSlowNs = 0;
  OutlierVerdict verdict() const;
  uint64_t callsNeeded = 0; ///< with too few calls to compare: how many there should be; otherwise 0
};

/// Reads the blocks of the trace that hold sampled calls, and all threads once more if slow calls waited. `call`: what
/// is in it of each factor; it is TimesWanted::asked. Memory: the sample, and what `waits` needs.
Expected<Outliers> findOutliers(model::TraceSource &source, TraceTable &table, const ReadTimes &times,
                                const FunctionTimes &function, const SlowestOf &slowest, Damage &damage,
                                const CallId &call = {});

} // namespace ada::analysis
