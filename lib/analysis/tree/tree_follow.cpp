// The calls of a session that is being recorded, each when it has ended.
#include "tree_follow.h"

#include "analysis/calls/off_cpu_follower.h"
#include "analysis/calls/own_time.h"
#include "analysis/events/early_end.h"

#include <utility>

namespace ada::analysis {

class TreeFollower::Thread {
public:
  Thread(TreeFollower &owner, uint32_t number, ValueTexts *values)
      : owner_(owner), number_(number), calls_(*this, owner.rules_, values),
        ownTime_(owner.rules_.options().fromNs, owner.rules_.options().toNs) {}

  /// The thread's off-CPU times have become more, too.
  void beginLook() {
    const FilterOptions &filter = owner_.rules_.options();
    const model::Thread &about = owner_.table_.threads[number_];
    offCpu_ =
        OffCpuFollower(about.offCpu.get(), filter.fromNs, filter.toNs, 2 * owner_.table_.processOf(about).resolutionNs);
    if (lastNs_ > 0)
      offCpu_.skipTo(lastNs_);
  }
  // As TreeWalk::take().
  bool take(uint64_t seq, const model::Event &event, const model::Batch &batch) {
    if (!event.isEarlier) {
      ownTime_.next(event.timeNs, calls_.walker());
      if (lastNs_ == 0)
        offCpu_.skipTo(event.timeNs);
      if (offCpu_.isDue(event.timeNs)) {
        calls_.settle();
        offCpu_.take(lastNs_, event.timeNs, [&](const OffCpu &off) { addOffCpu(off); });
      }
      lastNs_ = event.timeNs;
    } else {
      isAtStart_ = batch.keptFromNs > 0;
    }
    calls_.take(seq, event, batch);
    return !isCut_;
  }
  void finish() {
    beginLook();
    calls_.settle();
    offCpu_.takeRest(lastNs_, [&](const OffCpu &off) { addOffCpu(off); });
    calls_.finish();
  }
  bool isCut() const { return isCut_; }
  uint64_t strayExits() const { return calls_.walker().strayExits(); }

  // Called by CallReader.
  void begin(uint64_t, const model::Event &call, bool shown, std::string &&arguments) {
    const uint32_t depth = frames_.empty() ? 0 : frames_.back().depth + frames_.back().shown;
    Frame &frame = frames_.emplace_back();
    frame.shown = shown, frame.depth = depth;
    frame.node.function = call.function, frame.node.beginNs = call.timeNs;
    frame.node.isEarlier = call.isEarlier && isAtStart_;
    if (shown && !arguments.empty())
      frame.node.texts = std::make_unique<CallTexts>(CallTexts{std::move(arguments), {}});
  }
  void end(const Span &call, bool shown, std::string &&result) {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (!frame.shown || !shown || isCut_)
      return;
    const Span span = ownTime_.inRange(call);
    CallNode &node = frame.node;
    node.how = span.how, node.totalNs = span.durationNs();
    node.selfNs = span.selfNs() - std::min(span.selfNs(), node.ownRecorderNs);
    if (!result.empty()) {
      if (!node.texts)
        node.texts = std::make_unique<CallTexts>();
      node.texts->result = std::move(result);
    }
    owner_.choose(number_);
    isCut_ = !owner_.output_.line(node, frame.depth);
  }

private:
  struct Frame {
    bool shown = false;
    uint32_t depth = 0; // shown calls around it
    CallNode node;
  };

  // Counts for the innermost shown call.
  void addOffCpu(const OffCpu &off) {
    for (size_t i = frames_.size(); i > 0; --i)
      if (Frame &frame = frames_[i - 1]; frame.shown) {
        frame.node.selfOff.add(off.why, off.durationNs());
        if (i == frames_.size() && off.why == OffCpu::Why::Recorder)
          frame.node.ownRecorderNs += off.durationNs();
        return;
      }
  }

  TreeFollower &owner_;
  uint32_t number_;
  CallReader<Thread> calls_;
  OwnTime ownTime_;
  OffCpuFollower offCpu_;
  uint64_t lastNs_ = 0; // of the previous event
  bool isAtStart_ = false, isCut_ = false;
  std::vector<Frame> frames_; // of the open calls, outermost first
};

TreeFollower::TreeFollower(const TraceTable &table, const FilterOptions &filter, const TreeWalkOptions &options,
                           TreeOutput &output)
    : table_(table), rules_(filter, table),
      values_(table, options.values ? ValueTexts::Of::All : ValueTexts::Of::Annotations), options_(options),
      output_(output) {}
TreeFollower::~TreeFollower() = default;

bool TreeFollower::wantsDetails() const { return options_.values || hasAnnotatedValues(table_); }

void TreeFollower::choose(uint32_t thread) {
  if (std::exchange(shown_, thread) != thread)
    output_.beginThread(thread);
}

Expected<void> TreeFollower::events(const model::Batch &batch) {
  if (!current_) {
    std::unique_ptr<Thread> &thread = threads_[batch.events[0].thread];
    if (!thread)
      thread = std::make_unique<Thread>(*this, batch.events[0].thread, wantsDetails() ? &values_ : nullptr);
    current_ = thread.get();
    current_->beginLook();
  }
  uint64_t seq = batch.firstSeq;
  for (const model::Event &event : batch.events)
    if (!current_->take(event.isEarlier ? seq : seq++, event, batch))
      return earlyEnd();
  return {};
}

Expected<void> TreeFollower::endThread(uint32_t) {
  current_ = nullptr;
  return {};
}

void TreeFollower::finishAll() {
  for (const auto &[number, thread] : threads_) {
    thread->finish();
    if (thread->isCut())
      return;
  }
}

uint64_t TreeFollower::strayExits() const {
  uint64_t strays = 0;
  for (const auto &[number, thread] : threads_)
    strays += thread->strayExits();
  return strays;
}

} // namespace ada::analysis
