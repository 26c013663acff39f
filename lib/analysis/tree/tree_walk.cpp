// Turns one thread's events into the lines of its call tree.
#include "tree_walk.h"

#include "analysis/calls/cuts.h"
#include "analysis/calls/off_cpu_follower.h"
#include "analysis/calls/own_time.h"
#include "analysis/events/early_end.h"
#include "trace/base/try.h"

#include <functional>

namespace ada::analysis {

TreeOutput::~TreeOutput() = default;

namespace {

// Finds how the open calls of a thread end.
class LookAhead : public TableSink {
public:
  // `calls` is the state where the events begin. Stops when at most `enough` calls are open.
  LookAhead(TraceTable &table, const CallStackWalker &calls, const OwnTime &ownTime, const OffCpuFollower &offCpu,
            uint64_t lastNs, size_t enough, ValueTexts *values)
      : TableSink(table), calls_(calls), ownTime_(ownTime), offCpu_(offCpu), lastNs_(lastNs), enough_(enough),
        values_(values), ends_(calls.depth()), off_(ends_.size()), results_(ends_.size()) {}

  bool wantsDetails() const override { return values_ != nullptr; }
  Expected<void> events(const model::Batch &batch) override {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      ownTime_.next(event.timeNs, calls_);
      if (offCpu_.isDue(event.timeNs))
        offCpu_.take(lastNs_, event.timeNs, [&](const OffCpu &off) { addOffCpu(off); });
      lastNs_ = event.timeNs;
      if (isOfCall(event.kind))
        note(calls_.feedNumbered(seq, event.timeNs, event.function, event.kind).finished, &event, batch);
      ++seq;
      if (calls_.depth() <= enough_)
        return earlyEnd();
    }
    return {};
  }
  Expected<void> finish() override {
    offCpu_.takeRest(lastNs_, [&](const OffCpu &off) { addOffCpu(off); });
    note(calls_.finish(), nullptr, {});
    return {};
  }

  const std::optional<Span> &end(size_t depth) const { return ends_[depth]; }
  std::string &result(size_t depth) { return results_[depth]; }
  /// Counted from where the events began.
  const OffCpuTimes &offCpu(size_t depth) const { return off_[depth]; }

private:
  void addOffCpu(const OffCpu &off) {
    if (const size_t depth = calls_.depth(); depth > 0 && depth <= off_.size() && !ends_[depth - 1])
      off_[depth - 1].add(off.why, off.durationNs());
  }
  void note(std::span<const Span> finished, const model::Event *event, const model::Batch &batch) {
    for (const Span &span : finished)
      if (span.depth < ends_.size() && !ends_[span.depth]) {
        ends_[span.depth] = ownTime_.inRange(span);
        if (values_ && event && &span == &finished.back())
          results_[span.depth] = values_->result(*event, batch);
      }
  }

  CallStackWalker calls_;
  OwnTime ownTime_;
  OffCpuFollower offCpu_;
  uint64_t lastNs_; // of the previous event
  size_t enough_;
  ValueTexts *values_;
  std::vector<std::optional<Span>> ends_; // by depth
  std::vector<OffCpuTimes> off_;
  std::vector<std::string> results_;
};

// The calls of one thread.
class TreeWalk {
public:
  TreeWalk(model::TraceSource &source, TraceTable &table, uint32_t thread, FunctionRules &rules, ValueTexts *values,
           const TreeWalkOptions &options, TreeOutput &output)
      : source_(source), table_(table), thread_(thread), rules_(rules), values_(values), options_(options),
        output_(output), tree_(options.fold), calls_(*this, rules, values),
        ownTime_(rules.options().fromNs, rules.options().toNs),
        offCpu_(table.threads[thread].offCpu.get(), rules.options().fromNs, rules.options().toNs,
                2 * table.processOf(table.threads[thread]).resolutionNs),
        firstNs_(table.threads[thread].extent->firstNs) {}

  Expected<void> take(uint64_t seq, const model::Event &event, const model::Batch &batch) {
    if (!event.isEarlier) {
      ownTime_.next(event.timeNs, calls_.walker());
      if (lastNs_ == 0) // earlier times do not count for the calls that were open then
        offCpu_.skipTo(event.timeNs);
      if (offCpu_.isDue(event.timeNs))
        takeOffCpu(event.timeNs);
      lastNs_ = event.timeNs;
    } else {
      isAtStart_ = batch.keptFromNs > 0;
    }
    calls_.take(seq, event, batch);
    if (tree_.size() >= options_.maxNodes)
      ADA_TRY(printEverything(seq + 1));
    return isCut_ ? earlyEnd() : Expected<void>();
  }
  /// False if no more lines are wanted.
  bool finish() {
    calls_.settle();
    offCpu_.takeRest(lastNs_, [&](const OffCpu &off) { addOffCpu(off); }); // it may have waited after its last event
    calls_.finish();
    print(CallTree::kRoot, 0);
    return !isCut_;
  }
  uint64_t strayExits() const { return calls_.walker().strayExits(); }

  /// The open calls, outermost first.
  std::span<const Span> open() const { return calls_.walker().open(); }
  /// Drops the innermost calls until `count` are open. The dropped ones must have begun after the range.
  void forgetInner(size_t count) { calls_.endInner(count); }

  // Called by CallReader.
  void begin(uint64_t, const model::Event &call, bool shown, std::string &&arguments);
  void end(const Span &span, bool shown, std::string &&result);

private:
  struct Frame {
    bool shown = false, printed = false;
    uint32_t node = 0;                 ///< if (shown)
    uint32_t depth = 0;                ///< shown calls around it
    uint32_t caller = CallTree::kRoot; ///< the innermost shown call around it
  };
  void takeOffCpu(uint64_t ns);
  void addOffCpu(const OffCpu &off);
  void fill(CallNode &node, const Span &span, std::string &&result);
  void print(uint32_t caller, uint32_t depth);
  void subtree(uint32_t node, uint32_t depth);
  bool wholeRecursion(const CallNode &call, uint32_t depth);
  Expected<void> printEverything(uint64_t nextSeq);

  model::TraceSource &source_;
  TraceTable &table_;
  uint32_t thread_;
  FunctionRules &rules_;
  ValueTexts *values_; ///< null if values are not shown
  const TreeWalkOptions &options_;
  TreeOutput &output_;
  CallTree tree_;
  CallReader<TreeWalk> calls_;
  OwnTime ownTime_;
  OffCpuFollower offCpu_;
  uint64_t firstNs_;    // of the thread's first event
  uint64_t lastNs_ = 0; // of the previous event
  bool isAtStart_ = false;
  std::vector<Frame> frames_; // of the open calls, outermost first
  bool isCut_ = false;
  const bool foldsInitialisers_ =
      options_.foldInitialisers && rules_.options().functions.empty() && rules_.options().included.empty();
};

void TreeWalk::begin(uint64_t, const model::Event &call, bool shown, std::string &&arguments) {
  Frame &frame = frames_.emplace_back();
  if (frames_.size() > 1) {
    const Frame &caller = frames_[frames_.size() - 2];
    frame.caller = caller.shown ? caller.node : caller.caller;
    frame.depth = caller.depth + caller.shown;
  }
  frame.shown = shown;
  if (shown) {
    frame.node = tree_.make(call.function);
    CallNode &node = tree_[frame.node];
    node.beginNs = call.timeNs;
    // If only a part of the thread is read, it may just have begun before that part.
    node.isEarlier = call.isEarlier && (isAtStart_ || call.timeNs < firstNs_);
    node.isInitialiser = foldsInitialisers_ && (rules_.of(call.function) & FunctionRules::kInitialiser);
    if (!arguments.empty())
      node.texts = std::make_unique<CallTexts>(CallTexts{std::move(arguments), {}});
  }
}

void TreeWalk::takeOffCpu(uint64_t ns) {
  calls_.settle();
  offCpu_.take(lastNs_, ns, [&](const OffCpu &off) { addOffCpu(off); });
}

// Counts for the innermost shown call: it was not running, or a hidden call inside it was not.
void TreeWalk::addOffCpu(const OffCpu &off) {
  if (frames_.empty())
    return;
  const Frame &frame = frames_.back();
  if (const uint32_t node = frame.shown ? frame.node : frame.caller; node != CallTree::kRoot) {
    tree_[node].selfOff.add(off.why, off.durationNs());
    if (frame.shown && off.why == OffCpu::Why::Recorder)
      tree_[node].ownRecorderNs += off.durationNs();
  }
}

// Sets what is known once a call has ended.
void TreeWalk::fill(CallNode &node, const Span &span, std::string &&result) {
  node.how = span.how;
  node.isInitialiser &= span.how == SpanEnd::Return && !node.isEarlier; // otherwise its line has something to say
  node.totalNs = span.durationNs();
  node.selfNs = span.selfNs() - std::min(span.selfNs(), node.ownRecorderNs);
  if (!result.empty()) {
    if (!node.texts)
      node.texts = std::make_unique<CallTexts>();
    node.texts->result = std::move(result);
  }
  if (node.texts && options_.values) // arguments that were not asked for do not keep calls apart
    node.values = std::hash<std::string>()(node.texts->arguments + '\0' + node.texts->result);
}

void TreeWalk::end(const Span &span, bool shown, std::string &&result) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (!frame.shown)
    return;
  if (frame.printed) {
    print(frame.node, frame.depth + 1);
    tree_.release(frame.node);
  } else if (shown) {
    fill(tree_[frame.node], ownTime_.inRange(span), std::move(result));
    tree_.finish(frame.node);
    tree_.append(frame.caller, frame.node);
  } else {
    tree_.release(frame.node);
  }
}

void TreeWalk::print(uint32_t caller, uint32_t depth) {
  for (const uint32_t node : tree_[caller].children)
    subtree(node, depth);
  tree_.releaseChildren(caller);
}

// If the call is nothing but a recursion, its innermost level needs no separate line.
bool TreeWalk::wholeRecursion(const CallNode &call, uint32_t depth) {
  if (call.nested < 2 || call.children.size() != 1)
    return false;
  const CallNode &inner = tree_[call.children[0]];
  if (!inner.children.empty() || inner.how != call.how || inner.values != call.values)
    return false;
  CallNode whole;
  whole.function = call.function;
  whole.how = call.how;
  whole.nested = call.nested + 1;
  whole.count = call.count;
  whole.calls = call.calls + inner.calls;
  whole.totalNs = call.totalNs;
  whole.selfNs = call.selfNs + inner.selfNs;
  whole.selfOff = call.selfOff;
  whole.selfOff += inner.selfOff;
  whole.ownRecorderNs = call.ownRecorderNs + inner.ownRecorderNs;
  whole.beginNs = call.beginNs;
  whole.isEarlier = call.isEarlier;
  if (call.texts)
    whole.texts = std::make_unique<CallTexts>(*call.texts);
  whole.textsVary = call.textsVary;
  isCut_ = !output_.line(whole, depth);
  return true;
}

void TreeWalk::subtree(uint32_t node, uint32_t depth) {
  // Not recursive: traces are as deep as the traced program's recursion.
  std::vector<std::pair<uint32_t, uint32_t>> pending = {{node, depth}};
  while (!pending.empty() && !isCut_) {
    const auto [next, level] = pending.back();
    pending.pop_back();
    const CallNode &call = tree_[next];
    if (wholeRecursion(call, level))
      continue;
    isCut_ = !output_.line(call, level);
    for (size_t i = call.children.size(); i > 0; --i)
      pending.emplace_back(call.children[i - 1], level + 1);
  }
}

Expected<void> TreeWalk::printEverything(uint64_t nextSeq) {
  // How the open calls will end. The outer ones may have been printed already.
  size_t firstUnprinted = 0;
  for (size_t i = 0; i < frames_.size(); ++i)
    if (frames_[i].printed)
      firstUnprinted = i + 1;
  LookAhead ahead(table_, calls_.walker(), ownTime_, offCpu_, lastNs_, firstUnprinted, values_);
  model::ReadRequest request;
  request.threads = {thread_};
  request.fromSeq = nextSeq;
  request.isFurther = true;
  if (frames_.size() > firstUnprinted)
    if (auto done = source_.readPart(ahead, request); !done && !isEarlyEnd(done.error()))
      return done;

  print(CallTree::kRoot, 0);
  for (size_t i = 0; i < frames_.size(); ++i) {
    Frame &frame = frames_[i];
    if (!frame.shown)
      continue;
    if (!frame.printed) {
      if (!ahead.end(i) || !calls_.filter().accepts(*ahead.end(i))) {
        // Neither it nor what it calls is shown.
        calls_.hideFrom(i);
        for (size_t below = i; below < frames_.size(); ++below)
          if (frames_[below].shown) {
            tree_.release(frames_[below].node);
            frames_[below].shown = false;
          }
        return {};
      }
      tree_[frame.node].selfOff += ahead.offCpu(i);
      tree_[frame.node].ownRecorderNs += ahead.offCpu(i).recorderNs;
      fill(tree_[frame.node], *ahead.end(i), std::move(ahead.result(i)));
      isCut_ |= !output_.line(tree_[frame.node], frame.depth);
      frame.printed = true;
    }
    print(frame.node, frame.depth + 1);
  }
  return {};
}

// Walks all chosen threads.
class TreeSink : public TableSink {
public:
  TreeSink(model::TraceSource &source, TraceTable &table, const FilterOptions &filter, const TreeWalkOptions &options,
           TreeOutput &output)
      : TableSink(table), source_(source), table_(table), rules_(filter, table),
        values_(table, options.values ? ValueTexts::Of::All : ValueTexts::Of::Annotations), options_(options),
        output_(output), hasValues_(options.values || hasAnnotatedValues(table)) {}

  bool wantsDetails() const override { return hasValues_; }
  /// Reads the thread, or only what the time range needs.
  Expected<void> read(uint32_t thread);
  Expected<void> events(const model::Batch &batch) override {
    if (!walk_) {
      output_.beginThread(batch.events[0].thread);
      walk_.emplace(source_, table_, batch.events[0].thread, rules_, hasValues_ ? &values_ : nullptr, options_,
                    output_);
    }
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events)
      if (event.isEarlier && passed_ > 0) // it is open already
        --passed_;
      else
        ADA_TRY(walk_->take(seq++, event, batch));
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    if (!walk_ || isPart_)
      return {};
    const bool goesOn = walk_->finish();
    flaws.strayExits += walk_->strayExits();
    walk_.reset();
    return goesOn ? Expected<void>() : earlyEnd();
  }

  TreeFlaws flaws;

private:
  Expected<void> readRange(const Cuts &cuts);

  model::TraceSource &source_;
  TraceTable &table_;
  FunctionRules rules_;
  ValueTexts values_;
  const TreeWalkOptions &options_;
  TreeOutput &output_;
  bool hasValues_;
  std::optional<TreeWalk> walk_; // of the current thread
  bool isPart_ = false;          // more of the thread may follow
  size_t passed_ = 0;            // number of open calls to skip: they are known
};

Expected<void> TreeSink::read(uint32_t thread) {
  const FilterOptions &filter = rules_.options();
  if ((filter.fromNs > 0 || filter.toNs != ~uint64_t(0)) && !hasValues_) { // values come with the begin of a call
    if (const Cuts cuts(source_, table_, thread); cuts.size() > 1)
      return readRange(cuts);
  }
  model::ReadRequest request;
  request.threads = {thread};
  request.isFurther = true;
  return source_.readPart(*this, request);
}

// Reads the blocks of the range, and those after it in which calls of the range end.
Expected<void> TreeSink::readRange(const Cuts &cuts) {
  const FilterOptions &filter = rules_.options();
  const auto first = cuts.lastUntil(filter.fromNs);
  auto behind = first && filter.toNs != ~uint64_t(0) ? cuts.firstFrom(filter.toNs) : Expected<size_t>(cuts.size());
  if (!first || !behind)
    return first ? behind.error() : first.error();
  isPart_ = true;
  auto done = cuts.read(*this, *first, std::max(*behind, *first + 1));
  for (size_t at = std::max(*behind, *first + 1); done && walk_ && at < cuts.size();) {
    size_t open = walk_->open().size();
    const bool fits = ADA_TRY(cuts.areOpen(walk_->open(), at));
    if (!fits) { // the trace is damaged
      done = cuts.readOn(*this, at);
      break;
    }
    while (open > 0 && walk_->open()[open - 1].beginNs >= filter.toNs)
      --open;
    if (open == 0)
      break;
    walk_->forgetInner(open);
    const size_t end = ADA_TRY(cuts.endOf(walk_->open(), at));
    passed_ = open;
    done = cuts.read(*this, end - 1, end);
    passed_ = 0;
    at = end;
  }
  isPart_ = false;
  return done ? endThread(0) : done;
}

} // namespace

Expected<TreeFlaws> walkTrees(const Trace &trace, const FilterOptions &filter, const TreeWalkOptions &options,
                              TreeOutput &output) {
  TreeSink sink(trace.source, trace.table, filter, options, output);
  for (const uint32_t thread : trace.threads)
    if (auto done = sink.read(thread); !done) {
      if (!isEarlyEnd(done.error()))
        return done.error();
      break;
    }
  return sink.flaws;
}

} // namespace ada::analysis
