// RUN: rm -rf %t && mkdir %t && cd %t && %ada_clang -O1 %s -o program
// RUN: adatrace record -o traces env -i ./program 2>&1 | FileCheck %s
// RUN: adatrace record -o traces sh -c 'unset ADA_OPTIONS; ./program' 2>&1 | FileCheck %s
// RUN: adatrace record -o traces sh -c 'unset ADA_OPTIONS; true' 2>&1 | FileCheck %s --check-prefix=OTHER
// REQUIRES: native
// A program that was built with the plugin and did not get the options is not said to be built without it. Not in QEMU,
// where the program that is started is QEMU.
// CHECK: adatrace: nothing was recorded: ./program was built with the AdaTrace plugin, but did not record: it was started without ADA_OPTIONS in its environment
// OTHER: adatrace: nothing was recorded: no process that it started was built with the AdaTrace plugin, or ADA_OPTIONS was not in its environment
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(void) {
  work();
  return 0;
}
