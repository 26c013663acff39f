// Packed index files are read like ATF files of the same events, also damaged, unfinished and continued ones.
#include "random_events.h"
#include "scratch_directory.h"
#include "thorough.h"
#include "vector_folder.h"

#include "ada/trace/atf_index.h"
#include "ada/trace/convert.h"
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "trace/base/file_bytes.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace {

using namespace ada::atf;
using ada::packed::RawBlockHeader;
using ada::packed::Shape;
using ada::test::bytesOf;

std::vector<IndexEvent> randomIndex(Shape shape, size_t count, unsigned seed) {
  std::vector<IndexEvent> events;
  for (const ada::packed::Event &from : ada::packed::randomEvents(shape, count, seed))
    events.push_back({.timestampNs = from.ns,
                      .functionId = from.functionId,
                      .detailSeq = from.hasLink ? from.link : kNoDetail,
                      .kind = static_cast<ada::EventKind>(from.kind & 0xff),
                      .threadId = 4711});
  return events;
}

std::string write(const std::string &path, const std::vector<IndexEvent> &events, bool isPacked, bool finish = true,
                  bool compress = false) {
  auto writer =
      IndexWriter::create(path, {.packed = isPacked, .compress = compress, .threadId = 4711, .overwrite = true});
  EXPECT_TRUE(writer);
  for (const IndexEvent &event : events)
    EXPECT_TRUE(writer->append(event));
  if (finish) {
    EXPECT_TRUE(writer->finish());
  }
  return path;
}

std::vector<IndexEvent> eventsOf(const IndexReader &reader) {
  std::vector<IndexEvent> events;
  reader.forEach([&](uint64_t, const IndexEvent &event) { events.push_back(event); });
  return events;
}

// The positions of a file's blocks.
std::vector<size_t> blocksOf(std::span<const std::byte> bytes) {
  std::vector<size_t> offsets;
  for (size_t at = 128; at + sizeof(RawBlockHeader) <= bytes.size(); at += 128)
    if (std::memcmp(bytes.data() + at, "ATPB", 4) == 0)
      offsets.push_back(at);
  return offsets;
}

class PackedFiles : public testing::Test {
protected:
  ada::test::ScratchDirectory scratch_;
  std::string path(const char *name = "index.atp") const { return scratch_ / name; }
};

TEST_F(PackedFiles, AreReadAsAtfFilesAre) {
  for (const Shape shape : {Shape::Program, Shape::Deep, Shape::Wild})
    for (const size_t count : {0, 1, 1000, 200'000}) {
      const std::vector<IndexEvent> events = randomIndex(shape, count, 7);
      auto atf = IndexReader::open(write(path("index.atf"), events, false));
      auto packed = IndexReader::open(write(path(), events, true));
      ASSERT_TRUE(atf && packed);
      EXPECT_TRUE(packed->isPacked());
      EXPECT_TRUE(packed->isComplete());
      EXPECT_TRUE(packed->warnings().empty());
      EXPECT_EQ(packed->checksum(), ChecksumState::Ok);
      ASSERT_EQ(packed->size(), count);
      EXPECT_TRUE(eventsOf(*packed) == events);
      EXPECT_TRUE(std::ranges::equal(*packed, *atf)) << "one by one";
      EXPECT_EQ(packed->isSorted(), atf->isSorted());
      EXPECT_EQ(packed->minTimeNs(), atf->minTimeNs());
      EXPECT_EQ(packed->maxTimeNs(), atf->maxTimeNs());
      EXPECT_EQ(packed->firstNs(), atf->firstNs());
      EXPECT_EQ(packed->lastNs(), atf->lastNs());
      EXPECT_EQ(packed->header().timeStartNs, atf->header().timeStartNs);
      EXPECT_EQ(packed->header().timeEndNs, atf->header().timeEndNs);
      EXPECT_EQ(packed->header().threadId, 4711u);
      std::mt19937_64 random(1);
      for (int i = 0; count > 0 && i < 50; ++i) {
        const uint64_t from = events[random() % count].timestampNs + random() % 3 - 1;
        const uint64_t to = events[random() % count].timestampNs + random() % 3 - 1;
        EXPECT_EQ(packed->timeRange(from, to), atf->timeRange(from, to)) << from << ' ' << to;
      }
    }
}

TEST_F(PackedFiles, CanBeCompressed) {
  ASSERT_TRUE(ada::model::canCompress());
  for (const Shape shape : {Shape::Program, Shape::Wild}) {
    const std::vector<IndexEvent> events = randomIndex(shape, 200'000, 10);
    const std::vector<std::byte> plain = bytesOf(write(path(), events, true));
    std::vector<std::byte> bytes = bytesOf(write(path("small.atp"), events, true, true, true));
    EXPECT_LT(bytes.size(), plain.size() * 9 / 10);
    auto reader = IndexReader::fromBytes(bytes);
    ASSERT_TRUE(reader);
    EXPECT_TRUE(reader->warnings().empty());
    EXPECT_TRUE(eventsOf(*reader) == events);
    EXPECT_FALSE(reader->damage());
    bytes.back() ^= std::byte{1}; // without a block index
    reader = IndexReader::fromBytes(bytes);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->warnings().size(), 1u);
    EXPECT_TRUE(eventsOf(*reader) == events);
    // A cut file keeps its whole blocks.
    const std::vector<size_t> blocks = blocksOf(bytes);
    reader =
        IndexReader::fromBytes(std::span(bytes).first(blocks.back() + 1000), {}, {.checksum = ChecksumPolicy::Defer});
    ASSERT_TRUE(reader);
    EXPECT_GT(reader->size(), 100'000u);
    EXPECT_TRUE(std::ranges::equal(eventsOf(*reader), std::span(events).first(reader->size())));
  }
}

// A file with a hole of a terabyte, which would take an hour to search: in the middle, after an open block, and at the
// end.
TEST_F(PackedFiles, HolesAreNotLookedThrough) {
  const std::vector<IndexEvent> events = randomIndex(Shape::Program, 200'000, 3);
  const std::vector<std::byte> bytes = bytesOf(write(path(), events, true, false));
  const std::vector<size_t> blocks = blocksOf(bytes);
  constexpr uint64_t kHole = uint64_t{1} << 40;
  const size_t cuts[] = {blocks[2], blocks.back() + 4096, bytes.size()};
  for (const size_t cut : cuts) {
    std::ofstream file(path(), std::ios::binary);
    const auto *text = reinterpret_cast<const char *>(bytes.data());
    file.write(text, static_cast<std::streamsize>(cut));
    file.seekp(static_cast<std::streamoff>(kHole + cut));
    file.write(text + cut, static_cast<std::streamsize>(bytes.size() - cut));
    file.close();
    std::filesystem::resize_file(path(), kHole + bytes.size());
    const auto opened = ada::FileBytes::open(path());
    ASSERT_TRUE(opened);
    if (opened->holes().skip(kHole / 2) == kHole / 2)
      GTEST_SKIP() << "a file system that does not say where holes are";
    const auto reader = IndexReader::open(path(), {.checksum = ChecksumPolicy::Defer});
    ASSERT_TRUE(reader);
    const std::vector<IndexEvent> read = eventsOf(*reader);
    if (cut == blocks.back() + 4096) // what lies before the hole; zeros may look like returns
      EXPECT_GT(read.size(), 100'000u);
    else
      EXPECT_TRUE(std::ranges::equal(std::span(read).first(std::min(read.size(), events.size())), events));
  }
}

// A file cut at any byte, without a block index, has all events of its whole blocks and the whole events of the cut
// block.
TEST_F(PackedFiles, AreReadUpToACut) {
  const std::vector<IndexEvent> events = randomIndex(Shape::Program, 200'000, 3);
  const std::vector<std::byte> bytes = bytesOf(write(path(), events, true));
  std::mt19937_64 random(5);
  uint64_t last = 0;
  for (size_t cut = 128; cut <= bytes.size(); cut += 1 + random() % (2'000 * ada::test::stride(11))) {
    auto reader = IndexReader::fromBytes(std::span(bytes).first(cut), {}, {.checksum = ChecksumPolicy::Defer});
    ASSERT_TRUE(reader) << cut;
    EXPECT_EQ(reader->isComplete(), cut == bytes.size());
    const std::vector<IndexEvent> got = eventsOf(*reader);
    ASSERT_EQ(got.size(), reader->size());
    ASSERT_GE(got.size(), last);
    ASSERT_TRUE(std::ranges::equal(got, std::span(events).first(got.size()))) << cut;
    last = got.size();
    if (const size_t gone = events.size() - got.size()) {
      ASSERT_EQ(reader->warnings().size(), 2u) << cut;
      ASSERT_TRUE(reader->warnings()[1].message.starts_with(ada::formatCount(gone) + " events are lost")) << cut;
    }
  }
  EXPECT_GT(last, 190'000u);
}

TEST_F(PackedFiles, KeepTheOtherBlocksWhenOneIsDamaged) {
  const std::vector<IndexEvent> events = randomIndex(Shape::Program, 300'000, 4);
  const std::vector<std::byte> good = bytesOf(write(path(), events, true));
  const std::vector<size_t> blocks = blocksOf(good);
  ASSERT_GT(blocks.size(), 3u);
  RawBlockHeader second;
  std::memcpy(&second, good.data() + blocks[1], sizeof second);
  std::vector<IndexEvent> expected = events;
  const auto from = expected.begin() + static_cast<long>(second.firstSeq.get());
  expected.erase(from, from + static_cast<long>(second.eventCount.get()));

  std::vector<std::byte> bytes = good; // in the body
  bytes[blocks[1] + 5000] ^= std::byte{1};
  auto verified = IndexReader::fromBytes(bytes);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code, "E_BAD_CHECKSUM");
  EXPECT_EQ(verified.error().offset, blocks[1] + offsetof(RawBlockHeader, bodyChecksum));
  auto reader = IndexReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer});
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->damage());
  EXPECT_TRUE(eventsOf(*reader) == expected);
  ASSERT_TRUE(reader->damage());
  EXPECT_EQ(reader->damage()->code, "E_BAD_CHECKSUM");
  EXPECT_EQ((*reader)[second.firstSeq], IndexEvent{});

  bytes = good; // in the header, with a block index and without
  bytes[blocks[1] + 20] ^= std::byte{1};
  reader = IndexReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer});
  ASSERT_TRUE(reader);
  EXPECT_TRUE(eventsOf(*reader) == expected);
  EXPECT_EQ(reader->damage()->code, "E_BAD_BLOCK");
  bytes.back() ^= std::byte{1};
  reader = IndexReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer});
  ASSERT_TRUE(reader);
  EXPECT_TRUE(eventsOf(*reader) == expected);
  ASSERT_EQ(reader->warnings().size(), 2u);
  EXPECT_EQ(reader->warnings()[0].code, "W_FOOTER_CORRUPT");
  EXPECT_EQ(reader->warnings()[1].code, "W_BLOCKS_DAMAGED");
  EXPECT_TRUE(
      reader->warnings()[1].message.starts_with(ada::formatCount(second.eventCount.get()) + " events are lost"));
  // Events keep the numbers by which detail events refer to them.
  EXPECT_EQ(reader->numberOf(second.firstSeq), second.firstSeq + second.eventCount);
}

// The events of one thread that a source delivers, as events of a file.
class Taken : public ada::model::TraceSink {
public:
  ada::Expected<void> addFunction(const ada::model::Function &function) override {
    ids_.push_back(function.id);
    return {};
  }
  ada::Expected<void> events(const ada::model::Batch &batch) override {
    EXPECT_GE(batch.firstSeq, nextSeq_);
    nextSeq_ = batch.firstSeq;
    for (const ada::model::Event &event : batch.events)
      if (!event.isEarlier)
        numbered.push_back({nextSeq_++,
                            {.timestampNs = event.timeNs,
                             .functionId = ids_[event.function],
                             .detailSeq = kNoDetail,
                             .kind = event.kind,
                             .threadId = 4711}});
    return {};
  }
  std::vector<std::pair<uint64_t, IndexEvent>> numbered;

private:
  std::vector<uint64_t> ids_;
  uint64_t nextSeq_ = 0;
};

// A source decodes blocks while it delivers their events; the reader decodes whole blocks. Both have the same events,
// for any range, and also for files with a damaged block, as far as those can be read.
TEST_F(PackedFiles, AreHandedOnAsTheyAreRead) {
  enum Damage { None, Checksum, BadEvent, Times };
  for (const Shape shape : {Shape::Program, Shape::Wild})
    for (const Damage damage : {None, Checksum, BadEvent, Times}) {
      std::vector<std::byte> bytes = bytesOf(write(path(), randomIndex(shape, 200'000, 12), true));
      const std::vector<size_t> blocks = blocksOf(bytes);
      ASSERT_GT(blocks.size(), 2u);
      if (damage != None) {
        RawBlockHeader header;
        std::memcpy(&header, bytes.data() + blocks[1], sizeof header);
        std::byte *const calls = bytes.data() + blocks[1] + sizeof header;
        for (int i = 0; i < 12; ++i) // an event in the middle is invalid; or the first one comes later
          if (damage == BadEvent)
            calls[header.callsBytes + 40'000 + i] = std::byte{0xff};
        if (damage == Times)
          header.beforeNs = header.beforeNs + 1;
        header.bodyChecksum = ada::packed::kSum(0, calls, header.callsBytes + header.bodyBytes);
        ada::packed::seal(header, ada::packed::kSum);
        std::memcpy(bytes.data() + blocks[1], &header, sizeof header);
        if (damage == Checksum)
          calls[header.callsBytes + 40'000] ^= std::byte{1};
      }
      std::ofstream(path(), std::ios::binary)
          .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      const auto reader = IndexReader::open(path(), {.checksum = ChecksumPolicy::Defer});
      ASSERT_TRUE(reader);
      std::mt19937_64 random(3);
      for (int i = 0; i < ada::test::casesOf(12, 4); ++i) {
        ada::model::ReadRequest request;
        if (i > 0) {
          request.fromSeq = random() % reader->size();
          request.toSeq = request.fromSeq + random() % (i < 6 ? 2000 : 150'000);
        }
        std::vector<std::pair<uint64_t, IndexEvent>> expected;
        reader->forEach({request.fromSeq, std::min(request.toSeq, reader->size())},
                        [&](uint64_t seq, IndexEvent event) {
                          event.detailSeq = kNoDetail;
                          expected.push_back({seq, event});
                        });
        Taken taken;
        const auto source = ada::model::openTrace(path());
        ASSERT_TRUE(source);
        ASSERT_TRUE((*source)->readPart(taken, request));
        ASSERT_TRUE(taken.numbered == expected)
            << int(shape) << ' ' << damage << ' ' << request.fromSeq << ' ' << request.toSeq;
        if (i > 0)
          continue;
        ASSERT_EQ((*source)->problems().size(), damage == None ? 0u : 1u);
        ASSERT_EQ(reader->damage().has_value(), damage != None);
        if (damage != None) {
          EXPECT_EQ((*source)->problems()[0].text(), reader->damage()->text());
        }
      }
    }
}

TEST_F(PackedFiles, CanBeContinuedAfterAnyEvent) {
  const std::vector<IndexEvent> events = randomIndex(Shape::Deep, 200'000, 6);
  std::mt19937_64 random(6);
  for (int round = 0; round < 12; ++round) {
    write(path(), events, true, round % 2 == 0, round % 3 == 0);
    uint64_t keep = random() % events.size();
    if (round == 0)
      keep = 0;
    if (round == 2)
      keep = events.size() + 5;
    auto writer = IndexWriter::resume(path(), keep);
    ASSERT_TRUE(writer) << writer.error().text();
    ASSERT_EQ(writer->size(), std::min<uint64_t>(keep, events.size()));
    for (size_t i = writer->size(); i < events.size(); ++i)
      ASSERT_TRUE(writer->append(events[i]));
    ASSERT_TRUE(writer->finish());
    auto reader = IndexReader::open(path());
    ASSERT_TRUE(reader);
    EXPECT_TRUE(reader->isComplete());
    EXPECT_TRUE(reader->warnings().empty());
    ASSERT_TRUE(eventsOf(*reader) == events) << keep;
    EXPECT_EQ(reader->header().timeStartNs, events.front().timestampNs);
    EXPECT_EQ(reader->header().timeEndNs, events.back().timestampNs);
  }
}

// Links are not stored; the detail file gives them, in any order.
TEST_F(PackedFiles, HaveTheLinksOfTheirDetailFile) {
  std::vector<IndexEvent> events = randomIndex(Shape::Program, 150'000, 8);
  std::mt19937_64 random(8);
  for (const bool isOrdered : {true, false}) {
    auto details = DetailWriter::create(path("detail.atf"), {.overwrite = true});
    ASSERT_TRUE(details);
    for (IndexEvent &event : events)
      event.detailSeq = kNoDetail;
    uint64_t seq = 0, indexSeq = 0;
    const auto add = [&](uint64_t index) {
      const bool isFirst = events[index].detailSeq == kNoDetail;
      for (int n = 0; n < 2; ++n, ++seq) { // the registers, then the vector registers
        if (n == 0 && isFirst)
          events[index].detailSeq = seq;
        ASSERT_TRUE(details->append({.type = n ? kDetailVectors : kDetailFunctionCall, .indexSeq = index},
                                    std::span<const std::byte>()));
      }
    };
    while ((indexSeq += 1 + random() % 40) < events.size()) {
      add(indexSeq);
      if (!isOrdered && random() % 10 == 0)
        add(random() % indexSeq);
    }
    ASSERT_TRUE(details->finish());
    std::vector<IndexEvent> without = events;
    for (IndexEvent &event : without)
      event.detailSeq = kNoDetail;
    auto reader = IndexReader::open(write(path(), without, true));
    auto detail = DetailReader::open(path("detail.atf"));
    ASSERT_TRUE(reader && detail);
    EXPECT_TRUE(eventsOf(*reader) == without);
    const IndexReader copy = *reader;
    reader->linkDetails(*detail);
    EXPECT_TRUE(eventsOf(*reader) == events);
    EXPECT_TRUE(eventsOf(copy) == events);
  }
}

// However damaged a file is, a reader never looks beyond its bytes.
TEST_F(PackedFiles, MayBeAnything) {
  const std::vector<IndexEvent> events = randomIndex(Shape::Wild, 3000, 9);
  const std::vector<std::byte> good = bytesOf(write(path(), events, true));
  std::mt19937_64 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> bytes = good;
    for (int n = 0; n < 2; ++n)
      bytes[random() % 5 ? random() % bytes.size() : bytes.size() - 1 - random() % 200] = std::byte(random());
    bytes.resize(random() % 3 ? bytes.size() : random() % bytes.size());
    bytes.shrink_to_fit();
    if (auto reader = IndexReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer})) {
      EXPECT_LE(eventsOf(*reader).size(), reader->size());
      EXPECT_LE(reader->size(), bytes.size());
    }
  }
}

} // namespace
