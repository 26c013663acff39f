// The block that controllers look for, and what the process does with it.
#include "waiting_room.h"
#include "core/base/os.h"

namespace ada::runtime {
namespace {

constinit WaitingBlock block = {
    {kWaitingMagic[0], kWaitingMagic[1], kWaitingMagic[2], kWaitingMagic[3]}, WaitingBlock::kVersion, ADA_ABI_VERSION};

// A controller writes an order in some microseconds. One that takes that long was killed, or is stopped.
constexpr uint64_t kMaxNs = 1000000000, kLookAgainNs = 100000;

EnableRange *ranges() { return reinterpret_cast<EnableRange *>(block.ranges); }

} // namespace

void waiting::setProcess(WaitingBlock::Process process) {
  __atomic_store_n(&block.process, static_cast<uint32_t>(process), __ATOMIC_RELEASE);
}

void waiting::setEnabled(bool isEnabled) { __atomic_store_n(&block.isEnabled, isEnabled, __ATOMIC_RELEASE); }

void waiting::addRange(const EnableRange &range) {
  if (!block.ranges)
    __atomic_store_n(&block.ranges,
                     reinterpret_cast<uint64_t>(sys::mapMemory(WaitingBlock::kMaxRanges * sizeof(EnableRange))),
                     __ATOMIC_RELEASE);
  if (!block.ranges || range.begin == range.end)
    return;
  uint32_t i = 0;
  while (i < block.rangeCount && ranges()[i].begin != 0)
    ++i;
  if (i == WaitingBlock::kMaxRanges)
    return;
  ranges()[i] = range;
  if (i == block.rangeCount)
    __atomic_store_n(&block.rangeCount, i + 1, __ATOMIC_RELEASE);
}

void waiting::removeRange(uint64_t begin) {
  for (uint32_t i = 0; i < block.rangeCount; ++i)
    if (ranges()[i].begin == begin)
      __atomic_store_n(&ranges()[i].begin, 0, __ATOMIC_SEQ_CST), ranges()[i].end = 0;
  for (uint64_t waited = 0; __atomic_load_n(&block.isBusy, __ATOMIC_SEQ_CST) && waited < kMaxNs;
       waited += kLookAgainNs) {
    timespec pause = {0, kLookAgainNs};
    sys::call(SYS_nanosleep, &pause, nullptr);
  }
  __atomic_store_n(&block.isBusy, 0, __ATOMIC_RELAXED);
}

waiting::Found waiting::take(uint32_t processId, Order &order, uint64_t &leaseNs) {
  const uint32_t state = __atomic_load_n(&block.state, __ATOMIC_ACQUIRE);
  if (state == WaitingBlock::None || block.forPid != processId)
    return Found::Nothing;
  const uint64_t now = sys::nowNs();
  if (state == WaitingBlock::Writing && now - block.askedNs < kMaxNs)
    return Found::NotYet;
  __atomic_store_n(&block.taken, block.number, __ATOMIC_SEQ_CST);
  __atomic_store_n(&block.state, static_cast<uint32_t>(WaitingBlock::None), __ATOMIC_RELEASE);
  leaseNs = __atomic_load_n(&block.leaseNs, __ATOMIC_RELAXED);
  if (state == WaitingBlock::Writing || __atomic_load_n(&block.withdrawn, __ATOMIC_SEQ_CST) == block.number ||
      (leaseNs != 0 && leaseNs < now))
    return Found::Nothing;
  order.begin(block.text, sizeof block.text, block.askedNs);
  return Found::Order;
}

void waiting::answer(const Order &order) {
  const char *text = order.answer.c_str();
  size_t n = 0;
  for (; text[n] && n + 1 < sizeof block.answer; ++n)
    block.answer[n] = text[n];
  block.answer[n] = 0;
  block.result = order.result;
  __atomic_store_n(&block.done, block.taken, __ATOMIC_RELEASE);
}

} // namespace ada::runtime
