// Hooks that were inlined with their function: the trace says that such a call was none in the machine code.
#ifndef ADA_PASS_INLINED_COPIES_H
#define ADA_PASS_INLINED_COPIES_H

namespace llvm {
class Module;
}

namespace ada {

/// Gives hooks that are in another function than the one they tell of an entry of their own, like that function's but
/// for ADA_FUNCTION_INLINED, with the same enable byte. Runs where the optimizer has ended; what is inlined later, at
/// link time, by a linker that does not load the plugin keeps the function's entry. A function that was inlined into
/// itself does, too. Returns whether MODULE changed.
bool markInlinedCopies(llvm::Module &module);

} // namespace ada

#endif
