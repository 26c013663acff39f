// The working memory of a drain thread, which it uses for one traced thread after the other.
#pragma once

#include "core/ring/pass_clock.h"
#include "shared/encode/atf.h"
#include "shared/ring/chunk_walk.h"

namespace ada::runtime {

// Zero-initialised is the initial state, too.
struct Workspace {
  static constexpr size_t kEventBytes = 1 << 20, kDetailBytes = 1 << 20;
  static constexpr uint64_t kMaxLinks = kDetailBytes / atf::kFunctionPayloadBytes;

  // From an index event, which is already in the file, to its detail.
  struct Link {
    uint64_t indexSeq, detailSeq;
  };

  // 0 or -ENOMEM.
  int start();
  void reset();

  bool isHelpers = false; // it does not belong to the drain thread itself
  uint64_t records = 0;   // read in this pass
  PassClock::View view;
  ring::RecordBatch batch; // records of a chunk

  // Encoded events and details of one thread that are not yet written.
  unsigned char *events = nullptr;
  size_t eventBytes = 0;
  uint64_t eventCount = 0;
  unsigned char *detailBytes = nullptr;
  atf::DetailTotals details;
  Link *links = nullptr; // with windows
  uint64_t linkCount = 0;
};

} // namespace ada::runtime
