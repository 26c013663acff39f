// XRay's logs: both modes, every kind of record, and damage.
#include "import_reading.h"

#include "formats/xray/function_names.h"

#include <cstring>

namespace ada::test {

namespace {

template <class Number> std::string bytesOf(Number number) {
  return std::string(reinterpret_cast<const char *>(&number), sizeof number);
}
std::string header(uint16_t version, uint16_t mode, uint64_t rate, uint64_t buffer = 0) {
  return bytesOf(version) + bytesOf(mode) + bytesOf(uint32_t{3}) + bytesOf(rate) + bytesOf(buffer) +
         std::string(8, '\0');
}
std::string basic(uint8_t kind, uint32_t function, uint64_t ticks, uint32_t tid) {
  return bytesOf(uint16_t{0}) + '\0' + static_cast<char>(kind) + bytesOf(function) + bytesOf(ticks) + bytesOf(tid) +
         bytesOf(uint32_t{70}) + std::string(8, '\0');
}
std::string metadata(uint8_t kind, std::string payload) {
  payload.resize(15);
  return static_cast<char>(kind << 1 | 1) + payload;
}
std::string function(uint32_t kind, uint32_t number, uint32_t delta) {
  return bytesOf(number << 4 | kind << 1) + bytesOf(delta);
}
std::string begin(uint32_t tid, uint64_t second) {
  return metadata(0, bytesOf(tid)) + metadata(4, bytesOf(second) + bytesOf(uint32_t{0})) +
         metadata(9, bytesOf(uint32_t{70}));
}
std::string block(const std::string &content) { return metadata(7, bytesOf(uint64_t{content.size()})) + content; }
std::string cpu(uint64_t ticks) { return metadata(2, bytesOf(uint16_t{0}) + bytesOf(ticks)); }

} // namespace

TEST(XRay, BasicLog) {
  std::string log = header(3, 0, 2'000'000'000) + basic(0, 1, 100, 5) + basic(3, 2, 101, 5);
  log += bytesOf(uint16_t{1}) + std::string(2, '\0') + bytesOf(uint32_t{2}) + bytesOf(uint32_t{5}) +
         bytesOf(uint32_t{70}) + bytesOf(uint64_t{42}) + std::string(8, '\0');
  log += basic(0, 1, 110, 6) + basic(2, 2, 200, 5) + basic(1, 1, 300, 5) + basic(1, 1, 310, 6);
  const Reading read = readBytes(log);
  EXPECT_EQ(read.thread(0), "50 +fn 1 50 +fn 2 50 arg1=42 100 -fn 2 150 -fn 1");
  EXPECT_EQ(read.thread(1), "55 +fn 1 155 -fn 1");
  EXPECT_EQ(read.trace.threads[1].tid, 6u);
  EXPECT_EQ(read.trace.processes[0].pid, 70u);
  expectCutsAreBeginnings(log, 2);
  EXPECT_EQ(readBytes(log.substr(0, log.size() - 1)).problems.at(0).code, "E_TRUNCATED");
}

TEST(XRay, BlocksOfAThreadAreInTheOrderOfTheirTimes) {
  const std::string late = block(begin(5, 9) + cpu(1000) + function(0, 3, 1) + function(1, 3, 1) + function(1, 1, 1));
  const std::string early = block(begin(5, 8) + cpu(100) + function(0, 1, 0) + metadata(3, bytesOf(uint64_t{500})) +
                                  function(0, 2, 5) + function(1, 2, 5));
  const std::string log = header(4, 1, 1'000'000'000) + late + "\0\0\1"[0] + early;
  const Reading read = readBytes(log);
  EXPECT_EQ(read.thread(0), "100 +fn 1 505 +fn 2 510 -fn 2 1001 +fn 3 1002 -fn 3 1003 -fn 1");
  EXPECT_TRUE(read.problems.empty());
  expectCutsAreBeginnings(log, 0);
}

TEST(XRay, EventsAreMarks) {
  const std::string log =
      header(5, 1, 0) +
      block(begin(5, 8) + cpu(100) + metadata(5, bytesOf(uint32_t{3}) + bytesOf(uint32_t{7})) + "a\"b" +
            metadata(8, bytesOf(uint32_t{1}) + bytesOf(uint32_t{2}) + bytesOf(uint16_t{9})) + "z");
  const Reading read = readBytes(log);
  EXPECT_EQ(read.thread(0), "107 custom event{\"data\":\"a\\\"b\"} 109 typed event{\"type\":9,\"data\":\"z\"}");
}

TEST(XRay, BuffersOfVersion1) {
  std::string first = metadata(0, bytesOf(uint32_t{5})) + cpu(10) + function(0, 1, 0) + metadata(1, "");
  first.resize(96, '\xff');
  std::string second = metadata(0, bytesOf(uint32_t{5})) + cpu(20) + function(1, 1, 0) + metadata(1, "");
  const Reading read = readBytes(header(1, 1, 1'000'000'000, 96) + first + second);
  EXPECT_EQ(read.thread(0), "10 +fn 1 20 -fn 1");
  EXPECT_TRUE(read.problems.empty());
}

TEST(XRay, DamageEndsItsBlock) {
  const std::string bad = block(begin(5, 8) + cpu(100) + function(0, 1, 0) + metadata(60, "") + function(0, 1, 0));
  const std::string longEvent = block(begin(5, 9) + cpu(200) + metadata(5, bytesOf(~uint32_t{0})));
  const std::string good = block(begin(6, 9) + cpu(300) + function(0, 2, 0));
  const Reading read = readBytes(header(5, 1, 1'000'000'000) + bad + longEvent + good);
  EXPECT_EQ(read.thread(0), "100 +fn 1");
  EXPECT_EQ(read.thread(1), "300 +fn 2");
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_EQ(read.problems[0].code, "E_BAD_RECORD");
}

TEST(XRay, OtherFilesHaveNoFunctions) {
  EXPECT_FALSE(formats::xray::functionsOf("/proc/self/exe"));
  EXPECT_FALSE(formats::xray::functionsOf("/dev/null"));
  EXPECT_FALSE(formats::xray::functionsOf("/nowhere"));
}

} // namespace ada::test
