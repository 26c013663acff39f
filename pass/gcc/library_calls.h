// Calls of functions that are only declared: each gets a wrapper in this unit, and the wrapper the hooks.
//
// As in the plugin for LLVM (pass/llvm/library_calls.h): the wrapper of `read` is a hidden function of the comdat group
// `__ada_call.read.HASH`, which only calls `read`. In the site table it has the name of the function it calls. The hash
// covers what the wrapper depends on: how its arguments and result are passed.
//
// Calls are pointed at wrappers after all optimizations. Wrappers are made and compiled when the unit is at its end,
// because no function can be added while others are being compiled.
#pragma once

#include "filter.h"
#include "hooks.h"

namespace ada::pass {

/// The function that FUNCTION calls, if it is a wrapper. Otherwise null.
tree wrappedCallee(tree function);

/// What the source calls the function CALLEE of a library; mangled, if it is C++.
std::string libraryName(tree callee);

/// The type of CALLEE as the source would write it, if the table of library functions has it. Otherwise "".
std::string librarySignature(tree callee);

/// Points those calls in FUNCTION that FILTER chooses at wrappers.
void wrapLibraryCalls(function *function, const Filter &filter);

/// Makes the wrappers and compiles them, at the end of the unit.
void compileWrappers();

/// For -ada-why: what became of the calls of CALLEE.
std::vector<std::string> explainCalls(tree callee, const Filter &filter);

} // namespace ada::pass
