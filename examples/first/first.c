// The smallest program worth tracing: recursion, a call through a pointer, a loop of equal calls.
#include <stdio.h>
#include <stdlib.h>

static unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static unsigned square(unsigned n) { return n * n; }

static unsigned sumOf(unsigned (*function)(unsigned), unsigned count) {
  unsigned sum = 0;
  for (unsigned n = 0; n < count; ++n)
    sum += function(n);
  return sum;
}

int main(int argc, char **argv) {
  unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
  printf("fibonacci(4) = %u\n", fibonacci(4));
  printf("sum of the first %u squares = %u\n", count, sumOf(square, count));
  return 0;
}
