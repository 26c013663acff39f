// RUN: %clang_ada -fPIC -O2 --target=x86_64-linux-gnu -S %s -o - | FileCheck %s --check-prefix=X86
// RUN: %clang_ada -fPIC -O0 --target=x86_64-linux-gnu -S %s -o - | FileCheck %s --check-prefix=X86
// RUN: %clang_ada -fno-pic -O2 --target=x86_64-linux-gnu -S %s -o - | FileCheck %s --check-prefix=X86
// RUN: %clang_ada -fno-pic -mcmodel=large -O2 --target=x86_64-linux-gnu -S %s -o - | FileCheck %s --check-prefix=X86
// RUN: %clang_ada -fPIC -O2 --target=aarch64-linux-gnu -S %s -o - | FileCheck %s --check-prefixes=ARM,ARM-%since19-%since22
// RUN: %clang_ada -fPIC -O0 --target=aarch64-linux-gnu -S %s -o - | FileCheck %s --check-prefixes=ARM,ARM-%since19-%since22
// RUN: %clang_ada -fno-pic -O2 --target=aarch64-linux-gnu -S %s -o - | FileCheck %s --check-prefixes=ARM,ARM-%since19-%since22
// The hook's argument is in the register that include/ada/abi.h names, and on AArch64 the hook's symbol matches the register.
// The hook is called through the GOT, because the lazy resolver, which a PLT entry calls, would destroy the register.

// X86-LABEL: f:
// X86-NOT: __ada_enter@PLT
// X86-NOT: $__ada_enter
// X86-DAG: {{(leaq|addq) .*}}, %r10
// X86-DAG: {{callq \*|movq }}__ada_enter@GOTPCREL(%rip)
// X86: {{callq \*|movq }}__ada_exit@GOTPCREL(%rip)

// ARM-LABEL: f:
// ARM-NOT: bl __ada_enter
// ARM-BEFORE19-BEFORE22-DAG: add x18, {{.*}}
// ARM-BEFORE19-BEFORE22-DAG: ldr {{x[0-9]+}}, [{{x[0-9]+}}, :got_lo12:__ada_enter]
// ARM-SINCE19-BEFORE22-DAG: add x18, {{.*}}
// ARM-SINCE19-BEFORE22-DAG: ldr {{x[0-9]+}}, [{{x[0-9]+}}, :got_lo12:__ada_enter]
// ARM-SINCE19-SINCE22-DAG: add x15, {{.*}}
// ARM-SINCE19-SINCE22-DAG: ldr {{x[0-9]+}}, [{{x[0-9]+}}, :got_lo12:__ada_enter_x15]
// ARM: blr
long f(long a, double d) { return a + (long)d; }
