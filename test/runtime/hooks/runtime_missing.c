// If a program is linked without the runtime, the linker's message says how to link it, whichever linker it is.
// Not emulated: `adatrace flags` gives the flags for this machine.
// UNSUPPORTED: emulated
// RUN: rm -rf %t && mkdir %t && cd %t && %ada_clang -O1 -c %s -o p.o
// RUN: not %clang p.o -o p 2>&1 | FileCheck %s
// RUN: if command -v ld.lld-%llvm_version; then not %clang -fuse-ld=lld p.o -o p 2>&1 | FileCheck %s; fi
// RUN: %clang p.o -o p $(adatrace flags --link --llvm=%llvm_version) && ./p
// CHECK: undefined {{.*}}__ada_runtime_is_missing_link_with_ada_clang_or_with_adatrace_flags
int main(void) { return 0; }
