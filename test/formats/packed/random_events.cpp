// Makes random events of all kinds, and packed blocks of them.
#include "random_events.h"

#include <gtest/gtest.h>

#include <cstring>

namespace ada::packed {

namespace {

constexpr uint64_t kLimits[] = {0,          1,          62,         63,         64,    127,       128,       16383,
                                0x7fffffff, 0xffffffff, 1ull << 32, 1ull << 63, ~0ull, ~0ull - 1, 1ull << 56};

struct Generator {
  std::mt19937_64 random;
  std::vector<uint64_t> open;
  uint64_t ns = 1'000'000'000'000;

  uint64_t below(uint64_t limit) { return random() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  uint64_t number() { return chance(50) ? kLimits[below(std::size(kLimits))] : random() >> below(64); }

  Event nested(unsigned callPercent) {
    Event event;
    ns += chance(90) ? below(63) : below(100'000);
    event.ns = ns;
    if (open.empty() || chance(callPercent)) {
      // Mostly, the callee depends on the caller.
      const uint64_t caller = open.empty() ? 0 : open.back();
      event.functionId = chance(90) ? (caller * 7 + 3) % 251 : below(3) << 32 | below(5000);
      event.kind = kCall;
      open.push_back(event.functionId);
    } else {
      event.functionId = open.back();
      event.kind = chance(3) ? kException : kReturn;
      open.pop_back();
    }
    return event;
  }

  Event wild() {
    Event event = nested(52);
    if (chance(10))
      event.ns = ns = chance(50) ? number() : ns - below(1000);
    if (chance(10))
      event.functionId = number(); // now differs from the open call
    if (chance(5))
      event.kind = static_cast<uint32_t>(number());
    if (chance(5))
      event.kind = kReturn + static_cast<uint32_t>(below(2));
    if (chance(5) && open.size() > 3) { // exit of an outer call
      event.kind = kReturn + static_cast<uint32_t>(below(2));
      const size_t left = open.size() - 1 - below(std::min<size_t>(open.size(), 40));
      event.functionId = open[left];
      open.resize(left);
    }
    if (chance(3))
      event.hasLink = true, event.link = chance(20) ? kNoLink : number();
    if (chance(3))
      event.storedDepth = static_cast<uint32_t>(number());
    if (chance(3))
      event.lostBefore = std::max<uint64_t>(number(), 1);
    return event;
  }
};

} // namespace

std::vector<Event> randomEvents(Shape shape, size_t count, unsigned seed) {
  Generator generator{.random = std::mt19937_64(seed), .open = {}};
  std::vector<Event> events;
  for (size_t i = 0; i < count; ++i) {
    const unsigned deep = i < count / 2 ? 80 : 20;
    const bool isWild = shape == Shape::Wild || shape == Shape::Exits;
    events.push_back(isWild ? generator.wild() : generator.nested(shape == Shape::Deep ? deep : 50));
    if (Event &event = events.back(); shape == Shape::Exits && isExit(event.kind) && generator.chance(40))
      event.kind = generator.chance(50) ? kInferred : kMissing;
  }
  return events;
}

Byte *encodeWhole(Encoder &encoder, Byte *to, const Event &event) {
  if (event.hasLink)
    to = putPrefix(to, Sub::Link, event.link + 1);
  if (event.storedDepth != kNoDepth)
    to = putPrefix(to, Sub::Depth, event.storedDepth);
  if (event.lostBefore)
    to = putPrefix(to, Sub::Lost, event.lostBefore);
  return encoder.encode(to, event.kind, event.functionId, event.ns);
}

void Blocks::close() {
  const RawBlockHeader header = writer->close(kSum);
  std::memcpy(bytes.data() + starts.back(), &header, sizeof header);
}

void Blocks::add(const std::vector<Event> &events, size_t bodyBytes, size_t eventsInPiece) {
  std::vector<Byte> piece(eventsInPiece * kMaxEventBytes), start(kMaxBlockStartBytes);
  for (size_t i = 0; i < events.size();) {
    if (!writer->isOpen()) {
      bytes.resize(aligned(bytes.size()));
      starts.push_back(bytes.size());
      const size_t n = writer->begin(start.data(), kSum);
      bytes.insert(bytes.end(), start.begin(), start.begin() + static_cast<ptrdiff_t>(n));
    }
    Byte *end = piece.data();
    for (size_t n = 0; n < eventsInPiece && i < events.size(); ++n, ++i) {
      Byte *const from = end;
      end = encodeWhole(*writer, end, events[i]);
      EXPECT_LE(static_cast<size_t>(end - from), kMaxEventBytes);
    }
    bytes.insert(bytes.end(), piece.data(), end);
    writer->added(piece.data(), static_cast<size_t>(end - piece.data()), kSum);
    if (writer->isFull(bodyBytes))
      close();
  }
}

std::vector<Event> decodeBlocks(const std::vector<Byte> &bytes, std::vector<uint64_t> *firstSeqs) {
  std::vector<Event> events;
  auto state = std::make_unique<State>();
  for (size_t at = 0; at + kBlockHeaderBytes <= bytes.size();) {
    RawBlockHeader raw;
    std::memcpy(&raw, bytes.data() + at, sizeof raw);
    EXPECT_TRUE(isBlockHeader(raw, kSum)) << at;
    const size_t calls = at + kBlockHeaderBytes, body = calls + raw.callsBytes;
    if (!isBlockHeader(raw, kSum) || body > bytes.size())
      break;
    const size_t end = raw.flags & kBlockOpen ? bytes.size() : body + raw.bodyBytes;
    if (end > bytes.size())
      break;
    *state = {}; // nothing may come from the previous block
    Decoder decoder(*state);
    EXPECT_TRUE(beginDecoding(decoder, raw, bytes.data() + calls));
    if (firstSeqs)
      firstSeqs->push_back(raw.firstSeq);
    EXPECT_EQ(raw.firstSeq, events.size());
    const Byte *p = bytes.data() + body;
    const size_t before = events.size();
    for (Event event;;) {
      const Decoded how = decoder.next(p, bytes.data() + end, event);
      EXPECT_NE(how, Decoded::Bad) << "event " << events.size();
      if (how != Decoded::Event)
        break;
      events.push_back(event);
    }
    if (!(raw.flags & kBlockOpen)) {
      EXPECT_EQ(events.size() - before, raw.eventCount);
      EXPECT_EQ(p, bytes.data() + end);
      EXPECT_EQ(raw.firstNs, events[before].ns);
      EXPECT_EQ(raw.lastNs, events.back().ns);
      EXPECT_EQ(raw.bodyChecksum, kSum(0, bytes.data() + calls, raw.callsBytes + raw.bodyBytes));
    }
    at = aligned(end);
  }
  return events;
}

} // namespace ada::packed
