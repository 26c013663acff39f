// The folder of vectors is complete.
// It has vectors, and each file named in its lists exists and has the outcome given there.
#include "vector_folder.h"

#include <gtest/gtest.h>

#include <iostream>

namespace fs = std::filesystem;
using namespace ada::test;
using Json = nlohmann::json;

namespace {

// Paths in a list start at the list's folder or one above it.
fs::path inOrAbove(fs::path folder, const fs::path &listed) {
  for (int levels = 0; levels < 4; ++levels, folder = folder.parent_path())
    if (fs::exists(folder / listed))
      return folder / listed;
  return {};
}

TEST(VectorFolder, HasVectors) {
  const size_t atf = vectorsOf(VectorFormat::Atf).size(), dial9 = vectorsOf(VectorFormat::Dial9).size(),
               wtf = vectorsOf(VectorFormat::Wtf).size();
  std::cout << vectorFolder().string() << ": " << atf << " of ATF, " << dial9 << " of dial9, " << wtf
            << " of wtf-trace\n";
  EXPECT_GT(atf + dial9 + wtf, 0u) << "no vectors in " << vectorFolder();
  if (areOwnVectors()) {
    EXPECT_GE(atf, 220u);
    EXPECT_GE(dial9, 118u);
    EXPECT_GE(wtf, 5u);
  }
}

TEST(VectorFolder, ListsAreRight) {
  for (const fs::path &list : filesInVectors(".json")) {
    if (list.filename() != "index.json" && list.filename() != "atf-index.json")
      continue;
    SCOPED_TRACE(list.string());
    for (const Json &entry : jsonOfFile<Json>(list)) {
      const std::string listed = entry.at("path");
      const fs::path answer = inOrAbove(list.parent_path(), entry.at("expect").get<std::string>());
      ASSERT_FALSE(answer.empty()) << entry.at("expect") << " is not there";
      const Json vector = jsonOfFile<Json>(answer);
      if (vector.value("kind", "") != "session") { // it may have no files
        EXPECT_FALSE(inOrAbove(list.parent_path(), listed).empty()) << listed << " is not there";
      }
      const Json &expect = vector.at("expect");
      EXPECT_EQ(expect.at("outcome"), entry.at("outcome")) << listed;
      EXPECT_EQ(expect.at("error"), entry.at("error")) << listed;
    }
  }
}

} // namespace
