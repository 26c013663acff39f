// Adds up calls; keeps distributions of durations.
#include "ada/trace/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ada {

//===--- Distribution
//------------------------------------------------------===//

void Distribution::count(std::uint64_t value, std::uint64_t times) {
  // The leading bit picks the row, the six bits after it the bucket.
  unsigned bits = static_cast<unsigned>(std::bit_width(value));
  unsigned row = bits > kSubBits ? bits - kSubBits : 0;
  unsigned bucket =
      static_cast<unsigned>(row == 0 ? value : value >> (row - 1)) &
      (kRowSize - 1);
  if (row >= rows.size())
    rows.resize(row + 1);
  if (!rows[row])
    rows[row] = std::make_unique<Row>();
  rows[row]->counts[bucket] += times;
}

void Distribution::spill() {
  for (std::uint64_t value : exact)
    count(value, 1);
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
    count(value, 1);
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
  for (std::size_t row = 0; row < other.rows.size(); ++row) {
    if (!other.rows[row])
      continue;
    if (row >= rows.size())
      rows.resize(row + 1);
    if (!rows[row])
      rows[row] = std::make_unique<Row>();
    for (unsigned bucket = 0; bucket < kRowSize; ++bucket)
      rows[row]->counts[bucket] += other.rows[row]->counts[bucket];
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
  for (unsigned row = 0; row < rows.size(); ++row) {
    if (!rows[row])
      continue;
    for (unsigned bucket = 0; bucket < kRowSize; ++bucket) {
      seen += rows[row]->counts[bucket];
      if (seen < rank)
        continue;
      // The middle of the bucket: off by half its width at most.
      std::uint64_t value = bucket;
      if (row > 0) {
        std::uint64_t low = std::uint64_t{kRowSize + bucket} << (row - 1);
        value = low + ((std::uint64_t{1} << (row - 1)) >> 1);
      }
      return std::clamp(value, smallest, largest);
    }
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
  for (unsigned row = 0; row < rows.size(); ++row)
    for (unsigned bucket = 0; rows[row] && bucket < kRowSize; ++bucket)
      addTo(row == 0 ? static_cast<unsigned>(std::bit_width(bucket))
                     : row + kSubBits,
            rows[row]->counts[bucket]);
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

FunctionStatistics &Statistics::entry(std::uint64_t functionId) {
  std::uint32_t number = index.add(functionId);
  if (number == all.size())
    all.emplace_back().functionId = functionId;
  return all[number];
}

void Statistics::add(const Span &span) {
  ++calls;
  if (span.how == SpanEnd::Open)
    ++openCalls;
  entry(span.functionId).add(span);
}

void Statistics::addThread(const atf::IndexReader &reader,
                           atf::SeqRange range) {
  auto walker = forEachSpan(reader, range, [this](const Span &s) { add(s); });
  strayExits += walker.strayExits();
  missingExits += walker.missingExits();
  unknownKinds += walker.unknownKinds();
  maxDepth = std::max(maxDepth, walker.maxDepth());
}

void Statistics::merge(const Statistics &other) {
  for (const FunctionStatistics &function : other.all)
    entry(function.functionId).merge(function);
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
