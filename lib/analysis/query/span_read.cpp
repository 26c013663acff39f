// One read of a trace's calls.
#include "span_read.h"

#include "analysis/events/early_end.h"
#include "trace/base/try.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

namespace ada::query {

struct SpanRead::Worker {
  Worker(SpanRead &read, SharedTrace &trace, const SpanRequest &request, const SpanFilter &filter)
      : source(trace.another()),
        reader(trace, request, filter,
               [this, &read]() -> Expected<void> {
                 if (!read.waitForTurn(item->number))
                   return analysis::earlyEnd();
                 if (read.isDone_) {
                   reader.rows.clear();
                   return {};
                 }
                 isInconsistent = !ADA_TRY(read.emit(*this, *item->plan));
                 return isInconsistent ? Expected<void>(analysis::earlyEnd()) : Expected<void>();
               }),
        crossing(request.columns, trace.table()) {}

  std::unique_ptr<model::TraceSource> source;
  SpanPartReader reader;
  SpanRows crossing; ///< calls that began in other parts
  const Item *item = nullptr;
  bool isInconsistent = false; ///< the part does not continue the parts before it
};

Expected<void> SpanRead::run() {
  if (request_.threads) {
    threads_ = *request_.threads;
    std::erase_if(threads_, [&](uint32_t thread) { return thread >= trace_.table().threads.size(); });
    std::ranges::sort(threads_);
    threads_.erase(std::unique(threads_.begin(), threads_.end()), threads_.end());
  } else {
    threads_.resize(trace_.table().threads.size());
    std::iota(threads_.begin(), threads_.end(), uint32_t{0});
  }
  if (filter_.hasIds())
    std::erase_if(threads_, [&](uint32_t thread) {
      return thread < request_.minId >> kSpanIdBits || thread > request_.maxId >> kSpanIdBits;
    });
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned workers = request_.workers ? request_.workers : cores;
  uint64_t events = 0;
  for (const uint32_t thread : threads_)
    events += trace_.table().threads[thread].extent ? trace_.table().threads[thread].extent->events : 0;
  // More workers than parts have nothing to do.
  const uint64_t useful = std::min<uint64_t>(workers, events / (request_.partEvents / 4 + 1) + 1);
  std::vector<std::thread> others;
  for (uint64_t i = 1; i < useful; ++i)
    others.emplace_back([this] { work(); });
  work();
  for (std::thread &other : others)
    other.join();
  return failed_;
}

void SpanRead::stop(const Expected<void> &why) {
  const std::lock_guard lock(mutex_);
  if (!why && !analysis::isEarlyEnd(why.error()) && failed_)
    failed_ = why;
  isStopped_ = true;
  turned_.notify_all();
}

void SpanRead::work() {
  Worker worker(*this, trace_, request_, filter_);
  for (;;) {
    Expected<void> done;
    auto item = next();
    if (item && !*item)
      break;
    done = item ? read(worker, **item) : item.error();
    if (!done) {
      stop(done);
      break;
    }
  }
  trace_.addDamage(*worker.source);
}

// The next part that is to be read.
Expected<std::optional<SpanRead::Item>> SpanRead::next() {
  const std::lock_guard lock(mutex_);
  while (!isStopped_) {
    if (plan_ && nextPart_ < plan_->parts().size()) {
      Item item{.part = plan_->parts()[nextPart_], .plan = plan_};
      item.isFirst = nextPart_ == 0;
      item.isLast = ++nextPart_ == plan_->parts().size();
      item.number = given_++;
      return std::optional(std::move(item));
    }
    plan_.reset();
    if (nextThread_ == threads_.size())
      break;
    plan_ = std::make_shared<ThreadPlan>(ADA_TRY(ThreadPlan::make(trace_, request_, filter_, threads_[nextThread_++])));
    nextPart_ = 0;
  }
  return std::optional<Item>();
}

bool SpanRead::waitForTurn(uint64_t number) {
  std::unique_lock lock(mutex_);
  turned_.wait(lock, [&] { return isStopped_ || turn_ == number; });
  return !isStopped_;
}

Expected<void> SpanRead::readPart(Worker &worker, const SpanPart &part) {
  model::ReadRequest request;
  request.threads = {part.thread};
  request.fromSeq = part.first, request.toSeq = part.last;
  request.isFurther = request.withOpenCalls = true;
  worker.reader.beginPart(part);
  return worker.source->readPart(worker.reader, request);
}

Expected<void> SpanRead::read(Worker &worker, const Item &item) {
  worker.item = &item;
  worker.isInconsistent = false;
  auto isRead = readPart(worker, item.part);
  if (!isRead && !worker.isInconsistent)
    return isRead;
  if (!waitForTurn(item.number))
    return {};
  auto done = join(worker, item);
  const std::lock_guard lock(mutex_);
  ++turn_;
  turned_.notify_all();
  return done;
}

//===--- at a worker's turn -----------------------------------------------===//

Expected<void> SpanRead::join(Worker &worker, const Item &item) {
  if (!isDone_)
    ADA_TRY(joinPart(worker, *item.plan));
  if (item.isLast) {
    if (!isDone_)
      ADA_TRY(followOpen(worker, *item.plan));
    open_.clear();
    isDone_ = false;
    lastNs_ = upTo_ = 0;
  }
  return {};
}

Expected<void> SpanRead::joinPart(Worker &worker, ThreadPlan &plan) {
  const bool isSame = !worker.isInconsistent && ADA_TRY(emit(worker, plan)) && ADA_TRY(endCrossing(worker, plan));
  if (!isSame)
    return readWhole(worker, plan);
  SpanPartEnds &ends = worker.reader.ends();
  open_.insert(open_.end(), std::make_move_iterator(ends.after.begin()), std::make_move_iterator(ends.after.end()));
  upTo_ = worker.reader.part().last;
  isJoined_ = false;
  return {};
}

// Compares the calls that are open at the part's start with those that the parts before it left open, and adds their
// times in the part. False if they differ: a block is damaged, or calls were deeper than a list of them can be.
bool SpanRead::begin(Worker &worker) {
  SpanPartEnds &ends = worker.reader.ends();
  const SpanPart &part = worker.reader.part();
  isJoined_ = true;
  if (!ends.hasEvents)
    return true;
  if (part.first > 0 && upTo_ == 0 && open_.empty()) { // nothing was read before it
    open_ = ends.before;
    for (OpenSpan &call : open_)
      call.id = OpenSpan::kNoId, call.childrenNs = 0, call.off = {}, call.hasEnded = false;
    seedSeq_ = part.first;
  }
  const bool isSame = std::equal(
      open_.begin(), open_.end(), ends.before.begin(), ends.before.end(),
      [](const OpenSpan &a, const OpenSpan &b) { return a.functionId == b.functionId && a.beginNs == b.beginNs; });
  return part.first == 0 || isSame;
}

bool SpanRead::isWanted(size_t depth) const {
  const OpenSpan &call = open_[depth];
  const bool isKnown = call.id != OpenSpan::kNoId;
  return filter_.wantsBegin(call.function, static_cast<uint32_t>(depth), call.beginNs) &&
         (!filter_.hasIds() || (isKnown && filter_.wantsId(call.id)));
}

// Finds the id of a call that began before the first part that was read. False if it can't be found.
Expected<bool> SpanRead::resolve(size_t depth, ThreadPlan &plan) {
  OpenSpan &call = open_[depth];
  if (call.id != OpenSpan::kNoId)
    return true;
  const std::vector<OpenSpan> outer(open_.begin(), open_.begin() + static_cast<ptrdiff_t>(depth) + 1);
  const auto seq = ADA_TRY(plan.beginOf(outer, seedSeq_));
  if (seq)
    call.id = *seq == Span::kNoSeq ? earlierSpanId(plan.parts().front().thread, static_cast<uint32_t>(depth))
                                   : spanId(plan.parts().front().thread, *seq);
  return seq.has_value();
}

// Hands on the rows of calls that began and ended in the part. False if it does not continue the parts before it.
Expected<bool> SpanRead::emit(Worker &worker, ThreadPlan &plan) {
  if (!isJoined_ && !begin(worker))
    return false;
  for (uint64_t &parent : worker.reader.rows.parents())
    if (parent & SpanPartReader::kEarlierParent) {
      const uint64_t depth = parent & ~SpanPartReader::kEarlierParent;
      if (!ADA_TRY(resolve(depth, plan)))
        return false;
      parent = open_[depth].id;
    }
  ADA_TRY(hand(worker.reader.rows));
  return true;
}

Expected<void> SpanRead::hand(SpanRows &rows) {
  if (rows.size() == 0)
    return {};
  SpanChunk chunk = rows.chunk();
  chunk.firstRow = rows_;
  rows_ += chunk.rows;
  const bool goesOn = visit_(chunk);
  rows.clear();
  return goesOn ? Expected<void>() : analysis::earlyEnd();
}

// Adds the part's times to the calls that continue into it, and hands on those that end there.
Expected<bool> SpanRead::endCrossing(Worker &worker, ThreadPlan &plan) {
  SpanPartEnds &ends = worker.reader.ends();
  const SpanPart &part = worker.reader.part();
  if (!ends.hasEvents)
    return true;
  const model::Thread &thread = trace_.table().threads[part.thread];
  if (thread.offCpu && lastNs_ > 0 && ends.firstNs > 0) {
    analysis::OffCpuFollower between = analysis::followerOf(trace_.table(), part.thread);
    between.skipTo(lastNs_);
    analysis::OffCpuOfCall sum;
    between.take(lastNs_, ends.firstNs, [&](const OffCpu &off) { sum.add(off); });
    for (OpenSpan &call : open_) {
      call.off.all += sum.all;
      if (&call == &open_.back())
        call.off.self += sum.self;
    }
  }
  lastNs_ = ends.lastNs ? ends.lastNs : lastNs_;
  if (part.first == 0)
    return true;
  for (size_t i = 0; i < open_.size(); ++i)
    open_[i].childrenNs += ends.before[i].childrenNs, open_[i].off += ends.before[i].off;
  worker.crossing.clear();
  worker.crossing.beginThread(part.thread);
  const bool hasIds = request_.columns.hasAny({SpanColumn::Id, SpanColumn::ParentId});
  for (; !open_.empty() && ends.before[open_.size() - 1].hasEnded; open_.pop_back()) {
    const OpenSpan &end = ends.before[open_.size() - 1];
    const OpenSpan &call = open_.back();
    const size_t depth = open_.size() - 1;
    if (!isWanted(depth) || !filter_.wantsEnd(call.beginNs, end.endNs))
      continue;
    if (hasIds && (!ADA_TRY(resolve(depth, plan)) || (depth > 0 && !ADA_TRY(resolve(depth - 1, plan)))))
      return false;
    const uint64_t duration = end.endNs - call.beginNs;
    const uint64_t own = duration - std::min(call.childrenNs, duration);
    worker.crossing.add({.id = call.id,
                         .parentId = depth > 0 ? open_[depth - 1].id : kNoParent,
                         .beginNs = call.beginNs,
                         .endNs = end.endNs,
                         .selfNs = own - std::min(own, call.off.self.recorderNs),
                         .off = call.off,
                         .function = call.function,
                         .depth = static_cast<uint32_t>(depth),
                         .how = end.how,
                         .isOutermost = end.isOutermost,
                         .arguments = call.arguments,
                         .result = end.result});
    if (worker.crossing.size() >= SpanPartReader::kMostRows)
      ADA_TRY(hand(worker.crossing));
  }
  ADA_TRY(hand(worker.crossing));
  return true;
}

// After the last part that was planned: reads on until all calls that are wanted have ended.
Expected<void> SpanRead::followOpen(Worker &worker, ThreadPlan &plan) {
  const bool skips = !request_.columns.hasAny(kSumColumns);
  for (;;) {
    size_t depth = open_.size();
    while (depth > 0 && !isWanted(depth - 1))
      --depth;
    if (depth == 0 || isDone_)
      return {};
    const std::vector<OpenSpan> outer(open_.begin(), open_.begin() + static_cast<ptrdiff_t>(depth));
    const auto part = ADA_TRY(plan.tail(outer, upTo_, skips));
    if (!part)
      return {};
    ADA_TRY(readPart(worker, *part));
    if (skips && part->first != upTo_) {
      // Calls inside them that are open there began later than any that is wanted.
      std::vector<OpenSpan> &before = worker.reader.ends().before;
      if (before.size() < depth)
        return readWhole(worker, plan);
      open_.resize(depth);
      for (size_t i = depth; i < before.size(); ++i)
        open_.push_back(
            {.functionId = before[i].functionId, .beginNs = before[i].beginNs, .function = before[i].function});
      lastNs_ = 0;
    }
    ADA_TRY(joinPart(worker, plan));
  }
}

// Reads the thread again, in one piece; calls that ended in the parts before this one were handed on already.
Expected<void> SpanRead::readWhole(Worker &worker, ThreadPlan &plan) {
  const SpanPart part = worker.reader.part();
  open_.clear();
  isJoined_ = true;
  ADA_TRY(readPart(worker,
                   {.thread = part.thread, .skipEndsUntil = part.first > plan.parts().front().first ? part.first : 0}));
  ADA_TRY(hand(worker.reader.rows));
  isDone_ = true;
  isJoined_ = false;
  return {};
}

} // namespace ada::query
