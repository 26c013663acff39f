// The parts of the time of sampled calls, in columns: one per reason, the same for all calls.
#pragma once

#include "outliers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::analysis {

/// Why a call was off-CPU for some time: the object, and the thread that had it.
struct CallWait {
  size_t call = 0;     ///< in CallSample::calls
  size_t reason = 0;   ///< in CallWaits::reasons
  std::string library; ///< the library function that waited; empty if it is none of the trace
  uint64_t ns = 0;
  uint64_t lateNs = 0; ///< the part of it after the time for which the call asked to sleep
};

struct WaitReason {
  std::string text;       ///< "mutex 0x5600e2, held by thread 3 (compactor), taken in Table::compact()"
  std::string kind;       ///< without what differs between runs: "mutex, held by compactor, taken in Table::compact()"
  WaitedFor object;       ///< what is waited for; only its kind if these are several
  bool isAlone = false;   ///< no other thread ends these waits
  bool mayBeLate = false; ///< sleeps of which it is not known for how long they asked to sleep
};

struct CallWaits {
  std::vector<CallWait> waits;
  std::vector<WaitReason> reasons;
};

/// How long a call waited for one reason.
struct ReasonNs {
  size_t reason = 0; ///< in CallWaits::reasons
  uint64_t ns = 0, lateNs = 0;
};
/// Takes the time of a call's waits out of its parts. What it returns and the parts that are left add up to what the
/// parts were before.
std::vector<ReasonNs> takeWaits(const CallSample &sample, const std::vector<const CallWait *> &ofCall, bool hasSched,
                                std::vector<CallPart> &parts);
/// By call in the sample: its waits.
std::vector<std::vector<const CallWait *>> waitsByCall(const CallSample &sample, const CallWaits &waits);

/// One part of all calls' time.
struct PartColumn {
  FactorKind kind = FactorKind::Own;
  std::string what;
  bool isOrdinary = true;          ///< ordinary calls have it as well: then only a heavy tail makes it significant
  bool isSlower = false;           ///< own code, or callees that are called as often as in ordinary calls
  bool isMore = false;             ///< callees that take as long as otherwise, and are called more often
  bool mayBeLate = false;          ///< sleeps that another program may have made longer than they asked to be
  bool isLate = false;             ///< the time after the end of a sleep
  bool isAlone = false;            ///< a wait that no other thread ends: how long it takes is a matter of the machine
  std::optional<WaitedFor> object; ///< of waits: see WaitReason
  std::vector<double> ns;          ///< by call
  std::vector<uint32_t> nodes;     ///< paths whose time on-CPU it has
  double slowMean = 0, ordinaryMean = 0;
  double extra() const { return slowMean - ordinaryMean; }
  /// A wait that another thread ends.
  bool isByOthers() const { return kind == FactorKind::Waiting && !isAlone; }
};

/// Divides all time of the calls; the columns add up to their durations.
std::vector<PartColumn> divideCalls(const CallSample &sample, const CallWaits &waits, bool hasSched);

/// What the calls waited for. Reads all threads, of a large trace only the times around the calls.
bool isReadInPieces(const model::TraceSource &source, const TraceTable &table);
Expected<CallWaits> waitsOf(model::TraceSource &source, TraceTable &table, const CallSample &sample);

} // namespace ada::analysis
