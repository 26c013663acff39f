# A host that loads a library and calls a function in it.
cat >plugin.c <<'END'
__attribute__((noinline)) static int step(int n) {
  __asm__ volatile("");
  return n < 2 ? n : n - 1;
}
int transform(int n) {
  int sum = 0;
  for (; n > 1; n = step(n))
    sum += n;
  return sum;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv) {
  void *plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
  int (*transform)(int) = plugin ? (int (*)(int))dlsym(plugin, "transform") : 0;
  return transform ? transform(10) != 54 : 1;
}
END
clang host.c -ldl -o host
atTheEnd() {
  adatrace tree by-host | has step
  adatrace tree by-python | has transform
  [ "$(adatrace tree --depth=1 --format=jsonl by-host | wc -l)" = 1 ]
}
