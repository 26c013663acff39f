// Makes a viewer's index.
//
// A call shorter than a cell of level 0 goes into the level-0 box of its depth. A complete box is written, and goes
// into the box of the next level. A longer call is written at the highest level whose cell it fills, and goes into the
// box of the level above, after all shorter calls of its depth. So at each level that a call is too short for, it is
// looked at once only, as part of a sum. A thread needs memory for one box per level and depth.
#include "index_builder.h"

#include "function_totals.h"
#include "index_format.h"
#include "shared/wide.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace ada::view {

namespace {

constexpr size_t kBlockBytes = 16 * 1024;
// A place takes a few bytes per open call, so the more calls are open, the further apart places are.
constexpr uint64_t kPlaceEvents = 4096, kPlaceEventsPerCall = 32;

Error stopped() { return {.code = "E_STOPPED", .message = "the index is no longer needed"}; }

// Writes the blocks of items of one level.
class ItemStream {
public:
  Expected<void> add(IndexOutput &output, const IndexCall &call) {
    if (bytes_.size() == 0)
      block_ = {.first = call.item.beginNs, .last = call.item.endNs};
    block_.first = std::min(block_.first, call.item.beginNs);
    block_.last = std::max(block_.last, call.item.endNs);
    ++block_.count;
    coder_.put(bytes_, call);
    return bytes_.size() >= kBlockBytes ? flush(output) : Expected<void>();
  }
  Expected<void> flush(IndexOutput &output) {
    if (bytes_.size() == 0)
      return {};
    const auto offset = ADA_TRY(output.append(bytes_.bytes()));
    block_.offset = offset, block_.bytes = bytes_.size(), block_.crc = indexCrc(bytes_.bytes());
    blocks.push_back(block_);
    bytes_.clear();
    coder_ = {};
    return {};
  }

  std::vector<IndexBlock> blocks;

private:
  IndexBytes bytes_;
  IndexBlock block_;
  ItemCoder coder_;
};

// The totals of a thread by function. A session has many functions, and a short thread calls few of them: so a worker
// keeps the numbers from thread to thread.
class TotalsByFunction {
public:
  using Function = std::pair<uint32_t, FunctionTotals>;

  void add(const Span &span) {
    if (span.functionIndex >= number_.size())
      number_.resize(span.functionIndex + size_t{1}, kNone);
    uint32_t &number = number_[span.functionIndex];
    if (number == kNone) {
      number = static_cast<uint32_t>(totals_.size());
      totals_.emplace_back(span.functionIndex, FunctionTotals());
    }
    totals_[number].second.add(span);
  }
  // By function. Afterwards it is empty.
  std::vector<Function> take() {
    for (const auto &[function, totals] : totals_)
      number_[function] = kNone;
    std::ranges::sort(totals_, {}, &Function::first);
    return std::exchange(totals_, {});
  }

private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<uint32_t> number_; // by function, in `totals_`
  std::vector<Function> totals_;
};

class ThreadIndexer : public CallVisitor {
public:
  ThreadIndexer(IndexOutput &output, const IndexBuild &build, const model::ThreadExtent &extent,
                TotalsByFunction &totals)
      : output_(output), build_(build), totals_(totals) {
    const uint64_t duration = extent.lastNs > extent.firstNs ? extent.lastNs - extent.firstNs : 0;
    const auto cell = Wide{duration} * kCellEvents / std::max<uint64_t>(extent.events, 1);
    thread_.events = extent.events;
    thread_.cellNs = std::max<uint64_t>(static_cast<uint64_t>(cell), 1);
    for (uint64_t ns = thread_.cellNs;; ns *= kLevelFactor) {
      levels_.push_back({.cellNs = ns, .calls = {}, .boxes = {}, .open = {}});
      if (ns > duration / kLevelFactor)
        break;
    }
    nextPlace_ = 0;
  }

  bool goesOn(uint64_t seq, uint64_t timeNs) override {
    if (seq >= nextPlace_)
      addPlace(seq, timeNs);
    if (timeNs >= nextFlush_)
      flushOld(timeNs);
    ++read_;
    return state_.operator bool();
  }
  void begin(const OpenCall &call, uint32_t depth) override {
    if (depth >= open_.size())
      open_.resize(depth + size_t{1});
    open_[depth] = call;
    depth_ = depth + 1;
    thread_.maxDepth = std::max(thread_.maxDepth, depth_);
  }
  void end(const Span &span) override {
    depth_ = span.depth;
    totals_.add(span);
    if (span.how == SpanEnd::Open)
      return endOpen(span);
    const Item item{.beginNs = span.beginNs,
                    .endNs = span.endNs,
                    .seq = span.beginSeq,
                    .fillNs = span.durationNs(),
                    .depth = span.depth,
                    .function = span.functionIndex,
                    .kind = itemKindOf(span.how)};
    const uint64_t duration = span.durationNs();
    if (duration < levels_[0].cellNs)
      return addShort(0, item);
    size_t level = 0;
    while (level + 1 < levels_.size() && levels_[level + 1].cellNs <= duration)
      ++level;
    flushDepth(item.depth, level);
    check(levels_[level].calls.add(output_, {.item = item,
                                             .endSeq = span.beginSeq == kNoSeq ? kNoSeq : span.endSeq,
                                             .calls = span.calls,
                                             .selfNs = span.selfNs()}));
    if (level + 1 < levels_.size())
      addShort(level + 1, item);
  }

  void finish(ThreadWalk &walk) {
    latestNs_ = walk.latestNs(), nextSeq_ = walk.nextSeq();
    walk.endOpenCalls();
    for (uint32_t depth = 0; depth < kMaxBoxDepths; ++depth)
      flushDepth(depth, levels_.size() - 1);
    for (Level &level : levels_) {
      check(level.calls.flush(output_));
      check(level.boxes.flush(output_));
      thread_.levels.push_back({std::move(level.calls.blocks), std::move(level.boxes.blocks)});
    }
    flushPlaces();
    writeTotals();
    tellDone();
  }
  const Expected<void> &state() const { return state_; }
  IndexThread takeThread() { return std::move(thread_); }

private:
  struct Level {
    uint64_t cellNs = 1;
    ItemStream calls, boxes;
    std::vector<Box> open; // by depth
  };

  // Calls that are open when the thread ends are written at the highest level, where every picture finds them.
  void endOpen(const Span &span) {
    if (span.depth < kMaxBoxDepths)
      flushDepth(span.depth, levels_.size() - 1);
    const uint64_t endNs = std::max(latestNs_, span.beginNs);
    check(levels_.back().calls.add(output_, {.item = {.beginNs = span.beginNs,
                                                      .endNs = endNs,
                                                      .seq = span.beginSeq,
                                                      .fillNs = endNs - span.beginNs,
                                                      .depth = span.depth,
                                                      .function = span.functionIndex,
                                                      .kind = ItemKind::Open},
                                             .endSeq = span.beginSeq == kNoSeq ? kNoSeq : nextSeq_,
                                             .calls = span.calls,
                                             .selfNs = span.selfNs()}));
  }
  void check(const Expected<void> &done) {
    if (!done && state_)
      state_ = done;
  }
  void addShort(size_t number, const Item &item) {
    Level &level = levels_[number];
    if (item.depth >= level.open.size()) {
      if (item.depth >= kMaxBoxDepths)
        return;
      level.open.resize(item.depth + size_t{1});
    }
    Box &box = level.open[item.depth];
    const uint64_t cell = item.beginNs / level.cellNs;
    if (!box.isEmpty() && cell != box.cell)
      flushBox(number, item.depth);
    box.cell = cell;
    box.add(item);
  }
  void flushBox(size_t number, uint32_t depth) {
    Box &box = levels_[number].open[depth];
    if (number + 1 < levels_.size()) {
      Level &above = levels_[number + 1];
      if (depth >= above.open.size())
        above.open.resize(depth + size_t{1});
      Box &sum = above.open[depth];
      const uint64_t cell = box.item.beginNs / above.cellNs;
      if (!sum.isEmpty() && cell != sum.cell)
        flushBox(number + 1, depth);
      sum.cell = cell;
      sum.add(box);
    }
    check(levels_[number].boxes.add(output_, {.item = box.take()}));
  }
  void writeTotals() {
    IndexBytes bytes;
    IndexBlock &block = thread_.totals;
    for (const auto &[function, totals] : totals_.take()) {
      bytes.number(function);
      totals.put(bytes);
      ++block.count;
    }
    const auto offset = output_.append(bytes.bytes());
    if (!offset)
      return check(offset.error());
    block.offset = *offset, block.bytes = bytes.size(), block.crc = indexCrc(bytes.bytes());
  }
  // Flushes the boxes of levels up to `last`.
  void flushDepth(uint32_t depth, size_t last) {
    for (size_t number = 0; number <= last; ++number)
      if (depth < levels_[number].open.size() && !levels_[number].open[depth].isEmpty())
        flushBox(number, depth);
  }
  // Flushes boxes to which nothing can be added any more, so that items are written soon after they end.
  void flushOld(uint64_t nowNs) {
    for (size_t number = 0; number < levels_.size(); ++number) {
      Level &level = levels_[number];
      const uint64_t cell = nowNs / level.cellNs;
      if (number > 0 && cell == lastCell_[number])
        break;
      lastCell_[number] = cell;
      for (uint32_t depth = 0; depth < level.open.size(); ++depth)
        if (!level.open[depth].isEmpty() && level.open[depth].cell + 2 <= cell)
          flushBox(number, depth);
    }
    nextFlush_ = (nowNs / levels_[0].cellNs + 1) * levels_[0].cellNs;
    tellDone();
    if (build_.stop && *build_.stop)
      check(stopped());
  }
  void tellDone() {
    if (build_.done)
      *build_.done += read_;
    read_ = 0;
  }
  void addPlace(uint64_t seq, uint64_t timeNs) {
    if (places_.size() == 0)
      place_ = {.first = seq, .last = timeNs};
    ++place_.count;
    places_.number(seq - place_.first);
    places_.difference(timeNs - place_.last);
    places_.number(depth_);
    OpenCall before;
    for (uint32_t depth = 0; depth < depth_; ++depth) {
      const OpenCall &call = open_[depth];
      places_.number(call.function);
      places_.difference(call.beginNs - before.beginNs);
      places_.difference(call.seq - before.seq);
      before = call;
    }
    nextPlace_ = seq + std::max(kPlaceEvents, depth_ * kPlaceEventsPerCall);
    if (places_.size() >= kBlockBytes)
      flushPlaces();
  }
  void flushPlaces() {
    if (places_.size() == 0)
      return;
    const auto offset = output_.append(places_.bytes());
    if (!offset)
      return check(offset.error());
    place_.offset = *offset, place_.bytes = places_.size(), place_.crc = indexCrc(places_.bytes());
    thread_.places.push_back(place_);
    places_.clear();
  }

  IndexOutput &output_;
  const IndexBuild &build_;
  IndexThread thread_;
  std::vector<Level> levels_;
  std::array<uint64_t, 64> lastCell_ = {}; // by level
  std::vector<OpenCall> open_;
  uint32_t depth_ = 0;
  TotalsByFunction &totals_;
  IndexBytes places_;
  IndexBlock place_;
  uint64_t nextPlace_ = 0, nextFlush_ = 0, read_ = 0;
  uint64_t latestNs_ = 0, nextSeq_ = 0; // at the thread's end
  Expected<void> state_;
};

void putBlocks(IndexBytes &to, const std::vector<IndexBlock> &blocks) {
  to.number(blocks.size());
  IndexBlock before;
  for (const IndexBlock &block : blocks) {
    to.difference(block.offset - before.offset);
    to.number(block.bytes);
    to.number(block.count);
    to.difference(block.first - before.first);
    to.difference(block.last - before.last);
    to.number(block.crc);
    before = block;
  }
}

IndexBytes directoryOf(const FunctionList &functions, const std::vector<IndexThread> &threads) {
  IndexBytes bytes;
  const std::vector<model::Function> all = functions.from(0);
  bytes.number(all.size());
  for (const model::Function &function : all) {
    bytes.number(function.id);
    bytes.text(function.name);
    bytes.text(function.displayName);
    bytes.text(function.file);
    bytes.number(function.line);
    bytes.number(function.isExternal);
    bytes.number(static_cast<uint64_t>(function.kind));
  }
  bytes.number(threads.size());
  for (const IndexThread &thread : threads) {
    bytes.number(thread.events);
    bytes.number(thread.cellNs);
    bytes.number(thread.maxDepth);
    bytes.number(thread.levels.size());
    for (const IndexThread::Level &level : thread.levels) {
      putBlocks(bytes, level.calls);
      putBlocks(bytes, level.boxes);
    }
    putBlocks(bytes, thread.places);
    putBlocks(bytes, {thread.totals});
  }
  return bytes;
}

} // namespace

Expected<void> buildIndex(TraceView &view, IndexOutput &output, const IndexBuild &build) {
  IndexHeader header = {};
  ADA_TRY(output.append(std::as_bytes(std::span(&header, 1))));
  const std::vector<model::Thread> &threads = view.table().threads;
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < threads.size(); ++i)
    order.push_back(i);
  // The largest threads first, so that no worker is left with one at the end.
  std::ranges::stable_sort(order, std::ranges::greater(), [&](uint32_t i) { return threads[i].extent->events; });
  std::vector<IndexThread> done(threads.size());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  Expected<void> state;
  const auto work = [&] {
    // Viewers and everything else on the machine take priority.
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 5);
    TotalsByFunction totals;
    for (size_t i; (i = next.fetch_add(1)) < order.size();) {
      const model::ThreadExtent &extent = *threads[order[i]].extent;
      ThreadIndexer indexer(output, build, extent, totals);
      Expected<void> made = build.stop && *build.stop ? stopped() : Expected<void>();
      if (made && extent.events > 0) {
        const auto walked = view.walk(order[i], {.open = {}}, indexer, [&](ThreadWalk &walk) {
          if (indexer.state())
            indexer.finish(walk);
        });
        made = walked ? indexer.state() : walked.error();
      }
      if (!made) {
        const std::lock_guard lock(mutex);
        state = state ? made : state;
        next = order.size();
        return;
      }
      done[order[i]] = indexer.takeThread();
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::clamp<size_t>(build.workers, 1, std::max<size_t>(order.size(), 1)); ++i)
    workers.emplace_back(work);
  for (std::thread &worker : workers)
    worker.join();
  if (!state)
    return state;

  const IndexBytes directory = directoryOf(view.functions(), done);
  const auto offset = ADA_TRY(output.append(directory.bytes()));
  std::memcpy(header.magic, kIndexMagic, sizeof header.magic);
  header.version = kIndexVersion;
  header.madeOf = build.madeOf;
  header.events = view.events();
  header.directoryOffset = offset;
  header.directoryBytes = directory.size();
  header.directoryCrc = indexCrc(directory.bytes());
  header.headerCrc = indexCrc(std::as_bytes(std::span(&header, 1)));
  return output.writeAt(0, std::as_bytes(std::span(&header, 1)));
}

} // namespace ada::view
