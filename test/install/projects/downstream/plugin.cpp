// The library that is opened at run time.
__attribute__((noinline)) static int addOne(int n) {
  __asm__ volatile("");
  return n + 1;
}

extern "C" int pluginAnswer(int n) { return 2 * addOne(n); }
