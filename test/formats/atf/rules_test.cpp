// Rules of the ATF readers that no vector shows.
// The order of the checks, which of two footers counts, gaps, and what counts as a thread.
#include "ada/trace/atf_detail.h"
#include "ada/trace/atf_index.h"
#include "ada/trace/session.h"
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "scratch_directory.h"
#include "vector_folder.h"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

using namespace ada::atf;

namespace {

using File = std::vector<std::byte>;

template <class Number> void put(File &file, size_t at, Number value) {
  for (size_t i = 0; i < sizeof value; ++i)
    file.at(at + i) = static_cast<std::byte>(value >> (8 * i));
}

File finished(const std::string &path) {
  const std::string text = ada::test::bytesOfFile(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

File indexFile(uint8_t version, unsigned events) {
  ada::test::ScratchDirectory scratch;
  auto writer = IndexWriter::create(scratch / "index.atf", {.version = version, .threadId = 7});
  EXPECT_TRUE(writer);
  for (unsigned i = 0; i < events; ++i)
    EXPECT_TRUE(writer->append({.timestampNs = 100 + i, .functionId = i, .kind = ada::EventKind::Call}));
  EXPECT_TRUE(writer->finish());
  return finished(scratch / "index.atf");
}

File detailFile(uint8_t version, unsigned events) {
  ada::test::ScratchDirectory scratch;
  auto writer = DetailWriter::create(scratch / "detail.atf", {.version = version, .threadId = 7});
  EXPECT_TRUE(writer);
  const std::byte payload[40] = {};
  for (unsigned i = 0; i < events; ++i)
    EXPECT_TRUE(writer->append({.type = 9, .indexSeq = i, .timestampNs = i}, std::span(payload).first(i)));
  EXPECT_TRUE(writer->finish());
  return finished(scratch / "detail.atf");
}

std::vector<std::string> codes(const std::vector<ada::Warning> &warnings) {
  std::vector<std::string> list;
  for (const ada::Warning &warning : warnings)
    list.push_back(warning.code);
  return list;
}
using Codes = std::vector<std::string>;

// Each damage is checked before the earlier ones, and hides them.
TEST(AtfRules, IndexChecksHaveAnOrder) {
  for (uint8_t version : {1, 2}) {
    SCOPED_TRACE(int(version));
    File file = indexFile(version, 3);
    const auto expectError = [&](const char *code) {
      auto reader = IndexReader::fromBytes(file);
      ASSERT_FALSE(reader) << code;
      EXPECT_EQ(reader.error().code, code);
    };
    ASSERT_TRUE(IndexReader::fromBytes(file));
    put(file, 64, uint8_t{0xee}); // an event
    expectError("E_BAD_CHECKSUM");
    put(file, 160 + 32, uint64_t{95}); // footer: bytes
    expectError("E_BAD_FOOTER");
    put(file, 32, uint64_t{63}); // events_offset
    expectError("E_BAD_OFFSET");
    put(file, version == 1 ? 24 : 20, uint32_t{33}); // event_size
    expectError("E_BAD_EVENT_SIZE");
    put(file, 5, uint8_t{3});
    expectError("E_BAD_VERSION");
    put(file, 4, uint8_t{2});
    expectError("E_BAD_ENDIAN");
    put(file, 0, uint8_t{0});
    expectError("E_BAD_MAGIC");
    file.resize(63);
    expectError("E_TOO_SMALL");
  }
}

TEST(AtfRules, DetailChecksHaveAnOrder) {
  for (uint8_t version : {1, 2}) {
    SCOPED_TRACE(int(version));
    File file = detailFile(version, 3);
    const size_t footer = file.size() - 64;
    const auto expectError = [&](const char *code) {
      auto reader = DetailReader::fromBytes(file);
      ASSERT_FALSE(reader) << code;
      EXPECT_EQ(reader.error().code, code);
    };
    ASSERT_TRUE(DetailReader::fromBytes(file));
    put(file, footer + 8, uint64_t{4}); // footer: count
    expectError("E_BAD_FOOTER");
    const File wrongCount = file;
    put(file, 64, uint32_t{23}); // first event's length
    put(file, footer + 4, uint32_t{0});
    expectError("E_BAD_EVENT");
    std::copy_n(wrongCount.begin() + footer + 4, 4, file.begin() + footer + 4);
    expectError("E_BAD_CHECKSUM");
    put(file, 20, uint64_t{file.size() + 1}); // events_offset
    expectError("E_BAD_OFFSET");
    put(file, 5, uint8_t{0});
    expectError("E_BAD_VERSION");
    put(file, 4, uint8_t{0});
    expectError("E_BAD_ENDIAN");
    put(file, 3, uint8_t{'1'});
    expectError("E_BAD_MAGIC");
    file.clear();
    expectError("E_TOO_SMALL");
  }
}

// The place that the header gives is tried first; a place before the events is not valid.
TEST(AtfRules, WhichFooterCounts) {
  File file = indexFile(2, 3);
  const File footer(file.end() - 64, file.end());
  file.insert(file.end(), footer.begin(), footer.end());
  auto first = IndexReader::fromBytes(file);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->footer()->offset, 160u);
  EXPECT_EQ(codes(first->warnings()), Codes{"W_TRAILING_BYTES"});

  File moved = indexFile(2, 3);
  moved.insert(moved.begin() + 64, footer.begin(), footer.end());
  put(moved, 32, uint64_t{128}); // events_offset
  put(moved, 40, uint64_t{64});  // footer_offset
  auto last = IndexReader::fromBytes(moved);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->size(), 3u);
  EXPECT_EQ(last->footer()->offset, 224u);
  EXPECT_EQ(codes(last->warnings()), Codes{"W_FOOTER_OFFSET_STALE"});
}

// The checksum ends where the footer says, wherever the footer is.
TEST(AtfRules, AGapIsNotInTheChecksum) {
  for (size_t gap : {1, 31, 32, 100}) {
    File file = indexFile(1, 3);
    file.insert(file.end() - 64, gap, std::byte{0xcc});
    put(file, 40, uint64_t{160 + gap});
    auto reader = IndexReader::fromBytes(file);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_EQ(reader->size(), 3u);
    EXPECT_EQ(reader->checksum(), ChecksumState::Ok);
    EXPECT_EQ(codes(reader->warnings()), Codes{"W_GAP_BEFORE_FOOTER"});
  }
}

// The header's count has 32 bits; if all are ones, there may be more events.
TEST(AtfRules, ASaturatedCountIsChecked) {
  File file = indexFile(1, 3);
  put(file, 28, ~uint32_t{0});
  auto reader = IndexReader::fromBytes(file);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->size(), 3u);
  EXPECT_EQ(codes(reader->warnings()), Codes{"W_HEADER_COUNT_STALE"});
}

// Bytes after a footer may look like another footer: the one that agrees with the events counts.
TEST(AtfRules, WhichDetailFooterCounts) {
  File file = detailFile(2, 4);
  const size_t place = file.size() - 64;
  File copy(file.end() - 64, file.end());
  file.insert(file.end(), copy.begin(), copy.end());
  auto reader = DetailReader::fromBytes(file);
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->footer()->offset, place);
  EXPECT_EQ(reader->size(), 4u);
  EXPECT_EQ(codes(reader->warnings()), Codes{"W_TRAILING_BYTES"});
}

TEST(AtfRules, AnEventNeedsNoPayload) {
  File file = detailFile(1, 1); // 24 bytes
  auto reader = DetailReader::fromBytes(file);
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->size(), 1u);
  EXPECT_EQ((*reader)[0].totalLength, 24u);
  EXPECT_TRUE((*reader)[0].payload.empty());
  // The same holds for the last event of a file without a footer.
  file.resize(64 + 24);
  auto crashed = DetailReader::fromBytes(file);
  ASSERT_TRUE(crashed);
  EXPECT_EQ(crashed->size(), 1u);
}

TEST(AtfRules, WithoutManifestThreadsAreNumberedDirectories) {
  ada::test::ScratchDirectory scratch;
  const File file = indexFile(2, 1);
  const std::string bytes(reinterpret_cast<const char *>(file.data()), file.size());
  for (const char *name : {"thread_10", "thread_2", "thread_x", "thread_", "thread_-1", "thread_3x", "thread", "3"})
    scratch.write(std::string("s/") + name + "/index.atf", bytes);
  scratch.write("s/thread_4", "a file");
  auto process = ProcessTrace::open(scratch / "s");
  ASSERT_TRUE(process);
  std::vector<uint64_t> ids;
  for (const ThreadTrace &thread : process->threads())
    ids.push_back(thread.id);
  EXPECT_EQ(ids, (std::vector<uint64_t>{2, 10}));
  EXPECT_EQ(codes(process->warnings()), Codes{"W_NO_MANIFEST"});
}

TEST(AtfRules, WithoutManifestPackedThreadsAreNumberedFiles) {
  ada::test::ScratchDirectory scratch;
  const auto add = [&](const std::string &name) {
    std::filesystem::create_directories(std::filesystem::path(scratch / name).parent_path());
    auto writer = IndexWriter::create(scratch / name, {.packed = true, .threadId = 7});
    ASSERT_TRUE(writer && writer->append({.timestampNs = 1, .functionId = 1, .kind = ada::EventKind::Call}) &&
                writer->finish(false));
  };
  for (const char *name : {"10.index.atp", "2.index.atp", "x.index.atp", ".index.atp", "-1.index.atp", "3x.index.atp",
                           "4.index.atf", "5.atp", "6.index.atp.own", "7.index.atp.index.atp"})
    add(std::string("s/thread_") + name);
  add("s/thread_8/index.atp"); // by an older version
  scratch.write("s/thread_2.sched.ads", "a thread has several files");
  scratch.write("s/thread_9.index.atp/file", "a directory");
  auto process = ProcessTrace::open(scratch / "s");
  ASSERT_TRUE(process);
  std::vector<uint64_t> ids;
  for (const ThreadTrace &thread : process->threads()) {
    EXPECT_TRUE(thread.index && thread.index->size() == 1) << thread.id;
    EXPECT_EQ(thread.directory, "thread_" + std::to_string(thread.id));
    EXPECT_EQ(thread.path, scratch / "s/thread_" + std::to_string(thread.id));
    ids.push_back(thread.id);
  }
  EXPECT_EQ(ids, (std::vector<uint64_t>{2, 8, 10}));
  EXPECT_EQ(codes(process->warnings()), Codes{"W_NO_MANIFEST"});
}

TEST(AtfRules, IdsThatAreNoNumbersOfThreads) {
  for (const char *id : {"4294967296", "-1", "1.5", "\"1\"", "true", "null", "[1]", "1e400"})
    EXPECT_FALSE(ada::Manifest::parse(std::string("{\"threads\":[{\"id\":") + id + "}]}")) << id;
  EXPECT_TRUE(ada::Manifest::parse("{\"threads\":[{\"id\":4294967295}]}"));
}

} // namespace
