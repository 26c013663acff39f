// Fuzzes the reader of ATF detail files, the checks of links from and to them, and the writer with the events read.
//
// Properties: every way to read an event gives the same one; comparing the
// checksum later gives the same answer; a shorter file has the first events of
// the whole one; the report on links and `verify`'s check agree; the events read
// can be written in both versions and read again; and memory is bounded by the
// input.
#include "atf_file.h"
#include "memory_file.h"
#include "require.h"

#include "ada/trace/atf_detail.h"
#include "ada/trace/session.h"
#include "formats/native/detail/detail_writer.h"
#include "formats/native/session/link_check.h"

#include <cstring>

using namespace ada;
using namespace ada::atf;
using ada::fuzz::require;
using Bytes = std::span<const std::byte>;

namespace {

bool isSame(const DetailEvent &a, const DetailEvent &b) {
  return a.type == b.type && a.flags == b.flags && a.indexSeq == b.indexSeq && a.timestampNs == b.timestampNs &&
         std::ranges::equal(a.payload, b.payload);
}

void readEveryWay(const DetailReader &reader, size_t fileBytes) {
  uint64_t next = 0, end = reader.header().eventsOffset;
  reader.forEach([&](const DetailEvent &event) {
    require(event.seq == next++ && event.offset == end, "events follow each other");
    end += event.totalLength;
    require(end <= fileBytes && event.totalLength == 24 + event.payload.size(), "events lie in the file");
    const DetailEvent again = reader[event.seq];
    require(isSame(event, again) && again.offset == event.offset && again.threadId == event.threadId,
            "all ways to read an event agree");
    if (const auto function = event.function())
      require(100 + function->stack.size() == event.payload.size(), "a function payload is as long as it says");
    if (const auto vectors = event.vectors())
      require(16 + vectors->registers.size() == event.payload.size(), "a vector payload is as long as it says");
  });
  require(next == reader.size() && !reader.at(next), "there are size() events");
}

void writeAndReadAgain(const DetailReader &reader) {
  for (uint8_t version : {uint8_t{1}, uint8_t{2}}) {
    fuzz::MemoryFile file;
    auto writer = DetailWriter::create(
        file.path(),
        {.version = version, .threadId = reader.header().threadId, .overwrite = true, .bufferBytes = 4096});
    require(static_cast<bool>(writer), "a writer can be made");
    std::vector<DetailEvent> taken;
    reader.forEach([&](const DetailEvent &event) {
      const auto function = event.function();
      const bool done = function ? static_cast<bool>(writer->append(event, *function))
                                 : static_cast<bool>(writer->append(event, event.payload));
      if (done)
        taken.push_back(event);
      else
        require(version == 1 && event.indexSeq > UINT32_MAX, "a writer refuses only what does not fit");
    });
    require(static_cast<bool>(writer->finish()), "a writer finishes");

    const std::vector<std::byte> bytes = file.bytes();
    auto again = DetailReader::fromBytes(bytes);
    fuzz::requireFlawless(again, taken.size());
    for (uint64_t seq = 0; seq < taken.size(); ++seq) {
      DetailEvent now = (*again)[seq];
      // The two reserved bytes of a function payload are written as 0.
      if (const auto function = taken[seq].function()) {
        const auto written = now.function();
        require(written && written->functionId == function->functionId && written->registers == function->registers &&
                    written->lr == function->lr && written->fp == function->fp && written->sp == function->sp &&
                    std::ranges::equal(written->stack, function->stack),
                "registers and stack are those that were written");
        now.payload = taken[seq].payload;
      }
      require(isSame(now, taken[seq]), "events are those that were written");
    }
  }
}

// An index that links to the first details, partly with wrong links.
void checkLinksBothWays(const DetailReader &details, uint8_t salt) {
  const uint64_t count = std::min<uint64_t>(details.size() + 2, 50);
  std::vector<std::byte> bytes(64 + 32 * count);
  RawIndexHeaderV2 head{};
  std::memcpy(head.magic, "ATI2", 4);
  head.endian = 1;
  head.version = 2;
  head.eventSize = 32;
  head.eventsOffset = head.footerOffset = 64;
  std::memcpy(bytes.data(), &head, sizeof head);
  for (uint64_t seq = 0; seq < count; ++seq) {
    RawIndexEventV2 event{};
    event.kind = 1 + seq % 2;
    event.detailSeq = seq % 5 == salt % 5 ? kNoDetail : seq ^ (salt & 1);
    std::memcpy(bytes.data() + 64 + 32 * seq, &event, sizeof event);
  }
  auto index = IndexReader::fromBytes(bytes);
  require(index && index->size() == count, "a crashed index is read");
  const ThreadTrace thread{
      .directory = {}, .path = {}, .index = *index, .detail = details, .warnings = {}, .info = nullptr};
  uint64_t missing = 0, elsewhere = 0, astray = 0, good = 0;
  index->forEach([&](uint64_t seq, const IndexEvent &event) {
    if (event.detailSeq != kNoDetail)
      ++(event.detailSeq >= details.size() ? missing : details[event.detailSeq].indexSeq != seq ? elsewhere : good);
  });
  for (uint64_t seq = 0; seq < details.size(); ++seq)
    astray += details[seq].indexSeq >= count;
  const LinkSummary summary = checkLinks(thread, [&](const LinkFlaw &flaw) {
    require(!flaw.text().empty(), "flaws say what they are");
    if (flaw.kind == LinkFlaw::Kind::DetailMissing)
      --missing;
    else if (flaw.kind == LinkFlaw::Kind::DetailElsewhere)
      --elsewhere;
    else if (flaw.kind == LinkFlaw::Kind::IndexMissing)
      --astray;
  });
  require(!missing && !elsewhere && !astray, "each link that fits nothing is found once");
  require(summary.events == details.size(), "all details are looked at");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size >= 4 && std::memcmp(data, "ATDK", 4) == 0)
    return 0; // packed_detail.cpp
  const Bytes bytes = std::as_bytes(std::span(data, size));
  auto verified = DetailReader::fromBytes(bytes);
  auto deferred = DetailReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer});
  if (deferred) {
    auto later = deferred->verifyChecksum();
    require(static_cast<bool>(later) == static_cast<bool>(verified), "a deferred checksum has the same answer");
    readEveryWay(*deferred, size);
  } else {
    // Problems found after the checksum are also found if the checksum is wrong.
    require(!verified, "a deferred checksum hides no error");
  }
  if (!verified) {
    fuzz::requireSpeaking(verified.error());
    return 0;
  }
  writeAndReadAgain(*verified);
  checkLinksBothWays(*verified, size ? data[size - 1] : 0);

  const size_t cut = size ? data[size / 2] * size / 256 : 0;
  if (auto part = DetailReader::fromBytes(bytes.first(cut))) {
    require(part->size() <= verified->size(), "a cut file has no more events");
    for (uint64_t seq = 0; seq < part->size(); ++seq)
      require(isSame((*part)[seq], (*verified)[seq]), "a cut file has the first events");
  }

  require(fuzz::peakOf([&] { (void)DetailReader::fromBytes(bytes); }) <= size + 8192, "memory is bounded by the input");
  return 0;
}
