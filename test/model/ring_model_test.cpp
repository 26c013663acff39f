// Checks every interleaving of a thread, its signal handlers and their jumps, the drain, and a kill.
//
// Chunks hold three records here. The code of the drain and of recovery is the real one (shared/ring). The thread
// is stepped through one store at a time, in the order in which trampolines.S and record.cpp make them. At each step
// any of these may come next: the thread's next store, a handler that interrupts it (handlers can be interrupted too),
// the drain reading a batch, the drain's commit, and, if the clock does not advance with each reading, a clock tick.
// States seen before are not explored again, so the search is complete. The test checks in each state:
// - if the process were killed now, recovery would give exactly the records whose hooks are complete, well nested; if a
//   hook was interrupted or left by a jump after its identity was stored, its event may or may not be there;
// - no exit is an exception if nothing jumped;
// - if the thread waits, the drain alone is enough for it to continue.
#include "shared/ring/record_reader.h"
#include "thorough.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

using namespace ada::ring;
using ada::test::isLong;

namespace {

static_assert(ADA_CHUNK_RECORDS == 3, "chunks are small");

constexpr unsigned kLimit = 2, kChunks = 7, kMaxEvents = 64, kMaxFrames = 24, kMaxLevels = 3;
constexpr uint64_t kBase = 0x10000;
constexpr uint64_t entry(char name) { return kBase + static_cast<uint64_t>(name - 'a') * sizeof(ada_function); }

struct Op {
  char kind; // + call, - return, M mark, R resync
  char name;
  uint64_t what() const {
    switch (kind) {
    case '+':
      return entry(name) | ADA_RECORD_CALL;
    case '-':
      return entry(name) | ADA_RECORD_RETURN;
    case 'M':
      return static_cast<uint64_t>(name) << 8 | ADA_RECORD_MARK;
    default:
      return static_cast<uint64_t>(name) << 8 | ADA_RECORD_RESYNC;
    }
  }
};

// The script of one level of the thread: the program or a handler. `landing` is the index of the resync that a jump
// leads to, or -1 if there is none. The jump is possible once the mark, at `mark`, is recorded.
struct Script {
  std::vector<Op> ops;
  int mark = -1, landing = -1;
};

struct Scenario {
  std::vector<Script> levels; // the program, its handler, the handler's handler
  unsigned handlers;          // how many may run in total
  bool jumps;
  // How often the clock may tick; all stamps between two ticks are equal. kExact: no two stamps are equal.
  static constexpr unsigned kExact = ~0u;
  unsigned ticks = kExact;
};

enum Pc : uint8_t { Reserve, StoreWhat, ReadClock, StoreStamp, SayWaiting, Acquire, Link, Zero, Begin, Wait };

struct Level {
  uint8_t at, pc, hits; // op, step, and how many handlers have interrupted this op
  uint8_t chunk;        // taken by Acquire
  uint64_t place, stamp;
};

struct FileEvent {
  uint16_t kind;
  char name;
};

struct State {
  alignas(ADA_CHUNK_BYTES) unsigned char memory[kChunks][ADA_CHUNK_BYTES];
  bool used[kChunks];
  ada_ring_thread thread;
  ada_ring_note notes[2][ADA_CHUNK_NOTES_PER_CURSOR];
  // The thread.
  uint64_t clock, position, nextSeq;
  uint8_t newest, levels, injected, jumped, twice, ticked;
  Level level[kMaxLevels];
  uint8_t complete[2][26],
      begun[2][26]; // calls and returns by function: hooks that ended; hooks that stored their identity
  // The drain.
  RecordReader reader;
  Frame frames[kMaxFrames + 1];
  FileEvent file[kMaxEvents];
  uint8_t fileCount;
  uint8_t strays;

  ada_chunk &chunkAt(uint64_t n) { return *reinterpret_cast<ada_chunk *>(memory[n]); }
};

Frame *growNothing(Frame *, size_t, size_t) { return nullptr; }

// Adds `delta` to each pointer into the state, which was copied or is about to be compared.
void relocate(State &s, ptrdiff_t delta) {
  auto move = [&](auto *&pointer) {
    if (pointer)
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(reinterpret_cast<uintptr_t>(pointer) +
                                                                             static_cast<uintptr_t>(delta));
  };
  RecordReader &r = s.reader;
  move(r.walk.chunk);
  for (unsigned i = 0; i < ADA_RING_RUNS; ++i)
    if (i < r.walk.runCount)
      move(r.walk.runs[i].chunk);
    else
      r.walk.runs[i] = {};
  r.rules = {}; // the rules of the last batch
  for (unsigned i = 0; i < std::size(r.done); ++i)
    if (i < r.doneCount)
      move(r.done[i]);
    else
      r.done[i] = nullptr;
  for (unsigned i = 0; i < RecordReader::kMaxHeld; ++i)
    if (i < r.heldCount)
      move(r.held[i].chunk);
    else
      r.held[i] = {};
  CallStack &stack = r.expansion.stack;
  for (size_t i = stack.depth; i < kMaxFrames; ++i)
    s.frames[1 + i] = {};
  move(stack.frames);
}

void copy(State &to, const State &from) {
  std::memcpy(static_cast<void *>(&to), &from, sizeof to);
  relocate(to, reinterpret_cast<const char *>(&to) - reinterpret_cast<const char *>(&from));
}

// The ring as RecordReader sees it.
struct Memory {
  State &s;
  ada_chunk *chunk(uint64_t number) { return &s.chunkAt(number); }
  void giveBack(ada_chunk *c) {
    zeroRecords(*c);
    c->state = ADA_CHUNK_FREE;
    s.used[c->number] = false;
  }
  void wake(ada_ring_thread &thread) { thread.waiting = 0; }
  void noteClosed(int) {}
};

struct Batch : RecordBatch {
  ada_record recordMemory[ADA_CHUNK_RECORDS + 1];
  const ada_detail *detailMemory[ADA_CHUNK_RECORDS + 1];
  uint16_t placeMemory[ADA_CHUNK_RECORDS + 1];
  Batch() { records = recordMemory, details = detailMemory, places = placeMemory; }
};

class Model {
public:
  explicit Model(const Scenario &scenario) : scenario_(scenario) {
    module_.begin = kBase, module_.end = kBase + 26 * sizeof(ada_function), module_.module_id = 1;
    modules_.update(&module_, 1);
  }

  // Returns an empty string, or what is wrong and which steps led to it.
  std::string search() {
    static State start;
    std::memset(static_cast<void *>(&start), 0, sizeof start);
    start.reader = RecordReader();
    std::memset(static_cast<void *>(start.reader.held), 0, sizeof start.reader.held);
    start.reader.expansion.stack.adopt(start.frames, std::size(start.frames));
    for (unsigned i = 0; i < kChunks; ++i)
      start.chunkAt(i).number = i;
    start.clock = 1, start.levels = 1;
    start.thread.state = ADA_THREAD_LIVE, start.thread.first_chunk = 1;
    beginChunk(start.thread, start.chunkAt(0), start.nextSeq++, now(start));
    start.used[0] = true;
    start.position = ADA_CHUNK_HEADER_BYTES;
    visit(start, 0);
    return problem_;
  }
  size_t states() const { return seen_.size(); }

private:
  void visit(const State &s, unsigned depth) {
    if (!problem_.empty() || !isNew(s))
      return;
    check(s);
    if (!problem_.empty()) {
      problem_ += "\n  after: " + path_;
      return;
    }
    if (depth >= stack_.size())
      stack_.push_back(std::make_unique<State>());
    auto next = [&](char name, auto &&step) {
      State &n = *stack_[depth];
      copy(n, s);
      if (!step(n))
        return;
      path_ += name;
      visit(n, depth + 1);
      path_.pop_back();
    };
    next('t', [&](State &n) { return threadStep(n); });
    next('h', [&](State &n) { return interrupt(n); });
    next('j', [&](State &n) { return jump(n); });
    next('d', [&](State &n) { return read(n); });
    next('c', [&](State &n) { return commit(n); });
    next('k', [&](State &n) { return tick(n); });
  }

  bool isNew(const State &s) {
    copy(scratch_, s);
    relocate(scratch_, -reinterpret_cast<ptrdiff_t>(reinterpret_cast<char *>(&scratch_)));
    // FNV-1a over words, twice: 128 bits.
    uint64_t a = 0xcbf29ce484222325, b = 0x9e3779b97f4a7c15;
    const auto *words = reinterpret_cast<const uint64_t *>(&scratch_);
    for (size_t i = 0; i < sizeof scratch_ / 8; ++i) {
      a = (a ^ words[i]) * 0x100000001b3;
      b = (b + words[i]) * 0xff51afd7ed558ccd;
      b ^= b >> 29;
    }
    return seen_.insert(a ^ (b << 1 | b >> 63)).second;
  }

  //===--- the thread -----------------------------------------------------===//

  uint64_t now(State &s) const { return scenario_.ticks == Scenario::kExact ? s.clock++ : s.clock; }
  bool tick(State &s) const {
    if (scenario_.ticks == Scenario::kExact || s.ticked == scenario_.ticks)
      return false;
    ++s.ticked, ++s.clock;
    return true;
  }

  const Op &opOf(const State &s, const Level &l) const {
    return scenario_.levels[static_cast<size_t>(&l - s.level)].ops[l.at];
  }
  static void count(uint8_t (&counts)[2][26], const Op &op) {
    if (op.kind == '+' || op.kind == '-')
      ++counts[op.kind == '-'][op.name - 'a'];
  }

  // Long because it is one table of steps.
  bool threadStep(State &s) {
    Level &l = s.level[s.levels - 1];
    const Script &script = scenario_.levels[s.levels - 1];
    if (l.at == script.ops.size()) {
      if (s.levels == 1)
        return false;
      --s.levels; // the handler returns
      s.level[s.levels] = {};
      return true;
    }
    const Op &op = script.ops[l.at];
    ada_chunk &chunk = s.chunkAt(s.newest);
    ada_record *record = reinterpret_cast<ada_record *>(s.memory[0] + l.place);
    switch (static_cast<Pc>(l.pc)) {
    case Reserve:
      l.place = s.position;
      s.position += sizeof(ada_record);
      l.pc = (l.place & (ADA_CHUNK_BYTES - 1)) >= ADA_CHUNK_FULL ? SayWaiting : StoreWhat;
      return true;
    case StoreWhat:
      record->what = op.what();
      count(s.begun, op);
      l.pc = ReadClock;
      return true;
    case ReadClock:
      l.stamp = now(s);
      l.pc = StoreStamp;
      return true;
    case StoreStamp:
      record->stamp = l.stamp;
      count(s.complete, op);
      l = {static_cast<uint8_t>(l.at + 1), Reserve, 0, 0, 0, 0};
      return true;
    // From here on signals are blocked, except in Wait.
    case SayWaiting:
      if ((s.position & (ADA_CHUNK_BYTES - 1)) < ADA_CHUNK_FULL && s.position >> 8 == s.newest) {
        l.pc = Reserve; // a handler has taken a chunk meanwhile
        return true;
      }
      s.thread.waiting = 1;
      l.pc = Acquire;
      return true;
    case Acquire: {
      const OwnChunk own = ownChunk(s.thread, chunk);
      unsigned inUse = 0, free = kChunks;
      for (unsigned i = kChunks; i-- > 0;)
        s.used[i] ? ++inUse : free = i;
      if (inUse < kLimit || (own.isRead && own.isHeld)) {
        if (free == kChunks)
          return false; // the model has no more memory
        l.chunk = static_cast<uint8_t>(free);
        s.used[free] = true;
        beginChunk(s.thread, s.chunkAt(free), s.nextSeq++, now(s));
        l.pc = Link;
      } else
        l.pc = own.isRead ? Zero : Wait;
      return true;
    }
    case Link:
      chunk.next = l.chunk + 1u;
      s.newest = l.chunk;
      s.position = s.newest * ADA_CHUNK_BYTES + ADA_CHUNK_HEADER_BYTES;
      l.pc = Reserve;
      return true;
    case Zero:
      zeroRecords(chunk);
      l.pc = Begin;
      return true;
    case Begin:
      beginChunk(s.thread, chunk, s.nextSeq++, now(s));
      s.position = s.newest * ADA_CHUNK_BYTES + ADA_CHUNK_HEADER_BYTES;
      l.pc = Reserve;
      return true;
    case Wait:
      if (s.thread.waiting)
        return false;
      l.pc = SayWaiting;
      return true;
    }
    return false;
  }

  bool interrupt(State &s) {
    Level &l = s.level[s.levels - 1];
    const bool blocked = l.pc >= SayWaiting && l.pc != Wait && !(l.pc == SayWaiting && !s.thread.waiting);
    if (blocked || s.levels == scenario_.levels.size() || s.injected == scenario_.handlers ||
        l.at == scenario_.levels[s.levels - 1].ops.size())
      return false;
    s.twice |= ++l.hits > 1;
    ++s.injected;
    s.level[s.levels++] = {};
    return true;
  }

  // The innermost handler, between two of its records or at its end, jumps to the nearest landing below it.
  bool jump(State &s) {
    if (!scenario_.jumps || s.levels == 1 || s.level[s.levels - 1].pc != Reserve)
      return false;
    for (unsigned to = s.levels - 1; to-- > 0;) {
      const Script &script = scenario_.levels[to];
      Level &l = s.level[to];
      if (script.landing < 0 || l.at <= script.mark || l.at > script.landing)
        continue;
      for (unsigned i = to + 1; i < s.levels; ++i)
        s.level[i] = {};
      l = {static_cast<uint8_t>(script.landing), Reserve, 0, 0, 0, 0};
      s.levels = static_cast<uint8_t>(to + 1);
      s.jumped = 1;
      return true;
    }
    return false;
  }

  //===--- the drain ------------------------------------------------------===//

  template <class Emit> void expandBatch(ThreadExpansion &e, const RecordBatch &batch, Emit &&emit) {
    for (uint64_t i = 0; i < batch.count; ++i)
      expand(e, batch.records[i], clock_, modules_, growNothing, emit);
  }
  static FileEvent fileEvent(const Event &e) { return {e.kind, static_cast<char>('a' + (e.functionId & 0xff))}; }

  bool read(State &s) {
    Memory memory{s};
    Batch batch;
    if (!s.reader.look(memory, s.thread, s.clock, false))
      return true;
    const auto write = [&](const Event &e) { s.file[s.fileCount++] = fileEvent(e); };
    s.reader.takePlain(memory, clock_, modules_, write);
    s.reader.take(batch);
    expandBatch(s.reader.expansion, batch, write);
    s.reader.advance(memory, batch);
    if ((s.reader.walk.droppedRuns > 0 || s.reader.expansion.unknownEntries > 0) && problem_.empty())
      problem_ = "a record was given up";
    s.reader.again = false;
    s.strays = static_cast<uint8_t>(s.reader.expansion.strayExits);
    return true;
  }

  bool commit(State &s) {
    Memory memory{s};
    if (s.reader.isMoved) {
      const unsigned other = 1 - s.thread.current;
      s.reader.fillCursor(s.fileCount, s.reader.walk.place, s.reader.expansion.hasNotes ? s.notes[other] : nullptr,
                          ADA_CHUNK_NOTES_PER_CURSOR, s.thread.cursor[other]);
      s.thread.current = other;
      s.reader.giveBack(memory, s.thread);
    }
    s.reader.publish(memory, s.thread);
    return true;
  }

  //===--- what must hold -------------------------------------------------===//

  void check(const State &s) {
    copy(scratch_, s);
    if (s.level[s.levels - 1].pc == Wait && s.thread.waiting) {
      for (int i = 0; i < 24 && scratch_.thread.waiting; ++i)
        read(scratch_), commit(scratch_);
      if (scratch_.thread.waiting) {
        problem_ = "the thread waits for ever";
        return;
      }
      copy(scratch_, s);
    }
    recover(scratch_);
    unsigned found[2][26] = {}, unseen = 0, open = 0;
    std::string text;
    std::vector<char> stack;
    for (unsigned i = 0; i < scratch_.fileCount; ++i) {
      const FileEvent &e = scratch_.file[i];
      text += std::string(" ") + " +-!?~"[e.kind == kMissing ? 4 : e.kind == kInferred ? 5 : e.kind] + e.name;
      if (e.kind == kCall)
        stack.push_back(e.name);
      else if (stack.empty() || stack.back() != e.name)
        problem_ = "not nested:" + text;
      else
        stack.pop_back();
      if (e.kind == kException || e.kind == kInferred)
        ++unseen;
      else
        ++found[e.kind == kReturn][e.name - 'a'];
    }
    open = static_cast<unsigned>(stack.size());
    for (unsigned kind = 0; kind < 2; ++kind)
      for (unsigned f = 0; f < 26; ++f)
        if (found[kind][f] < s.complete[kind][f] || found[kind][f] > s.begun[kind][f])
          problem_ = std::string(kind ? "returns" : "calls") + " of " + static_cast<char>('a' + f) + ": " +
                     std::to_string(found[kind][f]) + " instead of " + std::to_string(s.complete[kind][f]) + " to " +
                     std::to_string(s.begun[kind][f]) + ":" + text;
    if (!s.jumped && !s.twice && (unseen || scratch_.strays))
      problem_ = "an exit without its call:" + text + ", " + std::to_string(open) + " open";
  }

  // The same as in lib/live/recover/recover.cpp.
  void recover(State &s) {
    const ada_ring_cursor &cursor = s.thread.cursor[s.thread.current];
    s.fileCount = static_cast<uint8_t>(cursor.events);
    CallStack open;
    Frame openFrames[kMaxFrames + 1], frames[kMaxFrames + 1];
    open.adopt(openFrames, std::size(openFrames));
    for (unsigned i = 0; i < s.fileCount; ++i)
      if (s.file[i].kind == kCall)
        open.push(1ull << 32 | static_cast<uint64_t>(s.file[i].name - 'a'), 0, growNothing);
      else
        --open.depth;
    ThreadExpansion state;
    state.stack.adopt(frames, std::size(frames));
    applyNotes(state, open, s.notes[s.thread.current], cursor.notes, growNothing);
    std::vector<const ada_chunk *> chunks;
    for (uint64_t seq = 0; seq < s.nextSeq; ++seq)
      for (unsigned i = 0; i < kChunks; ++i)
        if (s.used[i] && s.chunkAt(i).state == ADA_CHUNK_USED && s.chunkAt(i).seq == seq)
          chunks.push_back(&s.chunkAt(i));
    Batch batch;
    takeRest(chunks.data(), chunks.size(), cursor, state, batch,
             [&] { expandBatch(state, batch, [&](const Event &e) { s.file[s.fileCount++] = fileEvent(e); }); });
    s.strays = static_cast<uint8_t>(state.strayExits);
  }

  const Scenario &scenario_;
  ada_ring_module module_ = {};
  ModuleMap modules_;
  ClockMap clock_;
  std::unordered_set<uint64_t> seen_;
  std::vector<std::unique_ptr<State>> stack_;
  State scratch_;
  std::string path_, problem_;
};

std::vector<Op> ops(const char *text) {
  std::vector<Op> result;
  for (; *text; text += text[2] ? 3 : 2)
    result.push_back({text[0], text[1]});
  return result;
}

void explore(const Scenario &scenario) {
  auto model = std::make_unique<Model>(scenario);
  EXPECT_EQ(model->search(), "");
  std::printf("%zu states\n", model->states());
  EXPECT_GT(model->states(), 1000u);
}

TEST(RingModel, WithoutHandlers) { explore({{{ops("+a +b -b +b -b +b -b -a")}}, 0, false}); }

TEST(RingModel, AHandlerAnywhere) { explore({{{ops("+a +b -b -a")}, {ops("+h -h")}}, 1, false}); }

TEST(RingModel, TwoHandlers) { explore({{{ops("+a +b -b -a")}, {ops("+h -h")}}, 2, false}); }

TEST(RingModel, AHandlerThatFillsTheBuffer) {
  explore({{{ops("+a -a")}, {ops("+h +i -i +i -i +i -i +i -i -h")}}, 1, false});
}

TEST(RingModel, AHandlerInAHandler) { explore({{{ops("+a -a")}, {ops("+h -h")}, {ops("+i -i")}}, 2, false}); }

// With clock=tick and with counters that advance seldom: all stamps equal, and ticks at any place.
TEST(RingModel, EqualStamps) {
  for (unsigned ticks = 0; ticks < (isLong() ? 3 : 2); ++ticks) {
    explore({{{ops("+a +b -b -a")}, {ops("+h -h")}}, 1, false, ticks});
    explore({{{ops("+a -a")}, {ops("+h +i -i -h")}}, 1, false, ticks});
  }
  explore({{{ops("+a -a")}, {ops("+h -h")}}, 2, false, 0});
  if (isLong()) {
    explore({{{ops("+a -a")}, {ops("+h -h")}, {ops("+i -i")}}, 2, false, 0});
    explore({{{ops("+a +b -b -a")}, {ops("+h -h")}}, 2, false, 0});
    explore({{{ops("+a -a")}, {ops("+h -h")}, {ops("+i -i")}}, 2, false, 1});
  }
}

TEST(RingModel, JumpsOutOfHandlers) {
  explore({{{ops("+a Ma +b -b Ra +b -b -a"), 1, 4}, {ops("+h -h")}}, 1, true});
  if (isLong()) {
    explore({{{ops("+a Ma Ra -a"), 1, 2}, {ops("+h -h")}}, 2, true});
    explore({{{ops("+a Ma +b -b Ra +b -b -a"), 1, 4}, {ops("+h -h")}}, 2, true});
  }
}

TEST(RingModel, AJumpWithinAHandler) {
  explore({{{ops("+a -a")}, {ops("+h Mh Rh -h"), 1, 2}, {ops("+j -j")}}, 2, true});
  if (isLong())
    explore({{{ops("+a -a")}, {ops("+h Mh +i -i Rh -h"), 1, 4}, {ops("+j -j")}}, 2, true});
}

TEST(RingModel, JumpsAtEqualStamps) {
  explore({{{ops("+a Ma +b -b Ra +b -b -a"), 1, 4}, {ops("+h -h")}}, 1, true, 0});
  if (isLong())
    explore({{{ops("+a -a")}, {ops("+h Mh Rh -h"), 1, 2}, {ops("+j -j")}}, 2, true, 0});
  explore({{{ops("+a +b -b +b -b +b -b -a"), 0, 3}, {ops("+h -h")}}, 1, true, 0});
}

TEST(RingModel, JumpsThatNothingProves) { // there is no resync if the landing is not traced
  explore({{{ops("+a +b -b +b -b +b -b -a"), 0, 3}, {ops("+h -h")}}, 1, true});
  if (isLong())
    explore({{{ops("+a +b -b +b -b +b -b -a"), 0, 3}, {ops("+h -h")}}, 2, true});
}

} // namespace
