// filter.h - which functions are instrumented, and the reason for each that is not.
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
// So what a build says on its command line beats ada_always, and nothing beats ada_never.
#ifndef ADA_PASS_FILTER_H
#define ADA_PASS_FILTER_H

#include "options.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/SpecialCaseList.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace ada {

/// Function attributes by which the pass remembers things between its runs.
constexpr const char *kAttrInstrumented = "ada-instrumented"; // has its hooks
constexpr const char *kAttrAlways = "ada-always";             // annotated ada_always
constexpr const char *kAttrNever = "ada-never";               // annotated ada_never
constexpr const char *kAttrNoInstrument = "ada-no-instrument-function";
constexpr const char *kAttrAfterSplit = "ada-after-split"; // a coroutine, to be hooked once it is split

/// Carries what the source says about functions (annotations; no_instrument_function, as far as the marks of
/// -finstrument-functions-after-inlining show it) over to function attributes, which survive cloning. With CONSUMEMARKS
/// the marks are removed. Returns whether it changed MODULE.
bool noteSourceMarks(llvm::Module &module, bool consumeMarks);

/// A list of globs, each option value being split at '|'.
class GlobList {
public:
  /// Adds the globs in TEXT, which came with option NAME. Returns what is wrong, or "".
  std::string add(const char *name, llvm::StringRef text);
  bool empty() const { return globs.empty(); }
  bool matches(llvm::StringRef text) const;

private:
  std::vector<std::string> texts; // GlobPattern refers to its text
  std::vector<llvm::GlobPattern> globs;
};

class Filter {
public:
  /// Null, with ERROR set, if a glob or a list is wrong.
  static std::unique_ptr<Filter> create(const PassOptions &options, const llvm::Module &module, std::string &error);

  /// Why FUNCTION is not instrumented; "" if it is.
  std::string reasonAgainst(const llvm::Function &function) const;

  /// Whether -ada-why asks for FUNCTION.
  bool isAskedFor(const llvm::Function &function) const;
  bool isAskedFor(llvm::StringRef symbol) const;

private:
  PassOptions options;
  GlobList include, exclude, why;
  std::unique_ptr<llvm::SpecialCaseList> ignoreList;
  llvm::SmallPtrSet<const llvm::Function *, 4> resolvers;

  const char *impossible(const llvm::Function &function) const;
};

} // namespace ada

#endif
