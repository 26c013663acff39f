// What globs know a function by when a trace is shown.
//
// That is everything that they match when the function is compiled or recorded, and the name that the source gave it
// (ADA_NAMED).
#pragma once

#include "ada/trace/model.h"

#include "shared/select/function_glob.h"

#include <string>
#include <string_view>

namespace ada::analysis {

/// Make it once to try many globs on the function, which must outlive it.
class GlobbedFunction {
public:
  explicit GlobbedFunction(const model::Function &about);
  GlobbedFunction(const GlobbedFunction &) = delete; // texts point into the original name

  /// Whether one of the globs, separated by '|', means the function. Its name as it is printed does.
  bool matches(std::string_view globs) const {
    return texts_.match(pieceOf(globs)) || (!original_.empty() && others_.match(pieceOf(globs))) || isPrinted(globs);
  }
  /// Whether it has this name, whatever characters are in it.
  bool isNamed(std::string_view name) const {
    return texts_.isNamed(pieceOf(name)) || (!original_.empty() && others_.isNamed(pieceOf(name)));
  }

private:
  static TextPiece pieceOf(std::string_view text) { return {text.data(), text.size()}; }

  bool isPrinted(std::string_view globs) const;

  const model::Function &about_;
  std::string original_; // where the name that is shown is another one
  select::FunctionTexts texts_, others_;
};

} // namespace ada::analysis
