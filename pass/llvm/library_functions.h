// What the pass knows about library functions.
//
// Their names in the source, which of them block, allocate or do I/O, which must be called by the program itself, and
// the prototypes of those of C and POSIX.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace ada {

/// The function that FUNCTION calls, if it is a wrapper of library_calls.h. Otherwise null.
const llvm::Function *wrappedCallee(const llvm::Function &function);
/// Makes FUNCTION a wrapper of CALLEE.
void setWrappedCallee(llvm::Function &function, const llvm::Function &callee);

/// The name that the source uses for DECLARED, as far as that is certain: "open" for `open64`, "sscanf" for
/// `__isoc99_sscanf`, "read" for `__read_chk`; mangled, if it is C++. Otherwise its symbol.
std::string sourceName(const llvm::Function &declared);

/// Why DECLARED can't be called by a wrapper; null if it can.
const char *whyNotWrapped(const llvm::Function &declared);

/// Whether the function of this symbol blocks, allocates or does I/O (-ada-calls=default).
bool isInDefaultCalls(llvm::StringRef symbol, llvm::StringRef name);

/// Whether CALL, of libc's `syscall`, may make a process.
bool mayMakeProcess(const llvm::CallBase &call);

/// Whether a call of libc's syscall() is the system call that ends the calling thread.
bool endsThread(const llvm::CallBase &call);

/// A function of the C library as in its manual page.
struct Prototype {
  struct Parameter {
    llvm::StringRef type, name; // "const char *", "path"
  };
  llvm::StringRef result;
  llvm::SmallVector<Parameter, 8> parameters;
  bool isVariadic = false;

  /// "int (const char *, int, ...)"
  std::string signature() const;
};

/// Whether a prototype of DECLARED is known that fits its declaration. Writes it to PROTOTYPE.
bool findPrototype(const llvm::Function &declared, Prototype &prototype);

} // namespace ada
