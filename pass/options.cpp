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

// One of these for each type in compile_options.inc: how LLVM parses the option.
using List = cl::list<std::string>;
struct MaybeList : List {
  template <class... Ts> explicit MaybeList(Ts &&...with) : List(std::forward<Ts>(with)..., cl::ValueOptional) {}
};
struct Number : cl::opt<unsigned> {
  template <class... Ts> explicit Number(Ts &&...with) : opt(std::forward<Ts>(with)..., cl::init(0)) {}
};
using Bool = cl::opt<bool>;
struct On : Bool {
  template <class... Ts> explicit On(Ts &&...with) : Bool(std::forward<Ts>(with)..., cl::init(true)) {}
};

struct PluginOptions {
#define ADA_PLUGIN_OPTION(TYPE, NAME, MEMBER, VALUE, SENTENCE)                                                         \
  TYPE MEMBER{"ada-" NAME, cl::value_desc(VALUE), cl::cat(category), cl::desc(SENTENCE)};
#include "shared/options/compile_options.inc"
};
PluginOptions onCommandLine;

bool parseBool(StringRef text, bool &value) {
  if (text.empty() || text == "1" || text.equals_insensitive("true")) {
    value = true;
    return true;
  }
  value = false;
  return text == "0" || text.equals_insensitive("false");
}

// These set a member to a value in ADA_PASS_OPTIONS, and return what is wrong with it, or "".
std::string setList(std::vector<std::string> &list, StringRef name, StringRef value) {
  if (value.empty())
    return "needs a value, as in -" + name.str() + "=VALUE";
  list.push_back(value.str());
  return "";
}
std::string setMaybeList(std::vector<std::string> &list, StringRef, StringRef value) {
  list.push_back(value.empty() ? "*" : value.str());
  return "";
}
std::string setNumber(unsigned &number, StringRef, StringRef value) {
  return value.getAsInteger(10, number) ? "needs a number" : "";
}
std::string setBool(bool &flag, StringRef, StringRef value) { return parseBool(value, flag) ? "" : "takes 0 or 1"; }
std::string setOn(bool &flag, StringRef name, StringRef value) { return setBool(flag, name, value); }

/// Applies one word of ADA_PASS_OPTIONS. Returns what is wrong with it, or "".
std::string applyWord(StringRef word, ada::PassOptions &options) {
  StringRef rest = word;
  if (!rest.consume_front("--"))
    rest.consume_front("-");
  auto [name, value] = rest.split('=');

#define ADA_PLUGIN_OPTION(TYPE, NAME, MEMBER, VALUE, SENTENCE)                                                         \
  if (name == "ada-" NAME)                                                                                             \
    return set##TYPE(options.MEMBER, name, value);
#include "shared/options/compile_options.inc"
  return "is not an option of AdaTrace; 'opt -load-pass-plugin=libAdaTrace.so --help' lists the options";
}

// What the command line says wins, or is added to a list.
void take(std::vector<std::string> &list, const List &given) { list.insert(list.end(), given.begin(), given.end()); }
void take(std::vector<std::string> &list, const MaybeList &given) {
  for (const std::string &globs : given)
    list.push_back(globs.empty() ? "*" : globs);
}
template <class Value> void take(Value &value, const cl::opt<Value> &given) {
  if (given.getNumOccurrences())
    value = given;
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
#define ADA_PLUGIN_OPTION(TYPE, NAME, MEMBER, VALUE, SENTENCE) take(options.MEMBER, onCommandLine.MEMBER);
#include "shared/options/compile_options.inc"
  return options;
}
