// A trace as blocks of rows for ClickHouse's table `spans`.
#include "span_blocks.h"

#include "sip_hash.h"

namespace ada::model {

void SpanBlocks::newThread(const Thread &thread) { times_.resize(thread.index + std::size_t{1}); }

void SpanBlocks::offCpuTimes(const Thread &thread, const OffCpuLane &) {
  times_[thread.index].sums = OffCpuSums(thread.offCpu);
}

void SpanBlocks::newFunction(const Function &function) { functions_.push_back(sipHash64(function.displayName)); }

// Of calls that did not fit, those inside one another share a number.
std::uint64_t SpanBlocks::wayOf(const Call &call, std::uint64_t around) {
  const auto numberOf = [&](std::uint64_t function) {
    char bytes[16];
    for (int i = 0; i < 8; ++i)
      bytes[i] = static_cast<char>(around >> (8 * i)), bytes[8 + i] = static_cast<char>(function >> (8 * i));
    return sipHash64({bytes, sizeof bytes});
  };
  const std::uint64_t function = functions_[call.function], way = numberOf(function);
  if (ways_.contains(way))
    return way;
  if (ways_.size() < options_.mostWays) {
    ways_.emplace(way, Way{way, around, function});
    return way;
  }
  if (const auto outer = ways_.find(around); outer != ways_.end() && outer->second.function == 0)
    return around;
  const std::uint64_t rest = numberOf(0);
  ways_.try_emplace(rest, Way{rest, around, 0});
  return rest;
}

void SpanBlocks::writeRow(const Row &row) {
  const Span &span = row.span;
  // What lies before a thread's first event belongs to no call, whenever its open calls began.
  ThreadTimes &times = times_[row.thread];
  const OffCpuTimes off =
      times.sums.between(span.isEarlier ? std::max(span.beginNs, firstEventNs(row.thread)) : span.beginNs, span.endNs);
  OffCpuTimes self = off;
  times.inCalls.resize(std::max<std::size_t>(times.inCalls.size(), span.depth + std::size_t{2}));
  const OffCpuTimes inner = std::exchange(times.inCalls[span.depth + 1], {});
  self.waitingNs -= std::min(self.waitingNs, inner.waitingNs);
  self.preemptedNs -= std::min(self.preemptedNs, inner.preemptedNs);
  times.inCalls[span.depth] += off;

  const std::uint32_t process = thread(row.thread).process;
  const ProcessPlace &place = options_.places[process];
  const std::uint64_t begin = span.beginNs + place.epochOffsetNs;
  const auto day = static_cast<std::uint16_t>(begin / (std::uint64_t{86'400} * 1'000'000'000));
  OpenBlock &block = open_[day];
  if (block.rows == 0)
    block.number = ++blocks_;
  block.bytes.number(day)
      .number(options_.session)
      .number(options_.plan)
      .number(block.number)
      .text(place.host)
      .text(options_.release);
  block.bytes.number(process).number(row.thread).number(functions_[span.functionIndex]);
  block.bytes.number(begin).number(span.durationNs()).number(span.selfNs());
  block.bytes.number(off.waitingNs).number(off.preemptedNs).number(self.waitingNs).number(self.preemptedNs);
  block.bytes.number(span.depth).number(row.id).number(row.parent).number(static_cast<std::uint8_t>(span.how));
  block.bytes.number(std::uint8_t{span.outermost});
  block.bytes.text(textOf(row.arguments)).text(textOf(row.result)).text(textOf(row.values));
  block.bytes.number(row.way).number(std::uint8_t{1});
  beganNs_ = std::min(beganNs_, begin);
  endedNs_ = std::max(endedNs_, begin + span.durationNs());
  ++rows_;
  if (++block.rows >= options_.mostRows || block.bytes.bytes().size() >= options_.mostBytes)
    handOn(day, block);
}

void SpanBlocks::handOn(std::uint16_t day, OpenBlock &block) {
  if (status_)
    status_ = options_.take({.number = block.number, .day = day, .rows = block.rows, .bytes = block.bytes.bytes()});
  block.rows = 0;
  block.bytes.clear();
}

void SpanBlocks::endTrace() {
  for (auto &[day, block] : open_)
    if (block.rows > 0)
      handOn(day, block);
}

} // namespace ada::model
