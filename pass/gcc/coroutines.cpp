// Recognizes the functions that a coroutine was split into.
#include "coroutines.h"
#include "hooks.h"
#include "source_text.h"

namespace ada::pass {

namespace {

tree memberNamed(tree type, const char *name) {
  for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
    if (TREE_CODE(field) == FIELD_DECL && DECL_NAME(field) && strcmp(IDENTIFIER_POINTER(DECL_NAME(field)), name) == 0)
      return field;
  return NULL_TREE;
}

/// Whether VALUE is the address of the actor of the coroutine RAMP, or a vector that has it as an element.
bool hasActor(tree value, const std::string &ramp) {
  if (TREE_CODE(value) == ADDR_EXPR)
    return TREE_CODE(TREE_OPERAND(value, 0)) == FUNCTION_DECL &&
           coroutinePart(TREE_OPERAND(value, 0)) == ramp + ".actor";
  if (TREE_CODE(value) == CONSTRUCTOR) {
    unsigned i;
    tree element;
    FOR_EACH_CONSTRUCTOR_VALUE(CONSTRUCTOR_ELTS(value), i, element)
    if (hasActor(element, ramp))
      return true;
    return false;
  }
  const gassign *made = TREE_CODE(value) == SSA_NAME ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(value)) : nullptr;
  return made && gimple_assign_single_p(made)
             ? hasActor(gimple_assign_rhs1(made), ramp)
             : made && gimple_assign_cast_p(made) && hasActor(gimple_assign_rhs1(made), ramp);
}

/// The statement of FUNCTION that stores the address of its coroutine's actor, which is what the frame begins with.
gassign *firstStore(function *function) {
  const std::string ramp = recordedName(function->decl);
  basic_block block;
  FOR_EACH_BB_FN (block, function)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
      if (gassign *store = dyn_cast<gassign *>(gsi_stmt(at)); store && gimple_store_p(store))
        if (tree base = get_base_address(gimple_assign_lhs(store)); base && TREE_CODE(base) == MEM_REF)
          if (hasActor(gimple_assign_rhs1(store), ramp))
            return store;
  return nullptr;
}

} // namespace

std::string coroutinePart(tree function) {
  // "_Z1fPZ1fvE10_Z1fv.Frame.actor": f with a parameter of type f()::_Z1fv.Frame *. By the name alone, because with
  // -flto the parameters are not known before the body is read.
  const std::string symbol = symbolName(function);
  const size_t end = symbol.rfind(".Frame.");
  const std::string part = end == std::string::npos ? "" : symbol.substr(end + strlen(".Frame"));
  for (const char *known : {".actor", ".destroy"}) {
    if (part != known && !startswith(part.c_str(), (std::string(known) + ".lto_priv.").c_str()))
      continue;
    for (size_t begin = 1; begin < end; ++begin)
      if (ISDIGIT(symbol[begin - 1]) && !ISDIGIT(symbol[begin])) {
        size_t digits = begin - 1;
        while (digits > 0 && ISDIGIT(symbol[digits - 1]))
          --digits;
        if (strtoul(&symbol[digits], nullptr, 10) == end + strlen(".Frame") - begin)
          return symbol.substr(begin, end - begin) + known;
      }
  }
  return "";
}

bool makesCoroutine(tree function) {
  static const std::set<std::string> actors = [] {
    std::set<std::string> found;
    cgraph_node *node;
    FOR_EACH_FUNCTION(node)
    found.insert(coroutinePart(node->decl));
    return found;
  }();
  return actors.count(recordedName(function) + ".actor") != 0;
}

tree keepCoroutineFrame(function *function) {
  gassign *first = makesCoroutine(function->decl) ? firstStore(function) : nullptr;
  if (!first)
    return NULL_TREE;
  tree slot = makeLocal(ptr_type_node, "ada_coroutine");
  Inserter top(gsi_after_labels(single_succ(ENTRY_BLOCK_PTR_FOR_FN(function))), function->function_start_locus);
  top.add(gimple_build_assign(slot, null_pointer_node));
  gimple_stmt_iterator next = gsi_for_stmt(first);
  gsi_next(&next);
  Inserter(next, gimple_location(first))
      .add(gimple_build_assign(slot, TREE_OPERAND(get_base_address(gimple_assign_lhs(first)), 0)));
  return slot;
}

tree resumeIndex(tree function) {
  if (!TextPiece(coroutinePart(function)).endsWith(".actor"))
    return NULL_TREE;
  tree parameter = DECL_ARGUMENTS(function);
  tree index = memberNamed(TREE_TYPE(TREE_TYPE(parameter)), "_Coro_resume_index");
  if (!index || !is_gimple_reg(parameter))
    return NULL_TREE;
  tree frame = build_simple_mem_ref(get_or_create_ssa_default_def(DECL_STRUCT_FUNCTION(function), parameter));
  return build3(COMPONENT_REF, TREE_TYPE(index), frame, index, NULL_TREE);
}

bool isTransfer(tree function, const gcall *call) {
  if (gimple_call_internal_p(call) || !gimple_call_tail_p(call) || gimple_call_num_args(call) != 1 ||
      gimple_call_lhs(call) || !TextPiece(coroutinePart(function)).endsWith(".actor"))
    return false;
  // It calls the function whose address its argument begins with.
  tree callee = gimple_call_fn(call);
  const gassign *load = TREE_CODE(callee) == SSA_NAME ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(callee)) : nullptr;
  tree from = load && gimple_assign_load_p(load) ? gimple_assign_rhs1(load) : NULL_TREE;
  return from && TREE_CODE(from) == MEM_REF && TREE_OPERAND(from, 0) == gimple_call_arg(call, 0) &&
         integer_zerop(TREE_OPERAND(from, 1));
}

void returnAfter(function *function, gcall *call) {
  basic_block block = gimple_bb(call);
  gimple_stmt_iterator next = gsi_for_stmt(call);
  gsi_next_nondebug(&next);
  if (!gsi_end_p(next) && is_a<greturn *>(gsi_stmt(next)))
    return;
  if (gsi_stmt(gsi_last_bb(block)) != call)
    split_block(block, call);
  while (EDGE_COUNT(block->succs))
    remove_edge(EDGE_SUCC(block, 0));
  make_single_succ_edge(block, EXIT_BLOCK_PTR_FOR_FN(function), 0);
  Inserter(block, gimple_location(call)).add(gimple_build_return(NULL_TREE));
}

} // namespace ada::pass
