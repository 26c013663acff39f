// The cost of each function of a trace.
//
// Workers add up what their threads did (thread_workers.h). No result depends on the order in which threads are read.
#include "report.h"

#include "analysis/waits/off_cpu_follower.h"
#include "report_summary.h"
#include "report_worker.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

namespace ada::analysis {

namespace {

const std::string kTooMany = "(…)";

using Group = ReportGroup;

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

// Collapses the functions with the most argument lists into one row each until every process fits its row limit.
uint64_t collapse(std::map<RowKey, Merged> &all, size_t most) {
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
void add(std::map<RowKey, Merged> &all, const ReportWorker &worker, Report &report, size_t most) {
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

// Adds the calls that continue from one part of a thread to the next. False if the calls open at a part's start are not
// those that the parts before it left open: then the trace is inconsistent, and has to be read in one piece.
bool join(std::vector<PartEnds> &parts, std::map<RowKey, Merged> &all, const TraceTable &table) {
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
      OffCpuFollower between = followerOf(table, ends.part.thread);
      between.skipTo(lastNs);
      OffCpuOfCall sum;
      between.take(lastNs, ends.firstNs, [&](const OffCpu &off) { sum.add(off); });
      for (PartEnds::Call &call : open) {
        call.off.all += sum.all;
        if (&call == &open.back())
          call.off.self += sum.self;
      }
    }
    lastNs = ends.lastNs ? ends.lastNs : lastNs;
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

void addRows(Report &report, const TraceTable &table, const ReportOptions &options, const RowKey &key, Merged &merged) {
  ReportRow row;
  row.process = key.process;
  if (key.thread != RowKey::kNoThread)
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

// The summaries of a report's threads: those that exist, and those to be made.
class Kept {
public:
  Kept(model::TraceSource &source, const TraceTable &table, const std::vector<uint32_t> &threads,
       const ReportOptions &options)
      : source_(source), table_(table), options_(options), rowKeys_(table, options.by), wanted_(table.threads.size()) {
    const FilterOptions &filter = options.filter;
    const bool fits = options.summaries != UseSummaries::No && !options.arguments &&
                      (options.by == ReportBy::Function || options.by == ReportBy::Thread) &&
                      !filter.choosesFunctions() && filter.depth == ~uint32_t(0) && filter.minDurationNs == 0;
    if (!fits) {
      others_ = threads;
      return;
    }
    processes_.resize(table.processes.size());
    for (const uint32_t thread : threads)
      (summariesOf(thread) ? known_ : others_).push_back(thread);
    if (!filter.showsAll())
      return;
    uint64_t events = 0;
    for (const uint32_t thread : others_)
      events += printOf(thread) ? table.threads[thread].extent->events : 0;
    if (options.summaries == UseSummaries::Make || events >= options.summaryEvents)
      for (const uint32_t thread : others_)
        wanted_[thread] = printOf(thread) != nullptr;
  }

  /// Adds the existing summaries. Returns the parts that still have to be read.
  std::vector<ThreadPart> take(std::map<RowKey, Merged> &all, Report &report) {
    std::vector<ThreadPart> toRead;
    for (const uint32_t thread : known_)
      takeThread(thread, all, report, toRead);
    return toRead;
  }
  std::vector<PartEnds> takeEnds() { return std::move(ends_); }
  /// The threads without a summary.
  const std::vector<uint32_t> &otherThreads() const { return others_; }

  /// By thread: whether to make summaries.
  const std::vector<bool> &wanted() const { return wanted_; }
  void add(std::vector<ReportWorker::Summary> &&summaries) {
    std::move(summaries.begin(), summaries.end(), std::back_inserter(made_));
  }
  void write() {
    std::sort(made_.begin(), made_.end(), [](const auto &a, const auto &b) {
      return std::tie(a.part.thread, a.part.number) < std::tie(b.part.thread, b.part.number);
    });
    for (ReportWorker::Summary &summary : made_) {
      const model::Thread &about = table_.threads[summary.part.thread];
      Process &process = *processes_[about.process];
      ReportSummaries::Thread &thread = process.found.threads[about.number];
      thread.print = ReportSummaries::printOf(*printOf(summary.part.thread), about);
      thread.parts.push_back(std::move(summary.bytes));
      process.hasNew = true;
    }
    for (const auto &process : processes_)
      if (process && process->hasNew)
        process->found.write(process->prints);
  }

private:
  struct KnownFunction {
    model::Function about;
    Merged *row = nullptr;
    RowKey key;
    uint32_t thread = RowKey::kNoThread; // the thread that `row` belongs to
    bool isMet = false;
  };
  struct Process {
    model::Prints prints;
    ReportSummaries found;
    bool hasNew = false;
    std::unordered_map<uint64_t, KnownFunction> functions; // by id
  };

  Process &processOf(uint32_t thread) {
    const uint32_t number = table_.threads[thread].process;
    auto &process = processes_[number];
    if (!process) {
      process = std::make_unique<Process>();
      if (auto prints = source_.prints(number)) {
        process->prints = *std::move(prints);
        process->found = ReportSummaries::read(process->prints, table_);
      }
    }
    return *process;
  }
  const ReportSummaries::Thread *summariesOf(uint32_t thread) {
    const auto &found = processOf(thread).found.threads;
    const auto at = found.find(table_.threads[thread].number);
    return at == found.end() ? nullptr : &at->second;
  }
  const uint64_t *printOf(uint32_t thread) {
    const auto &prints = processOf(thread).prints.threads; // in ascending order
    const auto at = std::ranges::lower_bound(prints, thread, {}, [](const auto &one) { return one.first; });
    return at != prints.end() && at->first == thread ? &at->second : nullptr;
  }
  KnownFunction &functionOf(uint32_t thread, uint64_t id) {
    const uint32_t process = table_.threads[thread].process;
    const auto [at, isNew] = processes_[process]->functions.try_emplace(id);
    if (isNew)
      at->second.about = source_.functionOf(process, id);
    return at->second;
  }
  KnownFunction &rowOf(uint32_t thread, uint64_t id, std::map<RowKey, Merged> &all, Report &report) {
    KnownFunction &function = functionOf(thread, id);
    if (!function.row || (options_.by == ReportBy::Thread && function.thread != thread)) {
      function.key = rowKeys_.of(function.about, thread);
      function.row = &all[function.key];
      function.thread = thread;
      if (!function.row->function)
        function.row->function = &report.functions.emplace_back(function.about);
    }
    return function;
  }

  void takeThread(uint32_t thread, std::map<RowKey, Merged> &all, Report &report, std::vector<ThreadPart> &toRead) {
    const std::vector<std::vector<std::byte>> &found = summariesOf(thread)->parts;
    for (size_t i = 0; i < found.size(); ++i) {
      ThreadPart place{.thread = thread, .number = static_cast<uint32_t>(i), .isLast = i + 1 == found.size()};
      place.first = VarintCursor(found[i]).number();
      if (!place.isLast)
        place.last = VarintCursor(found[i + 1]).number();
      VarintCursor from(found[i]);
      auto part = PartSummary::get(from);
      if (part)
        part->ends.part = place;
      if (part && (i > 0 || part->ends.before.empty()) && part->restrict(options_.filter))
        takePart(*part, all, report);
      else
        toRead.push_back(place);
    }
  }
  void takePart(PartSummary &part, std::map<RowKey, Merged> &all, Report &report) {
    const uint32_t thread = part.ends.part.thread;
    for (const PartSummary::Row &row : part.rows)
      rowOf(thread, row.functionId, all, report).row->group.figures.merge(row.figures);
    for (PartEnds::Call &call : part.ends.before)
      if (call.row)
        call.row = rowOf(thread, call.functionId, all, report).key;
    for (const uint64_t id : part.metFunctions)
      if (KnownFunction &function = functionOf(thread, id); !std::exchange(function.isMet, true))
        report.metFunctions.push_back(function.about);
    report.strayExits += part.strayExits, report.missingExits += part.missingExits;
    if (!part.ends.part.isLast || part.ends.part.number > 0)
      ends_.push_back(std::move(part.ends));
  }

  model::TraceSource &source_;
  const TraceTable &table_;
  const ReportOptions &options_;
  RowKeys rowKeys_;
  std::vector<bool> wanted_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<uint32_t> known_, others_;
  std::vector<PartEnds> ends_;
  std::vector<ReportWorker::Summary> made_;
};

} // namespace

Expected<Report> makeReport(model::TraceSource &source, const TraceTable &table, const std::vector<uint32_t> &threads,
                            const ReportOptions &options) {
  Report report;
  std::map<RowKey, Merged> all;
  Kept kept(source, table, threads, options);
  // Arguments are recorded where a call begins, which may be in another part.
  const uint64_t partEvents = options.arguments ? ~uint64_t(0) : options.partEvents;
  std::vector<ThreadPart> parts = kept.take(all, report);
  for (const ThreadPart &part : partsOf(source, table, kept.otherThreads(), partEvents))
    parts.push_back(part);
  std::vector<PartEnds> ends = kept.takeEnds();
  const auto done = readParts<ReportWorker>(
      source, table, parts,
      [&](TraceTable &own) { return std::make_unique<ReportWorker>(own, options, kept.wanted()); },
      [&](ReportWorker &worker) {
        add(all, worker, report, options.mostArgumentRows);
        std::move(worker.parts.begin(), worker.parts.end(), std::back_inserter(ends));
        kept.add(std::move(worker.summaries));
      },
      report.damage);
  if (!done)
    return done.error();
  if (!join(ends, all, table)) {
    ReportOptions whole = options;
    whole.partEvents = ~uint64_t(0);
    whole.summaries = UseSummaries::No;
    return makeReport(source, table, threads, whole);
  }
  if (report.damage.problems.empty())
    kept.write();
  if (options.arguments)
    report.collapsedFunctions = collapse(all, options.mostArgumentRows);
  for (auto &[key, merged] : all)
    addRows(report, table, options, key, merged);
  return report;
}

} // namespace ada::analysis
