// Matches exits with calls; repairs what is not balanced.
#include "ada/trace/calls.h"

#include <algorithm>
#include <bit>

namespace ada {

//===--- FunctionIndex
//-----------------------------------------------------===//

// Ids are small numbers in two halves; a multiplication spreads them over the
// top bits, which the table uses.
std::size_t FunctionIndex::slotOf(std::uint64_t functionId) const noexcept {
  std::uint64_t hash = (functionId ^ functionId >> 32) * 0x9e3779b97f4a7c15u;
  std::size_t mask = slots.size() - 1;
  std::size_t slot =
      static_cast<std::size_t>(hash >> (64 - std::bit_width(mask)));
  while (slots[slot] != kNone && known[slots[slot]] != functionId)
    slot = (slot + 1) & mask;
  return slot;
}

void FunctionIndex::grow() {
  slots.assign(std::max<std::size_t>(64, slots.size() * 2), kNone);
  for (std::uint32_t number = 0; number < known.size(); ++number)
    slots[slotOf(known[number])] = number;
}

std::uint32_t FunctionIndex::add(std::uint64_t functionId) {
  if ((known.size() + 1) * 2 > slots.size())
    grow();
  std::size_t slot = slotOf(functionId);
  if (slots[slot] == kNone) {
    slots[slot] = static_cast<std::uint32_t>(known.size());
    known.push_back(functionId);
  }
  return slots[slot];
}

std::uint32_t FunctionIndex::find(std::uint64_t functionId) const noexcept {
  return slots.empty() ? kNone : slots[slotOf(functionId)];
}

//===--- CallStackWalker
//---------------------------------------------------===//

void CallStackWalker::close(std::uint64_t endNs, std::uint64_t endSeq,
                            SpanEnd how) {
  Span span = stack.back();
  stack.pop_back();
  --openCalls[span.functionIndex];
  span.endNs = std::max(endNs, span.beginNs); // time may go back in bad traces
  span.endSeq = endSeq;
  span.childrenNs = std::min(span.childrenNs, span.durationNs());
  span.how = how;
  if (!stack.empty())
    stack.back().childrenNs += span.durationNs();
  ended.push_back(span);
}

CallStackWalker::Step CallStackWalker::feed(std::uint64_t seq,
                                            std::uint64_t timestampNs,
                                            std::uint64_t functionId,
                                            EventKind kind) {
  ended.clear();
  latestNs = std::max(latestNs, timestampNs);
  nextSeq = seq + 1;

  if (kind == EventKind::Call) {
    std::uint32_t number = index.add(functionId);
    if (number == openCalls.size())
      openCalls.push_back(0);
    if (!stack.empty())
      ++stack.back().calls;
    std::uint32_t depth = this->depth();
    stack.push_back({.functionId = functionId,
                     .beginNs = timestampNs,
                     .beginSeq = seq,
                     .depth = depth,
                     .functionIndex = number,
                     .outermost = openCalls[number]++ == 0});
    deepest = std::max(deepest, this->depth());
    return {.depth = depth};
  }

  if (kind != EventKind::Return && kind != EventKind::Exception) {
    ++unknown;
    return {.depth = depth()};
  }

  SpanEnd how =
      kind == EventKind::Return ? SpanEnd::Return : SpanEnd::Exception;
  if (stack.empty() || stack.back().functionId != functionId) {
    // The counts by function say at once whether the search below will find a
    // call, so a flood of stray exits under a deep stack costs nothing.
    std::uint32_t number = index.find(functionId);
    if (number == FunctionIndex::kNone || openCalls[number] == 0) {
      ++strays;
      return {.depth = depth(), .stray = true};
    }
    while (stack.back().functionId != functionId) {
      close(timestampNs, seq, SpanEnd::Missing);
      ++missing;
    }
  }
  close(timestampNs, seq, how);
  return {.depth = depth(), .finished = ended};
}

std::span<const Span> CallStackWalker::finish() {
  ended.clear();
  while (!stack.empty())
    close(latestNs, nextSeq, SpanEnd::Open);
  return ended;
}

} // namespace ada
