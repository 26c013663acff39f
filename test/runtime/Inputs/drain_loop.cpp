// drain_loop packed|atf ROUNDS: the drain's loop over the plain records of 50 chunks, that many times.
//
// The calls are those of a program: a tree of functions that call each other in a fixed order, more or less deep from
// turn to turn, with times that are mostly short.
#include "shared/encode/atf.h"
#include "shared/encode/packed_sink.h"
#include "shared/ring/thread_reader.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

using namespace ada;

namespace {

constexpr uint64_t kEntries = 0x100000, kFunctions = 64, kChunks = 50;

struct Memory {
  std::vector<ada_chunk *> chunks;
  ada_chunk *chunk(uint64_t number) { return chunks[number]; }
  void giveBack(ada_chunk *) {}
  void wake(ada_ring_thread &) {}
  void noteClosed(int) {}
};

class Program {
public:
  explicit Program(Memory &memory) : memory_(memory) {
    while (!isFull())
      call(0, 1 + turn_++ % 5);
  }

private:
  bool isFull() const { return memory_.chunks.size() == kChunks && place_ == ADA_CHUNK_RECORDS; }
  void call(uint64_t function, uint64_t depth) {
    put(ADA_RECORD_CALL | entryOf(function) | (50000 - 4 * open_++) << ring::kPositionShift);
    for (uint64_t i = 0; depth > 0 && i < 3; ++i)
      call((function * 3 + i + 1) % kFunctions, depth - 1);
    --open_;
    put(ADA_RECORD_RETURN | entryOf(function));
  }
  static uint64_t entryOf(uint64_t function) { return kEntries + function * sizeof(ada_function); }
  void put(uint64_t what) {
    if (isFull())
      return;
    if (memory_.chunks.empty() || place_ == ADA_CHUNK_RECORDS)
      begin();
    stamp_ += 30 + stamp_ * 7 % 50 + (stamp_ % 61 == 0 ? 200 : 0);
    reinterpret_cast<ada_record *>(memory_.chunks.back() + 1)[place_++] = {stamp_, what};
  }
  void begin() {
    auto *chunk = static_cast<ada_chunk *>(std::aligned_alloc(ADA_CHUNK_BYTES, ADA_CHUNK_BYTES));
    std::memset(chunk, 0, ADA_CHUNK_BYTES);
    const size_t number = memory_.chunks.size();
    chunk->state = ADA_CHUNK_USED, chunk->seq = number, chunk->number = static_cast<uint32_t>(number);
    chunk->next = static_cast<uint32_t>(number + 1 < kChunks ? number + 2 : 0), chunk->start_stamp = stamp_;
    memory_.chunks.push_back(chunk);
    place_ = 0;
  }

  Memory &memory_;
  uint64_t stamp_ = 1'000'000, place_ = 0, open_ = 0, turn_ = 0;
};

ring::Frame *grow(ring::Frame *old, size_t, size_t newCount) {
  return static_cast<ring::Frame *>(std::realloc(old, newCount * sizeof(ring::Frame)));
}

// `take(reader, clock, modules)` takes the plain records of a chunk, `emit` the events of others.
template <class Take, class Emit> void read(Memory &memory, Take &&take, Emit &&emit) {
  ring::ThreadReader reader;
  ring::ClockMap clock;
  ring::ModuleMap modules;
  ring::RecordBatch batch;
  ada_ring_thread thread = {};
  ada_ring_module module = {};
  ada_anchor anchors[ADA_RING_ANCHORS] = {{0, 0}, {4'000'000'000'000, 2'000'000'000'000}};
  std::vector<ada_record> records(ADA_CHUNK_RECORDS);
  std::vector<const ada_detail *> details(ADA_CHUNK_RECORDS);
  std::vector<uint16_t> places(ADA_CHUNK_RECORDS);
  module.begin = kEntries, module.end = kEntries + kFunctions * sizeof(ada_function), module.module_id = 1;
  modules.update(&module, 1);
  clock.update(anchors, 2);
  thread.first_chunk = 1;
  batch.records = records.data(), batch.details = details.data(), batch.places = places.data();
  reader.expansion.stackBase = 0x7ff000000000;
  for (bool more = true; more;) {
    if (!reader.look(memory, thread, UINT64_MAX, false))
      std::abort();
    take(reader, clock, modules);
    reader.take(batch);
    for (uint64_t i = 0; i < batch.count; ++i)
      ring::expand(reader.expansion, batch.records[i], clock, modules, grow, emit);
    more = reader.advance(memory, batch);
    reader.giveBack(memory, thread);
  }
  std::free(reader.expansion.stack.memory);
}

} // namespace

int main(int, char **argv) {
  Memory memory;
  const Program program(memory);
  std::vector<unsigned char> buffer(kChunks * ADA_CHUNK_RECORDS * atf::kIndexEventBytes);
  uint64_t events = 0, bytes = 0;
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    unsigned char *to = buffer.data();
    if (argv[1][0] == 'p') {
      auto encoder = std::make_unique<packed::Encoder>();
      read(
          memory,
          [&](auto &reader, auto &clock, auto &modules) {
            packed::PackedSink sink(*encoder, to);
            reader.takePlainTo(memory, clock, modules, sink);
            to = sink.at();
          },
          [&](const ring::Event &e) { to = encoder->encode(to, e.kind, e.functionId, e.timestampNs); });
      events = encoder->events;
    } else {
      const auto emit = [&](const ring::Event &e) {
        atf::encodeIndexEvent(to, 2, {.timestampNs = e.timestampNs, .functionId = e.functionId, .detailSeq = atf::kNoDetail,
                                      .kind = static_cast<EventKind>(e.kind), .threadId = 1, .storedDepth = e.depth});
        to += atf::kIndexEventBytes;
      };
      read(memory, [&](auto &reader, auto &clock, auto &modules) { reader.takePlain(memory, clock, modules, emit); }, emit);
      events = static_cast<uint64_t>(to - buffer.data()) / atf::kIndexEventBytes;
    }
    bytes = static_cast<uint64_t>(to - buffer.data());
  }
  std::printf("{\"events\": %llu, \"bytes\": %llu}\n", static_cast<unsigned long long>(events),
              static_cast<unsigned long long>(bytes));
}
