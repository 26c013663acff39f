// Packs detail events, and unpacks them.
//
// Input and output are the events of an ATF 2 detail file, byte for byte; docs/formats/packed.md describes the packed
// form. A function event is an event of a packed body, which gives its time, kind and function in a byte or two,
// followed by registers and stack word by word. Each word has a prediction, and takes a bit if that is right:
//
//   registers           those that the function had at its last call or return
//   sp, fp, lr          on return those of the call; on a call, what sets it apart from its caller as it did last time
//   the stack           what was last seen at the same address. Windows overlap those of callers, and of earlier calls
//
// A word that is not predicted is often a pointer that was seen shortly before: a byte says which.
// The rest are small differences, or as many bytes as needed.
#pragma once

#include "atf.h"
#include "packed_decoder.h"
#include "packed_encoder.h"

namespace ada::packed {

// The lower two bits of an event's first byte.
enum class DetailForm : uint8_t { Function = 0, Vectors = 1, Other = 2 };
// The others of a function event.
inline constexpr unsigned kDetailSeqFollows = 4, // the index event's number isn't that of the event before, plus 1
    kDetailSizeFollows = 8,                      // the stack isn't as large as at its function's last call or return
    kDetailMasks = 16; // and the next three: for each of the first four masks, that it isn't 0
inline constexpr unsigned kDetailFlaggedMasks = 4;
// For a vector event: the number of registers isn't that of the last one.
inline constexpr unsigned kDetailCountFollows = 4;

// A word that was not predicted is a byte under 128 (a place in the cache),
// or 128 + base × 32 + sign × 16 + the number of bytes that follow.
enum class WordBase : uint8_t {
  Zero = 0,       // the bytes or, with the sign, their complement
  Prediction = 1, // prediction plus or minus the bytes
  Stack = 2,      // stack pointer plus or minus the bytes
  High = 3,       // the bytes are the upper ones; with the sign: the word before plus the bytes, zigzag
};

inline constexpr size_t kRegisterWords = 11; // eight, lr, fp, sp
inline constexpr size_t kMaxDetailWords = kRegisterWords + atf::kMaxStackBytes / 8;
// The most bytes that an event with that many bytes of payload takes.
constexpr size_t mostDetailBytes(size_t payloadBytes) { return payloadBytes + payloadBytes / 8 + 192; }
inline constexpr uint64_t kMaxDetailPayloadBytes = 0xffffffff - atf::kDetailEventHeaderBytes;

// A writer begins a new block when the body has that many bytes.
inline constexpr size_t kDetailBlockBytes = 64 * 1024;
// No block has more events, because no event is shorter than a byte.
inline constexpr uint64_t kMaxDetailBlockEvents = kDetailBlockBytes;

// Everything that predictions are made from. A block starts with a zero-initialised state.
struct DetailState {
  static constexpr unsigned kFunctionBits = 11, kShadowBits = 13, kCacheBits = 7, kVectorBits = 8;
  struct Last { // call or return of a function
    uint64_t words[8], lr, spStep;
    uint64_t stackBytes;
  };
  struct Frame { // an open call
    uint64_t lr, fp, sp;
  };

  Encoder events; // a decoder uses its state only
  uint64_t indexSeq, sp, before;
  uint64_t functionId, vectorCount;
  bool hasFunction;      // the event before is a function event
  bool stackHoldsReturn; // the last call's stack began with its return address
  uint64_t place;        // of the function in the tables
  Frame frames[State::kCallSlots];
  Last last[1u << kFunctionBits];
  uint64_t vectors[1u << kVectorBits][2 * atf::kMaxVectors];
  uint64_t cache[1u << kCacheBits];
  uint64_t shadow[1u << kShadowBits];

  void beginBlock() { __builtin_memset(static_cast<void *>(this), 0, sizeof *this); }

  static uint64_t mixed(uint64_t value) { return value * 0x9E3779B97F4A7C15u; }
  static uint64_t cachePlace(uint64_t value) { return mixed(value) >> (64 - kCacheBits); }
  uint64_t &shadowOf(uint64_t address) { return shadow[(address >> 3) & ((1u << kShadowBits) - 1)]; }
  Frame &frameAt(uint64_t level) { return frames[level % State::kCallSlots]; }
  Last &lastOf() { return last[place]; }
  uint64_t *lastVectors() { return vectors[place >> (kFunctionBits - kVectorBits)]; }

  // Call it after encoding or decoding its event in `events`.
  void beginFunction(uint64_t id, bool isCall) {
    functionId = id;
    place = mixed(id << 1 | !isCall) >> (64 - kFunctionBits);
  }
  struct Predicted {
    uint64_t lr, fp, sp;
  };
  Predicted predict(bool isCall) {
    const State &calls = events.state;
    if (isCall) {
      const Frame &caller = frameAt(calls.depth - 2);
      return {lastOf().lr, frameAt(calls.depth - 1).fp, caller.sp + lastOf().spStep};
    }
    const Frame &call = frameAt(calls.depth);
    return {call.lr, call.fp, call.sp + lastOf().spStep};
  }
  void noteFrame(bool isCall, uint64_t lr, uint64_t fp, uint64_t stackPointer) {
    const uint64_t depth = events.state.depth;
    Last &now = lastOf();
    now.lr = lr;
    now.spStep = stackPointer - (isCall ? frameAt(depth - 2) : frameAt(depth)).sp;
    if (isCall)
      frameAt(depth - 1) = {lr, fp, stackPointer};
  }
};

//===--- packing ----------------------------------------------------------===//

// The bytes of a number that aren't leading zeros.
inline unsigned bytesOf(uint64_t value) {
  return value == 0 ? 0 : 8 - static_cast<unsigned>(__builtin_clzll(value)) / 8;
}
inline uint64_t zigzag(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
inline uint64_t unzigzag(uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

inline uint64_t wordAt(const Byte *from) {
  uint64_t word;
  __builtin_memcpy(&word, from, sizeof word); // little-endian, as the file
  return word;
}

class DetailEncoder {
public:
  explicit DetailEncoder(DetailState &state) : state(state) {}

  // Writes an event, at most mostDetailBytes() of its payload.
  Byte *encode(Byte *to, const atf::DetailHead &head, const Byte *payload, size_t bytes) {
    if (isFunctionEvent(head, payload, bytes))
      return encodeFunction(to, head, payload);
    if (areVectors(head, payload, bytes))
      return encodeVectors(to, payload);
    return encodeOther(to, head, payload, bytes);
  }

  DetailState &state;

private:
  // Masks of the words that are not predicted, followed by those words.
  class Words {
  public:
    Words(DetailState &state, Byte *masks, size_t words) : state_(state), masks_(masks), to_(masks) {
      __builtin_memset(bits_, 0, sizeof bits_);
      count_ = static_cast<unsigned>((words + 7) / 8);
      to_ += count_;
    }
    void put(uint64_t value, uint64_t prediction) {
      if (__builtin_expect(value != prediction, 0)) {
        bits_[at_ / 8] = static_cast<Byte>(bits_[at_ / 8] | 1u << at_ % 8);
        to_ = putWord(to_, value, prediction);
      }
      ++at_;
    }
    // Moves the words to the end of the masks that are written:
    // the first `flagged` masks are only written if they aren't 0.
    Byte *end(Byte *flags, unsigned flagged) {
      unsigned kept = 0;
      for (unsigned i = 0; i < count_; ++i) {
        if (i < flagged && bits_[i] == 0)
          continue;
        if (i < flagged)
          *flags = static_cast<Byte>(*flags | kDetailMasks << i);
        masks_[kept++] = bits_[i];
      }
      const auto words = static_cast<size_t>(to_ - (masks_ + count_));
      __builtin_memmove(masks_ + kept, masks_ + count_, words);
      return masks_ + kept + words;
    }

  private:
    Byte *putWord(Byte *to, uint64_t value, uint64_t prediction) {
      uint64_t &cached = state_.cache[DetailState::cachePlace(value)];
      const uint64_t before = state_.before;
      state_.before = value;
      if (cached == value) {
        *to++ = static_cast<Byte>(&cached - state_.cache);
        return to;
      }
      cached = value;
      WordBase base = WordBase::Zero;
      uint64_t rest = value, sign = 0;
      unsigned n = bytesOf(value);
      auto tryThis = [&](WordBase other, uint64_t difference, uint64_t otherSign) {
        if (const unsigned m = bytesOf(difference); m < n)
          base = other, rest = difference, sign = otherSign, n = m;
      };
      tryThis(WordBase::Zero, ~value, 1);
      tryThis(WordBase::Prediction, value - prediction, 0);
      tryThis(WordBase::Prediction, prediction - value, 1);
      tryThis(WordBase::Stack, value - state_.sp, 0);
      tryThis(WordBase::Stack, state_.sp - value, 1);
      tryThis(WordBase::High, zigzag(value - before), 1);
      if (value >> 56 != 0)
        tryThis(WordBase::High, value >> (static_cast<unsigned>(__builtin_ctzll(value)) / 8 * 8), 0);
      *to++ = static_cast<Byte>(128 | static_cast<unsigned>(base) << 5 | sign << 4 | n);
      for (; n > 0; --n, rest >>= 8)
        *to++ = static_cast<Byte>(rest);
      return to;
    }
    DetailState &state_;
    Byte *masks_, *to_;
    Byte bits_[(kMaxDetailWords + 7) / 8];
    unsigned at_ = 0, count_;
  };

  static bool isFunctionEvent(const atf::DetailHead &head, const Byte *payload, size_t bytes) {
    if ((head.type != atf::kDetailFunctionCall && head.type != atf::kDetailFunctionReturn) || head.flags != 0 ||
        bytes < atf::kFunctionPayloadBytes)
      return false;
    const auto &raw = *reinterpret_cast<const atf::RawFunctionPayload *>(payload);
    return raw.reserved == 0 && raw.stackBytes <= atf::kMaxStackBytes &&
           bytes == atf::kFunctionPayloadBytes + raw.stackBytes;
  }
  bool areVectors(const atf::DetailHead &head, const Byte *payload, size_t bytes) const {
    if (!state.hasFunction || head.type != atf::kDetailVectors || head.flags != 0 || head.indexSeq != state.indexSeq ||
        head.timestampNs != state.events.state.lastNs || bytes < sizeof(atf::RawVectorPayload))
      return false;
    const auto &raw = *reinterpret_cast<const atf::RawVectorPayload *>(payload);
    // Number of registers, their size, and six bytes that are 0.
    return raw.functionId == state.functionId && raw.count <= atf::kMaxVectors &&
           wordAt(payload + sizeof raw.functionId) == (raw.count | uint64_t{atf::kVectorBytes} << 8) &&
           bytes == sizeof raw + raw.count * atf::kVectorBytes;
  }

  Byte *encodeFunction(Byte *to, const atf::DetailHead &head, const Byte *payload);
  Byte *encodeVectors(Byte *to, const Byte *payload);
  Byte *encodeOther(Byte *to, const atf::DetailHead &head, const Byte *payload, size_t bytes);
};

inline Byte *DetailEncoder::encodeFunction(Byte *to, const atf::DetailHead &head, const Byte *payload) {
  const auto &raw = *reinterpret_cast<const atf::RawFunctionPayload *>(payload);
  const bool isCall = head.type == atf::kDetailFunctionCall;
  const uint64_t functionId = raw.functionId, stackBytes = raw.stackBytes;
  Byte *const first = to++;
  *first = static_cast<Byte>(DetailForm::Function);
  if (head.indexSeq != state.indexSeq + 1) {
    *first |= kDetailSeqFollows;
    to = putVarint(to, zigzag(head.indexSeq - (state.indexSeq + 1)));
  }
  to = state.events.encode(to, isCall ? kCall : kReturn, functionId, head.timestampNs);
  state.beginFunction(functionId, isCall);
  DetailState::Last &last = state.lastOf();
  if (stackBytes != last.stackBytes) {
    *first |= kDetailSizeFollows;
    to = putVarint(to, stackBytes);
  }
  last.stackBytes = stackBytes;
  const DetailState::Predicted predicted = state.predict(isCall);
  Words words(state, to, kRegisterWords + stackBytes / 8);
  state.sp = predicted.sp; // until sp itself comes
  for (unsigned i = 0; i < 8; ++i) {
    const uint64_t value = raw.registers[i];
    words.put(value, last.words[i]);
    last.words[i] = value;
  }
  words.put(raw.lr, predicted.lr);
  words.put(raw.fp, predicted.fp);
  words.put(raw.sp, predicted.sp);
  state.sp = raw.sp;
  state.noteFrame(isCall, raw.lr, raw.fp, raw.sp);
  const Byte *const stack = payload + sizeof raw;
  for (uint64_t i = 0; i < stackBytes / 8; ++i) {
    const uint64_t value = wordAt(stack + 8 * i);
    uint64_t &shadow = state.shadowOf(raw.sp + 8 * i);
    words.put(value, i == 0 && isCall && state.stackHoldsReturn ? uint64_t{raw.lr} : shadow);
    shadow = value;
  }
  if (isCall && stackBytes >= 8)
    state.stackHoldsReturn = wordAt(stack) == raw.lr;
  to = words.end(first, kDetailFlaggedMasks);
  const size_t tail = stackBytes % 8;
  __builtin_memcpy(to, stack + (stackBytes - tail), tail);
  state.indexSeq = head.indexSeq, state.hasFunction = true;
  return to + tail;
}

inline Byte *DetailEncoder::encodeVectors(Byte *to, const Byte *payload) {
  const auto &raw = *reinterpret_cast<const atf::RawVectorPayload *>(payload);
  Byte *const first = to++;
  *first = static_cast<Byte>(DetailForm::Vectors);
  if (raw.count != state.vectorCount) {
    *first |= kDetailCountFollows;
    *to++ = raw.count;
  }
  state.vectorCount = raw.count;
  uint64_t *last = state.lastVectors();
  Words words(state, to, 2u * raw.count);
  for (unsigned i = 0; i < 2u * raw.count; ++i) {
    const uint64_t value = wordAt(payload + sizeof raw + 8 * i);
    words.put(value, last[i]);
    last[i] = value;
  }
  state.hasFunction = false;
  return words.end(first, 0);
}

inline Byte *DetailEncoder::encodeOther(Byte *to, const atf::DetailHead &head, const Byte *payload, size_t bytes) {
  *to++ = static_cast<Byte>(DetailForm::Other);
  to = putVarint(to, head.type);
  to = putVarint(to, head.flags);
  to = putVarint(to, zigzag(head.indexSeq - state.indexSeq));
  to = putVarint(to, zigzag(head.timestampNs - state.events.state.lastNs));
  to = putVarint(to, bytes);
  state.indexSeq = head.indexSeq, state.events.state.lastNs = head.timestampNs, state.hasFunction = false;
  if (bytes > 0)
    __builtin_memcpy(to, payload, bytes);
  return to + bytes;
}

//===--- unpacking --------------------------------------------------------===//

// An event. Its payload lies in the decoder or in the body, and lives until the next one.
struct UnpackedDetail {
  atf::DetailHead head;
  const Byte *payload = nullptr;
  size_t bytes = 0;
};

// Reads the events of one block in order. Nothing is read beyond `end`, whatever the bytes are.
class DetailDecoder {
public:
  explicit DetailDecoder(DetailState &state) : state(state) {}

  // The next event. `at` moves past it if Event is returned;
  // otherwise there is none, and the decoder can't be used any more.
  Decoded next(const Byte *&at, const Byte *end, UnpackedDetail &event) {
    if (at == end)
      return Decoded::End;
    at_ = at, end_ = end;
    const unsigned first = *at_++;
    Decoded how = Decoded::Bad;
    switch (static_cast<DetailForm>(first & 3)) {
    case DetailForm::Function:
      how = decodeFunction(first, event);
      break;
    case DetailForm::Vectors:
      how = decodeVectors(first, event);
      break;
    case DetailForm::Other:
      how = decodeOther(first, event);
      break;
    }
    if (how == Decoded::Event)
      at = at_;
    return how;
  }

  DetailState &state;

private:
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  Decoded getNumber(uint64_t &value) {
    if (left() < kMaxVarintBytes) {
      const Byte *last = at_;
      while (last < end_ && *last >= 128)
        ++last;
      if (last == end_)
        return Decoded::End;
    }
    return getVarint(at_, value) ? Decoded::Event : Decoded::Bad;
  }

  // Words with masks before them.
  struct Masks {
    const Byte *at;
    unsigned first, flagged;
    unsigned index = 0, bits = 0;

    bool isPredicted() {
      if (index % 8 == 0) {
        const unsigned number = index / 8;
        bits = number < flagged && !(first & kDetailMasks << number) ? 0 : *at++;
      }
      return !(bits >> index++ % 8 & 1);
    }
  };
  // Skips the masks of that many words.
  Decoded beginWords(unsigned first, unsigned flagged, size_t words, Masks &masks) {
    const size_t count = (words + 7) / 8;
    size_t there = count > flagged ? count - flagged : 0;
    for (unsigned i = 0; i < flagged; ++i)
      if (first & kDetailMasks << i) {
        if (i >= count)
          return Decoded::Bad;
        ++there;
      }
    if (left() < there)
      return Decoded::End;
    masks = {at_, first, flagged};
    at_ += there;
    return Decoded::Event;
  }
  Decoded getWord(Masks &masks, uint64_t prediction, uint64_t &value) {
    if (__builtin_expect(masks.isPredicted(), 1)) {
      value = prediction;
      return Decoded::Event;
    }
    if (at_ == end_)
      return Decoded::End;
    const unsigned first = *at_++;
    if (first < 128) {
      value = state.before = state.cache[first];
      return Decoded::Event;
    }
    const size_t n = first & 15;
    if (n > 8)
      return Decoded::Bad;
    if (left() < n)
      return Decoded::End;
    uint64_t rest = 0;
    __builtin_memcpy(&rest, at_, n);
    at_ += n;
    const bool sign = first & 16;
    switch (static_cast<WordBase>(first >> 5 & 3)) {
    case WordBase::Zero:
      value = sign ? ~rest : rest;
      break;
    case WordBase::Prediction:
      value = sign ? prediction - rest : prediction + rest;
      break;
    case WordBase::Stack:
      value = sign ? state.sp - rest : state.sp + rest;
      break;
    case WordBase::High:
      value = sign ? state.before + unzigzag(rest) : n == 0 ? 0 : rest << (64 - 8 * n);
      break;
    }
    state.before = state.cache[DetailState::cachePlace(value)] = value;
    return Decoded::Event;
  }

  Decoded decodeFunction(unsigned first, UnpackedDetail &event);
  Decoded decodeVectors(unsigned first, UnpackedDetail &event);
  Decoded decodeOther(unsigned first, UnpackedDetail &event);

  const Byte *at_ = nullptr, *end_ = nullptr;
  Byte payload_[atf::kMaxFunctionPayloadBytes];
};

inline Decoded DetailDecoder::decodeFunction(unsigned first, UnpackedDetail &event) {
  uint64_t step = 0;
  if (first & kDetailSeqFollows)
    if (const Decoded how = getNumber(step); how != Decoded::Event)
      return how;
  Event call;
  if (const Decoded how = Decoder(state.events.state).next(at_, end_, call); how != Decoded::Event)
    return how;
  if ((call.kind != kCall && call.kind != kReturn) || call.hasLink || call.lostBefore > 0 ||
      call.storedDepth != kNoDepth)
    return Decoded::Bad;
  const bool isCall = call.kind == kCall;
  state.beginFunction(call.functionId, isCall);
  DetailState::Last &last = state.lastOf();
  if (first & kDetailSizeFollows)
    if (const Decoded how = getNumber(last.stackBytes); how != Decoded::Event)
      return how;
  const uint64_t stackBytes = last.stackBytes;
  if (stackBytes > atf::kMaxStackBytes)
    return Decoded::Bad;
  const DetailState::Predicted predicted = state.predict(isCall);
  auto &raw = *reinterpret_cast<atf::RawFunctionPayload *>(payload_);
  raw.functionId = call.functionId;
  raw.stackBytes = static_cast<uint16_t>(stackBytes), raw.reserved = 0;
  Masks masks;
  Decoded how = beginWords(first, kDetailFlaggedMasks, kRegisterWords + stackBytes / 8, masks);
  auto get = [&](uint64_t prediction, uint64_t &value) {
    if (how == Decoded::Event)
      how = getWord(masks, prediction, value);
  };
  uint64_t lr = 0, fp = 0, sp = predicted.sp;
  state.sp = predicted.sp; // until sp itself comes
  for (unsigned i = 0; i < 8; ++i) {
    get(last.words[i], last.words[i]);
    raw.registers[i] = last.words[i];
  }
  get(predicted.lr, lr);
  get(predicted.fp, fp);
  get(predicted.sp, sp);
  if (how != Decoded::Event)
    return how;
  raw.lr = lr, raw.fp = fp, raw.sp = state.sp = sp;
  state.noteFrame(isCall, lr, fp, sp);
  Byte *const stack = payload_ + sizeof raw;
  for (uint64_t i = 0; i < stackBytes / 8; ++i) {
    uint64_t &shadow = state.shadowOf(sp + 8 * i);
    get(i == 0 && isCall && state.stackHoldsReturn ? lr : shadow, shadow);
    __builtin_memcpy(stack + 8 * i, &shadow, 8);
  }
  const size_t tail = stackBytes % 8;
  if (how == Decoded::Event && left() < tail)
    how = Decoded::End;
  if (how != Decoded::Event)
    return how;
  if (isCall && stackBytes >= 8)
    state.stackHoldsReturn = wordAt(stack) == lr;
  __builtin_memcpy(stack + (stackBytes - tail), at_, tail);
  at_ += tail;
  state.indexSeq += 1 + unzigzag(step), state.hasFunction = true;
  event = {{.type = isCall ? atf::kDetailFunctionCall : atf::kDetailFunctionReturn,
            .indexSeq = state.indexSeq,
            .timestampNs = call.ns},
           payload_,
           sizeof raw + stackBytes};
  return Decoded::Event;
}

inline Decoded DetailDecoder::decodeVectors(unsigned first, UnpackedDetail &event) {
  if (!state.hasFunction || first >> 3 != 0)
    return Decoded::Bad;
  if (first & kDetailCountFollows) {
    if (at_ == end_)
      return Decoded::End;
    state.vectorCount = *at_++;
  }
  if (state.vectorCount > atf::kMaxVectors)
    return Decoded::Bad;
  const auto words = static_cast<unsigned>(2 * state.vectorCount);
  auto &raw = *reinterpret_cast<atf::RawVectorPayload *>(payload_);
  raw = {};
  raw.functionId = state.functionId;
  raw.count = static_cast<uint8_t>(state.vectorCount), raw.bytesEach = atf::kVectorBytes;
  Masks masks;
  Decoded how = beginWords(first, 0, words, masks);
  uint64_t *last = state.lastVectors();
  for (unsigned i = 0; i < words && how == Decoded::Event; ++i) {
    how = getWord(masks, last[i], last[i]);
    __builtin_memcpy(payload_ + sizeof raw + 8 * i, &last[i], 8);
  }
  state.hasFunction = false;
  event = {{.type = atf::kDetailVectors, .indexSeq = state.indexSeq, .timestampNs = state.events.state.lastNs},
           payload_,
           sizeof raw + 8 * words};
  return how;
}

inline Decoded DetailDecoder::decodeOther(unsigned first, UnpackedDetail &event) {
  uint64_t type = 0, flags = 0, step = 0, passed = 0, bytes = 0;
  if (first >> 2 != 0)
    return Decoded::Bad;
  for (uint64_t *value : {&type, &flags, &step, &passed, &bytes})
    if (const Decoded how = getNumber(*value); how != Decoded::Event)
      return how;
  if (type > 0xFFFF || flags > 0xFFFF || bytes > kMaxDetailPayloadBytes)
    return Decoded::Bad;
  if (left() < bytes)
    return Decoded::End;
  state.indexSeq += unzigzag(step), state.events.state.lastNs += unzigzag(passed), state.hasFunction = false;
  event = {{.type = static_cast<uint16_t>(type),
            .flags = static_cast<uint16_t>(flags),
            .indexSeq = state.indexSeq,
            .timestampNs = state.events.state.lastNs},
           at_,
           static_cast<size_t>(bytes)};
  at_ += bytes;
  return Decoded::Event;
}

} // namespace ada::packed
