// Packed detail files are read like ATF files of the same events, also damaged, unfinished and continued ones.
#include "random_details.h"
#include "random_events.h"
#include "scratch_directory.h"
#include "thorough.h"
#include "vector_folder.h"

#include "ada/trace/atf_detail.h"
#include "formats/native/detail/detail_blocks.h"
#include "formats/native/detail/detail_writer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

namespace {

using namespace ada::atf;
using namespace ada::packed;
using ada::packed::DetailBlocks, ada::atf::DetailReader;
using ada::test::bytesOf;

ada::Expected<ada::atf::DetailWriter> append(ada::Expected<ada::atf::DetailWriter> writer,
                                             std::span<const RandomDetail> details) {
  EXPECT_TRUE(writer);
  for (const RandomDetail &detail : details) {
    DetailEvent event;
    event.type = detail.head.type, event.flags = detail.head.flags;
    event.indexSeq = detail.head.indexSeq, event.timestampNs = detail.head.timestampNs;
    EXPECT_TRUE(writer->append(event, detail.payload));
  }
  return writer;
}

std::string write(const std::string &path, std::span<const RandomDetail> details, bool isPacked,
                  bool compress = false) {
  auto writer = append(ada::atf::DetailWriter::create(
                           path, {.packed = isPacked, .compress = compress, .threadId = 4711, .overwrite = true}),
                       details);
  EXPECT_EQ(writer->size(), details.size());
  EXPECT_TRUE(writer->finish());
  return path;
}

bool isSame(const DetailEvent &event, const RandomDetail &wanted) {
  return event.type == wanted.head.type && event.flags == wanted.head.flags && event.indexSeq == wanted.head.indexSeq &&
         event.timestampNs == wanted.head.timestampNs && std::ranges::equal(event.payload, wanted.payload) &&
         event.totalLength == kDetailEventHeaderBytes + wanted.payload.size();
}

// Checks that the reader has these events first, and how many there are.
size_t prefixOf(const ada::atf::DetailReader &reader, std::span<const RandomDetail> details) {
  size_t same = 0;
  reader.forEach([&](const DetailEvent &event) {
    EXPECT_EQ(event.seq, same);
    EXPECT_TRUE(same < details.size() && isSame(event, details[same])) << same;
    ++same;
  });
  EXPECT_EQ(same, reader.size());
  return same;
}

class PackedDetails : public testing::Test {
protected:
  ada::test::ScratchDirectory scratch_;
  std::string path(const char *name = "detail.atp") const { return scratch_ / name; }
};

TEST_F(PackedDetails, AreReadAsAtfFilesAre) {
  const size_t kMany = ada::test::casesOf(40'000, 10'000);
  for (const bool isWild : {false, true})
    for (const size_t count : {size_t{0}, size_t{1}, size_t{1000}, kMany})
      for (const bool compress : {false, true}) {
        const std::vector<RandomDetail> details = randomDetails(count, 3, isWild);
        auto packed = DetailReader::open(write(path(), details, true, compress));
        ASSERT_TRUE(packed) << packed.error().text();
        EXPECT_TRUE(packed->isPacked() && packed->isComplete() && packed->warnings().empty());
        EXPECT_EQ(packed->checksum(), ChecksumState::Ok);
        EXPECT_EQ(packed->header().threadId, 4711u);
        ASSERT_EQ(prefixOf(*packed, details), count);
        EXPECT_FALSE(packed->damage());
        // The result is the ATF file, byte for byte.
        write(path("detail.atf"), details, false);
        auto back = ada::atf::DetailWriter::create(path("back.atf"), {.threadId = 4711, .overwrite = true});
        ASSERT_TRUE(back);
        packed->forEach([&](const DetailEvent &event) { EXPECT_TRUE(back->append(event, event.payload)); });
        ASSERT_TRUE(back->finish());
        EXPECT_TRUE(bytesOf(path("back.atf")) == bytesOf(path("detail.atf")));
        if (count == kMany && !isWild) {
          EXPECT_LT(packed->fileBytes(), bytesOf(path("detail.atf")).size() / 4);
        }
      }
}

TEST_F(PackedDetails, AreFoundByNumberAndByIndexEvent) {
  const std::vector<RandomDetail> details = randomDetails(30'000, 4, false);
  auto reader = DetailReader::open(write(path(), details, true));
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->isOrdered());
  EXPECT_FALSE(reader->at(details.size()));
  std::mt19937_64 random(4);
  std::vector<DetailEvent> kept;
  for (int i = 0; i < 300; ++i) {
    const size_t seq = random() % details.size();
    kept.push_back((*reader)[seq]);
    ASSERT_TRUE(isSame(kept.back(), details[seq]));
    const uint64_t wanted = details[seq].head.indexSeq + random() % 2;
    const auto first = std::ranges::lower_bound(details, wanted, {}, [](const auto &d) { return d.head.indexSeq; });
    ASSERT_EQ(reader->lowerBound(wanted), static_cast<uint64_t>(first - details.begin()));
  }
  EXPECT_EQ(reader->lowerBound(~uint64_t{0}), details.size());
  // Payloads live as long as their events, even after their blocks were dropped.
  for (const DetailEvent &event : kept)
    EXPECT_TRUE(isSame(event, details[event.seq]));
  const std::vector<RandomDetail> wild = randomDetails(3000, 4, true);
  auto unordered = DetailReader::open(write(path(), wild, true));
  ASSERT_TRUE(unordered);
  EXPECT_FALSE(unordered->isOrdered());
}

// A killed program leaves an open block: all whole events in it count, wherever the file ends.
TEST_F(PackedDetails, AreWholeUpToAnyCut) {
  const std::vector<RandomDetail> details = randomDetails(400, 5, true);
  std::vector<Byte> bytes(1 << 20);
  std::vector<size_t> ends;
  const RawDetailFileHeader head = encodeDetailFileHeader({.threadId = 4711}, nullptr, 0, kSum);
  std::memcpy(bytes.data(), &head, sizeof head);
  auto writer = std::make_unique<DetailBlockWriter>();
  Byte *to = writer->begin(bytes.data() + kFileHeaderBytes, 0, kSum);
  for (const RandomDetail &detail : details) {
    to = writer->encode(to, detail.head, reinterpret_cast<const Byte *>(detail.payload.data()), detail.payload.size());
    ends.push_back(static_cast<size_t>(to - bytes.data()));
  }
  const auto *from = reinterpret_cast<const std::byte *>(bytes.data());
  for (size_t size = kFileHeaderBytes; size <= ends.back(); size += ada::test::stride(13)) {
    const std::vector<std::byte> part(from, from + size);
    auto reader = DetailReader::fromBytes(part);
    ASSERT_TRUE(reader) << reader.error().text();
    const auto whole = std::ranges::upper_bound(ends, size) - ends.begin();
    ASSERT_EQ(reader->size(), static_cast<size_t>(whole)) << size;
    if (size % 101 == 0 || size == ends.back()) {
      ASSERT_EQ(prefixOf(*reader, details), static_cast<size_t>(whole));
    }
    EXPECT_FALSE(reader->isComplete());
  }
  for (size_t size = 0; size < kFileHeaderBytes; ++size)
    EXPECT_FALSE(DetailReader::fromBytes(std::span(from, size)));
}

TEST_F(PackedDetails, OfAFinishedFileThatIsCutTheWholeOnesAreThere) {
  const std::vector<RandomDetail> details = randomDetails(12'000, 6, false);
  const std::vector<std::byte> bytes = bytesOf(write(path(), details, true));
  size_t most = 0;
  for (size_t size = kFileHeaderBytes; size < bytes.size(); size += 1 + bytes.size() / 60) {
    auto reader = DetailReader::fromBytes(std::span(bytes).first(size));
    ASSERT_TRUE(reader);
    EXPECT_FALSE(reader->isComplete());
    EXPECT_FALSE(reader->warnings().empty());
    EXPECT_GE(reader->size(), most);
    most = prefixOf(*reader, details);
  }
  EXPECT_GT(most, details.size() * 9 / 10);
}

TEST_F(PackedDetails, AreContinuedAsIfNothingHadBeen) {
  const std::vector<RandomDetail> details = randomDetails(15'000, 7, true);
  const std::vector<std::byte> whole = bytesOf(write(path("whole.atp"), details, true));
  std::mt19937_64 random(7);
  for (int round = 0; round < 12; ++round) {
    const size_t there = random() % details.size(), keep = round % 3 == 0 ? there : random() % (there + 1);
    {
      auto writer =
          append(ada::atf::DetailWriter::create(path(), {.packed = true, .threadId = 4711, .overwrite = true}),
                 std::span(details).first(there));
      if (round % 2) {
        ASSERT_TRUE(writer->finish());
      }
    }
    auto writer = append(ada::atf::DetailWriter::resume(path(), keep), std::span(details).subspan(keep));
    EXPECT_EQ(writer->size(), details.size());
    ASSERT_TRUE(writer->finish());
    EXPECT_TRUE(bytesOf(path()) == whole) << there << ' ' << keep;
  }
}

// A damaged block is reported, and the others are read.
TEST_F(PackedDetails, OfADamagedBlockAreLeftOut) {
  const std::vector<RandomDetail> details = randomDetails(30'000, 8, false);
  std::vector<std::byte> bytes = bytesOf(write(path(), details, true));
  const auto parsed = DetailBlocks::parse(bytes, "");
  ASSERT_TRUE(parsed && parsed->blocks().size() > 3);
  const DetailBlock block = parsed->blocks()[1];
  bytes[block.offset + 5000] ^= std::byte{1};
  const auto refused = DetailReader::fromBytes(bytes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "E_BAD_CHECKSUM");
  auto reader = DetailReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer});
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->size(), details.size());
  reader->forEach([&](const DetailEvent &event) {
    const bool isLost = event.seq >= block.first && event.seq < block.last();
    EXPECT_EQ(isLost, !isSame(event, details[event.seq]));
    EXPECT_TRUE(!isLost || (event.payload.empty() && event.indexSeq == kNoDetail));
  });
  ASSERT_TRUE(reader->damage());
  EXPECT_EQ(reader->damage()->code, "E_BAD_CHECKSUM");
  // Without its header the block is skipped.
  bytes[block.offset] ^= std::byte{1};
  auto without = DetailReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->size(), details.size() - block.count);
  EXPECT_EQ(without->warnings()[0].code, "W_BLOCKS_DAMAGED");
  EXPECT_TRUE(isSame((*without)[block.first], details[block.last()]));
}

// However damaged a file is, a reader never looks beyond its bytes, even if the checksums are right.
TEST_F(PackedDetails, MayBeAnything) {
  const std::vector<std::byte> good = bytesOf(write(path(), randomDetails(600, 9, true), true));
  std::mt19937_64 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> bytes = good;
    for (int n = 0; n < 3; ++n)
      bytes[random() % bytes.size()] = std::byte(random());
    bytes.resize(random() % 3 ? bytes.size() : random() % bytes.size());
    bytes.shrink_to_fit();
    if (bytes.size() >= kFileHeaderBytes + kBlockHeaderBytes && round % 4) {
      RawDetailBlockHeader raw;
      std::memcpy(&raw, bytes.data() + kFileHeaderBytes, sizeof raw);
      std::memcpy(raw.magic, "ATDB", 4);
      const uint64_t room = bytes.size() - kFileHeaderBytes - kBlockHeaderBytes;
      if (raw.bodyBytes <= room)
        raw.bodyChecksum = kSum(0, bytes.data() + kFileHeaderBytes + kBlockHeaderBytes, raw.bodyBytes);
      seal(raw, kSum);
      std::memcpy(bytes.data() + kFileHeaderBytes, &raw, sizeof raw);
    }
    if (auto reader = DetailReader::fromBytes(bytes, {}, {.checksum = ChecksumPolicy::Defer})) {
      size_t seen = 0;
      reader->forEach([&](const DetailEvent &event) { seen += 1 + event.payload.size() * 0; });
      EXPECT_EQ(seen, reader->size());
      EXPECT_LE(reader->size(), bytes.size());
    }
  }
}

//===--- vectors ----------------------------------------------------------===//

struct DetailVector {
  std::string name;
  size_t count;
  bool isWild, isFinished;
};

class PackedDetailVectors : public testing::TestWithParam<DetailVector> {};

// Written byte for byte, and read like decode_detail.py reads them. That script shares only the document with the
// library.
//
// ADA_WRITE_VECTORS=1 writes the files again; then decode_detail.py makes the answers.
TEST_P(PackedDetailVectors, AreWrittenAndRead) {
  const DetailVector &vector = GetParam();
  const auto path = ada::test::vectorFolder() / "packed" / (vector.name + ".atp");
  const ada::test::ScratchDirectory scratch;
  const std::vector<RandomDetail> details = randomDetails(vector.count, 21, vector.isWild);
  std::string bytes = ada::test::bytesOfFile(write(scratch / "v.atp", details, true));
  if (!vector.isFinished) { // as a killed program leaves it
    RawDetailFileHeader head = encodeDetailFileHeader({.threadId = 4711}, nullptr, 0, kSum);
    auto writer = std::make_unique<DetailBlockWriter>();
    Byte placeholder[kBlockHeaderBytes];
    writer->begin(placeholder, 0, kSum);
    std::memcpy(bytes.data(), &head, sizeof head);
    std::memcpy(bytes.data() + kFileHeaderBytes, placeholder, sizeof placeholder);
    bytes.pop_back();
  }
  if (std::getenv("ADA_WRITE_VECTORS"))
    std::ofstream(path, std::ios::binary) << bytes;
  ASSERT_TRUE(ada::test::bytesOfFile(path) == bytes);
  const auto answer = ada::test::jsonOfFile<nlohmann::json>(std::filesystem::path(path).replace_extension(".json"));
  const auto reader = DetailReader::open(path.string());
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->isComplete(), answer.at("finished"));
  EXPECT_EQ(reader->header().threadId, answer.at("thread"));
  const auto &events = answer.at("events");
  ASSERT_EQ(reader->size(), events.size());
  EXPECT_EQ(events.size() + !vector.isFinished, vector.count);
  for (size_t i = 0; i < events.size(); ++i) {
    const DetailEvent event = (*reader)[i];
    ASSERT_EQ(event.type, events[i].at("type")) << i;
    ASSERT_EQ(event.flags, events[i].at("flags")) << i;
    ASSERT_EQ(event.indexSeq, events[i].at("index_seq")) << i;
    ASSERT_EQ(event.timestampNs, events[i].at("ns")) << i;
    std::string payload;
    for (const std::byte byte : event.payload) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(byte));
      payload += two;
    }
    ASSERT_EQ(payload, events[i].at("payload").get<std::string>()) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackedDetailVectors,
                         testing::Values(DetailVector{"detail_program", 120, false, true},
                                         DetailVector{"detail_wild", 120, true, true},
                                         DetailVector{"detail_empty", 0, false, true},
                                         DetailVector{"detail_unfinished", 60, true, false}),
                         [](const auto &info) { return info.param.name; });

// The detail file shown in docs/formats/packed.md.
TEST(PackedDocument, ShowsARealDetailFile) {
  const ada::test::ScratchDirectory scratch;
  auto writer = ada::atf::DetailWriter::create(scratch / "detail.atp", {.packed = true, .threadId = 4711});
  ASSERT_TRUE(writer);
  for (const uint64_t n : {10, 11}) {
    const uint64_t index = n - 10;
    const uint64_t returnAddress = 0x401136;
    FunctionPayload payload{
        .functionId = 1ull << 32 | 2, .lr = returnAddress, .fp = 0x7ffc00001040, .sp = 0x7ffc00001008};
    payload.registers[0] = n;
    payload.stack = std::as_bytes(std::span(&returnAddress, 1));
    DetailEvent event;
    event.type = kDetailFunctionCall, event.indexSeq = index, event.timestampNs = 1000 + 17 * index;
    ASSERT_TRUE(writer->append(event, payload));
  }
  ASSERT_TRUE(writer->finish());
  std::string shown;
  bool inside = false;
  std::ifstream document(ADA_DOCS "/formats/packed.md");
  for (std::string line; std::getline(document, line) && !(inside && line.starts_with("```"));) {
    inside |= line.starts_with("41 54 44 4b");
    std::istringstream words(inside ? line.substr(0, line.find("   ")) : std::string());
    for (std::string word; words >> word;)
      shown += static_cast<char>(std::stoi(word, nullptr, 16));
  }
  EXPECT_EQ(shown, ada::test::bytesOfFile(scratch / "detail.atp"));
}

} // namespace
