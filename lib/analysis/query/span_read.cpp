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

Expected<void> SpanRead::readPart(Worker &worker, const SpanPart &part, uint64_t skipEndsUntil) {
  worker.reader.beginPart(part, skipEndsUntil);
  return worker.source->readPart(worker.reader, analysis::requestOf(part));
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
    open_ = {};
    isDone_ = false;
    upTo_ = 0;
  }
  return {};
}

Expected<void> SpanRead::joinPart(Worker &worker, ThreadPlan &plan) {
  const bool isSame = !worker.isInconsistent && ADA_TRY(emit(worker, plan)) && ADA_TRY(endCrossing(worker, plan));
  if (!isSame)
    return readWhole(worker, plan);
  open_.openAfter(worker.reader.ends());
  upTo_ = worker.reader.part().last;
  isJoined_ = false;
  return {};
}

// Compares the calls that are open at the part's start with those that the parts before it left open. False if they
// differ: a block is damaged, or calls were deeper than a list of them can be.
bool SpanRead::begin(Worker &worker) {
  const SpanEnds &ends = worker.reader.ends();
  isJoined_ = true;
  if (!ends.hasEvents)
    return true;
  if (ends.part.continues() && upTo_ == 0 && open_.calls.empty()) { // nothing was read before it
    for (const OpenSpan &call : ends.before)
      open_.calls.push_back(
          {.functionId = call.functionId, .beginNs = call.beginNs, .note = {.function = call.note.function}});
    seedSeq_ = ends.part.first;
  }
  return open_.fit(ends);
}

bool SpanRead::isWanted(size_t depth) const {
  const OpenSpan &call = open_.calls[depth];
  const bool isKnown = call.note.id != SpanNote::kNoId;
  return filter_.wantsBegin(call.note.function, static_cast<uint32_t>(depth), call.beginNs) &&
         (!filter_.hasIds() || (isKnown && filter_.wantsId(call.note.id)));
}

// Finds the id of a call that began before the first part that was read. False if it can't be found.
Expected<bool> SpanRead::resolve(size_t depth, ThreadPlan &plan) {
  SpanNote &call = open_.calls[depth].note;
  if (call.id != SpanNote::kNoId)
    return true;
  const std::vector<OpenSpan> outer(open_.calls.begin(), open_.calls.begin() + static_cast<ptrdiff_t>(depth) + 1);
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
      parent = open_.calls[depth].note.id;
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
  const SpanEnds &ends = worker.reader.ends();
  if (!ends.hasEvents)
    return true;
  open_.addTimes(ends, trace_.table());
  worker.crossing.clear();
  worker.crossing.beginThread(ends.part.thread);
  const bool hasIds = request_.columns.hasAny({SpanColumn::Id, SpanColumn::ParentId});
  for (; const OpenSpan *end = open_.nextEnd(ends); open_.calls.pop_back()) {
    const OpenSpan &call = open_.calls.back();
    const Span span = open_.spanOf(*end);
    if (!isWanted(span.depth) || !filter_.wantsEnd(span.beginNs, span.endNs))
      continue;
    if (hasIds && (!ADA_TRY(resolve(span.depth, plan)) || (span.depth > 0 && !ADA_TRY(resolve(span.depth - 1, plan)))))
      return false;
    const uint64_t self = span.selfNs();
    worker.crossing.add({.id = call.note.id,
                         .parentId = span.depth > 0 ? open_.calls[span.depth - 1].note.id : kNoParent,
                         .beginNs = span.beginNs,
                         .endNs = span.endNs,
                         .selfNs = self - std::min(self, call.off.self.recorderNs),
                         .off = call.off,
                         .function = call.note.function,
                         .depth = span.depth,
                         .how = span.how,
                         .isOutermost = end->note.isOutermost,
                         .arguments = call.note.arguments,
                         .result = end->note.result});
    if (worker.crossing.size() >= SpanPartReader::kMaxRows)
      ADA_TRY(hand(worker.crossing));
  }
  ADA_TRY(hand(worker.crossing));
  return true;
}

// After the last part that was planned: reads on until all calls that are wanted have ended.
Expected<void> SpanRead::followOpen(Worker &worker, ThreadPlan &plan) {
  const bool skips = !request_.columns.hasAny(kSumColumns);
  for (;;) {
    size_t depth = open_.calls.size();
    while (depth > 0 && !isWanted(depth - 1))
      --depth;
    if (depth == 0 || isDone_)
      return {};
    const std::vector<OpenSpan> outer(open_.calls.begin(), open_.calls.begin() + static_cast<ptrdiff_t>(depth));
    const auto part = ADA_TRY(plan.tail(outer, upTo_, skips));
    if (!part)
      return {};
    ADA_TRY(readPart(worker, *part));
    if (skips && part->first != upTo_) {
      // Calls inside them that are open there began later than any that is wanted.
      const std::vector<OpenSpan> &before = worker.reader.ends().before;
      if (before.size() < depth)
        return readWhole(worker, plan);
      open_.calls.resize(depth);
      for (size_t i = depth; i < before.size(); ++i)
        open_.calls.push_back({.functionId = before[i].functionId,
                               .beginNs = before[i].beginNs,
                               .note = {.function = before[i].note.function}});
      open_.lastNs = 0;
    }
    ADA_TRY(joinPart(worker, plan));
  }
}

// Reads the thread again, in one piece; calls that ended in the parts before this one were handed on already.
Expected<void> SpanRead::readWhole(Worker &worker, ThreadPlan &plan) {
  const SpanPart part = worker.reader.part();
  open_.calls.clear();
  isJoined_ = true;
  ADA_TRY(readPart(worker, {.thread = part.thread}, part.first > plan.parts().front().first ? part.first : 0));
  ADA_TRY(hand(worker.reader.rows));
  isDone_ = true;
  isJoined_ = false;
  return {};
}

} // namespace ada::query
