// Adds up calls; keeps distributions of durations.
#include "trace/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ada {

static constexpr unsigned kSubBits = 6, kRowSize = 1u << kSubBits;

//===--- Distribution -----------------------------------------------------===//

// Bins are numbered: 0 is the value 0; each power of two has perOctave of the other numbers.
// If an octave has fewer values than that, some of its bins hold no value and have no width.
static uint64_t binOf(uint64_t value, unsigned perOctave) {
  if (value == 0)
    return 0;
  const unsigned octave = static_cast<unsigned>(std::bit_width(value)) - 1;
  const uint64_t above = value - (uint64_t{1} << octave);
  const uint64_t sub =
      octave >= kSubBits ? (above >> (octave - kSubBits)) * perOctave >> kSubBits : above * perOctave >> octave;
  return 1 + uint64_t{octave} * perOctave + sub;
}

// The smallest value of a bin or, if it has none, of the next bin that has one.
static uint64_t startOf(uint64_t bin, unsigned perOctave) {
  if (bin == 0)
    return 0;
  const uint64_t octave = (bin - 1) / perOctave, sub = (bin - 1) % perOctave;
  if (octave > 63)
    return ~uint64_t{0};
  const uint64_t one = uint64_t{1} << octave;
  return one + (octave >= kSubBits ? (one >> kSubBits) * (sub * kRowSize / perOctave)
                                   : (sub * one + perOctave - 1) / perOctave);
}

// The leading bit picks the row, the six bits after it the bucket.
static unsigned rowOf(uint64_t value) {
  unsigned bits = static_cast<unsigned>(std::bit_width(value));
  return bits > kSubBits ? bits - kSubBits : 0;
}

inline uint64_t *Distribution::row(unsigned number) {
  const size_t start = size_t{number - firstRow_} * kRowSize; // beyond the end if before the first row
  return start < counts_.size() ? counts_.data() + start : makeRow(number);
}

uint64_t *Distribution::makeRow(unsigned number) {
  if (counts_.empty())
    firstRow_ = number;
  if (number < firstRow_) {
    counts_.insert(counts_.begin(), size_t{firstRow_ - number} * kRowSize, 0);
    firstRow_ = number;
  }
  const size_t start = size_t{number - firstRow_} * kRowSize;
  if (start >= counts_.size())
    counts_.resize(start + kRowSize);
  return counts_.data() + start;
}

inline void Distribution::count(uint64_t value) {
  unsigned number = rowOf(value);
  ++row(number)[(number == 0 ? value : value >> (number - 1)) & (kRowSize - 1)];
}

void Distribution::spill() {
  for (uint64_t value : exact_)
    count(value);
  exact_ = {};
}

void Distribution::add(uint64_t value) {
  smallest_ = std::min(smallest_, value);
  largest_ = std::max(largest_, value);
  if (number_ > kExact) {
    count(value);
  } else if (number_ < kExact) {
    exact_.push_back(value);
  } else {
    spill();
    count(value);
  }
  ++number_;
}

void Distribution::merge(const Distribution &other) {
  if (other.number_ <= kExact) {
    for (uint64_t value : other.exact_)
      add(value);
    return;
  }
  if (number_ <= kExact)
    spill();
  for (size_t start = 0; start < other.counts_.size(); start += kRowSize) {
    uint64_t *mine = row(other.firstRow_ + static_cast<unsigned>(start / kRowSize));
    for (unsigned bucket = 0; bucket < kRowSize; ++bucket)
      mine[bucket] += other.counts_[start + bucket];
  }
  number_ += other.number_;
  smallest_ = std::min(smallest_, other.smallest_);
  largest_ = std::max(largest_, other.largest_);
}

// Buckets are numbered from that of row 0 on.
Distribution::Content Distribution::content() const {
  Content content{.count = number_, .min = min(), .max = max(), .exact = exact_, .buckets = {}};
  for (size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0)
      content.buckets.emplace_back(static_cast<uint32_t>(firstRow_ * kRowSize + i), counts_[i]);
  return content;
}

std::optional<Distribution> Distribution::of(const Content &content) {
  Distribution made;
  if (content.count <= kExact) {
    if (content.exact.size() != content.count || !content.buckets.empty())
      return std::nullopt;
    for (const uint64_t value : content.exact)
      made.add(value);
    return made;
  }
  constexpr unsigned kRows = 64 - kSubBits + 1;
  for (const auto &[bucket, values] : content.buckets) {
    if (bucket >= kRows * kRowSize || values > content.count - made.number_)
      return std::nullopt;
    made.row(bucket / kRowSize)[bucket % kRowSize] += values;
    made.number_ += values;
  }
  if (made.number_ != content.count || content.min > content.max || !content.exact.empty())
    return std::nullopt;
  made.smallest_ = content.min, made.largest_ = content.max;
  return made;
}

std::vector<Distribution::Bin> Distribution::bins(unsigned perOctave) const {
  std::vector<Bin> bins;
  if (number_ == 0)
    return bins;
  const uint64_t first = binOf(smallest_, perOctave), last = binOf(largest_, perOctave);
  std::vector<uint64_t> counts(last - first + 1);
  // A bucket may begin below the smallest value.
  const auto add = [&](uint64_t value, uint64_t count) {
    counts[std::max(binOf(value, perOctave), first) - first] += count;
  };
  for (uint64_t value : exact_)
    add(value, 1);
  for (size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0) {
      const size_t row = firstRow_ + i / kRowSize, bucket = i % kRowSize;
      add(row == 0 ? bucket : (kRowSize + bucket) << (row - 1), counts_[i]);
    }
  for (uint64_t bin = first; bin <= last; ++bin) {
    const uint64_t from = startOf(bin, perOctave), to = startOf(bin + 1, perOctave);
    if (from < to)
      bins.push_back({from, to, counts[bin - first]});
  }
  return bins;
}

uint64_t Distribution::rankOf(double percent) const {
  if (number_ == 0)
    return 0;
  // The small subtraction keeps rounding in the product from adding a rank.
  const double exactRank = percent / 100 * static_cast<double>(number_);
  return static_cast<uint64_t>(
      std::clamp(std::ceil(exactRank - 1e-12 * static_cast<double>(number_)), 1.0, static_cast<double>(number_)));
}

Distribution::Range Distribution::percentileRange(double percent) const {
  const auto exactly = [](uint64_t value) { return Range{value, value, value}; };
  if (number_ == 0)
    return {};
  const uint64_t rank = rankOf(percent);
  if (rank >= number_)
    return exactly(largest_);
  if (percent <= 0)
    return exactly(smallest_);
  if (number_ <= kExact) {
    std::vector<uint64_t> sorted = exact_;
    auto nth = sorted.begin() + static_cast<ptrdiff_t>(rank - 1);
    std::nth_element(sorted.begin(), nth, sorted.end());
    return exactly(*nth);
  }
  uint64_t seen = 0;
  for (size_t at = 0; at < counts_.size(); ++at) {
    seen += counts_[at];
    if (seen < rank)
      continue;
    // The middle of the bucket: off by half its width at most.
    const unsigned number = firstRow_ + static_cast<unsigned>(at / kRowSize);
    const uint64_t width = number > 0 ? uint64_t{1} << (number - 1) : 1;
    const uint64_t from = number > 0 ? (kRowSize + at % kRowSize) * width : at % kRowSize;
    const auto within = [&](uint64_t value) { return std::clamp(value, smallest_, largest_); };
    return {within(from), within(from + width - 1), within(from + width / 2)};
  }
  return exactly(largest_);
}

//===--- FunctionStatistics -----------------------------------------------===//

void FunctionStatistics::add(const Span &span, bool isOutermost) {
  ++calls;
  switch (span.how) {
  case SpanEnd::Return:
    break;
  case SpanEnd::Exception:
    ++exceptions;
    break;
  case SpanEnd::Inferred:
    ++inferred;
    break;
  case SpanEnd::Missing:
    ++missing;
    break;
  case SpanEnd::Open:
    ++open;
    break;
  }
  earlier += span.isEarlier;
  if (isOutermost)
    totalNs += span.durationNs();
  selfNs += span.selfNs();
  selfOff.recorderNs += span.recorderNs;
  if (isSeen(span.how))
    durations.add(span.durationNs());
}

void FunctionStatistics::addOffCpu(const OffCpuTimes &all, const OffCpuTimes &self, bool isOutermost) {
  if (isOutermost)
    off += all;
  selfOff += self;
  selfNs -= std::min(selfNs, self.recorderNs);
}

void FunctionStatistics::merge(const FunctionStatistics &other) {
  calls += other.calls;
  exceptions += other.exceptions;
  inferred += other.inferred;
  missing += other.missing;
  open += other.open;
  earlier += other.earlier;
  totalNs += other.totalNs;
  selfNs += other.selfNs;
  off += other.off;
  selfOff += other.selfOff;
  durations.merge(other.durations);
}

} // namespace ada
