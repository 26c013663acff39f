// Formats names, files and lines of functions for output.
#pragma once

#include "analysis/events/trace_columns.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::cli {

class CommandLine;

enum class NameStyle { Short, Full, Mangled };

/// The options --names and --source.
struct NameOptions {
  NameStyle style = NameStyle::Short;
  bool source = false;
};
void declareNames(CommandLine &line, NameOptions &options);

/// The function's name in `style`, as a single line whatever bytes it contains.
std::string nameOf(const model::Function &function, NameStyle style);
using analysis::sourceOf;

/// The names of a trace's functions, made once per function.
class FunctionNames {
public:
  FunctionNames(const std::vector<model::Function> &functions, NameStyle style)
      : functions_(functions), style_(style) {}

  const std::string &name(uint32_t function);
  std::string source(uint32_t function) const { return sourceOf(functions_[function]); }

private:
  const std::vector<model::Function> &functions_;
  NameStyle style_;
  std::vector<std::string> names_;
};

} // namespace ada::cli
