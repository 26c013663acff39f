// RUN: rm -rf %t && mkdir -p %t && cd %t && cp %s selection.c && %clang -std=c11 -O1 -I%include selection.c -o p %runtime
// RUN: %session:session=all ./p && adatrace dump --format=jsonl all | %python %S/Inputs/events.py | FileCheck %s --check-prefix=ALL
// RUN: %session:session=off:enabled=0 ./p 1 && adatrace dump --format=jsonl off | %python %S/Inputs/events.py | FileCheck %s --check-prefix=ALL
// RUN: %session:session=some:include='outer*' ./p && adatrace dump --format=jsonl some | %python %S/Inputs/events.py | FileCheck %s --check-prefix=OUTER
// RUN: %session:session=others:exclude='*selection.c' ./p && not ls others 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: %session:session=detail:detail='*':stack_size=256 ./p && adatrace dump --format=jsonl detail | %python %S/Inputs/events.py | FileCheck %s --check-prefix=ALL
// RUN: %session:session=packed:format=packed ./p && adatrace verify -q packed && adatrace dump --format=jsonl packed | %python %S/Inputs/events.py | FileCheck %s --check-prefix=ALL
// RUN: %session:session=slow:min_duration=1s ./p && adatrace dump --format=jsonl slow | %python %S/Inputs/events.py | FileCheck %s --check-prefix=ALL
// RUN: %session:session=choose ./p 2 && adatrace dump --format=jsonl choose | %python %S/Inputs/events.py | FileCheck %s --check-prefix=OUTER
// The filters for functions also apply to annotations: globs on name and file, and the program itself. Arguments of
// switched-off annotations are not evaluated. Detail changes nothing, and min_duration keeps annotations with
// arguments, just as it keeps calls with detail. They are in every format.
#include <ada/trace.h>
#include <stdlib.h>
static int evaluated;
static int argument(void) { return ++evaluated; }
static void work(void) {
  ADA_SPAN("outer", argument());
  ADA_SPAN("inner");
  for (int i = 0; i < 5; ++i)
    ADA_COUNTER("count", argument());
}
int main(int argc, char **argv) {
  const int how = argc > 1 ? atoi(argv[1]) : 0;
  if (how == 1)
    ada_start();
  if (how == 2 && ada_disable("*selection.c") != 4)
    return 2;
  if (how == 2 && ada_enable("outer") != 1)
    return 3;
  work();
  ada_stop();
  const int before = evaluated;
  work();
  ADA_INSTANT("never");
  return evaluated != before;
}
// ALL:      {{^}}1 span outer {'argument()': 1}
// ALL-NEXT: {{^}}1 span inner {}
// ALL-NEXT: {{^}}5 counter count {'value': 2}
// ALL-NOT:  {{.}}
// OUTER:     {{^}}1 span outer {'argument()': 1}
// OUTER-NOT: {{.}}
// NOTHING: No such file
