// The file in docs/formats/atf.md is what the writer writes.
#include "ada/trace/atf_writer.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>
#include <iterator>
#include <sstream>

using namespace ada;
using namespace ada::atf;

namespace {

// The bytes in front of each line's comment, of the first fenced block.
std::string bytesOfFirstBlock(std::istream &in) {
  std::string bytes;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      if (inside)
        break;
      inside = true;
      continue;
    }
    std::istringstream words(inside ? line.substr(0, line.find("   ")) : "");
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
  IndexEvent event{.timestampNs = 1000,
                   .functionId = 0x100000002,
                   .kind = EventKind::Call};
  ASSERT_TRUE(writer->append(event));
  event.timestampNs = 1250;
  event.kind = EventKind::Return;
  ASSERT_TRUE(writer->append(event));
  ASSERT_TRUE(writer->finish());
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes, bytesOfFirstBlock(document));
}

} // namespace
