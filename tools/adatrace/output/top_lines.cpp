// What `adatrace top` shows.
#include "top_lines.h"
#include "table_writer.h"

#include "base/quantities.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ada::cli {

using analysis::RateRow;

namespace {

// Small letters are for the time since the last look, capitals for all the time.
constexpr std::pair<char, const char *> kKeys[] = {
    {'c', "calls"},     {'t', "total"},     {'s', "self"},     {'m', "mean"},     {'p', "p99"},
    {'C', "all calls"}, {'T', "all total"}, {'S', "all self"}, {'M', "all mean"}, {'P', "all p99"},
};
constexpr const char *kFooter =
    "q quit  space pause  c calls  t total  s self  m mean  p p99  capitals: in sum  arrows: column";

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

std::string topPage(const Palette &palette, const analysis::CallRates &rates, const TopState &state,
                    const TableOptions &options, unsigned rows, unsigned columns) {
  constexpr unsigned kOthers = 5; // lines: head, headings, columns that did not fit, an empty one, keys
  TableOptions fitted = options;
  fitted.width = columns;
  std::string page;
  {
    Output out(page);
    printTop(out, palette, rates, state, fitted, std::max(rows, kOthers + 1) - kOthers);
  }
  // The keys are in the last line, whatever is above them.
  size_t lines = static_cast<size_t>(std::ranges::count(page, '\n'));
  for (; lines + 1 < rows; ++lines)
    page += '\n';
  page += std::string(palette.dim.text) + "by " + state.sortedBy + "; " + kFooter + std::string(palette.reset.text);
  return page;
}

std::string columnOfKey(int key, bool isLeft, bool isRight, const std::string &current) {
  const auto *at = std::ranges::find(kKeys, current, [](const auto &of) { return std::string(of.second); });
  const ptrdiff_t number = at == std::end(kKeys) ? 0 : at - std::begin(kKeys), count = std::size(kKeys);
  if (isLeft || isRight)
    return kKeys[(number + (isRight ? 1 : count - 1)) % count].second;
  for (const auto &[letter, heading] : kKeys)
    if (key == letter)
      return heading;
  return "";
}

} // namespace ada::cli
