//===- function_names.h - names, files and lines of functions for output --===//
#ifndef ADATRACE_FUNCTION_NAMES_H
#define ADATRACE_FUNCTION_NAMES_H

#include "ada/trace/calls.h"
#include "ada/trace/session.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ada::cli {

enum class NameStyle { Short, Full, Mangled };

/// Adds --names and --source.
struct NameOptions {
  NameStyle style = NameStyle::Short;
  bool source = false;
};
void declareNames(CLI::App &app, NameOptions &options);

/// What to print for the functions of one process. Texts are made once a function.
class FunctionNames {
public:
  FunctionNames(const atf::ProcessTrace &process, NameStyle style)
      : process(&process), style(style) {}

  /// A small number for each function, by which the others know it.
  uint32_t number(uint64_t functionId) { return index.add(functionId); }
  uint64_t functionId(uint32_t number) const { return index.ids()[number]; }

  const std::string &name(uint32_t number);
  /// "dir/file.cpp:12", or empty.
  std::string source(uint32_t number) const;

private:
  const atf::ProcessTrace *process;
  NameStyle style;
  FunctionIndex index;
  std::vector<std::string> names;
};

} // namespace ada::cli
#endif // ADATRACE_FUNCTION_NAMES_H
