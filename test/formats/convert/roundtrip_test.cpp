// A trace that is written in a format and read back is the same trace.
// That includes calls, ends, times to the nanosecond, threads, functions, and everything else that the format holds.
// Each format is tested with thousands of random traces.
#include "random_trace.h"
#include "recorded_trace.h"
#include "scratch_directory.h"

#include "ada/trace/dial9.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace ada::test {

using namespace model;

static unsigned lastOf(unsigned first, unsigned last) { return first + (last - first) / kCasesPart; }

static void expectNoLoss(const TraceSink &sink, unsigned seed) {
  for (const Loss &loss : sink.losses())
    if (!loss.what.starts_with("threads with more than 1023") && !loss.what.starts_with("functions past the 65,500th"))
      ADD_FAILURE() << "seed " << seed << ": " << loss.count << " " << loss.what;
}

// Writes the trace with the sink; on failure fails the test and returns false.
static bool write(const RecordedTrace &trace, TraceSink &sink, unsigned seed) {
  Player player(trace, seed % 3);
  auto done = convert(player, sink);
  EXPECT_TRUE(done) << "seed " << seed << ": " << done.error().text();
  expectNoLoss(sink, seed);
  return bool(done);
}

static void dial9Cases(unsigned first, unsigned last) {
  for (unsigned seed = first; seed < lastOf(first, last) && !testing::Test::HasFailure(); ++seed) {
    const RecordedTrace trace =
        randomTrace({.seed = seed, .details = true, .texts = true, .anyBytes = true, .maxKind = 0xFFFFFFFF});
    MemoryFile file;
    auto sink = makeDial9Sink(file.sink());
    ASSERT_TRUE(write(trace, *sink, seed));
    ASSERT_EQ(readTrace(file.path()).text(), trace.text()) << "seed " << seed;
  }
}
TEST(RoundTrip, Dial9) { dial9Cases(0, 9'000); }

static void wtfCases(wtf::Dialect dialect, unsigned first, unsigned last) {
  for (unsigned seed = first; seed < lastOf(first, last) && !testing::Test::HasFailure(); ++seed) {
    const RecordedTrace trace = randomTrace({.seed = seed, .texts = true, .maxKind = 0xFFFFFFFF});
    MemoryFile file;
    auto sink = makeWtfSink(file.sink(), {.dialect = dialect});
    ASSERT_TRUE(write(trace, *sink, seed));
    ASSERT_EQ(readTrace(file.path()).text(), trace.text()) << "seed " << seed;
  }
}
TEST(RoundTrip, WtfBigEndian) { wtfCases(wtf::Dialect::BigEndian, 0, 5'000); }
TEST(RoundTrip, WtfLittleEndian) { wtfCases(wtf::Dialect::LittleEndian, 6'000, 7'500); }
TEST(RoundTrip, WtfChunked) { wtfCases(wtf::Dialect::Chunked, 8'000, 10'500); }

// Reads what `from` wrote, writes it with `to`, and so on; the final trace equals the first one.
static void atfCases(uint8_t firstVersion, unsigned first, unsigned last) {
  // Thousands of small files: keep them in memory where possible.
  if (::access("/dev/shm", W_OK) == 0)
    ::setenv("TMPDIR", "/dev/shm", 1);
  ScratchDirectory scratch;
  const RecordedTrace::What what = {.texts = false};
  for (unsigned seed = first; seed < lastOf(first, last) && !testing::Test::HasFailure(); ++seed) {
    const RecordedTrace trace = randomTrace({.seed = seed, .details = true});
    std::string path = scratch / std::to_string(seed);
    auto sink = makeAtfSessionSink(path, {.version = firstVersion});
    ASSERT_TRUE(write(trace, *sink, seed));
    ASSERT_EQ(readTrace(path).text(what), trace.text(what)) << "seed " << seed;
    const std::string other = path + "_other";
    auto source = openTrace(path);
    ASSERT_TRUE(source) << source.error().text();
    auto second = makeAtfSessionSink(other, {.version = static_cast<uint8_t>(3 - firstVersion)});
    auto converted = convert(**source, *second);
    ASSERT_TRUE(converted) << converted.error().text();
    expectNoLoss(*second, seed);
    ASSERT_EQ(readTrace(other).text(what), trace.text(what)) << "seed " << seed;
    // Through the other formats and back.
    MemoryFile dial9, wtf;
    auto toDial9 = makeDial9Sink(dial9.sink());
    converted = convert(**source, *toDial9);
    ASSERT_TRUE(converted) << converted.error().text();
    ASSERT_EQ(readTrace(dial9.path()).text(what), trace.text(what)) << "seed " << seed;
    auto toWtf = makeWtfSink(wtf.sink());
    converted = convert(**source, *toWtf);
    ASSERT_TRUE(converted) << converted.error().text();
    const RecordedTrace::What calls = {.details = false, .texts = false};
    ASSERT_EQ(readTrace(wtf.path()).text(calls), trace.text(calls)) << "seed " << seed;
    std::filesystem::remove_all(path);
    std::filesystem::remove_all(other);
  }
}
TEST(RoundTrip, Atf1ToAtf2) { atfCases(1, 20'000, 20'400); }
TEST(RoundTrip, Atf2ToAtf1) { atfCases(2, 30'000, 30'400); }

// More functions than the format has type numbers: the scopes of the remaining functions carry names instead.
TEST(RoundTrip, WtfManyFunctions) {
  RecordedTrace trace;
  trace.processes.push_back({.name = "pid_1", .pid = 1});
  trace.threads.push_back({});
  trace.events.emplace_back();
  for (uint32_t i = 0; i < 66'000; ++i) {
    trace.functions.push_back({.index = i,
                               .id = i,
                               .name = "f<" + std::to_string(i) + ">()",
                               .displayName = "f<" + std::to_string(i) + ">()"});
    trace.events[0].push_back({.timeNs = i * 2 * 1001 + 7, .function = i});
    trace.events[0].push_back(
        {.timeNs = i * 2 * 1001 + 1008, .kind = i % 5 ? Kind::Return : Kind::Exception, .function = i});
  }
  MemoryFile file;
  auto sink = makeWtfSink(file.sink());
  ASSERT_TRUE(write(trace, *sink, 0));
  ASSERT_EQ(sink->losses().size(), 1u); // the released application stores their numbers in 16 bits
  EXPECT_EQ(sink->losses()[0].count, 500u);
  EXPECT_EQ(readTrace(file.path()).text(), trace.text());
}

// Streams like those of the first versions: announcements without a time.
TEST(RoundTrip, Dial9WithoutTimes) {
  struct Untimed : dial9::Visitor {
    explicit Untimed(dial9::ByteSink &target) : encoder(target) {}
    static bool isEvent(std::string_view name) {
      return name == "ada.Call" || name == "ada.Return" || name == "ada.Exception" || name == "ada.Event" ||
             name == "ada.Detail" || name == "ada.Mark" || name == "ada.Value";
    }
    void onSchema(const dial9::Schema &schema, uint64_t) override {
      const std::vector<dial9::Field> fields(schema.fields().begin(), schema.fields().end());
      EXPECT_TRUE(schema.hasTimestamp()) << schema.name(); // dial9's viewer refuses others
      EXPECT_EQ(encoder.schema(schema.typeId(), schema.name(), isEvent(schema.name()), fields),
                dial9::EncodeError::None);
    }
    void onEvent(const dial9::EventView &event) override {
      const uint16_t id = event.schema->typeId();
      EXPECT_EQ(isEvent(event.schema->name()) ? encoder.event(id, event.timestampNs, event.values)
                                              : encoder.event(id, event.values),
                dial9::EncodeError::None);
    }
    void onStringPool(dial9::StringPoolView entries, uint64_t) override {
      const std::vector<dial9::StringPoolEntry> list(entries.begin(), entries.end());
      EXPECT_EQ(encoder.stringPool(list), dial9::EncodeError::None);
    }
    dial9::Encoder encoder;
  };
  struct Target : dial9::ByteSink {
    bool write(std::span<const uint8_t> data) override {
      text.append(reinterpret_cast<const char *>(data.data()), data.size());
      return true;
    }
    std::string text;
  };
  for (unsigned seed = 1; seed < 50; ++seed) {
    const RecordedTrace trace = randomTrace({.seed = seed, .details = true, .texts = true});
    MemoryFile timed, untimed;
    auto sink = makeDial9Sink(timed.sink());
    ASSERT_TRUE(write(trace, *sink, seed));
    Target target;
    Untimed copier(target);
    dial9::Decoder decoder(copier);
    const std::string bytes = timed.bytes();
    ASSERT_TRUE(decoder.push({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}));
    ASSERT_EQ(copier.encoder.flush(), dial9::EncodeError::None);
    untimed.assign(target.text);
    ASSERT_EQ(readTrace(untimed.path()).text(), trace.text()) << "seed " << seed;
  }
}

} // namespace ada::test
