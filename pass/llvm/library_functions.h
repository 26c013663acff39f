// What the pass knows about library functions (common/known_functions.h) that a module declares, and its wrappers.
#pragma once

#include "common/known_functions.h"
#include "common/special_calls.h"

#include <string>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace ada::pass {

/// The function that FUNCTION calls, if it is a wrapper of library_calls.h. Otherwise null.
const llvm::Function *wrappedCallee(const llvm::Function &function);
/// Makes FUNCTION a wrapper of CALLEE.
void setWrappedCallee(llvm::Function &function, const llvm::Function &callee);

/// The name that the source uses for DECLARED, as far as that is certain; mangled, if it is C++. Otherwise its symbol.
std::string sourceName(const llvm::Function &declared);

/// Why DECLARED can't be called by a wrapper; null if it can.
const char *whyNotWrapped(const llvm::Function &declared);

/// Whether DECLARED blocks, allocates or does I/O (-ada-calls=default).
bool isInDefaultCalls(const llvm::Function &declared);

/// Whether CALL, of libc's `syscall`, may make a process.
bool mayMakeProcess(const llvm::CallBase &call);

/// Whether a call of libc's syscall() is the system call that ends the calling thread, or the process (`how`).
bool ends(const llvm::CallBase &call, SystemCall how);

/// The prototype of DECLARED, if one is known that fits its declaration. Otherwise null.
const Prototype *findPrototype(const llvm::Function &declared);

} // namespace ada::pass
