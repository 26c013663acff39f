// A file that is cut off anywhere is read up to the cut: no crash (the bytes
// end at the end of a heap block, where AddressSanitizer watches), and no event
// that the whole file doesn't have.
#include "ada/trace/atf_detail.h"
#include "ada/trace/atf_index.h"
#include "vector_folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ada::atf;

namespace {

std::vector<std::byte> readFile(const std::filesystem::path &path) {
  const std::string text = ada::test::bytesOfFile(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// A copy that ends where the block of memory does.
struct Exact {
  explicit Exact(std::span<const std::byte> from)
      : data(new std::byte[from.size()]), size(from.size()) {
    std::copy(from.begin(), from.end(), data.get());
  }
  operator std::span<const std::byte>() const { return {data.get(), size}; }
  std::unique_ptr<std::byte[]> data;
  std::size_t size;
};

// Reads everything that can be read.
std::uint64_t use(const IndexReader &reader) {
  std::uint64_t sum = 0;
  reader.forEach([&](std::uint64_t, const IndexEvent &e) {
    sum += e.timestampNs + e.functionId + e.detailSeq;
  });
  SeqRange range = reader.timeRange(reader.minTimeNs(), reader.maxTimeNs());
  return sum + range.size() + reader.lowerBound(sum);
}
std::uint64_t use(const DetailReader &reader) {
  std::uint64_t sum = 0;
  for (std::uint64_t seq = 0; seq < reader.size(); ++seq) {
    DetailEvent e = reader[seq];
    for (std::byte b : e.payload)
      sum += static_cast<unsigned>(b);
    if (auto f = e.function())
      sum += f->lr + f->stack.size();
  }
  return sum;
}

TEST(AtfCuts, IndexFilesGiveAPrefix) {
  std::size_t cuts = 0;
  for (const auto &path : ada::test::filesInVectors(".atf")) {
    std::vector<std::byte> bytes = readFile(path);
    auto whole = IndexReader::fromBytes(bytes, path.string());
    for (std::size_t size = 0; size <= bytes.size(); ++size, ++cuts) {
      Exact cut(std::span<const std::byte>(bytes).first(size));
      auto reader = IndexReader::fromBytes(cut, path.string());
      if (!reader)
        continue;
      use(*reader);
      ASSERT_LE(reader->header().eventsOffset + 32 * reader->size(), size)
          << path << " cut to " << size;
      if (!whole)
        continue;
      // In front of a header that was never finalised, or says 0 as one does, a
      // footer cut in the middle can't be told from an event.
      const IndexHeader &h = whole->header();
      bool finalised = h.eventCount > 0 && h.eventCount == whole->size() &&
                       h.footerOffset == h.eventsOffset + 32 * h.eventCount;
      std::uint64_t phantom = whole->footer() && !finalised ? 1 : 0;
      ASSERT_LE(reader->size(), whole->size() + phantom)
          << path << " cut to " << size;
      for (std::uint64_t seq = 0; seq < std::min(reader->size(), whole->size());
           ++seq)
        ASSERT_EQ((*reader)[seq], (*whole)[seq]) << path << " cut to " << size;
    }
  }
  EXPECT_GT(cuts, 1000u);
}

TEST(AtfCuts, DetailFilesGiveAPrefix) {
  std::size_t cuts = 0;
  for (const auto &path : ada::test::filesInVectors(".atf")) {
    std::vector<std::byte> bytes = readFile(path);
    auto whole = DetailReader::fromBytes(bytes, path.string());
    for (std::size_t size = 0; size <= bytes.size(); ++size, ++cuts) {
      Exact cut(std::span<const std::byte>(bytes).first(size));
      auto reader = DetailReader::fromBytes(cut, path.string());
      if (!reader)
        continue;
      use(*reader);
      if (!whole)
        continue;
      ASSERT_LE(reader->size(), whole->size()) << path << " cut to " << size;
      for (std::uint64_t seq = 0; seq < reader->size(); ++seq) {
        DetailEvent a = (*reader)[seq], b = (*whole)[seq];
        ASSERT_EQ(a.offset, b.offset) << path << " cut to " << size;
        ASSERT_TRUE(std::ranges::equal(a.payload, b.payload));
      }
    }
  }
  EXPECT_GT(cuts, 1000u);
}

// Random bytes in the places that steer the readers. Nothing is expected of the
// answers but that there is one.
TEST(AtfCuts, DamagedFilesDoNotCrash) {
  std::mt19937_64 random(20250101);
  for (const auto &path : ada::test::filesInVectors(".atf")) {
    std::vector<std::byte> bytes = readFile(path);
    if (bytes.size() < 64)
      continue;
    for (int round = 0; round < 200; ++round) {
      Exact damaged(bytes);
      for (int n = 1 + static_cast<int>(random() % 4); n > 0; --n) {
        // Header, footer, or anywhere.
        std::size_t at = random() % 64;
        if (random() % 3 == 0)
          at = bytes.size() - 1 - at % bytes.size();
        else if (random() % 3 == 0)
          at = random() % bytes.size();
        damaged.data[at] = random() % 2 ? static_cast<std::byte>(random())
                                        : static_cast<std::byte>(0xff);
      }
      for (auto policy : {ChecksumPolicy::Verify, ChecksumPolicy::Defer}) {
        if (auto reader = IndexReader::fromBytes(damaged, "damaged",
                                                 {.checksum = policy})) {
          ASSERT_LE(reader->size(), damaged.size / 32);
          use(*reader);
        }
        if (auto reader = DetailReader::fromBytes(damaged, "damaged",
                                                  {.checksum = policy})) {
          ASSERT_LE(reader->size(), damaged.size / 24);
          use(*reader);
        }
      }
    }
  }
}

} // namespace
