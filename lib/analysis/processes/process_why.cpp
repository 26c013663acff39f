// The columns of `why --process`.
#include "process_why.h"

#include "command_shape.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ada::analysis {

const ProcessRun *ProcessWhy::asked() const { return run == kNoProcess ? nullptr : &list->all[run]; }

std::string ProcessWhy::command() const {
  return asked() ? commandText(asked()->last().program, asked()->last().arguments) : std::string();
}

bool ProcessWhy::hasCpuUse() const { return use.untold < list->all.size(); }

uint32_t wholeSession(const ProcessList &list) {
  std::vector<uint32_t> roots = list.children().back();
  std::erase_if(roots, [&](uint32_t run) { return !list.all[run].beginNs; }); // whose parents are not known either
  return roots.size() == 1 ? roots[0] : kNoProcess;
}

std::vector<uint32_t> runsWithPid(const ProcessList &list, uint64_t pid) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < list.all.size(); ++i)
    if (list.all[i].pid == pid)
      found.push_back(i);
  std::ranges::stable_sort(found, std::greater(), [&](uint32_t run) { return list.all[run].durationNs(); });
  return found;
}

ProcessWhy explainProcess(const ProcessList &list, const TraceTable &table, uint32_t run) {
  ProcessWhy why;
  why.list = &list, why.run = run;
  const bool isSession = run == kNoProcess;
  why.fromNs = isSession ? list.beginNs : list.all[run].beginNs;
  why.toNs = isSession ? list.endNs : list.all[run].endNs;
  why.chain = foldChain(list, table, chainOf(list, table, run));
  why.use = cpuUse(list, table, why.fromNs, why.toNs);
  return why;
}

std::vector<ChainLine> chainLines(const ProcessWhy &why) {
  std::vector<ChainLine> lines;
  for (const ChainRow &row : why.chain)
    lines.push_back({&row, &why});
  return lines;
}

std::vector<AloneRow> aloneRows(const ProcessWhy &why) {
  std::map<std::string, AloneRow> byShape;
  for (uint32_t i = 0; i < why.use.aloneNs.size(); ++i)
    if (const uint64_t ns = why.use.aloneNs[i]) {
      const Execution &last = why.list->all[i].last();
      AloneRow &row = byShape[commandShape(last.program, last.arguments)];
      row.ns += ns;
      row.command =
          row.count++ ? commandShape(last.program, last.arguments) : commandText(last.program, last.arguments);
    }
  std::vector<AloneRow> rows;
  for (auto &[shape, row] : byShape)
    rows.push_back(std::move(row));
  std::ranges::stable_sort(rows, std::greater(), &AloneRow::ns);
  return rows;
}

std::vector<AtOnceRow> atOnceRows(const ProcessWhy &why) {
  std::vector<AtOnceRow> rows;
  for (size_t threads = 0; threads < why.use.atOnceNs.size(); ++threads)
    rows.push_back({threads, why.use.atOnceNs[threads]});
  return rows;
}

namespace {

std::string chainText(const ChainLine &line) {
  switch (line.row->link) {
  case ChainLink::Asked:
    return line.row->command + ": itself";
  case ChainLink::Inferred:
  case ChainLink::Pipe:
  case ChainLink::Started:
  case ChainLink::Order:
    return line.row->command;
  case ChainLink::Nothing:
    break;
  }
  return "between these: no process that was traced";
}

Value partOf(const ChainLine &line, uint64_t (*get)(const OffCpuTimes &, uint64_t)) {
  return line.row->off ? Value(get(*line.row->off, line.row->ns)) : Value();
}

constexpr Column<ChainLine> kChainColumns[] = {
    {ColumnInfo{"total_ns", Holds::Duration, "how much of the time the chain was there"} | inText("total", 18) |
         Look::Number,
     [](const ChainLine &line) -> Value { return line.row->ns; },
     [](const ChainLine &line) {
       return formatDuration(line.row->ns) + fmt::format(" {:>6}", formatPercent(line.row->ns, line.why->durationNs()));
     }},
    {ColumnInfo{"on_cpu_ns", Holds::Duration,
                "parts of `total_ns` in which the process's first thread was on-CPU, waited, and was preempted; `null` "
                "if the kernel did not report them"} |
         inText("on-CPU", 11) | Look::Number | kOrNull,
     [](const ChainLine &line) {
       return partOf(line, [](const OffCpuTimes &off, uint64_t ns) { return ns - std::min(ns, off.notRunningNs()); });
     }},
    {ColumnInfo{"waiting_ns", Holds::Duration} | inText("waiting", 11) | Look::Number | kOrNull,
     [](const ChainLine &line) {
       return partOf(line, [](const OffCpuTimes &off, uint64_t) { return off.waitingNs; });
     }},
    {ColumnInfo{"preempted_ns", Holds::Duration} | inText("preempted", 11) | Look::Number | kOrNull,
     [](const ChainLine &line) {
       return partOf(line, [](const OffCpuTimes &off, uint64_t) { return off.preemptedNs; });
     }},
    {ColumnInfo{"count", Holds::Count, "number of processes"} | inText("count", 6) | Look::Number,
     [](const ChainLine &line) -> Value { return line.row->runs.size(); }},
    {ColumnInfo{"link", Holds::Text,
                "`asked`: the process that was asked about; `inferred`: its parent was off-CPU and went on when it "
                "ended; `pipe`: one at the other end of its pipe was off-CPU and went on while or after it ran; "
                "`started`: it started a process of the chain; `order`: its parent was not traced, and the next "
                "process of the chain began after it; "
                "`nothing`: no process that was traced"} |
         inText("how", 8),
     [](const ChainLine &line) -> Value { return chainLinkName(line.row->link); },
     [](const ChainLine &line) {
       const bool isFound = line.row->link != ChainLink::Asked && line.row->link != ChainLink::Nothing;
       return isFound ? std::string(chainLinkName(line.row->link)) : std::string();
     }},
    {ColumnInfo{"unknown_ns", Holds::Duration,
                "parts of `total_ns` of processes that have children, or a pipe to another process, but no scheduling "
                "records: they may have waited for these"},
     [](const ChainLine &line) -> Value { return line.row->unknownNs; }},
    {ColumnInfo{"pid", Holds::Number, "of a single process"} | kOrNull,
     [](const ChainLine &line) -> Value {
       return line.row->runs.size() == 1 ? Value(line.why->list->all[line.row->runs[0]].pid) : Value();
     }},
    {ColumnInfo{"command", Holds::Text, "as in `processes`"} | kOrNull | inText("process", 0) | Look::Tree,
     [](const ChainLine &line) -> Value { return line.row->command; }, chainText},
};

constexpr Column<AtOnceRow> kAtOnce[] = {
    {ColumnInfo{"threads", Holds::Number, "number of threads of traced processes that were on-CPU at once"},
     [](const AtOnceRow &row) -> Value { return row.threads; }},
    {ColumnInfo{"total_ns", Holds::Duration, "for how long"}, [](const AtOnceRow &row) -> Value { return row.ns; }},
};

constexpr Column<AloneRow> kAlone[] = {
    {ColumnInfo{"command", Holds::Text, "as in `processes`"}, [](const AloneRow &row) -> Value { return row.command; }},
    {ColumnInfo{"count", Holds::Count, "number of processes"}, [](const AloneRow &row) -> Value { return row.count; }},
    {ColumnInfo{"total_ns", Holds::Duration,
                "for how long one of their threads was on-CPU, and no other thread that was traced"},
     [](const AloneRow &row) -> Value { return row.ns; }},
};

constexpr Column<ProcessWhy> kProcessWhy[] = {
    {ColumnInfo{"pid", Holds::Number, "`null` for the session"} | kOrNull,
     [](const ProcessWhy &why) -> Value { return why.asked() ? Value(why.asked()->pid) : Value(); }},
    {ColumnInfo{"command", Holds::Text, "its command line"} | kOrNull,
     [](const ProcessWhy &why) -> Value { return why.command(); }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when it began"}, [](const ProcessWhy &why) -> Value { return why.fromNs; }},
    {ColumnInfo{"total_ns", Holds::Duration, "how long it took"},
     [](const ProcessWhy &why) -> Value { return why.durationNs(); }},
    {ColumnInfo{"cores", Holds::Count, "of the machine"} | kOrNull,
     [](const ProcessWhy &why) -> Value { return why.list->cores; }},
    {ColumnInfo{"chain", Holds::Objects, "where its time went, the longest first; `total_ns` add up to its own"},
     [](const ProcessWhy &why) -> Value { return jsonList(Columns<ChainLine>(kChainColumns), chainLines(why)); }},
    {ColumnInfo{"at_once", Holds::Objects, "how many threads were on-CPU at once; `null` if that is not known"} |
         kOrNull,
     [](const ProcessWhy &why) -> Value {
       return why.hasCpuUse() ? Value(jsonList(Columns<AtOnceRow>(kAtOnce), atOnceRows(why))) : Value();
     }},
    {ColumnInfo{"alone", Holds::Objects, "what was on-CPU alone; `null` if that is not known"} | kOrNull,
     [](const ProcessWhy &why) -> Value {
       return why.hasCpuUse() ? Value(jsonList(Columns<AloneRow>(kAlone), aloneRows(why))) : Value();
     }},
    {ColumnInfo{"untold", Holds::Count, "processes whose on-CPU times are not known, and are in neither"},
     [](const ProcessWhy &why) -> Value { return why.use.untold; }},
};

} // namespace

Columns<ProcessWhy> processWhyColumns() { return kProcessWhy; }
Columns<ChainLine> chainColumns() { return kChainColumns; }
Columns<AtOnceRow> atOnceColumns() { return kAtOnce; }
Columns<AloneRow> aloneColumns() { return kAlone; }

} // namespace ada::analysis
