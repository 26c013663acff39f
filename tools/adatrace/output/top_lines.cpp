// What `adatrace top` shows.
#include "top_lines.h"
#include "table_writer.h"

#include "trace/base/quantities.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ada::cli {

using analysis::RateRow;

namespace {

void printHead(Output &out, const Palette &palette, const analysis::CallRates &rates, const TopState &state) {
  out.print("{}{}{}: {}, {} open", palette.name, state.session, palette.reset, formatCount(rates.allEvents(), "event"),
            formatCount(rates.openCalls(), "call"));
  if (state.intervalNs > 0)
    out.print("; {} in the last {}", formatCount(rates.lastEvents()), formatDuration(state.intervalNs));
  if (!state.isLive)
    out.write("; recording has ended");
  if (state.isPaused)
    out.print("; {}paused{}", palette.warn, palette.reset);
  out.write("\n");
}

} // namespace

void printTop(Output &out, const Palette &palette, const analysis::CallRates &rates, const TopState &state,
              const TableOptions &options, size_t limit) {
  std::vector<const RateRow *> rows = analysis::sortedRates(rates, state.sortedBy);
  const size_t all = rows.size();
  if (limit > 0)
    rows.resize(std::min(limit, all));
  const bool isForPeople = options.isText() || options.format == Format::Markdown;
  if (isForPeople)
    printHead(out, palette, rates, state);
  TableWriter table(out, palette, infoOf(analysis::rateColumns()), options, /*facts=*/0);
  for (const RateRow *row : rows)
    table.write(analysis::rateColumns(), *row);
  table.finish();
}

} // namespace ada::cli
