// Finds the calls and puts others around them.
#include "announcements.h"
#include "common/special_calls.h"
#include "exits.h"
#include "source_text.h"
#include "target.h"

namespace ada::pass {

namespace {

/// Whether SYMBOL is a function of D's core.thread.fiber that goes on on another stack.
bool switchesFiber(const std::string &symbol) {
  constexpr const char *kFiber = "_D4core6thread5fiber5Fiber";
  for (const char *method : {"4callM", "8callImplM", "5yieldF", "13yieldAndThrowF"})
    if (startswith(symbol.c_str(), kFiber) && symbol.compare(strlen(kFiber), strlen(method), method) == 0)
      return true;
  return false;
}

bool isBuiltin(const gcall *call, built_in_function which) {
  tree callee = gimple_call_fndecl(call);
  return callee && fndecl_built_in_p(callee, which);
}

/// Whether CALL returns 0 first, and something else after a jump.
bool isLibcSetjmp(const gcall *call) {
  tree callee = gimple_call_fndecl(call);
  return callee && DECL_EXTERNAL(callee) && specialCall(symbolName(callee)) == SpecialCall::SetJump;
}

/// What STATEMENT is to the runtime. System: it ends the thread.
SpecialCall kindOf(const gcall *call) {
  tree callee = gimple_call_fndecl(call);
  if (mayBeJumpedTo(call) && !(callee && specialCall(symbolName(callee)) == SpecialCall::SaveStack))
    return SpecialCall::SetJump;
  if (!callee || !DECL_EXTERNAL(callee))
    return SpecialCall::None;
  if (switchesFiber(symbolName(callee)))
    return SpecialCall::LeaveStack;
  const SpecialCall kind = specialCall(symbolName(callee));
  const unsigned count = gimple_call_num_args(call);
  const auto isInteger = [&](unsigned i) { return count > i && INTEGRAL_TYPE_P(TREE_TYPE(gimple_call_arg(call, i))); };
  switch (kind) {
  case SpecialCall::Exit:
    return isInteger(0) ? kind : SpecialCall::None; // otherwise it is not libc's
  case SpecialCall::System: {
    tree number = count ? gimple_call_arg(call, 0) : NULL_TREE;
    if (!number || TREE_CODE(number) != INTEGER_CST)
      return SpecialCall::Clone;
    const SystemCall what = systemCall(TREE_INT_CST_LOW(number), target::kIsAArch64);
    return what == SystemCall::MakesProcess                  ? SpecialCall::Clone
           : what == SystemCall::EndsThread && isInteger(1)  ? kind
           : what == SystemCall::EndsProcess && isInteger(1) ? SpecialCall::Exit
                                                             : SpecialCall::None;
  }
  case SpecialCall::LeaveStack:
  case SpecialCall::SaveStack:
  case SpecialCall::MakeStack:
    return count && POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(call, 0))) && !gimple_call_must_tail_p(call)
               ? kind
               : SpecialCall::None;
  case SpecialCall::SetJump: // by its flags
    return SpecialCall::None;
  default:
    return kind;
  }
}

/// STATUS as an int.
tree asInt(Inserter &at, tree status) { return at.compute(integer_type_node, NOP_EXPR, status); }

/// Where something is added that comes before CALL, once for each time that control comes to it.
std::vector<Inserter> placesBefore(gcall *call) {
  const location_t location = gimple_location(call);
  if (!(gimple_call_flags(call) & ECF_RETURNS_TWICE))
    return {Inserter(gsi_for_stmt(call), location)};
  // Its block begins with it, because control comes back there.
  std::vector<Inserter> places;
  std::vector<edge> edges;
  edge incoming;
  edge_iterator iterator;
  FOR_EACH_EDGE (incoming, iterator, gimple_bb(call)->preds)
    if (!(incoming->flags & EDGE_ABNORMAL))
      edges.push_back(incoming);
  for (edge each : edges)
    places.emplace_back(split_edge(each), location);
  return places;
}

/// The edge by which an exception leaves CALL; null if there is none.
edge exceptionEdge(gcall *call) {
  edge outgoing;
  edge_iterator iterator;
  if (gsi_stmt(gsi_last_bb(gimple_bb(call))) == call)
    FOR_EACH_EDGE (outgoing, iterator, gimple_bb(call)->succs)
      if (outgoing->flags & EDGE_EH)
        return outgoing;
  return nullptr;
}

/// The statement after which control has come to CALL, if it is __builtin_setjmp: it becomes two, one for each return.
gcall *receiverOf(gcall *call) {
  tree label = gimple_call_arg(call, 1);
  basic_block block = label_to_block(cfun, TREE_OPERAND(label, 0));
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
    if (gcall *receiver = dyn_cast<gcall *>(gsi_stmt(at)); receiver && isBuiltin(receiver, BUILT_IN_SETJMP_RECEIVER))
      return receiver;
  return nullptr;
}

/// Where control has come back to CALL, from another stack or by a jump.
Inserter afterReturn(gcall *call, SpecialCall kind) {
  if (isBuiltin(call, BUILT_IN_SETJMP_SETUP))
    return afterCall(receiverOf(call));
  tree type = gimple_call_return_type(call);
  if (kind != SpecialCall::SetJump || !INTEGRAL_TYPE_P(type) || !isLibcSetjmp(call))
    return afterCall(call);
  if (!gimple_call_lhs(call)) {
    gimple_call_set_lhs(call, make_ssa_name(type));
    update_stmt(call);
  }
  if (TREE_CODE(gimple_call_lhs(call)) != SSA_NAME)
    return afterCall(call);
  Inserter after = afterCall(call);
  gimple *place = gimple_build_nop();
  after.add(place);
  return {makeSeldomBefore(gimple_call_lhs(call), place), gimple_location(call)};
}

/// The token of the present stack, before CALL and after each of its returns. TOKEN: a variable for it, made when
/// needed. FRAME: null if the function is not traced.
void follow(gcall *call, SpecialCall kind, tree &token, const Frame *frame) {
  // In memory: control may come back to the call in other ways than the one before.
  token = token ? token : makeLocal(ptr_type_node, "ada_fiber");
  const bool leaves = kind == SpecialCall::LeaveStack;
  for (Inserter &before : placesBefore(call)) {
    tree current = callPlain(before, leaves ? "__ada_fiber_leave" : "__ada_fiber_current", {}, ptr_type_node);
    before.add(gimple_build_assign(token, current));
  }
  if (gimple_call_must_tail_p(call) || !returns(call))
    return;
  gimple_call_set_tail(call, false);
  const char *arrival = kind == SpecialCall::SetJump ? "__ada_fiber_land" : "__ada_fiber_resume";
  if (edge thrown = exceptionEdge(call)) { // a fiber of D may end with it
    Inserter after(split_edge(thrown), gimple_location(call));
    callPlain(after, arrival, {after.read(token)});
  }
  Inserter after = afterReturn(call, kind);
  callPlain(after, arrival, {after.read(token)});
  if (!leaves)
    callLanded(after, frame);
}

} // namespace

bool mayBeJumpedTo(const gcall *call) {
  tree callee = gimple_call_fndecl(call);
  if (isBuiltin(call, BUILT_IN_SETJMP_SETUP))
    return true;
  return (gimple_call_flags(call) & ECF_RETURNS_TWICE) && !(callee && symbolName(callee) == "vfork");
}

bool announceSpecialCalls(function *function, const Frame *frame) {
  std::vector<std::pair<gcall *, SpecialCall>> calls;
  basic_block block;
  FOR_EACH_BB_FN (block, function)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
      if (gcall *call = dyn_cast<gcall *>(gsi_stmt(at)); call && !gimple_call_internal_p(call))
        if (const SpecialCall kind = kindOf(call); kind != SpecialCall::None)
          calls.emplace_back(call, kind);
  tree token = NULL_TREE;
  for (auto [call, kind] : calls) {
    if (kind == SpecialCall::LeaveStack || kind == SpecialCall::SaveStack || kind == SpecialCall::SetJump) {
      follow(call, kind, token, frame);
      continue;
    }
    for (Inserter &before : placesBefore(call))
      switch (kind) {
      case SpecialCall::Exec:
        callPlain(before, "__ada_before_exec", {});
        break;
      case SpecialCall::Exit:
        callPlain(before, "__ada_before_exit", {asInt(before, gimple_call_arg(call, gimple_call_num_args(call) > 1))});
        break;
      case SpecialCall::System:
        callPlain(before, "__ada_before_thread_exit", {asInt(before, gimple_call_arg(call, 1))});
        break;
      case SpecialCall::Clone:
        callPlain(before, "__ada_before_clone", {});
        break;
      case SpecialCall::MakeStack:
        callPlain(before, "__ada_fiber_make", {gimple_call_arg(call, 0)});
        break;
      default:
        callPlain(before, "__ada_before_signal_stack", {});
      }
    const char *then = kind == SpecialCall::Exec          ? "__ada_after_exec"
                       : kind == SpecialCall::SignalStack ? "__ada_after_signal_stack"
                                                          : nullptr;
    if (!then || gimple_call_must_tail_p(call) || !returns(call))
      continue;
    gimple_call_set_tail(call, false);
    Inserter after = afterCall(call);
    callPlain(after, then, {});
  }
  return !calls.empty();
}

} // namespace ada::pass
