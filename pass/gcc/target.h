// What depends on the architecture that GCC compiles for.
//
// A plugin belongs to one GCC, and so to one architecture: CMake compiles one of target_*.cpp.
#pragma once

#include "gcc_headers.h"

namespace ada::pass::target {

/// Whether it is AArch64; otherwise it is x86-64.
extern const bool kIsAArch64;

/// How many bytes the caller puts on the stack after the arguments: its return address.
extern const unsigned kReturnAddressBytes;

/// Whether REGNO carries arguments: its NUMBER among those of its kind, in the order in which they are assigned.
bool isArgumentRegister(unsigned regno, bool &isVector, unsigned &number);

/// Why no hook can be called in this compilation; null if they can.
const char *whyNoHooks();

/// The number of the hooks' convention among function_abis.
constexpr unsigned kHookAbi = NUM_ABI_IDS - 1;

/// Lets GCC know that convention, once per compilation.
void setUp();

/// Whether hooks preserve the register REGNO although C functions don't.
bool isPreservedByHooks(unsigned regno);

/// Whether GCC ignores `noplt`, so that calls of hooks have to load the address.
bool ignoresNoPlt();

/// The instructions, as the text of an `asm`, that load the address of SYMBOL from the GOT into operand 0.
std::string loadFromGot(const std::string &symbol);

/// Whether functions of TYPE have C's calling convention for arguments on the stack and for variadic ones.
bool isOrdinary(tree type);

/// Whether TYPE is one of SVE's vectors or predicates, or has such members.
bool isScalable(tree type);

/// The instructions that GCC uses at the moment.
std::string instructionSet();

/// Before and after assembly that the plugin writes.
void beginAssembly(FILE *file);
void endAssembly(FILE *file);

/// Writes the body of a function that calls SYMBOLS, one after the other, with the address of __ada_image.
void writeCalls(FILE *file, const std::vector<const char *> &symbols);

} // namespace ada::pass::target
