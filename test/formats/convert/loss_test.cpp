// What a format can't hold is reported once, with the number of cases; nothing else changes.
#include "random_trace.h"
#include "recorded_trace.h"
#include "scratch_directory.h"

#include "ada/trace/wtf.h"

#include <gtest/gtest.h>

namespace ada::test {

using namespace model;

static RecordedTrace oneThread() {
  RecordedTrace trace;
  trace.isRoot = false;
  trace.processes.push_back({.name = "pid_1", .pid = 1});
  trace.threads.push_back({.tid = 5});
  trace.functions.push_back({.id = 3, .name = "f", .displayName = "f"});
  trace.events.resize(1);
  return trace;
}

static std::string lossesOf(const TraceSink &sink) {
  std::string text;
  for (const Loss &loss : sink.losses())
    text += std::to_string(loss.count) + " " + loss.what + "\n";
  return text;
}

static std::string convertTo(const RecordedTrace &trace, TraceSink &sink) {
  Player player(trace);
  auto done = convert(player, sink);
  EXPECT_TRUE(done) << done.error().text();
  return lossesOf(sink);
}

TEST(Loss, MarksAndValuesInAtf) {
  RecordedTrace trace = oneThread();
  for (int i = 0; i < 3; ++i)
    trace.events[0].push_back({.kind = Kind::Mark, .name = "m"});
  trace.events[0].push_back({.timeNs = 7});
  trace.events[0].push_back({.timeNs = 8, .kind = Kind::Value, .name = "v"});
  ScratchDirectory scratch;
  auto sink = makeAtfSessionSink(scratch / "s");
  EXPECT_EQ(convertTo(trace, *sink), "3 marks: ATF holds calls only\n"
                                     "1 values of calls: ATF has no names for them\n");
  const RecordedTrace::What what = {.texts = false, .fileThreadIds = false};
  EXPECT_EQ(readTrace(scratch / "s").text(what), trace.text(what));
}

TEST(Loss, DetailsInWtfAndInOneFile) {
  RecordedTrace trace = oneThread();
  trace.events[0].push_back({.timeNs = 5000, .details = {{.payload = "abc"}}});
  MemoryFile file;
  auto wtf = makeWtfSink(file.sink());
  EXPECT_EQ(convertTo(trace, *wtf), "1 events with registers and stack: "
                                    "wtf-trace has no place for them\n");
  ScratchDirectory scratch;
  auto atf = makeAtfFileSink(scratch / "x.atf");
  EXPECT_EQ(convertTo(trace, *atf), "1 events with registers and stack: they need a session, a single "
                                    "index file has no place for them\n"
                                    "1 names of functions: a single index file has ids only; a session "
                                    "keeps them\n");
}

TEST(Loss, KindsThatVersion2CantHold) {
  RecordedTrace trace = oneThread();
  for (uint32_t kind : {255u, 256u, 0xFFFFFFFFu})
    trace.events[0].push_back({.kind = Kind{kind}});
  ScratchDirectory scratch;
  auto v2 = makeAtfSessionSink(scratch / "v2", {.version = 2});
  EXPECT_EQ(convertTo(trace, *v2), "2 events of a kind over 255: version 2 has one byte for it; "
                                   "version 1 has four\n");
  auto v1 = makeAtfSessionSink(scratch / "v1", {.version = 1});
  EXPECT_EQ(convertTo(trace, *v1), "");
  const RecordedTrace::What what = {.fileThreadIds = false};
  EXPECT_EQ(readTrace(scratch / "v1").text(what), trace.text(what));
}

// With the limit lowered, as if version 1's 32 bits ran out there.
TEST(Loss, LinksThatVersion1CantCount) {
  RecordedTrace trace = oneThread();
  for (int i = 0; i < 10; ++i)
    trace.events[0].push_back({.timeNs = uint64_t(i), .details = {{.type = 3, .payload = "p"}}});
  ScratchDirectory scratch;
  auto sink = makeAtfSessionSink(scratch / "s", {.version = 1, .maxLinks = 4});
  EXPECT_EQ(convertTo(trace, *sink), "6 events with registers and stack: version 1 counts with 32 bits "
                                     "and can't link so many; version 2 can\n");
  RecordedTrace read = readTrace(scratch / "s");
  ASSERT_EQ(read.events[0].size(), 10u); // all calls are there
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(read.events[0][i].details.size(), i < 4 ? 1u : 0u);
}

TEST(Loss, SeveralThreadsInOneFile) {
  RecordedTrace trace = oneThread();
  trace.threads.push_back({.index = 1, .number = 1});
  trace.events.resize(2);
  trace.events[0].push_back({});
  trace.events[1].push_back({});
  ScratchDirectory scratch;
  auto sink = makeAtfFileSink(scratch / "x.atf");
  Player player(trace);
  auto done = convert(player, *sink);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "E_SEVERAL_THREADS");
}

// If the other dialect can't hold a scope's beginning, the scope's end is dropped too; it would end the outer scope.
TEST(Loss, EndsOfScopesThatCouldNotBegin) {
  MemoryFile chunked, big;
  wtf::FileHeader header;
  header.dialect = wtf::Dialect::Chunked;
  auto encoder = wtf::Encoder::begin(chunked.sink(), header);
  ASSERT_TRUE(encoder);
  ASSERT_TRUE(encoder->defineBuiltIns());
  ASSERT_TRUE(encoder->define({18, wtf::kScope, 0, "outer", ""}));
  ASSERT_TRUE(encoder->define({19, wtf::kScope, 0, "says", "utf8 text"}));
  const std::string longText(70'000, 'x');
  const wtf::Arg text = wtf::Arg::utf8(longText);
  const auto leave = wtf::wireIdOf(wtf::Role::ScopeLeave);
  ASSERT_TRUE(encoder->event(18, 10));
  ASSERT_TRUE(encoder->event(19, 20, {&text, 1}));
  ASSERT_TRUE(encoder->event(18, 30));
  ASSERT_TRUE(encoder->event(19, 40, {&text, 1}));
  ASSERT_TRUE(encoder->event(leave, 50));
  ASSERT_TRUE(encoder->event(leave, 60));
  ASSERT_TRUE(encoder->event(leave, 70));
  ASSERT_TRUE(encoder->event(leave, 80));
  ASSERT_TRUE(encoder->finish());
  auto input = ByteInput::open(chunked.path());
  ASSERT_TRUE(input);
  auto copied = copyWtf(*input, big.sink(), wtf::Dialect::BigEndian);
  ASSERT_TRUE(copied);
  std::string losses;
  for (const Loss &loss : copied->losses)
    losses += std::to_string(loss.count) + " " + loss.what + "\n";
  EXPECT_EQ(losses, "2 records with text that the dialect can't hold\n"
                    "2 ends of scopes whose beginning the dialect can't hold\n");
  const RecordedTrace read = readTrace(big.path());
  ASSERT_EQ(read.events[0].size(), 4u);
  EXPECT_EQ(read.events[0][2].timeNs, 60'000u);
  EXPECT_EQ(read.events[0][3].timeNs, 80'000u);
  EXPECT_EQ(read.events[0][3].kind, Kind::Return);
}

TEST(Loss, RoundedTimes) {
  RecordedTrace trace = oneThread();
  for (uint64_t time : {1'000'000u, 1'001'500u, 1'002'001u})
    trace.events[0].push_back({.timeNs = time});
  MemoryFile exact, rounded;
  auto sink = makeWtfSink(exact.sink());
  EXPECT_EQ(convertTo(trace, *sink), "");
  sink = makeWtfSink(rounded.sink(), {.exactTimes = false});
  EXPECT_EQ(convertTo(trace, *sink), "2 times that were cut to what the format counts in\n");
  EXPECT_LT(rounded.bytes().size(), exact.bytes().size());
  const RecordedTrace read = readTrace(rounded.path());
  EXPECT_EQ(read.events[0][1].timeNs, 1'001'000u);
}

// A name in a file never becomes a path outside the session.
TEST(Loss, NamesAreNoPaths) {
  RecordedTrace trace = oneThread();
  trace.isRoot = true;
  trace.processes[0].name = "../../escape";
  trace.events[0].push_back({});
  ScratchDirectory scratch;
  auto sink = makeAtfSessionSink(scratch / "a/b/s");
  EXPECT_EQ(convertTo(trace, *sink), "");
  EXPECT_FALSE(std::filesystem::exists(scratch.path() + "/a/escape"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "a/b/s/pid_1/manifest.json"));
}

} // namespace ada::test
