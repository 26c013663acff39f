// Matches exits with calls; repairs traces that are not balanced.
#include "ada/trace/calls.h"

#include <algorithm>
#include <bit>

namespace ada {

//===--- FunctionIndex ----------------------------------------------------===//

// Ids are small numbers in two halves; a multiplication spreads them over the
// top bits, which the table uses.
size_t FunctionIndex::slotOf(uint64_t functionId) const noexcept {
  uint64_t hash = (functionId ^ functionId >> 32) * 0x9e3779b97f4a7c15u;
  size_t mask = slots_.size() - 1;
  size_t slot = static_cast<size_t>(hash >> (64 - std::bit_width(mask)));
  while (slots_[slot] != kNone && known_[slots_[slot]] != functionId)
    slot = (slot + 1) & mask;
  return slot;
}

void FunctionIndex::grow() {
  slots_.assign(std::max<size_t>(64, slots_.size() * 2), kNone);
  for (uint32_t number = 0; number < known_.size(); ++number)
    slots_[slotOf(known_[number])] = number;
}

uint32_t FunctionIndex::add(uint64_t functionId) {
  if ((known_.size() + 1) * 2 > slots_.size())
    grow();
  size_t slot = slotOf(functionId);
  if (slots_[slot] == kNone) {
    slots_[slot] = static_cast<uint32_t>(known_.size());
    known_.push_back(functionId);
  }
  return slots_[slot];
}

uint32_t FunctionIndex::find(uint64_t functionId) const noexcept {
  return slots_.empty() ? kNone : slots_[slotOf(functionId)];
}

//===--- OpenCallCounts ---------------------------------------------------===//

uint32_t &OpenCallCounts::add(uint32_t function) {
  if ((used_ + 1) * 2 > slots_.size()) {
    std::vector<Slot> before(slots_.size() * 2);
    before.swap(slots_);
    --shift_;
    used_ = 0;
    for (const Slot &slot : before)
      if (slot.function != kFree)
        add(slot.function) = slot.open;
  }
  size_t slot = slotOf(function);
  while (slots_[slot].function != kFree)
    slot = (slot + 1) & (slots_.size() - 1);
  slots_[slot].function = function;
  ++used_;
  return slots_[slot].open;
}

//===--- CallStackWalker --------------------------------------------------===//

CallStackWalker::Step CallStackWalker::feed(uint64_t seq, uint64_t timestampNs, uint64_t functionId, EventKind kind) {
  const bool isCall = kind == EventKind::Call;
  const bool isInnermost = !isCall && depth_ > 0 && stack_[depth_ - 1].functionId == functionId;
  const uint32_t number = isCall        ? index_.add(functionId)
                          : isInnermost ? stack_[depth_ - 1].functionIndex
                                        : index_.find(functionId);
  return step(seq, timestampNs, functionId, number, kind);
}

// An exit, but not of the innermost call.
CallStackWalker::Step CallStackWalker::repair(uint64_t seq, uint64_t timestampNs, uint64_t functionId, uint32_t number,
                                              SpanEnd how) {
  // The counts by function say at once whether the search below will find a
  // call, so a flood of stray exits under a deep stack costs nothing.
  if (number == FunctionIndex::kNone || openCalls_.of(number) == 0) {
    if (unknownOpen_ > 0)
      --unknownOpen_;
    else
      ++strays_;
    return {.depth = depth_, .stray = true};
  }
  ended_.clear();
  while (stack_[depth_ - 1].functionId != functionId) {
    ended_.push_back(close(timestampNs, seq, SpanEnd::Missing));
    ++missing_;
  }
  ended_.push_back(close(timestampNs, seq, how));
  return {.depth = depth_, .finished = ended_};
}

void CallStackWalker::openEarlier(uint64_t beginNs, uint32_t function, uint64_t firstNs, uint64_t beginSeq) {
  // It is not known what its caller did before it.
  if (depth_ > 0 && firstNs > 0)
    stack_[depth_ - 1].childrenNs = std::max(beginNs, stack_[depth_ - 1].beginNs) - stack_[depth_ - 1].beginNs;
  (void)feedNumbered(beginSeq, beginNs, function, EventKind::Call);
  Span &span = stack_[depth_ - 1];
  span.isEarlier = true;
  span.childrenNs = firstNs > beginNs ? firstNs - beginNs : 0;
}

void CallStackWalker::shrink() {
  stack_.resize(depth_);
  stack_.shrink_to_fit();
  ended_ = {};
  openCalls_ = {};
  for (const Span &call : stack_)
    ++openCalls_.of(call.functionIndex);
}

std::span<const Span> CallStackWalker::finish() {
  ended_.clear();
  while (depth_ > 0)
    ended_.push_back(close(latestNs_, nextSeq_, SpanEnd::Open));
  return ended_;
}

} // namespace ada
