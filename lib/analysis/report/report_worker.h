// One of several workers: what it collects about the threads and parts that it reads.
#pragma once

#include "analysis/calls/part_reader.h"
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
  SelfDurations selves; // with ReportOptions::selfDurations
  ReportResult result;
  uint32_t function = kNoNumber; // a function of the group, in the worker's table
};

/// Adds up the calls of the threads that it reads, under its own numbers.
class ReportWorker : public PartReader<ReportWorker, ReportNote> {
public:
  /// `keeps`: by thread, whether summaries of its parts are wanted.
  ReportWorker(TraceTable &table, const ReportOptions &options, const std::vector<bool> &keeps)
      : PartReader(table), options_(options), isPlain_(!options.arguments && options.filter.showsAll()), keeps_(keeps),
        rules_(options.filter, table), values_(table), rowKeys_(table, options.by, options.foldsProcesses) {}

  bool wantsDetails() const override { return options_.arguments; }
  void beginPart(const ThreadPart &part) {
    // Groups are per process or thread, but one function may have several processes.
    if (const uint32_t place = rowKeys_.placeOf(part.thread); place != std::exchange(place_, place))
      groupOf_.clear();
    startPart(part, rules_, options_.arguments ? &values_ : nullptr, &table());
    if (keepsPart())
      beginSummary();
  }
  Expected<void> events(const model::Batch &batch) override {
    if (keepsPart())
      noteEvents(batch);
    take(batch);
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    endPart();
    frames_.clear();
    summary_.strayExits = calls().walker().strayExits(), summary_.missingExits = calls().walker().missingExits();
    strayExits += summary_.strayExits, missingExits += summary_.missingExits;
    if (keepsPart())
      endSummary();
    keepEnds();
    return {};
  }

  // Called by PartReader.
  void begun(uint64_t, const model::Event &call, bool shown, std::string &&arguments) {
    if (isPlain_)
      ++openCalls_[groupOf(call.function)];
    else
      beginChosen(call, shown, std::move(arguments));
  }
  [[gnu::always_inline]] void ended(const Span &call, const OffCpuOfCall *off, bool shown, std::string &&result) {
    if (!isPlain_)
      return endChosen(call, off, shown, result);
    const uint32_t group = groupOf_[call.functionIndex];
    addTo(groups[group], call, off, --openCalls_[group] == 0);
  }
  void endedCrossing(const Span &call, bool shown, std::string &&, ReportNote &note) {
    const Frame frame = leave(call, shown);
    note = {frame.shown ? frame.group : kNoNumber, frame.isOutermost};
  }
  void left(const Span &call, ReportNote &) {
    const uint32_t group = isPlain_ ? groupOf_[call.functionIndex] : frames_[call.depth].group;
    if (group != kNoNumber)
      --openCalls_[group];
  }
  void crossed(const Span &call, const OffCpuOfCall &off, const ReportNote &, const ReportNote &ended) override {
    if (ended.group != kNoNumber)
      addTo(groups[ended.group], call, &off, ended.isOutermost);
  }

  std::vector<RowKey> keys; // of groups
  std::vector<ReportGroup> groups;
  std::vector<ReportGroup> lists;                                 // of arguments
  std::vector<std::unordered_map<std::string, uint32_t>> listsOf; // by group
  std::vector<bool> hasTooMany;                                   // by group
  struct Summary {
    ThreadPart part;
    std::vector<std::byte> bytes;
  };
  std::vector<Summary> summaries;
  uint64_t strayExits = 0, missingExits = 0;
  bool hasValues = false;

private:
  struct Frame {
    bool shown = false, isOutermost = false;
    uint32_t group = kNoNumber, list = kNoNumber;
  };

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
  // The innermost call ends; its frame, with whether it counts.
  Frame leave(const Span &call, bool shown) {
    Frame frame{.shown = true, .group = isPlain_ ? groupOf_[call.functionIndex] : kNoNumber};
    if (!isPlain_) {
      frame = frames_.back();
      frames_.pop_back();
    }
    frame.isOutermost = frame.group != kNoNumber && --openCalls_[frame.group] == 0;
    frame.shown &= shown;
    return frame;
  }
  [[gnu::noinline]] void endChosen(const Span &call, const OffCpuOfCall *off, bool shown, const std::string &result) {
    const auto [isShown, isOutermost, group, list] = leave(call, shown);
    const bool isOutermostOfList = list != kNoNumber && --openLists_[list] == 0;
    if (!isShown)
      return;
    addTo(groups[group], call, off, isOutermost);
    if (!options_.arguments)
      return;
    hasValues |= !result.empty();
    const bool hasResult = call.how == SpanEnd::Return && !result.empty();
    if (hasResult)
      groups[group].result.add(result, {part().thread, call.endSeq}, false);
    if (list == kNoNumber)
      return;
    addTo(lists[list], call, off, isOutermostOfList);
    if (hasResult)
      lists[list].result.add(result, {part().thread, call.endSeq}, false);
  }
  bool keepsPart() const { return keeps_[part().thread]; }
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
      if (!isText(event.kind))
        isMet_[event.function] = true;
      summary_.latestNs = std::max(summary_.latestNs, event.timeNs);
      if (!event.isEarlier)
        summary_.earliestNs = std::min(summary_.earliestNs, event.timeNs);
    }
  }
  void endSummary() {
    summary_.ends = ends();
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
    summaries.push_back({part(), {bytes.bytes().begin(), bytes.bytes().end()}});
    for (size_t i = 0; i < before_.size(); ++i)
      groups[i].figures.merge(before_[i]);
  }
  void addTo(ReportGroup &group, const Span &call, const OffCpuOfCall *off, bool isOutermost) {
    if (options_.selfDurations && isSeen(call.how))
      addSelf(group, call, off);
    group.figures.add(call, isOutermost);
    if (off)
      group.figures.addOffCpu(off->all, off->self, isOutermost);
  }
  [[gnu::noinline]] static void addSelf(ReportGroup &group, const Span &call, const OffCpuOfCall *off) {
    uint64_t self = call.selfNs();
    if (off)
      self -= std::min(self, off->self.recorderNs + off->self.preemptedNs);
    group.selves.add(self, call.durationNs(), group.figures.durations);
  }

  uint32_t groupOf(uint32_t function) {
    if (function < groupOf_.size() && groupOf_[function] != kNoNumber)
      return groupOf_[function];
    return findGroup(function);
  }
  [[gnu::noinline]] uint32_t findGroup(uint32_t function) {
    if (function >= groupOf_.size())
      groupOf_.resize(function + 1, kNoNumber);
    const auto [at, isNew] = numbers_.try_emplace(rowKeys_.of(table().functions[function], part().thread),
                                                  static_cast<uint32_t>(groups.size()));
    if (isNew) {
      keys.push_back(at->first);
      groups.push_back({.figures = {}, .selves = {}, .result = {}, .function = function});
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
  std::vector<Frame> frames_; // by depth
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
