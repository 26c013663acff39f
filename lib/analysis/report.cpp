// What each function of a trace cost.
//
// Workers add up what their threads did (thread_workers.h); no result depends on which thread was read first.
#include "report.h"

#include "module_loads.h"
#include "off_cpu_follower.h"
#include "thread_calls.h"
#include "thread_workers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace ada::analysis {

namespace {

constexpr uint32_t kNone = ~uint32_t(0);
const std::string kTooMany = "(…)";

// What calls of one list of arguments returned.
struct Result {
  std::string text; // of the first call in the order of threads and events
  std::pair<uint32_t, uint64_t> at = {kNone, 0};
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

// What a row is about, in terms that all workers share. A module's number or a function's id, or a file. A library's
// function, which has an id for each module that calls it and for each way to call it, goes by its name.
struct Key {
  uint32_t process = 0, thread = kNone;
  uint64_t number = 0;
  std::string text;
  auto operator<=>(const Key &) const = default;
};

struct Group {
  FunctionStatistics figures;
  Result result;
  uint32_t function = kNone; // one of it, in the worker's table
};

// Of a call, the time without a processor: all of it, and that which is in none of the calls that it made.
struct OffCpuOfCall {
  OffCpuTimes all, self;
  OffCpuOfCall &operator+=(const OffCpuOfCall &other) {
    all += other.all, self += other.self;
    return *this;
  }
  void add(const OffCpu &off, bool isInnermost) {
    all.add(off.why, off.durationNs());
    if (isInnermost)
      self.add(off.why, off.durationNs());
  }
};

// What a part of a thread leaves to be joined with the parts before and behind it.
struct PartEnds {
  // A call that goes on from one part to another.
  struct Call {
    uint64_t functionId = 0, beginNs = 0;
    uint64_t childrenNs = 0; // as far as the part tells
    OffCpuOfCall off = {};   // likewise
    bool isEarlier = false;  // it began before the trace did
    // If the part has its end:
    bool hasEnded = false, isOutermost = false;
    SpanEnd how = SpanEnd::Open;
    uint64_t endNs = 0;
    std::optional<Key> row; // that it counts for
  };
  ThreadPart part;
  std::vector<Call> before, after; // open at its start; begun by it, and open at its end
  bool hasEvents = false;
  uint64_t firstNs = 0, lastNs = 0; // of its own events
};

// Adds up the calls of the threads that one worker reads.
class Worker : public TableSink {
public:
  Worker(TraceTable &table, const ReportOptions &options)
      : TableSink(table), options_(options), rules_(options.filter, table), values_(table) {}

  bool wantsDetails() const override { return options_.arguments; }
  void beginPart(const ThreadPart &part) {
    ends_ = {.part = part, .before = {}, .after = {}};
    thread_ = part.thread;
    const OffCpuLane *lane = table().threads[thread_].offCpu.get();
    offCpu_ = OffCpuFollower(lane, options_.filter.fromNs, options_.filter.toNs);
    hasLane_ = lane != nullptr;
  }
  Expected<void> events(const model::Batch &batch) override {
    if (!calls_) {
      if (options_.by == ReportBy::Thread) // its groups are its own
        groupOf_.clear();
      calls_.emplace(*this, rules_, options_.arguments ? &values_ : nullptr);
    }
    if (hasLane_)
      takeWithOffCpu(batch);
    else
      calls_->take(batch);
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
      calls_.reset();
      ends_.hasEvents = true;
    }
    if (!ends_.part.isLast || ends_.part.number > 0)
      parts.push_back(std::move(ends_));
    return {};
  }

  // Called by ThreadCalls.
  void begin(uint64_t, const model::Event &call, bool shown, std::string &&arguments) {
    if (call.isEarlier && ends_.part.number > 0)
      ends_.before.push_back({.functionId = table().functions[call.function].id, .beginNs = call.timeNs, .row = {}});
    Frame &frame = frames_.emplace_back();
    frame.shown = shown;
    hasValues |= !arguments.empty();
    if (shown) {
      frame.group = groupOf(call.function);
      ++openCalls_[frame.group];
      if (options_.arguments) {
        frame.list = listOf(frame.group, std::move(arguments));
        if (frame.list != kNone)
          ++openLists_[frame.list];
      }
    }
  }
  void end(const Span &call, bool shown, std::string &&result) {
    const bool hasBegun = frames_.back().shown;
    const uint32_t group = frames_.back().group, list = frames_.back().list;
    const OffCpuOfCall off = frames_.back().off;
    frames_.pop_back();
    const bool isOutermostOfGroup = hasBegun && --openCalls_[group] == 0;
    if (call.isEarlier && ends_.part.number > 0) // join() adds it
      return endEarlier(call, off, isOutermostOfGroup, hasBegun && shown ? group : kNone);
    if (!hasBegun)
      return;
    if (shown)
      addTo(groups[group].figures, call, off, isOutermostOfGroup);
    if (!options_.arguments)
      return;
    const bool isOutermost = list != kNone && --openLists_[list] == 0;
    if (!shown)
      return;
    hasValues |= !result.empty();
    const bool hasResult = call.how == SpanEnd::Return && !result.empty();
    if (hasResult)
      groups[group].result.add(result, {thread_, call.endSeq}, false);
    if (list == kNone)
      return;
    addTo(lists[list].figures, call, off, isOutermost);
    if (hasResult)
      lists[list].result.add(result, {thread_, call.endSeq}, false);
  }

  std::vector<Key> keys; // of groups
  std::vector<Group> groups;
  std::vector<Group> lists;                                       // of arguments
  std::vector<std::unordered_map<std::string, uint32_t>> listsOf; // by group
  std::vector<bool> hasTooMany;                                   // by group
  std::vector<PartEnds> parts;
  uint64_t strayExits = 0, missingExits = 0;
  bool hasValues = false;

private:
  void addTo(FunctionStatistics &figures, const Span &call, const OffCpuOfCall &off, bool isOutermost) {
    figures.add(call, isOutermost);
    if (hasLane_)
      figures.addOffCpu(off.all, off.self, isOutermost);
  }
  void takeWithOffCpu(const model::Batch &batch) {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (!event.isEarlier) {
        if (ends_.firstNs == 0) { // what is before it lies between two parts: join()
          ends_.firstNs = event.timeNs;
          offCpu_.skipTo(event.timeNs);
        }
        ends_.lastNs = event.timeNs;
        if (offCpu_.isDue(event.timeNs))
          takeOffCpu(event.timeNs);
      }
      calls_->take(seq++, event, batch);
    }
  }
  [[gnu::noinline]] void takeOffCpu(uint64_t ns) {
    calls_->settle();
    offCpu_.take(ns, [&](const OffCpu &off) {
      for (Frame &frame : frames_)
        frame.off.add(off, &frame == &frames_.back());
    });
  }
  void endEarlier(const Span &call, const OffCpuOfCall &off, bool isOutermost, uint32_t group) {
    PartEnds::Call &end = ends_.before[call.depth];
    end.off = off;
    end.childrenNs = call.childrenNs, end.how = call.how, end.endNs = call.endNs;
    end.hasEnded = true, end.isOutermost = isOutermost;
    if (group != kNone)
      end.row = keys[group];
  }
  // What is open goes on in the next part.
  void leaveOpen() {
    for (const Span &span : calls_->walker().open()) {
      const OffCpuOfCall off = span.depth < frames_.size() ? frames_[span.depth].off : OffCpuOfCall();
      if (span.isEarlier && ends_.part.number > 0)
        ends_.before[span.depth].childrenNs = span.childrenNs, ends_.before[span.depth].off = off;
      else
        ends_.after.push_back({.functionId = table().functions[span.functionIndex].id,
                               .beginNs = span.beginNs,
                               .childrenNs = span.childrenNs,
                               .off = off,
                               .isEarlier = span.isEarlier,
                               .row = {}});
    }
    for (const Frame &frame : frames_)
      if (frame.shown)
        --openCalls_[frame.group];
    frames_.clear();
  }

  struct Frame {
    bool shown = false;
    uint32_t group = kNone, list = kNone;
    OffCpuOfCall off = {};
  };

  const ModuleLoads &loadsOf(uint32_t process) {
    while (loads_.size() <= process)
      loads_.emplace_back(table().processes[loads_.size()]);
    return loads_[process];
  }
  Key keyOf(uint32_t function) {
    const model::Function &about = table().functions[function];
    const uint64_t id = loadsOf(about.process).firstFunction(about.commonId());
    Key key;
    key.process = about.process;
    if (options_.by == ReportBy::Thread)
      key.thread = thread_;
    if (options_.by == ReportBy::File)
      key.text = about.file;
    else if (options_.by != ReportBy::Module && about.goesByName())
      key.text = about.name, key.number = static_cast<uint64_t>(about.kind);
    else
      key.number = options_.by == ReportBy::Module ? moduleOf(id) : id;
    return key;
  }

  uint32_t groupOf(uint32_t function) {
    if (function < groupOf_.size() && groupOf_[function] != kNone)
      return groupOf_[function];
    return findGroup(function);
  }
  uint32_t findGroup(uint32_t function) {
    if (function >= groupOf_.size())
      groupOf_.resize(function + 1, kNone);
    const auto [at, isNew] = numbers_.try_emplace(keyOf(function), static_cast<uint32_t>(groups.size()));
    if (isNew) {
      keys.push_back(at->first);
      groups.push_back({.figures = {}, .result = {}, .function = function});
      openCalls_.push_back(0);
      listsOf.emplace_back();
      hasTooMany.push_back(false);
    }
    return groupOf_[function] = at->second;
  }

  // Once a group has too many lists by itself its rows will be one, whatever the other threads hold.
  uint32_t listOf(uint32_t group, std::string arguments) {
    if (hasTooMany[group])
      return kNone;
    const auto [at, isNew] = listsOf[group].try_emplace(std::move(arguments), static_cast<uint32_t>(lists.size()));
    if (isNew) {
      if (listsOf[group].size() > options_.mostArgumentRows) {
        hasTooMany[group] = true;
        return kNone;
      }
      lists.emplace_back();
      openLists_.push_back(0);
    }
    return at->second;
  }

  const ReportOptions &options_;
  FunctionRules rules_;
  ValueTexts values_;
  std::optional<ThreadCalls<Worker>> calls_; // of the current thread
  uint32_t thread_ = 0;
  PartEnds ends_; // of the current part
  OffCpuFollower offCpu_;
  bool hasLane_ = false;
  std::vector<Frame> frames_;
  std::map<Key, uint32_t> numbers_;
  std::vector<uint32_t> groupOf_;  // by function
  std::vector<ModuleLoads> loads_; // by process
  std::vector<uint32_t> openCalls_, openLists_;
};

void merge(Group &into, const Group &from) {
  into.figures.merge(from.figures);
  if (from.result.hasText)
    into.result.add(from.result.text, from.result.at, from.result.varies);
}

// All workers' figures of a group.
struct Merged {
  Group group;
  std::map<std::string, Group> lists; // by arguments
  bool hasTooMany = false;
  const model::Function *function = nullptr;
};

// Makes functions with the most lists of arguments one row each until the rows of each process are not too many.
uint64_t collapse(std::map<Key, Merged> &all, size_t most) {
  std::map<uint32_t, size_t> rows; // by process
  std::vector<std::pair<size_t, Merged *>> functions;
  uint64_t collapsed = 0;
  for (auto &[key, merged] : all) {
    collapsed += merged.hasTooMany;
    rows[key.process] += merged.hasTooMany ? 1 : merged.lists.size();
  }
  for (auto &[process, count] : rows) {
    functions.clear();
    for (auto &[key, merged] : all)
      if (key.process == process && !merged.hasTooMany)
        functions.emplace_back(merged.lists.size(), &merged);
    std::stable_sort(functions.begin(), functions.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    for (size_t i = 0; count > most && i < functions.size() && functions[i].first > 1; ++i) {
      functions[i].second->hasTooMany = true;
      count -= functions[i].first - 1;
      ++collapsed;
    }
  }
  return collapsed;
}

// Adds one worker's figures.
void add(std::map<Key, Merged> &all, const Worker &worker, Report &report, size_t most) {
  for (uint32_t i = 0; i < worker.groups.size(); ++i) {
    Merged &merged = all[worker.keys[i]];
    if (!merged.function)
      merged.function = &report.functions.emplace_back(worker.table().functions[worker.groups[i].function]);
    merge(merged.group, worker.groups[i]);
    merged.hasTooMany |= worker.hasTooMany[i];
    if (!merged.hasTooMany)
      for (const auto &[arguments, list] : worker.listsOf[i])
        merge(merged.lists[arguments], worker.lists[list]);
    merged.hasTooMany |= merged.lists.size() > most;
    if (merged.hasTooMany)
      merged.lists.clear();
  }
  report.hasValues |= worker.hasValues;
  const std::vector<model::Function> &met = worker.table().functions;
  report.metFunctions.insert(report.metFunctions.end(), met.begin(), met.end());
  report.strayExits += worker.strayExits;
  report.missingExits += worker.missingExits;
}

// Adds the calls that go on from one part of a thread to the next. False if the calls that are open at a part's start
// are not those that the parts before it left open: then the trace is not what it says, and has to be read in one
// piece.
bool join(std::vector<PartEnds> &parts, std::map<Key, Merged> &all, const TraceTable &table,
          const FilterOptions &filter) {
  std::sort(parts.begin(), parts.end(), [](const PartEnds &a, const PartEnds &b) {
    return std::tie(a.part.thread, a.part.number) < std::tie(b.part.thread, b.part.number);
  });
  std::vector<PartEnds::Call> open;
  uint64_t lastNs = 0; // of the parts before
  for (const PartEnds &ends : parts) {
    if (ends.part.number == 0)
      open.clear(), lastNs = 0;
    if (!ends.hasEvents)
      continue;
    if (const OffCpuLane *lane = table.threads[ends.part.thread].offCpu.get(); lane && lastNs > 0 && ends.firstNs > 0) {
      OffCpuFollower between(lane, filter.fromNs, filter.toNs);
      between.skipTo(lastNs);
      between.take(ends.firstNs, [&](const OffCpu &off) {
        for (PartEnds::Call &call : open)
          call.off.add(off, &call == &open.back());
      });
    }
    lastNs = std::max(lastNs, ends.lastNs);
    if (ends.part.number > 0 &&
        !std::equal(open.begin(), open.end(), ends.before.begin(), ends.before.end(), [](const auto &a, const auto &b) {
          return a.functionId == b.functionId && a.beginNs == b.beginNs;
        }))
      return false;
    for (size_t i = 0; i < ends.before.size(); ++i)
      open[i].childrenNs += ends.before[i].childrenNs, open[i].off += ends.before[i].off;
    for (; !open.empty() && ends.part.number > 0 && ends.before[open.size() - 1].hasEnded; open.pop_back()) {
      const PartEnds::Call &end = ends.before[open.size() - 1];
      Span span;
      span.beginNs = end.beginNs, span.endNs = end.endNs, span.how = end.how;
      span.childrenNs = std::min(open.back().childrenNs, span.durationNs());
      span.isEarlier = open.back().isEarlier;
      if (end.row) {
        FunctionStatistics &figures = all[*end.row].group.figures;
        figures.add(span, end.isOutermost);
        figures.addOffCpu(open.back().off.all, open.back().off.self, end.isOutermost);
      }
    }
    open.insert(open.end(), ends.after.begin(), ends.after.end());
  }
  return true;
}

void addRows(Report &report, const TraceTable &table, const ReportOptions &options, const Key &key, Merged &merged) {
  ReportRow row;
  row.process = key.process;
  if (key.thread != kNone)
    row.thread = key.thread;
  if (options.by == ReportBy::Module)
    row.group = moduleName(table.processes[key.process], static_cast<uint32_t>(key.number));
  else if (options.by == ReportBy::File)
    row.group = key.text.empty() ? "(no file known)" : key.text;
  else
    row.function = merged.function;
  const auto addRow = [&](Group &group, const std::string &arguments) {
    if (group.figures.calls == 0)
      return;
    row.arguments = arguments;
    if (options.arguments)
      row.result = group.result.text + (group.result.varies ? ", …" : "");
    row.figures = std::move(group.figures);
    report.rows.push_back(row);
  };
  if (!options.arguments || merged.hasTooMany)
    return addRow(merged.group, options.arguments ? kTooMany : std::string());
  for (auto &[arguments, group] : merged.lists)
    addRow(group, arguments);
}

} // namespace

Expected<Report> makeReport(model::TraceSource &source, const TraceTable &table, const std::vector<uint32_t> &threads,
                            const ReportOptions &options) {
  Report report;
  std::map<Key, Merged> all;
  std::vector<PartEnds> ends;
  // Arguments are recorded where a call begins, which may be in another part.
  const uint64_t partEvents = options.arguments ? ~uint64_t(0) : options.partEvents;
  const auto done = readParts<Worker>(
      source, table, partsOf(source, table, threads, partEvents),
      [&](TraceTable &own) { return std::make_unique<Worker>(own, options); },
      [&](Worker &worker) {
        add(all, worker, report, options.mostArgumentRows);
        std::move(worker.parts.begin(), worker.parts.end(), std::back_inserter(ends));
      },
      report.damage);
  if (!done)
    return done.error();
  if (!join(ends, all, table, options.filter)) {
    ReportOptions whole = options;
    whole.partEvents = ~uint64_t(0);
    return makeReport(source, table, threads, whole);
  }
  if (options.arguments)
    report.collapsedFunctions = collapse(all, options.mostArgumentRows);
  for (auto &[key, merged] : all)
    addRows(report, table, options, key, merged);
  return report;
}

} // namespace ada::analysis
