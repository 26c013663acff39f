// A consumer of calls that are read in parts gets each call once and whole, wherever threads are cut.
// docs/developers/analysis.md shows the first part of this file.
#include "ada/trace/convert.h"
#include "analysis/calls/part_reader.h"
#include "formats/native/index/index_writer.h"
#include "random_calls.h"
#include "scratch_directory.h"
#include "trace/base/try.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ada;
using namespace ada::analysis;
using ada::test::CallShape, ada::test::randomCalls;

namespace {

//===--- the example ------------------------------------------------------===//

struct LongestCall {
  uint64_t ns = 0, beginNs = 0;
  uint32_t thread = 0;
};
using LongestCalls = std::map<std::string, LongestCall>; // by the function's name

// What a reader notes at the end of a call that began in another part.
struct LongestNote {
  uint32_t thread = 0;
  bool isShown = false;
};

class LongestReader : public PartReader<LongestReader, LongestNote> {
public:
  LongestReader(TraceTable &table, const FilterOptions &filter) : PartReader(table), rules_(filter, table) {}

  void beginPart(const ThreadPart &part) { startPart(part, rules_, nullptr, nullptr); }

  // Called by PartReader.
  void ended(const Span &call, const OffCpuOfCall *, bool shown, std::string &&) {
    if (shown)
      add(call, part().thread);
  }
  void endedCrossing(const Span &, bool shown, std::string &&, LongestNote &note) { note = {part().thread, shown}; }
  void crossed(const Span &call, const OffCpuOfCall &, const LongestNote &, const LongestNote &ended) override {
    if (ended.isShown)
      add(call, ended.thread);
  }

  LongestCalls longest;

private:
  void add(const Span &call, uint32_t thread) {
    LongestCall &known = longest[table().functions[call.functionIndex].displayName];
    if (call.durationNs() > known.ns)
      known = {call.durationNs(), call.beginNs, thread};
  }

  FunctionRules rules_;
};

Expected<LongestCalls> longestCalls(const Trace &trace, const FilterOptions &filter, uint64_t partEvents) {
  LongestCalls all;
  Damage damage;
  ADA_TRY(readCalls<LongestReader>(
      trace, partEvents, [&](TraceTable &own) { return std::make_unique<LongestReader>(own, filter); },
      [&](LongestReader &reader) {
        for (const auto &[name, call] : reader.longest)
          if (call.ns > all[name].ns)
            all[name] = call;
      },
      damage));
  return all;
}

//===--- the test ---------------------------------------------------------===//

std::string textOf(const Trace &trace, uint64_t partEvents) {
  const auto longest = longestCalls(trace, {}, partEvents);
  EXPECT_TRUE(longest);
  std::string text;
  for (const auto &[name, call] : *longest)
    text += name + " " + std::to_string(call.ns) + " from " + std::to_string(call.beginNs) + "\n";
  return text;
}

} // namespace

TEST(PartReader, LongestCallsWhereverThreadsAreCut) {
  const test::ScratchDirectory scratch;
  for (const CallShape &shape : {CallShape{.name = "nested"}, CallShape{.name = "flat", .deepest = 2},
                                 CallShape{.name = "damaged", .odd = 20}, CallShape{.name = "deep", .deepest = 900}}) {
    const std::string path = scratch / (shape.name + "/pid_1/thread_0/index.atp");
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    auto writer = atf::IndexWriter::create(path, {.packed = true, .threadId = 7});
    ASSERT_TRUE(writer);
    for (const atf::IndexEvent &event : randomCalls(shape, 1))
      ASSERT_TRUE(writer->append(event));
    ASSERT_TRUE(writer->finish());
    auto source = model::openTrace(scratch / shape.name);
    ASSERT_TRUE(source) << source.error().text();
    TraceTable table;
    TableSink announced(table);
    model::ReadRequest nothing;
    nothing.threads.emplace();
    ASSERT_TRUE((*source)->readPart(announced, nothing));
    const std::vector<uint32_t> threads = {0};
    const Trace trace{**source, table, threads};
    EXPECT_GT(partsOf(trace, 5000).size(), 3u) << shape.name;
    EXPECT_EQ(textOf(trace, 5000), textOf(trace, kWholeThread)) << shape.name;
  }
}
