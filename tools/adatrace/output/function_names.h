// Options for how names, files and lines of functions are shown.
#pragma once

#include "analysis/events/function_names.h"

namespace ada::cli {

class CommandLine;

using analysis::FunctionNames, analysis::NameStyle, analysis::nameOf, analysis::sourceOf;

/// The options --names and --source.
struct NameOptions {
  NameStyle style = NameStyle::Short;
  bool source = false;
};
void declareNames(CommandLine &line, NameOptions &options);

} // namespace ada::cli
