// Which functions are instrumented, and the reason for each that is not.
//
// The rules are those of docs/reference/pass.md, as far as GCC has what they are about. The first that applies decides.
#pragma once

#include "gcc_headers.h"

#include "common/globs.h"
#include "common/ignore_list.h"
#include "common/options.h"

namespace ada::pass {

/// The attributes of include/ada/attributes.h.
constexpr const char *kAttrAlways = "ada_always", *kAttrNever = "ada_never", *kAttrName = "ada_name";

class Filter {
public:
  /// Null, with ERROR set, if a glob or a list is wrong.
  static std::unique_ptr<Filter> create(const PassOptions &options, std::string &error);

  /// Why FUNCTION, which has a body, is not instrumented; "" if it is. Its size is not looked at.
  std::string reasonAgainst(tree function) const;
  /// Why FUNCTION can't be instrumented; null if it can, or if the source or the command line leave it out.
  const char *impossible(tree function) const;
  /// Why calls of CALLEE, which is only declared, are not instrumented; "" if they are.
  std::string reasonAgainstCallsOf(tree callee) const;
  /// Whether any library calls are to be instrumented.
  bool hasCalls() const { return !calls_.empty(); }
  /// Whether FUNCTION, which is being compiled, is smaller than -ada-min-size, and has no loop.
  bool isTooSmall(function *function) const;
  /// Whether -ada-why asks for FUNCTION.
  bool isAskedFor(tree function) const;
  bool explains() const { return !why_.empty(); }
  /// With -ada-why: a sentence for each glob of -ada-include and -ada-exclude that matches none of FUNCTIONS.
  std::vector<std::string> unmatchedGlobs(const std::vector<tree> &functions, const std::vector<tree> &declared) const;

private:
  PassOptions options_;
  GlobList include_{"ada-include"}, exclude_{"ada-exclude"}, why_{"ada-why"};
  CallList calls_;
  IgnoreList ignoreList_;
};

} // namespace ada::pass
