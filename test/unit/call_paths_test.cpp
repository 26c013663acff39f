// Calls added up by path: recursion, missing ends, threads, filters, the limit of nodes, order.
#include "analysis/tree/call_paths.h"
#include "analysis/tree/path_views.h"
#include "mixed_source.h"

using namespace ada;
using namespace ada::analysis;

namespace {

// One line per node: "  B 2 calls 30 total 20 self".
std::string textOf(const CallPaths &paths) {
  std::string text;
  for (const CallPathGroup &group : paths.groups) {
    if (group.thread)
      text += "thread " + std::to_string(*group.thread) + "\n";
    for (uint32_t i = 1; i < group.tree.size(); ++i) {
      const PathTree::Node &node = group.tree[i];
      text += std::string(2 * node.depth - 2, ' ') +
              (node.function == PathTree::kRest ? "(rest)" : paths.functions[node.function].displayName) + " " +
              std::to_string(node.calls) + " calls " + std::to_string(node.totalNs) + " total " +
              std::to_string(node.selfNs) + " self\n";
    }
  }
  return text;
}

CallPaths read(const std::string &trace, const CallPathsOptions &options = {}, uint32_t threads = 2) {
  auto source = threadwise(trace, threads);
  TraceTable table = tableOf(*source);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < threads; ++i)
    all.push_back(i);
  auto paths = readCallPaths({*source, table, all}, options);
  EXPECT_TRUE(paths);
  return *std::move(paths);
}

constexpr const char *kTwo = "0 A0 | 0 B10 | 0 C12 | 0 c15 | 0 b20 | 0 B30 | 0 b35 | 0 C40 | 0 c90 | 0 a100 | "
                             "1 A0 | 1 B1 | 1 b2 | 1 a10 | 1 B20 | 1 b40 |";

} // namespace

TEST(CallPaths, MergesThreads) {
  EXPECT_EQ(textOf(read(kTwo)), "A 2 calls 110 total 44 self\n"
                                "  C 1 calls 50 total 50 self\n"
                                "  B 3 calls 16 total 13 self\n"
                                "    C 1 calls 3 total 3 self\n"
                                "B 1 calls 20 total 20 self\n");
}

TEST(CallPaths, ByThread) {
  EXPECT_EQ(textOf(read(kTwo, {.filter = {}, .by = PathsBy::Thread})), "thread 0\n"
                                                                       "A 1 calls 100 total 35 self\n"
                                                                       "  C 1 calls 50 total 50 self\n"
                                                                       "  B 2 calls 15 total 12 self\n"
                                                                       "    C 1 calls 3 total 3 self\n"
                                                                       "thread 1\n"
                                                                       "B 1 calls 20 total 20 self\n"
                                                                       "A 1 calls 10 total 9 self\n"
                                                                       "  B 1 calls 1 total 1 self\n");
}

// Time in a hidden function counts for its caller; a call that is too short is in no node.
TEST(CallPaths, Filters) {
  CallPathsOptions options;
  options.filter.excluded = {"B"};
  EXPECT_EQ(textOf(read(kTwo, options)), "A 2 calls 110 total 44 self\n"
                                         "  C 2 calls 53 total 53 self\n");
  options.filter = {};
  options.filter.minDurationNs = 20;
  EXPECT_EQ(textOf(read(kTwo, options)), "A 1 calls 100 total 35 self\n"
                                         "  C 1 calls 50 total 50 self\n"
                                         "B 1 calls 20 total 20 self\n");
}

// Each level of recursion has a node; sums count only the outermost. Missing exits are closed at the outer exit.
TEST(CallPaths, RecursionAndSums) {
  const CallPaths paths = read("0 A0 | 0 B10 | 0 A20 | 0 B30 | 0 a60 | 0 a100 | 1 b5 |");
  EXPECT_EQ(textOf(paths), "A 1 calls 100 total 10 self\n"
                           "  B 1 calls 90 total 50 self\n"
                           "    A 1 calls 40 total 10 self\n"
                           "      B 1 calls 30 total 30 self\n");
  EXPECT_EQ(paths.strayExits, 1u);
  EXPECT_EQ(paths.missingExits, 2u);
  const std::vector<FunctionSum> sums = functionSums(paths.groups[0].tree, paths.functions.size());
  ASSERT_GE(sums.size(), 2u);
  EXPECT_EQ(sums[0].calls, 2u);
  EXPECT_EQ(sums[0].totalNs, 100u);
  EXPECT_EQ(sums[0].selfNs, 20u);
  EXPECT_EQ(sums[1].totalNs, 90u);
  EXPECT_EQ(sums[1].selfNs, 80u);
}

// If there are more paths than nodes, nothing is lost: calls and self times still add up to the same.
TEST(CallPaths, TooManyPaths) {
  std::string deep;
  for (int i = 0; i < 40; ++i)
    deep += "0 " + std::string(1, char('A' + i % 20)) + std::to_string(i) + " | ";
  for (int i = 39; i >= 0; --i)
    deep += "0 " + std::string(1, char('a' + i % 20)) + std::to_string(79 - i) + " | ";
  const CallPaths all = read(deep, {}, 1), cut = read(deep, {.filter = {}, .by = PathsBy::Trace, .mostNodes = 10}, 1);
  EXPECT_FALSE(all.groups[0].tree.isCut());
  EXPECT_TRUE(cut.groups[0].tree.isCut());
  EXPECT_EQ(all.groups[0].tree.size(), 41u);
  ASSERT_EQ(cut.groups[0].tree.size(), 12u); // the root, ten and the rest
  const PathTree::Node &rest = cut.groups[0].tree[11];
  EXPECT_EQ(rest.function, PathTree::kRest);
  EXPECT_EQ(rest.calls, 30u);
  EXPECT_EQ(rest.totalNs, all.groups[0].tree[11].totalNs);
  EXPECT_EQ(rest.selfNs, rest.totalNs);
  EXPECT_EQ(functionSums(cut.groups[0].tree, cut.functions.size())[cut.functions.size()].calls, 30u);
}

// What each node of a view counts: a call counts only if no open call around it counts there.
TEST(PathViews, Recursion) {
  const CallPaths paths = read("0 M0 | 0 A10 | 0 B20 | 0 A30 | 0 C40 | 0 c50 | 0 a60 | 0 b70 | 0 a100 | 0 m200 |");
  const auto view = [&](const PathTree &tree) {
    std::string text;
    for (uint32_t i = 1; i < tree.size(); ++i)
      text += std::to_string(tree[i].depth) +
              (tree[i].function == PathTree::kNoFunction ? "-" : paths.functions[tree[i].function].displayName) +
              std::to_string(tree[i].calls) + ":" + std::to_string(tree[i].totalNs) + " ";
    return text;
  };
  const PathTree &tree = paths.groups[0].tree;
  EXPECT_EQ(view(callersOf(tree, chosenFunctions(paths.functions, {"A"}))), "1A2:90 2M1:90 3-1:90 2B1:30 3A1:30 ");
  EXPECT_EQ(view(calleesOf(tree, chosenFunctions(paths.functions, {"A"}))), "1A2:90 2B1:50 3A1:30 2C1:10 ");
  EXPECT_EQ(view(callersOf(tree, chosenFunctions(paths.functions, {"C|M"}))),
            "1M1:200 2-1:200 1C1:10 2A1:10 3B1:10 4A1:10 5M1:10 ");
  EXPECT_EQ(view(callersOf(tree, chosenFunctions(paths.functions, {"Z"}))), "");
}

// Trees of two runs with the same function numbers, cut or not.
TEST(PathTree, Merge) {
  PathTree one, two, small(2);
  const auto span = [](uint64_t total, uint64_t self) {
    return Span{.functionId = 0, .beginNs = 0, .endNs = total, .childrenNs = total - self};
  };
  one.add(one.child(one.child(PathTree::kRoot, 0), 1), span(5, 5));
  one.add(one.child(PathTree::kRoot, 0), span(9, 4));
  const uint32_t swapped[] = {1, 0};
  two.merge(one, swapped);
  two.merge(one, swapped);
  two.sort();
  ASSERT_EQ(two.size(), 3u);
  EXPECT_EQ(two[1].function, 1u);
  EXPECT_EQ(two[1].totalNs, 18u);
  EXPECT_EQ(two[2].function, 0u);
  EXPECT_EQ(two[2].selfNs, 10u);
  EXPECT_EQ(two[PathTree::kRoot].totalNs, 18u);
  EXPECT_EQ(two.endOf(1), 3u);
  EXPECT_EQ(two.endOf(2), 3u);

  small.child(small.child(PathTree::kRoot, 7), 8);
  small.merge(one, swapped); // 1, and 0 below it: both are in the rest
  small.sort();
  ASSERT_EQ(small.size(), 2u);
  EXPECT_EQ(small[1].function, PathTree::kRest);
  EXPECT_EQ(small[1].calls, 2u);
  EXPECT_EQ(small[1].totalNs, 9u);
  EXPECT_EQ(small[1].selfNs, 9u);
}

// The recorder's time is a node below the call that it held up, even if there is no room for more paths.
TEST(PathTree, Recorder) {
  PathTree tree, small(0);
  const Span span{.functionId = 0, .beginNs = 0, .endNs = 100, .recorderNs = 30};
  const uint32_t main = tree.child(PathTree::kRoot, 0);
  tree.add(main, span);
  tree.add(main, {.functionId = 0, .beginNs = 0, .endNs = 50});
  const uint32_t same[] = {0};
  small.merge(tree, same);
  for (PathTree *const each : {&tree, &small}) {
    each->sort();
    ASSERT_EQ(each->size(), 3u);
    EXPECT_EQ((*each)[1].function, each == &tree ? 0 : PathTree::kRest);
    EXPECT_EQ((*each)[1].totalNs, 150u);
    EXPECT_EQ((*each)[1].selfNs, 120u);
    EXPECT_EQ((*each)[2].function, PathTree::kRecorder);
    EXPECT_EQ((*each)[2].parent, 1u);
    EXPECT_EQ((*each)[2].calls, 1u);
    EXPECT_EQ((*each)[2].selfNs, 30u);
    const std::vector<FunctionSum> sums = functionSums(*each, 1);
    ASSERT_EQ(sums.size(), 3u);
    EXPECT_EQ(sums[each == &tree ? 0 : 1].calls, 2u);
    EXPECT_EQ(sums[2].totalNs, 30u);
  }
  const PathTree callees = calleesOf(tree, {true});
  ASSERT_EQ(callees.size(), 3u);
  EXPECT_EQ(callees[2].function, PathTree::kRecorder);
}
