// RUN: rm -rf %t && mkdir -p %t
// RUN: for o in -O0 -O2 "-O2 --ada-before-inlining"; do rm -rf %t/s; %ada_clangxx $o -g %s -o %t/p && %session:session=%t/s:detail="*":pointees=64 %t/p && adatrace tree --args %t/s | FileCheck %s || exit 1; done
// With ms_abi an empty struct takes a register of its own, and a 128-bit number is passed by address. The two registers
// of a struct and a number that follows it must not be taken for the halves of that number.
// REQUIRES: x86_64
struct Empty {};
volatile long sink, one = 1;

// CHECK: late(empty={{[{][}]|<unused>}}, wide={{[?]|92233720368547758080|<unused>}}, n=3) → 4
__attribute__((noinline, ms_abi)) static long late(Empty empty, unsigned __int128 wide, long n) {
  sink = n;
  return n + one;
}

int main() { return late(Empty(), static_cast<unsigned __int128>(one * 5) << 64, one * 3) != 4; }
