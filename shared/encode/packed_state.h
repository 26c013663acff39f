// The state from which a packed body's next event is predicted. Encoder and decoder both keep it, and so agree.
#pragma once

#include "packed_format.h"
#include "shared/ring/product.h"

namespace ada::packed {

using ring::kFactor, ring::Product;

// A call is predicted from the ten events before it, because that is where programs repeat themselves:
// 1 call in 15 to 20 of SQLite and of a JSON parser is not predicted; with only the caller and one event it would be
// two to five times as many (docs/formats/packed.md).
//
// Plain data, of a fixed size: a file starts with a zero-initialised state. The depth of a recursion does not matter:
// the innermost kMaxKnownCalls open calls are known, the others are forgotten, and their exits name their functions.
struct State {
  static constexpr unsigned kPredictionBits = 12;
  static constexpr size_t kCallSlots = kMaxKnownCalls + 1; // one is free and may be written to at any time
  struct OpenCall {
    Product function;
    uint64_t beginNs;
  };

  uint64_t lastNs;
  uint64_t depth;             // open calls
  uint64_t floor;             // the number of them that are not known
  uint64_t history;           // of the events before; old ones are shifted out
  uint32_t module;            // of the function that was named last
  OpenCall calls[kCallSlots]; // circular: the one at depth d is at d % kCallSlots
  Product predictions[1u << kPredictionBits];

  OpenCall &at(uint64_t level) { return calls[level % kCallSlots]; }
  const OpenCall &at(uint64_t level) const { return calls[level % kCallSlots]; }
  const OpenCall &innermost() const { return at(depth - 1); }
  bool isKnown() const { return depth != floor; }

  // The prediction for a call that came now.
  Product &prediction() { return predictions[placeOf(history)]; }
  static uint64_t placeOf(uint64_t history) { return history >> (64 - kPredictionBits); }
  // After a call, or after an exit, whose product is that of the complement: see Product::exit().
  static uint64_t after(uint64_t history, Product event) { return (history << 6) + event.value; }

  void push(Product function, uint64_t ns) {
    at(depth++) = {function, ns};
    floor += depth - floor > kMaxKnownCalls;
    history = after(history, function);
  }
  // `count` known calls end, the outermost of them by the exit of its function.
  void pop(uint64_t count, Product function) {
    depth -= count;
    history = after(history, function.exit());
  }

  // Resets what is not carried over to the next block.
  void beginBlock() {
    history = 0, module = 0;
    for (Product &prediction : predictions)
      prediction = {0};
  }
};

// The part of a state that changes with every event, which code with many events can keep in registers.
// It takes the usual steps, calls and returns, without a branch on which of the two it is,
// because that can't be predicted.
struct Steps {
  explicit Steps(State &state) : state(state) { load(); }
  // Usual steps leave the floor as it is.
  void load() { lastNs = state.lastNs, depth = state.depth, floor = state.floor, history = state.history; }
  void save() { state.lastNs = lastNs, state.depth = depth, state.history = history; }

  // Whether this stays within the known calls: a call makes no other unknown, or the call that returns is known.
  bool isUsual(uint64_t isCall) const { return depth - floor - 1 + isCall < kMaxKnownCalls; }
  // The function that is expected to be called or to return.
  Product expected(uint64_t isCall) const {
    const uint64_t called = state.predictions[State::placeOf(history)].value;
    const uint64_t returning = state.at(depth - 1).function.value;
    return {(called & -isCall) | (returning & (isCall - 1))};
  }
  // A return writes to the free place above.
  void take(uint64_t isCall, Product function, uint64_t ns) {
    State::OpenCall &call = state.at(depth);
    call.function = function, call.beginNs = ns;
    depth += 2 * isCall - 1;
    // Without a branch: -x is ~x + 1. The operand that is available last is added last.
    const uint64_t isExit = isCall - 1;
    history = ((history << 6) + ((1 - kFactor) & isExit)) + (function.value ^ isExit);
    lastNs = ns;
  }

  State &state;
  uint64_t lastNs, depth, floor, history;
};

} // namespace ada::packed
