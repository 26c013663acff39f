// Which registers, or which part of the stack, carry a lowered parameter or result.
//
// It follows the C calling conventions of System V's x86-64 and AAPCS64, as LLVM applies them to the types that clang
// lowers parameters to. It decides what is forwarded to a hook (hooks.h) and where readers look for a parameter
// (type_text.h). Registers are those of the hook call, whose convention is always C's: a function with another one
// (ms_abi, vectorcall, …) moves its arguments there. So a type whose registers are uncertain is not forwarded, and
// takes none from those after it. On the stack, which is the caller's, it hides the places of those after it.
#pragma once

#include "common/type_grammar.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Attributes.h"

namespace llvm {
class DataLayout;
class FixedVectorType;
class Function;
class Type;
} // namespace llvm

namespace ada::pass {

enum class ArgumentPlace {
  Registers, ///< wholly in registers
  Forwarded, ///< on the stack; the entry hook gets it in vector registers
  Stack,     ///< on the stack, in a known place
  Elsewhere, ///< in memory, in a register of its own (`nest`, AArch64's x8), or not known
};

/// How the entry hook sees arguments that the convention passes on the stack.
enum class StackArguments {
  InPlace,   ///< they are where the caller put them
  Forwarded, ///< the entry hook gets their values in the vector registers that no other argument takes
};

/// Assigns the registers of one call in order.
class ArgumentRegisters {
public:
  /// For the parameters or the result of FUNCTION, which also determines the target and its features.
  explicit ArgumentRegisters(const llvm::Function &function, StackArguments stack = StackArguments::InPlace);

  /// The next parameter; its pieces are appended to PIECES if that is not null and it is in registers or on the stack.
  ArgumentPlace place(llvm::Type *type, llvm::AttributeSet attributes,
                      llvm::SmallVectorImpl<ValuePiece> *pieces = nullptr);

  /// How many registers, counted from the first, cover everything assigned so far.
  unsigned generalTaken() const { return generalGiven_; }
  unsigned vectorTaken() const { return vectorGiven_; }

private:
  /// Registers that a value needs; false if that is not known.
  struct Need {
    llvm::SmallVector<ValuePiece, 4> pieces; // numbers not assigned yet
    unsigned general = 0, vector = 0;
    bool beginsEven = false; // AArch64's 128-bit integers
  };
  ArgumentPlace forward(llvm::Type *type, llvm::AttributeSet attributes, llvm::SmallVectorImpl<ValuePiece> *pieces);
  bool hasShortFloat(llvm::Type *type) const;
  bool count(llvm::Type *type, Need &need) const;
  bool countVector(llvm::FixedVectorType *type, Need &need) const;
  ArgumentPlace placeOnStack(llvm::Type *type, llvm::AttributeSet attributes,
                             llvm::SmallVectorImpl<ValuePiece> *pieces);
  uint64_t alignmentOnStack(llvm::Type *type, llvm::AttributeSet attributes);

  const llvm::DataLayout &layout_;
  bool isAArch64_, hasAvx_, hasAvx512_;
  unsigned generalLimit_;
  unsigned general_ = 0, vector_ = 0; // the next ones; the limit once no more may be assigned
  unsigned generalGiven_ = 0, vectorGiven_ = 0;
  uint64_t stackTaken_ = 0; // bytes
  bool isStackKnown_;       // until an argument of uncertain size is there
  bool forwardsStack_;
  unsigned forwarded_ = 0; // the next vector register for forwarded arguments
};

/// How FUNCTION's convention changes what clang makes of parameters and results.
enum class Lowering {
  Ordinary,  ///< as C's convention does
  Microsoft, ///< structs of 1, 2, 4 and 8 bytes are numbers, larger ones are passed by address (x86-64)
  Other,     ///< not known for structs
};
Lowering loweringOf(const llvm::Function &function);

/// Whether FUNCTION's va_list is that of C's convention.
bool hasOrdinaryVariadicList(const llvm::Function &function);

/// The size in bytes of FUNCTION's result if no general or vector register carries it: it is in memory (`sret`), or on
/// the x87 stack. 0 if it is in such registers, is void, or has more than kMaxResultBytes.
unsigned resultBytesInMemory(const llvm::Function &function);

} // namespace ada::pass
