// The rules of docs/reference/pass.md, one after the other.
#include "filter.h"
#include "common/known_functions.h"
#include "common/thunk_names.h"
#include "library_calls.h"
#include "shared/select/system_path.h"
#include "source_text.h"

namespace ada::pass {

namespace {

bool hasAttribute(tree function, const char *name) { return lookup_attribute(name, DECL_ATTRIBUTES(function)); }

/// Whether FUNCTION chooses an implementation while the image is being relocated.
bool isResolver(tree function) {
  cgraph_node *node = cgraph_node::get(function);
  ipa_ref *alias = nullptr;
  if (node)
    FOR_EACH_ALIAS (node, alias)
      if (alias->referring->ifunc_resolver)
        return true;
  return DECL_ARTIFICIAL(function) && TextPiece(symbolName(function)).endsWith(".resolver"); // of target_clones
}

/// Whether FUNCTION is what the compiler makes of one with ADA_NEVER so that it can be called in another way: a thunk
/// of a virtual function, or what a lambda becomes when it is converted to a pointer.
bool forwardsToNever(tree function) {
  const std::string symbol = symbolName(function);
  if (const std::string target = thunkTarget(symbol); !target.empty()) {
    const symtab_node *node = symtab_node::get_for_asmname(get_identifier(target.c_str()));
    return node && hasAttribute(node->decl, kAttrNever);
  }
  tree type = DECL_CONTEXT(function);
  if (symbol.find("4_FUNE") == std::string::npos || !type || TREE_CODE(type) != RECORD_TYPE)
    return false;
  for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
    if (TREE_CODE(field) == FUNCTION_DECL && hasAttribute(field, kAttrNever))
      return true;
  return false;
}

} // namespace

std::unique_ptr<Filter> Filter::create(const PassOptions &options, std::string &error) {
  auto filter = std::make_unique<Filter>();
  filter->options_ = options;
  auto addAll = [&](auto &list, const std::vector<std::string> &texts) {
    return std::all_of(texts.begin(), texts.end(),
                       [&](const std::string &text) { return (error = list.add(text)).empty(); });
  };
  if (!addAll(filter->include_, options.include) || !addAll(filter->exclude_, options.exclude) ||
      !addAll(filter->why_, options.why) || !addAll(filter->calls_, options.calls))
    return nullptr;
  for (const std::string &path : options.ignoreLists)
    if (std::string wrong = filter->ignoreList_.add(path); !wrong.empty()) {
      error = "-ada-ignorelist: " + wrong;
      return nullptr;
    }
  return filter;
}

/// Rule 1.
const char *Filter::impossible(tree function) const {
  if (startswith(symbolName(function).c_str(), "__ada_"))
    return "part of AdaTrace";
  if (hasAttribute(function, "naked"))
    return "naked: it has no frame, and a hook would destroy its argument registers";
  if (isResolver(function))
    return "an ifunc resolver: it runs before the image is relocated and registered";
  if (hasAttribute(function, "interrupt") || hasAttribute(function, "no_caller_saved_registers"))
    return "an interrupt handler: it must preserve the vector registers, which a hook does not";
  return nullptr;
}

std::string Filter::reasonAgainst(tree function) const {
  if (const char *reason = impossible(function))
    return reason;
  if (hasAttribute(function, "no_instrument_function"))
    return "declared no_instrument_function";
  if (hasAttribute(function, kAttrNever) || forwardsToNever(function))
    return "declared ADA_NEVER";
  const FunctionNames names = namesOf(function);
  if (exclude_.match(names.texts()))
    return "-ada-exclude matches it";
  if (ignoreList_.match(names))
    return "-ada-ignorelist matches it";
  if (hasAttribute(function, kAttrAlways))
    return "";
  if (!include_.empty() && !include_.match(names.texts()))
    return "no glob of -ada-include matches it";
  if (!options_.systemHeaders && select::isSystemPath(names.file()))
    return "from a system header (" + names.file() + "); -ada-system-headers traces it";
  return "";
}

std::string Filter::reasonAgainstCallsOf(tree callee) const {
  const std::string symbol = symbolName(callee), name = libraryName(callee);
  const FunctionNames names = namesOf(callee);
  if (!calls_.globs().match(names.texts()) &&
      !(calls_.hasDefault() && isInDefaultCalls(symbol, name, demangledName(callee, symbol))))
    return kOnlyDeclared;
  if (const char *reason = whyNotWrapped(symbol))
    return reason;
  const auto isBuiltin = [&](built_in_function which) { return fndecl_built_in_p(callee, which); };
  if (startswith(symbol.c_str(), "__builtin_") || isBuiltin(BUILT_IN_MEMCPY) || isBuiltin(BUILT_IN_MEMMOVE) ||
      isBuiltin(BUILT_IN_MEMSET))
    return "the compiler writes other code instead of its calls";
  if (exclude_.match(names.texts()))
    return "-ada-exclude matches it";
  if (ignoreList_.match(names))
    return "-ada-ignorelist matches it";
  return "";
}

bool Filter::isTooSmall(function *function) const {
  if (!options_.minSize || hasAttribute(function->decl, kAttrAlways))
    return false;
  unsigned size = 0;
  basic_block block;
  FOR_EACH_BB_FN (block, function)
    for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at); gsi_next_nondebug(&at))
      size += gimple_code(gsi_stmt(at)) != GIMPLE_LABEL;
  return size < options_.minSize && !mark_dfs_back_edges(function);
}

std::vector<std::string> Filter::unmatchedGlobs(const std::vector<tree> &functions,
                                                const std::vector<tree> &declared) const {
  const auto namesOfAll = [](const std::vector<tree> &all) {
    NamesOfAll names;
    for (tree function : all)
      names.emplace_back(new FunctionNames(namesOf(function)));
    return names;
  };
  return ada::pass::unmatchedGlobs(main_input_filename, include_, exclude_, calls_, namesOfAll(functions),
                                   namesOfAll(declared));
}

bool Filter::isAskedFor(tree function) const { return !why_.empty() && why_.match(namesOf(function).texts()); }

} // namespace ada::pass
