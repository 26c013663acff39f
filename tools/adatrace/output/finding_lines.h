// Prints findings.
#pragma once

#include "terminal/terminal.h"

#include "analysis/findings/finding.h"

namespace ada::cli {

/// At most 2,000 bytes, so that a screen holds them.
void printFindings(Output &out, const Palette &palette, const analysis::Findings &found);
void printFindingsJson(Output &out, const analysis::Findings &found);

} // namespace ada::cli
