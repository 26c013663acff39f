// Makes the wrappers and points the calls at them.
#include "library_calls.h"
#include "common/known_functions.h"
#include "shared/fnv.h"
#include "source_text.h"
#include "target.h"

#include <deque>
#include <map>

namespace ada::pass {

namespace {

struct Wrapper {
  tree declaration, callee, calledType;
};
std::map<std::string, Wrapper> wrappers; // by symbol
std::deque<Wrapper *> unfinished;
std::unordered_map<unsigned, tree> callees; // of wrappers, by their DECL_UID

/// Declarations that are in use, for the garbage collector.
tree keptWrappers = NULL_TREE;
ggc_root_tab wrapperRoots[] = {{&keptWrappers, 1, sizeof keptWrappers, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
                               LAST_GGC_ROOT_TAB};

struct Callee {
  std::string reason; // why none of its calls is wrapped; "" if they are
  unsigned wrapped = 0, left = 0;
  const char *leftBecause = nullptr;
};
std::map<std::string, Callee> seen; // by symbol

/// Whether a parameter of C's TYPE is passed as DECLARED says.
bool fits(tree declared, std::string_view type) {
  if (type == "void")
    return VOID_TYPE_P(declared);
  if (type.find('*') != type.npos || type == "function" || type == "va_list")
    return POINTER_TYPE_P(declared);
  if (type == "double")
    return SCALAR_FLOAT_TYPE_P(declared) && TYPE_PRECISION(declared) == 64;
  const bool isInt = type == "int" || type == "unsigned" || type == "mode_t" || type == "pid_t" || type == "socklen_t";
  return INTEGRAL_TYPE_P(declared) && TYPE_PRECISION(declared) == (isInt ? 32 : 64);
}

/// The prototype of CALLEE, if one is known that fits its declaration. Otherwise null.
const Prototype *prototypeOf(tree callee) {
  const Prototype *known = findPrototype(symbolName(callee));
  tree type = TREE_TYPE(callee), each = TYPE_ARG_TYPES(type);
  if (!known || !prototype_p(type) || stdarg_p(type) != known->isVariadic || !fits(TREE_TYPE(type), known->result))
    return nullptr;
  for (const Prototype::Parameter &parameter : known->parameters) {
    if (!each || VOID_TYPE_P(TREE_VALUE(each)) || !fits(TREE_VALUE(each), parameter.type))
      return nullptr;
    each = TREE_CHAIN(each);
  }
  return !each || each == void_list_node ? known : nullptr;
}

/// Writes TYPE as far as it decides how a value is passed.
void describe(std::string &text, tree type) {
  text += GET_MODE_NAME(TYPE_MODE(type));
  if (!AGGREGATE_TYPE_P(type)) {
    text += TYPE_UNSIGNED(type) ? "u" : "";
  } else if (TREE_CODE(type) == ARRAY_TYPE) {
    describe(text, TREE_TYPE(type));
  } else {
    text += "{";
    for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
      if (TREE_CODE(field) == FIELD_DECL) {
        describe(text, TREE_TYPE(field));
        text += "@" + std::to_string(TREE_CODE(bit_position(field)) == INTEGER_CST ? int_bit_position(field) : -1);
      }
    text += "}";
  }
  if (!VOID_TYPE_P(type))
    text += std::to_string(int_size_in_bytes(type)) + "/" + std::to_string(TYPE_ALIGN(type)) +
            (TREE_ADDRESSABLE(type) ? "A," : ",");
}

std::string hashOf(const std::string &text) {
  char digits[17];
  snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(fnv1a(text.data(), text.size())));
  return digits;
}

bool isPlainType(tree type) {
  return VOID_TYPE_P(type) || (COMPLETE_TYPE_P(type) && TREE_CODE(TYPE_SIZE(type)) == INTEGER_CST);
}

/// Why CALL has to stay as it is; null if it can be wrapped.
const char *whyNotWrappedCall(gcall *call) {
  tree type = gimple_call_fntype(call);
  if (gimple_call_must_tail_p(call))
    return "a musttail call";
  if (gimple_call_flags(call) & ECF_RETURNS_TWICE)
    return "it returns twice";
  if (gimple_call_chain(call) || gimple_call_va_arg_pack_p(call))
    return "a call with operands of a special kind";
  if (!target::isOrdinary(type))
    return "not called with C's calling convention";
  bool isPlain = isPlainType(TREE_TYPE(type));
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i)
    isPlain &= isPlainType(TREE_TYPE(gimple_call_arg(call, i)));
  return isPlain ? nullptr : "an argument is passed in a special way";
}

/// The types of the arguments of CALL: those that are declared, where they are passed as such.
std::vector<tree> typesOf(const gcall *call) {
  std::vector<tree> types;
  tree declared = TYPE_ARG_TYPES(gimple_call_fntype(call));
  for (unsigned i = 0; i < gimple_call_num_args(call); ++i) {
    tree type = TREE_TYPE(gimple_call_arg(call, i));
    tree said = declared && declared != void_list_node ? TREE_VALUE(declared) : NULL_TREE;
    types.push_back(TYPE_MAIN_VARIANT(said && useless_type_conversion_p(said, type) ? said : type));
    declared = declared ? TREE_CHAIN(declared) : NULL_TREE;
  }
  return types;
}

Wrapper &wrapperOf(gcall *call, tree callee) {
  std::vector<tree> types = typesOf(call);
  tree calledType = gimple_call_fntype(call), result = TYPE_MAIN_VARIANT(TREE_TYPE(calledType));
  const bool isNoReturn = gimple_call_flags(call) & ECF_NORETURN, isNoThrow = gimple_call_nothrow_p(call);
  std::string key;
  describe(key, result);
  for (tree type : types)
    describe(key, type);
  key += stdarg_p(calledType) || !prototype_p(calledType) ? "..." : "";
  key += std::string(isNoReturn ? "N" : "") + (isNoThrow ? "T" : "") + target::instructionSet();
  const std::string name = "__ada_call." + symbolName(callee) + "." + hashOf(key);
  auto [known, isNew] = wrappers.try_emplace(name);
  Wrapper &wrapper = known->second;
  if (!isNew)
    return wrapper;
  tree type = build_function_type_array(result, static_cast<int>(types.size()), types.data());
  tree declaration = build_fn_decl(name.c_str(), type);
  DECL_CONTEXT(declaration) = const_cast<tree>(get_ultimate_context(current_function_decl));
  DECL_VISIBILITY(declaration) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED(declaration) = 1;
  TREE_THIS_VOLATILE(declaration) = isNoReturn;
  TREE_NOTHROW(declaration) = isNoThrow;
  DECL_UNINLINABLE(declaration) = 1;
  DECL_FUNCTION_SPECIFIC_TARGET(declaration) = DECL_FUNCTION_SPECIFIC_TARGET(current_function_decl);
  DECL_FUNCTION_SPECIFIC_OPTIMIZATION(declaration) = DECL_FUNCTION_SPECIFIC_OPTIMIZATION(current_function_decl);
  callees.emplace(DECL_UID(declaration), callee);
  if (fndecl_built_in_p(callee)) { // the wrapper calls the function, and nothing that stands for it
    callee = copy_node(callee);
    set_decl_built_in_function(callee, NOT_BUILT_IN, 0);
  }
  wrapper = {declaration, callee, calledType};
  if (!keptWrappers)
    ggc_register_root_tab(wrapperRoots);
  keptWrappers = tree_cons(declaration, callee, tree_cons(calledType, NULL_TREE, keptWrappers));
  unfinished.push_back(&wrapper);
  return wrapper;
}

/// Makes the parameters and the result of WRAPPER.
void makeParameters(const Wrapper &wrapper) {
  tree function = wrapper.declaration, type = TREE_TYPE(function);
  tree result = build_decl(UNKNOWN_LOCATION, RESULT_DECL, NULL_TREE, TREE_TYPE(type));
  DECL_ARTIFICIAL(result) = 1;
  DECL_IGNORED_P(result) = 1;
  DECL_CONTEXT(result) = function;
  if (TREE_ADDRESSABLE(TREE_TYPE(type))) { // a class of C++ that can't be copied as bytes
    TREE_TYPE(result) = build_reference_type(TREE_TYPE(type));
    DECL_BY_REFERENCE(result) = 1;
    relayout_decl(result);
  }
  DECL_RESULT(function) = result;

  const Prototype *prototype = prototypeOf(wrapper.callee);
  tree declared = TYPE_ARG_TYPES(wrapper.calledType);
  tree *last = &DECL_ARGUMENTS(function);
  unsigned number = 0;
  for (tree each = TYPE_ARG_TYPES(type); each && each != void_list_node; each = TREE_CHAIN(each), ++number) {
    // GCC has forgotten the names of a declaration's parameters.
    tree name = prototype && number < prototype->parameters.size()
                    ? get_identifier(std::string(prototype->parameters[number].name).c_str())
                    : NULL_TREE;
    tree parameter = build_decl(UNKNOWN_LOCATION, PARM_DECL, name, TREE_VALUE(each));
    DECL_ARG_TYPE(parameter) = TREE_VALUE(each);
    DECL_CONTEXT(parameter) = function;
    TREE_USED(parameter) = 1;
    const bool isClass = declared && declared != void_list_node && TREE_ADDRESSABLE(TREE_VALUE(declared));
    DECL_BY_REFERENCE(parameter) = isClass && POINTER_TYPE_P(TREE_VALUE(each));
    *last = parameter;
    last = &DECL_CHAIN(parameter);
    declared = declared ? TREE_CHAIN(declared) : NULL_TREE;
  }
}

/// Makes the body of WRAPPER: the call.
void makeBody(const Wrapper &wrapper) {
  tree result = DECL_RESULT(wrapper.declaration);
  const profile_count once = profile_count::from_gcov_type(BB_FREQ_MAX).guessed_local();
  basic_block block = init_lowered_empty_function(wrapper.declaration, /*in_ssa=*/true, once);
  cfun->cfg->count_max = once;
  profile_status_for_fn(cfun) = PROFILE_GUESSED;
  Inserter at(block, UNKNOWN_LOCATION);
  auto_vec<tree> arguments;
  for (tree each = DECL_ARGUMENTS(wrapper.declaration); each; each = DECL_CHAIN(each))
    arguments.safe_push(is_gimple_reg(each)                   ? get_or_create_ssa_default_def(cfun, each)
                        : is_gimple_reg_type(TREE_TYPE(each)) ? at.read(each)
                                                              : each);
  gcall *call = gimple_build_call_vec(wrapper.callee, arguments);
  gimple_call_set_fntype(call, wrapper.calledType);
  gimple_call_set_nothrow(call, TREE_NOTHROW(wrapper.declaration));
  tree value = NULL_TREE;
  if (DECL_BY_REFERENCE(result)) {
    value = get_or_create_ssa_default_def(cfun, result);
    gimple_call_set_lhs(call, build_simple_mem_ref(value));
    gimple_call_set_return_slot_opt(call, true);
  } else if (!VOID_TYPE_P(TREE_TYPE(result)) && !TREE_THIS_VOLATILE(wrapper.declaration)) {
    const bool isInMemory = aggregate_value_p(result, wrapper.declaration);
    value = is_gimple_reg_type(TREE_TYPE(result)) ? make_ssa_name(TREE_TYPE(result))
            : isInMemory                          ? result
                                                  : makeLocal(TREE_TYPE(result), "ada_result");
    gimple_call_set_lhs(call, value);
    gimple_call_set_return_slot_opt(call, isInMemory);
  }
  at.add(call);
  if (TREE_THIS_VOLATILE(wrapper.declaration)) {
    gimple_call_set_ctrl_altering(call, true);
    remove_edge(single_succ_edge(block));
  } else {
    at.add(gimple_build_return(value));
  }
  mark_virtual_operands_for_renaming(cfun);
  update_ssa(TODO_update_ssa);
}

/// Compiles WRAPPER, with the hooks, to assembly.
void compile(const Wrapper &wrapper) {
  tree function = wrapper.declaration;
  DECL_EXTERNAL(function) = 0;
  TREE_STATIC(function) = 1;
  TREE_USED(function) = 1;
  DECL_IGNORED_P(function) = 1;
  makeParameters(wrapper);
  make_decl_one_only(function, DECL_ASSEMBLER_NAME(function));
  DECL_VISIBILITY(function) = VISIBILITY_HIDDEN;
  bitmap_obstack_initialize(nullptr);
  makeBody(wrapper);
  set_cfun(nullptr);
  current_function_decl = NULL_TREE;
  bitmap_obstack_release(nullptr);
  cgraph_node *node = cgraph_node::get_create(function);
  node->lowered = true;
  node->definition = true;
  node->externally_visible = true;
  node->analyze();
  node->expand();
}

} // namespace

tree wrappedCallee(tree function) {
  const auto known = callees.find(DECL_UID(function));
  return known == callees.end() ? NULL_TREE : known->second;
}

std::string libraryName(tree callee) {
  const std::string symbol = symbolName(callee);
  if (startswith(symbol.c_str(), "_Z"))
    return symbol;
  const std::string plain = plainName(symbol);
  if (plain != symbol || isKnownFunction(symbol))
    return plain;
  // The program itself gave the function another symbol: `int f(void) __asm__("g")`.
  const char *name = DECL_NAME(callee) ? IDENTIFIER_POINTER(DECL_NAME(callee)) : "__";
  return startswith(name, "__") ? symbol : name;
}

std::string librarySignature(tree callee) {
  const Prototype *prototype = prototypeOf(callee);
  return prototype ? prototype->signature() : "";
}

void wrapLibraryCalls(function *function, const Filter &filter) {
  basic_block block;
  FOR_EACH_BB_FN (block, function)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gcall *call = dyn_cast<gcall *>(gsi_stmt(at));
      tree callee = call && !gimple_call_internal_p(call) ? gimple_call_fndecl(call) : NULL_TREE;
      if (!callee || !isLibraryFunction(callee))
        continue;
      auto [known, isNew] = seen.try_emplace(symbolName(callee));
      Callee &entry = known->second;
      if (isNew)
        entry.reason = filter.reasonAgainstCallsOf(callee);
      if (!entry.reason.empty())
        continue;
      if (const char *because = whyNotWrappedCall(call)) {
        ++entry.left;
        entry.leftBecause = because;
        continue;
      }
      ++entry.wrapped;
      tree wrapper = wrapperOf(call, callee).declaration;
      gimple_call_set_fndecl(call, wrapper);
      gimple_call_set_fntype(call, TREE_TYPE(wrapper));
      update_stmt(call);
    }
}

void compileWrappers() {
  while (!unfinished.empty() && !seen_error()) {
    compile(*unfinished.front());
    unfinished.pop_front();
  }
}

std::vector<std::string> explainCalls(tree callee, const Filter &filter) {
  const auto known = seen.find(symbolName(callee));
  if (known == seen.end()) {
    const std::string reason = filter.reasonAgainstCallsOf(callee);
    return {"not traced: " + (reason.empty() ? "no traced function calls it here" : reason)};
  }
  const auto calls = [](unsigned count) { return std::to_string(count) + (count == 1 ? " call" : " calls"); };
  std::vector<std::string> lines;
  const Callee &entry = known->second;
  if (!entry.reason.empty())
    lines.push_back("not traced: " + entry.reason);
  if (entry.wrapped)
    lines.push_back("traced where it is called: " + calls(entry.wrapped));
  if (entry.left)
    lines.push_back(calls(entry.left) + " not traced: " + entry.leftBecause);
  return lines;
}

} // namespace ada::pass
