// What the compiler sees of the plugin: its name, and where in the pipeline the pass runs.
//
//     clang -fpass-plugin=libAdaTrace.so …                              hooks at the end of the pipeline
//     opt -load-pass-plugin=libAdaTrace.so -passes=ada-trace in.ll      hooks now
//
// A plugin fits one LLVM major version: that of the compiler that loads it (libAdaTrace-19.so for clang-19). See
// host_version.cpp.
#include "instrument.h"
#include "llvm_compat.h"

using namespace llvm;
using ada::pass::AdaTracePass;

static void registerPasses(PassBuilder &builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, ada::pass::compat::OptimizationLevel) {
    passes.addPass(AdaTracePass(AdaTracePass::Place::PipelineStart));
  });
  ada::pass::compat::registerOptimizerLast(
      builder, [](ModulePassManager &passes) { passes.addPass(AdaTracePass(AdaTracePass::Place::PipelineEnd)); });
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name != "ada-trace")
          return false;
        passes.addPass(AdaTracePass(AdaTracePass::Place::Named));
        return true;
      });
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "AdaTrace", ADA_VERSION, registerPasses};
}
