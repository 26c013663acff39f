// Chrome's trace JSON: times are exact, whole calls nest, and damage costs only the event that it is in.
#include "import_reading.h"

#include "formats/chrome/event_splitter.h"
#include "formats/chrome/operations.h"

namespace ada::test {

TEST(ChromeJson, MicrosecondsAreExactNanoseconds) {
  EXPECT_EQ(formats::nanosecondsOf("0"), 0u);
  EXPECT_EQ(formats::nanosecondsOf("1.5"), 1500u);
  EXPECT_EQ(formats::nanosecondsOf("1700000000000000.123"), 1'700'000'000'000'000'123u);
  EXPECT_EQ(formats::nanosecondsOf("0.0004999"), 0u);
  EXPECT_EQ(formats::nanosecondsOf("0.0005"), 1u);
  EXPECT_EQ(formats::nanosecondsOf("1.234e+3"), 1'234'000u);
  EXPECT_EQ(formats::nanosecondsOf("12e-3"), 12u);
  EXPECT_EQ(formats::nanosecondsOf("\"7\""), 7000u);
  EXPECT_EQ(formats::nanosecondsOf("-0.0"), 0u);
  EXPECT_EQ(formats::nanosecondsOf("18446744073709551.615"), ~uint64_t{0});
  EXPECT_EQ(formats::nanosecondsOf("18446744073709551.616"), std::nullopt);
  for (const char *bad : {"", "x", "-1", "1e400", "1e", "1.2.3", "null", "1e9999999999999999999"})
    EXPECT_EQ(formats::nanosecondsOf(bad), std::nullopt) << bad;
}

TEST(ChromeJson, WholeCallsNestWhereverTheyStand) {
  // "c" ends with "b", and "d" begins at that time: it is not part of "b".
  const Reading read = readBytes(R"([{"ph":"X","name":"c","ts":3,"dur":2},{"ph":"X","name":"d","ts":5,"dur":1},
    {"ph":"X","name":"b","ts":2,"dur":3,"args":{"n":1}},{"ph":"X","name":"a","ts":2,"dur":8}])");
  EXPECT_EQ(read.thread(0), "2000 +a 2000 +b 2000 n=1 3000 +c 5000 -c 5000 -b 5000 +d 6000 -d 10000 -a");
  EXPECT_TRUE(read.problems.empty() && read.losses.empty());
}

TEST(ChromeJson, WhatOutlastsItsCallerEndsWithIt) {
  const Reading read = readBytes(R"([{"ph":"X","name":"a","ts":1,"dur":4},{"ph":"X","name":"b","ts":3,"dur":4}])");
  EXPECT_EQ(read.thread(0), "1000 +a 3000 +b 5000 -b 5000 -a");
  EXPECT_EQ(read.lossOf("they end with it"), 1u);
}

TEST(ChromeJson, EndsFindTheirBeginning) {
  const Reading read = readBytes(R"({"traceEvents":[{"ph":"B","name":"a","ts":1},{"ph":"B","name":"b","ts":2},
    {"ph":"E","ts":3,"args":{"r":"x"}},{"ph":"E","name":"a","ts":4},{"ph":"E","ts":5},{"ph":"E","name":"q","ts":6}]})");
  EXPECT_EQ(read.thread(0), "1000 +a 2000 +b 3000 r=\"x\" 3000 -b 4000 -a 6000 -q");
  EXPECT_EQ(read.lossOf("nothing is open"), 1u);
}

TEST(ChromeJson, ProcessesAndThreadsByAnyId) {
  const Reading read = readBytes(R"([{"ph":"i","ts":1,"pid":4,"tid":5,"name":"m","args":{"a": [1, 2]}},
    {"ph":"i","ts":1,"pid":"gpu","tid":"queue","name":"n"},{"ph":"i","ts":2,"pid":4,"tid":6,"name":"o"},
    {"ph":"M","name":"process_name","pid":4,"args":{"name":"app"}},
    {"ph":"M","name":"thread_name","pid":4,"tid":6,"args":{"name":"io \u00e4"}}])");
  ASSERT_EQ(read.trace.threads.size(), 3u);
  EXPECT_EQ(read.trace.processes[0].pid, 4u);
  EXPECT_EQ(read.trace.processes[0].executable, "app");
  EXPECT_EQ(read.trace.processes[1].name, "gpu");
  EXPECT_EQ(read.trace.threads[1].name, "queue");
  EXPECT_EQ(read.trace.threads[2].name, "io ä");
  EXPECT_EQ(read.trace.threads[2].number, 1u);
  EXPECT_EQ(read.thread(0), "1000 m{\"a\":[1,2]}");
}

TEST(ChromeJson, DamageIsOneEvent) {
  const Reading read = readBytes("[{\"ph\":\"B\",\"ts\":1,\"name\":\"a\"},{\"ph\":\"B\",\"ts\":2,\"name\":\"\xff\"},"
                                 "{\"ph\":\"B\",\"ts\":,\"name\":3},{\"ph\":\"E\",\"ts\":9}]");
  EXPECT_EQ(read.thread(0), "1000 +a 9000 -a");
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_EQ(read.problems[0].code, "E_BAD_EVENT");
  EXPECT_EQ(read.problems[0].offset, 30u);
}

TEST(ChromeJson, OtherJsonIsRefused) {
  for (const char *other : {"{}", "{\"a\":1}", "[{\"a\":1}]", "{\"traceEvents\":7}"}) {
    const Reading read = readBytes(other);
    ASSERT_TRUE(read.error) << other;
    EXPECT_EQ(read.error->code, "E_BAD_MAGIC") << other;
  }
  EXPECT_FALSE(readBytes("[]").error);
  EXPECT_FALSE(readBytes("{\"traceEvents\":[]}").error);
}

TEST(ChromeJson, CutAnywhere) {
  const std::string text = R"({"otherData":{"a":"b\"]}"},"traceEvents":[{"ph":"B","name":"a}","ts":1},
    {"ph":"X","name":"\\","ts":2,"dur":1,"args":{"x":[{}]}},{"ph":"E","ts":5}],"displayTimeUnit":"ns"})";
  EXPECT_EQ(readBytes(text).thread(0), "1000 +a} 2000 +\\ 2000 x=[{}] 3000 -\\ 5000 -a}");
  expectCutsAreBeginnings(text, 1);
}

namespace {
struct Events : formats::EventSplitter::Visitor {
  std::string seen;
  bool onEvent(std::string_view json, uint64_t offset) override {
    seen += std::to_string(offset) + ":" + std::string(json) + "\n";
    return true;
  }
  void onMember(std::string_view name, std::string_view json) override {
    seen += std::string(name) + "=" + std::string(json) + "\n";
  }
  void onUnusable(uint64_t offset) override { seen += "unusable " + std::to_string(offset) + "\n"; }
};
} // namespace

TEST(ChromeJson, PiecesOfAnySize) {
  const std::string text = "\xef\xbb\xbf {\"a\":{\"b\":[1]},\"n\" : 12 ,\"traceEvents\":[{\"x\":\"\\\"}\"}, 5,{\"y\":" +
                           std::string(50, ' ') + "1},[]],\"z\":\"\\\\\"}";
  std::string expected;
  for (const size_t piece : {text.size(), size_t{1}, size_t{2}, size_t{7}}) {
    Events events;
    formats::EventSplitter splitter(events, 40);
    for (size_t at = 0; at < text.size(); at += piece)
      ASSERT_TRUE(splitter.push(std::string_view(text).substr(at, piece)));
    splitter.finish();
    EXPECT_FALSE(splitter.problem());
    if (expected.empty())
      expected = events.seen;
    EXPECT_EQ(events.seen, expected) << piece;
  }
  EXPECT_EQ(expected,
            "a={\"b\":[1]}\nn=12 \n44:{\"x\":\"\\\"}\"}\nunusable 57\nunusable 59\nunusable 117\nz=\"\\\\\"\n");
}

} // namespace ada::test
