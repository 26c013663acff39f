// Memory of mapped files is given back, also where it is released in small parts.
#include "scratch_directory.h"
#include "trace/base/file_bytes.h"

#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ada {
namespace {

uint64_t residentBytes() {
  uint64_t total = 0, resident = 0; // pages
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST(FileBytes, ReleasesWhatTheSystemMapsAroundAUsedPage) {
  constexpr size_t kBytes = 64 << 20, kPart = 5000;
  const test::ScratchDirectory directory;
  std::ofstream out(directory / "large", std::ios::binary);
  for (size_t i = 0; i < kBytes; i += 1 << 10) // in small parts, as traces are written
    out << std::string(1 << 10, 'x');
  out.close();
  const auto file = FileBytes::open(directory / "large");
  ASSERT_TRUE(file);
  const std::span<const std::byte> bytes = file->bytes();
  ASSERT_EQ(bytes.size(), kBytes);
  const uint64_t before = residentBytes();
  for (size_t at = 0; at < kBytes; at += kPart) {
    const auto part = bytes.subspan(at, std::min(kPart, kBytes - at));
    for (const std::byte byte : {part.front(), part.back()})
      ASSERT_EQ(byte, std::byte{'x'});
    file->release(part);
  }
  EXPECT_LT(residentBytes(), before + kBytes / 4); // how much is mapped around a page differs by system
  EXPECT_EQ(bytes[kBytes / 2], std::byte{'x'});    // read again
}

} // namespace
} // namespace ada
