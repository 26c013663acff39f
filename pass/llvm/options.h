// Where LLVM's plugin reads its options from.
//
// Three ways, with the same names and meanings:
//   opt     -load-pass-plugin=libAdaTrace.so -passes=ada-trace -ada-exclude='*log*'
//   clang   -fplugin=libAdaTrace.so -fpass-plugin=libAdaTrace.so -mllvm -ada-exclude='*log*'
//   either  ADA_PASS_OPTIONS="-ada-exclude='*log*' -ada-min-size=10" in the environment
// clang reads -mllvm before it loads an -fpass-plugin, which is why the second line names the plugin twice (it is
// loaded once); the compiler wrappers and the CMake package write that line. The environment is for cases where only
// -fpass-plugin can be given.
#pragma once

#include "common/options.h"

namespace ada::pass {

/// The options as given on the command line and in ADA_PASS_OPTIONS. Sets ERROR to one sentence if the variable can't
/// be parsed. LLVM's own parser has already checked the command line, and stops the compiler with a message.
PassOptions readOptions(std::string &error);

} // namespace ada::pass
