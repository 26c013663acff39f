// Encodes events into packed bodies.
//
// The usual event, a call of the predicted function or a return of the innermost call, takes a byte.
// It costs a look at the prediction and at the stack, a subtraction and a store:
//
//   Encoder::Run run(encoder, to);
//   run.encode(kind, function, ns); …     at most kMaxEventBytes each
//   to = run.end();
#pragma once

#include "packed_state.h"

namespace ada::packed {

inline Byte *putVarint(Byte *to, uint64_t value) {
  for (; value >= 128; value >>= 7)
    *to++ = static_cast<Byte>(value | 128);
  *to++ = static_cast<Byte>(value);
  return to;
}

inline Byte *putFunction(Byte *to, uint64_t functionId, uint32_t &module) {
  const auto itsModule = static_cast<uint32_t>(functionId >> 32);
  const uint64_t symbol = functionId & 0xffffffff;
  to = putVarint(to, symbol << 1 | (itsModule != module));
  if (itsModule == module)
    return to;
  module = itsModule;
  return putVarint(to, itsModule);
}

// Sub::Link (the detail event's number + 1, or 0), Sub::Depth and Sub::Lost describe the next event.
// They come before it, in this order.
inline Byte *putPrefix(Byte *to, Sub what, uint64_t value) {
  *to++ = static_cast<Byte>(static_cast<unsigned>(Tag::Other) << 6 | static_cast<unsigned>(what));
  return putVarint(to, value);
}

// Whether an event may be older than the one `passed` before it, modulo 2^64. Results of short steps need not be
// checked: short steps don't get from the lower half of all times to where times wrap.
inline bool mayGoBack(uint64_t passed, uint64_t ns) { return (passed | ns) >> 63 != 0; }

class Encoder {
public:
  // Writes events, one after the other. The encoder must not be used in any other way meanwhile.
  class Run {
  public:
    Run(Encoder &encoder, Byte *to) : encoder_(encoder), steps_(encoder.state) { load(to); }
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    // If `kind` is a constant, the compiler leaves out the code for the other kinds.
    __attribute__((always_inline)) void encode(uint32_t kind, uint64_t functionId, uint64_t ns) {
      const uint64_t isCall = kind == kCall, passed = ns - steps_.lastNs;
      const Product function = Product::of(functionId), expected = steps_.expected(isCall);
      const bool isUsual = steps_.isUsual(isCall);
      if (__builtin_expect((expected.value != function.value) | (passed >= kMoreTime) | (kind - 1 > 1) | !isUsual, 0)) {
        encodeUnusual(kind, functionId, ns);
        return;
      }
      *to_++ = static_cast<Byte>(isCall << 6 | passed);
      steps_.take(isCall, function, ns);
    }
    // Writes a prefix of the next event: see putPrefix(). Only some of the prefixes are meant for this.
    void say(Sub what, uint64_t value) {
      Byte *const end = putPrefix(to_, what, value);
      from_ += end - to_, to_ = end;
    }

    Byte *at() const { return to_; }
    // Ends the run; the next one continues from here.
    Byte *end() {
      save();
      return to_;
    }

  private:
    void load(Byte *to) {
      steps_.load(), from_ = to_ = to;
      if (encoder_.events == 0) // a block's first event sets its first time
        steps_.floor = steps_.depth + 1;
    }
    void save() {
      steps_.save();
      encoder_.events += static_cast<uint64_t>(to_ - from_);
    }
    __attribute__((always_inline)) void encodeUnusual(uint32_t kind, uint64_t functionId, uint64_t ns) {
      save();
      load(encoder_.encodeUnusual(to_, kind, functionId, ns));
    }

    Encoder &encoder_;
    Byte *to_, *from_; // from there on each event is a byte, so events need not be counted
    Steps steps_;
  };

  // One event.
  Byte *encode(Byte *to, uint32_t kind, uint64_t functionId, uint64_t ns) {
    Run run(*this, to);
    run.encode(kind, functionId, ns);
    return run.end();
  }

  // Everything but the usual event.
  __attribute__((noinline)) Byte *encodeUnusual(Byte *to, uint32_t kind, uint64_t functionId, uint64_t ns) {
    uint64_t passed = ns - state.lastNs;
    if (events++ == 0)
      firstNs = ns;
    state.lastNs = ns;
    to = goBack(to, passed);
    if (kind == kCall)
      return encodeCall(to, functionId, ns, passed);
    if (kind == kReturn && state.isKnown() && state.innermost().function == Product::of(functionId)) {
      to = putTime(to, Tag::Return, passed);
      state.pop(1, Product::of(functionId));
      return to;
    }
    return encodeRare(to, kind, functionId, passed);
  }

  State state;     // of the block that is open
  bool unsorted;   // see kBlockUnsorted
  uint64_t events; // of the block
  uint64_t firstNs;

private:
  // A step of more than half the range of 64 bits is a step back. Then `passed` becomes 0.
  Byte *goBack(Byte *to, uint64_t &passed) {
    unsorted |= mayGoBack(passed, state.lastNs);
    if (passed >> 63 == 0)
      return to;
    to = putPrefix(to, Sub::Back, -passed);
    passed = 0;
    return to;
  }

  static Byte *putTime(Byte *to, Tag tag, uint64_t passed) {
    *to++ = static_cast<Byte>(static_cast<unsigned>(tag) << 6 | (passed < kMoreTime ? passed : kMoreTime));
    return passed < kMoreTime ? to : putVarint(to, passed - kMoreTime);
  }

  Byte *encodeCall(Byte *to, uint64_t functionId, uint64_t ns, uint64_t passed) {
    const Product function = Product::of(functionId);
    Product &prediction = state.prediction();
    if (prediction == function) {
      to = putTime(to, Tag::Predicted, passed);
    } else {
      prediction = function;
      to = putFunction(putTime(to, Tag::Call, passed), functionId, state.module);
    }
    state.push(function, ns);
    return to;
  }

  Byte *encodeRare(Byte *to, uint32_t kind, uint64_t functionId, uint64_t passed) {
    auto putNamed = [&](Sub sub) {
      to = putVarint(putPrefix(to, sub, passed), kindInFile(kind));
      return putFunction(to, functionId, state.module);
    };
    if (!isExit(kind))
      return putNamed(Sub::Any);
    const Product function = Product::of(functionId);
    const uint64_t known = state.depth - state.floor;
    uint64_t inner = 0; // calls that have no exit of their own
    while (inner < known && state.at(state.depth - 1 - inner).function != function)
      ++inner;
    if (inner < known) {
      if (inner > 0)
        to = putVarint(putVarint(putPrefix(to, Sub::Outer, passed), kindInFile(kind)), inner);
      else // the return of the innermost call isn't rare
        to = putPrefix(to,
                       kind == kInferred  ? Sub::Inferred
                       : kind == kMissing ? Sub::Missing
                                          : Sub::Exception,
                       passed);
      state.pop(inner + 1, function);
      return to;
    }
    const bool isBeyond = known == 0 && state.depth > 0;
    to = putNamed(isBeyond ? Sub::Beyond : Sub::Stray);
    state.depth -= isBeyond, state.floor -= isBeyond;
    state.pop(0, function);
    return to;
  }
};

} // namespace ada::packed
