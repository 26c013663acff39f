// Matching two sessions: flame graphs of one and two, and how threads ended.
#include "analysis/calls/thread_ends.h"
#include "analysis/events/session_match.h"
#include "analysis/tree/call_paths.h"
#include "analysis/tree/flame_tree.h"
#include "mixed_source.h"

using namespace ada;
using namespace ada::analysis;

namespace {

model::Function function(std::string name, std::string file = {}) {
  return {.index = 0, .process = 0, .id = 0, .name = std::move(name), .displayName = {}, .file = std::move(file)};
}

} // namespace

TEST(SessionMatch, JoinsFunctionsByName) {
  const std::vector<model::Function> a = {function("main", "/a/x.c"), function("find", "/a/x.c")};
  const std::vector<model::Function> b = {function("find", "/b/y.c"), function("add"), function("main")};
  const std::vector<const std::vector<model::Function> *> lists = {&a, &b};
  const JoinedFunctions joined = joinFunctions(lists);
  ASSERT_EQ(joined.functions.size(), 3u);
  EXPECT_EQ(joined.functions[0].name, "add");
  EXPECT_EQ(joined.functions[2].name, "main");
  EXPECT_EQ(joined.functions[2].file, "/a/x.c"); // the first one that is met
  EXPECT_EQ(joined.numbers, (std::vector<std::vector<uint32_t>>{{2, 1}, {1, 0, 2}}));
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(joined.functions[i].index, i);
}

// Two functions with the same name are told apart by file names, whatever directories they were built in.
TEST(SessionMatch, TellsStaticFunctionsApart) {
  const std::vector<model::Function> a = {function("init", "/a/x.c"), function("init", "/a/y.c")};
  const std::vector<model::Function> b = {function("init", "/other/y.c"), function("init", "/other/x.c")};
  const std::vector<const std::vector<model::Function> *> lists = {&a, &b};
  EXPECT_EQ(joinFunctions(lists).numbers, (std::vector<std::vector<uint32_t>>{{0, 1}, {1, 0}}));
}

TEST(SessionMatch, NamesThreadsByOrder) {
  TraceTable table;
  table.processes = {{.index = 0, .name = "p", .pid = 9}};
  const auto add = [&](uint64_t tid, std::string name) {
    table.threads.push_back({.index = 0, .process = 0, .number = 0, .tid = tid, .label = std::move(name)});
  };
  add(10, "worker");
  add(9, "server");
  add(11, "worker");
  add(12, "");
  EXPECT_EQ(threadKeys(table), (std::vector<std::string>{"worker #1", "main thread #1", "worker #2", " #1"}));
}

TEST(FlameTree, KeepsTheLongestAndAddsTheRestUp) {
  auto source = threadwise("0 A0 | 0 B10 | 0 b60 | 0 C60 | 0 c61 | 0 D61 | 0 d63 | 0 a100 |", 1);
  TraceTable table = tableOf(*source);
  const auto paths = readCallPaths({*source, table, {0}}, {});
  ASSERT_TRUE(paths);
  const FlameTree all = makeFlameTree(paths->groups[0].tree, nullptr, paths->functions.size(), 100);
  EXPECT_EQ(all.nodes.size(), 4u);
  EXPECT_EQ(all.whole.totalNs, 100u);
  EXPECT_EQ(all.whole.calls, 4u);
  const FlameTree two = makeFlameTree(paths->groups[0].tree, nullptr, paths->functions.size(), 2);
  ASSERT_EQ(two.nodes.size(), 3u);
  EXPECT_EQ(two.nodes[0].figures.totalNs, 100u);
  EXPECT_EQ(two.nodes[1].figures.totalNs, 50u);
  EXPECT_EQ(two.nodes[2].function, PathTree::kRest);
  EXPECT_EQ(two.nodes[2].paths, 2u);
  EXPECT_EQ(two.nodes[2].figures.totalNs, 3u);
}

TEST(FlameTree, HasThePathsOfBothSessions) {
  auto one = threadwise("0 A0 | 0 B10 | 0 b60 | 0 a100 |", 1), two = threadwise("0 A0 | 0 C10 | 0 c20 | 0 a40 |", 1);
  TraceTable tableOne = tableOf(*one), tableTwo = tableOf(*two);
  const auto a = readCallPaths({*one, tableOne, {0}}, {});
  const auto b = readCallPaths({*two, tableTwo, {0}}, {});
  ASSERT_TRUE(a && b);
  const std::vector<const std::vector<model::Function> *> lists = {&a->functions, &b->functions};
  const JoinedFunctions joined = joinFunctions(lists);
  PathTree now(100), before(100);
  now.merge(a->groups[0].tree, joined.numbers[0]);
  before.merge(b->groups[0].tree, joined.numbers[1]);
  now.sort();
  before.sort();
  const FlameTree tree = makeFlameTree(now, &before, joined.functions.size(), 100);
  ASSERT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(tree.whole.totalNs, 100u);
  EXPECT_EQ(tree.wholeBefore.totalNs, 40u);
  uint64_t gone = 0, fresh = 0;
  for (const FlameNode &node : tree.nodes) {
    gone += node.figures.calls == 0;
    fresh += node.before.calls == 0;
  }
  EXPECT_EQ(gone, 1u);
  EXPECT_EQ(fresh, 1u);
}

TEST(ThreadEnds, HasOpenCallsAndTheLastBefore) {
  auto source = threadwise("0 A0 | 0 B10 | 0 b20 | 0 C30 | 0 c35 | 0 D40 | 1 E5 | 1 e9 |", 2);
  TraceTable table = tableOf(*source);
  const auto ends = readThreadEnds({*source, table, {0, 1}}, {}, 1);
  ASSERT_TRUE(ends);
  ASSERT_EQ(ends->threads.size(), 2u);
  const ThreadEnd &first = ends->threads[0];
  ASSERT_EQ(first.open.size(), 2u);
  EXPECT_EQ(ends->functions[first.open[0].span.functionIndex].displayName, "D");
  EXPECT_EQ(first.open[0].span.beginNs, 40u);
  EXPECT_EQ(ends->functions[first.open[1].span.functionIndex].displayName, "A");
  ASSERT_EQ(first.finished.size(), 1u); // only the last one
  EXPECT_EQ(ends->functions[first.finished[0].span.functionIndex].displayName, "C");
  EXPECT_TRUE(ends->threads[1].open.empty());
  ASSERT_EQ(ends->threads[1].finished.size(), 1u);
}
