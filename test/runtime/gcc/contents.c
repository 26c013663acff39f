// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_gcc --ada-pointees -O2 %s -o p && env ADA_OPTIONS='session=s:detail=*:pointees=64:strings=64' ./p && adatrace tree --args s | FileCheck %s
// REQUIRES: gcc-plugin, native
// GCC knows what a function reads, and its callers leave out the rest, even single members: only what is read is shown.
struct Part {
  int unread, read;
  const char *name;
};
#define NOINLINE __attribute__((noinline))
volatile long one = 1;
// CHECK-DAG: write(out=0x{{[0-9a-f]+}})
NOINLINE void write(int *out) { *out = 3; }
// CHECK-DAG: member(part=&{read=2}) → 2
NOINLINE int member(const struct Part *part) { return part->read; }
// CHECK-DAG: length(text="abc") → 3
NOINLINE int length(const char *text) {
  int n = 0;
  while (text[n])
    ++n;
  return n;
}
// CHECK-DAG: unused(text=0x{{[0-9a-f]+}}, n=4) → 5
NOINLINE int unused(const char *text, int n) { return n + (text != 0); }
// CHECK-DAG: kept(p=0x{{[0-9a-f]+}}) → 6
NOINLINE int kept(const long *p) {
  static const long *copy;
  copy = p;
  return 6 * (int)one;
}
int main(int argc, char **argv) {
  struct Part part = {argc, argc + 1, "unread"};
  char text[4] = {'a', 'b', 'c', 0}, other[2] = {'x', 0};
  int out = 99;
  long unstored[4] = {argc, 2, 3, 4};
  write(&out);
  if (kept(unstored) != 6)
    return 2;
  return member(&part) + length(text) + unused(other, argc * 4) + out == 13 ? 0 : 1;
}
