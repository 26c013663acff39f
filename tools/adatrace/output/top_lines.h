// What `adatrace top` shows.
#pragma once

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

} // namespace ada::cli
