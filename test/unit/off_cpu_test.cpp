// Times without a processor: sums against brute force, and their file, whole, cut, and wrong.
#include "ada/trace/off_cpu.h"
#include "analysis/off_cpu_follower.h"
#include "formats/atf/sched_file.h"
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

std::vector<OffCpu> randomPeriods(unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<OffCpu> periods;
  std::uint64_t ns = 1000;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t from = ns + 1 + random() % 50, to = from + 1 + random() % 70;
    periods.push_back({from, to, OffCpu::Why(random() % 3), static_cast<std::uint32_t>(random() % 8)});
    ns = to;
  }
  return periods;
}

class File : public testing::Test {
protected:
  void write(const std::vector<Record> &records) {
    sched::Header header = {{}, sched::kVersion, 7, 100, 0};
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
      text += std::to_string(off.fromNs) + "-" + std::to_string(off.toNs) + "wpu"[static_cast<int>(off.why)] + " ";
    return text + "to " + std::to_string((*lane)->knownToNs());
  }
  std::string check() const {
    const auto checked = atf::checkSched(path_);
    return checked ? "ok" : checked.error().code;
  }

  test::ScratchDirectory scratch_;
  std::string path_ = scratch_ / "sched.ads";
};

} // namespace

TEST(OffCpu, SumsAgainstBruteForce) {
  const std::vector<OffCpu> periods = randomPeriods(1, 300);
  const std::uint64_t end = periods.back().toNs + 10;
  const OffCpuLane lane(periods, 0, end, 300);
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t from = random() % end, to = random() % end;
    OffCpuTimes sum;
    std::size_t overlapping = 0;
    for (const OffCpu &off : periods) {
      const std::uint64_t begin = std::max(off.fromNs, from), until = std::min(off.toNs, to);
      if (begin < until)
        sum.add(off.why, until - begin);
      overlapping += off.fromNs < to && off.toNs > from;
    }
    const OffCpuTimes got = lane.timesBetween(from, to);
    ASSERT_EQ(got.waitingNs, sum.waitingNs) << from << " " << to;
    ASSERT_EQ(got.preemptedNs, sum.preemptedNs);
    if (from < to) {
      ASSERT_EQ(lane.between(from, to).size(), overlapping);
    }
  }
}

// Each of them once, before the event that its middle lies before.
TEST(OffCpu, FollowerTellsOfEachOnce) {
  const std::vector<OffCpu> periods = randomPeriods(3, 200);
  const OffCpuLane lane(periods, 0, periods.back().toNs, 200);
  analysis::OffCpuFollower follower(&lane, 0, ~std::uint64_t{0});
  follower.skipTo(periods[9].toNs);
  std::size_t next = 10;
  for (std::uint64_t ns = 0; ns < periods.back().toNs + 100; ns += 7)
    follower.take(ns, [&](const OffCpu &off) {
      EXPECT_EQ(off.fromNs, periods[next].fromNs);
      EXPECT_LE(off.fromNs + off.durationNs() / 2, ns);
      ++next;
    });
  EXPECT_EQ(next, periods.size());
}

TEST_F(File, WrittenAndReadAgain) {
  const OffCpuLane lane(randomPeriods(4, 1000), 900, 1'000'000, 1001, 950);
  ASSERT_TRUE(atf::writeSched(path_, lane, 7));
  EXPECT_EQ(check(), "ok");
  const auto read = OffCpuLane::open(path_);
  ASSERT_TRUE(read);
  ASSERT_EQ((*read)->periods().size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ((*read)->periods()[i].fromNs, lane.periods()[i].fromNs);
    EXPECT_EQ((*read)->periods()[i].toNs, lane.periods()[i].toNs);
    EXPECT_EQ((*read)->periods()[i].why, lane.periods()[i].why);
  }
  EXPECT_EQ((*read)->knownFromNs(), 900u);
  EXPECT_EQ((*read)->knownToNs(), 1'000'000u);
  EXPECT_EQ((*read)->beganNs(), 950u);
  EXPECT_EQ((*read)->switches(), 1001u);
}

TEST_F(File, Records) {
  write({{200, Kind::On, 0},
         {300, Kind::Waits, 0},
         {400, Kind::On, 1},
         {500, Kind::Preempted, 1},
         {900, Kind::KnownTo, 0}});
  EXPECT_EQ(periods(), "300-400w 500-900p to 900");
  // A processor was late.
  write(
      {{200, Kind::On, 0}, {400, Kind::On, 1}, {300, Kind::Waits, 0}, {500, Kind::Waits, 1}, {450, Kind::KnownTo, 0}});
  EXPECT_EQ(periods(), "300-400w to 500");
  // Some are missing: it was on, or off, or both.
  write({{200, Kind::On, 0}, {300, Kind::Lost, 9}, {350, Kind::Waits, 0}, {400, Kind::On, 0}, {600, Kind::KnownTo, 0}});
  EXPECT_EQ(periods(), "200-350u 350-400w to 600");
  write({{200, Kind::Waits, 0}, {300, Kind::Lost, 9}, {350, Kind::On, 0}, {600, Kind::KnownTo, 0}});
  EXPECT_EQ(periods(), "200-350u to 600");
}

// A killed process's file is completed, wherever it was cut.
TEST_F(File, CutAnywhere) {
  ASSERT_TRUE(atf::writeSched(path_, OffCpuLane(randomPeriods(5, 20), 900, 1'000'000, 20), 7));
  const std::string whole = bytes();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    writeBytes(whole.substr(0, size));
    EXPECT_NE(check(), size == whole.size() ? "" : "ok") << size;
    ASSERT_TRUE(atf::finishSched(path_)) << size;
    if (size < sizeof(sched::Header)) {
      EXPECT_FALSE(std::filesystem::exists(path_));
      continue;
    }
    EXPECT_EQ(check(), "ok") << size;
    const std::string finished = bytes();
    const std::size_t kept = size == whole.size() ? size : (size - 32) / 16 * 16 + 32;
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
  write({{200, Kind{9}, 0}, {300, Kind::KnownTo, 5}});
  EXPECT_EQ(check(), "E_BAD_RECORD");
  write({{200, Kind::KnownTo, 0}, {300, Kind::On, 5}});
  EXPECT_EQ(check(), "E_BAD_RECORD");
  write({{200, Kind::On, 0}});
  EXPECT_EQ(check(), "E_TRUNCATED");
  std::string bytes = this->bytes();
  bytes[8] = 2;
  writeBytes(bytes);
  EXPECT_EQ(periods(), "E_BAD_VERSION");
}
