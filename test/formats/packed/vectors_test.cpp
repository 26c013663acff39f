// Packed vectors are written byte for byte, and read like decode.py reads them.
// That script shares only the document with the library.
//
// ADA_WRITE_VECTORS=1 writes the files again; then decode.py makes the answers.
#include "random_events.h"
#include "scratch_directory.h"
#include "vector_folder.h"

#include "ada/trace/atf_index.h"
#include "formats/native/index/index_writer.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

namespace {

using namespace ada::packed;
using Json = nlohmann::json;

struct Vector {
  std::string name;
  std::vector<Event> events;
  size_t bodyBytes; // of a block
  bool isFinished = true;
  size_t firstBlock = 0; // the blocks before it are gone
};

std::vector<Vector> vectors() {
  // As deep as calls are tracked, and deeper: exits below that name their functions.
  std::vector<Event> deep;
  for (uint64_t i = 0; i < 1100; ++i)
    deep.push_back({.ns = 5000 + i * 40, .functionId = i % 3, .kind = kCall});
  for (uint64_t i = 1100; i-- > 0;)
    deep.push_back({.ns = 100'000 - i * 30, .functionId = i % 3, .kind = i % 500 == 0 ? kException : kReturn});
  return {{"program", randomEvents(Shape::Program, 400, 11), kBlockBodyBytes},
          {"empty", {}, kBlockBodyBytes},
          {"all_kinds", randomEvents(Shape::Wild, 300, 12), 400},
          {"deep", deep, 1500},
          {"exits", randomEvents(Shape::Exits, 300, 15), 400},
          {"unfinished", randomEvents(Shape::Wild, 160, 13), 300, false},
          {"without_front", randomEvents(Shape::Program, 300, 14), 100, true, 2}};
}

// Puts blocks into a file.
std::string fileOf(const Vector &vector) {
  const auto bytesOf = [](const auto &raw) { return std::string(reinterpret_cast<const char *>(&raw), sizeof raw); };
  Blocks blocks;
  blocks.add(vector.events, vector.bodyBytes, 10);
  if (blocks.writer->isOpen() && vector.isFinished)
    blocks.close();
  const ada::atf::FileOrigin origin{.threadId = 4711};
  std::vector<RawIndexEntry> entries;
  FileTotals totals;
  bool unsorted = false;
  size_t front = 0;
  for (size_t i = 0; i < blocks.starts.size(); ++i) {
    RawBlockHeader raw;
    std::memcpy(&raw, blocks.bytes.data() + blocks.starts[i], sizeof raw);
    if (i < vector.firstBlock)
      continue;
    if (i == vector.firstBlock)
      front = blocks.starts[i], totals.firstNs = raw.firstNs;
    entries.push_back(encodeIndexEntry(kFileHeaderBytes + blocks.starts[i], raw));
    totals.events += raw.eventCount, totals.lastNs = raw.lastNs;
    unsorted |= (raw.flags & kBlockUnsorted) != 0;
  }
  std::string body(blocks.bytes.begin(), blocks.bytes.end());
  std::fill_n(body.begin(), front, '\0');
  const uint64_t blocksOffset = kFileHeaderBytes + front;
  if (!vector.isFinished)
    return bytesOf(encodeFileHeader(origin, nullptr, 0, false, kSum, blocksOffset)) + body.substr(0, body.size() - 1);
  body.resize(aligned(body.size()));
  std::string index = bytesOf(encodeIndexHead(entries.size()));
  for (const RawIndexEntry &entry : entries)
    index += bytesOf(entry);
  const uint64_t offset = kFileHeaderBytes + body.size();
  const RawTrailer trailer =
      encodeTrailer(offset, entries.size(), kSum(0, index.data(), index.size()), totals, unsorted, kSum);
  return bytesOf(encodeFileHeader(origin, &totals, offset + index.size(), false, kSum, blocksOffset)) + body + index +
         bytesOf(trailer);
}

class PackedVectors : public testing::TestWithParam<Vector> {};

TEST_P(PackedVectors, AreWrittenAndRead) {
  const auto path = ada::test::vectorFolder() / "packed" / (GetParam().name + ".atp");
  const std::string bytes = fileOf(GetParam());
  if (std::getenv("ADA_WRITE_VECTORS"))
    std::ofstream(path, std::ios::binary) << bytes;
  ASSERT_TRUE(ada::test::bytesOfFile(path) == bytes);
  const Json answer = ada::test::jsonOfFile<Json>(std::filesystem::path(path).replace_extension(".json"));
  const auto reader = ada::atf::IndexReader::open(path.string());
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->isComplete(), answer.at("finished"));
  EXPECT_EQ(reader->header().threadId, answer.at("thread"));
  const Json &events = answer.at("events");
  ASSERT_EQ(reader->size(), events.size());
  EXPECT_GE(events.size() + 50, GetParam().name == "empty" ? 50 : 200); // whole vectors, not just remains of them
  for (size_t i = 0; i < events.size(); ++i) {
    const ada::atf::IndexEvent event = (*reader)[i];
    ASSERT_EQ(event.timestampNs, events[i].at("ns")) << i;
    ASSERT_EQ(event.functionId, events[i].at("function")) << i;
    const Json &kind = events[i].at("kind"); // a name, if ATF has no number for it
    ASSERT_TRUE(kind.is_string() ? kindName(event.kind) == kind.get<std::string>()
                                 : event.kind == ada::EventKind{kind.get<uint32_t>()})
        << i;
    ASSERT_EQ(event.detailSeq, events[i].value("link", ada::atf::kNoDetail)) << i;
    ASSERT_EQ(event.storedDepth, events[i].value("depth", ada::atf::kNoDepth)) << i;
    ASSERT_EQ(reader->numberOf(i), answer.at("first_seq").get<uint64_t>() + i);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackedVectors, testing::ValuesIn(vectors()),
                         [](const auto &info) { return info.param.name; });

// The file at the beginning of docs/formats/packed.md.
TEST(PackedDocument, ShowsARealFile) {
  const ada::test::ScratchDirectory scratch;
  auto writer = ada::atf::IndexWriter::create(scratch / "index.atp", {.packed = true, .threadId = 4711});
  ASSERT_TRUE(writer);
  for (const auto &[ns, function, kind] : {std::tuple{1000, 2, ada::EventKind::Call},
                                           {1017, 3, ada::EventKind::Call},
                                           {1034, 3, ada::EventKind::Return},
                                           {1250, 2, ada::EventKind::Return}})
    ASSERT_TRUE(writer->append({.timestampNs = static_cast<uint64_t>(ns),
                                .functionId = 1ull << 32 | static_cast<unsigned>(function),
                                .kind = kind}));
  ASSERT_TRUE(writer->finish());
  std::string shown;
  bool inside = false;
  std::ifstream document(ADA_DOCS "/formats/packed.md");
  for (std::string line; std::getline(document, line) && !(inside && line.starts_with("```"));) {
    inside |= line.starts_with("41 54 50 4b");
    std::istringstream words(inside ? line.substr(0, line.find("   ")) : std::string());
    for (std::string word; words >> word;)
      if (word == "..") // zeros up to the end of the part
        shown.resize(aligned(shown.size()));
      else
        shown += static_cast<char>(std::stoi(word, nullptr, 16));
  }
  EXPECT_EQ(shown, ada::test::bytesOfFile(scratch / "index.atp"));
}

} // namespace
