// What analysis computes from any source: reading by thread, filters, reports by arguments, near names.
#include "analysis/calls/call_filter.h"
#include "analysis/events/early_end.h"
#include "analysis/events/merged_events.h"
#include "analysis/events/near_names.h"
#include "analysis/report/report.h"
#include "analysis/report/slowest.h"
#include "analysis/tree/call_tree.h"
#include "analysis/tree/tree_walk.h"
#include "mixed_source.h"

#include <gtest/gtest.h>

using namespace ada;
using namespace ada::analysis;
using model::Kind;

namespace {

// The events that a read delivers: "0/3:B11" is event number 3 of thread 0.
class Listing : public TableSink {
public:
  using TableSink::TableSink;
  Expected<void> events(const model::Batch &batch) override {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events)
      add(seq++, event, batch);
    return {};
  }
  void add(uint64_t seq, const model::Event &event, const model::Batch &batch) {
    text += std::to_string(event.thread) + "/" + std::to_string(seq) + ":";
    if (event.kind == Kind::Value)
      text += std::string(batch.texts[event.extra].name) + "=" + std::string(batch.texts[event.extra].json) + " ";
    else
      text += char((event.kind == Kind::Call ? 'A' : 'a') + event.function) + std::to_string(event.timeNs) + " ";
  }
  std::string text;
};

std::string partOf(model::TraceSource &source, const model::ReadRequest &request) {
  TraceTable table;
  Listing listing(table);
  EXPECT_TRUE(source.readPart(listing, request));
  return listing.text;
}

constexpr const char *kMixed = "0 A10 | 1 B11 | 0 B20 | 0 x=5 | 1 b21 | 0 b30 | 0 a40 | 1 B41 | 1 b50 |";

} // namespace

TEST(Spool, ThreadByThread) {
  auto source = threadwise(kMixed);
  EXPECT_EQ(partOf(*source, {}), "0/0:A10 0/1:B20 0/2:x=5 0/3:b30 0/4:a40 1/0:B11 1/1:b21 1/2:B41 1/3:b50 ");
  model::ReadRequest request;
  request.threads = {1};
  EXPECT_EQ(partOf(*source, request), "1/0:B11 1/1:b21 1/2:B41 1/3:b50 ");
  request.fromSeq = 1, request.toSeq = 3;
  EXPECT_EQ(partOf(*source->another(), request), "1/1:b21 1/2:B41 ");
  request = {};
  request.fromNs = 20, request.toNs = 41;
  EXPECT_EQ(partOf(*source, request), "0/1:B20 0/2:x=5 0/3:b30 0/4:a40 1/1:b21 ");

  TraceTable table;
  TableSink sink(table);
  request = {};
  request.threads.emplace();
  ASSERT_TRUE(source->readPart(sink, request));
  ASSERT_EQ(table.threads.size(), 2u);
  EXPECT_EQ(table.threads[1].extent->events, 4u);
  EXPECT_EQ(table.threads[1].extent->firstNs, 11u);
  EXPECT_EQ(table.threads[1].extent->lastNs, 50u);
}

// With more than one chunk and more than one thread, a file gives back the same as memory.
TEST(Spool, ManyEvents) {
  std::string text;
  for (int i = 0; i < 30000; ++i)
    text += std::to_string(i % 2) + " A" + std::to_string(i) + " | " + std::to_string(i % 2) +
            " v=" + std::to_string(i) + " | ";
  auto source = threadwise(text);
  model::ReadRequest request;
  request.threads = {1};
  request.fromSeq = 29996;
  EXPECT_EQ(partOf(*source, request), "1/29996:A29997 1/29997:v=29997 1/29998:A29999 1/29999:v=29999 ");
  request.fromSeq = 10001, request.toSeq = 10003;
  EXPECT_EQ(partOf(*source, request), "1/10001:v=10001 1/10002:A10003 ");
}

TEST(MergedEvents, ByTime) {
  auto source = threadwise(kMixed);
  TraceTable table = tableOf(*source);
  Listing listing(table);
  ASSERT_TRUE(mergeEvents({*source, table, {0, 1}}, [&](uint64_t seq, const model::Event &event, const auto &batch) {
    listing.add(seq, event, batch);
    return Expected<void>();
  }));
  EXPECT_EQ(listing.text, "0/0:A10 1/0:B11 0/1:B20 0/2:x=5 1/1:b21 0/3:b30 0/4:a40 1/2:B41 1/3:b50 ");
}

TEST(MergedEvents, GoOnWhereTheyStopped) {
  auto source = threadwise(kMixed);
  TraceTable table = tableOf(*source);
  const std::vector<uint32_t> threads = {0, 1};
  for (int first = 0; first <= 9; ++first)
    for (int second = 0; second <= 9 - first; ++second) {
      Listing listing(table);
      std::vector<MergePlace> places(2);
      for (int left : {first, second, 9}) {
        const auto done =
            mergeEventsFrom({*source, table, threads}, places,
                            [&](uint64_t seq, const model::Event &event, const auto &batch) -> Expected<void> {
                              if (left-- == 0)
                                return earlyEnd();
                              listing.add(seq, event, batch);
                              return {};
                            });
        ASSERT_TRUE(done || isEarlyEnd(done.error()));
      }
      EXPECT_EQ(listing.text, "0/0:A10 1/0:B11 0/1:B20 0/2:x=5 1/1:b21 0/3:b30 0/4:a40 1/2:B41 1/3:b50 ") << first;
    }
}

namespace {

struct TextTree : TreeOutput {
  explicit TextTree(const TraceTable &table) : table(table) {}
  void beginThread(uint32_t thread) override { text += "thread " + std::to_string(thread) + "\n"; }
  bool line(const CallNode &node, uint32_t depth) override {
    text += std::string(2 * depth, ' ') + (node.isLoop() ? "loop" : table.functions[node.function].displayName);
    text += node.texts ? node.texts->arguments : "";
    text += (node.count > 1 ? "*" + std::to_string(node.count) : "") + " " + std::to_string(node.totalNs) + "\n";
    return true;
  }
  const TraceTable &table;
  std::string text;
};

std::string treeOf(const std::string &events, const FilterOptions &filter, TreeWalkOptions options = {}) {
  auto source = threadwise(events, 1);
  TraceTable table = tableOf(*source);
  TextTree tree(table);
  EXPECT_TRUE(walkTrees({*source, table, {0}}, filter, options, tree));
  return tree.text;
}

constexpr const char *kNested = "0 A0 | 0 B10 | 0 C20 | 0 D30 | 0 d40 | 0 c50 | 0 b60 | 0 a100 |";

} // namespace

TEST(CallFilter, Words) {
  FilterOptions filter;
  filter.functions = {"B"};
  EXPECT_EQ(treeOf(kNested, filter), "thread 0\nB 50\n  C 30\n    D 10\n");
  filter = {};
  filter.pruned = {"C"};
  EXPECT_EQ(treeOf(kNested, filter), "thread 0\nA 100\n  B 50\n");
  filter = {};
  filter.excluded = {"B", "C"};
  EXPECT_EQ(treeOf(kNested, filter), "thread 0\nA 100\n  D 10\n");
  filter = {};
  filter.included = {"A|D"};
  EXPECT_EQ(treeOf(kNested, filter), "thread 0\nA 100\n  D 10\n");
  filter.functions = {"B"};
  EXPECT_EQ(treeOf(kNested, filter), "thread 0\nD 10\n");
  filter = {};
  filter.minDurationNs = 30;
  filter.depth = 2;
  EXPECT_EQ(treeOf(kNested, filter), "thread 0\nA 100\n  B 50\n");
}

// Values that follow a call are its arguments. A tree that does not fit into memory gives the same.
TEST(TreeWalk, Values) {
  const std::string events = "0 A0 | 0 B1 | 0 x=1 | 0 b2 | 0 B3 | 0 x=1 | 0 b4 | 0 B5 | 0 x=2 | 0 y=3 | 0 b6 | 0 a9 |";
  const std::string expected = "thread 0\nA 9\n  B(x=1)*2 2\n  B(x=2, y=3) 1\n";
  EXPECT_EQ(treeOf(events, {}, {.fold = true, .values = true}), expected);
  EXPECT_EQ(treeOf(events, {}, {.fold = false, .values = true, .maxNodes = 1}),
            "thread 0\nA 9\n  B(x=1) 1\n  B(x=1) 1\n  B(x=2, y=3) 1\n");
  EXPECT_EQ(treeOf(events, {}), "thread 0\nA 9\n  B*3 3\n");
}

namespace {

// Adds a call of 10 ns, 4 ns of which are in a call that it made, which waited for all of them.
void addCall(CallTree &tree, uint32_t function, bool isInitialiser) {
  const uint32_t node = tree.make(function), inner = tree.make(99);
  tree[inner].totalNs = tree[inner].selfNs = tree[inner].selfOff.waitingNs = 4;
  tree.finish(inner);
  tree.append(node, inner);
  tree[node].totalNs = 10;
  tree[node].selfNs = 6;
  tree[node].isInitialiser = isInitialiser;
  tree.finish(node);
  tree.append(CallTree::kRoot, node);
}

} // namespace

// Initialisers become one node, also at the end of a repetition. The times of the functions they called count as
// theirs.
TEST(CallTree, Initialisers) {
  CallTree tree(true);
  for (const uint32_t function : {1, 2, 2, 3})
    addCall(tree, function, true);
  ASSERT_EQ(tree[CallTree::kRoot].children.size(), 1u);
  const CallNode &all = tree[tree[CallTree::kRoot].children[0]];
  EXPECT_TRUE(all.areInitialisers);
  EXPECT_EQ(all.count, 4u);
  EXPECT_EQ(all.totalNs, 40u);
  EXPECT_EQ(all.selfNs, 24u);
  EXPECT_EQ(all.selfOff.waitingNs, 16u);
  EXPECT_TRUE(all.children.empty());
  EXPECT_EQ(tree.size(), 1u);

  for (int i = 0; i < 3; ++i) {
    addCall(tree, 5, false);
    addCall(tree, 1, true);
  }
  ASSERT_EQ(tree[CallTree::kRoot].children.size(), 2u); // all initialisers, (5 1) ×3
  addCall(tree, 2, true);
  ASSERT_EQ(tree[CallTree::kRoot].children.size(), 2u);
  const CallNode &loop = tree[tree[CallTree::kRoot].children[1]];
  ASSERT_TRUE(loop.isLoop());
  EXPECT_EQ(loop.count, 3u);
  EXPECT_EQ(loop.totalNs, 70u);
  EXPECT_EQ(tree[loop.children[1]].count, 4u);
  EXPECT_TRUE(tree[loop.children[1]].areInitialisers);

  CallTree each(false);
  addCall(each, 1, true);
  addCall(each, 2, true);
  EXPECT_EQ(each[CallTree::kRoot].children.size(), 2u);
}

namespace {

std::string reportOf(const std::string &events, uint32_t threads, size_t most) {
  auto source = threadwise(events, threads);
  TraceTable table = tableOf(*source);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < threads; ++i)
    all.push_back(i);
  const auto report = makeReport({*source, table, all},
                                 {.filter = {}, .by = ReportBy::Function, .arguments = true, .mostArgumentRows = most});
  EXPECT_TRUE(report);
  std::string text = std::to_string(report->collapsedFunctions) + " collapsed\n";
  std::vector<std::string> lines;
  for (const ReportRow &row : report->rows)
    lines.push_back(row.function->displayName + row.arguments + " " + std::to_string(row.figures.calls) + " " +
                    std::to_string(row.figures.totalNs) + "\n");
  std::sort(lines.begin(), lines.end());
  for (const std::string &line : lines)
    text += line;
  return text;
}

} // namespace

// Which functions lose their arguments does not depend on which thread is read first.
TEST(Report, TooManyLists) {
  const std::string one = "0 A0 | 0 x=1 | 0 a1 | 0 A2 | 0 x=2 | 0 a3 | 0 B4 | 0 y=1 | 0 b5 |";
  const std::string other = " 0 A10 | 0 x=3 | 0 a11 | 0 B12 | 0 y=1 | 0 B13 | 0 y=2 | 0 b14 | 0 b15 |";
  const auto asThread = [](std::string text, char thread) {
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '0' && (i == 0 || (text[i - 1] == ' ' && text[i + 1] == ' ')))
        text[i] = thread;
    return text;
  };
  const std::string whole = "0 collapsed\nA(x=1) 1 1\nA(x=2) 1 1\nA(x=3) 1 1\nB(y=1) 2 4\nB(y=2) 1 1\n";
  const std::string collapsed = "1 collapsed\nA(…) 3 3\nB(y=1) 2 4\nB(y=2) 1 1\n";
  for (const std::string &events : {one + asThread(other, '1'), asThread(one, '1') + other}) {
    EXPECT_EQ(reportOf(events, 2, 5), whole);
    EXPECT_EQ(reportOf(events, 2, 4), collapsed);
    EXPECT_EQ(reportOf(events, 2, 3), collapsed);
    EXPECT_EQ(reportOf(events, 2, 2), "2 collapsed\nA(…) 3 3\nB(…) 3 4\n");
  }
}

TEST(Slowest, WithValues) {
  auto source = threadwise("0 A0 | 0 x=1 | 0 B1 | 0 y=2 | 0 b5 | 0 a6 | 1 A7 | 1 a9 |");
  TraceTable table = tableOf(*source);
  const auto calls = slowestCalls({*source, table, {0, 1}}, {}, 2, true);
  ASSERT_TRUE(calls);
  ASSERT_EQ(calls->size(), 2u);
  EXPECT_EQ((*calls)[0].arguments, "(x=1)");
  EXPECT_EQ((*calls)[1].arguments, "(y=2)");
  EXPECT_EQ((*calls)[1].span.durationNs(), 4u);
}

TEST(NearNames, Nearest) {
  const std::vector<std::string> names = {"app::Server::handle", "app::Server::open", "http::parse", "main",
                                          "http::parse_header"};
  EXPECT_EQ(nearNames("handle*", names), std::vector<std::string>{"app::Server::handle"});
  EXPECT_EQ(nearNames("Server::handel", names), std::vector<std::string>{"app::Server::handle"});
  EXPECT_EQ(nearNames("Parse", names), (std::vector<std::string>{"http::parse", "http::parse_header"}));
  EXPECT_EQ(nearNames("mian", names), std::vector<std::string>{"main"});
  EXPECT_EQ(nearNames("completely_different", names), std::vector<std::string>());
  EXPECT_EQ(nearNames("*", names), std::vector<std::string>());
  const std::vector<model::Function> functions = {{.name = "_Z4mainv", .displayName = "main()"},
                                                  {.displayName = "int ns::get<int>(char)"}};
  const auto unmatched = unmatchedGlobs({"main", "get|ns::get*"}, functions);
  ASSERT_EQ(unmatched.size(), 1u);
  EXPECT_EQ(unmatched[0].glob, "get");
  EXPECT_EQ(unmatched[0].near.size(), 1u);
}
