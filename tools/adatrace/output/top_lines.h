// What `adatrace top` shows: a page for a terminal, or tables one after the other.
#ifndef ADATRACE_TOP_LINES_H
#define ADATRACE_TOP_LINES_H

#include "options/table_options.h"
#include "terminal/terminal.h"

#include "analysis/report/call_rates_table.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ada::cli {

struct TopState {
  std::string session;
  uint64_t intervalNs = 0; ///< since the last look; 0: this is the first
  bool isLive = false, isPaused = false;
  std::string sortedBy; ///< a heading of rateColumns()
};

/// At most `limit` rows; 0: all.
void printTop(Output &out, const Palette &palette, const analysis::CallRates &rates, const TopState &state,
              const TableOptions &options, size_t limit);

/// The same as a page of that size, with the keys in its last line.
std::string topPage(const Palette &palette, const analysis::CallRates &rates, const TopState &state,
                    const TableOptions &options, unsigned rows, unsigned columns);

/// The heading that a key chooses; empty if it is not such a key. `isRight`, `isLeft`: arrows.
std::string columnOfKey(int key, bool isLeft, bool isRight, const std::string &current);

} // namespace ada::cli
#endif // ADATRACE_TOP_LINES_H
