// Calls of functions that are only declared: each gets a wrapper in this module, and the wrapper the hooks.
//
//     call i64 @read(i32 %fd, ptr %p, i64 %n)
// becomes
//     call i64 @__ada_call.read.1f0c…(i32 %fd, ptr %p, i64 %n)
//
//     define linkonce_odr hidden i64 @__ada_call.read.1f0c…(i32, ptr, i64) noinline comdat {
//       %r = call i64 @read(…)
//       ret i64 %r
//     }
//
// The wrapper is an ordinary function, so everything that is true of hooks (exits by unwinding, detail, calls that
// never return) is true of library calls. In the site table it has the name and the types of the function it calls. An
// image has one wrapper for each callee and each way to call it: the arguments of a variadic function are parameters of
// the wrapper. A hash in the symbol covers what the wrapper depends on, so linkers may keep any one of the wrappers
// with the same symbol.
#pragma once

#include "filter.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace ada::pass {

/// Marks a call of libc's `syscall` that is known to make no process.
constexpr const char *kAttrMakesNoProcess = "ada-makes-no-process";

class LibraryCalls {
public:
  LibraryCalls(llvm::Module &module, const Filter &filter) : module_(module), filter_(filter) {}

  /// Points those calls in CALLERS that the filter chooses at wrappers. Returns the wrappers that have no hooks yet.
  llvm::SmallVector<llvm::Function *, 16> wrap(llvm::ArrayRef<llvm::Function *> callers);
  /// For -ada-why: prints what became of the calls of each function that is only declared and that IS_CANDIDATE
  /// accepts.
  void explain(llvm::function_ref<bool(const llvm::Function &)> isCandidate) const;

private:
  llvm::Module &module_;
  const Filter &filter_;

  struct Callee {
    std::string reason; // why none of its calls is wrapped; "" if they are
    unsigned wrapped = 0, left = 0;
    const char *leftBecause = nullptr;
  };
  llvm::DenseMap<const llvm::Function *, Callee> callees_;

  llvm::Function *wrapperOf(llvm::CallBase &call, llvm::Function &callee);
};

} // namespace ada::pass
