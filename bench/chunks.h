// Chunks as hooks fill them, and reading them as the drain does, without a program and without files.
#pragma once

#include "shared/ring/record_reader.h"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace ada::bench {

inline constexpr uint64_t kEntries = 0x100000, kFunctions = 2000;
inline constexpr uint64_t kStackBase = 0x7ff000000000, kStackUnits = 60000;

struct Memory {
  std::vector<ada_chunk *> chunks;
  ada_chunk *chunk(uint64_t number) { return chunks[number]; }
  void giveBack(ada_chunk *) {}
  void wake(ada_ring_thread &) {}
  void noteClosed(int) {}
};

// Adds a thread's records to zeroed chunks.
class Filler {
public:
  Filler(Memory &memory, uint64_t chunks) : memory_(memory), count_(chunks) {
    next_ = static_cast<char *>(std::aligned_alloc(ADA_CHUNK_BYTES, chunks * ADA_CHUNK_BYTES));
    std::memset(next_, 0, chunks * ADA_CHUNK_BYTES);
  }
  bool isFull() const { return number_ == count_ && place_ == 0; }
  bool isAtChunk() const { return place_ == 0; } // the next record begins one
  size_t depth() const { return stack_.size(); }

  void call(uint64_t stamp, uint64_t function) {
    stack_.push_back(kEntries + function % kFunctions * sizeof(ada_function));
    const uint64_t units = kStackUnits - stack_.size() % (kStackUnits / 4) * 4;
    put(stamp, stack_.back() | ADA_RECORD_CALL | units << ring::kPositionShift);
  }
  void exit(uint64_t stamp) {
    put(stamp, stack_.back() | ADA_RECORD_RETURN);
    stack_.pop_back();
  }
  // A record that is not plain: where the stack is, again.
  void stack(uint64_t stamp) { put(stamp, kStackBase | ADA_RECORD_STACK); }

private:
  void put(uint64_t stamp, uint64_t what) {
    if (place_ == 0) {
      auto *chunk = reinterpret_cast<ada_chunk *>(next_);
      chunk->state = ADA_CHUNK_USED, chunk->seq = number_, chunk->number = static_cast<uint32_t>(number_);
      chunk->start_stamp = stamp, chunk->next = static_cast<uint32_t>(++number_ < count_ ? number_ + 1 : 0);
      memory_.chunks.push_back(chunk);
    }
    reinterpret_cast<ada_record *>(next_ + sizeof(ada_chunk))[place_] = {stamp, what};
    if (++place_ == ADA_CHUNK_RECORDS)
      place_ = 0, next_ += ADA_CHUNK_BYTES;
  }

  Memory &memory_;
  uint64_t count_, number_ = 0, place_ = 0;
  char *next_;
  std::vector<uint64_t> stack_;
};

inline ring::Frame *grow(ring::Frame *old, size_t, size_t newCount) {
  return static_cast<ring::Frame *>(std::realloc(old, newCount * sizeof(ring::Frame)));
}

struct Drain {
  Memory &memory;
  ring::RecordReader reader;
  ring::ClockMap clock;
  ring::ModuleMap modules;
  ring::RecordBatch batch;
  ada_ring_thread thread = {};
  ada_ring_module module = {};
  ada_anchor anchors[ADA_RING_ANCHORS] = {{0, 0}, {4'000'000'000'000, 2'000'000'000'000}};
  std::vector<ada_record> records = std::vector<ada_record>(ADA_CHUNK_RECORDS);
  std::vector<const ada_detail *> details = std::vector<const ada_detail *>(ADA_CHUNK_RECORDS);
  std::vector<uint16_t> places = std::vector<uint16_t>(ADA_CHUNK_RECORDS);

  explicit Drain(Memory &from) : memory(from) {
    module.begin = kEntries, module.end = kEntries + kFunctions * sizeof(ada_function), module.module_id = 1;
    modules.update(&module, 1);
    clock.update(anchors, 2);
    thread.first_chunk = 1;
    reader.expansion.stackBase = kStackBase; // a STACK record says so
    batch.records = records.data(), batch.details = details.data(), batch.places = places.data();
  }
  ~Drain() { std::free(reader.expansion.stack.memory()); }

  // Reads all chunks. `takePlain()` takes the plain records of a chunk, `emit` the others' events; `chunkRead()` is
  // called after each chunk.
  template <class TakePlain, class Emit, class Read> void run(TakePlain &&takePlain, Emit &&emit, Read &&chunkRead) {
    for (bool more = true; more;) {
      if (!reader.look(memory, thread, UINT64_MAX, false))
        std::abort(); // nothing to read
      takePlain();
      reader.take(batch);
      for (uint64_t i = 0; i < batch.count; ++i)
        ring::expand(reader.expansion, batch.records[i], clock, modules, grow, emit);
      more = reader.advance(memory, batch);
      reader.giveBack(memory, thread);
      chunkRead();
    }
  }
  template <class Emit> void readAll(Emit &&emit) {
    run([] {}, emit, [] {});
  }
  template <class Emit, class Read> void readPlain(Emit &&emit, Read &&chunkRead) {
    run([&] { reader.takePlain(memory, clock, modules, emit); }, emit, chunkRead);
  }
};

} // namespace ada::bench
