// The pass's command line options, and their equivalents in the environment.
#include "options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

#include <cstdlib>

using namespace llvm;

namespace {

cl::OptionCategory category("AdaTrace options");

cl::list<std::string> includeOption(
    "ada-include", cl::value_desc("globs"), cl::cat(category),
    cl::desc("Trace only functions that match one of these globs, separated by '|' (docs/reference/globs.md). A "
             "glob is matched against the mangled name, the demangled name with and without parameters, "
             "and the source file's path. May be repeated."));
cl::list<std::string>
    excludeOption("ada-exclude", cl::value_desc("globs"), cl::cat(category),
                  cl::desc("Do not trace functions that match one of these globs; functions that they call are still "
                           "traced. Takes precedence over everything but ada_never. May be repeated."));
cl::list<std::string>
    callsOption("ada-calls", cl::value_desc("globs"), cl::cat(category),
                cl::desc("Also trace calls that traced functions make to functions that are only declared, such as "
                         "library functions, and match one of these globs, separated by '|' or ','; 'default' means "
                         "the functions that block, allocate or do I/O (docs/reference/pass.md). May be repeated."));
cl::list<std::string>
    ignoreListOption("ada-ignorelist", cl::value_desc("file"), cl::cat(category),
                     cl::desc("Do not trace the functions (fun:) and source files (src:) in this special case list; "
                              "entries before any section and in the sections [ada] and [*] apply. May be repeated."));
cl::list<std::string>
    whyOption("ada-why", cl::ValueOptional, cl::value_desc("globs"), cl::cat(category),
              cl::desc("Print on standard error whether each function that matches (without globs: each function) is "
                       "traced, and if not, why; also list the globs of -ada-include, -ada-exclude and -ada-calls that "
                       "match nothing in the translation unit. May be repeated."));
cl::opt<unsigned> minSizeOption("ada-min-size", cl::init(0), cl::value_desc("N"), cl::cat(category),
                                cl::desc("Do not trace functions that have fewer than N LLVM instructions and no loop. "
                                         "The default, 0, traces all functions, so that calls are counted exactly."));
cl::opt<bool> systemHeadersOption(
    "ada-system-headers", cl::cat(category),
    cl::desc("Also trace functions from system headers, such as the standard library's templates."));
cl::opt<bool> beforeInliningOption(
    "ada-before-inlining", cl::cat(category),
    cl::desc("Place the hooks at the start of the pipeline, so that calls that are inlined later are traced, too."));
cl::opt<bool>
    unwindOption("ada-unwind", cl::init(true), cl::cat(category),
                 cl::desc("Record exits by exceptions, pthread_exit and cancellation (default: on). =0 adds no landing "
                          "pads; a call that is left in this way is closed by the next event of its caller."));
cl::opt<bool> consumeMarksOption(
    "ada-consume-cyg-marks", cl::cat(category),
    cl::desc("Remove the attributes that -finstrument-functions-after-inlining sets, so that this flag only tells the "
             "pass which functions are declared no_instrument_function, and no __cyg_profile calls are generated."));

cl::opt<bool>
    pointeesOption("ada-pointees", cl::cat(category),
                   cl::desc("Describe the data that pointers and references in arguments and results point to (structs "
                            "by field, numbers, vectors), for the run-time option pointees. Needs -g."));

bool parseBool(StringRef text, bool &value) {
  if (text.empty() || text == "1" || text.equals_insensitive("true")) {
    value = true;
    return true;
  }
  value = false;
  return text == "0" || text.equals_insensitive("false");
}

/// Applies one word of ADA_PASS_OPTIONS. Returns what is wrong with it, or "".
std::string applyWord(StringRef word, ada::PassOptions &options) {
  StringRef rest = word;
  if (!rest.consume_front("--"))
    rest.consume_front("-");
  auto [name, value] = rest.split('=');
  bool hasValue = rest.contains('=');

  std::vector<std::string> *list = name == "ada-include"      ? &options.include
                                   : name == "ada-exclude"    ? &options.exclude
                                   : name == "ada-calls"      ? &options.calls
                                   : name == "ada-ignorelist" ? &options.ignoreLists
                                                              : nullptr;
  if (list) {
    if (value.empty())
      return "needs a value, as in -" + name.str() + "=VALUE";
    list->push_back(value.str());
    return "";
  }
  if (name == "ada-why") {
    options.why.push_back(value.empty() ? "*" : value.str());
    return "";
  }
  if (name == "ada-min-size")
    return hasValue && !value.getAsInteger(10, options.minSize) ? "" : "needs a number";

  bool *flag = name == "ada-system-headers"      ? &options.systemHeaders
               : name == "ada-before-inlining"   ? &options.beforeInlining
               : name == "ada-unwind"            ? &options.unwind
               : name == "ada-consume-cyg-marks" ? &options.consumeMarks
               : name == "ada-pointees"          ? &options.pointees
                                                 : nullptr;
  if (!flag)
    return "is not an option of AdaTrace; 'opt -load-pass-plugin=libAdaTrace.so --help' lists the options";
  return parseBool(value, *flag) ? "" : "takes 0 or 1";
}

template <typename Option, typename Value> void overrideBy(Option &option, Value &value) {
  if (option.getNumOccurrences())
    value = option;
}

} // namespace

ada::PassOptions ada::readOptions(std::string &error) {
  PassOptions options;
  if (const char *variable = std::getenv("ADA_PASS_OPTIONS")) {
    BumpPtrAllocator memory;
    StringSaver saver(memory);
    SmallVector<const char *, 16> words;
    cl::TokenizeGNUCommandLine(variable, saver, words);
    for (StringRef word : words) {
      std::string wrong = applyWord(word, options);
      if (!wrong.empty()) {
        error = "ADA_PASS_OPTIONS: '" + word.str() + "' " + wrong;
        return options;
      }
    }
  }
  auto append = [](std::vector<std::string> &to, const cl::list<std::string> &from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(options.include, includeOption);
  append(options.exclude, excludeOption);
  append(options.calls, callsOption);
  append(options.ignoreLists, ignoreListOption);
  for (const std::string &globs : whyOption)
    options.why.push_back(globs.empty() ? "*" : globs);
  overrideBy(minSizeOption, options.minSize);
  overrideBy(systemHeadersOption, options.systemHeaders);
  overrideBy(beforeInliningOption, options.beforeInlining);
  overrideBy(unwindOption, options.unwind);
  overrideBy(consumeMarksOption, options.consumeMarks);
  overrideBy(pointeesOption, options.pointees);
  return options;
}
