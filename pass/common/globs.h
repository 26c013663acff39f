// The globs of options, and the names of a function that they are matched against (docs/reference/globs.md).
#pragma once

#include "shared/select/function_glob.h"

#include <memory>
#include <string>
#include <vector>

namespace ada::pass {

/// The names of a function as globs see them.
class FunctionNames {
public:
  FunctionNames(std::string symbol, std::string full, std::string scope, std::string file);
  FunctionNames(const FunctionNames &) = delete; // texts() points into it

  const select::FunctionTexts &texts() const { return texts_; }
  const std::string &symbol() const { return symbol_; }
  /// Demangled.
  const std::string &full() const { return full_; }
  /// The namespace or class; "" if that is not known.
  const std::string &scope() const { return scope_; }
  const std::string &file() const { return file_; }

private:
  std::string symbol_, full_, scope_, file_;
  select::FunctionTexts texts_;
};

/// Whether SCOPE is one of the C++ library's namespaces. Without debug information the file of a function is unknown,
/// so they stand for its headers.
bool isLibraryNamespace(const std::string &scope);

/// The values of an option that takes globs.
class GlobList {
public:
  explicit GlobList(const char *option) : option_(option) {}

  /// Adds the globs in TEXT. Returns what is wrong, or "".
  std::string add(const std::string &text);
  const char *option() const { return option_; }
  bool empty() const { return texts_.empty(); }
  bool match(const select::FunctionTexts &function) const;
  /// Each glob of the list.
  std::vector<std::string> each() const;

private:
  const char *option_;
  std::vector<std::string> texts_;
};

/// The globs of -ada-calls. They may be separated by commas too, because library functions are mostly C functions, and
/// one of them may be the word `default`.
class CallList {
public:
  std::string add(const std::string &text);
  const GlobList &globs() const { return globs_; }
  bool hasDefault() const { return hasDefault_; }
  bool empty() const { return !hasDefault_ && globs_.empty(); }

private:
  GlobList globs_{"ada-calls"};
  bool hasDefault_ = false;
};

/// Why no call of a function is traced that -ada-calls does not name.
inline constexpr const char *kOnlyDeclared =
    "only declared in this translation unit; -ada-calls traces calls of such functions";

/// The names of several functions.
using NamesOfAll = std::vector<std::unique_ptr<const FunctionNames>>;

/// With -ada-why: a sentence for each glob of these options that matches none of the functions that UNIT defines or
/// only declares.
std::vector<std::string> unmatchedGlobs(const std::string &unit, const GlobList &include, const GlobList &exclude,
                                        const CallList &calls, const NamesOfAll &defined, const NamesOfAll &declared);

} // namespace ada::pass
