// RUN: %same_behaviour %s
// asm goto, computed goto, alloca, statement expressions, nested switch: the hooks fit around any control flow.
#include <alloca.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) int jumps(int x) {
  __asm__ goto("test %0, %0\n\tjz %l1" : : "r"(x) : "cc" : zero);
  return 1;
zero:
  return 0;
}
__attribute__((noinline)) int interpret(const char *program) {
  static void *const table[] = {&&add, &&twice, &&leave};
  int value = 1;
  goto *table[*program++ - '0'];
add:
  value += 3;
  goto *table[*program++ - '0'];
twice:
  value *= 2;
  goto *table[*program++ - '0'];
leave:
  return value;
}
__attribute__((noinline)) int onStack(int n) {
  char *p = alloca(n);
  memset(p, n, n);
  char v[n];
  memset(v, n, n);
  return p[n - 1] + v[n / 2];
}
__attribute__((noinline)) int duff(int n) {
  int s = 0;
  switch (n % 4) {
  case 0:
    while (n > 0) {
      s += n--;
    case 3:
      s += n--;
    case 2:
      s += n--;
    case 1:
      s += n--;
    }
  }
  return s;
}
__attribute__((noinline)) double sums(const double *v, int n) {
  double s = 0, p = 1;
  for (int i = 0; i < n; i++) {
    s += v[i] * p;
    p = p * 0.5 + s;
  }
  return s;
}
__attribute__((noinline, aligned(64))) int aligned(int x) {
  _Alignas(64) char buffer[64];
  memset(buffer, x, 64);
  return ((unsigned long)buffer % 64) + buffer[5];
}
int main(void) {
  double v[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  printf("%d %d %d %d %d %f %d\n", jumps(0), jumps(5), interpret("01102"), onStack(100), duff(10), sums(v, 9), aligned(3));
  return 0;
}
