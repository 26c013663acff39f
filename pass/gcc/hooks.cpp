// Declares and calls the hooks; forwards what travels in registers.
#include "hooks.h"
#include "argument_registers.h"
#include "common/hook_symbol.h"
#include "coroutines.h"
#include "target.h"

#include <ada/abi.h>

namespace ada::pass {

namespace {

constexpr const char *kHookType = "ada hook"; // an attribute of types, which no source can spell

/// Declarations that are in use, for the garbage collector.
tree kept = NULL_TREE;
ggc_root_tab roots[] = {{&kept, 1, sizeof kept, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node}, LAST_GGC_ROOT_TAB};

const predefined_function_abi &(*otherAbi)(const_tree) = nullptr;

/// The convention of hooks: that of C functions, but they preserve more registers.
const predefined_function_abi &abiOf(const_tree type) {
  if (!lookup_attribute(kHookType, TYPE_ATTRIBUTES(type)))
    return otherAbi ? otherAbi(type) : default_function_abi;
  // In GCC's own table, because it also finds conventions by number there. A target that a function's attributes choose
  // has a table of its own.
  predefined_function_abi &abi = function_abis[target::kHookAbi];
  if (!abi.initialized_p()) {
    HARD_REG_SET clobbered = default_function_abi.full_reg_clobbers();
    for (unsigned i = 0; i < FIRST_PSEUDO_REGISTER; ++i)
      if (target::isPreservedByHooks(i))
        CLEAR_HARD_REG_BIT(clobbered, i);
    abi.initialize(target::kHookAbi, clobbered);
  }
  return abi;
}

tree addressOf(tree variable) { return build_fold_addr_expr(variable); }

/// The function NAME as one of TYPE. A type is the same object wherever it is equal.
tree declare(const char *name, tree type, bool isHook) {
  static std::unordered_map<std::string, std::unordered_map<tree, tree>> declared;
  tree &declaration = declared[name][type];
  if (!declaration) {
    declaration = build_fn_decl(name, type);
    SET_DECL_ASSEMBLER_NAME(declaration, get_identifier(hookSymbol(name).c_str()));
    // Through the GOT: the dynamic linker's lazy resolver would not preserve the static chain.
    if (isHook)
      DECL_ATTRIBUTES(declaration) = tree_cons(get_identifier("noplt"), NULL_TREE, NULL_TREE);
    DECL_STATIC_CHAIN(declaration) = isHook;
    kept = tree_cons(NULL_TREE, declaration, tree_cons(NULL_TREE, type, kept));
  }
  return declaration;
}

/// The hook NAME of TYPE, as what a call in GIMPLE calls.
tree calleeOf(Inserter &at, const char *name, tree type) {
  if (!target::ignoresNoPlt())
    return declare(name, type, /*isHook=*/true);
  // The same by hand. The address in a variable could be that of a PLT entry.
  const std::string load = target::loadFromGot(hookSymbol(name));
  tree address = make_ssa_name(build_pointer_type(type));
  vec<tree, va_gc> *outputs = nullptr;
  vec_safe_push(outputs, build_tree_list(build_tree_list(NULL_TREE, build_string(2, "=r")), address));
  gasm *code = gimple_build_asm_vec(ggc_strdup(load.c_str()), nullptr, outputs, nullptr, nullptr);
  gimple_asm_set_volatile(code, true);
  SSA_NAME_DEF_STMT(address) = code;
  at.add(code);
  return address;
}

gcall *callHook(Inserter &at, const char *name, const Frame &frame, const std::vector<tree> &arguments) {
  std::vector<tree> types;
  for (tree argument : arguments)
    types.push_back(TYPE_MAIN_VARIANT(TREE_TYPE(argument)));
  tree type = build_function_type_array(void_type_node, static_cast<int>(types.size()), types.data());
  type = build_type_attribute_variant(type, tree_cons(get_identifier(kHookType), NULL_TREE, NULL_TREE));
  tree chain = at.compute(ptr_type_node, POINTER_PLUS_EXPR, addressOf(frame.memory), frame.enabled);
  auto_vec<tree> values;
  for (tree argument : arguments)
    values.safe_push(argument);
  gcall *call = gimple_build_call_vec(calleeOf(at, name, type), values);
  gimple_call_set_chain(call, chain);
  at.add(call);
  return call;
}

/// The part of FRAME that is OFFSET bytes in, as a value of TYPE.
tree fieldOf(const Frame &frame, tree type, size_t offset) {
  return build2(MEM_REF, type, addressOf(frame.memory), build_int_cst(ptr_type_node, offset));
}

void store(Inserter &at, const Frame &frame, tree value, size_t offset) {
  at.add(gimple_build_assign(fieldOf(frame, TREE_TYPE(value), offset), value));
}

/// PARAMETER as an operand of a call.
tree valueOf(Inserter &at, function *function, tree parameter) {
  if (is_gimple_reg(parameter))
    return get_or_create_ssa_default_def(function, parameter);
  if (is_gimple_reg_type(TREE_TYPE(parameter)))
    return at.read(parameter);
  return parameter;
}

/// The word that the stack pointer points to at the function's first instruction. It has to be found in functions that
/// align their stack themselves, too: GCC replaces this register by one that still has the caller's stack pointer.
/// (__builtin_dwarf_cfa() is wrong there.)
tree topOfStack(function *function) {
  tree word = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("ada_top"), ptr_type_node);
  DECL_CONTEXT(word) = function->decl;
  TREE_ADDRESSABLE(word) = 1;
  TREE_USED(word) = 1;
  DECL_ARTIFICIAL(word) = 1;
  DECL_IGNORED_P(word) = 1;
  SET_DECL_RTL(word,
               gen_rtx_MEM(Pmode, plus_constant(Pmode, virtual_incoming_args_rtx, -int(target::kReturnAddressBytes))));
  return word;
}

/// Assignments of the address of the result, and calls whose first argument it is, once it is known.
std::vector<gimple *> incomplete;

} // namespace

tree makeLabel(const char *kind, unsigned number, tree type) {
  char name[32];
  snprintf(name, sizeof name, "*.LADA%s%u", kind, number);
  tree label = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);
  SET_DECL_ASSEMBLER_NAME(label, get_identifier(name));
  TREE_STATIC(label) = 1;
  DECL_INITIAL(label) = label; // GCC leaves it out of blocks of variables that have one address (-fsection-anchors)
  TREE_ADDRESSABLE(label) = 1;
  TREE_USED(label) = 1;
  DECL_ARTIFICIAL(label) = 1;
  DECL_IGNORED_P(label) = 1;
  return label;
}

tree makeLocal(tree type, const char *name) {
  tree variable = create_tmp_var_raw(type, name);
  DECL_CONTEXT(variable) = current_function_decl;
  TREE_ADDRESSABLE(variable) = 1;
  TREE_USED(variable) = 1;
  SET_DECL_ALIGN(variable, 128);
  DECL_USER_ALIGN(variable) = 1;
  add_local_decl(cfun, variable);
  return variable;
}

bool returns(const gcall *call) {
  basic_block block = gimple_bb(call);
  return gsi_stmt(gsi_last_bb(block)) != call || find_fallthru_edge(block->succs);
}

Inserter afterCall(gcall *call) {
  gimple_stmt_iterator next = gsi_for_stmt(call);
  gsi_next(&next);
  if (!gsi_end_p(next))
    return {next, gimple_location(call)};
  return {split_edge(find_fallthru_edge(gimple_bb(call)->succs)), gimple_location(call)};
}

void Inserter::add(gimple *statement) {
  gimple_set_location(statement, location_);
  if (gsi_end_p(at_))
    gsi_insert_after(&at_, statement, GSI_CONTINUE_LINKING);
  else if (isBefore_)
    gsi_insert_before(&at_, statement, GSI_SAME_STMT);
  else
    gsi_insert_after(&at_, statement, GSI_CONTINUE_LINKING);
}

tree Inserter::compute(tree type, tree_code operation, tree first, tree second) {
  tree name = make_ssa_name(type);
  add(second ? gimple_build_assign(name, operation, first, second) : gimple_build_assign(name, operation, first));
  return name;
}

tree Inserter::read(tree variable) {
  tree name = make_ssa_name(TYPE_MAIN_VARIANT(TREE_TYPE(variable)));
  add(gimple_build_assign(name, variable));
  return name;
}

void setUpHooks(const char *plugin) {
  register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, nullptr, roots);
  otherAbi = targetm.calls.fntype_abi;
  targetm.calls.fntype_abi = abiOf;
  target::setUp();
}

Frame makeFrame(function *function, tree enabled, bool endsOtherwise) {
  tree type = build_array_type_nelts(unsigned_intDI_type_node, sizeof(ada_frame) / 8);
  const unsigned bytes = resultBytesInMemory(function->decl);
  tree coroutine = keepCoroutineFrame(function);
  return {makeLocal(type, "ada_frame"), enabled, endsOtherwise || coroutine || bytes > 0, bytes, coroutine};
}

void callEnter(Inserter &at, function *function, tree entry, Frame &frame) {
  ArgumentRegisters registers(function->decl);
  std::vector<tree> forwarded;
  tree result = DECL_RESULT(function->decl);
  const bool hasPointer = hasResultParameter(function->decl), isReference = DECL_BY_REFERENCE(result);
  if (hasPointer)
    forwarded.push_back(!isReference            ? null_pointer_node
                        : is_gimple_reg(result) ? get_or_create_ssa_default_def(function, result)
                                                : at.read(result));
  for (tree parameter = DECL_ARGUMENTS(function->decl); parameter; parameter = DECL_CHAIN(parameter)) {
    const ArgumentPlace place = registers.place(TYPE_MAIN_VARIANT(TREE_TYPE(parameter)));
    if (place == ArgumentPlace::Unknown)
      break;
    if (place == ArgumentPlace::Registers)
      forwarded.push_back(valueOf(at, function, parameter));
    if (place == ArgumentPlace::Address) {
      // A value that GCC holds in registers has no address any more.
      const bool isInMemory = !is_gimple_reg_type(TREE_TYPE(parameter));
      if (isInMemory)
        TREE_ADDRESSABLE(parameter) = 1;
      forwarded.push_back(isInMemory ? addressOf(parameter) : null_pointer_node);
    }
  }
  if (tree index = resumeIndex(function->decl)) { // as if it were a second parameter
    registers.place(sizetype);
    forwarded.push_back(at.compute(sizetype, NOP_EXPR, at.read(index)));
  }
  frame.carried |= registers.generalTaken() | registers.vectorTaken() << 4;
  store(at, frame, addressOf(entry), offsetof(ada_frame, function));
  store(at, frame, addressOf(topOfStack(function)), offsetof(ada_frame, sp));
  if (target::kIsAArch64) {
    gcall *address = gimple_build_call(builtin_decl_explicit(BUILT_IN_RETURN_ADDRESS), 1, integer_zero_node);
    tree value = make_ssa_name(ptr_type_node);
    gimple_call_set_lhs(address, value);
    at.add(address);
    store(at, frame, value, offsetof(ada_frame, return_address));
  }
  if (!stdarg_p(TREE_TYPE(function->decl)) || !target::isOrdinary(TREE_TYPE(function->decl))) {
    gcall *call = callHook(at, "__ada_enter", frame, forwarded);
    if (hasPointer && !isReference)
      incomplete.push_back(call);
    return;
  }

  tree list = makeLocal(va_list_type_node, "ada_va");
  tree address = addressOf(list);
  // All registers are saved, not only those that the function reads.
  function->va_list_gpr_size = VA_LIST_MAX_GPR_SIZE;
  function->va_list_fpr_size = VA_LIST_MAX_FPR_SIZE;
  at.add(gimple_build_call(builtin_decl_explicit(BUILT_IN_VA_START), 2, address, integer_zero_node));
  store(at, frame, address, offsetof(ada_frame, memory));
  frame.carried |= ADA_CARRIED_VARIADIC;
  gcall *call = callHook(at, "__ada_enter", frame, forwarded);
  if (hasPointer && !isReference)
    incomplete.push_back(call);
  at.add(gimple_build_call(builtin_decl_explicit(BUILT_IN_VA_END), 1, address));
}

void callExit(Inserter &at, function *function, gimple *end, Frame &frame) {
  greturn *ret = dyn_cast<greturn *>(end);
  if (!coroutinePart(function->decl).empty()) { // as if it returned the coroutine that runs instead of it
    frame.carried |= 1 << 8;
    callHook(at, "__ada_exit", frame, {ret ? null_pointer_node : gimple_call_arg(end, 0)});
    return;
  }
  tree result = DECL_RESULT(function->decl);
  tree value = ret ? gimple_return_retval(ret) : NULL_TREE;
  std::vector<tree> forwarded;
  if (value && isResultInRegisters(function->decl)) {
    ArgumentRegisters registers;
    registers.place(TYPE_MAIN_VARIANT(TREE_TYPE(result)));
    frame.carried |= registers.generalTaken() << 8 | registers.vectorTaken() << 12;
    tree type = TYPE_MAIN_VARIANT(TREE_TYPE(result));
    if (!is_gimple_reg_type(type) || is_gimple_val(value))
      forwarded.push_back(value);
    else
      forwarded.push_back(at.read(value));
  }
  if (frame.isSetAtExit) {
    frame.carried |= ADA_CARRIED_AT_EXIT;
    tree said = !ret ? build_int_cst(ptr_type_node, ADA_NO_RESULT) : null_pointer_node;
    bool isIncomplete = false;
    if (ret && frame.resultBytes) {
      if (DECL_BY_REFERENCE(result)) { // it is a pointer
        said = is_gimple_reg(result) ? get_or_create_ssa_default_def(function, result) : at.read(result);
        frame.carried |= frame.resultBytes << 16;
      } else if (value && (is_gimple_reg_type(TREE_TYPE(value)) || isResultOnX87Stack(function->decl))) {
        // The return statement alone would put it in its place.
        tree copy = makeLocal(TYPE_MAIN_VARIANT(TREE_TYPE(value)), "ada_result");
        at.add(gimple_build_assign(copy, value));
        said = addressOf(copy);
        frame.carried |= frame.resultBytes << 16;
      } else if (value) {
        isIncomplete = true;
        frame.carried |= frame.resultBytes << 16;
      }
    } else if (ret && frame.coroutine) {
      said = addressOf(frame.coroutine);
      frame.carried |= sizeof(void *) << 16;
    }
    gimple *assign = gimple_build_assign(fieldOf(frame, TREE_TYPE(said), offsetof(ada_frame, memory)), said);
    at.add(assign);
    if (isIncomplete)
      incomplete.push_back(assign);
  }
  callHook(at, "__ada_exit", frame, forwarded);
}

void callUnwind(Inserter &at, const Frame &frame) { callHook(at, "__ada_unwind", frame, {}); }

void callWithFrame(Inserter &at, const char *name, const Frame &frame) {
  callPlain(at, name, {addressOf(frame.memory)});
}

void callLanded(Inserter &at, const Frame *frame) {
  if (frame) {
    callPlain(at, "__ada_landed", {addressOf(frame->memory), frame->enabled});
    return;
  }
  gcall *address = gimple_build_call(builtin_decl_explicit(BUILT_IN_FRAME_ADDRESS), 1, integer_zero_node);
  tree value = make_ssa_name(ptr_type_node);
  gimple_call_set_lhs(address, value);
  at.add(address);
  callPlain(at, "__ada_landed", {value, size_zero_node});
}

tree callPlain(Inserter &at, const char *name, const std::vector<tree> &arguments, tree result) {
  std::vector<tree> types;
  auto_vec<tree> values;
  for (tree argument : arguments) {
    types.push_back(POINTER_TYPE_P(TREE_TYPE(argument)) ? ptr_type_node : TYPE_MAIN_VARIANT(TREE_TYPE(argument)));
    values.safe_push(argument);
  }
  tree type = build_function_type_array(result ? result : void_type_node, static_cast<int>(types.size()), types.data());
  gcall *call = gimple_build_call_vec(declare(name, type, /*isHook=*/false), values);
  tree answer = result ? make_ssa_name(result) : NULL_TREE;
  gimple_call_set_lhs(call, answer);
  at.add(call);
  return answer;
}

void completeResults(function *function) {
  for (gimple *statement : incomplete) {
    tree result = DECL_RESULT(function->decl);
    TREE_ADDRESSABLE(result) = 1;
    if (gcall *call = dyn_cast<gcall *>(statement))
      gimple_call_set_arg(call, 0, addressOf(result));
    else
      gimple_assign_set_rhs1(statement, addressOf(result));
    update_stmt(statement);
  }
  incomplete.clear();
}

} // namespace ada::pass
