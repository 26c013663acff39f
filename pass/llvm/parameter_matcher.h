// Matches the parameters of the source with the lowered ones that carry them.
//
// The types come from debug information, the places from the function's own lowered signature. The two are matched by
// what the function's calling convention makes of each type. If they don't fit together, that parameter and all later
// ones have no place: nothing is guessed.
#pragma once

#include "argument_registers.h"
#include "rust_values.h"

#include <string>

namespace ada::pass {

/// Whether callers that see FUNCTION's body know that it reads nothing that its lowered parameter NUMBER points to.
/// Then they need not have stored it.
bool isUnread(const llvm::Function &function, unsigned number);
/// Whether the optimizer proved that FUNCTION does not use the object that its lowered parameter NUMBER points to. What
/// a library function uses is never known.
bool isUnusedObject(const llvm::Function &function, unsigned number);

/// Takes NUMBER, the next lowered parameter of FUNCTION, out of REGISTERS. Appends its place to PIECES, or that it is
/// left out.
ArgumentPlace takeNext(ArgumentRegisters &registers, const llvm::Function &function, unsigned number,
                       llvm::SmallVectorImpl<ValuePiece> &pieces);

/// PIECES as the text of types has them (common/type_grammar.h).
inline std::string placeText(llvm::ArrayRef<ValuePiece> pieces) { return placeText(pieces.data(), pieces.size()); }

/// Whether a value of PLACE has pieces that say where it is.
inline bool hasPieces(ArgumentPlace place) { return place != ArgumentPlace::Elsewhere; }

class ParameterMatcher {
public:
  /// A lowered parameter's share of a value, or (NUMBER is kPadding) bytes that nothing carries.
  struct Part {
    unsigned number, bytes;
    bool isShort = false; // its general register has 8
    unsigned target = 0;  // not 0: it is the address of a value of that many bytes
  };
  static constexpr unsigned kPadding = ~0u;

  ParameterMatcher(const llvm::Function &function, StackArguments stack);

  /// Where a result of TYPE is; "-" if that is not known.
  std::string result(const llvm::DIType *type) const;

  /// Where the next parameter, of TYPE, is; "-" if that is not known, "!" if callers leave it out.
  std::string parameter(const llvm::DIType *type);
  /// Whether it points to memory that callers need not have stored.
  bool hasUnread() const { return isUnread_; }
  /// The parts that the last parameter() took, in the order of the value's bytes.
  llvm::ArrayRef<Part> parts() const { return parts_; }

  /// Skips the place of a call in the source, which rustc passes last to functions that want to know it.
  void skipLocation();
  /// Skips a parameter that the source does not have.
  void skipHidden();

  /// Whether every lowered parameter has found its source. If not, the optimizer may have changed the signature.
  bool isComplete() const;
  /// Whether the lowered parameters are not those that the source's would make; even earlier ones may then be wrong.
  bool isOther() const;
  /// Whether every source parameter so far has found its lowered ones.
  bool hasPassedAll() const { return !lost_; }
  /// The next lowered parameter.
  unsigned next() const { return next_; }

private:
  const llvm::Function &function_;
  const llvm::DataLayout &layout_;
  bool isAArch64_, isRust_;
  Lowering lowering_;
  unsigned next_ = 0; // lowered parameter
  ArgumentRegisters registers_;
  bool lost_ = false; // what follows can't be matched
  bool isOther_ = false;
  // For the current parameter.
  llvm::SmallVector<ValuePiece, 4> pieces_;
  llvm::SmallVector<Part, 4> parts_;
  bool isUnread_ = false;

  /// Whether PIECES, where LOWERED is, hold the bytes of a result of TYPE in their order; adds its padding.
  bool isRight(const llvm::DIType *type, llvm::Type *lowered, llvm::SmallVectorImpl<ValuePiece> &pieces) const;
  /// Whether an address is passed for a TYPE that is not one: types that C++ does not allow to be copied into
  /// registers, those too large for AArch64, and what ms_abi does not pass as a number. Any other pointer is a member.
  bool isPassedByAddress(const llvm::DIType *type, uint64_t bytes) const;
  std::string place(const llvm::DIType *type);
  std::string placeInRust(const llvm::DIType *type);
  std::string placeByAddress(const llvm::DIType *type, uint64_t bytes);
  /// Where a value is that one or more lowered parameters carry. DATA: see dataBytes().
  std::string placeParts(const llvm::DIType *type, uint64_t bytes, uint64_t data);
  void addPadding(unsigned bytes);
  /// Skips a lowered parameter. Returns whether its place is known.
  bool take();
  std::string lose();
};

} // namespace ada::pass
