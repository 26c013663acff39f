// The cost of the calls in a time range.
#include "range_answers.h"

#include "trace/base/try.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

namespace ada::view {

namespace {

// Follows calls that begin in the range until they end.
class RangeVisitor : public CallVisitor {
public:
  RangeVisitor(const RangeRequest &request, std::atomic<uint64_t> &read) : request_(request), read_(read) {}

  bool goesOn(uint64_t, uint64_t timeNs) override {
    if (++pending_ == kStep)
      isCut_ |= read_.fetch_add(std::exchange(pending_, 0)) + kStep > request_.mostEvents;
    // After the range, calls that began in it still end.
    return !isCut_ && (timeNs < request_.toNs || open_ > 0);
  }
  void begin(const OpenCall &call, uint32_t) override { open_ += isInRange(call.beginNs); }
  void end(const Span &span) override {
    if (!isInRange(span.beginNs))
      return;
    --open_;
    add(span);
  }
  bool isCut() const { return isCut_; }

protected:
  virtual void add(const Span &span) = 0;
  bool isInRange(uint64_t ns) const { return ns >= request_.fromNs && ns < request_.toNs; }

private:
  static constexpr uint64_t kStep = 1024;
  const RangeRequest &request_;
  std::atomic<uint64_t> &read_;
  uint64_t pending_ = 0, open_ = 0;
  bool isCut_ = false;
};

// Passes each thread to a visitor of its own, several at a time. The visitors of a worker add to one sum, because there
// may be ten thousand threads; take() gets these sums, one at a time, and whether something was not read.
template <class Visitor>
Expected<void> visitThreads(TraceView &view, const RangeRequest &request, const typename Visitor::Sum &empty,
                            const std::function<void(Visitor &, ThreadWalk &)> &finish,
                            const std::function<void(typename Visitor::Sum &, bool isCut)> &take) {
  std::atomic<size_t> next = 0;
  std::atomic<uint64_t> read = 0;
  std::mutex mutex;
  Expected<void> state;
  const auto visit = [&](uint32_t thread, typename Visitor::Sum &sum, bool &isCut) -> Expected<void> {
    const model::ThreadExtent &extent = *view.table().threads[thread].extent;
    if (extent.events == 0 || request.fromNs >= request.toNs)
      return {};
    Visitor visitor(request, read, sum);
    const auto place = ADA_TRY(view.placeBefore(thread, request.fromNs));
    const auto walked = view.walk(thread, place, visitor, [&](ThreadWalk &walk) { finish(visitor, walk); });
    isCut |= visitor.isCut();
    return walked ? Expected<void>() : walked.error();
  };
  const auto work = [&, isOver = StopScope::helper()] {
    const StopScope stop(isOver);
    typename Visitor::Sum sum = empty;
    bool isCut = false;
    Expected<void> done;
    for (size_t i; (i = next.fetch_add(1)) < request.threads.size();)
      if (auto visited = visit(request.threads[i], sum, isCut); !visited && done)
        done = visited;
    const std::lock_guard lock(mutex);
    if (!done && state)
      state = done;
    take(sum, isCut);
  };
  std::vector<std::thread> workers;
  const size_t most = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
  for (size_t i = 1; i < std::min(most, request.threads.size()); ++i)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
  return state;
}

class StatisticsVisitor : public RangeVisitor {
public:
  using Sum = std::vector<FunctionStatistics>;
  StatisticsVisitor(const RangeRequest &request, std::atomic<uint64_t> &read, Sum &functions)
      : RangeVisitor(request, read), functions_(functions) {}
  void add(const Span &span) override {
    if (span.functionIndex >= functions_.size())
      functions_.resize(span.functionIndex + size_t{1});
    functions_[span.functionIndex].add(span);
  }

private:
  Sum &functions_;
};

// The lengths of the calls of a function.
struct LengthSum {
  // Two buckets per power of two: bucket 2n is [2^n, 1.5 * 2^n); one more for 0.
  static constexpr size_t kBuckets = 1 + 2 * 64;
  static size_t bucketOf(uint64_t ns) {
    if (ns <= 1) // bucket 1 is empty
      return ns * 2;
    const auto power = static_cast<unsigned>(std::bit_width(ns) - 1);
    return 1 + 2 * power + (ns >> (power - 1) & 1);
  }
  static uint64_t startOf(size_t bucket) {
    if (bucket == 0)
      return 0;
    const uint64_t power = uint64_t{1} << (bucket - 1) / 2;
    return bucket % 2 ? power : power + power / 2;
  }

  void add(uint64_t ns) {
    ++counts[bucketOf(ns)];
    least = std::min(least, ns), most = std::max(most, ns);
  }
  void add(const LengthSum &other) {
    for (size_t i = 0; i < counts.size(); ++i)
      counts[i] += other.counts[i];
    least = std::min(least, other.least), most = std::max(most, other.most);
  }
  /// Takes what the index has; its buckets are parts of these.
  void take(const FunctionTotals &totals) {
    totals.lengths.forEach([&](uint64_t startNs, uint64_t calls) { counts[bucketOf(startNs)] += calls; });
    least = totals.minNs, most = totals.maxNs;
  }

  uint32_t function = 0;
  std::array<uint64_t, kBuckets> counts = {};
  uint64_t least = ~uint64_t{0}, most = 0;
};

class LengthVisitor : public RangeVisitor {
public:
  using Sum = LengthSum;
  LengthVisitor(const RangeRequest &request, std::atomic<uint64_t> &read, Sum &sum)
      : RangeVisitor(request, read), sum_(sum) {}
  void add(const Span &span) override {
    if (span.functionIndex == sum_.function && isSeen(span.how))
      sum_.add(span.durationNs());
  }

private:
  Sum &sum_;
};

// Adds up the part of each call that lies in the range.
class PathsVisitor : public RangeVisitor {
public:
  using Sum = PathTree;
  PathsVisitor(const RangeRequest &request, std::atomic<uint64_t> &read, Sum &tree)
      : RangeVisitor(request, read), tree_(tree), from_(request.fromNs), to_(request.toNs) {}

  bool goesOn(uint64_t seq, uint64_t timeNs) override {
    isBehind_ = timeNs >= to_;
    return !isBehind_ && RangeVisitor::goesOn(seq, timeNs);
  }
  void begin(const OpenCall &call, uint32_t depth) override {
    stack_.resize(depth);
    const uint32_t around = depth ? stack_.back().node : PathTree::kRoot;
    const uint32_t node = tree_.child(around, call.function);
    stack_.push_back({.node = node, .isInside = node == around});
  }
  void end(const Span &span) override { close(span, span.endNs); }
  void heldUp(uint64_t fromNs, uint64_t toNs) override {
    const uint64_t from = std::max(fromNs, from_), to = std::min(toNs, to_);
    stack_.back().recorderNs += to > from ? to - from : 0;
  }
  void closeAll(const ThreadWalk &walk) {
    const auto open = walk.open();
    for (size_t i = open.size(); i-- > 0;)
      close(open[i], isBehind_ ? to_ : walk.latestNs());
  }

private:
  struct Frame {
    uint32_t node = 0;
    bool isInside = false; // in PathTree::kRest, inside another call of it
    uint64_t childrenNs = 0, recorderNs = 0;
  };
  void add(const Span &) override {}
  void close(const Span &span, uint64_t endNs) {
    const Frame frame = stack_[span.depth];
    stack_.resize(span.depth);
    const uint64_t begin = std::max(span.beginNs, from_), end = std::clamp(endNs, begin, std::max(begin, to_));
    const uint64_t total = end - begin;
    if (endNs >= from_ && span.beginNs < to_) {
      const uint64_t own = total - std::min(frame.childrenNs, total), held = std::min(frame.recorderNs, own);
      tree_.addSum(frame.node, 1, frame.isInside ? 0 : total, own - held);
      if (held > 0)
        tree_.addRecorder(frame.node, 1, held);
    }
    if (!stack_.empty())
      stack_.back().childrenNs += total;
  }
  PathTree &tree_;
  uint64_t from_, to_;
  bool isBehind_ = false;
  std::vector<Frame> stack_;
};

// If there are too many events to read them all: the index's figures, provided that the range covers the whole threads.
Expected<std::optional<std::vector<FunctionTotals>>> wholeThreads(TraceView &view, const RangeRequest &request) {
  using Known = std::optional<std::vector<FunctionTotals>>;
  const auto index = view.index();
  uint64_t events = 0;
  bool isWhole = true;
  for (const uint32_t thread : request.threads) {
    const model::ThreadExtent &extent = *view.table().threads[thread].extent;
    events += extent.events;
    isWhole &= extent.events == 0 || (request.fromNs <= extent.firstNs && request.toNs > extent.lastNs);
  }
  if (!index || !isWhole || events <= request.mostEvents)
    return Known();
  std::vector<FunctionTotals> totals;
  for (const uint32_t thread : request.threads)
    if (const auto done = index->addTotals(thread, totals); !done) {
      view.dropIndex(done.error());
      return Known();
    }
  return Known(std::move(totals));
}

// Adds a function, if it has calls.
template <class Figures, class Percentile>
void addFunction(RangeStatistics &all, size_t number, const Figures &one, uint64_t recorderNs, uint64_t minNs,
                 uint64_t maxNs, const Percentile &percentile) {
  all.calls += one.calls;
  if (one.calls > 0)
    all.functions.push_back({.function = static_cast<uint32_t>(number),
                             .calls = one.calls,
                             .totalNs = one.totalNs,
                             .selfNs = one.selfNs,
                             .recorderNs = recorderNs,
                             .minNs = minNs,
                             .maxNs = maxNs,
                             .p50Ns = percentile.percentile(50),
                             .p99Ns = percentile.percentile(99)});
}

RangeStatistics statisticsOf(const std::vector<FunctionTotals> &totals) {
  RangeStatistics all;
  for (size_t i = 0; i < totals.size(); ++i)
    addFunction(all, i, totals[i], totals[i].recorderNs, std::min(totals[i].minNs, totals[i].maxNs), totals[i].maxNs,
                totals[i]);
  return all;
}

LengthHistogram histogramOf(const LengthSum &sum, bool isComplete) {
  LengthHistogram all{.buckets = {}, .isComplete = isComplete};
  all.calls = std::accumulate(sum.counts.begin(), sum.counts.end(), uint64_t{0});
  if (all.calls == 0)
    return all;
  all.minNs = sum.least, all.maxNs = sum.most;
  for (size_t i = LengthSum::bucketOf(sum.least); i <= LengthSum::bucketOf(sum.most); ++i)
    if (LengthSum::startOf(i + 1) > LengthSum::startOf(i)) // bucket 1 is empty
      all.buckets.push_back({LengthSum::startOf(i), LengthSum::startOf(i + 1), sum.counts[i]});
  return all;
}

} // namespace

Expected<RangeStatistics> rangeStatistics(TraceView &view, const RangeRequest &request) {
  if (const auto known = ADA_TRY(wholeThreads(view, request)))
    return statisticsOf(*known);
  RangeStatistics all;
  std::vector<FunctionStatistics> functions;
  const auto done = visitThreads<StatisticsVisitor>(
      view, request, {}, [](StatisticsVisitor &, ThreadWalk &walk) { walk.endOpenCalls(); },
      [&](const std::vector<FunctionStatistics> &sum, bool isCut) {
        functions.resize(std::max(functions.size(), sum.size()));
        for (size_t i = 0; i < sum.size(); ++i)
          functions[i].merge(sum[i]);
        all.isComplete &= !isCut;
      });
  if (!done)
    return done.error();
  for (size_t i = 0; i < functions.size(); ++i)
    addFunction(all, i, functions[i], functions[i].selfOff.recorderNs, functions[i].durations.min(),
                functions[i].durations.max(), functions[i].durations);
  return all;
}

Expected<LengthHistogram> lengthHistogram(TraceView &view, const RangeRequest &request, uint32_t function) {
  bool isComplete = true;
  LengthSum sum{.function = function};
  const LengthSum empty = sum;
  if (const auto known = ADA_TRY(wholeThreads(view, request))) {
    if (function < known->size())
      sum.take((*known)[function]);
    return histogramOf(sum, true);
  }
  const auto done = visitThreads<LengthVisitor>(
      view, request, empty, [](LengthVisitor &, ThreadWalk &walk) { walk.endOpenCalls(); },
      [&](const LengthSum &part, bool isCut) {
        sum.add(part);
        isComplete &= !isCut;
      });
  if (!done)
    return done.error();
  return histogramOf(sum, isComplete);
}

Expected<RangePaths> rangePaths(TraceView &view, const RangeRequest &request, size_t mostNodes) {
  RangePaths all{.tree = PathTree(mostNodes)};
  std::vector<uint32_t> same;
  const auto done = visitThreads<PathsVisitor>(
      view, request, PathTree(mostNodes), [](PathsVisitor &visitor, ThreadWalk &walk) { visitor.closeAll(walk); },
      [&](const PathTree &tree, bool isCut) {
        same.resize(view.functions().size());
        std::iota(same.begin(), same.end(), 0);
        all.tree.merge(tree, same);
        all.isComplete &= !isCut;
      });
  if (!done)
    return done.error();
  all.tree.sort();
  return all;
}

} // namespace ada::view
