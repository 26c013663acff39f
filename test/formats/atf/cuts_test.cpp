// A file that is cut off anywhere can be read up to the cut.
// Nothing crashes (the bytes end at the end of a heap block, where AddressSanitizer watches), and no event appears that
// is not in the complete file.
#include "ada/trace/atf_detail.h"
#include "ada/trace/atf_index.h"
#include "ada/trace/session.h"
#include "formats/native/index/index_writer.h"
#include "scratch_directory.h"
#include "thorough.h"
#include "vector_folder.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace ada::atf;

namespace {

// A copy that ends exactly at the end of its memory block.
struct Exact {
  explicit Exact(std::span<const std::byte> from) : data(new std::byte[from.size()]), size(from.size()) {
    std::copy(from.begin(), from.end(), data.get());
  }
  operator std::span<const std::byte>() const { return {data.get(), size}; }
  std::unique_ptr<std::byte[]> data;
  size_t size;
};

// Reads everything that can be read.
uint64_t use(const IndexReader &reader) {
  uint64_t sum = 0;
  reader.forEach([&](uint64_t, const IndexEvent &e) { sum += e.timestampNs + e.functionId + e.detailSeq; });
  SeqRange range = reader.timeRange(reader.minTimeNs(), reader.maxTimeNs());
  return sum + range.size() + reader.lowerBound(sum);
}
uint64_t use(const DetailReader &reader) {
  uint64_t sum = 0;
  for (uint64_t seq = 0; seq < reader.size(); ++seq) {
    DetailEvent e = reader[seq];
    for (std::byte b : e.payload)
      sum += static_cast<unsigned>(b);
    if (auto f = e.function())
      sum += f->lr + f->stack.size();
  }
  return sum;
}

// The number of whole records between the last event that a footer counts and the footer. Without the footer nothing
// says that they are not events.
uint64_t recordsInGap(const IndexReader &whole) {
  if (!whole.footer())
    return 0;
  return (whole.footer()->offset - whole.header().eventsOffset) / 32 - whole.size();
}

TEST(AtfCuts, IndexFilesGiveAPrefix) {
  size_t cuts = 0;
  for (const auto &path : ada::test::filesInVectors(".atf")) {
    std::vector<std::byte> bytes = ada::test::bytesOf(path);
    auto whole = IndexReader::fromBytes(bytes, path.string());
    for (size_t size = 0; size <= bytes.size(); size += ada::test::stride(7), ++cuts) {
      Exact cut(std::span<const std::byte>(bytes).first(size));
      auto reader = IndexReader::fromBytes(cut, path.string());
      if (!reader) {
        ASSERT_FALSE(reader.error().message.empty());
        continue;
      }
      use(*reader);
      ASSERT_LE(reader->header().eventsOffset + 32 * reader->size(), size) << path << " cut to " << size;
      if (!whole)
        continue;
      ASSERT_LE(reader->size(), whole->size() + recordsInGap(*whole)) << path << " cut to " << size;
      // A missing rest is reported, unless only bytes after the footer are missing.
      const bool isWhole = whole->footer() && size >= whole->footer()->offset + 64;
      ASSERT_TRUE(isWhole || !reader->warnings().empty()) << path << " cut to " << size;
      for (uint64_t seq = 0; seq < std::min(reader->size(), whole->size()); ++seq)
        ASSERT_EQ((*reader)[seq], (*whole)[seq]) << path << " cut to " << size;
    }
  }
  EXPECT_GT(cuts, 1000u);
}

bool isSame(const DetailEvent &a, const DetailEvent &b) {
  return a.seq == b.seq && a.offset == b.offset && a.type == b.type && a.flags == b.flags && a.indexSeq == b.indexSeq &&
         a.threadId == b.threadId && a.timestampNs == b.timestampNs && std::ranges::equal(a.payload, b.payload);
}

TEST(AtfCuts, DetailFilesGiveAPrefix) {
  size_t cuts = 0;
  for (const auto &path : ada::test::filesInVectors(".atf")) {
    std::vector<std::byte> bytes = ada::test::bytesOf(path);
    auto whole = DetailReader::fromBytes(bytes, path.string());
    for (size_t size = 0; size <= bytes.size(); size += ada::test::stride(7), ++cuts) {
      Exact cut(std::span<const std::byte>(bytes).first(size));
      auto reader = DetailReader::fromBytes(cut, path.string());
      if (!reader) {
        ASSERT_FALSE(reader.error().message.empty());
        continue;
      }
      use(*reader);
      if (!whole)
        continue;
      ASSERT_LE(reader->size(), whole->size()) << path << " cut to " << size;
      ASSERT_TRUE(!reader->warnings().empty() || (whole->footer() && size >= whole->footer()->offset + 64))
          << path << " cut to " << size;
      for (uint64_t seq = 0; seq < reader->size(); ++seq) {
        DetailEvent a = (*reader)[seq], b = (*whole)[seq];
        ASSERT_TRUE(isSame(a, b)) << path << " cut to " << size;
      }
    }
  }
  EXPECT_GT(cuts, 1000u);
}

// One file of a session, possibly the manifest, is cut anywhere: each thread that can be read has its first events, and
// missing parts are reported.
TEST(AtfCuts, SessionsGivePrefixes) {
  namespace fs = std::filesystem;
  for (const auto &vector : ada::test::vectorsOf(ada::test::VectorFormat::Atf)) {
    if (vector.subject.extension() == ".atf" || !fs::exists(vector.subject))
      continue;
    auto whole = ProcessTrace::openLenient(vector.subject.string());
    if (!whole)
      continue;
    ada::test::ScratchDirectory scratch;
    const fs::path copy = scratch / "session";
    fs::copy(vector.subject, copy, fs::copy_options::recursive);
    std::vector<fs::path> files;
    for (const auto &entry : fs::recursive_directory_iterator(copy))
      if (entry.is_regular_file())
        files.push_back(entry.path());
    for (const fs::path &file : files) {
      const std::string bytes = ada::test::bytesOfFile(file);
      // A manifest is complete up to its last brace.
      size_t size = file.extension() == ".json" ? bytes.rfind('}') + 1 : bytes.size();
      for (const size_t step = ada::test::stride(29); size >= step;) {
        size -= step;
        fs::resize_file(file, size);
        const std::string what =
            vector.name + ", " + file.lexically_relative(copy).string() + " cut to " + std::to_string(size);
        auto cut = ProcessTrace::openLenient(copy.string());
        if (!cut) {
          ASSERT_FALSE(cut.error().message.empty()) << what;
          continue;
        }
        size_t said = cut->warnings().size();
        for (const ThreadTrace &thread : cut->threads()) {
          const auto same = std::ranges::find(whole->threads(), thread.id, &ThreadTrace::id);
          ASSERT_NE(same, whole->threads().end()) << what;
          said += thread.warnings.size();
          if (thread.index) {
            said += thread.index->warnings().size();
            if (same->index) {
              ASSERT_LE(thread.index->size(), same->index->size() + recordsInGap(*same->index)) << what;
              for (uint64_t seq = 0; seq < std::min(thread.index->size(), same->index->size()); ++seq)
                ASSERT_EQ((*thread.index)[seq], (*same->index)[seq]) << what;
            }
          }
          if (thread.detail && *thread.detail) {
            const DetailReader &now = **thread.detail;
            said += now.warnings().size();
            if (same->detail && *same->detail) {
              for (uint64_t seq = 0; seq < now.size(); ++seq)
                ASSERT_TRUE(isSame(now[seq], (**same->detail).at(seq).value())) << what;
            }
          }
        }
        ASSERT_GT(said, 0u) << what;
      }
      std::ofstream(file, std::ios::binary) << bytes;
    }
  }
}

// Writing stopped in the middle of the footer, or the file was cut there: no part of the footer is taken for an event,
// whatever the header says.
TEST(AtfCuts, HalfAFooterIsNoEvent) {
  for (uint8_t version : {1, 2})
    for (unsigned events : {0, 1, 5}) {
      ada::test::ScratchDirectory scratch;
      const std::string path = scratch / "index.atf";
      auto writer = IndexWriter::create(path, {.version = version});
      ASSERT_TRUE(writer);
      for (unsigned i = 0; i < events; ++i)
        ASSERT_TRUE(writer->append({.timestampNs = 1000 + i, .functionId = i, .kind = ada::EventKind::Call}));
      ASSERT_TRUE(writer->finish());
      std::vector<std::byte> bytes = ada::test::bytesOf(path);
      // The header as it was before the footer was written.
      std::fill_n(bytes.begin() + (version == 1 ? 28 : 24), version == 1 ? 4 : 8, std::byte{0});
      bytes[40] = std::byte{64};
      bytes[41] = std::byte{0};
      for (size_t size = 64 + 32 * events; size < bytes.size(); ++size) {
        auto cut = IndexReader::fromBytes(std::span(bytes).first(size), "cut");
        ASSERT_TRUE(cut);
        ASSERT_EQ(cut->size(), events) << size << " of " << bytes.size();
        const bool half = size >= 64 + 32 * events + 32;
        EXPECT_EQ(cut->warnings().at(0).code, half ? "W_FOOTER_CORRUPT" : "W_NO_FOOTER");
      }
    }
}

// Random bytes in the places that control the readers. The only requirement is that there is an answer.
TEST(AtfCuts, DamagedFilesDoNotCrash) {
  std::mt19937_64 random(20250101);
  for (const auto &path : ada::test::filesInVectors(".atf")) {
    std::vector<std::byte> bytes = ada::test::bytesOf(path);
    if (bytes.size() < 64)
      continue;
    for (int round = 0; round < ada::test::casesOf(200, 40); ++round) {
      Exact damaged(bytes);
      for (int n = 1 + static_cast<int>(random() % 4); n > 0; --n) {
        // In the header, the footer, or anywhere.
        size_t at = random() % 64;
        if (random() % 3 == 0)
          at = bytes.size() - 1 - at % bytes.size();
        else if (random() % 3 == 0)
          at = random() % bytes.size();
        damaged.data[at] = random() % 2 ? static_cast<std::byte>(random()) : static_cast<std::byte>(0xff);
      }
      for (auto policy : {ChecksumPolicy::Verify, ChecksumPolicy::Defer}) {
        if (auto reader = IndexReader::fromBytes(damaged, "damaged", {.checksum = policy})) {
          ASSERT_LE(reader->size(), damaged.size / 32);
          use(*reader);
        }
        if (auto reader = DetailReader::fromBytes(damaged, "damaged", {.checksum = policy})) {
          ASSERT_LE(reader->size(), damaged.size / 24);
          use(*reader);
        }
      }
    }
  }
}

} // namespace
