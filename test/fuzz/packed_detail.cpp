// Fuzzes the reader of packed detail files, the decoder of their bodies, and the encoder with what was decoded.
//
// Properties: all ways to read an event give the same one; lowerBound() gives the same as a search through all events;
// the events read can be written and read again; memory doesn't grow with the file's claims; and any body that can be
// decoded is encoded to an equivalent one. Inputs are taken unchanged, and again with all checksums corrected, because
// no fuzzer guesses these.
#include "memory_file.h"
#include "packed_repair.h"
#include "require.h"

#include "ada/trace/atf_detail.h"
#include "formats/native/bytes/checksum.h"
#include "formats/native/detail/detail_writer.h"
#include "shared/encode/packed_detail_blocks.h"

#include <algorithm>
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
  repair<packed::RawDetailFileHeader>(bytes, 0, [](packed::RawDetailFileHeader &) {});
  for (uint64_t at = packed::kFileHeaderBytes; at < bytes.size(); at += packed::kBlockAlignment)
    if (bytes.size() - at >= packed::kBlockHeaderBytes && std::memcmp(bytes.data() + at, "ATDB", 4) == 0)
      repair<packed::RawDetailBlockHeader>(bytes, at, [&](packed::RawDetailBlockHeader &raw) {
        raw.flags &= ~packed::kBlockZstd; // zstd's bodies may legitimately be large
        if (raw.bodyBytes <= bytes.size() - at - packed::kBlockHeaderBytes)
          raw.bodyChecksum = sum(0, bytes.data() + at + packed::kBlockHeaderBytes, raw.bodyBytes);
      });
}

bool isSame(const DetailEvent &a, const DetailEvent &b) {
  return a.type == b.type && a.flags == b.flags && a.indexSeq == b.indexSeq && a.timestampNs == b.timestampNs &&
         std::ranges::equal(a.payload, b.payload);
}

void read(std::span<const std::byte> bytes) {
  std::optional<Expected<DetailReader>> opened;
  const size_t peak =
      fuzz::peakOf([&] { opened = DetailReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer}); });
  // The decoder's state, and a list of blocks, each of which has a header.
  require(peak <= bytes.size() * 4 + sizeof(packed::DetailState) + (64 << 10), "memory does not grow with claims");
  if (!*opened)
    return;
  const DetailReader &reader = **opened;
  require(reader.size() <= bytes.size(), "an event has a byte at least");
  std::vector<DetailEvent> events;
  bool isOrdered = true;
  size_t plain = 0;
  reader.forEach([&](const DetailEvent &event) {
    require(event.seq == events.size() && isSame(reader[event.seq], event), "all ways to read an event agree");
    isOrdered = isOrdered && (events.empty() || events.back().indexSeq <= event.indexSeq);
    plain += event.totalLength;
    events.push_back(event);
  });
  require(events.size() == reader.size(), "there are size() events");
  require(plain <= bytes.size() * 512, "an event takes no more memory than one of a function");
  if (reader.damage())
    return;
  require(isOrdered == reader.isOrdered() || events.empty(), "the headers say whether the events are in order");
  for (size_t i = 0; isOrdered && i < events.size(); i += 1 + events.size() / 20) {
    const auto first = std::ranges::lower_bound(events, events[i].indexSeq, {}, &DetailEvent::indexSeq);
    require(reader.lowerBound(events[i].indexSeq) == first->seq, "an index event's details are found");
  }

  fuzz::MemoryFile file;
  auto writer = DetailWriter::create(file.path(), {.packed = true, .overwrite = true});
  require(static_cast<bool>(writer), "a writer can be made");
  for (const DetailEvent &event : events)
    require(static_cast<bool>(writer->append(event, event.payload)), "any event can be written");
  require(static_cast<bool>(writer->finish()), "a writer finishes");
  const std::vector<std::byte> written = file.bytes();
  auto again = DetailReader::fromBytes(written);
  require(again && again->isComplete() && again->warnings().empty() && again->size() == events.size(),
          "what was written can be read");
  for (const DetailEvent &event : events)
    require(isSame((*again)[event.seq], event), "events are those that were written");
}

void decodeAndEncode(std::span<const std::byte> body) {
  auto from = std::make_unique<packed::DetailState>(), to = std::make_unique<packed::DetailState>(),
       back = std::make_unique<packed::DetailState>();
  packed::DetailDecoder decoder(*from), second(*back);
  packed::DetailEncoder encoder(*to);
  const auto *at = reinterpret_cast<const packed::Byte *>(body.data()), *const end = at + body.size();
  packed::UnpackedDetail event, same;
  while (decoder.next(at, end, event) == packed::Decoded::Event) {
    std::vector<packed::Byte> bytes(packed::mostDetailBytes(event.bytes));
    packed::Byte *const last = encoder.encode(bytes.data(), event.head, event.payload, event.bytes);
    require(last <= bytes.data() + bytes.size(), "an event has its bound");
    const packed::Byte *next = bytes.data();
    require(second.next(next, last, same) == packed::Decoded::Event && next == last &&
                same.head.type == event.head.type && same.head.flags == event.head.flags &&
                same.head.indexSeq == event.head.indexSeq && same.head.timestampNs == event.head.timestampNs &&
                std::equal(same.payload, same.payload + same.bytes, event.payload, event.payload + event.bytes),
            "an event that is encoded again is the same");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<std::byte> bytes(size);
  std::copy_n(reinterpret_cast<const std::byte *>(data), size, bytes.begin());
  decodeAndEncode(bytes);
  if (size >= 4)
    std::memcpy(bytes.data(), "ATDK", 4);
  read(bytes);
  repairAll(bytes);
  read(bytes);
  return 0;
}
