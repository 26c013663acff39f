// Files of other programs decode to the content that is described beside them.
// The description has the dialect, header, definitions, records, and zones as trees of scopes. The files survive a
// round trip byte for byte.
#include "content.h"
#include "thorough.h"
#include "vector_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace ada::wtf;
using namespace wtftest;
namespace fs = std::filesystem;

std::vector<fs::path> vectorFiles() {
  std::vector<fs::path> files;
  for (const auto &vector : ada::test::vectorsOf(ada::test::VectorFormat::Wtf))
    files.push_back(vector.subject);
  return files;
}

Json described(fs::path file) { return ada::test::jsonOfFile<Json>(file.replace_extension(".json")); }

/// Compares only what the description has.
void expectMember(const Json &expected, const char *name, const Json &actual) {
  if (expected.contains(name)) {
    EXPECT_EQ(expected[name], actual) << name;
  }
}

void expectHeader(const Json &expected, const FileHeader &header) {
  const auto parse = [](const std::string &text) { return text.empty() ? Json::object() : Json::parse(text); };
  expectMember(expected, "contextInfo", parse(header.contextInfo));
  expectMember(expected, "metadata", parse(header.metadata));
  expectMember(expected, "timebase", header.timebaseMs);
  if (header.dialect == Dialect::Chunked) {
    Json flags = Json::array();
    if (header.flags & kHighResolutionTimes)
      flags.push_back("has_high_resolution_times");
    if (header.flags & kTimesAsCount)
      flags.push_back("times_as_count");
    expectMember(expected, "flags", flags);
    return;
  }
  expectMember(expected, "flags", header.flags);
  expectMember(expected, "eventsOffset", header.eventsOffset);
  expectMember(expected, "headerStringForm", header.strings == HeaderStrings::LengthOnly ? "len" : "chars+bytes");
}

TEST(WtfVectors, decodeAsDescribed) {
  for (const fs::path &path : vectorFiles()) {
    SCOPED_TRACE(path.filename().string());
    const Json expected = described(path);
    const std::string file = readFile(path);
    Content content;
    decode(file, content);
    ASSERT_FALSE(content.error) << content.error->message;
    ASSERT_TRUE(content.header);
    if (ada::test::areOwnVectors()) {
      EXPECT_TRUE(content.warnings.empty()) << content.warnings[0];
    }

    const std::string dialect = expected.at("dialect");
    EXPECT_EQ(dialect.substr(0, dialect.find(" (")), dialectName(content.header->dialect));
    expectMember(expected, "formatVersion", content.header->formatVersion());
    expectMember(expected, "wtfVersionLow32", content.header->wtfVersion);
    const Json &header = expected.at("header");
    expectHeader(header.contains("header") ? header["header"] : header, *content.header);
    expectMember(expected, "eventTypes", content.types);
    expectMember(expected, "records", content.records);

    const Tree tree = readTree(bytesOf(file));
    EXPECT_FALSE(tree.error);
    Json zones = Json::array();
    for (const ZoneTree &zone : tree.zones)
      zones.push_back(toJson(zone));
    expectMember(expected, "zones", zones);
  }
}

TEST(WtfVectors, comeTheSameInPiecesOfAnySize) {
  for (const fs::path &path : vectorFiles()) {
    SCOPED_TRACE(path.filename().string());
    const std::string file = readFile(path);
    Content whole;
    decode(file, whole);
    for (size_t piece : {1, 2, 3, 5, 11, 12, 13, 64, 255, 1000}) {
      SCOPED_TRACE(piece);
      Content pieces;
      decode(file, pieces, piece);
      EXPECT_FALSE(pieces.error);
      EXPECT_EQ(pieces.records, whole.records);
      EXPECT_EQ(pieces.types, whole.types);
    }
  }
}

/// Only the project's own files: others may use a freedom that the encoder does not.
TEST(WtfVectors, reencodeToTheSameBytes) {
  if (!ada::test::areOwnVectors())
    GTEST_SKIP() << "byte-exact for the project's own vectors only";
  for (const fs::path &path : vectorFiles()) {
    SCOPED_TRACE(path.filename().string());
    const std::string file = readFile(path);
    auto again = reencode(file);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, file);
  }
}

TEST(WtfVectors, saySameInEachDialect) {
  for (const fs::path &path : vectorFiles())
    for (Dialect dialect : {Dialect::BigEndian, Dialect::LittleEndian, Dialect::Chunked}) {
      SCOPED_TRACE(path.filename().string());
      SCOPED_TRACE(dialectName(dialect));
      const std::string file = readFile(path);
      auto other = reencode(file, dialect);
      ASSERT_TRUE(other) << other.error().message;
      Content before, after;
      decode(file, before);
      decode(*other, after);
      ASSERT_FALSE(after.error) << after.error->message;
      EXPECT_EQ(after.header->dialect, dialect);
      EXPECT_EQ(after.types, before.types);
      ASSERT_EQ(after.records.size(), before.records.size());
      for (size_t i = 0; i < before.records.size(); ++i) {
        Json a = before.records[i], b = after.records[i];
        for (Json *record : {&a, &b}) {
          record->erase("off");
          for (Json &value : (*record)["args"]) // version 3 has no difference
                                                // between "" and none
            if (value == "")
              value = nullptr;
        }
        EXPECT_EQ(a, b);
      }
    }
}

TEST(WtfVectors, giveWhatIsBeforeAnyCut) {
  for (const fs::path &path : vectorFiles()) {
    SCOPED_TRACE(path.filename().string());
    const std::string file = readFile(path);
    Content whole;
    decode(file, whole);
    // Each record ends where the next one begins, or where the file (or the chunk's event part) ends.
    std::vector<uint64_t> ends(whole.offsets.begin() + (whole.offsets.empty() ? 0 : 1), whole.offsets.end());
    ends.push_back(file.size());
    const bool chunked = whole.header->dialect == Dialect::Chunked;
    for (size_t cut = 0; cut < file.size(); cut += ada::test::stride(11)) {
      SCOPED_TRACE(cut);
      Content part;
      decode(file.substr(0, cut), part);
      const size_t complete = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin());
      if (chunked && !ada::test::areOwnVectors()) { // chunks between records,
                                                    // or texts behind events
        ASSERT_LE(part.records.size(), whole.records.size());
      } else {
        ASSERT_EQ(part.records.size(), complete);
      }
      for (size_t i = 0; i < part.records.size(); ++i)
        ASSERT_EQ(part.records[i], whole.records[i]);
      const bool atBoundary =
          !chunked && (cut == whole.header->eventsOffset || std::find(ends.begin(), ends.end(), cut) != ends.end());
      ASSERT_EQ(part.error.has_value(), !atBoundary);
      if (!part.error)
        continue;
      EXPECT_EQ(part.error->code, "E_TRUNCATED");
      ASSERT_TRUE(part.error->offset);
      EXPECT_LE(*part.error->offset, cut);
      if (!chunked && cut > whole.header->eventsOffset) {
        EXPECT_EQ(*part.error->offset, whole.offsets[complete]);
      }
      EXPECT_NE(part.error->message.find(cut ? std::to_string(cut) : "empty"), std::string::npos)
          << part.error->message;
    }
  }
}

} // namespace
