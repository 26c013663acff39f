// The runtime's checksums against known values and against those of isa-l, which the library uses.
#include "core/base/crc.h"

#include <gtest/gtest.h>
#include <isa-l/crc.h>
#include <random>
#include <vector>

namespace {

TEST(Crc, KnownValues) {
  EXPECT_EQ(ada::runtime::crc32(0, "123456789", 9), 0xCBF43926u);
  EXPECT_EQ(ada::runtime::crc32c(0, "123456789", 9), 0xE3069283u);
  EXPECT_EQ(ada::runtime::crc32(0, "", 0), 0u);
  EXPECT_EQ(ada::runtime::crc32c(0, "", 0), 0u);
  std::vector<char> zeros(32); // RFC 3720
  EXPECT_EQ(ada::runtime::crc32c(0, zeros.data(), 32), 0x8A9136AAu);
}

TEST(Crc, AgreesWithIsalAtAllLengthsAndAlignments) {
  std::mt19937 random(3);
  std::vector<unsigned char> data(20000);
  for (auto &byte : data)
    byte = static_cast<unsigned char>(random());
  for (int i = 0; i < 3000; ++i) {
    size_t at = random() % 64, n = i < 200 ? static_cast<size_t>(i) : random() % (data.size() - 64);
    unsigned char *p = data.data() + at;
    ASSERT_EQ(ada::runtime::crc32(0, p, n), crc32_gzip_refl(0, p, n)) << at << ' ' << n;
    ASSERT_EQ(ada::runtime::crc32c(0, p, n), ~crc32_iscsi(p, static_cast<int>(n), ~0u)) << at << ' ' << n;
    // In two pieces it is the same.
    size_t first = n ? random() % n : 0;
    ASSERT_EQ(ada::runtime::crc32(ada::runtime::crc32(0, p, first), p + first, n - first),
              ada::runtime::crc32(0, p, n));
    ASSERT_EQ(ada::runtime::crc32c(ada::runtime::crc32c(0, p, first), p + first, n - first),
              ada::runtime::crc32c(0, p, n));
  }
}

} // namespace
