// Prints the values of counters.
#include "counter_lines.h"
#include "table_writer.h"

#include "analysis/values/counter_table.h"

namespace ada::cli {

using analysis::CounterLine;

void printCounters(Output &out, const Palette &palette, const analysis::Counters &counters, const TraceInput &input,
                   const ReportLineOptions &options) {
  std::vector<CounterLine> lines;
  for (const analysis::CounterRow &row : counters.rows)
    lines.push_back({&row, &input.table(), nameOf(*row.function, options.names.style), sourceOf(*row.function)});
  printTable(out, palette, analysis::counterColumns(), lines, options.table, analysis::processFacts(input.table()),
             [&](const CounterLine &line) {
               const bool shows = options.names.source && !line.source.empty();
               return shows ? RowNotes{{{palette.dim, " " + line.source}}, {}} : RowNotes();
             });
}

} // namespace ada::cli
