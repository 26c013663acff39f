// What a function cost: calls, total and self time, percentiles.
#pragma once

#include "ada/trace/calls.h"
#include "ada/trace/off_cpu.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ada {

/// Collects durations and computes percentiles.
///
/// Up to kExact values are kept as they are, so percentiles of few calls are
/// exact. Beyond that, values are counted in buckets, 64 per power of two, and an
/// answer is off by at most 1/128 of itself (0.8 %); values under 128 ns, the
/// smallest and the largest stay exact. Memory: 512 bytes for each power of two
/// from the smallest value to the largest.
class Distribution {
public:
  static constexpr size_t kExact = 64;

  void add(uint64_t value);
  void merge(const Distribution &other);

  uint64_t count() const noexcept { return number_; }
  uint64_t min() const noexcept { return number_ ? smallest_ : 0; }
  uint64_t max() const noexcept { return largest_; }

  /// The smallest value that at least `percent` per cent of the values do not
  /// exceed (nearest rank); 0 if there are none. percentile(0) is min(),
  /// percentile(100) is max().
  uint64_t percentile(double percent) const { return percentileRange(percent).middle; }
  /// The same, and between which values it lies.
  struct Range {
    uint64_t from = 0, to = 0, middle = 0; ///< all of them inclusive, and equal if it is exact
  };
  Range percentileRange(double percent) const;
  /// How many values are at least needed for those `percent` per cent; at least 1 if there are any.
  uint64_t rankOf(double percent) const;

  /// `count` values v with from <= v < to.
  struct Bin {
    uint64_t from = 0, to = 0, count = 0;
  };
  /// All values by size, from the smallest to the largest: `perOctave` bins for
  /// each power of two (1, 2, 4, … 64), empty ones in between included. Counts
  /// are exact.
  std::vector<Bin> bins(unsigned perOctave) const;

  /// A form that can be written to a file: up to kExact values, `exact` in no particular order;
  /// beyond that, the buckets that have any values, and how many.
  struct Content {
    uint64_t count = 0, min = 0, max = 0;
    std::vector<uint64_t> exact;
    std::vector<std::pair<uint32_t, uint64_t>> buckets;
  };
  Content content() const;
  /// Nothing if no distribution has that content.
  static std::optional<Distribution> of(const Content &content);

private:
  uint64_t *row(unsigned number);
  uint64_t *makeRow(unsigned number);
  void count(uint64_t value);
  void spill();

  uint64_t number_ = 0, smallest_ = ~uint64_t{0}, largest_ = 0;
  std::vector<uint64_t> exact_;
  // Rows of 64 buckets, one row per power of two, from the smallest to the
  // largest that was needed. Row n holds the values of n + 6 significant bits, row 0
  // those of at most 6.
  unsigned firstRow_ = 0;
  std::vector<uint64_t> counts_;
};

/// One function's figures.
struct FunctionStatistics {
  uint64_t functionId = 0;
  uint64_t calls = 0;      ///< all, whatever their end
  uint64_t exceptions = 0; ///< ended exceptionally, which a hook saw
  uint64_t inferred = 0;   ///< their ends were only inferred
  uint64_t missing = 0;    ///< exit not recorded
  uint64_t open = 0;       ///< not ended when the trace did
  uint64_t earlier = 0;    ///< begun before the trace did
  /// Time between entry and exit. If calls of the same function are nested, only the outermost counts, so recursion is
  /// not counted twice. Open calls count up to the thread's last event.
  uint64_t totalNs = 0;
  /// Time in the function itself, without the traced functions it called, and without the time in which the recorder
  /// held it up. Over all functions of a thread, this and selfOff.recorderNs add up to the time in outermost calls.
  /// Calls that began before the trace count with the part that lies in it.
  uint64_t selfNs = 0;
  /// The parts of totalNs, and of the time outside the calls that a call made, in which the program did not run;
  /// 0 where that is unknown. selfOff.recorderNs is not part of selfNs.
  OffCpuTimes off, selfOff;
  uint64_t onCpuSelfNs() const noexcept { return selfOff.onCpuNs(selfNs); }
  /// Durations of the calls with both ends recorded, including inner recursive ones.
  Distribution durations;

  void add(const Span &span) { add(span, span.outermost); }
  /// The same if other calls than those of the function count as its own: all of a module, for example.
  void add(const Span &span, bool isOutermost);
  /// Adds the off-CPU times of a call that was added: in all of it, and in the function itself.
  void addOffCpu(const OffCpuTimes &all, const OffCpuTimes &self, bool isOutermost);
  void merge(const FunctionStatistics &other);
};

} // namespace ada
