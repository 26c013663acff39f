// The pass: hooks on entry and exits of each chosen function, and what the runtime needs to know about it.
//
//     define i32 @f(i32 %x) {                       @entry = { "f", "f.c", line, … } in ada_functions
//       %on = load atomic i8, @byte                 @byte = i8 0 in ada_enabled
//       if (%on) __ada_enter(nest @entry, %x)
//       …
//       if (%on) __ada_exit(nest @entry, %r)
//       ret i32 %r
//
// It runs at the end of the optimization pipeline, after inlining and splitting: the functions are those in the machine
// code. With -ada-before-inlining it runs at the start: the functions are those in the source.
#pragma once

#include "llvm/IR/PassManager.h"

namespace ada::pass {

class AdaTracePass : public llvm::PassInfoMixin<AdaTracePass> {
public:
  enum class Place { PipelineStart, PipelineEnd, Named };

  explicit AdaTracePass(Place place) : place_(place) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  /// Functions that are not to be optimized are traced too.
  static bool isRequired() { return true; }

private:
  Place place_;
};

} // namespace ada::pass
