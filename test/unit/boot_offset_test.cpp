// What /proc says about a time namespace becomes an offset, or nothing if it says nothing about this process.
#include "shared/text/boot_offset.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace ada;

namespace {

constexpr char kOwn[] = "/proc/self/ns/time", kChildren[] = "/proc/self/ns/time_for_children";
constexpr char kOffsets[] = "/proc/self/timens_offsets", kSelf[] = "/proc/self";

std::string asked(const std::map<std::string, std::string> &files) {
  const auto read = [&](const char *path, char *to, size_t n) -> long {
    const auto file = files.find(path);
    return file == files.end() ? -2 : static_cast<long>(file->second.copy(to, n));
  };
  int64_t offsetNs = 0;
  return askBootOffset(read, read, offsetNs) ? std::to_string(offsetNs) : "unknown";
}

} // namespace

TEST(BootOffset, OfALine) {
  const auto parsed = [](const char *text) {
    int64_t offsetNs = 0;
    return parseBootOffset(text, offsetNs) ? std::to_string(offsetNs) : "nothing";
  };
  EXPECT_EQ(parsed("monotonic           7         0\nboottime       100000         0\n"), "100000000000000");
  EXPECT_EQ(parsed("monotonic           0         0\nboottime           -6 500000000\n"), "-5500000000");
  EXPECT_EQ(parsed("boottime 0 1"), "1");
  for (const char *text : {"", "monotonic 1 1\n", "boottime", "boottime 1", "boottime x 1", "boottime 1 -",
                           "boottime 99999999999999999999 0", "boottime 9999999999999 0"})
    EXPECT_EQ(parsed(text), "nothing") << text;
}

TEST(BootOffset, OfAProcess) {
  const std::string machines = "time:[4026531834]", other = "time:[4026532500]", offsets = "boottime 5 0\n";
  EXPECT_EQ(asked({{kOwn, machines}, {kChildren, machines}, {kOffsets, "boottime 0 0\n"}}), "0");
  EXPECT_EQ(asked({{kOwn, other}, {kChildren, other}, {kOffsets, offsets}}), "5000000000");
  EXPECT_EQ(asked({{kSelf, "42"}}), "0") << "a kernel without time namespaces";
  EXPECT_EQ(asked({}), "unknown") << "no /proc";
  // After unshare(), the offsets are those of children.
  EXPECT_EQ(asked({{kOwn, machines}, {kChildren, other}, {kOffsets, offsets}}), "0");
  EXPECT_EQ(asked({{kOwn, other}, {kChildren, "time:[4026532501]"}, {kOffsets, offsets}}), "unknown");
  EXPECT_EQ(asked({{kOwn, other}, {kChildren, other}}), "unknown");
}
