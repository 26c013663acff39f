// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-include='ns::wanted' | FileCheck %s --check-prefixes=WANTED
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-include='ns::wanted(int)' | FileCheck %s --check-prefixes=WANTED
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-include='_ZN2ns6wanted*' | FileCheck %s --check-prefixes=WANTED
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-include='nothing|ns::want??' | FileCheck %s --check-prefixes=WANTED
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-exclude='ns::other*|*plain*|main' | FileCheck %s --check-prefixes=WANTED
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-exclude='ns::other*' -mllvm -ada-exclude='*plain*|main' | FileCheck %s --check-prefixes=WANTED
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-include='*' -mllvm -ada-exclude='ns::o*' -mllvm -ada-exclude='[mp]*' | FileCheck %s --check-prefixes=WANTED
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-include='*/globs.cpp' | FileCheck %s --check-prefixes=ALL
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-exclude='*/globs.cpp' | FileCheck %s --check-prefixes=NONE
// RUN: %clangxx_ada -O0 -g -S -emit-llvm %s -o - -mllvm -ada-exclude='*/pass/globs.cpp' | FileCheck %s --check-prefixes=NONE
// RUN: env ADA_PASS_OPTIONS="-ada-exclude='ns::other*|*plain*' --ada-exclude=main" %clang -fpass-plugin=%plugin -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=WANTED
// RUN: env ADA_PASS_OPTIONS="-ada-include=*" %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-exclude='[mp]*|*other*' | FileCheck %s --check-prefixes=WANTED
// A glob names functions by mangled name, demangled name with or without parameters, or source file. Lists add up, those of
// the environment too. Without any function that is traced, nothing is added to the object.

// ALL: @__ada_fn._ZN2ns6wantedEi =
// ALL: @__ada_fn._ZN2ns5otherEi =
// ALL: @__ada_fn.plain_c =
// ALL: @__ada_fn.main =
// WANTED-NOT: @__ada_fn.{{_ZN2ns5other|plain_c|main}}
// WANTED: @__ada_fn._ZN2ns6wantedEi =
// WANTED-NOT: @__ada_fn.{{_ZN2ns5other|plain_c|main}}
// NONE-NOT: ada_
namespace ns {
int wanted(int x) { return x; }
int other(int x) { return x; }
} // namespace ns
extern "C" int plain_c(int x) { return x; }
int main() { return ns::wanted(1) + ns::other(2) + plain_c(3); }
