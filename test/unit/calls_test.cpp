// Calls are matched with their exits; unbalanced ones are repaired by rule and counted; the statistics add up.
#include "ada/trace/calls.h"
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "growth.h"
#include "scratch_directory.h"
#include "trace/statistics.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>

using namespace ada;
using ada::test::ScratchDirectory;

namespace {

// Feeds events from a text such as "A1 a4 B5 !6": a capital letter is a call of that function at that time, a small
// letter its return, '!' its exceptional exit.
struct Fed {
  explicit Fed(const std::string &text, bool shrinks = false) {
    std::istringstream in(text);
    uint64_t seq = 0;
    for (std::string word; in >> word; ++seq) {
      bool exception = word[0] == '!';
      if (exception)
        word.erase(0, 1);
      char c = word[0];
      EventKind kind = exception ? EventKind::Exception : c < 'a' ? EventKind::Call : EventKind::Return;
      auto step = walker.feed(seq, std::stoull(word.substr(1)), static_cast<uint64_t>(c < 'a' ? c : c - 32), kind);
      depths += std::to_string(step.depth) + (step.stray ? "?" : "") + " ";
      spans.insert(spans.end(), step.finished.begin(), step.finished.end());
      if (shrinks)
        walker.shrink();
    }
    auto open = walker.finish();
    spans.insert(spans.end(), open.begin(), open.end());
  }

  // "A[1,9]/0 self 3 return"
  std::string text() const {
    std::ostringstream out;
    for (const Span &s : spans)
      out << static_cast<char>(s.functionId) << '[' << s.beginNs << ',' << s.endNs << "]/" << s.depth << " self "
          << s.selfNs() << ' ' << spanEndName(s.how) << (s.outermost ? "" : " inner") << '\n';
    return out.str();
  }

  CallStackWalker walker;
  std::vector<Span> spans;
  std::string depths;
};

TEST(Calls, Nested) {
  Fed fed("A1 B2 C3 c5 b6 B7 !b8 a10");
  EXPECT_EQ(fed.text(), "C[3,5]/2 self 2 return\n"
                        "B[2,6]/1 self 2 return\n"
                        "B[7,8]/1 self 1 exception\n"
                        "A[1,10]/0 self 4 return\n");
  EXPECT_EQ(fed.depths, "0 1 2 2 1 1 1 0 ");
  EXPECT_EQ(fed.spans.back().calls, 2u);
  EXPECT_EQ(fed.walker.maxDepth(), 3u);
  EXPECT_EQ(fed.walker.strayExits() + fed.walker.missingExits(), 0u);
}

TEST(Calls, RecursionHasOneOutermostCall) {
  Fed fed("A1 B2 A3 A4 a5 a6 b7 a8 A9 a10");
  EXPECT_EQ(fed.text(), "A[4,5]/3 self 1 return inner\n"
                        "A[3,6]/2 self 2 return inner\n"
                        "B[2,7]/1 self 2 return\n"
                        "A[1,8]/0 self 2 return\n"
                        "A[9,10]/0 self 1 return\n");
}

TEST(Calls, AnOuterExitClosesWhatIsInside) {
  Fed fed("A1 B2 C3 D4 b9 a10");
  EXPECT_EQ(fed.text(), "D[4,9]/3 self 5 missing\n"
                        "C[3,9]/2 self 1 missing\n"
                        "B[2,9]/1 self 1 return\n"
                        "A[1,10]/0 self 2 return\n");
  EXPECT_EQ(fed.walker.missingExits(), 2u);
}

TEST(Calls, MemoryThatIsGivenBackChangesNothing) {
  for (const char *text : {"A1 B2 C3 c5 b6 B7 !b8 a10", "A1 A2 A3 a4 B5 A6 a7 b8", "A1 B2 C3 a9 B10 b11 c12"}) {
    Fed fed(text), shrunk(text, true);
    EXPECT_EQ(shrunk.text(), fed.text()) << text;
    EXPECT_EQ(shrunk.depths, fed.depths) << text;
  }
}

TEST(Calls, StrayExitsChangeNothing) {
  Fed fed("a1 A2 b3 B4 b5 b6 a7 a8");
  EXPECT_EQ(fed.text(), "B[4,5]/1 self 1 return\nA[2,7]/0 self 4 return\n");
  EXPECT_EQ(fed.depths, "0? 0 1? 1 1 1? 0 0? ");
  EXPECT_EQ(fed.walker.strayExits(), 4u);
}

TEST(Calls, OpenCallsLastToTheLastEvent) {
  Fed fed("A1 B2 C3 c7");
  EXPECT_EQ(fed.text(), "C[3,7]/2 self 4 return\n"
                        "B[2,7]/1 self 1 open\n"
                        "A[1,7]/0 self 1 open\n");
  EXPECT_EQ(fed.spans.back().endSeq, 4u);
}

TEST(Calls, TimeThatGoesBackGivesNoNegativeDurations) {
  Fed fed("A10 B20 b15 C2 c30 a12");
  EXPECT_EQ(fed.text(), "B[20,20]/1 self 0 return\n"
                        "C[2,30]/1 self 28 return\n"
                        "A[10,12]/0 self 0 return\n");
}

TEST(Calls, UnknownKindsAreCounted) {
  CallStackWalker walker;
  walker.feed(0, 1, 7, EventKind::Call);
  auto step = walker.feed(1, 2, 7, EventKind{9});
  EXPECT_EQ(step.depth, 1u);
  EXPECT_TRUE(step.finished.empty());
  EXPECT_EQ(walker.unknownKinds(), 1u);
}

// Stray exits under a deep stack must not search the stack each time.
TEST(Calls, StraysUnderADeepStackAreCheap) {
  const double growth = costOfFourTimes(20000, [](uint64_t n) {
    CallStackWalker walker;
    for (uint64_t i = 0; i < n; ++i)
      walker.feed(i, i, i % 1000, EventKind::Call);
    for (uint64_t i = 0; i < n; ++i)
      walker.feed(n + i, n + i, 5000 + i, EventKind::Return);
    EXPECT_EQ(walker.strayExits(), n);
    EXPECT_EQ(walker.depth(), n);
  });
  EXPECT_LT(growth, 10);
}

TEST(Calls, RandomEventsKeepTheBooks) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    CallStackWalker walker;
    uint64_t calls = 0, ended = 0, seq = 0, now = 0;
    auto check = [&](std::span<const Span> spans) {
      for (const Span &s : spans) {
        EXPECT_LE(s.beginNs, s.endNs);
        EXPECT_LE(s.childrenNs, s.durationNs());
        EXPECT_LT(s.beginSeq, s.endSeq);
        EXPECT_EQ(walker.functions().ids()[s.functionIndex], s.functionId);
        ++ended;
      }
    };
    for (; seq < 500; ++seq) {
      now += random() % 10;
      auto kind = EventKind{static_cast<uint32_t>(random() % 4)};
      calls += kind == EventKind::Call;
      check(walker.feed(seq, now, random() % 6, kind).finished);
      EXPECT_EQ(calls, ended + walker.depth());
    }
    check(walker.finish());
    EXPECT_EQ(calls, ended);
    EXPECT_EQ(walker.depth(), 0u);
  }
}

TEST(FunctionNumbers, AreDenseAndStable) {
  FunctionIndex index;
  EXPECT_EQ(index.find(0), FunctionIndex::kNone);
  std::mt19937_64 random(6);
  std::vector<uint64_t> ids;
  for (int i = 0; i < 20000; ++i)
    ids.push_back(i % 3 ? makeFunctionId(i % 7, i) : random());
  ids.push_back(~uint64_t{0});
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::ranges::shuffle(ids, random);
  for (uint32_t i = 0; i < ids.size(); ++i)
    ASSERT_EQ(index.add(ids[i]), i);
  for (uint32_t i = 0; i < ids.size(); ++i) {
    ASSERT_EQ(index.add(ids[i]), i);
    ASSERT_EQ(index.find(ids[i]), i);
  }
  EXPECT_EQ(index.find(12345678901234u), FunctionIndex::kNone);
}

//===--- statistics -------------------------------------------------------===//

TEST(Statistics, RecursionCountsOnce) {
  std::map<uint64_t, FunctionStatistics> stats, first, second;
  uint64_t self = 0;
  for (const Span &span : Fed("A0 B10 A20 a30 b60 a100 C100 c105 A105").spans) {
    stats[span.functionId].add(span);
    (span.beginNs < 20 ? first : second)[span.functionId].add(span);
    self += span.selfNs();
  }
  const FunctionStatistics &a = stats['A'];
  EXPECT_EQ(a.calls, 3u);
  EXPECT_EQ(a.open, 1u);
  EXPECT_EQ(a.totalNs, 100u); // not 110
  EXPECT_EQ(a.selfNs, 60u);
  EXPECT_EQ(a.durations.count(), 2u) << "the open call has no duration";
  EXPECT_EQ(a.durations.min(), 10u);
  EXPECT_EQ(a.durations.max(), 100u);
  EXPECT_EQ(stats['B'].selfNs, 40u);
  EXPECT_EQ(self, 105u) << "self times add up to the time in outermost calls";
  first['A'].merge(second['A']);
  EXPECT_EQ(first['A'].calls, 3u);
  EXPECT_EQ(first['A'].open, 1u);
  EXPECT_EQ(first['A'].totalNs, 100u);
  EXPECT_EQ(first['A'].selfNs, 60u);
  EXPECT_EQ(first['A'].durations.percentile(100), 100u);
}

// Nearest-rank percentiles, computed by sorting.
uint64_t slowPercentile(std::vector<uint64_t> values, double p) {
  std::ranges::sort(values);
  size_t rank = 1;
  while (rank < values.size() && rank * 100.0 < p * values.size() - 1e-7)
    ++rank;
  return values[rank - 1];
}

TEST(Distribution, IsExactForFewValues) {
  Distribution d;
  EXPECT_EQ(d.percentile(50), 0u);
  std::vector<uint64_t> values;
  std::mt19937_64 random(8);
  for (size_t i = 0; i < Distribution::kExact; ++i) {
    values.push_back(random());
    d.add(values.back());
    for (double p : {0.0, 1.0, 25.0, 50.0, 90.0, 99.0, 100.0})
      ASSERT_EQ(d.percentile(p), slowPercentile(values, p)) << i << " " << p;
  }
}

TEST(Distribution, PutsEachValueIntoItsBin) {
  std::mt19937_64 random(10);
  for (unsigned shape = 0; shape < 4; ++shape)
    for (const size_t number : {1u, 60u, 5000u})
      for (const unsigned perOctave : {1u, 4u, 64u}) {
        Distribution d;
        std::vector<uint64_t> values;
        for (size_t i = 0; i < number; ++i) {
          values.push_back(shape == 0   ? random() % 200
                           : shape == 1 ? random() >> (1 + random() % 63)
                           : shape == 2 ? 1000000 + random() % 1000
                                        : random() % 2);
          d.add(values.back());
        }
        const std::vector<Distribution::Bin> bins = d.bins(perOctave);
        ASSERT_FALSE(bins.empty());
        EXPECT_LE(bins.front().from, std::ranges::min(values));
        EXPECT_GT(bins.back().to, std::ranges::max(values));
        for (size_t i = 0; i < bins.size(); ++i) {
          const uint64_t from = bins[i].from, to = bins[i].to, count = bins[i].count;
          ASSERT_TRUE(from < to && (i == 0 || bins[i - 1].to == from)) << shape << " " << number << " " << perOctave;
          EXPECT_LE(to, 2 * std::max<uint64_t>(from, 1)) << "an octave at most";
          EXPECT_EQ(count,
                    static_cast<uint64_t>(std::ranges::count_if(values, [&](auto v) { return v >= from && v < to; })))
              << shape << " " << number << " " << perOctave << " " << from;
        }
      }
  EXPECT_TRUE(Distribution().bins(4).empty());
}

TEST(Distribution, IsWithinOnePercentForMany) {
  std::mt19937_64 random(9);
  for (unsigned shape = 0; shape < 4; ++shape) {
    Distribution d, half[2];
    std::vector<uint64_t> values;
    for (int i = 0; i < 20000; ++i) {
      uint64_t v = shape == 0   ? random() % 200
                   : shape == 1 ? random() >> (random() % 64)
                   : shape == 2 ? 1000000 + random() % 1000
                                : ~uint64_t{0} - random() % 5;
      values.push_back(v);
      d.add(v);
      half[i % 2].add(v);
    }
    half[0].merge(half[1]);
    EXPECT_EQ(d.count(), values.size());
    EXPECT_EQ(d.percentile(0), std::ranges::min(values));
    EXPECT_EQ(d.percentile(100), std::ranges::max(values));
    for (double p : {0.1, 1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 99.99}) {
      auto want = static_cast<double>(slowPercentile(values, p));
      auto got = static_cast<double>(d.percentile(p));
      EXPECT_NEAR(got, want, want / 128 + 0.5) << shape << " p" << p;
      if (want < 128) {
        EXPECT_EQ(got, want);
      }
      EXPECT_EQ(d.percentile(p), half[0].percentile(p));
      const Distribution::Range range = d.percentileRange(p);
      EXPECT_TRUE(static_cast<double>(range.from) <= want && want <= static_cast<double>(range.to))
          << shape << " p" << p;
    }
  }
}

} // namespace
