// How much memory the ring may take by default, from what /proc and /sys/fs/cgroup say.
#include "shared/text/memory_room.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/sysinfo.h>

using namespace ada;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20, kGiB = kMiB << 10;

// A machine with 16 GiB, of which 8 are free, and these files.
MemoryRoom roomWith(const std::map<std::string, std::string> &files, uint64_t free = 8 * kGiB) {
  const auto readFile = [&](const char *path, char *to, size_t most) -> long {
    const auto at = files.find(path);
    if (at == files.end())
      return -2;
    const size_t size = std::min(most, at->second.size());
    std::memcpy(to, at->second.data(), size);
    return static_cast<long>(size);
  };
  struct sysinfo machine = {};
  machine.totalram = 16 * kGiB / 4096, machine.freeram = free / 4096, machine.mem_unit = 4096;
  return askMemoryRoom(readFile, machine);
}

std::string bytes(uint64_t n) { return std::to_string(n) + "\n"; }

TEST(MemoryRoom, TheMachine) {
  const MemoryRoom room = roomWith({{"/proc/self/cgroup", "0::/\n"}});
  EXPECT_EQ(room.limit, 16 * kGiB);
  EXPECT_EQ(room.free, 8 * kGiB);
  EXPECT_FALSE(room.isOfGroup);
  EXPECT_EQ(bufferBytesFor(room), 64 * kMiB);
  EXPECT_EQ(roomWith({}).limit, 16 * kGiB) << "without /proc";
  const std::string root = "4:memory:/\n0::/\n";
  EXPECT_EQ(
      roomWith({{"/proc/self/cgroup", root}, {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}})
          .limit,
      16 * kGiB);
}

TEST(MemoryRoom, NothingIsKnown) {
  const struct sysinfo unknown = {};
  const MemoryRoom room = askMemoryRoom([](const char *, char *, size_t) { return -1; }, unknown);
  EXPECT_EQ(room.limit, UINT64_MAX);
  EXPECT_EQ(bufferBytesFor(room), kMaxBufferBytes);
}

TEST(MemoryRoom, FilesInMemoryAreFree) {
  EXPECT_EQ(
      roomWith({{"/proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:    4194304 kB\n"}}, 100 * kMiB).free,
      4 * kGiB);
  EXPECT_EQ(bufferBytesFor(roomWith({}, 100 * kMiB)), 25 * kMiB);
}

TEST(MemoryRoom, GroupsOfVersion2) {
  const std::string at = "/sys/fs/cgroup/a.slice/b.service";
  std::map<std::string, std::string> files = {{"/proc/self/cgroup", "0::/a.slice/b.service\n"},
                                              {at + "/memory.max", "max\n"},
                                              {"/sys/fs/cgroup/a.slice/memory.max", bytes(256 * kMiB)},
                                              {"/sys/fs/cgroup/a.slice/memory.current", bytes(100 * kMiB)}};
  MemoryRoom room = roomWith(files);
  EXPECT_EQ(room.limit, 256 * kMiB);
  EXPECT_EQ(room.free, 156 * kMiB);
  EXPECT_TRUE(room.isOfGroup);
  EXPECT_EQ(bufferBytesFor(room), 16 * kMiB);
  // The group within has a lower limit, and is nearly full, a part of it with files.
  files[at + "/memory.max"] = bytes(64 * kMiB), files[at + "/memory.current"] = bytes(60 * kMiB);
  EXPECT_EQ(bufferBytesFor(roomWith(files)), kMiB);
  files[at + "/memory.stat"] = "anon 1\nfile 2\ninactive_file " + bytes(8 * kMiB) + "active_file 7\n";
  room = roomWith(files);
  EXPECT_EQ(room.limit, 64 * kMiB);
  EXPECT_EQ(room.free, 12 * kMiB);
  EXPECT_EQ(bufferBytesFor(room), 3 * kMiB);
  files[at + "/memory.current"] = bytes(64 * kMiB), files.erase(at + "/memory.stat");
  EXPECT_EQ(bufferBytesFor(roomWith(files)), kLeastBufferBytes);
}

// In a container, the path is that of the host: only the mount point can be seen, and it is the container's.
TEST(MemoryRoom, GroupsOfVersion1) {
  const std::string at = "/sys/fs/cgroup/memory";
  const std::string groups = "12:pids:/docker/x\n5:cpu,memory:/docker/x\n1:name=systemd:/docker/x\n0::/system.slice\n";
  std::map<std::string, std::string> files = {{"/proc/self/cgroup", groups},
                                              {at + "/memory.limit_in_bytes", bytes(128 * kMiB)},
                                              {at + "/memory.usage_in_bytes", bytes(30 * kMiB)}};
  EXPECT_EQ(roomWith(files).limit, 128 * kMiB);
  EXPECT_EQ(bufferBytesFor(roomWith(files)), 8 * kMiB);
  files[at + "/docker/x/memory.limit_in_bytes"] = bytes(32 * kMiB);
  EXPECT_EQ(roomWith(files).limit, 32 * kMiB);
  EXPECT_EQ(bufferBytesFor(roomWith(files)), kLeastBufferBytes) << "how much is used is not known";
}

TEST(MemoryRoom, DamagedText) {
  for (const char *text :
       {"", ":", "::", "0:", "0::", "0::a", "x\ny\n", "1:memory", "1:,,memory,:", "9:memory:/a/b//c/"})
    EXPECT_EQ(roomWith({{"/proc/self/cgroup", text}}).limit, 16 * kGiB) << text;
  const std::string deep = "0::/" + std::string(900, 'd') + "/e\n"; // longer than the path that is looked at
  EXPECT_EQ(roomWith({{"/proc/self/cgroup", deep}}).limit, 16 * kGiB);
  const std::string number = "99999999999999999999999\n";
  EXPECT_EQ(roomWith({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", number}}).limit, 16 * kGiB);
}

} // namespace
