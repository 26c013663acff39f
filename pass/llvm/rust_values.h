// How rustc passes values: which lowered parameters or parts of a result carry a value of the source.
//
// Rust's own convention is not documented, and it changes. But a value takes none, one or two lowered ones, or is
// passed by address, and its size and the lowered types say which: rustc passes as two parts only a pair of scalars, of
// which the second follows the first at the next address that fits its alignment.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Attributes.h"

#include <cstdint>
#include <optional>

namespace llvm {
class DataLayout;
class DIType;
class Function;
class Type;
} // namespace llvm

namespace ada::pass {

/// Whether FUNCTION is compiled from Rust and has debug information.
bool isRust(const llvm::Function &function);

/// Whether the first lowered parameter of FUNCTION is where its result, of type RESULT, is to be stored.
bool hasRustResultAddress(const llvm::Function &function, const llvm::DIType *result);

struct RustFit {
  unsigned count = 0; ///< of the lowered ones
  bool isByAddress = false;
  unsigned bytes = 0;   ///< of two: of the first
  unsigned padding = 0; ///< of two: bytes between them
  unsigned second = 0;  ///< of two: bytes of the second
};

/// Whether TYPE is an enumeration with data: its members depend on the value.
bool isRustEnumeration(const llvm::DIType *type);

/// How a value of TYPE is passed if LOWERED begins with what carries it; ATTRIBUTES are those of the first of these,
/// and IS_OPTIMIZED says whether rustc optimizes. Nothing if it does not fit, or is not certain.
std::optional<RustFit> fitRust(const llvm::DIType *type, llvm::ArrayRef<llvm::Type *> lowered,
                               llvm::AttributeSet attributes, const llvm::DataLayout &layout, bool isOptimized);

} // namespace ada::pass
