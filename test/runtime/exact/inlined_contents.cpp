// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clangxx -O2 -g -w --ada-before-inlining %s -o p
// RUN: env ADA_OPTIONS=session=s:detail=*:strings=64 ./p && adatrace tree --args s | FileCheck %s
// The memory that arguments of inlined calls point to is stored, even if only the hook reads it.
#include <cstring>
#include <string>
static volatile long sink;
// CHECK-DAG: plain(text="a")
static void plain(const char *text) { sink = 1; }
// CHECK-DAG: object(text="bcbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb")
static void object(const std::string &text) { sink = 2; }
int main(int argc, char **) {
  char local[32];
  memset(local, 'a', sizeof local - 1);
  local[argc] = 0;
  plain(local);
  std::string text(40, 'b');
  text[argc] = 'c';
  object(text);
}
