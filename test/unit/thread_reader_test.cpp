// The two lanes of a thread, joined.
// Detail belongs to an event only if each names the other, and checkLinks() finds each link that does not fit. A
// damaged detail file is read up to its end and not beyond.
#include "ada/trace/thread_reader.h"
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "formats/native/session/link_check.h"
#include "scratch_directory.h"

#include <cstring>
#include <gtest/gtest.h>
#include <iterator>
#include <random>

using namespace ada;
using namespace ada::atf;

namespace {

std::vector<std::byte> vectorPayload(uint64_t function, double value) {
  RawVectorPayload raw{};
  raw.functionId = function;
  raw.count = 1;
  raw.bytesEach = 16;
  std::vector<std::byte> bytes(sizeof raw + 16);
  std::memcpy(bytes.data(), &raw, sizeof raw);
  std::memcpy(bytes.data() + sizeof raw, &value, sizeof value);
  return bytes;
}

// A process of one thread: `calls` calls of scale(v=n+0.5, n=n) with detail, every third with a stack.
void makeProcess(const test::ScratchDirectory &scratch, const std::string &name, uint8_t version, unsigned calls) {
  scratch.write(name + "/manifest.json", R"({"threads":[{"id":0}],"modules":[],"symbols":[{"function_id":"0x5",)"
                                         R"("name":"scale","types":"i0:s32;v:v0:f64;n:i0:s32"}]})");
  const WriterOptions options{.version = version, .threadId = 7, .overwrite = true};
  auto index = IndexWriter::create(scratch / (name + "/thread_0/index.atf"), options);
  auto detail = DetailWriter::create(scratch / (name + "/thread_0/detail.atf"), options);
  ASSERT_TRUE(index && detail);
  const std::vector<std::byte> stack(64, std::byte{0x55});
  for (unsigned n = 0; n < calls; ++n) {
    FunctionPayload payload{.functionId = 5};
    payload.registers[0] = n;
    if (n % 3 == 0)
      payload.stack = stack;
    DetailEvent event{.type = kDetailFunctionCall, .indexSeq = 2 * n, .threadId = 7, .timestampNs = 10 * n};
    const uint64_t link = detail->size();
    ASSERT_TRUE(detail->append(event, payload));
    event.type = kDetailVectors;
    ASSERT_TRUE(detail->append(event, vectorPayload(5, n + 0.5)));
    ASSERT_TRUE(index->append(
        {.timestampNs = 10 * n, .functionId = 5, .detailSeq = link, .kind = EventKind::Call, .threadId = 7}));
    ASSERT_TRUE(index->append({.timestampNs = 10 * n + 5, .functionId = 5, .kind = EventKind::Return, .threadId = 7}));
  }
  ASSERT_TRUE(index->finish(true));
  ASSERT_TRUE(detail->finish());
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ThreadReader, JoinsTheLanes) {
  for (uint8_t version : {1, 2}) {
    test::ScratchDirectory scratch;
    makeProcess(scratch, "p", version, 100);
    auto process = ProcessTrace::open(scratch / "p");
    ASSERT_TRUE(process) << process.error().text();
    const types::Catalog catalog(*process);
    const ThreadReader reader(process->threads().at(0), catalog);
    ASSERT_TRUE(reader.hasDetail());
    unsigned n = 0;
    reader.forEach([&](const ThreadEvent &event) {
      const auto detail = reader.detail(event);
      ASSERT_EQ(detail.has_value(), event.kind == EventKind::Call);
      if (!detail)
        return;
      const std::string number = std::to_string(n);
      EXPECT_EQ(reader.argumentsText(*detail), "v=" + number + ".5, n=" + number);
      EXPECT_EQ(detail->function.stack.size(), n % 3 == 0 ? 64u : 0u);
      ++n;
    });
    EXPECT_EQ(n, 100u);

    uint64_t flaws = 0;
    const LinkSummary summary = checkLinks(process->threads()[0], [&](const LinkFlaw &) { ++flaws; });
    EXPECT_EQ(flaws, 0u);
    EXPECT_EQ(summary.events, 200u);
    EXPECT_EQ(summary.highestSeq, 198u);
    EXPECT_EQ(summary.lastNs, 990u);
  }
}

TEST(DetailReader, ByNumberIsWhatTheScanSees) {
  test::ScratchDirectory scratch;
  makeProcess(scratch, "p", 2, 50);
  auto reader = DetailReader::open(scratch / "p/thread_0/detail.atf");
  ASSERT_TRUE(reader);
  for (uint64_t first : {0, 1, 7, 8, 9, 63, 99, 100, 101}) {
    uint64_t seq = first;
    reader->forEach(first, [&](const DetailEvent &event) {
      const DetailEvent same = (*reader)[seq];
      EXPECT_EQ(event.seq, seq);
      EXPECT_EQ(event.offset, same.offset);
      EXPECT_EQ(event.timestampNs, same.timestampNs);
      EXPECT_EQ(event.payload.data(), same.payload.data());
      ++seq;
    });
    EXPECT_EQ(seq, std::max<uint64_t>(first, 100));
  }
  unsigned seen = 0;
  reader->forEach([&](const DetailEvent &) { return ++seen < 3; });
  EXPECT_EQ(seen, 3u);
}

// Bytes changed at random, and the file cut: whatever can be opened is used to the end, under AddressSanitizer.
TEST(DetailReader, AnyDamageIsReadWithinTheFile) {
  test::ScratchDirectory scratch;
  makeProcess(scratch, "p", 2, 12);
  const std::string index = readFile(scratch / "p/thread_0/index.atf");
  const std::string good = readFile(scratch / "p/thread_0/detail.atf");
  std::mt19937 random(4711);
  unsigned opened = 0, refused = 0, flawed = 0;
  for (int round = 0; round < 800; ++round) {
    std::string bytes = good, links = index;
    // No checksum, because it would find every change at once.
    std::memset(bytes.data() + bytes.size() - 60, 0, 4);
    std::memset(links.data() + links.size() - 60, 0, 4);
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      const size_t at = random() % bytes.size();
      static const uint32_t kOdd[] = {0, 1, 23, 24, 25, 0x7fffffff, 0xffffffff};
      const uint32_t value = random() % 2 ? kOdd[random() % std::size(kOdd)] : static_cast<uint32_t>(random());
      std::memcpy(bytes.data() + at, &value, std::min<size_t>(4, bytes.size() - at));
    }
    if (random() % 4 == 0)
      bytes.resize(random() % bytes.size());
    if (random() % 2)
      links[64 + random() % (links.size() - 128)] ^= static_cast<char>(1 << random() % 8);
    scratch.write("p/thread_0/index.atf", links);
    scratch.write("p/thread_0/detail.atf", bytes);
    auto process = ProcessTrace::open(scratch / "p");
    ASSERT_TRUE(process);
    const ThreadTrace &thread = process->threads().at(0);
    ASSERT_TRUE(thread.index);
    ASSERT_TRUE(thread.detail);
    if (!*thread.detail) {
      EXPECT_FALSE(thread.detail->error().text().empty());
      ++refused;
      continue;
    }
    ++opened;
    const types::Catalog catalog(*process);
    const ThreadReader reader(thread, catalog);
    reader.forEach([&](const ThreadEvent &event) {
      if (const auto detail = reader.detail(event)) {
        ASSERT_LT(reader.argumentsText(*detail).size(), 10000u);
      }
    });
    (*thread.detail)->forEach([&](const DetailEvent &event) {
      const uint64_t end = event.offset + event.totalLength;
      ASSERT_LE(end, bytes.size());
      unsigned sum = 0;
      for (std::byte byte : event.payload)
        sum += std::to_integer<unsigned>(byte);
      ASSERT_LE(sum, 255 * event.payload.size());
    });
    uint64_t flaws = 0;
    checkLinks(thread, [&](const LinkFlaw &flaw) {
      ++flaws;
      ASSERT_LT(flaw.offset, (flaw.inDetail ? bytes : links).size()) << flaw.text();
      ASSERT_FALSE(flaw.text().empty());
    });
    flawed += flaws > 0;
  }
  // The test is meaningful only if both of these happen.
  EXPECT_GT(opened, 80u);
  EXPECT_GT(refused, 80u);
  EXPECT_GT(flawed, 80u);
}

} // namespace
