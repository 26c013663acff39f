// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: for o in -O0 -O2 '-O2 -fPIC %asan'; do rm -rf session && %clang -std=c11 -Wall -Wextra -Werror -pedantic $o -I%include %s -o p %runtime && %session ./p && \
// RUN:   adatrace verify -q session && adatrace tree --names=full session | cut -c24- | FileCheck --strict-whitespace %s || exit 1; done
// RUN: rm -rf session && %ada_clang -std=c11 -O1 -I%include %s -o traced && %session ./traced && adatrace tree session | cut -c24- | FileCheck --strict-whitespace %s --check-prefix=TRACED
// RUN: %clang -std=c11 -Wall -Wextra -Werror -pedantic -DADA_TRACE_DISABLED -I%include %s -o off && ./off && %clang -std=c11 -DADA_TRACE_DISABLED -I%include %s -c -o off.o && llvm-nm off.o > off.symbols && not grep ada_ off.symbols
// RUN: %clang -std=c11 -O1 -DADA_ANNOTATIONS_OPTIONAL -I%include %s -o without && ./without
// Annotations in C without the plugin, with it, compiled away, and in a program without the runtime. Every kind of argument.
#include <ada/trace.h>
enum mode { FAST, SLOW };
__attribute__((noinline)) static inline int helper(int n) {
  ADA_SPAN("helper (inline)", n);
  if (n < 0)
    return -1; // ends the span
  return n + 1;
}
__attribute__((noinline)) static void branches(int n) {
  if (n)
    ADA_INSTANT("then");
  else
    ADA_INSTANT("else", n);
}
int main(void) {
  const char *none = 0;
  char text[80];
  for (int i = 0; i < 79; ++i)
    text[i] = (char)('a' + i % 26);
  text[79] = 0;
  ADA_SPAN("main span");
  ADA_SPAN_BEGIN(all, "integers", (signed char)-1, (unsigned short)65535, -2000000000, 4000000000u, INT64_MIN, UINT64_MAX);
  ADA_SPAN_BEGIN(more, "others", 0.1f, -2.5, (_Bool)1, 'x', SLOW, (void *)0);
  ADA_SPAN_END(more);
  ADA_SPAN_END(all);
  ADA_SPAN_END(all); // has already ended
  ADA_INSTANT("texts", "a, (b) \"c\"", text, none, "4", "not recorded", helper(helper(1)));
  ADA_COUNTER("integer", -5);
  ADA_COUNTER("floating", 0.25);
  ADA_FLOW_BEGIN("flow", 7u);
  ADA_FLOW_STEP("flow", 7u);
  ADA_FLOW_END("flow", 7u);
  branches(0);
  branches(1);
  return helper(-1) + 1;
}
// CHECK:      {{^}}  main span
// CHECK-NEXT: {{^}}    integers((signed char)-1=-1, (unsigned short)65535=65535, -2000000000=-2000000000, 4000000000u=4000000000, INT64_MIN=-9223372036854775808, UINT64_MAX=18446744073709551615)
// CHECK-NEXT: {{^}}      others(0.1f=0.10000000149011612, -2.5=-2.5, (_Bool)1=true, 'x'={{120|'x'}}, SLOW=1, (void *)0=nullptr)
// CHECK-NEXT: {{^}}    helper (inline)(n=1), …{{.*}}×2
// CHECK-NEXT: {{^}}    texts("a, (b) \"c\""="a, (b) \"c\"", text="abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl", none="(null)", "4"="4", "not recorded"=?, helper(helper(1))=3)
// CHECK-NEXT: {{^}}    integer = -5
// CHECK-NEXT: {{^}}    floating = 0.25
// CHECK-NEXT: {{^}}    flow(id=7)
// CHECK-NEXT: {{^}}    flow(id=7)
// CHECK-NEXT: {{^}}    flow(id=7)
// CHECK-NEXT: {{^}}    else(n=0)
// CHECK-NEXT: {{^}}    then
// CHECK-NEXT: {{^}}    helper (inline)(n=-1)
// CHECK-NOT:  {{.}}
// TRACED:      {{^}}  main
// TRACED-NEXT: {{^}}    main span
// TRACED-NEXT: {{^}}      integers(
// TRACED:      {{^}}      flow(id=7)
// TRACED-NEXT: {{^}}      flow(id=7)
// TRACED-NEXT: {{^}}      flow(id=7)
// TRACED-NEXT: {{^}}      branches
// TRACED-NEXT: {{^}}        else(n=0)
// TRACED-NEXT: {{^}}      branches
// TRACED-NEXT: {{^}}        then
// TRACED-NEXT: {{^}}      helper
// TRACED-NEXT: {{^}}        helper (inline)(n=-1)
// TRACED-NOT:  {{.}}
