// The files shown in docs/formats/atf.md are exactly those that the writers write.
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>
#include <iterator>
#include <sstream>

using namespace ada;
using namespace ada::atf;

namespace {

// The bytes before each line's comment, from the fenced block whose first line begins with `magic`.
std::string bytesOfBlock(std::istream &in, const std::string &magic) {
  std::string bytes;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (!inside) {
      inside = line.starts_with(magic);
      if (!inside)
        continue;
    }
    if (line.starts_with("```"))
      break;
    std::istringstream words(line.substr(0, line.find("   ")));
    for (std::string pair; words >> pair;)
      bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
  }
  return bytes;
}

TEST(AtfDocument, ShowsARealFile) {
  std::ifstream document(ADA_DOCS "/formats/atf.md");
  ASSERT_TRUE(document);
  ada::test::ScratchDirectory scratch;
  std::string path = scratch / "index.atf";
  auto writer = IndexWriter::create(path, {.threadId = 4711});
  ASSERT_TRUE(writer);
  IndexEvent event{.timestampNs = 1000, .functionId = 0x100000002, .kind = EventKind::Call};
  ASSERT_TRUE(writer->append(event));
  event.timestampNs = 1250;
  event.kind = EventKind::Return;
  ASSERT_TRUE(writer->append(event));
  ASSERT_TRUE(writer->finish());
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes, bytesOfBlock(document, "41 54 49 32"));
}

TEST(AtfDocument, ShowsARealDetailFile) {
  std::ifstream document(ADA_DOCS "/formats/atf.md");
  ASSERT_TRUE(document);
  ada::test::ScratchDirectory scratch;
  std::string path = scratch / "detail.atf";
  auto writer = DetailWriter::create(path, {.threadId = 4711});
  ASSERT_TRUE(writer);
  FunctionPayload payload{
      .functionId = 0x100000002, .registers = {10}, .lr = 0x401136, .fp = 0x7ffc00001040, .sp = 0x7ffc00001008};
  const uint8_t stack[] = {0x36, 0x11, 0x40, 0, 0, 0, 0, 0};
  payload.stack = std::as_bytes(std::span(stack));
  DetailEvent event{.type = kDetailFunctionCall, .timestampNs = 1000};
  ASSERT_TRUE(writer->append(event, payload));
  struct {
    RawVectorPayload head{};
    double low = 2.5, high = 0;
  } vectors;
  vectors.head.functionId = 0x100000002;
  vectors.head.count = 1;
  vectors.head.bytesEach = 16;
  event.type = kDetailVectors;
  ASSERT_TRUE(writer->append(event, std::as_bytes(std::span(&vectors, 1))));
  ASSERT_TRUE(writer->finish());
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes, bytesOfBlock(document, "41 54 44 32"));
}

} // namespace
