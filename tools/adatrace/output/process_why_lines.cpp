// Prints the chain of processes, and what was on-CPU meanwhile.
#include "process_why_lines.h"

#include "options/table_options.h"
#include "output/table_writer.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <string_view>

namespace ada::cli {

using analysis::ChainLine, analysis::ChainLink, analysis::ChainRow, analysis::ProcessRun, analysis::ProcessWhy;

namespace {

void printCpuUse(Output &out, const Palette &palette, const ProcessWhy &why, double minPercent) {
  if (!why.hasCpuUse()) {
    out.print("what was on-CPU meanwhile is unknown: there are no scheduling records\n");
    return;
  }
  out.print("on-CPU at once");
  if (why.list->cores)
    out.print(", on {}", formatCount(*why.list->cores, "core"));
  out.print(":\n");
  for (const analysis::AtOnceRow &row : analysis::atOnceRows(why))
    out.print("{}{:>11} {:>6}{}  {}\n", palette.number, formatDuration(row.ns), formatPercent(row.ns, why.durationNs()),
              palette.reset, row.threads ? formatCount(row.threads, "traced thread") : "no traced thread");
  if (why.use.untold)
    out.print("  {}without {} whose on-CPU times are not known{}\n", palette.dim,
              formatCount(why.use.untold, "process"), palette.reset);
  out.print("on-CPU alone:\n");
  constexpr size_t kMaxAlone = 5;
  const std::vector<analysis::AloneRow> alone = analysis::aloneRows(why);
  for (size_t i = 0; i < std::min(alone.size(), kMaxAlone); ++i)
    if (100.0 * static_cast<double>(alone[i].ns) >= minPercent * static_cast<double>(why.durationNs()))
      out.print("{}{:>11} {:>6}{}  {}{}\n", palette.number, formatDuration(alone[i].ns),
                formatPercent(alone[i].ns, why.durationNs()), palette.reset, alone[i].command,
                alone[i].count > 1 ? " ×" + formatCount(alone[i].count) : "");
}

} // namespace

void printProcessWhy(Output &out, const Palette &palette, const ProcessWhy &why, uint64_t limit, double minPercent) {
  const ProcessRun *run = why.asked();
  const std::string name = !run       ? formatCount(why.list->all.size(), "process")
                           : run->pid ? fmt::format("{} (pid {})", why.command(), *run->pid)
                                      : why.command();
  out.print("{}{}{}: {}{}{}\n", palette.name, name, palette.reset, palette.number, formatDuration(why.durationNs()),
            palette.reset);
  std::vector<ChainLine> lines = analysis::chainLines(why);
  const size_t all = lines.size();
  std::erase_if(lines, [&](const ChainLine &line) {
    return 100.0 * static_cast<double>(line.row->ns) < minPercent * static_cast<double>(why.durationNs());
  });
  if (limit && lines.size() > limit)
    lines.resize(limit);
  const TableOptions text;
  printTable(out, palette, analysis::chainColumns(), lines, text, 0, [&](const ChainLine &line) {
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
  out.write(jsonOf(analysis::processWhyColumns(), why) + "\n");
}

} // namespace ada::cli
