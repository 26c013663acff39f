// The command line options, in LLVM's way.
#include "options.h"

#include "llvm/Support/CommandLine.h"

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

ada::pass::PassOptions ada::pass::readOptions(std::string &error) {
  PassOptions options;
  error = readEnvironment(options, "'opt -load-pass-plugin=libAdaTrace.so --help'");
#define ADA_PLUGIN_OPTION(TYPE, NAME, MEMBER, VALUE, SENTENCE) take(options.MEMBER, onCommandLine.MEMBER);
#include "shared/options/compile_options.inc"
  return options;
}
