// Decodes packed bodies.
#pragma once

#include "packed_state.h"

namespace ada::packed {

// Reads a number of at most kMaxVarintBytes from `at` on. False if it doesn't fit in 64 bits.
__attribute__((always_inline)) inline bool getVarint(const Byte *&at, uint64_t &value) {
  value = *at++;
  if (__builtin_expect(value < 128, 1))
    return true;
  value &= 127;
  for (unsigned shift = 7; shift < 64; shift += 7) {
    const uint64_t byte = *at++;
    value |= (byte & 127) << shift;
    if (byte < 128)
      return shift < 63 || byte < 2;
  }
  return false;
}

inline bool getFunction(const Byte *&at, uint64_t &functionId, uint32_t &module) {
  uint64_t symbol, itsModule = module;
  if (!getVarint(at, symbol) || symbol >> 33 != 0)
    return false;
  if (symbol & 1 && (!getVarint(at, itsModule) || itsModule >> 32 != 0))
    return false;
  module = static_cast<uint32_t>(itsModule);
  functionId = itsModule << 32 | symbol >> 1;
  return true;
}

enum class Decoded {
  Event,
  End, // nothing is left, or only part of an event
  Bad, // no encoder writes that
};

// Reads the events of one block, in order: see beginDecoding() for where to begin. The next ones are at [at, end).
class Decoder {
public:
  explicit Decoder(State &state) : state(state) {}

  // The next event. `at` moves past it. `event` is complete if Event is returned.
  Decoded next(const Byte *&at, const Byte *end, Event &event) {
    Run run(*this, at, end);
    const Decoded how = run.next(event);
    at = run.end();
    return how;
  }

  // Reads many events. The decoder must not be used in any other way meanwhile.
  class Run {
  public:
    Run(Decoder &decoder, const Byte *at, const Byte *end)
        : decoder_(decoder), at_(at), end_(end), steps_(decoder.state) {}
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    __attribute__((always_inline)) Decoded next(Event &event) {
      event.storedDepth = kNoDepth, event.hasLink = false, event.link = kNoLink, event.lostBefore = 0;
      if (__builtin_expect(at_ == end_, 0))
        return Decoded::End;
      const uint64_t isCall = *at_ >> 6, passed = *at_ & 63;
      if (__builtin_expect((isCall > 1) | (passed == kMoreTime) | !steps_.isUsual(isCall), 0))
        return nextMore(event);
      ++at_;
      event.ns = steps_.lastNs + passed;
      const Product function = steps_.expected(isCall);
      event.functionId = function.functionId();
      event.kind = kReturn - static_cast<uint32_t>(isCall);
      steps_.take(isCall, function, event.ns);
      return Decoded::Event;
    }

    const Byte *at() const { return at_; }
    // Ends the run; the next one continues from here.
    const Byte *end() {
      steps_.save();
      return at_;
    }

  private:
    __attribute__((always_inline)) Decoded nextMore(Event &event) {
      steps_.save();
      const Byte *at = at_;
      const Decoded how = decoder_.nextMore(at, end_, event);
      at_ = at;
      steps_.load();
      return how;
    }

    Decoder &decoder_;
    const Byte *at_, *end_;
    Steps steps_;
  };

  State &state;

private:
  // Any event.
  __attribute__((noinline)) Decoded nextMore(const Byte *&at, const Byte *end, Event &event) {
    if (static_cast<size_t>(end - at) < kMaxEventBytes)
      if (const Decoded whole = findWhole(at, end); whole != Decoded::Event)
        return whole;
    return decodeMore(at, event);
  }
  Decoded decodeMore(const Byte *&at, Event &event);
  // Whether an event is whole, if fewer bytes are left than an event may have. Changes nothing.
  static Decoded findWhole(const Byte *at, const Byte *end);
  Decoded decodeCallOrReturn(const Byte *&at, Tag tag, uint64_t passed, Event &event);
  Decoded decodeRare(const Byte *&at, Sub sub, Event &event);
};

inline Decoded Decoder::decodeMore(const Byte *&at, Event &event) {
  unsigned first = *at++;
  // The last prefix of the event.
  int before = -1;
  while (first >> 6 == static_cast<unsigned>(Tag::Other) && (first & 63) <= static_cast<unsigned>(Sub::Back)) {
    const auto sub = static_cast<int>(first & 63);
    uint64_t value;
    if (sub <= before || !getVarint(at, value))
      return Decoded::Bad;
    before = sub;
    switch (static_cast<Sub>(sub)) {
    case Sub::Link:
      event.hasLink = true, event.link = value - 1;
      break;
    case Sub::Depth:
      if (value >= kNoDepth)
        return Decoded::Bad;
      event.storedDepth = static_cast<uint32_t>(value);
      break;
    case Sub::Lost:
      event.lostBefore = value;
      break;
    default: // Sub::Back
      state.lastNs -= value;
      break;
    }
    first = *at++;
  }
  if (const auto tag = static_cast<Tag>(first >> 6); tag != Tag::Other)
    return decodeCallOrReturn(at, tag, first & 63, event);
  return decodeRare(at, static_cast<Sub>(first & 63), event);
}

inline Decoded Decoder::decodeCallOrReturn(const Byte *&at, Tag tag, uint64_t passed, Event &event) {
  if (passed == kMoreTime) {
    uint64_t rest;
    if (!getVarint(at, rest))
      return Decoded::Bad;
    passed += rest;
  }
  event.ns = state.lastNs += passed;
  if (tag == Tag::Return) {
    if (!state.isKnown())
      return Decoded::Bad;
    const Product function = state.innermost().function;
    event.kind = kReturn, event.functionId = function.functionId();
    state.pop(1, function);
    return Decoded::Event;
  }
  Product &prediction = state.prediction();
  if (tag == Tag::Call) {
    if (!getFunction(at, event.functionId, state.module))
      return Decoded::Bad;
    prediction = Product::of(event.functionId);
  }
  event.kind = kCall, event.functionId = prediction.functionId();
  state.push(prediction, event.ns);
  return Decoded::Event;
}

inline Decoded Decoder::decodeRare(const Byte *&at, Sub sub, Event &event) {
  uint64_t passed, kind = sub == Sub::Inferred ? kInferredInFile : sub == Sub::Missing ? kMissingInFile : kException;
  uint64_t inner = 0;
  if (static_cast<unsigned>(sub) >= kSubs || !getVarint(at, passed))
    return Decoded::Bad;
  if (!isOfInnermost(sub) && (!getVarint(at, kind) || kind >> 32 != 0))
    return Decoded::Bad;
  if (sub != Sub::Any)
    kind = exitFromFile(static_cast<uint32_t>(kind));
  if ((sub != Sub::Any) != isExit(static_cast<uint32_t>(kind)))
    return Decoded::Bad;
  if (isOfInnermost(sub) || sub == Sub::Outer) {
    if (sub == Sub::Outer && (!getVarint(at, inner) || inner == 0))
      return Decoded::Bad;
    if (inner >= state.depth - state.floor)
      return Decoded::Bad;
    const Product function = state.at(state.depth - 1 - inner).function;
    event.functionId = function.functionId();
    state.pop(inner + 1, function);
  } else {
    if (!getFunction(at, event.functionId, state.module))
      return Decoded::Bad;
    if (sub == Sub::Beyond) {
      if (state.isKnown() || state.depth == 0)
        return Decoded::Bad;
      --state.depth, --state.floor;
    }
    if (sub != Sub::Any)
      state.pop(0, Product::of(event.functionId));
  }
  state.lastNs += passed;
  event.ns = state.lastNs, event.kind = static_cast<uint32_t>(kind);
  return Decoded::Event;
}

inline Decoded Decoder::findWhole(const Byte *at, const Byte *end) {
  // Skips a number; null at the end of the bytes. A number that is too long ends where reading it would.
  auto skip = [&](const Byte *from) -> const Byte * {
    for (size_t i = 0; from && i < kMaxVarintBytes; ++i)
      if (from == end)
        return nullptr;
      else if (*from++ < 128)
        break;
    return from;
  };
  auto skipFunction = [&](const Byte *from) -> const Byte * {
    if (!from || from == end)
      return nullptr;
    const bool hasModule = *from & 1;
    from = skip(from);
    return hasModule ? skip(from) : from;
  };
  for (unsigned parts = 0; at && at != end; ++parts) {
    const unsigned first = *at++, low = first & 63;
    switch (static_cast<Tag>(first >> 6)) {
    case Tag::Return:
    case Tag::Predicted:
      at = low == kMoreTime ? skip(at) : at;
      return at ? Decoded::Event : Decoded::End;
    case Tag::Call:
      at = skipFunction(low == kMoreTime ? skip(at) : at);
      return at ? Decoded::Event : Decoded::End;
    case Tag::Other:
      break;
    }
    at = skip(at);
    if (low <= static_cast<unsigned>(Sub::Back)) {
      if (parts == 4) // the same twice
        return Decoded::Bad;
      continue;
    }
    if (low >= kSubs)
      return Decoded::Bad;
    const auto sub = static_cast<Sub>(low);
    if (isOfInnermost(sub))
      return at ? Decoded::Event : Decoded::End;
    at = skip(at);
    at = sub == Sub::Outer ? skip(at) : skipFunction(at);
    return at ? Decoded::Event : Decoded::End;
  }
  return Decoded::End;
}

} // namespace ada::packed
