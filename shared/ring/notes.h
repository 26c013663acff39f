// What an index file can't show about the calls that were open when it was written: see ada_ring_note.
#pragma once

#include "left_out.h"

namespace ada::ring {

// Writes at most `most` notes about the open calls, innermost calls first, and returns how many.
inline uint64_t takeNotes(const ThreadExpansion &t, ada_ring_note *notes, uint64_t most) {
  constexpr size_t kLook = 1u << 16; // deeper down none of them matter: this is done for each write
  const CallStack &stack = t.stack;
  const bool hasWaiting = leavesOut(t);
  uint64_t count = 0;
  size_t i = stack.depth;
  if (t.mostDepth > 0 && i > t.mostDepth + kMaxWaiting && most > 0) { // far below max_depth: only their number
    i = t.mostDepth + kMaxWaiting;
    notes[count++] = {static_cast<uint32_t>(i), static_cast<uint32_t>(stack.depth - i), 0};
  }
  const size_t end = i > kLook ? i - kLook : 0;
  while (i-- > end && count < most) {
    const Frame &f = stack.frames[i];
    if (f.function == kLost) {
      if (f.mark != 0 && most - count >= 2) // read from the last one on
        notes[count++] = {static_cast<uint32_t>(i), 0, f.mark};
      if (count > 0 && notes[count - 1].lost - 1 < ADA_NOTE_BEGIN - 1 && notes[count - 1].depth == i + 1)
        notes[count - 1].depth = static_cast<uint32_t>(i), ++notes[count - 1].lost;
      else
        notes[count++] = {static_cast<uint32_t>(i), 1, 0};
      continue;
    }
    if (f.mark != 0)
      notes[count++] = {static_cast<uint32_t>(i), 0, f.mark};
    if (hasWaiting && i >= t.inFile && most - count >= 2) { // likewise
      notes[count++] = {static_cast<uint32_t>(i), ADA_NOTE_FUNCTION, f.function.functionId()};
      notes[count++] = {static_cast<uint32_t>(i), ADA_NOTE_BEGIN, f.beginNs};
    }
  }
  return count;
}

// Puts the lost calls and marks back among `open`, the calls that the file leaves open, and makes that the stack of
// `t`.
inline void applyNotes(ThreadExpansion &t, const CallStack &open, const ada_ring_note *notes, uint64_t count,
                       CallStack::Grow grow) {
  size_t next = 0;
  auto takeUpTo = [&](size_t depth) {
    for (; next < open.depth && t.stack.depth < depth; ++next)
      if (!t.stack.push(open.frames[next].function.functionId(), open.frames[next].beginNs, grow))
        return;
  };
  t.hasNotes = count > 0;
  uint64_t begin = 0;
  bool isWaiting = false;
  size_t stale = 0; // calls that the file leaves open although they are over: their ends could not be written
  for (uint64_t i = count; i-- > 0;) {
    const size_t depth = notes[i].depth + stale;
    takeUpTo(depth);
    if (notes[i].lost == ADA_NOTE_BEGIN) {
      begin = notes[i].mark;
      continue;
    }
    if (notes[i].lost == ADA_NOTE_FUNCTION) {
      if (!isWaiting) { // what waits is inside of everything that the file has open
        takeUpTo(SIZE_MAX);
        stale = t.stack.depth > depth ? t.stack.depth - depth : 0;
      }
      // There were so many that the notes of the outer ones had no room.
      for (uint64_t n = 0; t.stack.depth < depth && n < kMaxLostCalls; ++n)
        if (!t.stack.push(kLostFunction, t.lastNs, grow))
          return;
      if (!isWaiting)
        t.inFile = t.stack.depth, isWaiting = true;
      if (!t.stack.push(notes[i].mark, begin, grow))
        return;
      continue;
    }
    if (notes[i].lost == 0) {
      takeUpTo(depth + 1);
      if (t.stack.depth == depth + 1)
        t.stack.frames[depth].mark = notes[i].mark;
    }
    for (uint64_t n = 0; n < notes[i].lost && n < kMaxLostCalls; ++n)
      if (!t.stack.push(kLostFunction, t.lastNs, grow))
        return;
  }
  takeUpTo(SIZE_MAX);
  if (!isWaiting)
    t.inFile = t.stack.depth;
  t.floor = t.stack.depth;
}

} // namespace ada::ring
