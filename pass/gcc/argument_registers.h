// Which registers, or which part of the stack, carry a parameter or a result.
//
// GCC's own description of the calling convention is asked, so this follows every option and attribute that changes it.
// It decides what is forwarded to a hook (hooks.h) and where readers look for a parameter (type_text.h). The registers
// are those of the hook call, which has the function's parameters in registers as its own.
#pragma once

#include "gcc_headers.h"

namespace ada {

/// A part of a value, in one register or on the stack. General registers are numbered in the order in which they carry
/// arguments.
struct ValuePiece {
  enum class Where {
    General,
    Vector,
    Stack,
    LeftOut, ///< nowhere: callers need not pass it
  };
  Where where;
  unsigned number; // on the stack: bytes above the stack pointer at the function's first instruction
  unsigned bytes;
};

enum class ArgumentPlace {
  Registers, ///< wholly in registers
  Stack,     ///< on the stack
  Unknown,   ///< not known, and neither are the places of those after it
};

/// Assigns the registers of one call in order.
class ArgumentRegisters {
public:
  ArgumentRegisters();

  /// The next parameter, of TYPE; its pieces are appended to PIECES if that is not null and it is in registers.
  ArgumentPlace place(tree type, std::vector<ValuePiece> *pieces = nullptr);

  /// How many registers, counted from the first, cover everything assigned so far.
  unsigned generalTaken() const { return general_; }
  unsigned vectorTaken() const { return vector_; }

private:
  CUMULATIVE_ARGS state_;
  unsigned general_ = 0, vector_ = 0;
  bool lost_ = false;
};

/// The largest result in memory that is recorded, in bytes.
constexpr unsigned kMostResultBytes = 64;

/// Whether general or vector registers carry all of FUNCTION's result.
bool isResultInRegisters(tree function);
/// Whether it is on the x87 stack.
bool isResultOnX87Stack(tree function);
/// The size in bytes of FUNCTION's result if it is in memory, or on the x87 stack. 0 if it is not, or has more than
/// kMostResultBytes.
unsigned resultBytesInMemory(tree function);

} // namespace ada
