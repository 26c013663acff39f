// The coroutines of a trace: where each was created, which one awaited it, and where its time went.
//
// A coroutine is a frame in memory. What is read from the detail of its functions (option `coroutines`):
//   f            the call that creates it: the frame's address is recorded as a result in memory, but where f itself
//   has
//                one; that then mostly has it, or the address of the promise, 16 bytes behind it
//   f.resume     each time it goes on: the argument is the frame, the result the frame of the coroutine that runs in
//                its place from then on (a symmetric transfer), null if there is none
//   f.destroy    its end, the argument is the frame
#ifndef ADA_LIB_ANALYSIS_COROUTINES_H
#define ADA_LIB_ANALYSIS_COROUTINES_H

#include "trace_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::analysis {

inline constexpr std::uint32_t kNoCoroutine = 0xffffffffu;

/// Why a coroutine is the parent of another in the logical tree.
enum class CoroutineLink : std::uint8_t {
  None,    ///< no coroutine had to do with it
  Created, ///< it was created while the parent ran
  Resumed, ///< the parent was the first to resume it
  Awaited, ///< control went from the parent to it, or from it to the parent, without a resumer between
};
const char *coroutineLinkName(CoroutineLink link);

struct Coroutine {
  std::uint32_t process = 0;
  std::uint32_t function = kNoCoroutine; ///< that created it, or, if that was not seen, a part of it
  std::uint64_t frame = 0;               ///< 0: it was never suspended, or what it returned does not hold the frame
  bool isBeginKnown = false;             ///< else `beginNs` is when it was first seen
  bool isEnded = false;                  ///< it was destroyed, or its frame was used again
  bool isLeftByException = false;        ///< an exception left it for whoever resumed it
  std::uint64_t beginNs = 0, endNs = 0;  ///< not ended: the end of the trace
  std::uint64_t resumptions = 0;
  std::uint64_t runningNs = 0;              ///< while no other coroutine ran inside of it
  std::uint64_t suspendedNs = 0;            ///< of its life, the time in which it was in no call
  std::uint32_t firstThread = 0;            ///< that created or first resumed it
  bool isOnSeveralThreads = false;          ///< they were not the same
  std::uint32_t createdIn = kNoCoroutine;   ///< the function, no coroutine's, around the call that created it
  std::uint32_t creator = kNoCoroutine;     ///< the coroutine that ran then
  std::uint32_t parent = kNoCoroutine;      ///< in the logical tree
  CoroutineLink link = CoroutineLink::None; ///< why
};

struct Coroutines {
  std::vector<Coroutine> all; ///< by when they were first seen
  bool hasFunctions = false;  ///< some function is a coroutine's
  bool hasFrames = false;     ///< some detail says which
};

/// Reads all threads in one sequence by time, once. Memory: about 150 bytes a coroutine.
Expected<Coroutines> readCoroutines(model::TraceSource &source, TraceTable &table);

/// All coroutines that were created by the same function below the same ones: the logical call tree, folded.
struct CoroutineNode {
  std::uint32_t function = kNoCoroutine;
  std::uint32_t depth = 0;
  CoroutineLink link = CoroutineLink::None; ///< the strongest
  std::uint64_t count = 0, open = 0, exceptions = 0, resumptions = 0;
  std::uint64_t lifeNs = 0, runningNs = 0, suspendedNs = 0, longestNs = 0; ///< sums, and the longest life
  std::uint32_t longest = kNoCoroutine;                                    ///< whose that is
};
/// Each before what is below it; on one level those with the longest lives first.
std::vector<CoroutineNode> foldCoroutines(const Coroutines &coroutines);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_COROUTINES_H
