// A process is killed while the trace moves from one part to the next (option rotate).
// Whenever that happens, and whichever part is recovered first, the ring's records end up in one part, once.
#include "ada/trace/recover.h"
#include "ada/trace/session.h"
#include "dead_process.h"
#include "formats/native/bytes/checksum.h"
#include "scratch_directory.h"
#include "shared/encode/packed_blocks.h"
#include "trace/base/file_bytes.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ada;
using namespace ada::atf;
using namespace ada::test;

namespace {

using Json = nlohmann::json;

// The ring's header belongs to the first or the second part; the first part's link may be gone.
enum class Killed { BeforeTheStore, BehindTheStore, BehindTheUnlink };

struct Case {
  Killed killed;
  bool isBeside;      // the ring is a file in the trace's directories
  bool isSecondFirst; // the second part is recovered first
};

// In the first part function 1 is called and calls function 2. The ring has the returns of both calls, and another
// call.
class Parts : public testing::TestWithParam<Case> {
protected:
  static constexpr unsigned kInFirst = 2, kInRing = 3;
  ScratchDirectory scratch_;
  const std::string first_ = scratch_ / "session/pid_7", second_ = scratch_ / "session/pid_7_2",
                    ringFile_ = scratch_ / "adatrace-7-1";

  static uint64_t functionOf(unsigned ordinal) { return uint64_t{1} << 32 | ordinal; }

  void SetUp() override {
    ring_.header().format = ADA_FORMAT_PACKED;
    ring_.header().pid = 7;
    ring_.header().locked = 1;
    ring_.header().directory_number = GetParam().killed == Killed::BeforeTheStore ? 0 : 2;
    ring_.name(first_);
    ring_.add(1000, 1, ADA_RECORD_CALL);
    ring_.add(1010, 2, ADA_RECORD_CALL);
    ring_.thread().cursor[0] = {.events = kInFirst, .chunk_seq = 0, .record = kInFirst};
    ring_.add(1020, 2, ADA_RECORD_RETURN);
    ring_.add(1030, 1, ADA_RECORD_RETURN);
    ring_.add(1040, 3, ADA_RECORD_CALL);
    writeFirst();
    writeSecond();
    const bool hasFirstLink = GetParam().killed != Killed::BehindTheUnlink;
    if (GetParam().isBeside) {
      ring_.write(second_ + "/ring");
      if (hasFirstLink)
        std::filesystem::create_hard_link(second_ + "/ring", first_ + "/ring");
    } else {
      ring_.write(ringFile_);
      std::filesystem::create_symlink(ringFile_, second_ + "/ring");
      if (hasFirstLink)
        std::filesystem::create_symlink(ringFile_, first_ + "/ring");
    }
  }

  static void writeManifest(const std::string &directory, const char *how, const Json &part, unsigned before) {
    const Json thread = {{"id", 0}, {"has_detail", false}, {"before", {{"event_count", before}}}};
    const Json manifest = {
        {"process", {{"pid", 7}, {"exit", {{"how", how}}}}}, {"part", part}, {"threads", Json::array({thread})}};
    writeFile(directory + "/manifest.json", manifest.dump());
  }

  void writeFirst() {
    std::filesystem::create_directories(first_);
    auto index = IndexWriter::create(first_ + "/thread_0.index.atp", {.packed = true, .threadId = RingBuilder::kTid});
    ASSERT_TRUE(index);
    ASSERT_TRUE(index->append({.timestampNs = 1000, .functionId = functionOf(1), .kind = EventKind::Call}));
    ASSERT_TRUE(index->append({.timestampNs = 1010, .functionId = functionOf(2), .kind = EventKind::Call}));
    ASSERT_TRUE(index->finish(false));
    writeManifest(first_, "rotated", {{"number", 1}, {"next", "pid_7_2"}}, 0);
  }

  // As the runtime writes it: the beginning of a block.
  void writeSecond() {
    auto writer = std::make_unique<packed::BlockWriter>();
    packed::Byte bytes[packed::kMaxBlockStartBytes + 2 * packed::kMaxEventBytes];
    packed::Byte *const body = bytes + writer->begin(bytes, crc32c);
    packed::Byte *end = writer->encode(body, 1, functionOf(1), 1000);
    end = writer->encode(end, 1, functionOf(2), 1010);
    writer->added(body, static_cast<size_t>(end - body), crc32c);
    (void)writer->close(crc32c);
    const size_t used = writer->begin(bytes, crc32c);
    const packed::RawFileHeader header =
        packed::encodeFileHeader({2, 1, 1, kClockBoottime, RingBuilder::kTid}, nullptr, 0, false, crc32c);
    writeFile(second_ + "/thread_0.index.atp", std::string(reinterpret_cast<const char *>(&header), sizeof header) +
                                                   std::string(reinterpret_cast<const char *>(bytes), used));
    writeManifest(second_, "running", {{"number", 2}, {"previous", "pid_7"}}, kInFirst);
  }

  static void recover(const std::string &directory) {
    const auto result = recoverProcess(directory, {.exitCode = {}, .signal = 9});
    ASSERT_TRUE(result) << result.error().text();
    for (const Error &failure : result->failures)
      ADD_FAILURE() << failure.text();
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(directory + "/ring")));
  }

  static Json manifestOf(const std::string &directory) { return Json::parse(readFile(directory + "/manifest.json")); }

  RingBuilder ring_;
};

TEST_P(Parts, HaveEachEventOnce) {
  recover(GetParam().isSecondFirst ? second_ : first_);
  recover(GetParam().isSecondFirst ? first_ : second_);
  EXPECT_FALSE(std::filesystem::exists(ringFile_));

  const bool isInFirst = GetParam().killed == Killed::BeforeTheStore;
  auto first = IndexReader::open(first_ + "/thread_0.index.atp"),
       second = IndexReader::open(second_ + "/thread_0.index.atp");
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->isComplete() && second->isComplete());
  EXPECT_EQ(first->size(), kInFirst + (isInFirst ? kInRing : 0));
  ASSERT_EQ(second->size(), isInFirst ? 0 : kInRing);
  EXPECT_EQ(second->numberOf(0), kInFirst);
  EXPECT_EQ(second->openAtStart().calls.size(), 2u);
  const IndexReader &last = isInFirst ? *first : *second;
  EXPECT_EQ(last[last.size() - kInRing].functionId, functionOf(2));
  EXPECT_EQ(last[last.size() - 1].functionId, functionOf(3));
  EXPECT_EQ(last[last.size() - 1].kind, EventKind::Call);

  const Json told = manifestOf(first_), toldOfSecond = manifestOf(second_);
  EXPECT_EQ(std::string(told["process"]["exit"]["how"]), isInFirst ? "signal" : "rotated");
  EXPECT_EQ(told["part"].contains("next"), !isInFirst);
  EXPECT_EQ(std::string(toldOfSecond["process"]["exit"]["how"]), "signal");
  EXPECT_EQ(uint64_t{toldOfSecond["threads"][0]["event_count"]}, second->size());
  EXPECT_FALSE(toldOfSecond["threads"][0].contains("dropped") && !toldOfSecond["threads"][0]["dropped"].empty());
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const Killed killed : {Killed::BeforeTheStore, Killed::BehindTheStore, Killed::BehindTheUnlink})
    for (const bool isBeside : {false, true})
      for (const bool isSecondFirst : {false, true})
        cases.push_back({killed, isBeside, isSecondFirst});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, Parts, testing::ValuesIn(allCases()));

} // namespace
