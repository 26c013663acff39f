// The cost of each function of a trace.
//
// Workers add up what their threads did (thread_workers.h). No result depends on the order in which threads are read.
#include "report.h"

#include "report_rows.h"
#include "report_summary.h"
#include "report_worker.h"
#include "trace/base/try.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

namespace ada::analysis {

namespace {

// Collapses the functions with the most argument lists into one row each until every process fits its row limit.
uint64_t collapse(MergedRows &all, size_t most) {
  struct Rows {
    size_t count = 0;
    std::vector<MergedRow *> functions; // with a row for each list
  };
  std::map<uint32_t, Rows> processes;
  uint64_t collapsed = 0;
  for (auto &[key, merged] : all) {
    Rows &rows = processes[key.process];
    collapsed += merged.hasTooMany;
    rows.count += merged.hasTooMany ? 1 : merged.lists.size();
    if (!merged.hasTooMany)
      rows.functions.push_back(&merged);
  }
  for (auto &[process, rows] : processes) {
    if (rows.count <= most)
      continue;
    std::ranges::stable_sort(rows.functions, std::greater(), [](const MergedRow *row) { return row->lists.size(); });
    for (size_t i = 0; rows.count > most && i < rows.functions.size() && rows.functions[i]->lists.size() > 1; ++i) {
      rows.functions[i]->hasTooMany = true;
      rows.count -= rows.functions[i]->lists.size() - 1;
      ++collapsed;
    }
  }
  return collapsed;
}

// The summaries of a report's threads: those that exist, and those to be made.
class Kept : public CrossedCalls<ReportNote> {
public:
  Kept(const Trace &trace, const ReportOptions &options)
      : source_(trace.source), table_(trace.table), options_(options),
        rowKeys_(table_, options.by, options.foldsProcesses), wanted_(table_.threads.size()) {
    const FilterOptions &filter = options.filter;
    const bool fits = options.summaries != UseSummaries::No && !options.arguments && !options.selfDurations &&
                      (options.by == ReportBy::Function || options.by == ReportBy::Thread) &&
                      !filter.choosesFunctions() && filter.depth == ~uint32_t(0) && filter.minDurationNs == 0;
    if (!fits) {
      others_ = trace.threads;
      return;
    }
    processes_.resize(table_.processes.size());
    for (const uint32_t thread : trace.threads)
      (summariesOf(thread) ? known_ : others_).push_back(thread);
    if (!filter.showsAll() || options.foldsProcesses) // rows of several processes have functions of the first
      return;
    uint64_t events = 0;
    for (const uint32_t thread : others_)
      events += printOf(thread) ? table_.threads[thread].extent->events : 0;
    if (options.summaries == UseSummaries::Make || events >= options.summaryEvents)
      for (const uint32_t thread : others_)
        wanted_[thread] = printOf(thread) != nullptr;
  }

  /// Adds the existing summaries. Returns the parts that still have to be read.
  std::vector<ThreadPart> take(MergedRows &all, Report &report) {
    std::vector<ThreadPart> toRead;
    for (const uint32_t thread : known_)
      takeThread(thread, all, report, toRead);
    return toRead;
  }
  /// After take(): what these parts leave.
  void addTo(PartJoin<ReportNote> &join) {
    for (ReportEnds &ends : ends_)
      join.add(std::move(ends), *this);
  }
  void crossed(const Span &call, const OffCpuOfCall &off, const ReportNote &, const ReportNote &ended) override {
    if (ended.group == kNoNumber)
      return;
    FunctionStatistics &figures = rows_[ended.group]->group.figures;
    figures.add(call, ended.isOutermost);
    figures.addOffCpu(off.all, off.self, ended.isOutermost);
  }
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
    MergedRow *row = nullptr;
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
  MergedRow *rowOf(uint32_t thread, uint64_t id, MergedRows &all, Report &report) {
    KnownFunction &function = functionOf(thread, id);
    if (!function.row || (options_.by == ReportBy::Thread && function.thread != thread)) {
      function.row = &all[rowKeys_.of(function.about, thread)];
      function.thread = thread;
      if (!function.row->function)
        function.row->function = &report.functions.emplace_back(function.about);
    }
    return function.row;
  }

  void takeThread(uint32_t thread, MergedRows &all, Report &report, std::vector<ThreadPart> &toRead) {
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
  void takePart(PartSummary &part, MergedRows &all, Report &report) {
    const uint32_t thread = part.ends.part.thread;
    for (const PartSummary::Row &row : part.rows)
      rowOf(thread, row.functionId, all, report)->group.figures.merge(row.figures);
    for (ReportEnds::Call &call : part.ends.before)
      if (call.note.group != kNoNumber) {
        call.note.group = static_cast<uint32_t>(rows_.size());
        rows_.push_back(rowOf(thread, call.functionId, all, report));
      }
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
  std::vector<ReportEnds> ends_;
  std::vector<MergedRow *> rows_; // by ReportNote::group of these ends
  std::vector<ReportWorker::Summary> made_;
};

} // namespace

Expected<Report> makeReport(const Trace &trace, const ReportOptions &options) {
  Report report;
  report.threads = trace.threads.size();
  report.hasSelfDurations = options.selfDurations;
  MergedRows all;
  Kept kept(trace, options);
  std::vector<ThreadPart> parts = kept.take(all, report);
  // Arguments are recorded where a call begins, which may be in another part.
  const uint64_t partEvents = options.arguments ? kWholeThread : options.partEvents;
  for (const ThreadPart &part : partsOf({trace.source, trace.table, kept.otherThreads()}, partEvents))
    parts.push_back(part);
  auto workers = ADA_TRY(runWorkers<ReportWorker>(
      trace, parts, [&](TraceTable &own) { return std::make_unique<ReportWorker>(own, options, kept.wanted()); },
      report.damage));
  PartJoin<ReportNote> join;
  kept.addTo(join);
  for (const auto &worker : workers)
    addParts(join, *worker->reader);
  if (!join.run(trace.table)) {
    ReportOptions whole = options;
    whole.partEvents = kWholeThread;
    whole.summaries = UseSummaries::No;
    return makeReport(trace, whole);
  }
  for (auto &worker : workers) {
    addWorker(all, *worker->reader, report, options.mostArgumentRows);
    const std::vector<model::Function> &met = worker->table.functions;
    report.metFunctions.insert(report.metFunctions.end(), met.begin(), met.end());
    kept.add(std::move(worker->reader->summaries));
    worker.reset();
  }
  if (report.damage.problems.empty())
    kept.write();
  if (options.arguments)
    report.collapsedFunctions = collapse(all, options.mostArgumentRows);
  addRows(report, trace.table, options, std::move(all));
  return report;
}

} // namespace ada::analysis
