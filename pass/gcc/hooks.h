// The calls into the runtime: their declarations, convention and forwarded arguments.
//
// include/ada/abi.h has the contract. In GIMPLE, a hook call looks like
//     _1 = &ada_frame + on_2;
//     __ada_enter (arg0, arg1, …) [static-chain: _1];
// GCC passes the static chain in the register that abi.h calls `nest`. The arguments are the function's own: at its
// entry they are in the right registers already, so forwarding them costs no instruction, and the trampoline sees what
// the caller passed. A hook's type has an attribute by which the register allocator learns that it preserves general
// registers.
#pragma once

#include "gcc_headers.h"

namespace ada::pass {

/// The ada_frame in which a function's activation describes itself to the runtime.
struct Frame {
  tree memory = NULL_TREE;    // a variable
  tree enabled = NULL_TREE;   // the enable byte's value, as wide as a pointer
  bool isSetAtExit = false;   // exits store where the result is
  unsigned resultBytes = 0;   // of a result in memory that is recorded
  tree coroutine = NULL_TREE; // a variable: the frame of a coroutine that the function creates; recorded like a result
  unsigned carried = 0;       // for ada_function, gathered while hooks are made
};

/// A place where statements are added.
class Inserter {
public:
  /// At the end of BLOCK.
  Inserter(basic_block block, location_t location) : at_(gsi_last_bb(block)), location_(location) {}
  /// Before the statement AT.
  Inserter(gimple_stmt_iterator at, location_t location) : at_(at), location_(location), isBefore_(true) {}
  void add(gimple *statement);
  /// A name for the value of OPERATION on FIRST and SECOND.
  tree compute(tree type, tree_code operation, tree first, tree second = NULL_TREE);
  /// A name for the value of VARIABLE.
  tree read(tree variable);

private:
  gimple_stmt_iterator at_;
  location_t location_;
  bool isBefore_ = false;
};

/// Whether control may continue after CALL.
bool returns(const gcall *call);
/// A place that control comes to only when CALL has returned.
Inserter afterCall(gcall *call);

/// A variable of TYPE in the frame of the function that is being compiled, whose address the runtime may be given.
tree makeLocal(tree type, const char *name);

/// A variable that GCC never defines: code refers to the assembler's label .LADA<KIND><NUMBER>. It needs no garbage
/// collector: code refers to it as long as it is in use, and afterwards only its name counts.
tree makeLabel(const char *kind, unsigned number, tree type);

/// Tells the register allocator what hooks preserve. Once per compilation; PLUGIN is our name in GCC.
void setUpHooks(const char *plugin);

/// Makes the frame of FUNCTION, whose enable byte ENABLED was read where all hooks can use it. ENDSOTHERWISE: there are
/// exits that return nothing, although the function does return a value.
Frame makeFrame(function *function, tree enabled, bool endsOtherwise);

/// Fills in FRAME for ENTRY, the variable of the function's ada_function, and calls __ada_enter.
void callEnter(Inserter &at, function *function, tree entry, Frame &frame);
/// Calls __ada_exit before END, a return statement or a tail call, with the value that is returned.
void callExit(Inserter &at, function *function, gimple *end, Frame &frame);
/// Calls __ada_unwind, which is allowed whether the function is switched on or not.
void callUnwind(Inserter &at, const Frame &frame);
/// Calls NAME with the frame's address: __ada_mark_frame, __ada_resync.
void callWithFrame(Inserter &at, const char *name, const Frame &frame);
/// Calls `__ada_landed(frame, on)`. FRAME: null if the function is not traced.
void callLanded(Inserter &at, const Frame *frame);
/// Calls NAME, a C function. Returns its result, of type RESULT, if that is given.
tree callPlain(Inserter &at, const char *name, const std::vector<tree> &arguments, tree result = NULL_TREE);

/// Completes the exits of FUNCTION with the address of a result in memory. Done after GCC has decided whether a
/// variable can be the result: it looks for results whose address is taken, and leaves those alone.
void completeResults(function *function);

} // namespace ada::pass
