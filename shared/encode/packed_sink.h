// From the records of a chunk to a packed body in one loop, with one stack of open calls.
//
// The loop of plain_walk.h keeps the open calls of the thread. They are those of the encoder as well, if all of them
// are in the file. So the encoder's own need to be right only where it is used by itself: for an event that is not
// usual, and after the loop.
#pragma once

#include "packed_encoder.h"
#include "shared/ring/plain_walk.h"

namespace ada::packed {

// A sink of ring::takePlainTo(). See Encoder for the bytes; at most kMaxEventBytes for each record.
class PackedSink {
public:
  PackedSink(Encoder &encoder, Byte *to) : encoder_(&encoder), to_(to) {}

  // Whether the open calls of the encoder are those of the thread.
  static bool agrees(const Encoder &encoder, const ring::CallStack &stack) {
    const State &state = encoder.state;
    return state.depth == stack.depth && stack.depth < stack.capacity &&
           (!state.isKnown() || state.innermost().function == stack.frames[stack.depth - 1].function);
  }

  __attribute__((always_inline)) void begin(const ring::Frame *frames, uint64_t depth, uint64_t lastNs) {
    frames_ = frames, history_ = encoder_->state.history;
    withoutEventNs_ = lastNs - encoder_->state.lastNs;
    setKnown();
    if (encoder_->events == 0 || withoutEventNs_ != 0) // a block's first event sets its first time
      most_ = frames + depth, unknown_ = most_ - 1;
  }
  __attribute__((always_inline)) void call(const ring::PlainStep &step) {
    State &state = encoder_->state;
    if (__builtin_expect(step.passed >= kMoreTime || step.frame == most_, 0))
      return putUnusual(step, kCall);
    Product &predicted = state.predictions[State::placeOf(history_)];
    if (__builtin_expect(predicted == step.function, 1)) {
      *to_++ = static_cast<Byte>(static_cast<unsigned>(Tag::Predicted) << 6 | step.passed);
    } else { // not so rare that it may take long; nearly all names have two bytes
      const uint64_t symbol = step.functionId & 0xffffffff;
      if (state.module != step.functionId >> 32 || symbol >= 1u << 13)
        return putUnusual(step, kCall);
      predicted = step.function;
      *to_++ = static_cast<Byte>(static_cast<unsigned>(Tag::Call) << 6 | step.passed);
      to_ = putVarint(to_, symbol << 1);
    }
    history_ = State::after(history_, step.function);
  }
  __attribute__((always_inline)) void exit(const ring::PlainStep &step) {
    if (__builtin_expect(step.passed >= kMoreTime || step.frame == unknown_, 0))
      return putUnusual(step, kReturn);
    *to_++ = static_cast<Byte>(static_cast<unsigned>(Tag::Return) << 6 | step.passed);
    history_ = State::after(history_, step.function.exit());
  }
  __attribute__((always_inline)) void end(uint64_t count, uint64_t depth, uint64_t lowest, uint64_t lastNs) {
    State &state = encoder_->state;
    encoder_->events += count - unusual_;
    state.lastNs = lastNs - withoutEventNs_, state.history = history_, state.depth = depth;
    for (uint64_t level = lowest > state.floor ? lowest : state.floor; level < depth; ++level)
      state.at(level) = {frames_[level].function, frames_[level].beginNs};
  }

  // Where the next event goes.
  Byte *at() const { return to_; }

private:
  __attribute__((always_inline)) void putUnusual(const ring::PlainStep &step, uint32_t kind) {
    State &state = encoder_->state;
    state.lastNs = step.ns - step.passed - withoutEventNs_, state.history = history_;
    withoutEventNs_ = 0;
    state.depth = static_cast<uint64_t>(step.frame - frames_) + (kind != kCall);
    if (kind != kCall)
      state.at(state.depth - 1) = {step.frame->function, step.frame->beginNs};
    to_ = encoder_->encodeUnusual(to_, kind, step.functionId, step.ns);
    history_ = state.history, ++unusual_;
    setKnown();
  }
  // The calls that the encoder knows are those from the floor on, at most kMaxKnownCalls.
  __attribute__((always_inline)) void setKnown() {
    const ring::Frame *const floor = frames_ + encoder_->state.floor;
    unknown_ = floor - 1, most_ = floor + kMaxKnownCalls;
  }

  Encoder *encoder_;
  Byte *to_;
  const ring::Frame *frames_ = nullptr;
  // The exit of this call is not usual, because it is not known; nor is a call there, because another one is then
  // known no more.
  const ring::Frame *unknown_ = nullptr, *most_ = nullptr;
  uint64_t history_ = 0, unusual_ = 0;
  uint64_t withoutEventNs_ = 0; // from the last event to the last record, until there is another event
};

} // namespace ada::packed
