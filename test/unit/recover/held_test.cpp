// The ring of a killed process knows when the recorder held up a thread; recovery adds those times to the lane, once.
#include "ada/trace/recover.h"
#include "dead_process.h"
#include "scratch_directory.h"
#include "shared/encode/sched_format.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace ada;
using namespace ada::test;

namespace {

// One chunk, the thread's third. The thread was held up for it from 5000 to 5400; the last 100 of that touched memory.
// The process was last seen at 9000. Its counter counts nanoseconds.
class Held : public testing::Test {
protected:
  void SetUp() override {
    ada_ring_header &h = ring_.header();
    h.clock = ADA_CLOCK_COUNTER, h.anchors_used = 2;
    auto *anchors = reinterpret_cast<ada_anchor *>(reinterpret_cast<char *>(&h) + ADA_RING_ANCHORS_OFFSET);
    anchors[0] = {1000, 1000}, anchors[1] = {9000, 9000};
    ada_chunk &chunk = ring_.chunk();
    chunk.seq = 2, chunk.start_stamp = 5400;
    chunk.held_from = 5000, chunk.held_to = 5400, chunk.held_reason = ADA_HELD_WAITED, chunk.held_touch = 100;
    ring_.thread().cursor[0].chunk_seq = 2;
    ring_.thread().held_seq = 2;
    ring_.add(5500, 1, ADA_RECORD_CALL);
    ring_.add(5600, 1, ADA_RECORD_RETURN);
  }
  // Writes the lane as the drain left it: to the file, or into the ring.
  void write(std::initializer_list<sched::Record> records) { writeFile(lane_, bytesOf(records)); }
  void keep(std::initializer_list<sched::Record> records) {
    const std::string bytes = bytesOf(records);
    std::memcpy(ring_.sched().data, bytes.data(), bytes.size());
    ring_.sched().bytes = static_cast<uint32_t>(bytes.size());
  }
  static std::string bytesOf(std::initializer_list<sched::Record> records) {
    sched::Header header = {{}, sched::kNewestVersion, RingBuilder::kTid, 1000, sched::kIsUnknown};
    std::memcpy(header.magic, sched::kMagic, sizeof header.magic);
    std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
    for (const sched::Record &record : records)
      bytes.append(reinterpret_cast<const char *>(&record), sizeof record);
    return bytes;
  }
  static uint64_t numberAt(const std::string &json, const std::string &key) {
    const auto first = json.find(key), last = json.rfind(key);
    if (first == std::string::npos)
      return 0;
    EXPECT_NE(first, last) << key; // in the thread's figures and in the process's
    EXPECT_EQ(std::stoull(json.substr(first + key.size())), std::stoull(json.substr(last + key.size())));
    return std::stoull(json.substr(first + key.size()));
  }
  // Returns the held spans; `ns` and `missing` get the manifest's figures of the thread.
  using Spans = std::vector<std::pair<uint64_t, uint64_t>>;
  Spans recover(uint64_t &ns, uint64_t &missing) {
    ring_.name(directory_);
    ring_.write(directory_ + "/ring");
    const auto result = recoverProcess(directory_, {});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    const std::string manifest = readFile(directory_ + "/manifest.json"); // one thread: its figures are the sums
    ns = numberAt(manifest, "\"recorder_wait_ns\":"), missing = numberAt(manifest, "\"recorder_spans_missing_ns\":");
    Spans spans;
    const std::string bytes = readFile(lane_);
    for (size_t at = sizeof(sched::Header); at + sizeof(sched::Record) <= bytes.size(); at += sizeof(sched::Record)) {
      sched::Record record;
      std::memcpy(&record, bytes.data() + at, sizeof record);
      if (record.kind == sched::Kind::Held)
        spans.emplace_back(record.timeNs, 0);
      else if (record.kind == sched::Kind::Resumed)
        spans.back().second = record.timeNs;
    }
    return spans;
  }

  ScratchDirectory scratch_;
  std::string directory_ = scratch_ / "pid_1";
  std::string lane_ = directory_ + "/thread_0/sched.ads";
  RingBuilder ring_;
  uint64_t ns_ = 0, missing_ = 0;
};

} // namespace

TEST_F(Held, ChunkThatNobodyHadRead) {
  write({{2000, sched::Kind::Held, 4}, {2050, sched::Kind::Resumed, 4}});
  EXPECT_EQ(recover(ns_, missing_), (Spans{{2000, 2050}, {5000, 5300}, {5300, 5400}}));
  EXPECT_EQ(ns_, 450u);
  EXPECT_EQ(missing_, 0u);
}

TEST_F(Held, ChunkThatWasRead) {
  ring_.thread().held_seq = 3;
  write({{5000, sched::Kind::Held, 1}, {5400, sched::Kind::Resumed, 1}});
  EXPECT_EQ(recover(ns_, missing_), (Spans{{5000, 5400}}));
  EXPECT_EQ(ns_, 400u);
}

// Killed after the file was written but before the ring was updated, and in the middle of a pair.
TEST_F(Held, WrittenAndNotNoted) {
  write({{5000, sched::Kind::Held, 1}, {5400, sched::Kind::Resumed, 1}});
  EXPECT_EQ(recover(ns_, missing_), (Spans{{5000, 5400}}));
  EXPECT_EQ(ns_, 400u);
}
TEST_F(Held, HalfWritten) {
  write({{5000, sched::Kind::Held, 1}});
  EXPECT_EQ(recover(ns_, missing_), (Spans{{5000, 5300}, {5300, 5400}}));
  EXPECT_EQ(ns_, 400u);
}

// As long as the ring has the lane, a file is one that was being written.
TEST_F(Held, LaneInTheRing) {
  write({});
  keep({{2000, sched::Kind::Held, 4}, {2050, sched::Kind::Resumed, 4}});
  EXPECT_EQ(recover(ns_, missing_), (Spans{{2000, 2050}, {5000, 5300}, {5300, 5400}}));
  EXPECT_EQ(ns_, 450u);
}
TEST_F(Held, LaneOfAnotherPartOrOfNoUse) {
  keep({{2000, sched::Kind::Held, 4}, {2050, sched::Kind::Resumed, 4}});
  ring_.sched().directory = 3;
  EXPECT_EQ(recover(ns_, missing_), (Spans{{5000, 5300}, {5300, 5400}}));
  std::filesystem::remove_all(directory_);
  ring_.sched().directory = 0, ring_.sched().bytes = ~uint32_t{0};
  EXPECT_EQ(recover(ns_, missing_), (Spans{{5000, 5300}, {5300, 5400}}));
}

TEST_F(Held, WaitedWhenItDied) {
  ring_.thread().held_since = 7000;
  EXPECT_EQ(recover(ns_, missing_), (Spans{{5000, 5300}, {5300, 5400}, {7000, 9000}}));
  EXPECT_EQ(ns_, 2400u);
}
// A signal handler left that wait by a jump.
TEST_F(Held, WaitedBeforeTheChunk) {
  ring_.thread().held_since = 4000;
  EXPECT_EQ(recover(ns_, missing_), (Spans{{5000, 5300}, {5300, 5400}}));
}
TEST_F(Held, WaitedForTheEnd) {
  ring_.thread().held_at_end = 8000;
  recover(ns_, missing_);
  EXPECT_EQ(ns_, 1400u);
}

// The chunk reports it. The next chunk would have reported what was lost after it.
TEST_F(Held, CostOfLostEvents) {
  ring_.chunk().held_lost = 300, ring_.thread().held_lost = 300, ring_.thread().held_lost_seq = 3;
  EXPECT_EQ(recover(ns_, missing_), (Spans{{4700, 5000}, {5000, 5300}, {5300, 5400}}));
  EXPECT_EQ(ns_, 700u);
  EXPECT_EQ(missing_, 0u);
}
TEST_F(Held, CostOfLostEventsAtTheEnd) {
  ring_.thread().held_lost = 300, ring_.thread().held_lost_seq = 4;
  EXPECT_EQ(recover(ns_, missing_), (Spans{{5000, 5300}, {5300, 5400}}));
  EXPECT_EQ(ns_, 700u);
  EXPECT_EQ(missing_, 300u);
}
// After what the lane has; the rest has no place.
TEST_F(Held, CostOfLostEventsAfterAnother) {
  ring_.chunk().held_lost = 300;
  write({{4700, sched::Kind::Held, 4}, {4900, sched::Kind::Resumed, 4}});
  EXPECT_EQ(recover(ns_, missing_), (Spans{{4700, 4900}, {4900, 5000}, {5000, 5300}, {5300, 5400}}));
  EXPECT_EQ(ns_, 900u);
  EXPECT_EQ(missing_, 200u);
}

TEST_F(Held, CountedOnly) {
  ring_.thread().held_unplaced = 900, ring_.thread().held_unplaced_before = 200, ring_.thread().held_missing = 30;
  recover(ns_, missing_);
  EXPECT_EQ(missing_, 730u);
  EXPECT_EQ(ns_, 1130u);
}
