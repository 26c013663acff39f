// Writes the held times in the chunks of a dead process's ring to the lanes of its threads.
#include "live/recover/held_recovery.h"

#include "formats/native/sched/sched_file.h"
#include "shared/ring/held.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>
#include <sys/stat.h>

namespace ada::recover {

namespace {

using sched::Header, sched::Kind, sched::Record;

// A lane as the drain left it, without its end.
struct Lane {
  std::string bytes; // empty if there is none
  uint64_t heldNs = 0, lastNs = 0;

  size_t size() const { return bytes.size() < sizeof(Header) ? 0 : (bytes.size() - sizeof(Header)) / sizeof(Record); }
  Record at(size_t i) const {
    Record record;
    std::memcpy(&record, bytes.data() + sizeof(Header) + i * sizeof record, sizeof record);
    return record;
  }
  void cutTo(size_t records) { bytes.resize(sizeof(Header) + records * sizeof(Record)); }
};

Lane laneOf(std::string text) {
  Lane lane;
  if (text.size() < sizeof(Header) || std::memcmp(text.data(), sched::kMagic, sizeof sched::kMagic) != 0)
    return lane; // the process was killed while it began the file
  lane.bytes = std::move(text);
  lane.cutTo(lane.size());
  uint64_t fromNs = 0;
  for (size_t i = 0; i < lane.size(); ++i) {
    const Record record = lane.at(i);
    if (record.kind == Kind::Held)
      fromNs = record.timeNs;
    else if (record.kind == Kind::Resumed && record.timeNs >= fromNs)
      lane.heldNs += record.timeNs - fromNs, lane.lastNs = std::max(lane.lastNs, record.timeNs);
  }
  return lane;
}

Expected<Lane> readLane(const std::string &path) {
  struct stat info;
  return laneOf(::lstat(path.c_str(), &info) == 0 ? ADA_TRY(readWithoutLinks(path)) : std::string());
}

// Cuts off the end and half a pair, so that records can be appended.
void cutEnd(Lane &lane) {
  if (lane.size() > 0 && lane.at(lane.size() - 1).kind == Kind::KnownTo)
    lane.cutTo(lane.size() - 1);
  if (lane.size() > 0 && lane.at(lane.size() - 1).kind == Kind::Held)
    lane.cutTo(lane.size() - 1);
}

void add(Lane &lane, const ring::Held &held, uint32_t tid) {
  Record records[ring::kMaxHeldRecords];
  const unsigned count = ring::recordsOf(held, records);
  if (count > 0 && lane.bytes.empty()) {
    Header header = {{}, sched::kHeldVersion, tid, held.fromNs, sched::kIsUnknown};
    std::memcpy(header.magic, sched::kMagic, sizeof header.magic);
    lane.bytes.assign(reinterpret_cast<const char *>(&header), sizeof header);
  }
  lane.bytes.append(reinterpret_cast<const char *>(records), count * sizeof *records);
  lane.heldNs += held.placedNs(), lane.lastNs = std::max(lane.lastNs, held.toNs);
}

// Whether the thread was waiting for a chunk when the process died.
bool waited(const ada_ring_thread &thread, std::span<const ada_chunk *const> chunks) {
  return thread.held_since != 0 &&
         std::ranges::none_of(chunks, [&](const ada_chunk *chunk) { return chunk->held_from >= thread.held_since; });
}

} // namespace

Expected<HeldSum> heldIn(const std::string &thread, const ManifestThread *info) {
  const auto record = ADA_TRY(atf::SchedRecord::of(thread, info));
  if (!record)
    return HeldSum();
  const auto bytes = record->bytes();
  return HeldSum{laneOf({reinterpret_cast<const char *>(bytes.data()), bytes.size()}).heldNs, 0};
}

Expected<HeldSum> recoverHeld(const std::string &path, const ada_ring_thread &thread,
                              std::span<const ada_chunk *const> chunks, ring::ClockMap &clock, uint64_t endNs,
                              uint32_t times) {
  auto lane = ADA_TRY(readLane(path));
  cutEnd(lane);
  const size_t before = lane.bytes.size();
  HeldSum sum;
  sum.missingNs = thread.held_missing;
  if (thread.held_unplaced > thread.held_unplaced_before)
    sum.missingNs += ring::heldNs(thread.held_unplaced - thread.held_unplaced_before, clock);
  for (const ada_chunk *chunk : chunks) {
    if (chunk->seq < thread.held_seq)
      continue;
    if (lane.lastNs > 0 && clock.toNanoseconds(chunk->held_to) <= lane.lastNs)
      continue; // in the lane already: the process was killed just after writing it
    const ring::Held held = ring::heldFor(*chunk, clock, lane.lastNs, /*isLastEvent=*/false, times);
    sum.missingNs += held.missingNs;
    if (chunk->seq == 0 && lane.bytes.empty()) // as the drain does it
      sum.missingNs += held.placedNs();
    else
      add(lane, held, thread.tid);
  }
  const auto addUntilEnd = [&](uint64_t since, uint32_t reason) {
    const uint64_t fromNs = std::max(clock.toNanoseconds(since), lane.lastNs);
    if (fromNs < endNs) {
      ring::Held held = {};
      held.fromNs = fromNs, held.toNs = held.touchNs = endNs, held.reason = reason;
      add(lane, held, thread.tid);
    }
  };
  if (waited(thread, chunks))
    addUntilEnd(thread.held_since, ADA_HELD_WAITED);
  if (thread.held_at_end != 0)
    addUntilEnd(thread.held_at_end, ADA_HELD_OTHER);
  const uint64_t read = std::max(thread.held_seq, chunks.empty() ? 0 : chunks.back()->seq + 1);
  sum.missingNs += ring::heldNs(ring::unreportedLost(thread, read), clock);
  sum.ns = lane.heldNs + sum.missingNs;
  if (lane.bytes.size() != before)
    ADA_TRY(replaceFile(path, lane.bytes));
  return sum;
}

} // namespace ada::recover
