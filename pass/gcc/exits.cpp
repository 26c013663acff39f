// Finds the exits of a function and places hooks there.
#include "exits.h"
#include "coroutines.h"

namespace ada::pass {

basic_block makeSeldomBefore(tree value, gimple *statement) {
  basic_block block = gimple_bb(statement);
  gimple_stmt_iterator before = gsi_for_stmt(statement);
  gsi_prev(&before);
  edge rest = gsi_end_p(before) ? split_block_after_labels(block) : split_block(block, gsi_stmt(before));
  Inserter at(rest->src, gimple_location(statement));
  at.add(gimple_build_cond(NE_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE, NULL_TREE));

  // The other case must be fast: the hook moves out of the way, along with whatever has to be saved around it.
  basic_block hook = create_empty_bb(rest->src);
  if (current_loops)
    add_bb_to_loop(hook, rest->src->loop_father);
  edge taken = make_edge(rest->src, hook, EDGE_TRUE_VALUE);
  taken->probability = profile_probability::very_unlikely();
  hook->count = taken->count();
  rest->flags = (rest->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
  rest->probability = taken->probability.invert();
  make_single_succ_edge(hook, rest->dest, EDGE_FALLTHRU);
  return hook;
}

basic_block makeGuardedBefore(const Frame &frame, gimple *statement) {
  // The whole register: a second one for its lowest byte would be live as long.
  return makeSeldomBefore(frame.enabled, statement);
}

Exits::Exits(function *function, bool unwinds) : function_(function) {
  findTransfers();
  basic_block block;
  FOR_EACH_BB_FN (block, function)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gimple *statement = gsi_stmt(at);
      gcall *call = dyn_cast<gcall *>(statement);
      if (greturn *ret = dyn_cast<greturn *>(statement))
        returns_.push_back(ret);
      else if (call && !gimple_call_internal_p(call) &&
               (gimple_call_must_tail_p(call) || isTransfer(function->decl, call)))
        tailCalls_.push_back(call);
      else if (call && !gimple_call_internal_p(call))
        gimple_call_set_tail(call, false); // the exit hook comes after it
      if (!unwinds || lookup_stmt_eh_lp(statement) != 0)
        continue;
      if (is_a<gresx *>(statement))
        resumes_.push_back(statement);
      else if (stmt_could_throw_p(function, statement) && !(call && gimple_call_tail_p(call)))
        throwing_.push_back(statement);
    }
}

/// Without optimization, a coroutine calls the one that runs instead of it. It has left for the trace, as it has where
/// GCC makes a jump of the call: from there on, it only returns.
void Exits::findTransfers() {
  std::vector<gcall *> transfers;
  basic_block block;
  FOR_EACH_BB_FN (block, function_)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
      if (gcall *call = dyn_cast<gcall *>(gsi_stmt(at)); call && isTransfer(function_->decl, call))
        transfers.push_back(call);
  for (gcall *call : transfers)
    returnAfter(function_, call);
  if (!transfers.empty())
    delete_unreachable_blocks();
}

void Exits::instrument(Frame &frame) {
  for (greturn *ret : returns_) {
    // What a musttail call leaves after it returns to the caller directly.
    gimple_stmt_iterator before = gsi_for_stmt(ret);
    do
      gsi_prev_nondebug(&before);
    while (!gsi_end_p(before) && gimple_clobber_p(gsi_stmt(before)));
    gcall *last = gsi_end_p(before) ? nullptr : dyn_cast<gcall *>(gsi_stmt(before));
    if (last && gimple_call_tail_p(last))
      continue;
    basic_block hook = makeGuardedBefore(frame, ret);
    Inserter at(hook, gimple_location(ret));
    callExit(at, function_, ret, frame);
  }
  for (gcall *call : tailCalls_) {
    basic_block hook = makeGuardedBefore(frame, call);
    Inserter at(hook, gimple_location(call));
    callExit(at, function_, call, frame);
  }
  // No branch: the hook knows whether the function is switched on, and unwinding is slow anyway.
  for (gimple *resume : resumes_) {
    Inserter at(gsi_for_stmt(resume), UNKNOWN_LOCATION);
    callUnwind(at, frame);
  }
  const bool hasRegions = function_->eh && function_->eh->region_tree;
  if (throwing_.empty() && (!hasRegions || resumes_.empty()))
    return;
  const int pad = makeCleanupPad(frame);
  for (gimple *statement : throwing_) {
    add_stmt_to_eh_lp(statement, pad);
    if (gsi_stmt(gsi_last_bb(gimple_bb(statement))) != statement)
      split_block(gimple_bb(statement), statement);
    make_eh_edges(statement);
  }
  for (gimple *statement : throwing_)
    find_edge(gimple_bb(statement), label_to_block(function_, get_eh_landing_pad_from_number(pad)->post_landing_pad))
        ->probability = profile_probability::never();
}

/// Puts all regions into a new one. Returns the number of its landing pad; 0 if nothing needs one.
int Exits::makeCleanupPad(const Frame &frame) {
  eh_region outer = gen_eh_region_cleanup(nullptr);
  outer->inner = outer->next_peer;
  outer->next_peer = nullptr;
  for (eh_region region = outer->inner; region; region = region->next_peer)
    region->outer = outer;
  if (throwing_.empty())
    return 0;

  basic_block block = create_empty_bb(EXIT_BLOCK_PTR_FOR_FN(function_)->prev_bb);
  if (function_->cfg->count_max.initialized_p()) // -fno-guess-branch-probability: no block may have a count then
    block->count = profile_count::zero().guessed_local();
  if (current_loops)
    add_bb_to_loop(block, get_loop(function_, 0));
  eh_landing_pad pad = gen_eh_landing_pad(outer);
  pad->post_landing_pad = gimple_block_label(block);
  EH_LANDING_PAD_NR(pad->post_landing_pad) = pad->index;
  Inserter at(block, UNKNOWN_LOCATION);
  callUnwind(at, frame);
  at.add(gimple_build_resx(outer->index));
  return pad->index;
}

} // namespace ada::pass
