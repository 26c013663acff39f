// RUN: rm -rf %t && mkdir -p %t/rings && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: not --crash env ADA_OPTIONS=session=%t/session:ring=%t/rings %t/p && adatrace recover -q %t/session
// RUN: adatrace info --format=json %t/session | %python -c "import json, sys; print(*sorted(t['name'] for t in json.load(sys.stdin)['processes'][0]['threads']))" | FileCheck %s
// The threads of a killed process have their names: one that had ended, one that got its name after its first event,
// and one that the program named only for the trace.
// CHECK: {{^}}ended for-the-trace later the-program{{$}}
#include <ada/attributes.h>
#include <ada/trace.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
ADA_NEVER static void *ended(void *argument) {
  prctl(PR_SET_NAME, "ended");
  leaf();
  return argument;
}
ADA_NEVER static void *named(void *argument) {
  leaf();
  ada_set_thread_name("for-the-trace");
  pause();
  return argument;
}
ADA_NEVER static void *later(void *argument) {
  leaf();
  prctl(PR_SET_NAME, "later");
  pause();
  return argument;
}
ADA_NEVER int main(void) {
  prctl(PR_SET_NAME, "the-program");
  leaf();
  pthread_t t[3];
  pthread_create(&t[0], 0, ended, 0);
  pthread_join(t[0], 0);
  pthread_create(&t[1], 0, named, 0);
  pthread_create(&t[2], 0, later, 0);
  usleep(2500000); // the drain asks once a second
  raise(SIGKILL);
}
