// The parts of Rust's asynchronous functions and blocks: what polls a future of one, and what drops it.
//
// rustc makes of `async fn f` a type, whose values are the futures, and a function that polls one. Debug information
// describes the type ({async_fn_env#0}), with a variant for each state: not polled yet, finished, left by a panic, and
// one for each `await` that it may be suspended at. The number of the state is in the future. Without debug information
// these functions look like closures.
#pragma once

#include "argument_registers.h"

#include "llvm/IR/IRBuilder.h"

#include <optional>
#include <string>

namespace llvm {
class DICompositeType;
class DIDerivedType;
} // namespace llvm

namespace ada::pass {

struct RustFuture {
  unsigned address; ///< the lowered parameter that carries it
  bool isDropped;   ///< the function drops the future; otherwise it polls it
  const llvm::DICompositeType *type;
  const llvm::DICompositeType *variants;
  const llvm::DIDerivedType *state; ///< the member with the number of the state
};

/// The future that FUNCTION polls or drops. Unlike other functions of Rust's library, it belongs to the program.
std::optional<RustFuture> rustFuture(const llvm::Function &function);

/// The general register in which the entry hook of FUNCTION gets the state of FUTURE, after all arguments. Nothing if
/// there is none left, or if callers need not have stored the state.
std::optional<unsigned> stateRegister(const llvm::Function &function, const RustFuture &future, StackArguments stack);

/// The state of FUTURE where BUILDER stands.
llvm::Value *stateOf(llvm::IRBuilder<> &builder, llvm::Function &function, const RustFuture &future);

/// The text for ada_function.types_off: as if FUNCTION took the future and its state, and returned the new state.
std::string typesText(const llvm::Function &function, const RustFuture &future, StackArguments stack);

} // namespace ada::pass
