// Hooks that were inlined with their function: the trace says that the machine code has no such call.
#pragma once

namespace llvm {
class Module;
}

namespace ada::pass {

/// Gives hooks that are in another function than the one they describe an entry of their own. It is like that
/// function's entry except for ADA_FUNCTION_INLINED, and has the same enable byte. Runs after the optimizer. Hooks that
/// are inlined later, at link time by a linker that does not load the plugin, keep the function's entry; so does a
/// function that was inlined into itself. Returns whether MODULE changed.
bool markInlinedCopies(llvm::Module &module);

} // namespace ada::pass
