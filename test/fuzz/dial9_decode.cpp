// Fuzzes the dial9 decoder, and the gzip layer that may be around a stream.
//
// Properties: no crash, no hang; the same frames and the same answer for any
// division of the stream into pieces, in both dialects; a shorter stream has the
// first frames; and memory in proportion to the input, whatever lengths and counts
// it claims.
#include "require.h"

#include "ada/trace/dial9.h"
#include "trace/base/gunzip.h"

#include <array>
#include <string>
#include <utility>

using namespace ada::dial9;
using ada::fuzz::peakOf;
using ada::fuzz::require;

namespace {
/// Collects everything shown, as a stream.
struct Recorder : Visitor {
  Encoder seen;
  uint64_t lastOffset = 0;
  bool taken = true;
  void note(EncodeError error, uint64_t offset) {
    taken = taken && error == EncodeError::None && (lastOffset == 0 || offset > lastOffset);
    lastOffset = offset;
  }
  void onSchema(const Schema &schema, uint64_t offset) override { note(seen.repeatSchema(schema), offset); }
  void onEvent(const EventView &event) override {
    const uint16_t typeId = event.schema->typeId();
    note(event.hasTimestamp() ? seen.event(typeId, event.timestampNs, event.values) : seen.event(typeId, event.values),
         event.offset);
  }
  void onStringPool(StringPoolView entries, uint64_t offset) override {
    note(seen.stringPool(std::vector<StringPoolEntry>(entries.begin(), entries.end())), offset);
  }
  void onStackPool(StackPoolView entries, uint64_t offset) override {
    note(seen.stackPool(std::vector<StackPoolEntry>(entries.begin(), entries.end())), offset);
  }
  void onTimestampReset(uint64_t time, uint64_t offset) override { note(seen.timestampReset(time), offset); }
  void onAnnotations(uint64_t typeId, AnnotationsView entries, uint64_t offset) override {
    note(seen.annotations(typeId, std::vector<Annotation>(entries.begin(), entries.end())), offset);
  }
  void onSegment(uint64_t offset) override { note(seen.segment(), offset); }
};

DecodeStatus decode(std::span<const uint8_t> bytes, size_t piece, Visitor &visitor, DecoderOptions options) {
  Decoder decoder(visitor, options);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size())))
    decoder.push(bytes.first(std::min(piece, bytes.size())));
  return decoder.status();
}

/// The first bytes that a packed stream holds, fed in pieces, and whether it is damaged.
std::pair<std::string, bool> unpacked(std::span<const uint8_t> bytes, size_t piece) {
  constexpr size_t kMax = 1 << 16; // a few bytes can unpack to very many
  std::string all;
  ada::Gunzip gunzip;
  for (; !bytes.empty() && all.size() < kMax; bytes = bytes.subspan(std::min(piece, bytes.size()))) {
    gunzip.feed(std::as_bytes(bytes.first(std::min(piece, bytes.size()))));
    std::array<char, 1000> part;
    while (const size_t n = all.size() < kMax ? gunzip.unpack(std::as_writable_bytes(std::span(part))) : 0)
      all.append(part.data(), n);
  }
  return {all.substr(0, kMax), all.size() < kMax && gunzip.isDamaged()};
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::span bytes(data, size);
  const size_t piece = size ? 1 + data[size / 2] % 61 : 1;
  for (Dialect dialect : {Dialect::Seed, Dialect::Extended}) {
    Recorder whole, pieces, bytewise;
    const DecodeStatus status = decode(bytes, size + 1, whole, {dialect});
    require(decode(bytes, piece, pieces, {dialect}) == status, "pieces end with the same answer");
    require(decode(bytes, 1, bytewise, {dialect}) == status, "bytes end with the same answer");
    require(whole.taken, "frames come in order, and an encoder takes what a decoder shows");
    require(std::ranges::equal(whole.seen.bytes(), pieces.seen.bytes()), "pieces show the same frames");
    require(std::ranges::equal(whole.seen.bytes(), bytewise.seen.bytes()), "bytes show the same frames");
    require(status.offset <= size && (!status.ok() || status.offset == size), "the offset lies in the stream");

    Recorder part;
    const size_t cut = size ? data[size / 3] * size / 256 : 0;
    const DecodeStatus cutStatus = decode(bytes.first(cut), size + 1, part, {dialect});
    require(part.seen.bytes().size() <= whole.seen.bytes().size() &&
                std::ranges::equal(part.seen.bytes(), whole.seen.bytes().first(part.seen.bytes().size())),
            "a cut stream shows the first frames");
    require(cutStatus.offset <= status.offset || cut <= 5, "and stops no later than the whole one");

    // See test/formats/dial9/memory_test.cpp for the factors; the sanitizer's allocator rounds up
    // more.
    const size_t constant = 1 << 20;
    Visitor silent;
    require(peakOf([&] { decode(bytes, 64, silent, {dialect}); }) <= 60 * size + constant,
            "a visitor's memory is bounded by the input");
  }

  require(unpacked(bytes, piece) == unpacked(bytes, size + 1), "packed pieces hold the same");
  return 0;
}
