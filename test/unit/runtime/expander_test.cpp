// From records to events: each rule of expander.h.
// Also random programs that return, throw, jump and lose records: the events always nest, and every loss is counted.
#include "random_chunk.h"
#include "shared/ring/lost_calls.h"
#include "shared/ring/notes.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ada::ring;
using ada::test::grow, ada::test::growLandings, ada::test::kBase;

namespace {

Frame *growNothing(Frame *, size_t, size_t) { return nullptr; }

// A thread whose functions are named a, b, c, …
class Expansion {
public:
  Expansion() {
    module_.begin = kBase, module_.end = kBase + 26 * sizeof(ada_function), module_.module_id = 1;
    modules_.update(&module_, 1);
  }
  ~Expansion() { std::free(state.stack.memory()); }

  void record(ada_record r, CallStack::Grow how = grow) {
    expand(state, r, clock_, modules_, how, [&](const Event &e) { events.push_back(e); });
  }
  // "+a" a call of a, "-a" its return, "!a" left by unwinding, "M5" a mark of frame 5, "R5" its resync, "G2,3" a gap in
  // which two open calls were left and three were entered.
  void feed(const std::string &text) {
    size_t at = 0;
    while (at < text.size()) {
      size_t end = std::min(text.find(' ', at), text.size());
      record(ada_record{stamp++, whatOf(text.substr(at, end - at))});
      at = end + 1;
    }
  }
  static uint64_t whatOf(const std::string &word) {
    const uint64_t entry = kBase + (word[1] - 'a') * sizeof(ada_function);
    switch (word[0]) {
    case '+':
      return entry | ADA_RECORD_CALL;
    case '-':
      return entry | ADA_RECORD_RETURN;
    case '!':
      return entry | ADA_RECORD_EXCEPTION;
    case 'M':
      return 16 * std::stoul(word.substr(1)) | ADA_RECORD_MARK;
    case 'R':
      return 16 * std::stoul(word.substr(1)) | ADA_RECORD_RESYNC;
    default: // G
      return std::stoul(word.substr(1)) << 34 | std::stoul(word.substr(word.find(',') + 1)) << 4 | ADA_RECORD_GAP;
    }
  }
  // The events in the same notation; "~a" an inferred exit of a, "?a" a missing one.
  std::string text() const {
    std::string t;
    for (const Event &e : events)
      t += std::string(t.empty() ? "" : " ") +
           " +-!?~"[e.kind == kMissing    ? 4
                    : e.kind == kInferred ? 5
                                          : e.kind] +
           char('a' + (e.functionId & 0xff));
    return t;
  }
  // Empty, or what is wrong.
  std::string nesting() const {
    std::vector<uint64_t> open;
    uint64_t last = 0;
    for (size_t i = 0; i < events.size(); ++i) {
      const Event &e = events[i];
      if (e.timestampNs < last)
        return "event " + std::to_string(i) + " goes back in time";
      last = e.timestampNs;
      if (e.kind == kCall) {
        open.push_back(e.functionId);
        continue;
      }
      if (open.empty() || open.back() != e.functionId)
        return "event " + std::to_string(i) + " does not leave the innermost call";
      open.pop_back();
    }
    return "";
  }

  ThreadExpansion state;
  std::vector<Event> events;
  uint64_t stamp = 1000;

private:
  ada_ring_module module_ = {};
  ModuleMap modules_;
  ClockMap clock_;
};

std::string expanded(const std::string &records) {
  Expansion e;
  e.feed(records);
  return e.text();
}

TEST(Expander, CallsAndExitsGoThrough) {
  EXPECT_EQ(expanded("+a +b -b +b !b -a"), "+a +b -b +b !b -a");
  EXPECT_EQ(expanded("+a +a +a -a -a"), "+a +a +a -a -a");
}

TEST(Expander, AJumpToAnUnknownFrameLeavesTheCallsBelow) {
  Expansion e;
  e.state.stackBase = 0x10000;
  const auto at = [&](uint64_t place, uint64_t what) { e.record({e.stamp++, what | place << kPositionShift}); };
  at(9, Expansion::whatOf("+a")), at(5, Expansion::whatOf("+b")), at(4, Expansion::whatOf("+c"));
  at(5, ADA_RECORD_JUMP); // a frame begins where its call does, or below
  EXPECT_EQ(e.text(), "+a +b +c !c");
  at(3, Expansion::whatOf("+d"));
  e.feed("R7"); // its place is not known
  EXPECT_EQ(e.text(), "+a +b +c !c +d");
  at(9, Expansion::whatOf("R7"));
  EXPECT_EQ(e.text(), "+a +b +c !c +d !d !b");
}

TEST(Expander, EventsHaveTimeFunctionAndDepth) {
  Expansion e;
  e.feed("+a +b -b -a");
  ASSERT_EQ(e.events.size(), 4u);
  EXPECT_EQ(e.events[1].timestampNs, 1001u);
  EXPECT_EQ(e.events[1].functionId, (1ull << 32 | 1));
  EXPECT_EQ(e.events[0].depth, 0u);
  EXPECT_EQ(e.events[1].depth, 1u);
  EXPECT_EQ(e.events[2].depth, 1u);
  EXPECT_EQ(e.events[3].depth, 0u);
}

TEST(Expander, AnExitOfAnOuterCallClosesThoseAbove) {
  EXPECT_EQ(expanded("+a +b +c -a"), "+a +b +c ~c ~b -a");
  EXPECT_EQ(expanded("+a +b +c !a"), "+a +b +c ~c ~b !a");
  EXPECT_EQ(expanded("+a +b +a +c -a -b -a"), "+a +b +a +c ~c -a -b -a");
}

TEST(Expander, AnExitWithoutItsCallMakesNoEvent) {
  Expansion e;
  e.feed("-z +a -y -a !x");
  EXPECT_EQ(e.text(), "+a -a");
  EXPECT_EQ(e.state.strayExits, 3u);
}

TEST(Expander, UnknownEntriesAreCounted) {
  Expansion e;
  e.record({5, 0x77770000 | ADA_RECORD_CALL});
  e.record({6, 0x77770000 | ADA_RECORD_RETURN});
  EXPECT_TRUE(e.events.empty());
  EXPECT_EQ(e.state.unknownEntries, 2u);
}

TEST(Expander, ResyncClosesWhatWasJumpedOver) {
  EXPECT_EQ(expanded("+a M1 +b +c R1 -a"), "+a +b +c !c !b -a");
  EXPECT_EQ(expanded("+a M1 R1 +b R1 R1 -a"), "+a +b !b -a");          // the first return of setjmp, then jumps
  EXPECT_EQ(expanded("+a M1 +b M2 +c R1 -a"), "+a +b +c !c !b -a");    // to the outer one
  EXPECT_EQ(expanded("+a M1 +b M2 +c R2 -b -a"), "+a +b +c !c -b -a"); // to the inner one
  EXPECT_EQ(expanded("+a +b R9 -b -a"), "+a +b -b -a");                // a mark that was lost
  EXPECT_EQ(expanded("M1 R1"), "");                                    // outside all calls
}

TEST(Expander, GapsCloseAndHold) {
  EXPECT_EQ(expanded("+a +b G1,0 -a"), "+a +b ?b -a"); // b's return was lost
  EXPECT_EQ(expanded("+a G0,1 -b -a"), "+a -a");       // b's call was lost, so it has no return
  EXPECT_EQ(expanded("+a +b G1,2 +e -e -d -c -a"), "+a +b ?b +e -e -a");
  EXPECT_EQ(expanded("+a G5,0 +b -b"), "+a ?a +b -b"); // more calls left than are known
  EXPECT_EQ(expanded("+a G0,3 -a"), "+a") << "an exit meets a placeholder";
  EXPECT_EQ(expanded("+a M1 +b G0,2 +c R1 -a"), "+a +b +c !c !b -a"); // a jump over placeholders
}

TEST(Expander, GapsAreAccountedFor) {
  Expansion e;
  e.feed("+a +b G2,1 -c");
  EXPECT_EQ(e.state.madeExits, 2u);
  EXPECT_EQ(e.state.silentExits, 1u);
}

// The ends of such calls are recorded nowhere, so the reader has to count them.
TEST(Expander, LostCallsThatAreJumpedOverAreAccountedFor) {
  for (const char *records : {"+a M1 G0,2 R1 -a", "+a +b G0,1 M1 +c G0,1 R1 -x -b -a"}) {
    Expansion e;
    e.feed(records);
    EXPECT_EQ(e.state.stack.depth, 0u) << records;
    EXPECT_EQ(e.state.silentExits, 2u) << records;
  }
}

TEST(Expander, OtherKindsAreIgnored) {
  Expansion e;
  e.feed("+a");
  e.record({2000, kBase | 7});
  e.record({2001, kBase | ADA_RECORD_GAP | ADA_RECORD_DETAIL});
  e.stamp = 3000;
  e.feed("-a");
  EXPECT_EQ(e.text(), "+a -a");
}

TEST(Expander, TimeNeverGoesBack) {
  Expansion e;
  e.feed("+a");
  e.stamp = 500;
  e.feed("+b -b");
  e.stamp = 2000;
  e.feed("-a");
  EXPECT_EQ(e.nesting(), "");
  EXPECT_EQ(e.events[2].timestampNs, 1000u);
}

TEST(Expander, WithoutMemoryTheCallsThatAreKnownNest) {
  Expansion e;
  for (uint64_t i = 0; i < 3; ++i)
    e.record({i, (kBase + i * sizeof(ada_function)) | ADA_RECORD_CALL}, growNothing);
  EXPECT_EQ(e.events.size(), 3u);
  for (const Event &event : e.events)
    EXPECT_EQ(event.depth, 0u);
}

TEST(LowerStamps, GivesEachTheSmallestBehindIt) {
  ada_record r[] = {{5, 0}, {9, 0}, {3, 0}, {4, 0}, {8, 0}, {7, 0}};
  lowerStamps(r, 6, UINT64_MAX);
  std::vector<uint64_t> stamps;
  for (const ada_record &x : r)
    stamps.push_back(x.stamp);
  EXPECT_EQ(stamps, (std::vector<uint64_t>{3, 3, 3, 4, 7, 7}));
}

TEST(LowerStamps, StaysBelowWhatFollowsTheRun) {
  ada_record r[] = {{5, 0}, {9, 0}};
  lowerStamps(r, 2, 6);
  EXPECT_EQ(r[0].stamp, 5u);
  EXPECT_EQ(r[1].stamp, 6u);
  lowerStamps(r, 0, 0); // nothing to do
}

// Programs that call, return and throw at random, while spans of their records are lost the way the runtime loses them.
TEST(ExpanderProperty, NestsAndAddsUpWhateverIsLost) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    Expansion e;
    std::vector<char> stack;
    bool losing = false;
    LostCalls lostCalls;
    uint64_t made = 0, lost = 0;
    for (int step = 0; step < 600; ++step) {
      if (random() % 40 == 0)
        losing = !losing;
      std::string record;
      if (stack.empty() || (random() % 2 && stack.size() < 40)) {
        stack.push_back(static_cast<char>('a' + random() % 26));
        record = std::string("+") + stack.back();
      } else {
        record = std::string(random() % 5 ? "-" : "!") + stack.back();
        stack.pop_back();
      }
      ++made;
      if (losing) {
        lost += lostCalls.note(Expansion::whatOf(record), growLandings);
        continue;
      }
      lostCalls.tell([&](uint64_t what) {
        e.record({e.stamp++, what});
        return true;
      });
      e.feed(record);
    }
    ASSERT_EQ(e.nesting(), "") << "seed " << seed;
    // The sum that runtime/core/drain/thread_writer.cpp relies on: events and losses account for everything.
    ASSERT_EQ(e.events.size() + lost + e.state.silentExits - e.state.madeExits, made) << "seed " << seed;
    ASSERT_EQ(e.state.strayExits, 0u) << "seed " << seed;
    ASSERT_LE(e.state.stack.depth, stack.size() + lostCalls.closed) << "seed " << seed;
  }
}

// The same with jumps (setjmp in some functions), as the runtime accounts for them. All calls end.
TEST(ExpanderProperty, AddsUpWithJumpsWhateverIsLost) {
  struct Call {
    char function;
    std::string frame; // the marked frame, or empty
  };
  for (unsigned seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    Expansion e;
    LostCalls lostCalls;
    std::vector<Call> stack;
    uint64_t calls = 0, lost = 0;
    bool losing = false;
    const auto tell = [&](const std::string &word) {
      if (losing) {
        lost += lostCalls.note(Expansion::whatOf(word), growLandings);
        return;
      }
      while (lostCalls.any()) // a chunk may become full at any of them
        lostCalls.tell([&](uint64_t what) {
          e.record({e.stamp++, what});
          return random() % 4 != 0;
        });
      e.feed(word);
    };
    const auto call = [&] {
      ++calls;
      stack.push_back({static_cast<char>('a' + random() % 26), ""});
      tell(std::string("+") + stack.back().function);
      if (random() % 3)
        return;
      stack.back().frame = std::to_string(1000 - stack.size());
      tell("M" + stack.back().frame);
      tell("R" + stack.back().frame);
    };
    const auto leave = [&] {
      tell(std::string(random() % 5 ? "-" : "!") + stack.back().function);
      stack.pop_back();
    };
    for (int step = 0; step < 600; ++step) {
      if (random() % 40 == 0)
        losing = !losing;
      const size_t to = stack.empty() ? 0 : random() % stack.size();
      if (random() % 10 == 0 && !stack.empty() && !stack[to].frame.empty()) {
        stack.resize(to + 1);
        tell("R" + stack[to].frame);
      } else if (stack.empty() || (random() % 2 && stack.size() < 40)) {
        call();
      } else {
        leave();
      }
    }
    losing = false;
    for (call(); !stack.empty();)
      leave();
    ASSERT_EQ(e.nesting(), "") << "seed " << seed;
    ASSERT_EQ(e.state.stack.depth, 0u) << "seed " << seed;
    ASSERT_EQ(e.events.size() + lost + e.state.silentExits - e.state.madeExits, 2 * calls) << "seed " << seed;
    ASSERT_EQ(e.state.strayExits, 0u) << "seed " << seed;
    std::free(lostCalls.more);
  }
}

// The same with jumps, unhooked unwinding and meaningless records: events still nest, and open calls stay open.
TEST(ExpanderProperty, NestsForAnyRecordsAtAll) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    Expansion e;
    for (int step = 0; step < 800; ++step) {
      char function = static_cast<char>('a' + random() % 6);
      std::string frame = std::to_string(1 + random() % 4);
      switch (random() % 12) {
      case 0:
        e.feed("M" + frame);
        break;
      case 1:
        e.feed("R" + frame);
        break;
      case 2:
        e.feed("G" + std::to_string(random() % 4) + "," + std::to_string(random() % 4));
        break;
      case 3:
        e.feed(std::string("!") + function);
        break;
      case 4: { // no kind, no function; but not a gap of a billion calls, which would be believed
        uint64_t what = random() | static_cast<uint64_t>(random()) << 32;
        e.record({random() % 3000, (what & ADA_RECORD_KIND_MASK) == ADA_RECORD_GAP ? what | 15 : what});
        break;
      }
      case 5:
      case 6:
      case 7:
        e.feed(std::string("-") + function);
        break;
      default:
        e.feed(std::string("+") + function);
      }
    }
    ASSERT_EQ(e.nesting(), "") << "seed " << seed;
  }
}

// Unit tests check what both sides of a boundary must hold.
TEST(Assertions, AreOn) { EXPECT_DEATH(ADA_ASSERT(false), ""); }

} // namespace

// The disk was full: the file has calls open whose ends could not be written. Calls that wait began later, so their
// events come after those, and the file does not go back in time.
TEST(Notes, WaitingCallsAreInsideOfAllThatTheFileHasOpen) {
  ThreadExpansion atKill, restored;
  CallStack inFile;
  for (const uint64_t ns : {10, 11, 12})
    inFile.push(1, ns, grow);
  atKill.leastNs = restored.leastNs = 50;
  for (const uint64_t ns : {100, 110})
    atKill.stack.push(ns, ns, grow);
  atKill.stack.frames[1].mark = 64;
  ada_ring_note notes[ADA_CHUNK_NOTES_PER_CURSOR];
  const uint64_t count = takeNotes(atKill, notes, ADA_CHUNK_NOTES_PER_CURSOR);
  restored.lastNs = 12;
  applyNotes(restored, inFile, notes, count, grow);
  ASSERT_EQ(restored.stack.depth, 5u);
  EXPECT_EQ(restored.inFile, 3u);
  EXPECT_EQ(restored.stack.frames[4].mark, 64u);
  std::vector<uint64_t> times;
  leaveOut(restored, Event{200, 110, 110, 4, kReturn, true}, false,
           [&](const Event &e) { times.push_back(e.timestampNs); });
  EXPECT_EQ(times, (std::vector<uint64_t>{100, 110, 200}));
  for (CallStack *stack : {&inFile, &atKill.stack, &restored.stack})
    std::free(stack->memory());
}
