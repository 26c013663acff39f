# A program with a function that is called a hundred thousand times and shows nothing.
cat >app.cpp <<'END'
#include <unistd.h>
__attribute__((noinline)) int tiny(int n) {
  __asm__ volatile("");
  return n + 1;
}
__attribute__((noinline)) void work() { usleep(1000); }
int main() {
  int n = 0;
  for (int i = 0; i < 100000; ++i)
    n = tiny(n);
  work();
  return n != 100000;
}
END
ada-clang++ -O2 app.cpp -o app
adatrace record --quiet --session session ./app
atTheEnd() {
  grep -q tiny ignore
  adatrace record --quiet --session filtered ./app
  endsWith 1 adatrace report --include='tiny*' filtered
}
