// A trace that is opened for a viewer.
#include "trace_view.h"

#include "trace/base/try.h"
#include "trace/spool.h"

#include <algorithm>
#include <functional>

namespace ada::view {

namespace {

// Limit on the events read for one picture of a thread. It is at least this, and at least as many events as its pixels
// stand for in the finest boxes of the index. Half a million events take about 10 ms.
constexpr uint64_t kMaxEvents = 200'000;
uint64_t mostEvents(const PictureRequest &request) { return std::max(kMaxEvents, request.pixels * kCellEvents); }
// And this many after it, to see how calls end.
constexpr uint64_t kEventsBehind = 20'000;
// The limit when reading from the start: a trace without places to enter has no index yet.
constexpr uint64_t kMaxEventsFromStart = 4'000'000;
constexpr size_t kMaxSamples = 256;

Item itemOf(const Span &span) {
  return {.beginNs = span.beginNs,
          .endNs = span.endNs,
          .seq = span.beginSeq,
          .count = 1,
          .fillNs = span.durationNs(),
          .depth = span.depth,
          .function = span.functionIndex,
          .kind = itemKindOf(span.how)};
}

} // namespace

// Places where reading can start. Nothing changes except the times, which are looked up when needed.
struct TraceView::ThreadCuts {
  explicit ThreadCuts(std::vector<uint64_t> all) : seqs(std::move(all)), times(seqs.size()) {}
  std::vector<uint64_t> seqs;
  std::vector<std::atomic<uint64_t>> times; // time plus 1; 0 if not known
};

Expected<std::shared_ptr<TraceView>> TraceView::open(std::unique_ptr<model::TraceSource> source,
                                                     FunctionList &functions) {
  auto threadwise = ADA_TRY(model::makeThreadwise(std::move(source)));
  std::shared_ptr<TraceView> view(new TraceView);
  view->functions_ = &functions;
  view->source_ = std::move(threadwise);
  analysis::TableSink sink(view->table_);
  model::ReadRequest nothing;
  nothing.threads.emplace();
  nothing.sharesFunctions = true;
  ADA_TRY(view->source_->readPart(sink, nothing));
  bool any = false;
  for (const model::Thread &thread : view->table_.threads)
    if (thread.extent && thread.extent->events) {
      view->start_ = any ? std::min(view->start_, thread.extent->firstNs) : thread.extent->firstNs;
      view->end_ = std::max(view->end_, thread.extent->lastNs);
      view->events_ += thread.extent->events;
      any = true;
    }
  view->end_ = std::max(view->end_, view->start_);
  view->cuts_.resize(view->table_.threads.size());
  view->tell(*view->source_);
  return view;
}

std::vector<std::string> TraceView::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

void TraceView::tell(const model::TraceSource &source) {
  const std::lock_guard lock(mutex_);
  const auto add = [&](const std::string &text) {
    if (std::ranges::find(warnings_, text) == warnings_.end())
      warnings_.push_back(text);
  };
  for (const Error &problem : source.problems())
    add(problem.text());
  for (const Warning &warning : source.warnings())
    add(warning.message);
}

TraceView::Lease TraceView::lease() {
  const std::lock_guard lock(mutex_);
  if (readers_.empty())
    return {*this, std::make_unique<Reader>(source_->another(), table_, *functions_)};
  std::unique_ptr<Reader> reader = std::move(readers_.back());
  readers_.pop_back();
  return {*this, std::move(reader)};
}

void TraceView::giveBack(std::unique_ptr<Reader> reader) {
  tell(*reader->source);
  const std::lock_guard lock(mutex_);
  readers_.push_back(std::move(reader));
}

//===--- places -----------------------------------------------------------===//

TraceView::ThreadCuts &TraceView::cutsOf(uint32_t thread) {
  const std::lock_guard lock(mutex_);
  if (!cuts_[thread])
    cuts_[thread] = std::make_unique<ThreadCuts>(source_->cuts(thread, ~size_t{0}));
  return *cuts_[thread];
}

Expected<uint64_t> TraceView::timeOf(uint32_t thread, ThreadCuts &cuts, size_t cut) {
  if (const uint64_t known = cuts.times[cut].load(std::memory_order_relaxed))
    return known - 1;
  struct Sink : analysis::TableSink {
    using TableSink::TableSink;
    Expected<void> events(const model::Batch &batch) override {
      timeNs = batch.events.front().timeNs;
      return {};
    }
    uint64_t timeNs = ~uint64_t{0} - 1;
  };
  const Lease reader = lease();
  Sink sink(reader->table);
  model::ReadRequest request;
  request.threads = {thread};
  request.fromSeq = cuts.seqs[cut], request.toSeq = cuts.seqs[cut] + 1;
  request.isFurther = true;
  ADA_TRY(reader->source->readPart(sink, request));
  cuts.times[cut].store(sink.timeNs + 1, std::memory_order_relaxed);
  return sink.timeNs;
}

// The last cut whose event comes before `ns`, or the first one.
Expected<size_t> TraceView::cutBefore(uint32_t thread, ThreadCuts &cuts, uint64_t ns) {
  size_t low = 0, high = cuts.seqs.size();
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    const auto time = ADA_TRY(timeOf(thread, cuts, middle));
    (time < ns ? low : high) = middle;
  }
  return low;
}

void TraceView::setIndex(std::shared_ptr<const ViewerIndex> index) {
  const std::lock_guard lock(mutex_);
  index_ = std::move(index);
}

std::shared_ptr<const ViewerIndex> TraceView::index() const {
  const std::lock_guard lock(mutex_);
  return index_;
}

void TraceView::dropIndex(const Error &why) {
  const std::lock_guard lock(mutex_);
  if (index_)
    warnings_.push_back(why.text());
  index_ = nullptr;
}

Expected<ReadingPlace> TraceView::placeBefore(uint32_t thread, uint64_t ns) {
  if (const auto index = this->index()) {
    auto place = index->placeBefore(thread, ns);
    if (place)
      return place;
    dropIndex(place.error());
  }
  ThreadCuts &cuts = cutsOf(thread);
  const auto cut = ADA_TRY(cutBefore(thread, cuts, ns));
  return ReadingPlace{.seq = cuts.seqs[cut], .open = {}};
}

Expected<ReadingPlace> TraceView::placeOf(uint32_t thread, uint64_t seq) {
  if (const auto index = this->index()) {
    auto place = index->placeOf(thread, seq);
    if (place)
      return place;
    dropIndex(place.error());
  }
  const ThreadCuts &cuts = cutsOf(thread);
  const auto next = std::upper_bound(cuts.seqs.begin(), cuts.seqs.end(), seq);
  return ReadingPlace{.seq = next == cuts.seqs.begin() ? 0 : *(next - 1), .open = {}};
}

Expected<std::pair<uint64_t, uint64_t>> TraceView::seqsAround(uint32_t thread, uint64_t fromNs, uint64_t toNs) {
  ThreadCuts &cuts = cutsOf(thread);
  const auto first = ADA_TRY(cutBefore(thread, cuts, fromNs));
  const auto last = ADA_TRY(cutBefore(thread, cuts, toNs));
  return std::pair(cuts.seqs[first],
                   last + 1 < cuts.seqs.size() ? cuts.seqs[last + 1] : table_.threads[thread].extent->events);
}

Expected<bool> TraceView::walk(uint32_t thread, const ReadingPlace &place, CallVisitor &visitor,
                               const std::function<void(ThreadWalk &)> &after) {
  const Lease reader = lease();
  ThreadWalk sink(reader->table, reader->numbers, place, table_.threads[thread].offCpu.get(), visitor);
  model::ReadRequest request;
  request.threads = {thread};
  request.fromSeq = place.seq;
  request.isFurther = true;
  request.withOpenCalls = place.sourceKnowsOpen;
  const auto done = reader->source->readPart(sink, request);
  if (!done && !analysis::isEarlyEnd(done.error()))
    return done.error();
  if (after)
    after(sink);
  return static_cast<bool>(done);
}

//===--- pictures ---------------------------------------------------------===//

namespace {

// Draws calls as they end.
class EventsPicture : public CallVisitor {
public:
  EventsPicture(PictureBuilder &builder, uint64_t most) : builder_(builder), most_(most) {}

  bool goesOn(uint64_t, uint64_t timeNs) override {
    if (timeNs >= builder_.toNs()) {
      // Calls that began in the range still end.
      if (open_ == 0)
        return false;
      isBehind_ = true;
      return ++behind_ <= kEventsBehind;
    }
    return ++read_ <= most_;
  }
  void begin(const OpenCall &call, uint32_t depth) override {
    if (call.beginNs < builder_.toNs() && !isBehind_)
      open_ = depth + 1, maxDepth_ = std::max(maxDepth_, open_);
  }
  void end(const Span &call) override {
    if (call.beginNs < builder_.toNs())
      open_ = std::min(open_, call.depth);
    builder_.add(itemOf(call));
  }
  /// Some part of the range was not read.
  bool isCut() const { return read_ > most_; }
  uint32_t maxDepth() const { return maxDepth_; }

private:
  PictureBuilder &builder_;
  uint64_t most_, read_ = 0, behind_ = 0;
  bool isBehind_ = false;
  uint32_t open_ = 0; // those that began before the range's end
  uint32_t maxDepth_ = 0;
};

} // namespace

Expected<bool> TraceView::readEvents(const PictureRequest &request, const ReadingPlace &place, const ViewerIndex *index,
                                     Picture &picture) {
  PictureBuilder builder(request.fromNs, request.toNs, request.pixels, request.depths);
  EventsPicture visitor(builder, std::max(mostEvents(request), place.seq == 0 ? kMaxEventsFromStart : 0));
  std::vector<Item> open;
  const auto ended = walk(request.thread, place, visitor, [&](const ThreadWalk &walk) {
    const uint64_t endNs = visitor.isCut() ? std::min(walk.latestNs(), request.toNs) : request.toNs;
    for (const Span &span : walk.open())
      if (span.beginNs < request.toNs)
        open.push_back({.beginNs = span.beginNs,
                        .endNs = std::max(endNs, span.beginNs),
                        .seq = span.beginSeq,
                        .depth = span.depth,
                        .function = span.functionIndex,
                        .kind = ItemKind::Open});
  });
  if (!ended)
    return ended.error();
  picture.isExact = !visitor.isCut();
  if (!*ended && !open.empty()) {
    // Long calls that end later.
    std::vector<IndexCall> calls;
    if (index)
      calls = ADA_TRY(index->calls(request.thread, request.toNs - 1, request.toNs, index->cellNs(request.thread)));
    for (Item &item : open) {
      const auto call = std::ranges::find_if(calls, [&](const IndexCall &one) {
        return one.item.depth == item.depth && one.item.beginNs == item.beginNs && one.item.seq == item.seq;
      });
      picture.isExact &= call != calls.end();
      if (call != calls.end() && call->item.kind != ItemKind::Open)
        item.endNs = call->item.endNs, item.kind = call->item.kind;
    }
  }
  for (Item &item : open) {
    item.fillNs = item.endNs - item.beginNs;
    builder.add(item);
  }
  picture.maxDepth = visitor.maxDepth();
  picture.items = builder.finish();
  return true;
}

Expected<Picture> TraceView::indexPicture(const PictureRequest &request, const ViewerIndex &index) {
  Picture picture;
  auto first = index.placeBefore(request.thread, request.fromNs);
  const auto last = index.placeBefore(request.thread, request.toNs);
  if (!first || !last)
    return first ? last.error() : first.error();
  if (last->seq - first->seq <= mostEvents(request)) {
    ADA_TRY(readEvents(request, *first, &index, picture));
    return picture;
  }
  PictureBuilder builder(request.fromNs, request.toNs, request.pixels, request.depths);
  auto items = ADA_TRY(index.items(request.thread, request.fromNs, request.toNs, builder.pixelNs()));
  for (Item &item : items) {
    if (item.kind == ItemKind::Open)
      item.endNs = std::max(item.endNs, request.toNs), item.fillNs = item.endNs - item.beginNs;
    picture.maxDepth = std::max(picture.maxDepth, item.depth + 1);
    builder.add(item);
  }
  picture.from = Picture::From::Index;
  picture.items = builder.finish();
  return picture;
}

Expected<bool> TraceView::readSamples(const PictureRequest &request, size_t first, size_t last, Picture &picture) {
  struct Sink : analysis::TableSink {
    using TableSink::TableSink;
    Expected<void> events(const model::Batch &batch) override {
      for (const model::Event &event : batch.events)
        if (event.isEarlier)
          open.push_back(event);
      return {};
    }
    std::vector<model::Event> open;
  };
  ThreadCuts &cuts = cutsOf(request.thread);
  const size_t samples = std::clamp<size_t>(request.pixels, 1, kMaxSamples);
  const size_t step = std::max<size_t>((last - first + samples) / samples, 1);
  std::vector<Item> row; // calls open at the previous place, by depth
  const Lease reader = lease();
  PictureBuilder builder(request.fromNs, request.toNs, request.pixels, request.depths);
  for (size_t cut = first; cut < cuts.seqs.size(); cut += step) {
    if (StopScope::isOver())
      return StopScope::stopped();
    const auto time = ADA_TRY(timeOf(request.thread, cuts, cut));
    Sink sink(reader->table);
    model::ReadRequest part;
    part.threads = {request.thread};
    part.fromSeq = part.toSeq = cuts.seqs[cut];
    part.isFurther = part.withOpenCalls = true;
    ADA_TRY(reader->source->readPart(sink, part));
    size_t same = 0;
    while (same < row.size() && same < sink.open.size() && row[same].beginNs == sink.open[same].timeNs &&
           row[same].function == reader->numbers.of(sink.open[same].function))
      ++same;
    // Calls that are no longer open ended somewhere in between, at the latest where the next call of their depth began.
    for (size_t depth = same; depth < row.size(); ++depth) {
      Item &item = row[depth];
      item.endNs = depth < sink.open.size() ? std::max(sink.open[depth].timeNs, item.beginNs) : time;
      item.fillNs = item.endNs - item.beginNs;
      builder.add(item);
    }
    row.resize(same);
    for (size_t depth = same; depth < sink.open.size(); ++depth)
      row.push_back({.beginNs = sink.open[depth].timeNs,
                     .endNs = sink.open[depth].timeNs,
                     .depth = static_cast<uint32_t>(depth),
                     .function = reader->numbers.of(sink.open[depth].function)});
    picture.maxDepth = std::max(picture.maxDepth, static_cast<uint32_t>(row.size()));
    if (cut > last)
      break;
  }
  for (Item &item : row) {
    item.endNs = std::max(request.toNs, item.beginNs);
    item.fillNs = item.endNs - item.beginNs;
    item.kind = ItemKind::Open;
    builder.add(item);
  }
  picture.from = Picture::From::Samples;
  picture.isExact = false;
  picture.items = builder.finish();
  return true;
}

// Times shorter than a pixel are added up pixel by pixel: this gives as many items as there are pixels, however many
// times there are.
static void drawOffCpu(const OffCpuLane &lane, const PictureRequest &request, std::vector<Item> &items) {
  const uint64_t pixelNs = std::max<uint64_t>((request.toNs - request.fromNs) / request.pixels, 1);
  const auto add = [&](uint64_t fromNs, uint64_t toNs, const OffCpuTimes &times, uint64_t count) {
    const uint64_t most = std::max({times.waitingNs, times.preemptedNs, times.recorderNs, times.unknownNs});
    const ItemKind kind = times.waitingNs == most     ? ItemKind::Waiting
                          : times.preemptedNs == most ? ItemKind::Preempted
                          : times.recorderNs == most  ? ItemKind::Recorder
                                                      : ItemKind::Unknown;
    if (most > 0)
      items.push_back({.beginNs = fromNs, .endNs = toNs, .count = count, .fillNs = times.notRunningNs(), .kind = kind});
  };
  for (uint64_t ns = request.fromNs; ns < request.toNs;) {
    const auto rest = lane.between(ns, request.toNs);
    if (rest.empty())
      return;
    const uint64_t beginNs = std::max(rest.front().fromNs, ns);
    uint64_t endNs = std::min(rest.front().toNs, request.toNs);
    const bool isWide = rest.front().durationNs() >= pixelNs;
    if (!isWide)
      endNs = std::min(beginNs - (beginNs - request.fromNs) % pixelNs + pixelNs, request.toNs);
    add(beginNs, endNs, lane.timesBetween(beginNs, endNs), isWide ? 1 : lane.between(beginNs, endNs).size());
    ns = endNs;
  }
}

Expected<Picture> TraceView::picture(const PictureRequest &request) {
  auto picture = drawCalls(request);
  if (const OffCpuLane *lane = table_.threads[request.thread].offCpu.get(); picture && lane && request.pixels > 0)
    drawOffCpu(*lane, request, picture->items);
  if (picture)
    for (const LossGap &gap : table_.threads[request.thread].gaps)
      if (gap.fromNs < request.toNs && gap.toNs >= request.fromNs)
        picture->items.push_back(
            {.beginNs = gap.fromNs, .endNs = gap.toNs, .count = gap.events.value_or(0), .kind = ItemKind::Gap});
  return picture;
}

Expected<Picture> TraceView::drawCalls(const PictureRequest &request) {
  Picture picture;
  if (table_.threads[request.thread].extent->events == 0 || request.fromNs >= request.toNs)
    return picture;
  if (const auto index = this->index()) {
    auto made = indexPicture(request, *index);
    if (made || made.error().code != "E_BAD_INDEX")
      return made;
    dropIndex(made.error());
  }
  ThreadCuts &cuts = cutsOf(request.thread);
  const auto first = cutBefore(request.thread, cuts, request.fromNs);
  const auto last = cutBefore(request.thread, cuts, request.toNs);
  if (!first || !last)
    return first ? last.error() : first.error();
  const uint64_t end =
      *last + 1 < cuts.seqs.size() ? cuts.seqs[*last + 1] : table_.threads[request.thread].extent->events;
  const bool isSmall = end - cuts.seqs[*first] <= mostEvents(request) || cuts.seqs.size() == 1;
  ADA_TRY(isSmall ? readEvents(request, {.seq = cuts.seqs[*first], .open = {}}, nullptr, picture)
                  : readSamples(request, *first, *last, picture));
  return picture;
}

} // namespace ada::view
