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
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-exclude='ns::other_than_what_is_wanted' -mllvm -ada-exclude='{plain_c,main}' | FileCheck %s --check-prefixes=WANTED
// RUN: %clangxx_ada -O0 -c %s -o /dev/null -mllvm -ada-why='ns::wan*' -mllvm -ada-why='main' -mllvm -ada-exclude='main|gone' -mllvm -ada-include='ns::*|[xy]*' 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=AdaTrace:
// A glob names functions by mangled name, demangled name with or without parameters, or source file. Lists add up,
// including those of the environment. If no function is traced, nothing is added to the object.

// ALL: @__ada_fn._ZN2ns6wantedEi =
// ALL: @__ada_fn._ZN2ns25other_than_what_is_wantedEi =
// ALL: @__ada_fn.plain_c =
// ALL: @__ada_fn.main =
// WANTED-NOT: @__ada_fn.{{_ZN2ns25other|plain_c|main}}
// WANTED: @__ada_fn._ZN2ns6wantedEi =
// WANTED-NOT: @__ada_fn.{{_ZN2ns25other|plain_c|main}}
// NONE-NOT: ada_
// WHY: AdaTrace: {{.*}}globs.cpp: no function here matches -ada-include='[xy]*'
// WHY: AdaTrace: {{.*}}globs.cpp: no function here matches -ada-exclude='gone'
// WHY: AdaTrace: ns::wanted(int): traced
// WHY: AdaTrace: main: not traced: -ada-exclude matches it
namespace ns {
int wanted(int x) { return x; }
int other_than_what_is_wanted(int x) { return x; }
} // namespace ns
extern "C" int plain_c(int x) { return x; }
int main() { return ns::wanted(1) + ns::other_than_what_is_wanted(2) + plain_c(3); }
