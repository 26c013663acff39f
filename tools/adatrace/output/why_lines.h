// Prints how a call spent its time.
#pragma once

#include "function_names.h"
#include "input/trace_input.h"
#include "terminal/terminal.h"

#include "analysis/waits/why_table.h"
#include "trace/base/table.h"

namespace ada::cli {

/// "waiting in f for mutex 0xabc"; `isOfCall`: a part of the call itself, not of a thread that it waited for.
std::string whyPartText(const analysis::NamedTrace &trace, const analysis::WhyPart &part, bool isOfCall);
/// "held by thread 3 (tid 4711, worker)"; `thread` is the thread's name.
std::string whyHolderText(const analysis::WhyPart &part, const analysis::WhyPart::Holder &holder,
                          const std::string &thread);
/// Which parts are shown.
struct WhyLimits {
  double minPercent = 0; ///< of the call's time
  uint64_t lines = 0;    ///< 0: all
};
/// What was left out.
struct WhyLeftOut {
  uint64_t small = 0, more = 0;
};
/// Removes the parts, and the threads among them, that are not shown. Those that come first, with what is in them,
/// stay.
WhyLeftOut shorten(analysis::Why &why, const WhyLimits &limits);

void printWhy(Output &out, const Palette &palette, const TraceInput &input, const analysis::Why &why, NameStyle style);
/// Prints one object.
void printWhyJson(Output &out, const TraceInput &input, const analysis::Why &why, NameStyle style);

} // namespace ada::cli
