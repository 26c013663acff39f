// A large file's pages are dropped from the cache once they are on disk, except at the end; its bytes stay the same.
#include "core/files/write_behind.h"
#include "scratch_directory.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <string>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <vector>

using ada::runtime::WriteBehind;

namespace {

// Fraction of the file's first bytes that is in the page cache, from 0 to 1.
double cached(int fd, size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *const map = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return -1;
  std::vector<unsigned char> pages(bytes / page);
  size_t there = 0;
  if (mincore(map, bytes, pages.data()) == 0)
    for (const unsigned char is : pages)
      there += is & 1;
  munmap(map, bytes);
  return static_cast<double>(there) / static_cast<double>(pages.size());
}

TEST(WriteBehind, GivesMemoryBackAndKeepsBytes) {
  const ada::test::ScratchDirectory directory;
  const std::string path = directory.path() + "/file";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  struct statfs system;
  ASSERT_EQ(fstatfs(fd, &system), 0);
  if (system.f_type == TMPFS_MAGIC)
    GTEST_SKIP() << "a file system without a disk";
  constexpr size_t kWrite = 1 << 20, kEnd = WriteBehind::kKept + 4 * WriteBehind::kPiece;
  std::vector<char> bytes(kWrite);
  WriteBehind behind;
  for (size_t at = 0; at < kEnd; at += kWrite) {
    std::fill(bytes.begin(), bytes.end(), static_cast<char>(at / kWrite));
    ASSERT_EQ(pwrite(fd, bytes.data(), kWrite, static_cast<off_t>(at)), static_cast<ssize_t>(kWrite));
    if (at + kWrite == WriteBehind::kKept) {
      ASSERT_EQ(fsync(fd), 0); // pages not yet on disk would stay
    }
    behind.wrote(fd, at + kWrite, UINT64_MAX);
  }
  EXPECT_LT(cached(fd, 3 * WriteBehind::kPiece), 0.1);
  for (size_t at = 0; at < kEnd; at += kWrite) {
    ASSERT_EQ(pread(fd, bytes.data(), kWrite, static_cast<off_t>(at)), static_cast<ssize_t>(kWrite));
    ASSERT_EQ(bytes.front(), static_cast<char>(at / kWrite)) << at;
    ASSERT_EQ(bytes.back(), static_cast<char>(at / kWrite)) << at;
  }
  close(fd);
}

} // namespace
