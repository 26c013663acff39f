// Turns a trace into blocks of rows for ClickHouse's tables `spans` and `aggregates`.
#include "span_blocks.h"

#include "sip_hash.h"
#include "trace/base/text.h"

#include <algorithm>
#include <limits>

namespace ada::formats {

namespace {

constexpr uint64_t kDayNs = uint64_t{86'400} * 1'000'000'000;
constexpr size_t kMaxSums = 500'000; // sums and durations, about 40 MB
constexpr size_t kMaxMarks = 100'000;

uint64_t hashOf(uint64_t first, uint64_t second) {
  char bytes[16];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<char>(first >> (8 * i)), bytes[8 + i] = static_cast<char>(second >> (8 * i));
  return sipHash64({bytes, sizeof bytes});
}

// True if the text contains letters that every name of a trace id has. Most argument lists don't, so they need not be
// parsed.
bool mayHaveTraceId(std::string_view text) { return text.find("race") != text.npos || text.find("RACE") != text.npos; }

uint16_t dayOf(uint64_t ns) { return static_cast<uint16_t>(ns / kDayNs); }

} // namespace

void SpanBlocks::newThread(const model::Thread &thread) { times_.resize(thread.index + size_t{1}); }

void SpanBlocks::offCpuTimes(const model::Thread &thread) { times_[thread.index].sums = OffCpuSums(thread.offCpu); }

void SpanBlocks::newFunction(const model::Function &function) { functions_.push_back(sipHash64(function.displayName)); }

// Nested calls that did not fit share a number.
uint64_t SpanBlocks::wayOf(const Call &call, uint64_t around) {
  std::vector<std::string> &traceIds = times_[call.thread].traceIds;
  if (traceIds.size() > call.depth)
    traceIds.resize(call.depth);
  if (mayHaveTraceId(call.json)) {
    named_.clear();
    named_.add(call.json);
    if (const std::string_view id = named_.traceId(); !id.empty()) {
      traceIds.resize(call.depth);
      traceIds.emplace_back(id);
    }
  }
  const uint64_t function = functions_[call.function], way = hashOf(around, function);
  if (ways_.contains(way))
    return way;
  if (ways_.size() < options_.mostWays) {
    ways_.emplace(way, Way{way, around, function});
    return way;
  }
  if (const auto outer = ways_.find(around); outer != ways_.end() && outer->second.function == 0)
    return around;
  const uint64_t rest = hashOf(around, 0);
  ways_.try_emplace(rest, Way{rest, around, 0});
  return rest;
}

void SpanBlocks::lateValue(uint32_t thread, uint32_t depth, const model::Text &text) {
  if (!mayHaveTraceId(text.name))
    return;
  std::string object;
  analysis::addValueJson(object, text);
  named_.clear();
  named_.add(object);
  if (const std::string_view id = named_.traceId(); !id.empty()) {
    std::vector<std::string> &traceIds = times_[thread].traceIds;
    traceIds.resize(std::max<size_t>(traceIds.size(), depth + size_t{1}));
    traceIds[depth] = id;
  }
}

std::string_view SpanBlocks::traceIdAround(uint32_t thread, size_t depth) const {
  const std::vector<std::string> &traceIds = times_[thread].traceIds;
  for (size_t i = std::min(depth, traceIds.size()); i-- > 0;)
    if (!traceIds[i].empty())
      return traceIds[i];
  return {};
}

bool SpanBlocks::point(const Point &point) {
  const auto kind =
      static_cast<PointKind>(static_cast<uint8_t>(point.kind) - static_cast<uint8_t>(SymbolKind::Instant));
  putPoint({.kind = kind,
            .thread = point.thread,
            .function = functions_[point.function],
            .timeNs = point.timeNs,
            .id = spanIdOf(point),
            .value = point.value,
            .arguments = point.arguments,
            .json = point.json});
  return false; // it is also shown as a call, as everywhere
}

void SpanBlocks::mark(uint32_t thread, uint64_t timeNs, const model::Text &text) {
  if (!options_.points)
    return lose("marks: --points loads them");
  const std::string name = validUtf8(text.name);
  const uint64_t hash = sipHash64(name);
  if (marks_.size() < kMaxMarks || marks_.contains(hash))
    marks_.try_emplace(hash, name);
  else
    lose("names of marks: more than 100,000");
  putPoint({.kind = PointKind::Mark,
            .thread = thread,
            .function = hash,
            .timeNs = timeNs,
            .id = 0,
            .value = {},
            .arguments = {},
            .json = text.json});
}

void SpanBlocks::putPoint(const AnyPoint &point) {
  if (!options_.points)
    return;
  const uint32_t process = thread(point.thread).process;
  const ProcessPlace &place = options_.places[process];
  const uint64_t at = point.timeNs + place.epochOffsetNs;
  beganNs_ = std::min(beganNs_, at);
  endedNs_ = std::max(endedNs_, at);
  const bool isFlow = point.kind >= PointKind::FlowBegin && point.kind <= PointKind::FlowEnd;
  const uint64_t flow = !isFlow || !point.value   ? 0
                        : point.value->number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(point.value->number))
                                                  : static_cast<uint64_t>(point.value->number);
  named_.clear();
  named_.add(point.json);
  const std::string_view own = named_.traceId();
  row_.clear();
  row_.text(place.host).text(options_.release).number(process).number(point.thread).number(point.function);
  row_.number(static_cast<uint8_t>(point.kind)).number(at);
  row_.number(point.id).number(openSpan(point.thread));
  row_.real(point.kind == PointKind::Counter && point.value ? point.value->asDouble()
                                                            : std::numeric_limits<double>::quiet_NaN());
  row_.number(flow).text(validUtf8(point.arguments));
  named_.put(row_);
  row_.text(own.empty() ? traceIdAround(point.thread, openCalls(point.thread)) : own);
  put(BlockKind::Points, dayOf(at), row_.bytes());
}

void SpanBlocks::writeRow(const Row &row) {
  const Span &span = row.span;
  // Times before a thread's first event belong to no call, even if its open calls began earlier.
  ThreadTimes &times = times_[row.thread];
  OffCpuTimes off =
      times.sums.between(span.isEarlier ? std::max(span.beginNs, firstEventNs(row.thread)) : span.beginNs, span.endNs);
  OffCpuTimes self = off;
  times.inCalls.resize(std::max<size_t>(times.inCalls.size(), span.depth + size_t{2}));
  const OffCpuTimes inner = std::exchange(times.inCalls[span.depth + 1], {});
  self.waitingNs -= std::min(self.waitingNs, inner.waitingNs);
  self.preemptedNs -= std::min(self.preemptedNs, inner.preemptedNs);
  self.recorderNs = span.recorderNs, off.recorderNs = span.recorderNs + inner.recorderNs; // exact: `self` excludes it
  times.inCalls[span.depth] += off;

  const uint32_t process = thread(row.thread).process;
  const ProcessPlace &place = options_.places[process];
  const uint64_t begin = span.beginNs + place.epochOffsetNs;
  beganNs_ = std::min(beganNs_, begin);
  endedNs_ = std::max(endedNs_, begin + span.durationNs());
  ++calls_;
  if (options_.stepNs) {
    sums_.add({begin - begin % options_.stepNs, span.functionIndex, process}, span, off, self);
    if (sums_.size() >= kMaxSums)
      putSums();
  }
  const bool isChosen =
      options_.allCalls ||
      (options_.sample > 0 && static_cast<double>(hashOf(options_.session, row.spanId)) < options_.sample * 0x1p64);
  if (!isChosen && !options_.slowest)
    return;

  row_.clear();
  row_.text(place.host).text(options_.release);
  row_.number(process).number(row.thread).number(functions_[span.functionIndex]);
  row_.text(function(span.functionIndex).displayName);
  row_.number(begin).number(span.durationNs()).number(span.selfNs());
  row_.number(off.waitingNs).number(off.preemptedNs).number(self.waitingNs).number(self.preemptedNs);
  row_.number(off.recorderNs).number(self.recorderNs);
  row_.number(span.depth).number(row.spanId).number(row.parentSpanId).number(static_cast<uint8_t>(span.how));
  row_.number(uint8_t{span.outermost});
  row_.text(validUtf8(row.arguments)).text(validUtf8(row.result)).text(validUtf8(row.values));
  row_.number(row.way).number(uint8_t{options_.stepNs == 0});
  named_.clear();
  if (!row.argumentsJson.empty())
    named_.add(row.argumentsJson);
  if (!row.valuesJson.empty())
    named_.add(row.valuesJson);
  named_.put(row_);
  row_.real(numberIn(row.result)).text(validUtf8(traceIdAround(row.thread, span.depth + size_t{1})));
  if (isChosen)
    put(BlockKind::Spans, dayOf(begin), row_.bytes());
  else
    keepIfSlow(span.functionIndex, {span.durationNs(), calls_, dayOf(begin), row_.bytes()});
}

void SpanBlocks::keepIfSlow(uint32_t function, KeptCall call) {
  slow_.resize(std::max<size_t>(slow_.size(), function + size_t{1}));
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
    row_.number(sum.off.recorderNs).number(sum.selfOff.recorderNs);
    row_.number(sum.exceptions)
        .number(sum.inferred)
        .number(sum.missing)
        .number(sum.open)
        .number(sum.shortestNs)
        .number(sum.longestNs);
    row_.length(sum.durations.size());
    for (const auto &[duration, count] : sum.durations)
      row_.number(duration);
    row_.length(sum.durations.size());
    for (const auto &[duration, count] : sum.durations)
      row_.number(count);
    put(BlockKind::Sums, dayOf(key.beginNs), row_.bytes());
  }
}

void SpanBlocks::put(BlockKind kind, uint16_t day, std::string_view values) {
  Table &table = of(kind);
  OpenBlock &block = table.open[day];
  if (block.rows == 0)
    block.number = ++table.blocks;
  block.bytes.number(day).number(options_.session).number(options_.plan).number(block.number).values(values);
  ++table.rows;
  if (++block.rows >= options_.mostRows || block.bytes.bytes().size() >= options_.mostBytes)
    handOn(kind, day, block);
}

void SpanBlocks::handOn(BlockKind kind, uint16_t day, OpenBlock &block) {
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
  for (const BlockKind kind : {BlockKind::Spans, BlockKind::Sums, BlockKind::Points})
    for (auto &[day, block] : of(kind).open)
      if (block.rows > 0)
        handOn(kind, day, block);
}

} // namespace ada::formats
