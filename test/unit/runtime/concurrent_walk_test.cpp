// A chunk is read while its thread writes it: each complete record is taken once, in order, with its own time.
// Between any two reads of the reader, the thread may have made any number of stores.
//
// ring_model_test.cpp tries all interleavings of the two, but reads each batch at once.
namespace {
void threadGoesOn();
}
#define ADA_BETWEEN_PLACES() threadGoesOn()
#include "shared/ring/record_reader.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

using namespace ada::ring;

namespace {

struct alignas(ADA_CHUNK_BYTES) Chunk {
  ada_chunk header;
  ada_record records[(ADA_CHUNK_BYTES - sizeof(ada_chunk)) / sizeof(ada_record)];
};

constexpr uint64_t stampOf(uint64_t place) { return 1000 + place; }

// A thread without handlers: for each record it stores first the function and kind, then the time.
struct Writer {
  Chunk *chunk = nullptr;
  uint64_t stores = 0; // made so far
  std::mt19937 random{1};

  void step() {
    ada_record &r = chunk->records[stores / 2];
    if (stores % 2 == 0)
      r.what = 0x10000 | ADA_RECORD_CALL;
    else
      r.stamp = stampOf(stores / 2);
    ++stores;
  }
} writer;

void threadGoesOn() {
  for (unsigned n = writer.random() % 4; n-- > 0 && writer.stores < 2 * ADA_CHUNK_RECORDS;)
    writer.step();
}

TEST(ConcurrentWalk, TakesWhatIsCompleteAsItIs) {
  const auto chunk = std::make_unique<Chunk>();
  writer.chunk = chunk.get();
  std::vector<ada_record> records(ADA_CHUNK_RECORDS);
  std::vector<const ada_detail *> details(ADA_CHUNK_RECORDS);
  std::vector<uint16_t> places(ADA_CHUNK_RECORDS);
  RecordBatch batch{.records = records.data(), .details = details.data(), .places = places.data()};
  for (int round = 0; round < 200; ++round) {
    *chunk = {};
    chunk->header.start_stamp = 1;
    writer.stores = 0;
    ThreadWalk walk;
    walk.chunk = &chunk->header;
    ThreadExpansion state;
    const WalkRules rules = {
        .limitStamp = UINT64_MAX, .successor = nullptr, .closed = false, .dead = false, .openCalls = 0};
    for (uint64_t place = 0; place < ADA_CHUNK_RECORDS;) {
      takeRecords(walk, rules, batch);
      for (uint64_t i = 0; i < batch.count; ++i, ++place) {
        ASSERT_EQ(places[i], place);
        ASSERT_EQ(records[i].stamp, stampOf(place));
      }
      settle(walk, state);
    }
  }
}

} // namespace
