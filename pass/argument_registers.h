// argument_registers.h - which registers carry a lowered parameter or result, by the platform's C calling convention.
//
// Of System V's x86-64 and of AAPCS64, what LLVM makes of the types that clang lowers parameters to. It decides how much is
// forwarded to a hook (hooks.h) and what readers are told of a parameter's place (type_text.h): both must be exact, so a type
// whose place is not known for sure says so, and nothing behind it has a place any more.
#ifndef ADA_PASS_ARGUMENT_REGISTERS_H
#define ADA_PASS_ARGUMENT_REGISTERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Attributes.h"

namespace llvm {
class FixedVectorType;
class Function;
class Type;
} // namespace llvm

namespace ada {

/// A part of a value in one register. General registers are numbered in the order in which they carry arguments (of a
/// result: results).
struct RegisterPiece {
  bool isVector;
  unsigned number;
  unsigned bytes;
};

enum class ArgumentPlace {
  Registers, ///< wholly in registers
  Elsewhere, ///< in memory, or in a register of its own (`nest`, AArch64's x8)
  Unknown,   ///< nothing is said of this one and of those behind it
};

/// Gives out the registers of one call in order.
class ArgumentRegisters {
public:
  /// For the parameters, or the result, of FUNCTION: the target and what it can do are asked of it.
  explicit ArgumentRegisters(const llvm::Function &function);

  /// The next parameter; its pieces are appended to PIECES if that is not null and it is in registers.
  ArgumentPlace place(llvm::Type *type, llvm::AttributeSet attributes,
                      llvm::SmallVectorImpl<RegisterPiece> *pieces = nullptr);

  /// How many registers, from the first on, it takes to have all that were given out so far.
  unsigned generalTaken() const { return generalGiven; }
  unsigned vectorTaken() const { return vectorGiven; }

private:
  /// Registers that a value needs; false if that is not known.
  struct Need {
    llvm::SmallVector<RegisterPiece, 4> pieces; // numbers not given yet
    unsigned general = 0, vector = 0;
    bool beginsEven = false; // AArch64's 128-bit integers
  };
  bool count(llvm::Type *type, Need &need) const;
  bool countVector(llvm::FixedVectorType *type, Need &need) const;

  bool isAArch64, hasAvx, hasAvx512;
  unsigned generalLimit;
  unsigned general = 0, vector = 0; // the next ones; the limit once none may be given any more
  unsigned generalGiven = 0, vectorGiven = 0;
  bool lost = false;
};

} // namespace ada

#endif
