//===- report_slowest.h - the calls that took longest, one by one ---------===//
#ifndef ADATRACE_REPORT_SLOWEST_H
#define ADATRACE_REPORT_SLOWEST_H

#include "call_filter.h"
#include "call_values.h"
#include "function_names.h"
#include "terminal.h"
#include "trace_input.h"

#include <cstdint>
#include <string>

namespace ada::cli {

struct SlowestOptions {
  uint64_t limit = 0;
  const FilterOptions &filter;
  const NameOptions &names;
  std::string format; ///< text, csv or jsonl
};

/// Prints the `limit` calls that took longest, the longest first. Memory: that many
/// calls, and the open ones. `types`: with arguments and results; may be null.
void printSlowest(Output &out, const Palette &palette, const TraceInput &input,
                  const SlowestOptions &options, const SessionTypes *types);

} // namespace ada::cli
#endif // ADATRACE_REPORT_SLOWEST_H
