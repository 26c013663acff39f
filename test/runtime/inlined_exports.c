// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O2 --ada-before-inlining %s -o p && %session ./p
// RUN: adatrace report --format=csv session | cut -d, -f2,4,9 > wanted && FileCheck %s < wanted
// RUN: for to in dial9 wtf cff; do adatrace convert -q --to=$to session $to.out && adatrace report --format=csv $to.out | cut -d, -f2,4,9 | diff wanted - || exit 1; done
// RUN: adatrace convert -q session p.sqlite && %python -c "import sqlite3; [print(*row) for row in sqlite3.connect('p.sqlite').execute('select function, calls from function_totals order by 1')]" | FileCheck %s --check-prefix=SQL
// RUN: adatrace convert -q session p.callgrind && grep -c '^fn=' p.callgrind | FileCheck %s --check-prefix=FOUR
// RUN: adatrace diff --format=json session session | %python -c "import json, sys; [print(r['function'], r['calls_a'], r['total_ns_a'] <= t) for rows in [json.load(sys.stdin)] for t in [max(r['total_ns_a'] for r in rows)] for r in rows if r['function'] == 'a']" | FileCheck %s --check-prefix=DIFF
// A function and its inlined copies are one function in every format, also the one with id 0.
volatile unsigned long x;
int b(int n);
int a(int n) {
  for (int i = 0; i < 1000; i++)
    x += i;
  return n ? b(n - 1) : 1;
}
__attribute__((noinline)) int b(int n) { return n ? a(n - 1) + 1 : 0; }
int main(int count, char **arguments) {
  (void)arguments;
  int (*volatile f)(int) = a;
  return f(count * 9) == 0;
}
// CHECK-DAG: {{^}}a,5,
// CHECK-DAG: {{^}}b,5,
// CHECK-NOT: {{^}}a,
// SQL: a 5
// SQL-NEXT: b 5
// SQL-NEXT: main 1
// The fourth is the thread.
// FOUR: 4
// DIFF: a 5 True
