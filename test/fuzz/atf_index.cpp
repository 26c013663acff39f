// Fuzzes the reader of ATF index files, and the writer with the events read.
//
// Properties: every way to read an event gives the same one; comparing the
// checksum later gives the same answer; a time range misses no event; a
// shorter file has the first events of the whole one; the events read can be
// written in both versions and read again; and memory doesn't grow with the
// file's claims.
#include "atf_file.h"
#include "memory_file.h"
#include "require.h"

#include "ada/trace/atf_index.h"
#include "formats/native/index/index_writer.h"

#include <cstring>

using namespace ada;
using namespace ada::atf;
using ada::fuzz::require;
using Bytes = std::span<const std::byte>;

namespace {

// Fields that version 2 has no room for: an event's own thread and depth.
IndexEvent plain(IndexEvent event) {
  event.threadId = 0;
  event.storedDepth = 0;
  return event;
}

void readEveryWay(const IndexReader &reader, size_t fileBytes) {
  require(reader.header().eventsOffset + 32 * reader.size() <= fileBytes, "all events lie in the file");
  uint64_t next = 0, low = ~uint64_t{0}, high = 0;
  bool sorted = true;
  uint64_t before = 0;
  reader.forEach([&](uint64_t seq, const IndexEvent &event) {
    require(seq == next++, "events come in order");
    require(event == reader[seq] && event == *reader.at(seq) && event == *(reader.begin() + static_cast<int64_t>(seq)),
            "all ways to read an event agree");
    low = std::min(low, event.timestampNs);
    high = std::max(high, event.timestampNs);
    sorted = sorted && event.timestampNs >= before;
    before = event.timestampNs;
  });
  require(next == reader.size() && !reader.at(next), "there are size() events");
  require(reader.isSorted() == sorted, "isSorted() is right");
  if (next > 0)
    require(reader.minTimeNs() == low && reader.maxTimeNs() == high, "smallest and largest time are right");
  // Between the times of two events.
  if (next > 1) {
    const uint64_t from = reader[next / 3].timestampNs, to = reader[next / 2].timestampNs;
    const SeqRange range = reader.timeRange(from, to);
    reader.forEach([&](uint64_t seq, const IndexEvent &event) {
      const bool inside = event.timestampNs >= from && event.timestampNs < to;
      const bool found = seq >= range.first && seq < range.last;
      require(found || !inside, "a time range misses no event");
      require(!sorted || inside == found, "and is exact in sorted files");
    });
  }
}

void writeAndReadAgain(const IndexReader &reader) {
  for (uint8_t version : {uint8_t{1}, uint8_t{2}}) {
    fuzz::MemoryFile file;
    auto writer = IndexWriter::create(file.path(), {.version = version,
                                                    .arch = reader.header().arch,
                                                    .os = reader.header().os,
                                                    .clockType = reader.header().clockType,
                                                    .threadId = reader.header().threadId,
                                                    .overwrite = true,
                                                    .bufferBytes = 4096});
    require(static_cast<bool>(writer), "a writer can be made");
    std::vector<IndexEvent> taken;
    for (IndexEvent event : reader)
      if (writer->append(event)) { // ATF has one bit for how a call was left
        event.kind = inAtf(event.kind);
        taken.push_back(event);
      } else {
        require(version == 1 ? event.detailSeq != kNoDetail && event.detailSeq >= kNoDetailV1
                             : static_cast<uint32_t>(event.kind) > 255,
                "a writer refuses only what does not fit");
      }
    require(static_cast<bool>(writer->finish()), "a writer finishes");

    const std::vector<std::byte> bytes = file.bytes();
    auto again = IndexReader::fromBytes(bytes);
    fuzz::requireFlawless(again, taken.size());
    for (uint64_t seq = 0; seq < taken.size(); ++seq) {
      require(plain((*again)[seq]) == plain(taken[seq]), "events are those that were written");
      // A depth of 2^32-1 means no depth.
      if (taken[seq].storedDepth == kNoDepth)
        taken[seq].storedDepth = 0;
      require(version == 2 || (*again)[seq] == taken[seq], "version 1 loses nothing");
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  if (size >= 4 && std::memcmp(data, "ATPK", 4) == 0)
    return 0; // packed_index.cpp
  auto verified = IndexReader::fromBytes(bytes);
  auto deferred = IndexReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer});
  if (deferred) {
    auto later = deferred->verifyChecksum();
    require(static_cast<bool>(later) == static_cast<bool>(verified), "a deferred checksum has the same answer");
    require(later || later.error().code == verified.error().code, "and the same error");
    readEveryWay(*deferred, size);
  } else {
    require(!verified && verified.error().code == deferred.error().code, "a deferred checksum hides no error");
  }
  if (!verified) {
    fuzz::requireSpeaking(verified.error());
    return 0;
  }
  writeAndReadAgain(*verified);

  // Records in a gap before the footer are not events of the whole file, and half of an invalid footer may look like an
  // event.
  bool gap = false;
  for (const Warning &warning : verified->warnings())
    gap = gap || warning.code == "W_GAP_BEFORE_FOOTER";
  const size_t cut = size ? data[size / 2] * size / 256 : 0;
  if (auto part = IndexReader::fromBytes(bytes.first(cut)); part && !gap) {
    const bool inFooter = verified->footer() && cut > verified->footer()->offset;
    require(part->size() <= verified->size() + inFooter, "a cut file has no more events");
    for (uint64_t seq = 0; seq < std::min(part->size(), verified->size()); ++seq)
      require((*part)[seq] == (*verified)[seq], "a cut file has the first events");
  }

  require(fuzz::peakOf([&] {
            if (auto reader = IndexReader::fromBytes(bytes))
              (void)reader->isSorted();
          }) <= size / 8 + 8192,
          "memory does not grow with claims");
  return 0;
}
