// A trace as blocks of rows for ClickHouse's tables `spans` and `aggregates`.
#include "span_blocks.h"

#include "sip_hash.h"

#include <algorithm>

namespace ada::model {

namespace {

constexpr std::uint64_t kDayNs = std::uint64_t{86'400} * 1'000'000'000;
constexpr std::size_t kMostSums = 500'000; // sums and durations, about 40 MB

std::uint64_t hashOf(std::uint64_t first, std::uint64_t second) {
  char bytes[16];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<char>(first >> (8 * i)), bytes[8 + i] = static_cast<char>(second >> (8 * i));
  return sipHash64({bytes, sizeof bytes});
}

std::uint16_t dayOf(std::uint64_t ns) { return static_cast<std::uint16_t>(ns / kDayNs); }

} // namespace

void SpanBlocks::newThread(const Thread &thread) { times_.resize(thread.index + std::size_t{1}); }

void SpanBlocks::offCpuTimes(const Thread &thread, const OffCpuLane &) {
  times_[thread.index].sums = OffCpuSums(thread.offCpu);
}

void SpanBlocks::newFunction(const Function &function) { functions_.push_back(sipHash64(function.displayName)); }

// Of calls that did not fit, those inside one another share a number.
std::uint64_t SpanBlocks::wayOf(const Call &call, std::uint64_t around) {
  const std::uint64_t function = functions_[call.function], way = hashOf(around, function);
  if (ways_.contains(way))
    return way;
  if (ways_.size() < options_.mostWays) {
    ways_.emplace(way, Way{way, around, function});
    return way;
  }
  if (const auto outer = ways_.find(around); outer != ways_.end() && outer->second.function == 0)
    return around;
  const std::uint64_t rest = hashOf(around, 0);
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
  beganNs_ = std::min(beganNs_, begin);
  endedNs_ = std::max(endedNs_, begin + span.durationNs());
  ++calls_;
  if (options_.stepNs) {
    sums_.add({begin - begin % options_.stepNs, span.functionIndex, process}, span, off, self);
    if (sums_.size() >= kMostSums)
      putSums();
  }
  const bool isChosen =
      options_.allCalls ||
      (options_.sample > 0 && static_cast<double>(hashOf(options_.session, row.id)) < options_.sample * 0x1p64);
  if (!isChosen && !options_.slowest)
    return;

  row_.clear();
  row_.text(place.host).text(options_.release);
  row_.number(process).number(row.thread).number(functions_[span.functionIndex]);
  row_.number(begin).number(span.durationNs()).number(span.selfNs());
  row_.number(off.waitingNs).number(off.preemptedNs).number(self.waitingNs).number(self.preemptedNs);
  row_.number(span.depth).number(row.id).number(row.parent).number(static_cast<std::uint8_t>(span.how));
  row_.number(std::uint8_t{span.outermost});
  row_.text(textOf(row.arguments)).text(textOf(row.result)).text(textOf(row.values));
  row_.number(row.way).number(std::uint8_t{options_.stepNs == 0});
  if (isChosen)
    put(BlockKind::Spans, dayOf(begin), row_.bytes());
  else
    keepIfSlow(span.functionIndex, {span.durationNs(), calls_, dayOf(begin), row_.bytes()});
}

void SpanBlocks::keepIfSlow(std::uint32_t function, KeptCall call) {
  slow_.resize(std::max<std::size_t>(slow_.size(), function + std::size_t{1}));
  std::vector<KeptCall> &kept = slow_[function];
  if (kept.size() == options_.slowest) {
    if (!(call < kept.front()))
      return;
    std::pop_heap(kept.begin(), kept.end());
    kept.pop_back();
  }
  kept.push_back(std::move(call));
  std::push_heap(kept.begin(), kept.end());
}

void SpanBlocks::putSums() {
  for (const auto &[key, sum] : sums_.take()) {
    row_.clear();
    row_.text(options_.places[key.process].host).text(options_.release).number(functions_[key.function]);
    row_.number(key.beginNs).number(options_.stepNs).number(sum.calls).number(sum.totalNs).number(sum.selfNs);
    row_.number(sum.off.waitingNs).number(sum.off.preemptedNs);
    row_.number(sum.selfOff.waitingNs).number(sum.selfOff.preemptedNs);
    row_.number(sum.exceptions).number(sum.missing).number(sum.open).number(sum.shortestNs).number(sum.longestNs);
    row_.length(sum.durations.size());
    for (const auto &[duration, count] : sum.durations)
      row_.number(duration);
    row_.length(sum.durations.size());
    for (const auto &[duration, count] : sum.durations)
      row_.number(count);
    put(BlockKind::Sums, dayOf(key.beginNs), row_.bytes());
  }
}

void SpanBlocks::put(BlockKind kind, std::uint16_t day, std::string_view values) {
  Table &table = tables_[kind == BlockKind::Sums];
  OpenBlock &block = table.open[day];
  if (block.rows == 0)
    block.number = ++table.blocks;
  block.bytes.number(day).number(options_.session).number(options_.plan).number(block.number).values(values);
  ++table.rows;
  if (++block.rows >= options_.mostRows || block.bytes.bytes().size() >= options_.mostBytes)
    handOn(kind, day, block);
}

void SpanBlocks::handOn(BlockKind kind, std::uint16_t day, OpenBlock &block) {
  if (status_)
    status_ = options_.take(
        {.kind = kind, .number = block.number, .day = day, .rows = block.rows, .bytes = block.bytes.bytes()});
  block.rows = 0;
  block.bytes.clear();
}

void SpanBlocks::endTrace() {
  for (std::vector<KeptCall> &kept : slow_) {
    std::sort(kept.begin(), kept.end());
    for (const KeptCall &call : kept)
      put(BlockKind::Spans, call.day, call.values);
  }
  slow_.clear();
  putSums();
  for (const BlockKind kind : {BlockKind::Spans, BlockKind::Sums})
    for (auto &[day, block] : tables_[kind == BlockKind::Sums].open)
      if (block.rows > 0)
        handOn(kind, day, block);
}

} // namespace ada::model
