// The names of functions as people read them.
#pragma once

#include "trace_columns.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::analysis {

enum class NameStyle {
  Short,   ///< parameters and template arguments folded
  Full,    ///< demangled
  Mangled, ///< as in the object file
};

/// The function's name in `style`, as a single line whatever bytes it contains.
std::string nameOf(const model::Function &function, NameStyle style);

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

} // namespace ada::analysis
