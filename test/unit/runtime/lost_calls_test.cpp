// What a thread does while its records are lost (lost_calls.h), as its reader understands it (expander.h).
//
// The first test checks all programs of one thread that nest at most a few calls: functions are called, return, throw,
// call setjmp and jump back to any setjmp whose caller is open, for as long as they like. Each record is kept or lost,
// and the report of a loss may be cut short after any of its records, because the chunk is full and there is no other.
// The code that loses, reports and expands is the real one. Whenever a record is kept, the test demands
// - that the calls that the reader has open are the program's, in the same order, except that lost calls have no name,
// - that events and losses are what the program has done up to here,
// - that calls closed by an exception were left by one or by a jump.
// States seen before are not explored again, so the search is complete. It goes from the shortest programs to longer
// ones: the first failure is a smallest example.
#include "random_chunk.h"
#include "shared/ring/losses.h"
#include "shared/ring/lost_calls.h"
#include "thorough.h"

#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <unordered_set>
#include <vector>

using namespace ada::ring;
using ada::test::growLandings, ada::test::kBase;

namespace {
namespace lost_calls {

constexpr unsigned kMaxDepth = 4;                   // 550,000 states; 24,000 with one call less
enum class Fate : uint8_t { Open, Returned, Left }; // of a call; left by an exception or a jump

struct Call {
  char function;
  bool isMarked;
};
// One open call of the reader's: which of the program's calls it is, if that is still open, or else how it ended.
struct Known {
  uint8_t place; // in the program's stack
  Fate fate;
};

Frame *refuseFrames(Frame *, size_t, size_t) { return nullptr; }
LostCalls::Landing *refuse(LostCalls::Landing *, size_t, size_t) { return nullptr; }
uint64_t gapOf(uint64_t closed, uint64_t opened) { return closed << 34 | opened << 4 | ADA_RECORD_GAP; }
std::vector<uint64_t> report(LostCalls &lost) {
  std::vector<uint64_t> all;
  lost.tell([&](uint64_t what) {
    all.push_back(what);
    return true;
  });
  return all;
}

// A frame's address says where in the stack it is: later calls use it again.
uint64_t frameAt(size_t place) { return 16 * (1000 - place); }
uint64_t entryOf(char function) { return kBase + static_cast<uint64_t>(function - 'a') * sizeof(ada_function); }

class Model {
public:
  Model() = default;
  Model(const Model &other) { *this = other; }
  Model &operator=(const Model &other) {
    calls_ = other.calls_, depth_ = other.depth_, lost_ = other.lost_, known_ = other.known_, frames_ = other.frames_;
    landings_ = other.landings_, reader_ = other.reader_, done_ = other.done_, lostEvents_ = other.lostEvents_,
    events_ = other.events_;
    reader_.stack.adopt(frames_.data(), frames_.size());
    lost_.more = landings_.data();
    return *this;
  }
  static Model start() {
    Model m;
    m.reader_.stack.adopt(m.frames_.data(), m.frames_.size());
    m.lost_.more = m.landings_.data(), m.lost_.capacity = static_cast<uint32_t>(m.landings_.size());
    return m;
  }

  // The records that the program may make next, in words: "+a" a call, "-" a return, "!" an exception, "M" a mark, and
  // "R2" a jump back to the third call from outside.
  std::vector<std::string> next(unsigned most) const {
    std::vector<std::string> words;
    if (depth_ < most)
      words.push_back(std::string("+") + "ab"[depth_ % 2]);
    if (depth_ > 0)
      words.insert(words.end(), {"-", "!"});
    if (depth_ > 0 && !calls_[depth_ - 1].isMarked)
      words.push_back("M");
    for (unsigned i = 0; i < depth_; ++i)
      if (calls_[i].isMarked)
        words.push_back("R" + std::to_string(i));
    return words;
  }

  // How many records report what was lost.
  unsigned reportLength() const {
    Model copy = *this;
    unsigned n = 0;
    copy.lost_.tell([&](uint64_t) { return ++n > 0; });
    return n;
  }

  // `kept`: the record comes after the whole report. If not, it is lost after that many records of the report.
  // Returns what is wrong, if anything.
  std::string step(const std::string &word, bool kept, unsigned reported) {
    if (kept || reported > 0)
      lost_.tell([&](uint64_t what) {
        record(what);
        return kept || --reported > 0;
      });
    const uint64_t what = whatOf(word);
    run(word);
    if (!kept) {
      lostEvents_ += lost_.note(what, refuse);
      return wrong_;
    }
    record(what);
    check();
    return wrong_;
  }

  // Everything that the future depends on.
  std::string key() const {
    std::string k(1, static_cast<char>(depth_));
    const auto put = [&k](uint64_t n) { k += static_cast<char>(n), k += static_cast<char>(n >> 8); };
    for (unsigned i = 0; i < depth_; ++i)
      k += calls_[i].function, k += static_cast<char>('0' + calls_[i].isMarked);
    for (uint32_t n : {lost_.opened, lost_.closed, lost_.marks - lost_.begin, lost_.end - lost_.begin})
      put(n);
    for (uint32_t i = lost_.begin; i < lost_.end; ++i) {
      const LostCalls::Landing &at = i < LostCalls::kOwn ? lost_.own[i] : lost_.more[i - LostCalls::kOwn];
      put(at.frame), put(i < lost_.marks ? at.calls : at.calls - lost_.reported);
    }
    for (size_t i = 0; i < reader_.stack.depth; ++i) {
      const Frame &f = reader_.stack.frames[i];
      const bool isLost = f.function == kLost;
      put(isLost ? 255 : f.function.functionId() & 255), put(f.mark);
      if (!isLost)
        put(known_[i].place), put(static_cast<uint64_t>(known_[i].fate));
    }
    put(static_cast<uint64_t>(balance()));
    return k;
  }

private:
  std::array<Call, kMaxDepth> calls_ = {}; // the program's open ones
  unsigned depth_ = 0;
  LostCalls lost_;
  std::array<LostCalls::Landing, 16> landings_ = {};
  ThreadExpansion reader_;
  std::array<Frame, 1 + 2 * kMaxDepth> frames_ = {};
  std::array<Known, 2 * kMaxDepth> known_ = {}; // by place in the reader's stack; of lost calls meaningless
  int64_t done_ = 0, lostEvents_ = 0, events_ = 0;
  std::string wrong_;

  uint64_t whatOf(const std::string &word) const {
    switch (word[0]) {
    case '+':
      return entryOf(word[1]) | ADA_RECORD_CALL;
    case '-':
      return entryOf(calls_[depth_ - 1].function) | ADA_RECORD_RETURN;
    case '!':
      return entryOf(calls_[depth_ - 1].function) | ADA_RECORD_EXCEPTION;
    case 'M':
      return frameAt(depth_ - 1) | ADA_RECORD_MARK;
    default:
      return frameAt(static_cast<size_t>(word[1] - '0')) | ADA_RECORD_RESYNC;
    }
  }

  // What the program does with that record.
  void run(const std::string &word) {
    switch (word[0]) {
    case '+':
      calls_[depth_++] = {word[1], false};
      ++done_;
      return;
    case '-':
      return leave(Fate::Returned);
    case '!':
      return leave(Fate::Left);
    case 'M':
      calls_[depth_ - 1].isMarked = true;
      return;
    default:
      while (depth_ > static_cast<unsigned>(word[1] - '0') + 1)
        leave(Fate::Left);
    }
  }
  void leave(Fate fate) {
    --depth_;
    ++done_;
    for (size_t i = 0; i < reader_.stack.depth; ++i)
      if (known_[i].fate == Fate::Open && known_[i].place == depth_)
        known_[i].fate = fate;
  }

  void record(uint64_t what) {
    static ada_ring_module module = {.begin = kBase, .end = kBase + 26 * sizeof(ada_function)};
    static ModuleMap modules = [] {
      ModuleMap map;
      map.update(&module, 1);
      return map;
    }();
    static ClockMap clock;
    expand(reader_, {1, what}, clock, modules, refuseFrames, [&](const Event &e) {
      ++events_;
      if (e.kind == kCall)
        known_[e.depth] = {static_cast<uint8_t>(depth_ - 1), Fate::Open}; // run() was first
      else if (e.kind == kException && known_[e.depth].fate != Fate::Left)
        wrong_ = "a call is left by an exception that was not";
      else if (e.ofRecord &&
               (known_[e.depth].place != depth_ || (e.kind == kReturn) != (known_[e.depth].fate == Fate::Returned)))
        wrong_ = "an exit closes another call";
    });
  }

  int64_t balance() const {
    ada_ring_cursor cursor = {};
    addLosses(cursor, reader_);
    return done_ - lostEvents_ - events_ - sumOfLosses(cursor);
  }

  void check() {
    if (reader_.strayExits > 0)
      wrong_ = "an exit closes no call";
    if (balance() != 0)
      wrong_ = std::to_string(balance()) + " events are neither in the trace nor lost";
    if (reader_.stack.depth != depth_)
      wrong_ = std::to_string(reader_.stack.depth) + " calls are open instead of " + std::to_string(depth_);
    for (unsigned i = 0; i < depth_ && wrong_.empty(); ++i)
      if (reader_.stack.frames[i].function != kLost && (known_[i].fate != Fate::Open || known_[i].place != i))
        wrong_ = "a call is open that has ended";
  }
};

TEST(LostCalls, AreAccountedForWhateverIsLost) {
  const unsigned most = ada::test::isLong() ? kMaxDepth : kMaxDepth - 1;
  struct Node {
    Model model;
    size_t step;
  };
  struct Step {
    size_t before;
    std::string word;
  };
  std::vector<Step> steps(1); // for the example
  std::unordered_set<std::string> seen;
  std::vector<Node> now = {{Model::start(), 0}}, later;
  const auto example = [&](size_t step) {
    std::string text;
    for (; step > 0; step = steps[step].before)
      text = steps[step].word + (text.empty() ? "" : " ") + text;
    return text;
  };
  for (; !now.empty(); now.swap(later), later.clear())
    for (const Node &node : now) {
      const unsigned length = node.model.reportLength();
      for (const std::string &word : node.model.next(most))
        for (unsigned way = 0; way <= length + 1; ++way) {
          const bool kept = way == length + 1;
          Model model = node.model;
          const std::string wrong = model.step(word, kept, way);
          if (wrong.empty() && !seen.insert(model.key()).second)
            continue;
          steps.push_back({node.step, kept ? word : "(" + (way ? std::to_string(way) + " " : "") + word + ")"});
          // In parentheses: lost, after that many records of the report
          ASSERT_EQ(wrong, "") << "after: " << example(steps.size() - 1);
          later.push_back({model, steps.size() - 1});
        }
    }
  EXPECT_GT(seen.size(), 10000u);
}

// Any number of landings: each of a thousand callers of setjmp is lost, and then jumped back to.
TEST(LostCalls, RememberAllLandings) {
  for (const bool hasMemory : {true, false}) {
    LostCalls lost;
    constexpr uint32_t kCalls = 1000;
    const auto frame = [](uint32_t i) { return uint64_t{16} * (2 * kCalls - i); };
    const LostCalls::Grow memory = hasMemory ? growLandings : refuse;
    for (uint32_t i = 0; i < kCalls; ++i) {
      EXPECT_EQ(lost.note(entryOf('a') | ADA_RECORD_CALL, memory), 1u);
      EXPECT_EQ(lost.note(frame(i) | ADA_RECORD_MARK, memory), 0u);
    }
    for (uint32_t i = kCalls; hasMemory && i-- > 0;)
      ASSERT_EQ(lost.note(frame(i) | ADA_RECORD_RESYNC, memory), i + 1 < kCalls ? 1u : 0u);
    // The reader hears of the calls that are open, and of their marks.
    const std::vector<uint64_t> all = report(lost);
    if (hasMemory)
      EXPECT_EQ(all, (std::vector<uint64_t>{gapOf(0, 1), frame(0) | ADA_RECORD_MARK}));
    EXPECT_FALSE(lost.any());
    // Jumps between calls that were recorded.
    for (uint32_t i = 0; i < kCalls; ++i) {
      lost.note(entryOf('a') | ADA_RECORD_RETURN, memory);
      lost.note(frame(i) | ADA_RECORD_RESYNC, memory);
    }
    uint64_t ends = 0;
    std::vector<uint64_t> jumps;
    for (const uint64_t what : report(lost))
      if (kindOf(what) == ADA_RECORD_RESYNC)
        jumps.push_back(what);
      else
        ends += what >> 34;
    EXPECT_EQ(ends, kCalls);
    ASSERT_EQ(jumps.size(), hasMemory ? kCalls : LostCalls::kOwn);
    EXPECT_EQ(jumps.back(), frame(kCalls - 1) | ADA_RECORD_RESYNC);
    std::free(lost.more);
  }
}

// More calls than one record may report.
TEST(LostCalls, ReportAnyNumberOfOpenCalls) {
  LostCalls lost;
  lost.opened = 3 * kMaxLostCalls + 1;
  uint64_t opened = 0;
  for (const uint64_t what : report(lost))
    opened += (what >> 4) & ((1u << 30) - 1);
  EXPECT_EQ(opened, 3 * kMaxLostCalls + 1);
}

} // namespace lost_calls
} // namespace
