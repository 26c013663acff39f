// Which registers, or which part of the stack, carry a parameter or a result.
//
// GCC's own description of C's calling convention is asked, which is that of hooks: a function with another one
// (ms_abi) moves its arguments there. On the stack, arguments are where the caller put them. It decides what is
// forwarded to a hook (hooks.h) and where readers look for a parameter (type_text.h). The registers are those of the
// hook call, which has the function's parameters in registers as its own.
#pragma once

#include "gcc_headers.h"

#include "common/type_grammar.h"

namespace ada::pass {

enum class ArgumentPlace {
  Registers, ///< wholly in registers
  Address,   ///< in memory that a register points to, because of its size
  Stack,     ///< on the stack, in a known place
  Elsewhere, ///< in memory
  Unknown,   ///< not known, and neither are the places of those after it
};

/// Assigns the registers of one call in order.
class ArgumentRegisters {
public:
  /// For the result of a function.
  ArgumentRegisters() : ArgumentRegisters(NULL_TREE) {}
  /// For the parameters of FUNCTION.
  explicit ArgumentRegisters(tree function);

  /// The next parameter, of TYPE; its pieces are appended to PIECES if that is not null and its place is known.
  ArgumentPlace place(tree type, std::vector<ValuePiece> *pieces = nullptr);

  /// How many registers, counted from the first, cover everything assigned so far.
  unsigned generalTaken() const { return general_; }
  unsigned vectorTaken() const { return vector_; }

private:
  CUMULATIVE_ARGS state_;
  unsigned general_ = 0, vector_ = 0;
  unsigned stackTaken_ = 0; // bytes
  bool isStackKnown_ = false;
  bool lost_ = false;

  ArgumentPlace placeOnStack(const function_arg_info &argument, std::vector<ValuePiece> *pieces);
};

/// Whether FUNCTION's first argument is a hidden one: the address of a result in memory.
bool hasResultParameter(tree function);
/// Whether general or vector registers carry all of FUNCTION's result.
bool isResultInRegisters(tree function);
/// Whether it is on the x87 stack.
bool isResultOnX87Stack(tree function);
/// The size in bytes of FUNCTION's result if it is in memory, or on the x87 stack. 0 if it is not, or has more than
/// kMaxResultBytes.
unsigned resultBytesInMemory(tree function);

} // namespace ada::pass
