// What a packed body's next event is predicted from. Encoder and decoder both keep it, and so agree.
#ifndef ADA_LIB_SHARED_ENCODE_PACKED_STATE_H
#define ADA_LIB_SHARED_ENCODE_PACKED_STATE_H

#include "packed_format.h"

namespace ada::packed {

// A call is predicted from the ten events before it, for that is where programs repeat themselves: 1 call in 15 to 20
// of SQLite and of a JSON parser is not predicted, and twice to five times as many if just the caller and one event are
// looked at (docs/formats/packed.md).
//
// Plain data, of a fixed size: zero-initialised is the start of a file. How deep a recursion goes changes nothing: the
// innermost kMostKnownCalls open calls are known, the others are forgotten, and their exits name their functions.
struct State {
  static constexpr unsigned kPredictionBits = 12;
  static constexpr std::size_t kCallSlots = kMostKnownCalls + 1; // one is free, to be written to at any time
  struct OpenCall {
    std::uint64_t functionId, beginNs;
  };

  std::uint64_t lastNs;
  std::uint64_t depth;        // open calls
  std::uint64_t floor;        // of which so many are not known
  std::uint64_t history;      // of the events before; those of long ago are shifted out
  std::uint32_t module;       // of the function that was named last
  OpenCall calls[kCallSlots]; // circular: the one at depth d is at d % kCallSlots
  std::uint64_t predictions[1u << kPredictionBits];

  OpenCall &at(std::uint64_t level) { return calls[level % kCallSlots]; }
  const OpenCall &at(std::uint64_t level) const { return calls[level % kCallSlots]; }
  const OpenCall &innermost() const { return at(depth - 1); }
  bool isKnown() const { return depth != floor; }

  // The prediction for a call that came now.
  std::uint64_t &prediction() { return predictions[placeOf(history)]; }
  static std::uint64_t placeOf(std::uint64_t history) { return history >> (64 - kPredictionBits); }
  // `event`: a call's function, or the complement of an exit's.
  static std::uint64_t remembering(std::uint64_t history, std::uint64_t event) {
    return (history << 6) + event * 0xC2B2AE3D27D4EB4Fu;
  }

  void push(std::uint64_t functionId, std::uint64_t ns) {
    at(depth++) = {functionId, ns};
    floor += depth - floor > kMostKnownCalls;
    history = remembering(history, functionId);
  }
  // `count` known calls end, the outermost of them by the exit of its function.
  void pop(std::uint64_t count, std::uint64_t functionId) {
    depth -= count;
    history = remembering(history, ~functionId);
  }

  // What is not carried over to the next block.
  void beginBlock() {
    history = 0, module = 0;
    for (std::uint64_t &prediction : predictions)
      prediction = 0;
  }
};

// The part of a state that changes with every event, to be kept in registers by who has many. It takes the usual steps:
// calls and returns, without a branch on which of both it is, for that can't be predicted.
struct Steps {
  explicit Steps(State &state) : state(state) { load(); }
  void load() { lastNs = state.lastNs, depth = state.depth, floor = state.floor, history = state.history; }
  void save() { state.lastNs = lastNs, state.depth = depth, state.floor = floor, state.history = history; }

  // Whether a call doesn't make another one unknown, or the call that returns is known.
  bool isUsual(std::uint64_t isCall) const { return depth - floor - 1 + isCall < kMostKnownCalls; }
  // The function that is called or returns if it is as expected.
  std::uint64_t expected(std::uint64_t isCall) const {
    const std::uint64_t called = state.predictions[State::placeOf(history)], returning = state.at(depth - 1).functionId;
    return (called & -isCall) | (returning & (isCall - 1));
  }
  // A return writes to the free place above.
  void take(std::uint64_t isCall, std::uint64_t functionId, std::uint64_t ns) {
    State::OpenCall &call = state.at(depth);
    call.functionId = functionId, call.beginNs = ns;
    depth += 2 * isCall - 1;
    history = State::remembering(history, functionId ^ (isCall - 1));
    lastNs = ns;
  }

  State &state;
  std::uint64_t lastNs, depth, floor, history;
};

} // namespace ada::packed
#endif
