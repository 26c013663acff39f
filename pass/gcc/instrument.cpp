// Goes through a function and gives it its hooks.
#include "instrument.h"
#include "announcements.h"
#include "exits.h"
#include "filter.h"
#include "hooks.h"
#include "library_calls.h"
#include "site_table.h"
#include "source_text.h"
#include "type_text.h"

#include <map>

namespace ada::pass {

namespace {

PassOptions options;
std::unique_ptr<Filter> filter;
SiteTable sites;

/// The functions that -ada-why asks for, by symbol, as long as they were not compiled.
std::map<std::string, std::string> unseen;
/// Those that are only declared, by symbol.
std::map<std::string, tree> unseenCallees;

/// Whether any function of the unit is traced. Others have no part in its recording, and don't need the runtime.
bool isAnyTraced() {
  static const bool isTraced = [] {
    cgraph_node *node;
    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY (node)
      if (filter->reasonAgainst(node->decl).empty())
        return true;
    return false;
  }();
  return isTraced;
}

/// Whether TYPE is an array or has one in it.
bool hasArray(tree type) {
  if (TREE_CODE(type) == ARRAY_TYPE)
    return true;
  if (RECORD_OR_UNION_TYPE_P(type))
    for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
      if (TREE_CODE(field) == FIELD_DECL && hasArray(TREE_TYPE(field)))
        return true;
  return false;
}

/// Whether -fstack-protector-strong protects FUNCTION, by GCC's rules.
bool needsProtector(function *function) {
  tree variable;
  unsigned i;
  if (function->calls_alloca || lookup_attribute("stack_protect", DECL_ATTRIBUTES(function->decl)))
    return true;
  FOR_EACH_LOCAL_DECL (function, i, variable)
    if (VAR_P(variable) && !is_global_var(variable) && (TREE_ADDRESSABLE(variable) || hasArray(TREE_TYPE(variable))))
      return true;
  for (tree parameter = DECL_ARGUMENTS(function->decl); parameter; parameter = DECL_CHAIN(parameter))
    if (TREE_ADDRESSABLE(parameter))
      return true;
  basic_block block;
  FOR_EACH_BB_FN (block, function)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
      if (const gcall *call = dyn_cast<gcall *>(gsi_stmt(at)); call && !gimple_call_internal_p(call))
        if (aggregate_value_p(TREE_TYPE(gimple_call_fntype(call)), gimple_call_fndecl(call)))
          return true; // a slot for the result
  return false;
}

/// A variable whose address escapes asks for a protector, so each function's frame would. Functions that don't need one
/// otherwise get none.
void keepUnprotected(function *function) {
  if (flag_stack_protect == SPCT_FLAG_STRONG && !needsProtector(function))
    DECL_ATTRIBUTES(function->decl) =
        tree_cons(get_identifier("no_stack_protector"), NULL_TREE, DECL_ATTRIBUTES(function->decl));
}

/// Reads the enable byte ENABLE at the start of FUNCTION; returns the first statement after that.
gimple *readByte(function *function, tree enable, tree &value) {
  basic_block block = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(function)));
  Inserter at(block, function->function_start_locus);
  // Read once, so that a call is recorded with both its ends or not at all, whenever the runtime writes the byte.
  tree byte = at.read(enable);
  // Widened to a pointer's width at once: adding it to the frame's address then costs no instruction.
  value = at.compute(sizetype, NOP_EXPR, byte);
  gimple *end = gimple_build_nop();
  at.add(end);
  return end;
}

Frame instrument(function *function) {
  Site &site = sites.add(function->decl);
  site.types = typesText(function->decl, options.pointees);
  site.signature = signatureText(function->decl);
  keepUnprotected(function);
  Exits exits(function, options.unwind && flag_exceptions);
  std::vector<gcall *> twice;
  basic_block block;
  FOR_EACH_BB_FN (block, function)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
      if (gcall *call = dyn_cast<gcall *>(gsi_stmt(at));
          call && ((gimple_call_flags(call) & ECF_RETURNS_TWICE) || mayBeJumpedTo(call)))
        twice.push_back(call);

  tree enabled = NULL_TREE;
  gimple *start = readByte(function, site.enable, enabled);
  Frame frame = makeFrame(function, enabled, exits.endOtherwise());
  {
    Inserter at(makeGuardedBefore(frame, start), function->function_start_locus);
    callEnter(at, function, site.entry, frame);
    if (!twice.empty())
      callWithFrame(at, "__ada_mark_frame", frame);
  }
  exits.instrument(frame);
  for (gcall *call : twice) {
    if (!returns(call) || mayBeJumpedTo(call)) // announceSpecialCalls()
      continue;
    Inserter after = afterCall(call);
    gimple *place = gimple_build_nop();
    after.add(place);
    Inserter at(makeGuardedBefore(frame, place), gimple_location(call));
    callWithFrame(at, "__ada_resync", frame);
  }
  site.carried = frame.carried;
  return frame;
}

/// FUNCTION has more calls and blocks than before. It stays `const` or `pure` if it was, although that is untrue now:
/// other functions may be compiled already, or at any stage of it, with calls that GCC takes for such.
void finish(function *function) {
  free_dominance_info(CDI_DOMINATORS);
  free_dominance_info(CDI_POST_DOMINATORS);
  mark_virtual_operands_for_renaming(function);
}

constexpr pass_data kHooksPass = {
    GIMPLE_PASS, "adatrace", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, TODO_update_ssa_only_virtuals};
constexpr pass_data kResultsPass = {GIMPLE_PASS, "adatrace2", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

class HooksPass : public gimple_opt_pass {
public:
  HooksPass() : gimple_opt_pass(kHooksPass, g) {}
  unsigned execute(function *function) override {
    if (wrappedCallee(function->decl)) {
      const Frame frame = instrument(function);
      announceSpecialCalls(function, &frame); // between the hooks and the call
      finish(function);
      return 0;
    }
    const std::string name = demangledName(function->decl, symbolName(function->decl));
    unseen.erase(symbolName(function->decl));
    unseen.erase(recordedName(function->decl));
    std::string reason = filter->reasonAgainst(function->decl);
    if (reason.empty() && filter->isTooSmall(function))
      reason = "smaller than -ada-min-size, and without a loop";
    if (filter->isAskedFor(function->decl) && !startswith(name.c_str(), "__ada_"))
      fprintf(stderr, "AdaTrace: %s: %s%s\n", name.c_str(), reason.empty() ? "traced" : "not traced: ", reason.c_str());
    if (const char *why = filter->impossible(function->decl); why && !startswith(name.c_str(), "__ada_"))
      sites.leaveOut(symbolName(function->decl), why);
    bool isChanged = false;
    Frame frame;
    if (reason.empty()) {
      if (filter->hasCalls())
        wrapLibraryCalls(function, *filter);
      frame = instrument(function);
      isChanged = true;
    }
    if (isAnyTraced())
      isChanged |= announceSpecialCalls(function, reason.empty() ? &frame : nullptr);
    if (isChanged)
      finish(function);
    return 0;
  }
};

class ResultsPass : public gimple_opt_pass {
public:
  ResultsPass() : gimple_opt_pass(kResultsPass, g) {}
  unsigned execute(function *function) override {
    completeResults(function);
    return 0;
  }
};

/// Before the body of the first function is lowered: from here on C functions may be left by unwinding, which GCC
/// otherwise excludes. What the preprocessor and the parser have seen is as without the plugin.
void allowUnwinding(void *, void *) {
  const bool isC = startswith(lang_hooks.name, "GNU C") && !startswith(lang_hooks.name, "GNU C++");
  if (!isC || flag_exceptions || flag_unwind_tables + flag_asynchronous_unwind_tables == 0)
    return;
  flag_exceptions = 1;
  // With -flto, functions take these options with them to the linker.
  optimization_default_node = build_optimization_node(&global_options, &global_options_set);
  optimization_current_node = optimization_default_node;
}

void beforeOptimizer(void *, void *) {
  rememberParameters();
  if (in_lto_p && !flag_wpa)
    rememberLoads();
  if (!filter->explains() || in_lto_p)
    return;
  std::vector<tree> functions, declared;
  cgraph_node *node;
  FOR_EACH_FUNCTION_WITH_GIMPLE_BODY (node) {
    functions.push_back(node->decl);
    if (filter->isAskedFor(node->decl))
      unseen.emplace(symbolName(node->decl), demangledName(node->decl, symbolName(node->decl)));
  }
  FOR_EACH_FUNCTION(node)
  if (isLibraryFunction(node->decl) && !startswith(symbolName(node->decl).c_str(), "__ada_")) {
    declared.push_back(node->decl);
    if (filter->isAskedFor(node->decl))
      unseenCallees.emplace(symbolName(node->decl), node->decl);
  }
  for (const std::string &sentence : filter->unmatchedGlobs(functions, declared))
    fprintf(stderr, "AdaTrace: %s\n", sentence.c_str());
}

void afterPasses(void *, void *) { rememberLoads(); }

/// Makes the attributes of include/ada/attributes.h known. They stay with copies of a function.
void addAttributes(void *, void *) {
  static attribute_spec attributes[] = {{kAttrAlways, 0, 0, true, false, false, false, nullptr, nullptr},
                                        {kAttrNever, 0, 0, true, false, false, false, nullptr, nullptr},
                                        {kAttrName, 1, 1, true, false, false, false, nullptr, nullptr}};
  for (attribute_spec &attribute : attributes)
    register_attribute(&attribute);
}

void writeTable(void *, void *) {
  for (const auto &[symbol, name] : unseen)
    fprintf(stderr, "AdaTrace: %s: not traced: inlined into its callers or removed as unused\n", name.c_str());
  for (const auto &[symbol, callee] : unseenCallees)
    for (const std::string &line : explainCalls(callee, *filter))
      fprintf(stderr, "AdaTrace: %s: %s\n", demangledName(callee, libraryName(callee)).c_str(), line.c_str());
  compileWrappers();
  if (!seen_error() && asm_out_file)
    sites.write(asm_out_file);
}

} // namespace

void setUpInstrumentation(const char *plugin, const PassOptions &given) {
  options = given;
  std::string error;
  filter = Filter::create(options, error);
  if (!filter) {
    ::error("AdaTrace: %s", error.c_str());
    return;
  }
  setUpHooks(plugin);
  register_pass_info hooks = {new HooksPass, "resx", 1, PASS_POS_INSERT_BEFORE};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &hooks);
  register_pass_info results = {new ResultsPass, "nrv", 1, PASS_POS_INSERT_AFTER};
  register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &results);
  if (options.unwind)
    register_callback(plugin, PLUGIN_PRE_GENERICIZE, allowUnwinding, nullptr);
  register_callback(plugin, PLUGIN_ALL_IPA_PASSES_START, beforeOptimizer, nullptr);
  register_callback(plugin, PLUGIN_EARLY_GIMPLE_PASSES_END, afterPasses, nullptr);
  register_callback(plugin, PLUGIN_ALL_IPA_PASSES_END, afterPasses, nullptr);
  register_callback(plugin, PLUGIN_ATTRIBUTES, addAttributes, nullptr);
  register_callback(plugin, PLUGIN_FINISH_UNIT, writeTable, nullptr);
}

} // namespace ada::pass
