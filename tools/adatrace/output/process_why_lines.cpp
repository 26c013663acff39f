// Prints the chain of processes, and what was on-CPU meanwhile.
#include "process_why_lines.h"

#include "analysis/processes/command_shape.h"
#include "options/table_options.h"
#include "output/table_writer.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ada::cli {

using analysis::ChainLink, analysis::ChainRow, analysis::kNoProcess, analysis::ProcessRun;

namespace {

std::string percent(uint64_t ns, uint64_t all) {
  return fmt::format("{:.1f}%", all ? 100.0 * static_cast<double>(ns) / static_cast<double>(all) : 0.0);
}

struct ChainLine {
  const ChainRow *row;
  const ProcessWhy *why;
};

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
       return formatDuration(line.row->ns) + fmt::format(" {:>6}", percent(line.row->ns, line.why->durationNs()));
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

struct AtOnce {
  uint64_t threads, ns;
};
constexpr Column<AtOnce> kAtOnce[] = {
    {ColumnInfo{"threads", Holds::Number, "number of threads of traced processes that were on-CPU at once"},
     [](const AtOnce &row) -> Value { return row.threads; }},
    {ColumnInfo{"total_ns", Holds::Duration, "for how long"}, [](const AtOnce &row) -> Value { return row.ns; }},
};

struct Alone {
  std::string command;
  uint64_t count = 0, ns = 0;
};
constexpr Column<Alone> kAlone[] = {
    {ColumnInfo{"command", Holds::Text, "as in `processes`"}, [](const Alone &row) -> Value { return row.command; }},
    {ColumnInfo{"count", Holds::Count, "number of processes"}, [](const Alone &row) -> Value { return row.count; }},
    {ColumnInfo{"total_ns", Holds::Duration,
                "for how long one of their threads was on-CPU, and no other thread that was traced"},
     [](const Alone &row) -> Value { return row.ns; }},
};

// The longest first.
std::vector<Alone> aloneRows(const ProcessWhy &why) {
  std::map<std::string, Alone> byShape;
  for (uint32_t i = 0; i < why.use.aloneNs.size(); ++i)
    if (const uint64_t ns = why.use.aloneNs[i]) {
      const analysis::Execution &last = why.list->all[i].last();
      Alone &row = byShape[analysis::commandShape(last.program, last.arguments)];
      row.ns += ns;
      row.command = row.count++ ? analysis::commandShape(last.program, last.arguments)
                                : analysis::commandText(last.program, last.arguments);
    }
  std::vector<Alone> rows;
  for (auto &[shape, row] : byShape)
    rows.push_back(std::move(row));
  std::ranges::stable_sort(rows, std::greater(), &Alone::ns);
  return rows;
}
std::vector<AtOnce> atOnceRows(const ProcessWhy &why) {
  std::vector<AtOnce> rows;
  for (size_t threads = 0; threads < why.use.atOnceNs.size(); ++threads)
    rows.push_back({threads, why.use.atOnceNs[threads]});
  return rows;
}
bool hasCpuUse(const ProcessWhy &why) { return why.use.untold < why.list->all.size(); }

const ProcessRun *runOf(const ProcessWhy &why) { return why.run == kNoProcess ? nullptr : &why.list->all[why.run]; }
std::string commandOf(const ProcessWhy &why) {
  const ProcessRun *run = runOf(why);
  return run ? analysis::commandText(run->last().program, run->last().arguments) : std::string();
}
std::vector<ChainLine> chainLines(const ProcessWhy &why) {
  std::vector<ChainLine> lines;
  for (const ChainRow &row : why.chain)
    lines.push_back({&row, &why});
  return lines;
}

constexpr Column<ProcessWhy> kProcessWhy[] = {
    {ColumnInfo{"pid", Holds::Number, "`null` for the session"} | kOrNull,
     [](const ProcessWhy &why) -> Value { return runOf(why) ? Value(runOf(why)->pid) : Value(); }},
    {ColumnInfo{"command", Holds::Text, "its command line"} | kOrNull,
     [](const ProcessWhy &why) -> Value { return commandOf(why); }},
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
       return hasCpuUse(why) ? Value(jsonList(Columns<AtOnce>(kAtOnce), atOnceRows(why))) : Value();
     }},
    {ColumnInfo{"alone", Holds::Objects, "what was on-CPU alone; `null` if that is not known"} | kOrNull,
     [](const ProcessWhy &why) -> Value {
       return hasCpuUse(why) ? Value(jsonList(Columns<Alone>(kAlone), aloneRows(why))) : Value();
     }},
    {ColumnInfo{"untold", Holds::Count, "processes whose on-CPU times are not known, and are in neither"},
     [](const ProcessWhy &why) -> Value { return why.use.untold; }},
};

void printCpuUse(Output &out, const Palette &palette, const ProcessWhy &why, double minPercent) {
  if (!hasCpuUse(why)) {
    out.print("what was on-CPU meanwhile is unknown: there are no scheduling records\n");
    return;
  }
  out.print("on-CPU at once");
  if (why.list->cores)
    out.print(", on {}", formatCount(*why.list->cores, "core"));
  out.print(":\n");
  for (const AtOnce &row : atOnceRows(why))
    out.print("{}{:>11} {:>6}{}  {}\n", palette.number, formatDuration(row.ns), percent(row.ns, why.durationNs()),
              palette.reset, row.threads ? formatCount(row.threads, "traced thread") : "no traced thread");
  if (why.use.untold)
    out.print("  {}without {} whose on-CPU times are not known{}\n", palette.dim,
              formatCount(why.use.untold, "process"), palette.reset);
  out.print("on-CPU alone:\n");
  constexpr size_t kMostAlone = 5;
  const std::vector<Alone> alone = aloneRows(why);
  for (size_t i = 0; i < std::min(alone.size(), kMostAlone); ++i)
    if (100.0 * static_cast<double>(alone[i].ns) >= minPercent * static_cast<double>(why.durationNs()))
      out.print("{}{:>11} {:>6}{}  {}{}\n", palette.number, formatDuration(alone[i].ns),
                percent(alone[i].ns, why.durationNs()), palette.reset, alone[i].command,
                alone[i].count > 1 ? " ×" + formatCount(alone[i].count) : "");
}

} // namespace

ColumnList processWhyTable() { return infoOf(Columns<ProcessWhy>(kProcessWhy)); }
ColumnList processChainTable() { return infoOf(Columns<ChainLine>(kChainColumns)); }
ColumnList atOnceTable() { return infoOf(Columns<AtOnce>(kAtOnce)); }
ColumnList aloneTable() { return infoOf(Columns<Alone>(kAlone)); }

void printProcessWhy(Output &out, const Palette &palette, const ProcessWhy &why, uint64_t limit, double minPercent) {
  const ProcessRun *run = runOf(why);
  const std::string name = !run       ? formatCount(why.list->all.size(), "process")
                           : run->pid ? fmt::format("{} (pid {})", commandOf(why), *run->pid)
                                      : commandOf(why);
  out.print("{}{}{}: {}{}{}\n", palette.name, name, palette.reset, palette.number, formatDuration(why.durationNs()),
            palette.reset);
  std::vector<ChainLine> lines = chainLines(why);
  const size_t all = lines.size();
  std::erase_if(lines, [&](const ChainLine &line) {
    return 100.0 * static_cast<double>(line.row->ns) < minPercent * static_cast<double>(why.durationNs());
  });
  if (limit && lines.size() > limit)
    lines.resize(limit);
  const TableOptions text;
  printTable(out, palette, Columns<ChainLine>(kChainColumns), lines, text, 0, [&](const ChainLine &line) {
    RowNotes notes;
    if (line.row->unknownNs)
      notes.after.push_back({palette.warn, "[whether it waited for other processes is unknown]"});
    return notes;
  });
  if (lines.size() < all)
    out.print("{}... and {} more; --limit=0 --min-percent=0 shows all{}\n", palette.dim,
              formatCount(all - lines.size()), palette.reset);
  constexpr std::pair<ChainLink, std::string_view> kNotes[] = {
      {ChainLink::Inferred, "inferred: the parent went on when the process ended"},
      {ChainLink::Pipe, "pipe: inferred, a process at the other end of a pipe went on while or after it ran"},
      {ChainLink::Started, "started: it started a process of the chain, for which nothing can have waited before"},
      {ChainLink::Order, "order: the parents were not traced, so only what came one after the other is known"}};
  for (const auto &[link, note] : kNotes)
    if (std::ranges::find(why.chain, link, &ChainRow::link) != why.chain.end())
      out.print("  {}{}{}\n", palette.dim, note, palette.reset);
  printCpuUse(out, palette, why, minPercent);
}

void printProcessWhyJson(Output &out, const ProcessWhy &why) {
  out.write(jsonOf(Columns<ProcessWhy>(kProcessWhy), why) + "\n");
}

} // namespace ada::cli
