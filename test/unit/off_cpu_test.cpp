// Off-CPU times: sums checked against brute force, and their file, whole, cut and wrong.
#include "ada/trace/model.h"
#include "ada/trace/off_cpu.h"
#include "analysis/calls/off_cpu_follower.h"
#include "formats/native/sched/sched_file.h"
#include "scratch_directory.h"
#include "shared/encode/sched_format.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace ada;
using sched::Kind, sched::Record;

namespace {

std::vector<OffCpu> randomPeriods(unsigned seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<OffCpu> periods;
  uint64_t ns = 1000;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t from = ns + 1 + random() % 50, to = from + 1 + random() % 70;
    periods.push_back({from, to, OffCpu::Why(random() % 3), static_cast<uint32_t>(random() % 8)});
    ns = to;
  }
  return periods;
}

class File : public testing::Test {
protected:
  void write(const std::vector<Record> &records) {
    sched::Header header = {{}, version_, 7, 100, flags_};
    std::memcpy(header.magic, sched::kMagic, sizeof header.magic);
    std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
    for (const Record &record : records)
      bytes.append(reinterpret_cast<const char *>(&record), sizeof record);
    writeBytes(bytes);
  }
  void writeBytes(const std::string &bytes) { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string periods() const {
    const auto lane = OffCpuLane::open(path_);
    if (!lane)
      return lane.error().code;
    std::string text;
    for (const OffCpu &off : (*lane)->periods())
      text += std::to_string(off.fromNs) + "-" + std::to_string(off.toNs) + "wpur"[static_cast<int>(off.why)] + " ";
    return text + "to " + std::to_string((*lane)->knownToNs());
  }
  std::string check() const {
    const auto checked = atf::checkSched(path_);
    return checked ? "ok" : checked.error().code;
  }

  uint32_t version_ = sched::kVersion;
  uint64_t flags_ = 0;
  test::ScratchDirectory scratch_;
  std::string path_ = scratch_ / "sched.ads";
};

} // namespace

TEST(OffCpu, SumsAgainstBruteForce) {
  const std::vector<OffCpu> periods = randomPeriods(1, 300);
  const uint64_t end = periods.back().toNs + 10;
  const OffCpuLane lane(periods, 0, end);
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t from = random() % end, to = random() % end;
    OffCpuTimes sum;
    size_t overlapping = 0;
    for (const OffCpu &off : periods) {
      const uint64_t begin = std::max(off.fromNs, from), until = std::min(off.toNs, to);
      if (begin < until)
        sum.add(off.why, until - begin);
      overlapping += off.fromNs < to && off.toNs > from;
    }
    const OffCpuTimes got = lane.timesBetween(from, to);
    if (from < to)
      sum.unknownNs += to - std::min(to, std::max(from, end)); // after the end of the known range
    ASSERT_EQ(got, sum) << from << " " << to;
    if (from < to) {
      ASSERT_EQ(lane.between(from, to).size(), overlapping);
    }
  }
}

// The periods reported between two events lie between them. All of them together are the lane's periods from the first
// event to the last, except for edges of waits that fall into another gap by less than the clocks differ.
TEST(OffCpu, FollowerTellsOfEachOnce) {
  std::vector<OffCpu> periods;
  std::mt19937_64 random(3);
  uint64_t ns = 1000;
  for (int i = 0; i < 300; ++i) {
    const uint64_t from = ns + 100 + random() % 50, to = from + 10 + random() % 70;
    periods.push_back({from, to, OffCpu::Why(random() % 4), 0});
    ns = to;
  }
  const OffCpuLane lane(periods, 900, ns + 100);
  std::vector<uint64_t> events = {0};
  for (const OffCpu &off : periods)
    for (const uint64_t near : {off.fromNs - 20, off.fromNs + random() % 4, off.toNs - random() % 4, off.toNs + 20})
      events.push_back(near);
  events.push_back(ns + 500);
  std::ranges::sort(events);
  analysis::OffCpuFollower follower(&lane, 0, ~uint64_t{0});
  OffCpuTimes all;
  for (size_t i = 1; i < events.size(); ++i) {
    uint64_t sum = 0;
    follower.take(events[i - 1], events[i], [&](const OffCpu &off) {
      EXPECT_GE(off.fromNs, events[i - 1]);
      EXPECT_LE(off.toNs, events[i]);
      all.add(off.why, off.durationNs());
      sum += off.durationNs();
    });
    EXPECT_LE(sum, events[i] - events[i - 1]);
  }
  const OffCpuTimes whole = lane.timesBetween(0, events.back());
  EXPECT_EQ(all.recorderNs, whole.recorderNs);
  EXPECT_EQ(all.unknownNs, whole.unknownNs);
  EXPECT_LE(all.waitingNs, whole.waitingNs);
  EXPECT_GE(all.waitingNs + 300 * 6, whole.waitingNs);
  EXPECT_GE(whole.unknownNs, 900u + 400u); // before and after the known range
}

// An event well inside a wait proves that records are missing, so the whole wait becomes unknown.
TEST(OffCpu, EventInsideAWait) {
  const OffCpuLane lane({{100'000, 500'000, OffCpu::Why::Waiting, 0}}, 1, 900'000);
  analysis::OffCpuFollower follower(&lane, 0, ~uint64_t{0});
  OffCpuTimes all;
  uint64_t before = 50'000;
  follower.skipTo(before);
  for (const uint64_t ns : {99'990, 300'000, 350'000, 600'000}) {
    follower.take(before, ns, [&](const OffCpu &off) { all.add(off.why, off.durationNs()); });
    before = ns;
  }
  EXPECT_EQ(all.waitingNs, 0u);
  EXPECT_EQ(all.unknownNs, 400'000u);
}

TEST_F(File, WrittenAndReadAgain) {
  const OffCpuLane lane(randomPeriods(4, 1000), 900, 1'000'000);
  ASSERT_TRUE(atf::writeSched(path_, lane, 7));
  EXPECT_EQ(check(), "ok");
  const auto read = OffCpuLane::open(path_);
  ASSERT_TRUE(read);
  ASSERT_EQ((*read)->periods().size(), 1000u);
  for (size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ((*read)->periods()[i].fromNs, lane.periods()[i].fromNs);
    EXPECT_EQ((*read)->periods()[i].toNs, lane.periods()[i].toNs);
    EXPECT_EQ((*read)->periods()[i].why, lane.periods()[i].why);
  }
  EXPECT_EQ((*read)->knownFromNs(), 900u);
  EXPECT_EQ((*read)->knownToNs(), 1'000'000u);
}

TEST_F(File, Records) {
  write({{200, Kind::On, 0},
         {300, Kind::Waits, 0},
         {400, Kind::On, 1},
         {500, Kind::Preempted, 1},
         {900, Kind::KnownTo, 0}});
  EXPECT_EQ(periods(), "300-400w 500-900p to 900");
  // The records of one CPU came late.
  write(
      {{200, Kind::On, 0}, {400, Kind::On, 1}, {300, Kind::Waits, 0}, {500, Kind::Waits, 1}, {450, Kind::KnownTo, 0}});
  EXPECT_EQ(periods(), "300-400w 500-501w to 501"); // it waits at its end
  // Records are missing: the thread was on-CPU, off-CPU, or both.
  write({{200, Kind::On, 0}, {300, Kind::Lost, 9}, {350, Kind::Waits, 0}, {400, Kind::On, 0}, {600, Kind::KnownTo, 0}});
  EXPECT_EQ(periods(), "200-300u 350-400w to 600");
  write({{200, Kind::Waits, 0}, {300, Kind::Lost, 9}, {350, Kind::On, 0}, {600, Kind::KnownTo, 0}});
  EXPECT_EQ(periods(), "200-350u to 600");
}

// Before the first record of a thread, nothing is known: that it ran is no better a guess than that it slept.
TEST_F(File, UnknownBeforeTheFirstRecord) {
  version_ = 2;
  const auto times = [&] {
    const OffCpuTimes all = (*OffCpuLane::open(path_))->timesBetween(100, 900);
    return std::to_string(all.unknownNs) + " unknown, " + std::to_string(800 - all.notRunningNs()) + " on-CPU";
  };
  const Record end = {900, Kind::KnownTo, 0};
  write({end});
  EXPECT_EQ(times(), "800 unknown, 0 on-CPU");
  write({{200, Kind::Held, 1}, {300, Kind::Resumed, 0}, end});
  EXPECT_EQ(times(), "700 unknown, 0 on-CPU");
  for (const Kind kind : {Kind::Waits, Kind::Preempted}) {
    write({{200, kind, 0}, {300, Kind::On, 0}, end});
    EXPECT_EQ(times(), "100 unknown, 600 on-CPU");
    EXPECT_TRUE((*OffCpuLane::open(path_))->runs().front() == (OnCpu{300, 900, 0}));
  }
  write({{200, Kind::On, 0}, {300, Kind::Waits, 0}, end});
  EXPECT_EQ(times(), "100 unknown, 100 on-CPU");
  write({{200, Kind::LostFrom, 0}, {250, Kind::Lost, 3}, {300, Kind::Waits, 0}, end});
  EXPECT_EQ(times(), "150 unknown, 50 on-CPU");
  // Lists have it between the thread's first event and its last.
  write({{300, Kind::Waits, 0}, {400, Kind::On, 0}, {900, Kind::KnownTo, 0}});
  model::Thread thread;
  thread.offCpu = *OffCpuLane::open(path_);
  std::string listed;
  const auto list = [&](const OffCpu &off) {
    listed += std::to_string(off.fromNs) + "-" + std::to_string(off.toNs) + "wpur"[static_cast<int>(off.why)] + " ";
  };
  thread.eachOffCpu(list);
  EXPECT_EQ(listed, "300-400w ");
  thread.extent = model::ThreadExtent{2, 150, 950};
  listed.clear();
  thread.eachOffCpu(list);
  EXPECT_EQ(listed, "150-300u 300-400w 900-950u ");
}

TEST_F(File, ReasonsOfTheRecorder) {
  version_ = 2;
  write({{150, Kind::On, 0},
         {200, Kind::Held, 16},
         {300, Kind::Resumed, 16},
         {400, Kind::Held, 1},
         {500, Kind::Resumed, 1},
         {900, Kind::KnownTo, 0}});
  for (int i = 0; i < 2; ++i) { // as recorded, and written again
    const auto lane = *OffCpuLane::open(path_);
    ASSERT_EQ(lane->periods().size(), 2u);
    EXPECT_EQ(lane->periods()[0].heldFor, 16u);
    EXPECT_EQ(lane->periods()[1].heldFor, 1u);
    EXPECT_EQ(lane->periods()[1].processor, 0u);
    ASSERT_TRUE(atf::writeSched(path_, *lane, 7));
  }
}

// The records lost by one CPU's buffer say nothing about earlier times or about threads that ran on another CPU
// meanwhile.
TEST_F(File, LostFrom) {
  version_ = 2;
  const Record end = {900, Kind::KnownTo, 0};
  // The thread waits; runs on the same CPU; runs on another CPU.
  write({{200, Kind::Waits, 0}, {300, Kind::LostFrom, 1}, {400, Kind::Lost, 9}, {500, Kind::On, 0}, end});
  EXPECT_EQ(periods(), "200-300w 300-500u to 900");
  write({{200, Kind::On, 1},
         {300, Kind::LostFrom, 1},
         {400, Kind::Lost, 9},
         {500, Kind::Waits, 1},
         {600, Kind::On, 1},
         end});
  EXPECT_EQ(periods(), "300-400u 500-600w to 900");
  write({{200, Kind::On, 0},
         {300, Kind::LostFrom, 1},
         {400, Kind::Lost, 9},
         {500, Kind::Waits, 0},
         {600, Kind::On, 1},
         end});
  EXPECT_EQ(periods(), "500-600w to 900");
  // It runs on another CPU and leaves it: then it may have run on the CPU whose records are missing.
  write({{200, Kind::Waits, 0},
         {300, Kind::LostFrom, 1},
         {320, Kind::On, 0},
         {340, Kind::Waits, 0},
         {400, Kind::Lost, 9},
         {500, Kind::On, 0},
         end});
  EXPECT_EQ(periods(), "200-300w 300-320u 340-500u to 900");
  // Two CPUs lose records at the same time.
  write({{200, Kind::Waits, 0},
         {300, Kind::LostFrom, 0},
         {350, Kind::LostFrom, 1},
         {400, Kind::Lost, 9},
         {450, Kind::Lost, 9},
         {500, Kind::Waits, 0},
         end});
  EXPECT_EQ(periods(), "200-300w 300-450u 500-900w to 900");
}

// The recorder's own records come from the thread itself, so they win over the system's records and over its losses.
TEST_F(File, HeldUp) {
  version_ = 2;
  const Record end = {900, Kind::KnownTo, 0};
  write({{200, Kind::Held, 1}, {210, Kind::Waits, 0}, {290, Kind::On, 0}, {300, Kind::Resumed, 0}, end});
  EXPECT_EQ(periods(), "200-300r to 900");
  // The held time reaches into waits on both sides.
  write({{150, Kind::Waits, 0},
         {200, Kind::Held, 1},
         {220, Kind::On, 0},
         {240, Kind::Preempted, 0},
         {300, Kind::Resumed, 0},
         {320, Kind::On, 0},
         end});
  EXPECT_EQ(periods(), "150-200w 200-300r 300-320p to 900");
  // The held time begins within a loss and reaches over its end.
  write({{150, Kind::On, 0},
         {200, Kind::Held, 3},
         {220, Kind::Lost, 5},
         {240, Kind::Resumed, 0},
         {300, Kind::Waits, 0},
         {320, Kind::On, 0},
         end});
  EXPECT_EQ(periods(), "150-200u 200-240r 300-320w to 900");
  // Two held times in one wait; one outside the known range.
  write({{50, Kind::Held, 1},
         {80, Kind::Resumed, 0},
         {150, Kind::Waits, 0},
         {160, Kind::Held, 1},
         {170, Kind::Resumed, 0},
         {180, Kind::Held, 1},
         {190, Kind::Resumed, 0},
         {200, Kind::On, 0},
         end});
  EXPECT_EQ(periods(), "50-80r 80-150u 150-160w 160-170r 170-180w 180-190r 190-200w to 900");
  // Records out of order, a file cut while the thread was held up, and odd records.
  write({{300, Kind::Resumed, 0}, {210, Kind::Waits, 0}, {200, Kind::Held, 1}, {290, Kind::On, 0}, end});
  EXPECT_EQ(periods(), "200-300r to 900");
  write({{200, Kind::Held, 1}, {400, Kind::Waits, 0}, {500, Kind::On, 0}});
  EXPECT_EQ(periods(), "200-500r to 500");
  write({{150, Kind::Resumed, 1}, {200, Kind::Held, 1}, {210, Kind::Held, 1}, {300, Kind::Resumed, 0}, end});
  EXPECT_EQ(periods(), "200-300r to 900");
  // The cost of lost events is on-CPU time: waits between them stay waits, but records that the system lost are not a
  // wait.
  write({{150, Kind::Waits, 0},
         {200, Kind::Held, 8},
         {220, Kind::On, 0},
         {240, Kind::Preempted, 0},
         {260, Kind::On, 0},
         {280, Kind::Waits, 0},
         {300, Kind::Resumed, 8},
         {320, Kind::On, 0},
         end});
  EXPECT_EQ(periods(), "150-220w 220-240r 240-260p 260-280r 280-320w to 900");
  write({{150, Kind::On, 0}, {200, Kind::Held, 8}, {220, Kind::Lost, 5}, {240, Kind::Resumed, 8}, end});
  EXPECT_EQ(periods(), "150-200u 200-240r 240-900u to 900");
  // The system reported nothing.
  flags_ = sched::kIsUnknown;
  write({{200, Kind::Held, 1}, {300, Kind::Resumed, 0}, end});
  EXPECT_EQ(periods(), "200-300r to 900");
  const auto lane = OffCpuLane::open(path_);
  ASSERT_TRUE(lane);
  EXPECT_FALSE((*lane)->isSchedKnown());
  EXPECT_EQ((*lane)->timesBetween(0, 1000).notRunningNs(), 100u);
}

TEST_F(File, HeldUpWrittenAgain) {
  for (const bool isKnown : {true, false}) {
    std::vector<OffCpu> periods = {{50, 90, OffCpu::Why::Recorder, 0}, {200, 300, OffCpu::Why::Recorder, 0}};
    if (isKnown) {
      periods.push_back({300, 350, OffCpu::Why::Waiting, 2});
      periods.push_back({400, 450, OffCpu::Why::Unknown, 0});
      periods.push_back({450, 500, OffCpu::Why::Recorder, 0});
    }
    const OffCpuLane lane(periods, 100, 900, isKnown);
    ASSERT_TRUE(atf::writeSched(path_, lane, 7));
    EXPECT_EQ(check(), "ok");
    const auto read = OffCpuLane::open(path_);
    ASSERT_TRUE(read);
    EXPECT_EQ((*read)->isSchedKnown(), isKnown);
    for (uint64_t from = 0; from < 1000; from += 10)
      EXPECT_EQ((*read)->timesBetween(from, from + 10), lane.timesBetween(from, from + 10)) << from;
  }
}

// They say nothing about scheduling, and those while the recorder holds the thread up are its own.
TEST_F(File, PageFaults) {
  version_ = sched::kNewestVersion;
  const Record end = {900, Kind::KnownTo, 0};
  write({{110, Kind::Faults, 16},
         {150, Kind::On, 0},
         {200, Kind::Held, 2},
         {210, Kind::Faults, 16},
         {230, Kind::Resumed, 2},
         {260, Kind::Waits, 0},
         {270, Kind::On, 0},
         {320, Kind::Faults, 32},
         {310, Kind::Faults, 16}, // late
         end});
  EXPECT_EQ(periods(), "200-230r 260-270w to 900");
  const auto lane = OffCpuLane::open(path_);
  ASSERT_TRUE(lane);
  EXPECT_TRUE((*lane)->knowsFaults());
  const std::vector<PageFaults> expected = {{110, 16}, {310, 16}, {320, 32}};
  EXPECT_TRUE(std::ranges::equal((*lane)->faults(), expected));
  EXPECT_EQ((*lane)->faultsBetween(0, 1000), 64u);
  EXPECT_EQ((*lane)->faultsBetween(110, 310), 16u);
  EXPECT_EQ((*lane)->faultsBetween(310, 320), 16u);
  EXPECT_EQ((*lane)->faultsBetween(321, 1000), 0u);
  ASSERT_TRUE(atf::writeSched(path_, **lane, 7));
  EXPECT_EQ(check(), "ok");
  const auto again = OffCpuLane::open(path_);
  ASSERT_TRUE(again);
  EXPECT_TRUE((*again)->knowsFaults());
  EXPECT_TRUE(std::ranges::equal((*again)->faults(), expected));
  EXPECT_EQ((*again)->timesBetween(0, 1000), (*lane)->timesBetween(0, 1000));
  // Nothing is known without the system's records, and none in an older file is not none at all.
  flags_ = sched::kIsUnknown;
  write({{200, Kind::Faults, 16}, end});
  EXPECT_FALSE((*OffCpuLane::open(path_))->knowsFaults());
  flags_ = 0, version_ = sched::kHeldVersion;
  write({{150, Kind::On, 0}, end});
  EXPECT_FALSE((*OffCpuLane::open(path_))->knowsFaults());
  // There they have no business.
  write({{150, Kind::On, 0}, {200, Kind::Faults, 16}, end});
  EXPECT_TRUE((*OffCpuLane::open(path_))->faults().empty());
}

// A killed process's file is completed, wherever it was cut.
TEST_F(File, CutAnywhere) {
  ASSERT_TRUE(atf::writeSched(path_, OffCpuLane(randomPeriods(5, 20), 900, 1'000'000), 7));
  const std::string whole = bytes();
  for (size_t size = 0; size <= whole.size(); ++size) {
    writeBytes(whole.substr(0, size));
    EXPECT_NE(check(), size == whole.size() ? "" : "ok") << size;
    ASSERT_TRUE(atf::finishSched(path_)) << size;
    if (size < sizeof(sched::Header)) {
      EXPECT_FALSE(std::filesystem::exists(path_));
      continue;
    }
    EXPECT_EQ(check(), "ok") << size;
    const std::string finished = bytes();
    const size_t kept = size == whole.size() ? size : (size - 32) / 16 * 16 + 32;
    EXPECT_EQ(finished.substr(0, kept), whole.substr(0, kept));
    EXPECT_EQ(finished.size(), size == whole.size() ? size : kept + 16);
  }
  ASSERT_TRUE(atf::finishSched(scratch_ / "nothing"));
}

TEST_F(File, Wrong) {
  writeBytes("ADASCHE");
  EXPECT_EQ(periods(), "E_TRUNCATED");
  writeBytes(std::string(64, 'x'));
  EXPECT_EQ(periods(), "E_BAD_MAGIC");
  EXPECT_EQ(check(), "E_BAD_MAGIC");
  write({{200, Kind::On, 0}, {300, Kind::KnownTo, 5}});
  EXPECT_EQ(check(), "E_BAD_CHECKSUM");
  write({{200, Kind{10}, 0}, {300, Kind::KnownTo, 5}});
  EXPECT_EQ(check(), "E_BAD_RECORD");
  write({{200, Kind::Held, 0}, {300, Kind::KnownTo, 5}}); // version 1 has no Held
  EXPECT_EQ(check(), "E_BAD_RECORD");
  version_ = sched::kHeldVersion;
  write({{200, Kind::Faults, 16}, {300, Kind::KnownTo, 5}});
  EXPECT_EQ(check(), "E_BAD_RECORD");
  version_ = sched::kVersion;
  write({{200, Kind::KnownTo, 0}, {300, Kind::On, 5}});
  EXPECT_EQ(check(), "E_BAD_RECORD");
  write({{200, Kind::On, 0}});
  EXPECT_EQ(check(), "E_TRUNCATED");
  std::string bytes = this->bytes();
  bytes[8] = sched::kNewestVersion + 1;
  writeBytes(bytes);
  EXPECT_EQ(periods(), "E_BAD_VERSION");
}
