// Single calls.
#include "call_answers.h"

#include "analysis/calls/value_reader.h"
#include "analysis/events/globbed_function.h"
#include "trace/base/try.h"

#include <algorithm>
#include <tuple>

namespace ada::view {

namespace {

// How far an answer about one call looks for its end, and for other calls of its function.
constexpr uint64_t kMaxEventsBehind = 500'000;
// The number of calls whose arguments are searched for a text.
constexpr size_t kMaxArguments = 5'000;

std::optional<uint64_t> known(uint64_t seq) { return seq == kNoSeq ? std::nullopt : std::optional(seq); }

// Finds the call that event `seq` began, its neighbours and its end.
class CallSearch : public CallVisitor {
public:
  CallSearch(uint32_t thread, uint64_t seq) : seq_(seq) { call.seq = seq, call.thread = thread; }

  bool goesOn(uint64_t seq, uint64_t) override {
    if (!isFound)
      return seq <= seq_;
    return !(hasEnded && isNextKnown_ && call.nextSame) && seq <= seq_ + kMaxEventsBehind;
  }
  void begin(const OpenCall &open, uint32_t depth) override {
    stack_.resize(depth);
    stack_.push_back(open.seq);
    functions_.resize(depth, kNoFunction);
    functions_.push_back(open.function);
    last_.resize(depth + size_t{1}, kNoSeq);
    last_.push_back(kNoSeq); // no child yet
    if (isFound)
      return meet(open, depth);
    if (open.seq != seq_)
      return;
    isFound = true;
    call.function = open.function, call.depth = depth, call.beginNs = open.beginNs;
    call.parent = depth ? known(stack_[depth - 1]) : std::nullopt;
    call.previous = known(last_[depth]);
    for (uint32_t at = depth; at-- > 0 && functions_[at] != kNoFunction;)
      call.callers.push_back(functions_[at]);
  }
  void end(const Span &span) override {
    stack_.resize(span.depth);
    last_.resize(span.depth + size_t{1}, kNoSeq);
    last_[span.depth] = span.beginSeq;
    if (!isFound)
      return;
    if (span.beginSeq == seq_ && span.depth == call.depth && !hasEnded) {
      hasEnded = true, endSeq = span.endSeq;
      call.endNs = span.endNs, call.how = span.how;
      call.selfNs = span.selfNs(), call.calls = span.calls;
    } else if (span.depth < call.depth) {
      isNextKnown_ = true; // the caller has ended
    }
  }

  CallDetails call;
  bool isFound = false, hasEnded = false;
  uint64_t endSeq = kNoSeq;

private:
  static constexpr uint32_t kNoFunction = ~uint32_t{0};

  void meet(const OpenCall &open, uint32_t depth) {
    if (!call.nextSame && open.function == call.function)
      call.nextSame = known(open.seq);
    if (!hasEnded && depth == call.depth + 1 && !call.firstChild)
      call.firstChild = known(open.seq);
    if (hasEnded && !isNextKnown_ && depth <= call.depth) {
      isNextKnown_ = true;
      if (depth == call.depth)
        call.next = known(open.seq);
    }
  }

  uint64_t seq_;
  bool isNextKnown_ = false;
  std::vector<uint64_t> stack_;     // numbers of the open calls
  std::vector<uint32_t> functions_; // theirs
  std::vector<uint64_t> last_;      // by depth, the last call that ended there since its caller began
};

// The last call of a function before an event.
class SameSearch : public CallVisitor {
public:
  SameSearch(uint32_t function, uint64_t before) : function_(function), before_(before) {}
  bool goesOn(uint64_t seq, uint64_t) override { return seq < before_; }
  void begin(const OpenCall &open, uint32_t) override {
    if (open.function == function_ && open.seq != kNoSeq && open.seq < before_)
      found = open.seq;
  }
  std::optional<uint64_t> found;

private:
  uint32_t function_;
  uint64_t before_;
};

Expected<void> findPreviousSame(TraceView &view, CallDetails &call) {
  uint64_t before = call.seq;
  while (before > 0 && call.seq - before < kMaxEventsBehind && !call.previousSame) {
    const auto place = ADA_TRY(view.placeOf(call.thread, before - 1));
    SameSearch search(call.function, before);
    ADA_TRY(view.walk(call.thread, place, search));
    call.previousSame = search.found;
    before = std::min(before - 1, place.seq);
  }
  return {};
}

// The end is too far away to read up to it, but the index knows it.
Expected<void> findEnd(TraceView &view, CallSearch &search) {
  const auto index = view.index();
  if (!index)
    return {};
  CallDetails &call = search.call;
  const auto calls = index->calls(call.thread, call.beginNs, call.beginNs + 1, index->cellNs(call.thread));
  if (!calls) {
    view.dropIndex(calls.error());
    return {};
  }
  const auto at = std::ranges::find_if(
      *calls, [&](const IndexCall &one) { return one.item.seq == call.seq && one.item.depth == call.depth; });
  if (at == calls->end() || at->item.kind == ItemKind::Open || at->endSeq == kNoSeq)
    return {};
  search.hasEnded = true, search.endSeq = at->endSeq;
  call.endNs = at->item.endNs, call.how = endOf(at->item.kind);
  call.calls = at->calls, call.selfNs = at->selfNs;
  // Find what comes next.
  const auto place = ADA_TRY(view.placeOf(call.thread, at->endSeq));
  struct Behind : CallVisitor {
    bool goesOn(uint64_t seq, uint64_t) override { return !isDone && seq <= endSeq + kMaxEventsBehind; }
    void begin(const OpenCall &open, uint32_t at) override {
      if (hasEnded && at <= depth) {
        isDone = true;
        if (at == depth)
          next = known(open.seq);
      }
    }
    void end(const Span &span) override {
      hasEnded |= span.beginSeq == seq && span.depth == depth;
      isDone |= span.depth < depth;
    }
    uint64_t seq = 0, endSeq = 0;
    uint32_t depth = 0;
    bool hasEnded = false, isDone = false;
    std::optional<uint64_t> next;
  } behind;
  behind.seq = call.seq, behind.endSeq = at->endSeq, behind.depth = call.depth;
  ADA_TRY(view.walk(call.thread, place, behind));
  call.next = behind.next;
  return {};
}

} // namespace

Expected<std::optional<CallDetails>> callDetails(TraceView &view, uint32_t thread, uint64_t seq) {
  if (seq >= view.table().threads[thread].extent->events)
    return std::optional<CallDetails>();
  CallSearch search(thread, seq);
  const auto place = ADA_TRY(view.placeOf(thread, seq));
  ADA_TRY(view.walk(thread, place, search));
  if (!search.isFound)
    return std::optional<CallDetails>();
  CallDetails &call = search.call;
  // The call before it, or the caller's number, may lie on the other side of the place.
  if (place.seq > 0 && ((!call.previous && call.parent.value_or(kNoSeq) + 1 != seq) || (call.depth && !call.parent))) {
    const auto earlier = ADA_TRY(view.placeOf(thread, place.seq - 1));
    CallSearch again(thread, seq);
    ADA_TRY(view.walk(thread, earlier, again));
    call.previous = again.call.previous;
    if (!call.parent)
      call.parent = again.call.parent, call.callers = again.call.callers;
  }
  if (!search.hasEnded)
    ADA_TRY(findEnd(view, search));
  ADA_TRY(findPreviousSame(view, call));
  call.knowsSched = view.table().threads[thread].knowsSched();
  if (const OffCpuLane *lane = view.table().threads[thread].offCpu.get())
    call.offCpu = lane->timesBetween(call.beginNs, call.endNs.value_or(lane->knownToNs()));

  const TraceView::Lease reader = view.lease();
  analysis::ValueReader values(*reader->source, reader->table);
  Span span;
  span.beginSeq = seq, span.endSeq = search.endSeq, span.how = call.how;
  auto read = ADA_TRY(values.of(thread, span));
  call.arguments = std::move(read.arguments);
  call.result = std::move(read.result);
  return std::optional(std::move(call));
}

Expected<std::optional<uint64_t>> callAt(TraceView &view, uint32_t thread, uint64_t ns, uint32_t depth) {
  struct Search : CallVisitor {
    bool goesOn(uint64_t, uint64_t timeNs) override { return timeNs <= ns; }
    void begin(const OpenCall &open, uint32_t at) override {
      if (at == depth)
        found = open;
    }
    void end(const Span &span) override {
      if (found && span.depth <= depth && span.endNs < ns)
        found.reset();
    }
    uint64_t ns = 0;
    uint32_t depth = 0;
    std::optional<OpenCall> found;
  };
  Search search;
  search.depth = depth;
  // If the call began before the place, search again from where it began.
  for (uint64_t at : {ns, ns}) {
    at = search.found ? search.found->beginNs : at;
    search.ns = at;
    search.found.reset();
    const auto place = ADA_TRY(view.placeBefore(thread, at));
    ADA_TRY(view.walk(thread, place, search));
    if (!search.found || search.found->seq != kNoSeq)
      break;
  }
  return search.found ? known(search.found->seq) : std::nullopt;
}

Expected<std::optional<uint64_t>> innermostAt(TraceView &view, uint32_t thread, uint64_t ns) {
  struct Depth : CallVisitor {
    bool goesOn(uint64_t, uint64_t timeNs) override { return timeNs <= ns; }
    void begin(const OpenCall &, uint32_t at) override { open = at + 1; }
    void end(const Span &span) override {
      if (span.how != SpanEnd::Open)
        open = span.depth;
    }
    uint64_t ns = 0;
    uint32_t open = 0;
  } depth;
  depth.ns = ns;
  const auto place = ADA_TRY(view.placeBefore(thread, ns));
  ADA_TRY(view.walk(thread, place, depth));
  return depth.open > 0 ? callAt(view, thread, ns, depth.open - 1) : std::optional<uint64_t>();
}

//===--- find -------------------------------------------------------------===//

namespace {

// The functions to look for. Each function is checked once.
class FunctionChoice {
public:
  FunctionChoice(const FunctionList &functions, const std::string &globs) : functions_(functions), globs_(globs) {}
  bool has(uint32_t function) {
    if (globs_.empty())
      return true;
    if (function >= chosen_.size())
      chosen_.resize(function + size_t{1}, -1);
    if (chosen_[function] < 0) {
      const model::Function about = functions_.at(function);
      chosen_[function] = analysis::GlobbedFunction(about).matches(globs_);
    }
    return chosen_[function] != 0;
  }

private:
  const FunctionList &functions_;
  const std::string &globs_;
  std::vector<signed char> chosen_; // -1: not known yet
};

bool isEarlier(const FoundCalls::Call &a, const FoundCalls::Call &b) {
  return std::tuple(a.item.beginNs, a.thread, a.item.seq) < std::tuple(b.item.beginNs, b.thread, b.item.seq);
}
bool isSlower(const FoundCalls::Call &a, const FoundCalls::Call &b) {
  const uint64_t left = a.item.endNs - a.item.beginNs, right = b.item.endNs - b.item.beginNs;
  return left != right ? left > right : isEarlier(a, b);
}

// Candidates of one thread.
class FindVisitor : public CallVisitor {
public:
  FindVisitor(const FindRequest &request, FunctionChoice &choice, uint64_t &read, uint32_t thread, size_t most)
      : request_(request), choice_(choice), read_(read), thread_(thread), most_(most) {}

  bool goesOn(uint64_t, uint64_t timeNs) override {
    if (++read_ > request_.mostEvents) {
      isCut = true;
      return false;
    }
    if (timeNs >= request_.toNs && open_.empty())
      return false;
    // A call that is not long enough yet, but began before one of these, contains that one, so it is long enough
    // already. The first calls are therefore among these and the open ones.
    return request_.slowestFirst || calls.size() < most_;
  }
  void begin(const OpenCall &call, uint32_t depth) override {
    if (call.beginNs >= request_.fromNs && call.beginNs < request_.toNs && call.seq != kNoSeq &&
        choice_.has(call.function))
      open_.push_back({.beginNs = call.beginNs,
                       .endNs = call.beginNs,
                       .seq = call.seq,
                       .depth = depth,
                       .function = call.function,
                       .kind = ItemKind::Open});
  }
  void end(const Span &span) override {
    if (open_.empty() || open_.back().seq != span.beginSeq)
      return;
    Item item = open_.back();
    open_.pop_back();
    item.endNs = span.endNs;
    item.kind = itemKindOf(span.how);
    add(item);
  }
  void finish(const ThreadWalk &walk) {
    for (Item &item : open_) {
      item.endNs = std::max(walk.latestNs(), item.beginNs);
      add(item);
    }
  }

  std::vector<FoundCalls::Call> calls;
  bool isCut = false;

private:
  void add(const Item &item) {
    if (item.endNs - item.beginNs < request_.minNs)
      return;
    calls.push_back({.item = item, .thread = thread_, .arguments = {}});
    if (!request_.slowestFirst || calls.size() < 2 * most_ + 1000)
      return;
    std::ranges::nth_element(calls, calls.begin() + static_cast<ptrdiff_t>(most_), isSlower);
    calls.resize(most_);
  }

  const FindRequest &request_;
  FunctionChoice &choice_;
  uint64_t &read_;
  uint32_t thread_;
  size_t most_;            // number of calls wanted from this thread
  std::vector<Item> open_; // outermost first
};

// For a call that had not ended where reading stopped.
Expected<void> findEnd(const ViewerIndex &index, FoundCalls::Call &call) {
  const auto calls =
      ADA_TRY(index.calls(call.thread, call.item.beginNs, call.item.beginNs + 1, index.cellNs(call.thread)));
  for (const IndexCall &one : calls)
    if (one.item.seq == call.item.seq && one.item.kind != ItemKind::Open)
      call.item = one.item;
  return {};
}

// All calls that are long enough, from the index.
Expected<std::vector<FoundCalls::Call>> longCalls(const ViewerIndex &index, const FindRequest &request,
                                                  FunctionChoice &choice, uint64_t minNs) {
  std::vector<FoundCalls::Call> found;
  for (const uint32_t thread : request.threads) {
    const auto calls = ADA_TRY(index.calls(thread, request.fromNs, request.toNs, minNs));
    for (const IndexCall &call : calls)
      if (call.item.beginNs >= request.fromNs && call.item.beginNs < request.toNs && call.item.seq != kNoSeq &&
          choice.has(call.item.function))
        found.push_back({.item = call.item, .thread = thread, .arguments = {}});
  }
  return found;
}

// The index has every call of these threads that is at least this long.
uint64_t leastInIndex(const ViewerIndex &index, const FindRequest &request) {
  uint64_t least = 0;
  for (const uint32_t thread : request.threads)
    least = std::max(least, index.cellNs(thread));
  return least;
}

Expected<bool> findInIndex(TraceView &view, const FindRequest &request, FunctionChoice &choice, size_t most,
                           FoundCalls &found) {
  const auto index = view.index();
  if (!index)
    return false;
  const uint64_t least = leastInIndex(*index, request);
  if (!request.slowestFirst && request.minNs < least)
    return false;
  // Try shorter and shorter calls until there are enough.
  const uint64_t lowest = std::max(least, request.minNs);
  uint64_t minNs = request.slowestFirst ? std::max(lowest, view.endNs() - view.startNs()) : lowest;
  for (;; minNs = std::max(lowest, minNs / (kLevelFactor * kLevelFactor))) {
    auto calls = longCalls(*index, request, choice, minNs);
    if (!calls) {
      view.dropIndex(calls.error());
      return false;
    }
    found.calls = *std::move(calls);
    if (found.calls.size() >= most || minNs == lowest)
      break;
  }
  return found.calls.size() >= most || request.minNs >= least;
}

Expected<void> findInEvents(TraceView &view, const FindRequest &request, FunctionChoice &choice, size_t most,
                            FoundCalls &found) {
  found.calls.clear();
  uint64_t read = 0;
  for (const uint32_t thread : request.threads) {
    if (view.table().threads[thread].extent->events == 0)
      continue;
    const auto place = ADA_TRY(view.placeBefore(thread, request.fromNs));
    FindVisitor visitor(request, choice, read, thread, most);
    ADA_TRY(view.walk(thread, place, visitor, [&](const ThreadWalk &walk) { visitor.finish(walk); }));
    found.isComplete &= !visitor.isCut;
    found.calls.insert(found.calls.end(), visitor.calls.begin(), visitor.calls.end());
  }
  return {};
}

} // namespace

Expected<FoundCalls> findCalls(TraceView &view, const FindRequest &request) {
  FoundCalls found;
  if (request.limit == 0 || request.fromNs >= request.toNs)
    return found;
  FunctionChoice choice(view.functions(), request.function);
  const size_t most = request.arguments.empty() ? request.limit : std::max(request.limit, kMaxArguments);
  const auto isDone = ADA_TRY(findInIndex(view, request, choice, most, found));
  if (!isDone)
    ADA_TRY(findInEvents(view, request, choice, most, found));
  std::ranges::sort(found.calls, request.slowestFirst ? isSlower : isEarlier);
  if (found.calls.size() > most) {
    found.isComplete &= request.arguments.empty();
    found.calls.resize(most);
  }

  std::vector<FoundCalls::Call> chosen;
  const TraceView::Lease reader = view.lease();
  analysis::ValueReader values(*reader->source, reader->table);
  for (FoundCalls::Call &call : found.calls) {
    if (chosen.size() == request.limit)
      break;
    if (StopScope::isOver())
      return StopScope::stopped();
    auto read = ADA_TRY(values.of(call.thread, call.item.seq));
    call.arguments = std::move(read.arguments);
    if (request.arguments.empty() || call.arguments.find(request.arguments) != std::string::npos)
      chosen.push_back(std::move(call));
  }
  found.calls = std::move(chosen);
  if (const auto index = view.index())
    for (FoundCalls::Call &call : found.calls)
      if (call.item.kind == ItemKind::Open)
        if (const auto done = findEnd(*index, call); !done)
          view.dropIndex(done.error());
  return found;
}

} // namespace ada::view
