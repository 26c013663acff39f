// RUN: rm -rf %t && mkdir %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: for i in 1 2 3 4 5 6 7 8; do %session:session=%t/session_$i %t/p || exit 1; done
// RUN: cat %t/session_*/pid_*/manifest.json | tr ',{' '\n\n' | sed -n 's/^"recorder_wait_ns"://p' | tr -d '}' > %t/waits
// RUN: test -s %t/waits && awk -v up=$(cut -d. -f1 /proc/uptime) '$1 > up * 5e8 { print; bad = 1 } END { exit bad }' %t/waits
// Threads whose first events come while another one starts the recording are held up until it has begun, and no longer:
// certainly for less than half the time that the machine has been up, which is where the clock of the times begins.
#include <ada/attributes.h>
#include <pthread.h>
static pthread_barrier_t barrier;
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
ADA_NEVER static void *thread(void *argument) {
  pthread_barrier_wait(&barrier);
  work();
  return argument;
}
ADA_NEVER int main(void) {
  pthread_t t[8];
  pthread_barrier_init(&barrier, NULL, 8);
  for (int i = 0; i < 8; ++i)
    pthread_create(&t[i], NULL, thread, NULL);
  for (int i = 0; i < 8; ++i)
    pthread_join(t[i], NULL);
}
