// Option values that give a time by the label of a timing anchor (ada_timing_anchor).
#pragma once

#include "analysis/calls/part_sink.h"

#include "ada/trace/model.h"

#include <span>
#include <string_view>

namespace ada::cli {

/// "@label", but not "@123456789".
bool isAnchorTime(std::string_view text);

/// The time of "@label", "@label+10ms" or "@label-1.5s", where the first anchor with that label counts. If there is no
/// such anchor, ends the command: `name` is the option.
analysis::TimeBound anchorTime(const char *name, std::string_view text, std::span<const model::Process> processes);

} // namespace ada::cli
