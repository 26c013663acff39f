// One of several workers: what it collects about the threads and parts that it reads.
#pragma once

#include "analysis/events/thread_calls.h"
#include "analysis/waits/off_cpu_follower.h"
#include "report.h"
#include "report_summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ada::analysis {

/// No group, function or list.
inline constexpr uint32_t kNoNumber = ~uint32_t(0);

/// The results of calls with one list of arguments.
struct ReportResult {
  std::string text; // of the first call in the order of threads and events
  std::pair<uint32_t, uint64_t> at = {kNoNumber, 0};
  bool hasText = false, varies = false;

  void add(const std::string &other, std::pair<uint32_t, uint64_t> otherAt, bool otherVaries) {
    varies |= otherVaries || (hasText && text != other);
    if (!hasText || otherAt < at) {
      text = other;
      at = otherAt;
    }
    hasText = true;
  }
};

struct ReportGroup {
  FunctionStatistics figures;
  ReportResult result;
  uint32_t function = kNoNumber; // a function of the group, in the worker's table
};

/// Adds up the calls of the threads that it reads, under its own numbers.
class ReportWorker : public TableSink {
public:
  /// `keeps`: by thread, whether summaries of its parts are wanted.
  ReportWorker(TraceTable &table, const ReportOptions &options, const std::vector<bool> &keeps)
      : TableSink(table), options_(options), isPlain_(!options.arguments && options.filter.showsAll()), keeps_(keeps),
        rules_(options.filter, table), values_(table), rowKeys_(table, options.by, options.foldsProcesses) {}

  bool wantsDetails() const override { return options_.arguments; }
  void beginPart(const ThreadPart &part) {
    ends_ = {.part = part, .before = {}, .after = {}};
    thread_ = part.thread;
    const OffCpuLane *lane = table().threads[thread_].offCpu.get();
    offCpu_ = followerOf(table(), thread_);
    hasLane_ = lane != nullptr;
    if (keepsPart())
      beginSummary();
  }
  Expected<void> events(const model::Batch &batch) override {
    if (!calls_) {
      // Groups are per process or thread, but one function may have several processes.
      if (const uint32_t place = rowKeys_.placeOf(thread_); place != std::exchange(place_, place))
        groupOf_.clear();
      calls_.emplace(*this, rules_, options_.arguments ? &values_ : nullptr);
    }
    if (keepsPart())
      noteEvents(batch);
    if (hasLane_)
      takeWithOffCpu(batch);
    else
      takeAll(batch);
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    if (calls_) {
      calls_->settle();
      if (ends_.part.isLast)
        calls_->finish();
      else
        leaveOpen();
      strayExits += calls_->walker().strayExits();
      missingExits += calls_->walker().missingExits();
      summary_.strayExits = calls_->walker().strayExits(), summary_.missingExits = calls_->walker().missingExits();
      calls_.reset();
      ends_.hasEvents = true;
    }
    if (keepsPart())
      endSummary();
    if (!ends_.part.isLast || ends_.part.number > 0)
      parts.push_back(std::move(ends_));
    return {};
  }

  // Called by ThreadCalls.
  void begin(uint64_t, const model::Event &call, bool shown, std::string &&arguments) {
    if (call.isEarlier && ends_.part.number > 0)
      ends_.before.push_back({.functionId = table().functions[call.function].id, .beginNs = call.timeNs, .row = {}});
    if (isPlain_)
      ++openCalls_[groupOf(call.function)];
    else
      beginChosen(call, shown, std::move(arguments));
  }
  void end(const Span &call, bool shown, std::string &&result) {
    if (isPlain_)
      endPlain(call);
    else
      endChosen(call, shown, result);
  }

  std::vector<RowKey> keys; // of groups
  std::vector<ReportGroup> groups;
  std::vector<ReportGroup> lists;                                 // of arguments
  std::vector<std::unordered_map<std::string, uint32_t>> listsOf; // by group
  std::vector<bool> hasTooMany;                                   // by group
  std::vector<PartEnds> parts;
  struct Summary {
    ThreadPart part;
    std::vector<std::byte> bytes;
  };
  std::vector<Summary> summaries;
  uint64_t strayExits = 0, missingExits = 0;
  bool hasValues = false;

private:
  // For filters or values; kept out of the inner loops.
  [[gnu::noinline]] void beginChosen(const model::Event &call, bool shown, std::string &&arguments) {
    Frame &frame = frames_.emplace_back();
    frame.shown = shown;
    hasValues |= !arguments.empty();
    if (shown) {
      frame.group = groupOf(call.function);
      ++openCalls_[frame.group];
      if (options_.arguments) {
        frame.list = listOf(frame.group, std::move(arguments));
        if (frame.list != kNoNumber)
          ++openLists_[frame.list];
      }
    }
  }
  [[gnu::noinline]] void endChosen(const Span &call, bool shown, const std::string &result) {
    const bool hasBegun = frames_.back().shown;
    const uint32_t group = frames_.back().group, list = frames_.back().list;
    frames_.pop_back();
    const OffCpuOfCall off = off_.end(call.depth);
    const bool isOutermostOfGroup = hasBegun && --openCalls_[group] == 0;
    if (call.isEarlier && ends_.part.number > 0) // join() adds it
      return endEarlier(call, off, isOutermostOfGroup, hasBegun && shown ? group : kNoNumber);
    if (!hasBegun)
      return;
    if (shown)
      addTo(groups[group].figures, call, off, isOutermostOfGroup);
    if (!options_.arguments)
      return;
    const bool isOutermost = list != kNoNumber && --openLists_[list] == 0;
    if (!shown)
      return;
    hasValues |= !result.empty();
    const bool hasResult = call.how == SpanEnd::Return && !result.empty();
    if (hasResult)
      groups[group].result.add(result, {thread_, call.endSeq}, false);
    if (list == kNoNumber)
      return;
    addTo(lists[list].figures, call, off, isOutermost);
    if (hasResult)
      lists[list].result.add(result, {thread_, call.endSeq}, false);
  }
  bool keepsPart() const { return keeps_[thread_]; }
  // Until the part ends, the groups hold the figures of this part only.
  void beginSummary() {
    summary_ = {};
    isMet_.assign(table().functions.size(), false);
    before_.clear();
    for (ReportGroup &group : groups)
      before_.push_back(std::exchange(group.figures, {}));
  }
  void noteEvents(const model::Batch &batch) {
    isMet_.resize(table().functions.size());
    for (const model::Event &event : batch.events) {
      if (event.kind <= model::Kind::Other)
        isMet_[event.function] = true;
      summary_.latestNs = std::max(summary_.latestNs, event.timeNs);
      if (!event.isEarlier)
        summary_.earliestNs = std::min(summary_.earliestNs, event.timeNs);
    }
  }
  void endSummary() {
    summary_.ends = ends_;
    for (const ReportGroup &group : groups)
      if (group.figures.calls > 0)
        summary_.rows.push_back({table().functions[group.function].id, group.figures});
    std::ranges::sort(summary_.rows, {}, &PartSummary::Row::functionId);
    for (size_t i = 0; i < isMet_.size(); ++i)
      if (isMet_[i])
        summary_.metFunctions.push_back(table().functions[i].id);
    std::ranges::sort(summary_.metFunctions);
    VarintBytes bytes;
    summary_.put(bytes);
    summaries.push_back({ends_.part, {bytes.bytes().begin(), bytes.bytes().end()}});
    for (size_t i = 0; i < before_.size(); ++i)
      groups[i].figures.merge(before_[i]);
  }
  void addTo(FunctionStatistics &figures, const Span &call, const OffCpuOfCall &off, bool isOutermost) {
    figures.add(call, isOutermost);
    if (hasLane_)
      figures.addOffCpu(off.all, off.self, isOutermost);
  }
  // The inner loops. Inlined into one function, they check only once per event whether it is a call; 10 % of a report's
  // time.
  [[gnu::flatten]] void takeAll(const model::Batch &batch) { calls_->take(batch); }
  [[gnu::flatten]] void takeWithOffCpu(const model::Batch &batch) {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (!event.isEarlier) {
        if (ends_.firstNs == 0) { // the time before it lies between two parts: see join()
          ends_.firstNs = event.timeNs;
          offCpu_.skipTo(event.timeNs);
          takeEarlier(event.timeNs);
        }
        if (offCpu_.isDue(event.timeNs))
          takeOffCpu(event.timeNs);
        ends_.lastNs = event.timeNs;
      }
      calls_->take(seq++, event, batch);
    }
  }
  [[gnu::noinline]] void takeOffCpu(uint64_t ns) {
    calls_->settle();
    off_.take(offCpu_, ends_.lastNs, ns, calls_->walker().depth());
  }
  [[gnu::noinline]] void takeEarlier(uint64_t firstNs) {
    calls_->settle();
    if (ends_.part.number == 0)
      off_.takeEarlier(*table().threads[thread_].offCpu, calls_->walker().open(), firstNs);
  }
  // For when all calls are shown and nothing else is kept about them.
  [[gnu::always_inline]] void endPlain(const Span &call) {
    const uint32_t group = groupOf_[call.functionIndex];
    const bool isOutermost = --openCalls_[group] == 0;
    if (call.isEarlier && ends_.part.number > 0) // join() adds it
      return endEarlier(call, off_.end(call.depth), isOutermost, group);
    FunctionStatistics &figures = groups[group].figures;
    figures.add(call, isOutermost);
    if (off_.has(call.depth)) {
      const OffCpuOfCall off = off_.end(call.depth);
      figures.addOffCpu(off.all, off.self, isOutermost);
    }
  }
  [[gnu::noinline]] void endEarlier(const Span &call, const OffCpuOfCall &off, bool isOutermost, uint32_t group) {
    PartEnds::Call &end = ends_.before[call.depth];
    end.off = off;
    end.childrenNs = call.childrenNs, end.how = call.how, end.endNs = call.endNs;
    end.hasEnded = true, end.isOutermost = isOutermost;
    if (group != kNoNumber)
      end.row = keys[group];
  }
  // Open calls continue in the next part.
  void leaveOpen() {
    off_.sumUp();
    for (const Span &span : calls_->walker().open()) {
      const OffCpuOfCall off = off_.of(span.depth);
      if (span.isEarlier && ends_.part.number > 0)
        ends_.before[span.depth].childrenNs = span.childrenNs, ends_.before[span.depth].off = off;
      else
        ends_.after.push_back({.functionId = table().functions[span.functionIndex].id,
                               .beginNs = span.beginNs,
                               .childrenNs = span.childrenNs,
                               .off = off,
                               .isEarlier = span.isEarlier,
                               .row = {}});
      if (isPlain_)
        --openCalls_[groupOf_[span.functionIndex]];
    }
    for (const Frame &frame : frames_)
      if (frame.shown)
        --openCalls_[frame.group];
    frames_.clear(), off_.clear();
  }

  struct Frame {
    bool shown = false;
    uint32_t group = kNoNumber, list = kNoNumber;
  };

  uint32_t groupOf(uint32_t function) {
    if (function < groupOf_.size() && groupOf_[function] != kNoNumber)
      return groupOf_[function];
    return findGroup(function);
  }
  [[gnu::noinline]] uint32_t findGroup(uint32_t function) {
    if (function >= groupOf_.size())
      groupOf_.resize(function + 1, kNoNumber);
    const auto [at, isNew] =
        numbers_.try_emplace(rowKeys_.of(table().functions[function], thread_), static_cast<uint32_t>(groups.size()));
    if (isNew) {
      keys.push_back(at->first);
      groups.push_back({.figures = {}, .result = {}, .function = function});
      openCalls_.push_back(0);
      listsOf.emplace_back();
      hasTooMany.push_back(false);
    }
    return groupOf_[function] = at->second;
  }

  // A group that has too many lists here will become one row, whatever the other threads hold.
  uint32_t listOf(uint32_t group, std::string arguments) {
    if (hasTooMany[group])
      return kNoNumber;
    const auto [at, isNew] = listsOf[group].try_emplace(std::move(arguments), static_cast<uint32_t>(lists.size()));
    if (isNew) {
      if (listsOf[group].size() > options_.mostArgumentRows) {
        hasTooMany[group] = true;
        return kNoNumber;
      }
      lists.emplace_back();
      openLists_.push_back(0);
    }
    return at->second;
  }

  const ReportOptions &options_;
  const bool isPlain_; // neither filters nor values were asked for; frames_ is not used
  const std::vector<bool> &keeps_;
  FunctionRules rules_;
  ValueTexts values_;
  RowKeys rowKeys_;
  std::optional<ThreadCalls<ReportWorker>> calls_; // of the current thread
  uint32_t thread_ = 0;
  PartEnds ends_; // of the current part
  OffCpuFollower offCpu_;
  bool hasLane_ = false;
  std::vector<Frame> frames_; // by depth
  OffCpuOfCalls off_;
  std::map<RowKey, uint32_t> numbers_;
  std::vector<uint32_t> groupOf_; // by function, for calls in place_
  uint32_t place_ = kNoNumber;
  std::vector<uint32_t> openCalls_, openLists_;
  // For a part whose summary is kept:
  PartSummary summary_;
  std::vector<uint8_t> isMet_;             // by function
  std::vector<FunctionStatistics> before_; // of the groups, from the parts before
};

} // namespace ada::analysis
