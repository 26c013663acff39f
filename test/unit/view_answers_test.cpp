// The viewer's answers about single calls and ranges, checked against all calls of random traces.
#include "thorough.h"
#include "view_trace.h"

#include "analysis/report/report.h"
#include "analysis/tree/call_paths.h"
#include "analysis/view/call_answers.h"
#include "analysis/view/range_answers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>

namespace ada::view {
namespace {

using Seq = std::optional<uint64_t>;

// The truth about one call.
CallDetails detailsOf(const TrueThread &thread, size_t number) {
  const TrueCall &call = thread.calls[number];
  CallDetails details;
  details.seq = call.item.seq, details.function = call.item.function, details.depth = call.item.depth;
  details.beginNs = call.item.beginNs;
  if (call.item.kind != ItemKind::Open) {
    details.endNs = call.item.endNs;
    details.selfNs = call.item.fillNs - call.childrenNs, details.calls = call.calls;
  }
  details.how = endOf(call.item.kind);
  details.parent = call.parent == kNoSeq ? Seq() : Seq(call.parent);
  for (size_t i = 0; i < thread.calls.size(); ++i) {
    const TrueCall &other = thread.calls[i];
    const bool isSibling = other.parent == call.parent && other.item.depth == call.item.depth;
    if (i < number && isSibling)
      details.previous = other.item.seq;
    if (i < number && other.item.function == call.item.function)
      details.previousSame = other.item.seq;
    if (i > number && isSibling && !details.next)
      details.next = other.item.seq;
    if (i > number && other.item.function == call.item.function && !details.nextSame)
      details.nextSame = other.item.seq;
    if (other.parent == call.item.seq && !details.firstChild)
      details.firstChild = other.item.seq;
  }
  return details;
}

void expectSame(const CallDetails &found, const CallDetails &expected) {
  EXPECT_EQ(found.seq, expected.seq);
  EXPECT_EQ(found.function, expected.function);
  EXPECT_EQ(found.depth, expected.depth);
  EXPECT_EQ(found.beginNs, expected.beginNs);
  EXPECT_EQ(found.endNs, expected.endNs);
  EXPECT_EQ(found.how, expected.how);
  EXPECT_EQ(found.selfNs, expected.selfNs);
  EXPECT_EQ(found.calls, expected.calls);
  EXPECT_EQ(found.parent, expected.parent);
  EXPECT_EQ(found.firstChild, expected.firstChild);
  EXPECT_EQ(found.previous, expected.previous);
  EXPECT_EQ(found.next, expected.next);
  EXPECT_EQ(found.previousSame, expected.previousSame);
  EXPECT_EQ(found.nextSame, expected.nextSame);
}

TEST(ViewAnswers, OneCallAndItsNeighbours) {
  for (const bool withIndex : {false, true}) {
    RandomTrace trace(11, {.threads = 1, .events = 40'000});
    ASSERT_TRUE(!withIndex || trace.index());
    const TrueThread &truth = (*trace.threads)[0];
    std::mt19937_64 random(1);
    for (unsigned i = 0; i < 250; ++i) {
      const size_t number = i < 20 ? i : random() % truth.calls.size();
      SCOPED_TRACE(number);
      const auto found = callDetails(*trace.view, 0, truth.calls[number].item.seq);
      ASSERT_TRUE(found && *found);
      expectSame(**found, detailsOf(truth, number));
      const Item &item = truth.calls[number].item;
      const auto at = callAt(*trace.view, 0, (item.beginNs + item.endNs) / 2, item.depth);
      ASSERT_TRUE(at);
      EXPECT_EQ(*at, Seq(item.seq));
    }
    for (const uint64_t seq : {uint64_t{39'999}, uint64_t{40'000}, ~uint64_t{0}}) {
      const auto found = callDetails(*trace.view, 0, seq);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->has_value(), seq < 40'000 && truth.events[seq].kind == model::Kind::Call);
    }
    const auto none = callAt(*trace.view, 0, truth.events[5].timeNs, 1000);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
  }
}

// If reading begins in the middle of a trace, the open calls have no number: it is looked up.
TEST(ViewAnswers, CallsByTimeWithoutAnIndex) {
  RandomTrace trace(12, {.threads = 1, .events = 30'000}, 500);
  const TrueThread &truth = (*trace.threads)[0];
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 300; ++i) {
    const Item &item = truth.calls[random() % truth.calls.size()].item;
    const uint64_t ns = item.beginNs + random() % (item.endNs - item.beginNs + 1);
    const auto at = callAt(*trace.view, 0, ns, item.depth);
    ASSERT_TRUE(at);
    EXPECT_EQ(*at, Seq(item.seq));
  }
}

// The end of a call may be far away: the index has it.
TEST(ViewAnswers, LongCalls) {
  RandomTrace trace(13, {.threads = 1, .events = 1'500'000, .depths = 6});
  ASSERT_TRUE(trace.index());
  const TrueThread &truth = (*trace.threads)[0];
  size_t longest = 0;
  for (size_t i = 0; i < truth.calls.size(); ++i)
    if (truth.calls[i].item.kind == ItemKind::Call &&
        truth.calls[i].endSeq - truth.calls[i].item.seq > truth.calls[longest].endSeq - truth.calls[longest].item.seq)
      longest = i;
  const auto found = callDetails(*trace.view, 0, truth.calls[longest].item.seq);
  ASSERT_TRUE(found && *found);
  expectSame(**found, detailsOf(truth, longest));
}

//===--- find -------------------------------------------------------------===//

std::vector<uint64_t> seqsOf(const FoundCalls &found) {
  std::vector<uint64_t> seqs;
  for (const FoundCalls::Call &call : found.calls)
    seqs.push_back(call.item.seq * 10 + call.thread);
  return seqs;
}

TEST(ViewAnswers, Find) {
  for (const bool withIndex : {false, true})
    for (const bool slowest : {false, true}) {
      RandomTrace trace(21, {.threads = 3, .events = 20'000});
      ASSERT_TRUE(!withIndex || trace.index());
      std::mt19937_64 random(slowest);
      for (unsigned i = 0; i < test::casesOf(60u, 20u); ++i) {
        const uint64_t start = trace.view->startNs(), length = trace.view->endNs() - start;
        FindRequest request{.threads = {0, 1, 2}, .fromNs = start, .toNs = start + length + 1};
        if (i % 3) {
          request.fromNs += random() % length;
          request.toNs = request.fromNs + 1 + random() % length;
        }
        request.function = i % 2 ? "f1|f3" : "";
        request.minNs = i % 5 ? random() % 1'000'000 >> random() % 20 : 0;
        request.slowestFirst = slowest;
        request.limit = 1 + random() % 50;
        std::vector<std::pair<Item, uint32_t>> expected;
        for (uint32_t thread = 0; thread < 3; ++thread)
          for (const TrueCall &call : (*trace.threads)[thread].calls)
            if (call.item.beginNs >= request.fromNs && call.item.beginNs < request.toNs &&
                call.item.fillNs >= request.minNs &&
                (request.function.empty() || call.item.function == 1 || call.item.function == 3))
              expected.emplace_back(call.item, thread);
        std::ranges::sort(expected, [&](const auto &a, const auto &b) {
          if (slowest && a.first.fillNs != b.first.fillNs)
            return a.first.fillNs > b.first.fillNs;
          return std::tuple(a.first.beginNs, a.second, a.first.seq) <
                 std::tuple(b.first.beginNs, b.second, b.first.seq);
        });
        expected.resize(std::min(expected.size(), request.limit));
        std::vector<uint64_t> seqs;
        for (const auto &[item, thread] : expected)
          seqs.push_back(item.seq * 10 + thread);
        const auto found = findCalls(*trace.view, request);
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->isComplete);
        ASSERT_EQ(seqsOf(*found), seqs) << i << " slowest " << slowest << " index " << withIndex;
      }
    }
}

TEST(ViewAnswers, SearchesEnd) {
  RandomTrace trace(22, {.threads = 1, .events = 50'000});
  FindRequest request{.threads = {0}, .fromNs = 0, .toNs = ~uint64_t{0}, .function = "nothing", .mostEvents = 10'000};
  auto found = findCalls(*trace.view, request);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->isComplete);
  EXPECT_TRUE(found->calls.empty());
  request.mostEvents = 50'000;
  found = findCalls(*trace.view, request);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->isComplete);
  const auto statistics =
      rangeStatistics(*trace.view, {.threads = {0}, .fromNs = 0, .toNs = ~uint64_t{0}, .mostEvents = 10'000});
  ASSERT_TRUE(statistics);
  EXPECT_FALSE(statistics->isComplete);
}

//===--- ranges -----------------------------------------------------------===//

TEST(ViewAnswers, StatisticsAreThoseOfTheReport) {
  RandomTrace trace(31, {.threads = 4, .events = 20'000});
  const auto found = rangeStatistics(*trace.view, {.threads = {0, 1, 2, 3}, .fromNs = 0, .toNs = ~uint64_t{0}});
  ASSERT_TRUE(found && found->isComplete);
  RandomSource source(trace.threads, {.threads = 4, .events = 20'000}, 0);
  analysis::TraceTable table;
  analysis::TableSink sink(table);
  ASSERT_TRUE(source.readPart(sink, {.threads = std::vector<uint32_t>()}));
  const auto report = analysis::makeReport({source, table, {0, 1, 2, 3}}, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->rows.size(), found->functions.size());
  for (const analysis::ReportRow &row : report->rows) {
    const auto one = std::ranges::find(found->functions, row.function->id - 1, &RangeStatistics::Function::function);
    ASSERT_TRUE(one != found->functions.end());
    EXPECT_EQ(one->calls, row.figures.calls);
    EXPECT_EQ(one->totalNs, row.figures.totalNs);
    EXPECT_EQ(one->selfNs, row.figures.selfNs);
    EXPECT_EQ(one->maxNs, row.figures.durations.max());
    EXPECT_EQ(one->p99Ns, row.figures.durations.percentile(99));
  }

  // For ranges with more events than are read, the index has the same answers, except percentiles.
  ASSERT_TRUE(trace.index());
  RangeRequest many{.threads = {0, 1, 2, 3}, .fromNs = 0, .toNs = ~uint64_t{0}, .mostEvents = 1000};
  const auto indexed = rangeStatistics(*trace.view, many);
  ASSERT_TRUE(indexed && indexed->isComplete);
  EXPECT_EQ(indexed->calls, found->calls);
  ASSERT_EQ(indexed->functions.size(), found->functions.size());
  for (size_t i = 0; i < found->functions.size(); ++i) {
    const RangeStatistics::Function &read = found->functions[i], &known = indexed->functions[i];
    EXPECT_EQ(std::tuple(known.function, known.calls, known.totalNs, known.selfNs, known.minNs, known.maxNs),
              std::tuple(read.function, read.calls, read.totalNs, read.selfNs, read.minNs, read.maxNs));
    EXPECT_NEAR(double(known.p50Ns), double(read.p50Ns), double(read.p50Ns) / 20);
    EXPECT_NEAR(double(known.p99Ns), double(read.p99Ns), double(read.p99Ns) / 20);
    const auto lengths = lengthHistogram(*trace.view, many, known.function);
    many.mostEvents = 20'000'000;
    const auto exact = lengthHistogram(*trace.view, many, known.function);
    many.mostEvents = 1000;
    ASSERT_TRUE(lengths && exact);
    EXPECT_EQ(std::tuple(lengths->calls, lengths->minNs, lengths->maxNs),
              std::tuple(exact->calls, exact->minNs, exact->maxNs));
    ASSERT_EQ(lengths->buckets.size(), exact->buckets.size());
    for (size_t k = 0; k < exact->buckets.size(); ++k)
      EXPECT_EQ(lengths->buckets[k].calls, exact->buckets[k].calls);
  }
  many.toNs = trace.view->endNs();
  const auto part = rangeStatistics(*trace.view, many);
  ASSERT_TRUE(part);
  EXPECT_FALSE(part->isComplete);
}

TEST(ViewAnswers, StatisticsAndLengthsOfARange) {
  for (const uint64_t cutEvents : {0, 700}) {
    RandomTrace trace(32, {.threads = 2, .events = 20'000}, cutEvents);
    std::mt19937_64 random(1);
    for (unsigned i = 0; i < 30; ++i) {
      const uint64_t length = trace.view->endNs() - trace.view->startNs();
      const uint64_t from = trace.view->startNs() + random() % length, to = from + 1 + random() % length;
      std::map<uint64_t, std::pair<uint64_t, uint64_t>> expected; // calls and self time
      uint64_t ended = 0;
      for (const TrueThread &thread : *trace.threads)
        for (const TrueCall &call : thread.calls)
          if (call.item.beginNs >= from && call.item.beginNs < to) {
            ++expected[call.item.function].first;
            expected[call.item.function].second += call.item.fillNs - call.childrenNs;
            ended += call.item.function == 2 && (call.how == SpanEnd::Return || call.how == SpanEnd::Exception);
          }
      const auto found = rangeStatistics(*trace.view, {.threads = {0, 1}, .fromNs = from, .toNs = to});
      ASSERT_TRUE(found && found->isComplete);
      std::map<uint64_t, std::pair<uint64_t, uint64_t>> sums;
      for (const RangeStatistics::Function &one : found->functions)
        sums[one.function] = {one.calls, one.selfNs};
      EXPECT_EQ(sums, expected);
      const auto lengths = lengthHistogram(*trace.view, {.threads = {0, 1}, .fromNs = from, .toNs = to}, 2);
      ASSERT_TRUE(lengths && lengths->isComplete);
      EXPECT_EQ(lengths->calls, ended);
      uint64_t sum = 0, next = lengths->buckets.empty() ? 0 : lengths->buckets[0].fromNs;
      for (const LengthHistogram::Bucket &bucket : lengths->buckets) {
        EXPECT_EQ(bucket.fromNs, next);
        next = bucket.toNs;
        sum += bucket.calls;
      }
      EXPECT_EQ(sum, ended);
      if (ended) {
        EXPECT_LE(lengths->buckets.front().fromNs, lengths->minNs);
        EXPECT_GT(lengths->buckets.back().toNs, lengths->maxNs);
      }
    }
  }
}

// All time of a range is the self time of some call, and a node's time is its self time plus that of its children.
TEST(ViewAnswers, PathsOfARange) {
  RandomTrace trace(33, {.threads = 2, .events = 20'000}, 900);
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 30; ++i) {
    const uint64_t length = trace.view->endNs() - trace.view->startNs();
    const uint64_t from = i ? trace.view->startNs() + random() % length : 0;
    const uint64_t to = i ? from + 1 + random() % length : ~uint64_t{0};
    uint64_t whole = 0, calls = 0;
    for (const TrueThread &thread : *trace.threads)
      for (const TrueCall &call : thread.calls)
        if (call.item.beginNs < to && call.item.endNs >= from) {
          ++calls;
          const uint64_t end = call.item.kind == ItemKind::Open ? thread.events.back().timeNs : call.item.endNs;
          if (call.item.depth == 0)
            whole += std::min(end, to) - std::max(call.item.beginNs, from);
        }
    const auto paths = rangePaths(*trace.view, {.threads = {0, 1}, .fromNs = from, .toNs = to}, 1'000'000);
    ASSERT_TRUE(paths && paths->isComplete);
    uint64_t self = 0, count = 0;
    std::vector<uint64_t> children(paths->tree.size());
    for (uint32_t node = 1; node < paths->tree.size(); ++node) {
      self += paths->tree[node].selfNs, count += paths->tree[node].calls;
      children[paths->tree[node].parent] += paths->tree[node].totalNs;
    }
    EXPECT_EQ(children[0], whole);
    EXPECT_EQ(self, whole);
    EXPECT_EQ(count, calls);
    for (uint32_t node = 1; node < paths->tree.size(); ++node)
      EXPECT_EQ(paths->tree[node].totalNs, paths->tree[node].selfNs + children[node]);
  }
}

// Whatever an answer reads, also with helping threads, ends when nobody waits for it any more.
TEST(ViewAnswers, EndWhenNobodyWaits) {
  for (const bool withIndex : {false, true}) {
    RandomTrace trace(31, {.threads = 3, .events = 4'000});
    ASSERT_TRUE(!withIndex || trace.index());
    TraceView &view = *trace.view;
    const RangeRequest range{.threads = {0, 1, 2}, .toNs = ~uint64_t{0}};
    const FindRequest find{.threads = {0, 1, 2}, .toNs = ~uint64_t{0}, .arguments = "x"};
    const auto ends = [](const auto &answer) { return !answer && answer.error().code == "E_STOPPED"; };
    {
      std::atomic<size_t> asked = 0;
      const StopScope stop([&] { return ++asked > 0; });
      EXPECT_TRUE(ends(rangeStatistics(view, range)));
      EXPECT_TRUE(ends(lengthHistogram(view, range, 1)));
      EXPECT_TRUE(ends(rangePaths(view, range, 1000)));
      EXPECT_TRUE(ends(findCalls(view, find)));
      EXPECT_TRUE(ends(callDetails(view, 0, trace.threads->front().calls.front().item.seq)));
      EXPECT_TRUE(ends(callAt(view, 1, view.endNs(), 0)));
      EXPECT_TRUE(ends(innermostAt(view, 1, view.endNs())));
      EXPECT_TRUE(ends(view.picture({.thread = 2, .toNs = view.endNs() + 1})));
      EXPECT_GE(asked, 8u + 2 * 3u);
    }
    const StopScope stop([] { return false; });
    EXPECT_TRUE(rangePaths(view, range, 1000));
  }
}

} // namespace
} // namespace ada::view
