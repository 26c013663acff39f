// Traces of other programs can be converted, complete or cut.
// Every vector of every format can be read into the model and written in every other format. A trace that is cut
// anywhere gives everything before the cut, and a warning.
#include "random_trace.h"
#include "recorded_trace.h"
#include "scratch_directory.h"

#include "ada/trace/wtf/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ada::test {

using namespace model;
namespace fs = std::filesystem;

static std::vector<fs::path> filesBelow(const char *folder, const char *extension) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(fs::path(ADA_FORMAT_TESTS) / folder))
    if (entry.path().extension() == extension)
      files.push_back(entry.path());
  std::ranges::sort(files);
  EXPECT_GE(files.size(), 5u) << folder;
  return files;
}

// Whatever the file contains: no crash, and either problems or a whole trace.
static void convertEverywhere(const fs::path &path) {
  ScratchDirectory scratch;
  MemoryFile dial9, wtf;
  std::unique_ptr<TraceSink> sinks[] = {makeAtfSessionSink(scratch / "1", {.version = 1}),
                                        makeAtfSessionSink(scratch / "2", {.version = 2}), makeDial9Sink(dial9.sink()),
                                        makeWtfSink(wtf.sink())};
  for (auto &sink : sinks) {
    auto source = openTrace(path.string());
    if (!source) {
      EXPECT_FALSE(source.error().message.empty());
      continue;
    }
    auto done = convert(**source, *sink);
    EXPECT_TRUE(done || !done.error().code.empty()) << path;
  }
}

TEST(Foreign, Dial9Vectors) {
  for (const fs::path &path : filesBelow("vectors", ".trc"))
    convertEverywhere(path);
}
TEST(Foreign, WtfVectors) {
  for (const fs::path &path : filesBelow("vectors", ".wtf-trace"))
    convertEverywhere(path);
}
TEST(Foreign, AtfVectors) {
  for (const fs::path &path : filesBelow("vectors", ".atf"))
    convertEverywhere(path);
}

// Reading a prefix of a stream gives the first events of each thread.
TEST(Foreign, CutAnywhere) {
  const RecordedTrace trace = randomTrace({.seed = 77, .details = true, .texts = true});
  const auto check = [&](const std::string &bytes, size_t cuts) {
    for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / cuts) {
      MemoryFile cut;
      cut.assign(bytes.substr(0, size));
      auto source = openTrace(cut.path());
      Recorder recorder;
      if (!source || !convert(**source, recorder))
        continue;
      for (size_t t = 0; t < recorder.trace.threads.size(); ++t) {
        const auto &got = recorder.trace.events[t];
        ASSERT_LE(got.size(), trace.events[t].size());
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(got[i].timeNs, trace.events[t][i].timeNs);
          EXPECT_EQ(got[i].kind, trace.events[t][i].kind);
        }
      }
    }
  };
  MemoryFile dial9, wtf;
  Player player(trace);
  auto toDial9 = makeDial9Sink(dial9.sink());
  ASSERT_TRUE(convert(player, *toDial9));
  check(dial9.bytes(), 300);
  auto toWtf = makeWtfSink(wtf.sink());
  ASSERT_TRUE(convert(player, *toWtf));
  check(wtf.bytes(), 300);
}

// Damaged bytes anywhere: the delivered events are in order (the recorder checks numbers), and other sinks accept them.
TEST(Foreign, ChangedBytes) {
  std::mt19937 random(5);
  const auto check = [&](const std::string &bytes) {
    for (unsigned round = 0; round < 400 / kCasesPart; ++round) {
      std::string damaged = bytes;
      for (unsigned n = 1 + random() % 3; n > 0; --n)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      MemoryFile file, dial9, wtf;
      file.assign(damaged);
      auto source = openTrace(file.path());
      if (!source)
        continue;
      Recorder recorder;
      (void)(*source)->read(recorder);
      auto toDial9 = makeDial9Sink(dial9.sink());
      (void)convert(**source, *toDial9);
      auto toWtf = makeWtfSink(wtf.sink());
      (void)convert(**source, *toWtf);
    }
  };
  for (const unsigned seed : {3u, 12u, 29u}) {
    const RecordedTrace trace = randomTrace({.seed = seed, .details = true, .texts = true});
    MemoryFile dial9, wtf;
    Player player(trace);
    auto toDial9 = makeDial9Sink(dial9.sink());
    ASSERT_TRUE(convert(player, *toDial9));
    check(dial9.bytes());
    auto toWtf = makeWtfSink(wtf.sink());
    ASSERT_TRUE(convert(player, *toWtf));
    check(wtf.bytes());
  }
}

// Scopes of another program become calls, their arguments values, everything else marks.
TEST(Foreign, ScopesAreCalls) {
  MemoryFile file;
  wtf::FileHeader header;
  header.timebaseMs = 5;
  auto encoder = wtf::Encoder::begin(file.sink(), header);
  ASSERT_TRUE(encoder);
  ASSERT_TRUE(encoder->defineBuiltIns());
  ASSERT_TRUE(encoder->define({18, wtf::kScope, 0, "draw", "int32 n"}));
  ASSERT_TRUE(encoder->define({19, wtf::kInstance, 0, "tick", ""}));
  const wtf::Arg n = wtf::Arg::int32(-7);
  ASSERT_TRUE(encoder->event(18, 10, {&n, 1}));
  ASSERT_TRUE(encoder->event(19, 11));
  ASSERT_TRUE(encoder->event(wtf::wireIdOf(wtf::Role::ScopeLeave), 12));
  ASSERT_TRUE(encoder->finish());
  const RecordedTrace read = readTrace(file.path());
  ASSERT_EQ(read.threads.size(), 1u);
  const auto &events = read.events[0];
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].kind, Kind::Call);
  EXPECT_EQ(read.functions[events[0].function].name, "draw");
  EXPECT_EQ(events[0].timeNs, 5'010'000u);
  EXPECT_EQ(events[1].kind, Kind::Value);
  EXPECT_EQ(events[1].name + "=" + events[1].json, "n=-7");
  EXPECT_EQ(events[2].kind, Kind::Mark);
  EXPECT_EQ(events[2].name, "tick");
  EXPECT_EQ(events[3].kind, Kind::Return);
  EXPECT_EQ(events[3].timeNs, 5'012'000u);
}

} // namespace ada::test
