// Adds up calls; keeps distributions of durations.
#include "ada/trace/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ada {

static constexpr unsigned kSubBits = 6, kRowSize = 1u << kSubBits;

//===--- Distribution
//------------------------------------------------------===//

// The leading bit picks the row, the six bits after it the bucket.
static unsigned rowOf(std::uint64_t value) {
  unsigned bits = static_cast<unsigned>(std::bit_width(value));
  return bits > kSubBits ? bits - kSubBits : 0;
}

std::uint64_t *Distribution::row(unsigned number) {
  if (counts.empty())
    firstRow = number;
  if (number < firstRow) {
    counts.insert(counts.begin(), std::size_t{firstRow - number} * kRowSize, 0);
    firstRow = number;
  }
  std::size_t start = std::size_t{number - firstRow} * kRowSize;
  if (start >= counts.size())
    counts.resize(start + kRowSize);
  return counts.data() + start;
}

void Distribution::count(std::uint64_t value) {
  unsigned number = rowOf(value);
  ++row(number)[(number == 0 ? value : value >> (number - 1)) & (kRowSize - 1)];
}

void Distribution::spill() {
  for (std::uint64_t value : exact)
    count(value);
  exact = {};
}

void Distribution::add(std::uint64_t value) {
  smallest = std::min(smallest, value);
  largest = std::max(largest, value);
  if (number < kExact) {
    exact.push_back(value);
  } else {
    if (number == kExact)
      spill();
    count(value);
  }
  ++number;
}

void Distribution::merge(const Distribution &other) {
  if (other.number <= kExact) {
    for (std::uint64_t value : other.exact)
      add(value);
    return;
  }
  if (number <= kExact)
    spill();
  for (std::size_t start = 0; start < other.counts.size(); start += kRowSize) {
    std::uint64_t *mine =
        row(other.firstRow + static_cast<unsigned>(start / kRowSize));
    for (unsigned bucket = 0; bucket < kRowSize; ++bucket)
      mine[bucket] += other.counts[start + bucket];
  }
  number += other.number;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

std::uint64_t Distribution::percentile(double percent) const {
  if (number == 0)
    return 0;
  // The small subtraction keeps rounding in the product from adding a rank.
  double exactRank = percent / 100 * static_cast<double>(number);
  auto rank = static_cast<std::uint64_t>(
      std::clamp(std::ceil(exactRank - 1e-12 * static_cast<double>(number)),
                 1.0, static_cast<double>(number)));
  if (rank >= number)
    return largest;
  if (percent <= 0)
    return smallest;
  if (number <= kExact) {
    std::vector<std::uint64_t> sorted = exact;
    auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(sorted.begin(), nth, sorted.end());
    return *nth;
  }
  std::uint64_t seen = 0;
  for (std::size_t at = 0; at < counts.size(); ++at) {
    seen += counts[at];
    if (seen < rank)
      continue;
    // The middle of the bucket: off by half its width at most.
    unsigned number = firstRow + static_cast<unsigned>(at / kRowSize);
    std::uint64_t value = at % kRowSize;
    if (number > 0)
      value = ((kRowSize + value) << (number - 1)) +
              ((std::uint64_t{1} << (number - 1)) >> 1);
    return std::clamp(value, smallest, largest);
  }
  return largest;
}

std::vector<std::uint64_t> Distribution::octaves() const {
  std::vector<std::uint64_t> result;
  auto addTo = [&](unsigned bits, std::uint64_t times) {
    if (times == 0)
      return;
    if (bits >= result.size())
      result.resize(bits + 1);
    result[bits] += times;
  };
  for (std::uint64_t value : exact)
    addTo(static_cast<unsigned>(std::bit_width(value)), 1);
  for (std::size_t at = 0; at < counts.size(); ++at) {
    unsigned number = firstRow + static_cast<unsigned>(at / kRowSize);
    addTo(number == 0 ? static_cast<unsigned>(std::bit_width(at % kRowSize))
                      : number + kSubBits,
          counts[at]);
  }
  return result;
}

//===--- FunctionStatistics
//------------------------------------------------===//

void FunctionStatistics::add(const Span &span) {
  ++calls;
  switch (span.how) {
  case SpanEnd::Return:
    break;
  case SpanEnd::Exception:
    ++exceptions;
    break;
  case SpanEnd::Missing:
    ++missing;
    break;
  case SpanEnd::Open:
    ++open;
    break;
  }
  if (span.outermost)
    totalNs += span.durationNs();
  selfNs += span.selfNs();
  if (span.how == SpanEnd::Return || span.how == SpanEnd::Exception)
    durations.add(span.durationNs());
}

void FunctionStatistics::merge(const FunctionStatistics &other) {
  calls += other.calls;
  exceptions += other.exceptions;
  missing += other.missing;
  open += other.open;
  totalNs += other.totalNs;
  selfNs += other.selfNs;
  durations.merge(other.durations);
}

//===--- Statistics
//--------------------------------------------------------===//

std::uint32_t Statistics::numberOf(std::uint64_t functionId) {
  std::uint32_t number = index.add(functionId);
  if (number == all.size())
    all.emplace_back().functionId = functionId;
  return number;
}

void Statistics::add(const Span &span) {
  ++calls;
  openCalls += span.how == SpanEnd::Open;
  all[numberOf(span.functionId)].add(span);
}

void Statistics::addThread(const atf::IndexReader &reader,
                           atf::SeqRange range) {
  // The walker has numbered the functions already; a number is translated once.
  std::vector<std::uint32_t> numbers;
  auto walker = forEachSpan(reader, range, [&](const Span &span) {
    if (span.functionIndex >= numbers.size())
      numbers.resize(span.functionIndex + 1, FunctionIndex::kNone);
    std::uint32_t &number = numbers[span.functionIndex];
    if (number == FunctionIndex::kNone)
      number = numberOf(span.functionId);
    ++calls;
    openCalls += span.how == SpanEnd::Open;
    all[number].add(span);
  });
  strayExits += walker.strayExits();
  missingExits += walker.missingExits();
  unknownKinds += walker.unknownKinds();
  maxDepth = std::max(maxDepth, walker.maxDepth());
}

void Statistics::merge(const Statistics &other) {
  for (const FunctionStatistics &function : other.all)
    all[numberOf(function.functionId)].merge(function);
  calls += other.calls;
  strayExits += other.strayExits;
  missingExits += other.missingExits;
  openCalls += other.openCalls;
  unknownKinds += other.unknownKinds;
  maxDepth = std::max(maxDepth, other.maxDepth);
}

const FunctionStatistics *Statistics::find(std::uint64_t functionId) const {
  std::uint32_t number = index.find(functionId);
  return number == FunctionIndex::kNone ? nullptr : &all[number];
}

} // namespace ada
