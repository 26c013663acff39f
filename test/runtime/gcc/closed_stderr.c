// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_gcc --ada-why -S %s -o open.s 2> messages && FileCheck %s < messages
// RUN: bash -c "exec 2>&-; exec %ada_gcc --ada-why -S %s -o closed.s" && cmp open.s closed.s
// RUN: bash -c "exec <&- >&- 2>&-; exec %ada_gcc --ada-why -S %s -o closed.s" && cmp open.s closed.s
// REQUIRES: gcc-plugin
// GCC: if standard error is closed, what the plugin says does not get into the compiler's output.
// CHECK: AdaTrace: main: traced
int main(void) { return 0; }
