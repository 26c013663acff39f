// Random calls of one thread, and packed files of them, for tests of reports.
#pragma once

#include "ada/trace/atf_format.h"
#include "formats/native/bytes/checksum.h"
#include "formats/native/sched/sched_file.h"
#include "shared/encode/packed_blocks.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace ada::test {

struct CallShape {
  std::string name;
  size_t events = 120'000;
  size_t deepest = 40;
  unsigned odd = 0;  // how many of 1,000 events don't nest
  unsigned back = 0; // how many of 1,000 events are older than the one before
  uint64_t functions = 500;
};

inline std::vector<atf::IndexEvent> randomCalls(const CallShape &shape, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<atf::IndexEvent> events;
  std::vector<uint64_t> open;
  uint64_t ns = 1'000'000;
  // Few events are predictable, so a block holds few events.
  const auto add = [&](EventKind kind, uint64_t function) {
    ns += random() % 3000;
    if (shape.back > 0 && random() % 1000 < shape.back)
      ns -= random() % 5000;
    events.push_back({.timestampNs = ns, .functionId = function, .kind = kind, .threadId = 7});
  };
  while (events.size() < shape.events) {
    if (random() % 1000 < shape.odd) {
      const uint64_t function = random() % shape.functions;
      if (random() % 8 == 0) {
        add(EventKind{9}, function);
        continue;
      }
      add(random() % 2 ? EventKind::Return : EventKind::Exception, function);
      for (size_t i = open.size(); i > 0; --i)
        if (open[i - 1] == function) {
          open.resize(i - 1);
          break;
        }
    } else if (open.size() < shape.deepest && (open.empty() || random() % 100 < 52)) {
      open.push_back(random() % shape.functions);
      add(EventKind::Call, open.back());
    } else {
      add(random() % 50 ? EventKind::Return : EventKind::Exception, open.back());
      open.pop_back();
    }
  }
  return events;
}

// Between some events the thread was off-CPU; a few periods have an event inside, near their end. Others are the
// recorder's, or unknown, and have events in them.
inline void writeRandomLane(const std::string &path, const std::vector<atf::IndexEvent> &events) {
  std::mt19937_64 random(events.size());
  std::vector<OffCpu> off;
  for (size_t i = 1; i < events.size(); ++i) {
    const uint64_t from = events[i - 1].timestampNs, to = events[i].timestampNs + random() % 3;
    if (random() % 20 == 0 && to > from + 3 && (off.empty() || off.back().toNs < from))
      off.push_back({from + 1, to, random() % 2 ? OffCpu::Why::Waiting : OffCpu::Why::Preempted, 0});
    else if (random() % 200 == 0 && i + 9 < events.size() && (off.empty() || off.back().toNs < from) &&
             from + 1 < events[i + 7].timestampNs)
      off.push_back(
          {from + 1, events[i + 7].timestampNs, random() % 2 ? OffCpu::Why::Recorder : OffCpu::Why::Unknown, 0});
  }
  const uint64_t toNs = events[events.size() - 5].timestampNs;
  std::erase_if(off, [&](const OffCpu &o) { return o.toNs > toNs; });
  EXPECT_TRUE(atf::writeSched(path, OffCpuLane(off, events[5].timestampNs, toNs), 7));
}

// Turns a finished file into what a bounded recording would have left: its first three blocks are gone.
inline void dropFirstBlocks(const std::string &path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto load = [&](auto &raw, uint64_t at) { std::memcpy(&raw, bytes.data() + at, sizeof raw); };
  const auto store = [&](auto &raw, uint64_t at) {
    if constexpr (requires { raw.checksum; })
      raw.checksum = atf::crc32c(0, &raw, sizeof raw - sizeof raw.checksum);
    std::memcpy(bytes.data() + at, &raw, sizeof raw);
  };
  packed::RawFileHeader head;
  packed::RawTrailer trailer;
  load(head, 0);
  load(trailer, head.trailerOffset);
  constexpr uint64_t kGone = 3;
  ASSERT_GT(trailer.blocks, kGone + 3);
  const uint64_t entries = trailer.indexOffset + packed::kIndexHeadBytes;
  uint64_t events = 0;
  for (uint64_t i = 0; i < kGone; ++i) {
    packed::RawIndexEntry entry;
    load(entry, entries + i * sizeof entry);
    events += entry.eventCount;
    std::memset(bytes.data() + entry.offset, 0, entry.bytes);
  }
  bytes.erase(entries, kGone * packed::kIndexEntryBytes);
  packed::RawIndexHead index;
  load(index, trailer.indexOffset);
  index.blocks = index.blocks - kGone;
  store(index, trailer.indexOffset);
  packed::RawIndexEntry first;
  load(first, entries);
  head.blocksOffset = first.offset;
  head.trailerOffset = head.trailerOffset - kGone * packed::kIndexEntryBytes;
  head.eventCount = trailer.eventCount = trailer.eventCount - events;
  head.timeStartNs = trailer.timeStartNs = first.firstNs;
  trailer.blocks = index.blocks;
  trailer.indexChecksum = atf::crc32c(0, bytes.data() + trailer.indexOffset,
                                      packed::kIndexHeadBytes + trailer.blocks * packed::kIndexEntryBytes);
  store(trailer, head.trailerOffset);
  store(head, 0);
  file.close();
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

} // namespace ada::test
