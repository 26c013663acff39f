// Fuzzes the reader of packed index files, the decoder of their bodies, and the encoder with what was decoded.
//
// Properties: all ways to read an event give the same one; a time range misses no event; the events read can be
// written and read again; memory doesn't grow with the file's claims; and any body that can be decoded is encoded to
// an equivalent one. Inputs are taken unchanged, and again with all checksums corrected, because no fuzzer guesses
// these.
#include "memory_file.h"
#include "packed_repair.h"
#include "require.h"

#include "ada/trace/atf_index.h"
#include "formats/native/bytes/checksum.h"
#include "formats/native/index/index_writer.h"
#include "shared/encode/packed_blocks.h"

#include <cstring>
#include <memory>
#include <vector>

using namespace ada;
using namespace ada::atf;
using ada::fuzz::repair;
using ada::fuzz::require;
using ada::fuzz::sum;

namespace {

void repairAll(std::vector<std::byte> &bytes) {
  uint64_t trailer = 0;
  repair<packed::RawFileHeader>(bytes, 0, [&](packed::RawFileHeader &raw) { trailer = raw.trailerOffset; });
  for (uint64_t at = packed::kFileHeaderBytes; at < bytes.size(); at += packed::kBlockAlignment)
    if (bytes.size() - at >= packed::kBlockHeaderBytes && std::memcmp(bytes.data() + at, "ATPB", 4) == 0)
      repair<packed::RawBlockHeader>(bytes, at, [&](packed::RawBlockHeader &raw) {
        raw.flags &= ~packed::kBlockZstd; // zstd's bodies may legitimately be large
        const uint64_t room = bytes.size() - at - packed::kBlockHeaderBytes;
        const uint64_t covered = uint64_t{raw.callsBytes} + raw.bodyBytes;
        if (covered <= room)
          raw.bodyChecksum = sum(0, bytes.data() + at + packed::kBlockHeaderBytes, covered);
      });
  repair<packed::RawTrailer>(bytes, trailer, [&](packed::RawTrailer &raw) {
    if (raw.indexOffset <= trailer)
      raw.indexChecksum = sum(0, bytes.data() + raw.indexOffset, trailer - raw.indexOffset);
  });
}

void read(std::span<const std::byte> bytes) {
  std::optional<Expected<IndexReader>> opened;
  const size_t peak = fuzz::peakOf([&] {
    opened = IndexReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer});
    if (*opened)
      (void)(*opened)->isSorted();
  });
  // The decoder's state, two blocks of decoded events, and a list of blocks, each of which has a header.
  require(peak <= bytes.size() * 3 * sizeof(IndexEvent) + (256 << 10), "memory does not grow with claims");
  if (!*opened)
    return;
  const IndexReader &reader = **opened;
  // Entries of a block index may claim that their blocks are compressed.
  const size_t most = bytes.size() + bytes.size() / packed::kIndexEntryBytes * 16 * packed::kBlockBodyBytes;
  require(reader.size() <= most, "the number of events is bounded");
  std::vector<IndexEvent> events;
  bool isWhole = true;
  reader.forEach([&](uint64_t seq, const IndexEvent &event) {
    isWhole = isWhole && seq == events.size();
    require(reader[seq] == event && *(reader.begin() + static_cast<int64_t>(seq)) == event,
            "all ways to read an event agree");
    events.push_back(event);
  });
  require(events.size() <= reader.size(), "there are no more events than it says");
  require(!isWhole || events.size() == reader.size() || reader.damage(), "what is missing is damage");
  if (!isWhole || events.size() != reader.size() || events.empty())
    return;
  const uint64_t from = events[events.size() / 3].timestampNs, to = events[events.size() / 2].timestampNs;
  const SeqRange range = reader.timeRange(from, to);
  for (uint64_t seq = 0; seq < events.size(); ++seq)
    if (events[seq].timestampNs >= from && events[seq].timestampNs < to && !reader.damage())
      require(seq >= range.first && seq < range.last, "a time range misses no event");

  fuzz::MemoryFile file;
  auto writer = IndexWriter::create(file.path(), {.packed = true, .overwrite = true});
  require(static_cast<bool>(writer), "a writer can be made");
  for (const IndexEvent &event : events)
    require(static_cast<bool>(writer->append(event)), "any event can be written");
  require(static_cast<bool>(writer->finish()), "a writer finishes");
  const std::vector<std::byte> written = file.bytes();
  auto again = IndexReader::fromBytes(written);
  require(again && again->isComplete() && again->size() == events.size(), "what was written can be read");
  for (uint64_t seq = 0; seq < events.size(); ++seq) {
    const IndexEvent event = (*again)[seq];
    require(event.timestampNs == events[seq].timestampNs && event.functionId == events[seq].functionId &&
                event.kind == events[seq].kind && event.detailSeq == events[seq].detailSeq,
            "events are those that were written");
  }
}

void decodeAndEncode(std::span<const std::byte> body) {
  auto from = std::make_unique<packed::State>(), back = std::make_unique<packed::State>();
  auto encoder = std::make_unique<packed::Encoder>();
  packed::Decoder decoder(*from), second(*back);
  const auto *at = reinterpret_cast<const packed::Byte *>(body.data()), *const end = at + body.size();
  packed::Event event, same;
  while (decoder.next(at, end, event) == packed::Decoded::Event) {
    packed::Byte bytes[2 * packed::kMaxEventBytes], *to = bytes;
    if (event.hasLink)
      to = packed::putPrefix(to, packed::Sub::Link, event.link + 1);
    if (event.storedDepth != packed::kNoDepth)
      to = packed::putPrefix(to, packed::Sub::Depth, event.storedDepth);
    if (event.lostBefore)
      to = packed::putPrefix(to, packed::Sub::Lost, event.lostBefore);
    to = encoder->encode(to, event.kind, event.functionId, event.ns);
    require(to - bytes <= static_cast<long>(packed::kMaxEventBytes), "an event has its bound");
    const packed::Byte *next = bytes;
    require(second.next(next, to, same) == packed::Decoded::Event && next == to && same == event,
            "an event that is encoded again is the same");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<std::byte> bytes(size);
  std::copy_n(reinterpret_cast<const std::byte *>(data), size, bytes.begin());
  decodeAndEncode(bytes);
  if (size >= 4)
    std::memcpy(bytes.data(), "ATPK", 4);
  read(bytes);
  repairAll(bytes);
  read(bytes);
  return 0;
}
