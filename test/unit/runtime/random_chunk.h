// A chunk of the ring with random records: what hooks write, and everything that may come between.
#pragma once

#include "shared/ring/call_stack.h"
#include "shared/ring/chunk_walk.h"
#include "shared/ring/lost_calls.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace ada::test {

inline constexpr uint64_t kBase = 0x10000, kFunctions = 20;

/// Memory for call stacks, in the form that ring::CallStack asks for.
inline ring::Frame *grow(ring::Frame *old, size_t, size_t capacity) {
  return static_cast<ring::Frame *>(std::realloc(old, capacity * sizeof(ring::Frame)));
}

/// Likewise for what a thread remembers while its records are lost.
inline ring::LostCalls::Landing *growLandings(ring::LostCalls::Landing *old, size_t, size_t capacity) {
  return static_cast<ring::LostCalls::Landing *>(std::realloc(old, capacity * sizeof *old));
}

struct alignas(ADA_CHUNK_BYTES) Chunk {
  ada_chunk header;
  ada_record records[(ADA_CHUNK_BYTES - sizeof(ada_chunk)) / sizeof(ada_record)];
};

// `wild`: how many of 1000 records are not a call or the return of the innermost call. `calls`: how many of 10 others
// are calls in the chunk's first half, and returns in the second; with 9 of them, more than 1,400 calls are open
// between.
inline std::unique_ptr<Chunk> randomChunk(std::mt19937 &random, unsigned wild, bool inverts, uint64_t stamp = 1,
                                          unsigned calls = 5) {
  auto chunk = std::make_unique<Chunk>();
  std::memset(static_cast<void *>(chunk.get()), 0, sizeof *chunk);
  uint64_t begun = stamp;
  constexpr uint64_t kStack = 0x7ff000000000, kOutermost = 60'000; // the latter in units of 16 bytes
  std::vector<uint64_t> stack, positions;
  uint64_t position = kOutermost;
  chunk->header.start_stamp = stamp;
  for (uint64_t i = 0; i < ADA_CHUNK_RECORDS; ++i) {
    stamp += random() % 8;
    ada_record &r = chunk->records[i];
    r.stamp = stamp;
    if (i == 0) { // as the runtime does
      r.what = kStack | ADA_RECORD_STACK;
      continue;
    }
    auto call = [&] {
      stack.push_back(kBase + random() % kFunctions * sizeof(ada_function));
      position -= random() % 200 ? 2 : 0; // functions may share a frame
      positions.push_back(position);
      r.what = stack.back() | ADA_RECORD_CALL | (random() % 500 ? position << ring::kPositionShift : 0);
    };
    if (random() % 1000 >= wild) {
      if (stack.empty() || random() % 10 < (i < ADA_CHUNK_RECORDS / 2 ? calls : 10 - calls))
        call();
      else {
        r.what = stack.back() | ADA_RECORD_RETURN;
        stack.pop_back(), positions.pop_back();
        position = positions.empty() ? kOutermost : positions.back();
      }
      continue;
    }
    switch (random() % 7) {
    case 0: // a return of any function
      r.what = (kBase + random() % kFunctions * sizeof(ada_function)) | (ADA_RECORD_RETURN + random() % 2);
      break;
    case 1:
      r.what = (random() % 3) << 34 | (random() % 3) << 4 | ADA_RECORD_GAP;
      break;
    case 2:
      r.what = (16 + random() % 4 * 16) | (random() % 2 ? ADA_RECORD_MARK : ADA_RECORD_RESYNC);
      break;
    case 3: // of a function in no module
      r.what = 0x10 | ADA_RECORD_CALL;
      break;
    case 4:
      call();
      r.stamp = 0; // its hook was left
      break;
    case 5:
      r = {}; // its hook was left before it stored anything
      break;
    default:
      call();
      if (inverts && i > 0) {
        r.stamp = begun;
        chunk->records[i - 1].stamp = chunk->records[i - 1].stamp ? stamp : 0;
      }
    }
    begun = stamp;
  }
  return chunk;
}

} // namespace ada::test
