// Threads compared call by call: random edits of random traces are found, and nothing else.
#include "analysis/diff/flow_diff.h"
#include "mixed_source.h"

#include <random>

using namespace ada;
using namespace ada::analysis;

namespace {

// Writes every difference as a line: "A>B: +C×2 +D -E".
class Lines : public FlowOutput {
public:
  explicit Lines(size_t most = ~size_t(0)) : most_(most) {}
  void beginThread(uint32_t threadA, uint32_t threadB) override {
    EXPECT_EQ(threadA, threadB);
    list.push_back("thread " + std::to_string(threadA));
  }
  bool difference(const FlowDifference &difference, const FlowFunctions &functions) override {
    if (differences == most_)
      return false;
    ++differences;
    std::string line = difference.kind == FlowKind::End         ? "end "
                       : difference.kind == FlowKind::Rest      ? "rest "
                       : difference.kind == FlowKind::Arguments ? "arguments "
                                                                : "";
    for (const uint32_t caller : difference.callers)
      line += functions[caller].displayName;
    line += ':';
    for (const auto &[part, sign] : {std::pair(&difference.a, '-'), std::pair(&difference.b, '+')}) {
      for (const FlowCall &call : part->calls)
        line += std::string(" ") + sign + functions[call.function].displayName +
                (call.times > 1 ? std::to_string(call.times) : "") + call.arguments;
      line += part->more ? std::string(" ") + sign + "more" + std::to_string(part->more) : "";
      line += part->end.empty() ? "" : " " + part->end;
    }
    list.push_back(line + " after " + std::to_string(difference.sameCalls));
    return true;
  }
  void endThread(uint64_t sameCalls) override { list.push_back("alike " + std::to_string(sameCalls)); }

  std::vector<std::string> list;
  size_t differences = 0;

private:
  size_t most_;
};

std::vector<std::string> compare(const std::string &left, const std::string &right, const FlowOptions &options = {},
                                 size_t most = ~size_t(0)) {
  auto a = threadwise(left, 1), b = threadwise(right, 1);
  const TraceTable tableA = tableOf(*a), tableB = tableOf(*b);
  Lines lines(most);
  const auto done = compareFlows({a.get(), &tableA, {0}}, {b.get(), &tableB, {0}}, options, lines);
  EXPECT_TRUE(done);
  return lines.list;
}

using Strings = std::vector<std::string>;

} // namespace

TEST(FlowDiff, SaysNothingOfTheSame) {
  constexpr const char *kTrace = "0 A0 | 0 B10 | 0 b20 | 0 !a30 | 0 C40 |";
  EXPECT_EQ(compare(kTrace, kTrace), (Strings{"thread 0", "alike 3"}));
  EXPECT_EQ(compare("", ""), (Strings{"thread 0", "alike 0"}));
}

TEST(FlowDiff, FindsWhatOneSideDidBesides) {
  EXPECT_EQ(compare("0 A0 | 0 B10 | 0 b20 | 0 C30 | 0 c40 | 0 a50 |",
                    "0 A0 | 0 B10 | 0 b20 | 0 D30 | 0 d31 | 0 D32 | 0 d33 | "
                    "0 C34 | 0 c40 | 0 a50 |"),
            (Strings{"thread 0", "A: +D2 after 2", "alike 3"}));
  EXPECT_EQ(compare("0 A0 | 0 B10 | 0 b20 | 0 a50 |", "0 A0 | 0 C10 | 0 c20 | 0 a50 | 0 E60 | 0 e70 |"),
            (Strings{"thread 0", "A: -B +C after 1", ": +E after 0", "alike 1"}));
}

TEST(FlowDiff, FindsOtherEnds) {
  EXPECT_EQ(compare("0 A0 | 0 B10 | 0 b20 | 0 a50 |", "0 A0 | 0 B10 | 0 !b20 | 0 a50 |"),
            (Strings{"thread 0", "end A: -B +B exception after 2", "alike 2"}));
  EXPECT_EQ(compare("0 A0 | 0 B10 | 0 b20 | 0 a50 |", "0 A0 | 0 B10 | 0 b20 |"),
            (Strings{"thread 0", "end : -A +A open after 2", "alike 2"}));
}

TEST(FlowDiff, ComparesValuesIfAsked) {
  constexpr const char *kOne = "0 A0 | 0 B10 | 0 x=1 | 0 b20 | 0 a50 |",
                       *kTwo = "0 A0 | 0 B10 | 0 x=2 | 0 b20 | 0 a50 |";
  EXPECT_EQ(compare(kOne, kTwo), (Strings{"thread 0", "alike 2"}));
  EXPECT_EQ(compare(kOne, kTwo, {.filter = {}, .values = true}),
            (Strings{"thread 0", "arguments A: -B(x=1) +B(x=2) after 1", "alike 1"}));
}

TEST(FlowDiff, LeavesOutWhatIsKnownToDiffer) {
  FlowOptions options;
  options.filter.excluded = {"D"};
  EXPECT_EQ(compare("0 A0 | 0 B10 | 0 b20 | 0 a50 |", "0 A0 | 0 D5 | 0 B10 | 0 b20 | 0 d30 | 0 a50 |", options),
            (Strings{"thread 0", "alike 2"}));
}

TEST(FlowDiff, StopsWhenTold) {
  EXPECT_EQ(compare("0 B10 | 0 b20 | 0 B30 | 0 b40 |", "0 C5 | 0 c6 | 0 B10 | 0 b20 | 0 C25 | 0 c26 | 0 B30 | 0 b40 |",
                    {}, 1),
            (Strings{"thread 0", ": +C after 0"}));
}

// Calls of X are inserted into random traces that contain none: each place is found, with its number of calls, and
// nothing else.
TEST(FlowDiff, FindsRandomInsertions) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    std::string left, right;
    uint64_t time = 0, inserted = 0, calls = 0;
    std::vector<char> stack;
    bool wasInserted = false;
    const auto add = [&](std::string *only, char what) {
      const std::string word = "0 " + std::string(1, what) + std::to_string(++time) + " | ";
      if (only != &right)
        left += word;
      if (only != &left)
        right += word;
    };
    for (int i = 0; i < 400; ++i) {
      if (random() % 20 == 0 && !wasInserted) {
        std::string *side = random() % 2 ? &left : &right;
        for (uint64_t k = 1 + random() % 3; k > 0; --k) {
          add(side, side == &left ? 'X' : 'Z');
          if (random() % 2) {
            add(side, 'Y');
            add(side, 'y');
          }
          add(side, side == &left ? 'x' : 'z');
        }
        ++inserted;
        wasInserted = true;
        continue;
      }
      wasInserted = false;
      if (!stack.empty() && (random() % 2 || stack.size() > 8)) {
        add(nullptr, static_cast<char>(stack.back() - 'A' + 'a'));
        stack.pop_back();
      } else {
        stack.push_back(static_cast<char>('A' + random() % 4));
        add(nullptr, stack.back());
        ++calls;
      }
    }
    while (!stack.empty()) {
      add(nullptr, static_cast<char>(stack.back() - 'A' + 'a'));
      stack.pop_back();
    }
    const std::vector<std::string> lines = compare(left, right);
    ASSERT_EQ(lines.size(), inserted + 2) << round;
    EXPECT_EQ(lines.back(), "alike " + std::to_string(calls));
    for (size_t i = 1; i + 1 < lines.size(); ++i)
      EXPECT_TRUE(lines[i].find("-X") != std::string::npos || lines[i].find("+Z") != std::string::npos) << lines[i];
  }
}
