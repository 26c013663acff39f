// The annotated file at the top of docs/formats/wtf-trace.md is a real file with the content that the page describes.
#include "content.h"

#include <gtest/gtest.h>

#include <sstream>

namespace {

using namespace wtftest;

TEST(WtfDocs, theFileOnThePageIsAFile) {
  std::istringstream page(readFile(ADA_WTF_DOC));
  std::string line, file;
  while (std::getline(page, line) && line != "```")
    ;
  while (std::getline(page, line) && line != "```") {
    std::istringstream bytes(line.substr(0, line.find("   ")));
    for (unsigned byte; bytes >> std::hex >> byte;)
      file += static_cast<char>(byte);
  }
  ASSERT_GT(file.size(), 100u);
  const ada::wtf::Tree tree = ada::wtf::readTree(bytesOf(file));
  ASSERT_FALSE(tree.error) << tree.error->message;
  EXPECT_EQ(tree.header->timebaseMs, 1700000000000);
  ASSERT_EQ(tree.zones.size(), 1u);
  EXPECT_EQ(toJson(tree.zones[0])["tree"], Json::parse(R"([{"kind":"scope","name":"f","enterUs":1000,"leaveUs":3500,
                                                           "args":{"n":-7},"children":[]}])"));
  auto again = reencode(file);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, file);
}

} // namespace
