// first.c - the smallest program worth tracing: recursion, a call through a pointer, a loop of equal calls.
#include <stdio.h>

static unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned square(unsigned n) { return n * n; }

static unsigned sumOf(unsigned (*function)(unsigned), unsigned count) {
  unsigned sum = 0;
  for (unsigned n = 0; n < count; ++n)
    sum += function(n);
  return sum;
}

int main(void) {
  printf("fibonacci(4) = %u\n", fibonacci(4));
  printf("sum of the first 1000 squares = %u\n", sumOf(square, 1000));
  return 0;
}
