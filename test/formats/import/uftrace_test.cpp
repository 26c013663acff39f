// Data directories of uftrace: symbols, programs run in sequence, arguments between records, and damage.
#include "import_reading.h"
#include "scratch_directory.h"

#include "formats/uftrace/session.h"
#include "trace/base/format.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <random>

namespace ada::test {

namespace {

enum Type : uint64_t { kEntry, kExit, kLost, kEvent };

std::string word(uint64_t value) { return std::string(reinterpret_cast<const char *>(&value), sizeof value); }
std::string record(Type type, uint64_t timeNs, unsigned depth, uint64_t address, bool hasMore = false) {
  return word(timeNs) + word(type | uint64_t{hasMore} << 2 | 5 << 3 | uint64_t{depth} << 6 | address << 16);
}
constexpr uint64_t kBase = 0x555500000000, kMain = kBase + 0x1000, kWork = kBase + 0x1100;

struct Directory : ScratchDirectory {
  explicit Directory(uint64_t features = 0x20) {
    std::string info("Ftrace!\0\4\0\0\0\x28\0\1\2", 16);
    write("info", info + word(features) + word(0) + word(1024) + "cmdline:test\n");
    write("task.txt", "SESS timestamp=0.000000001 pid=7 sid=aa exename=\"/bin/my app\"\n"
                      "TASK timestamp=0.000000002 tid=7 pid=7\n");
    write("sid-aa.map", "555500000000-555500005000 r-xp 00000000 00:00 0    /bin/my app build-id:0123456789\n"
                        "7f0000000000-7f0000005000 r-xp 00000000 00:00 0    [stack]\n");
    write("my app.sym", "# symbols: 4\n# path name: /bin/my app\n# build-id: 0123456789\n"
                        "0000000000001000 T main\n0000000000001000 T again\n0000000000001100 T _Z4worki\n"
                        "0000000000001180 ? __func_end\n");
  }
};

} // namespace

TEST(Uftrace, CallsHaveNames) {
  Directory directory;
  directory.write("7.dat", record(kEntry, 1000, 0, kMain) + record(kEntry, 1100, 1, kWork) +
                               record(kExit, 1200, 1, kWork) + record(kEntry, 1250, 1, kBase + 0x1190) +
                               record(kExit, 1260, 1, kBase + 0x1190) + record(kExit, 1300, 0, kMain));
  const Reading read = readPath(directory.path());
  EXPECT_EQ(read.thread(0),
            "1000 +main 1100 +work(int) 1200 -work(int) 1250 +0x555500001190 1260 -0x555500001190 1300 -main");
  EXPECT_EQ(read.trace.processes[0].executable, "/bin/my app");
  EXPECT_EQ(read.trace.threads[0].tid, 7u);
  EXPECT_TRUE(read.problems.empty() && read.losses.empty());
}

TEST(Uftrace, ArgumentsAreSkipped) {
  Directory directory;
  // Arguments that are 0, look like an address or a time, or look like a record of lost events.
  const std::string arguments = word(0) + word(kWork) + word(1100) + word(1105);
  directory.write("7.dat", record(kEntry, 1000, 0, kMain, true) + arguments + record(kEntry, 1110, 1, kWork, true) +
                               word(0) + record(kExit, 1122, 1, kWork, true) + word(7) +
                               record(kExit, 1300, 0, kMain, true) + word(9));
  const Reading read = readPath(directory.path());
  EXPECT_EQ(read.thread(0), "1000 +main 1110 +work(int) 1122 -work(int) 1300 -main");
  EXPECT_EQ(read.lossOf("arguments and results"), 4u);
  EXPECT_EQ(read.lossOf("had lost"), 0u);
}

TEST(Uftrace, LostRecordsCloseWhatIsOver) {
  Directory directory;
  directory.write("7.dat", record(kEntry, 1000, 0, kMain) + record(kEntry, 1100, 1, kWork) + record(kLost, 0, 0, 12) +
                               record(kEntry, 2000, 1, kWork) + record(kExit, 2100, 1, kWork) +
                               record(kExit, 2200, 0, kMain));
  const Reading read = readPath(directory.path());
  EXPECT_EQ(read.thread(0), "1000 +main 1100 +work(int) 1100 !work(int) 2000 +work(int) 2100 -work(int) 2200 -main");
  EXPECT_EQ(read.lossOf("had lost"), 12u);
}

TEST(Uftrace, ProgramsFollowOneAnother) {
  Directory directory;
  directory.write("task.txt", "SESS timestamp=0.000000001 pid=7 sid=aa exename=\"/bin/my app\"\n"
                              "TASK timestamp=0.000000002 tid=7 pid=7\n"
                              "SESS timestamp=0.000002000 pid=7 sid=bb exename=\"/bin/next\"\n"
                              "TASK timestamp=0.000002000 tid=7 pid=7\nFORK timestamp=0.000001500 pid=8 ppid=7\n");
  directory.write("sid-bb.map", "555500000000-555500005000 r-xp 00000000 00:00 0    /bin/next\n");
  directory.write("next.sym", "0000000000001000 100 T start\n");
  directory.write("7.dat", record(kEntry, 1000, 0, kMain) + record(kEntry, 2100, 0, kMain));
  directory.write("8.dat", record(kExit, 1600, 1, kWork) + record(kEntry, 2500, 1, kWork));
  const Reading read = readPath(directory.path());
  EXPECT_EQ(read.thread(0), "1000 +main 2100 !main 2100 +start");
  EXPECT_EQ(read.thread(1), "1600 -work(int) 2500 +work(int)"); // the child runs its parent's program
  EXPECT_EQ(read.trace.threads.size(), 2u);
}

TEST(Uftrace, Damage) {
  Directory directory;
  directory.write("7.dat", record(kEntry, 1000, 0, kMain) + std::string(16, '\0') + record(kExit, 1300, 0, kMain));
  const Reading read = readPath(directory.path());
  EXPECT_EQ(read.thread(0), "1000 +main");
  EXPECT_EQ(read.problems.at(0).code, "E_BAD_RECORD");
  EXPECT_EQ(read.problems.at(0).offset, 16u);
  directory.write("7.dat", record(kEntry, 1000, 0, kMain) + "abc");
  EXPECT_EQ(readPath(directory.path()).problems.at(0).code, "E_TRUNCATED");
  directory.write("task.txt", "SESS\nTASK tid=x\nFORK pid=7 ppid=7\nDLOP\n\n");
  EXPECT_EQ(readPath(directory.path()).thread(1), "1000 +0x555500001000");
}

// Where mappings overlap, the one loaded last counts, as if all were searched from the last to the first.
TEST(Uftrace, LastMappingCounts) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<formats::uftrace::Mapping> all;
    formats::uftrace::Mappings mappings;
    for (uint64_t count = random() % 40; count > 0; --count) {
      const uint64_t begin = random() % 50;
      all.push_back({begin, begin + random() % 20, {}, random() % 10});
      mappings.add(all.back());
    }
    mappings.settle();
    for (uint64_t address = 0; address < 75; ++address)
      for (uint64_t timeNs = 0; timeNs < 11; ++timeNs) {
        const auto wanted = std::ranges::find_if(all.rbegin(), all.rend(), [&](const auto &m) {
          return address >= m.begin && address < m.end && timeNs >= m.sinceNs;
        });
        const auto *found = mappings.find(address, timeNs);
        ASSERT_EQ(found != nullptr, wanted != all.rend());
        if (found) {
          ASSERT_TRUE(found->begin == wanted->begin && found->end == wanted->end && found->sinceNs == wanted->sinceNs);
        }
      }
  }
}

// CPU time for a process that ran `count` programs in sequence, each with `count` mappings, and loaded `count`
// libraries.
static double secondsFor(int count) {
  Directory directory;
  std::string tasks = "TASK timestamp=0.000000002 tid=7 pid=7\n", map, records;
  for (int i = 0; i < count; ++i) {
    const uint64_t address = kBase + static_cast<uint64_t>(i) * 0x10000, timeNs = 1000 + 10 * uint64_t(i);
    tasks += fmt::format("SESS timestamp=0.{:09} pid=7 sid=aa exename=\"/bin/my app\"\n", timeNs);
    map += fmt::format("{:x}-{:x} r-xp 00000000 00:00 0    /lib/l{}.so\n", address, address + 0x5000, i);
    records += record(kEntry, timeNs + 1, 0, address) + record(kExit, timeNs + 2, 0, address);
  }
  for (int i = 0; i < count; ++i)
    tasks +=
        fmt::format("DLOP timestamp=0.{:09} tid=7 sid=aa base=0x{:x} libname=\"/bin/my app\"\n", 1000 + i, 0x1000 * i);
  directory.write("task.txt", tasks);
  directory.write("sid-aa.map", map);
  directory.write("7.dat", records);
  const std::clock_t begin = std::clock();
  EXPECT_EQ(readPath(directory.path()).trace.threads.size(), 1u);
  return static_cast<double>(std::clock() - begin);
}

// Eight times as much input takes about eight times as long, not sixty-four times.
TEST(Uftrace, ManySessionsOfManyMappings) {
  (void)secondsFor(1000);
  const double few = secondsFor(1000), many = secondsFor(8000);
  EXPECT_LT(many, 24 * few);
}

TEST(Uftrace, SymbolFiles) {
  const auto symbols = formats::uftrace::symbolsOf("# x\n0000000000002000 T b\n0000000000001000 20 T a c\tmodule\nbad\n"
                                                   "0000000000003000 Q no\n0000000000004000 ? end\n");
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[0].name, "a c");
  EXPECT_EQ(symbols[0].end, 0x1020u);
  EXPECT_EQ(symbols[1].name, "b");
}

} // namespace ada::test
