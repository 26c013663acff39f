// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -pthread -DCOUNT=$((100000 / %less)) -o %t/p
// RUN: %session:buffer=256K:overflow=block %t/p && %calls total --open=0 %t/session | FileCheck %s --check-prefix=BLOCK -DALL=$((100000 / %less * 6 + 18))
// RUN: %session:session=%t/drop:buffer=256K:overflow=drop %t/p && %calls total %t/drop > %t/total && FileCheck %s --check-prefix=DROP < %t/total
// RUN: sed 's/.*events=\([0-9]*\).*dropped=\([0-9]*\).*/\1 \2/' %t/total > %t/numbers && read events dropped < %t/numbers && test $((events + dropped)) = $((100000 / %less * 6 + 18)) && test $dropped -gt 0 -o %less -gt 1
// RUN: adatrace verify -q %t/session
// RUN: adatrace report %t/drop 2>&1 > %t/table | sed 's/,//g' > %t/said && read events dropped < %t/numbers && if [ $dropped -gt 0 ]; then FileCheck %s --check-prefix=SAID -DDROPPED=$dropped < %t/said; else count 0 < %t/said; fi
// SAID: adatrace: warning: {{.*}}: [[DROPPED]] event{{s were|.was}} not recorded (`adatrace info {{.*}}/pid_{{[0-9]+}}` says why)
// RUN: %session:session=%t/detail:buffer=256K:overflow=drop:detail=leaf %t/p && %calls total %t/detail > %t/total && FileCheck %s --check-prefix=DETAIL < %t/total
// RUN: sed 's/.*events=\([0-9]*\).*dropped=\([0-9]*\).*/\1 \2/' %t/total > %t/numbers && read events dropped < %t/numbers && test $((events + dropped)) = $((100000 / %less * 6 + 18)) && test $dropped -gt 0 -o %less -gt 1
// RUN: %details total %t/detail
// 600,000 events (fewer if emulated) through four chunks. overflow=block loses none; overflow=drop continues, keeps the
// remaining events nested, and counts the dropped ones: with the events they add up to all. Calls whose exits were the
// last thing dropped stay open. (An emulated program may be so slow that nothing need be dropped.)
// BLOCK: threads=3 events=[[ALL]] open=0 dropped=0
// DETAIL: threads=3 events={{[0-9]+}} open={{[0-9]}} dropped={{[0-9]+}}
// DROP: threads=3 events={{[0-9]+}} open={{[0-9]}} dropped={{[0-9]+}}
#include <pthread.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(int n) {
  for (int i = 0; i < n; ++i)
    leaf();
}
__attribute__((noinline)) void *thread(void *argument) {
  for (int i = 0; i < 1; ++i)
    middle(COUNT);
  return argument;
}
__attribute__((noinline)) void last(void) { __asm__ volatile(""); }
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&t[i], 0, thread, 0);
  middle(COUNT + 2);
  for (int i = 0; i < 2; ++i)
    pthread_join(t[i], 0);
  last();
  return 0;
}
