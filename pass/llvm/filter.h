// Which functions are instrumented, and the reason for each that is not.
//
// The first rule that applies decides:
//   1. what can't be instrumented (declarations, naked functions, ifunc resolvers, …)   no
//   2. no_instrument_function, disable_sanitizer_instrumentation in the source           no
//   3. ada_never in the source                                                           no
//   4. -ada-exclude, -ada-ignorelist                                                     no
//   5. ada_always in the source                                                          yes
//   6. -ada-include given, and no glob of it matches                                     no
//   7. code from system headers, unless -ada-system-headers                              no
//   8. fewer than -ada-min-size instructions and no loop                                 no
// Calls of functions that are only declared are instrumented if -ada-calls names them and rule 4 does not apply. So a
// build's command line overrides ada_always, and nothing overrides ada_never.
#pragma once

#include "common/globs.h"
#include "common/options.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SpecialCaseList.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace ada::pass {

/// Function attributes by which the pass remembers things between its runs.
constexpr const char *kAttrInstrumented = "ada-instrumented"; // has its hooks
constexpr const char *kAttrAlways = "ada-always";             // annotated ada_always
constexpr const char *kAttrName = "ada-name";                 // annotated ada_name:…, which is its value
constexpr const char *kAttrNever = "ada-never";               // annotated ada_never
constexpr const char *kAttrNoInstrument = "ada-no-instrument-function";
constexpr const char *kAttrAfterSplit = "ada-after-split"; // a coroutine, to be hooked once it is split

/// Copies what the source says about functions to function attributes, which survive cloning: the annotations, and
/// no_instrument_function as far as the marks of -finstrument-functions-after-inlining show it. With CONSUMEMARKS the
/// marks are removed. Returns whether it changed MODULE.
bool noteSourceMarks(llvm::Module &module, bool consumeMarks);

/// The names of FUNCTION that globs are matched against.
FunctionNames namesOf(const llvm::Function &function);

class Filter {
public:
  /// Null, with ERROR set, if a glob or a list is wrong.
  static std::unique_ptr<Filter> create(const PassOptions &options, const llvm::Module &module, std::string &error);

  /// Why FUNCTION is not instrumented; "" if it is.
  std::string reasonAgainst(const llvm::Function &function) const;
  /// Why FUNCTION, which is one of the program's, can't be instrumented; null if it can, or if the source or the
  /// command line leave it out.
  const char *reasonWithoutHooks(const llvm::Function &function) const;
  /// Why calls of FUNCTION, which is only declared, are not instrumented; "" if they are.
  std::string reasonAgainstCallsOf(const llvm::Function &function) const;
  /// Whether any library calls are to be instrumented.
  bool hasCalls() const { return !calls_.empty(); }

  /// Whether -ada-why asks for FUNCTION.
  bool isAskedFor(const llvm::Function &function) const;
  /// With -ada-why: a sentence for each glob of -ada-include and -ada-exclude that matches nothing that MODULE defines,
  /// and for each glob of -ada-calls that matches nothing that it only declares.
  std::vector<std::string> unmatchedGlobs(const llvm::Module &module) const;

private:
  PassOptions options_;
  GlobList include_{"ada-include"}, exclude_{"ada-exclude"}, why_{"ada-why"};
  CallList calls_;
  std::unique_ptr<llvm::SpecialCaseList> ignoreList_;
  llvm::SmallPtrSet<const llvm::Function *, 4> resolvers_;

  const char *impossible(const llvm::Function &function) const;
  const char *unwanted(const FunctionNames &names) const;
};

} // namespace ada::pass
