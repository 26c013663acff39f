// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: for c in counter tick:100us none; do for k in back uneven ahead; do rm -rf %t/session; timeout 60 env ADA_OPTIONS=session=%t/session:clock=$c:buffer=256K %t/p $k > %t/end && adatrace verify -q %t/session && echo $c $k: $(%calls total --open=0 %t/session) && adatrace info %t/session; done; done > %t/out && FileCheck %s < %t/out
// RUN: rm -rf %t/session && timeout 60 env ADA_OPTIONS=session=%t/session:clock=counter:buffer=256K %t/p back > %t/end && %python -c "import json, glob, sys; m = json.load(open(glob.glob(sys.argv[1] + '/session/pid_*/manifest.json')[0])); end = int(open(sys.argv[1] + '/end').read()); sys.exit(abs(end - m['time_end_ns']) > 200e6)" %t
// REQUIRES: x86_64, native, counter
// The counter goes back by ten seconds; each thread has a counter with its own speed; the counter jumps ahead. (The program is run by
// itself as a tracer, and reads the counter that the tracer supplies: each reading is a fault.) No event is lost, order and nesting
// are exact, nothing waits for the counter to catch up, times advance, and the manifest reports it.
// CHECK: counter back: processes=1 threads=3 events=18000 open=0 dropped=0
// CHECK: the counter went back
// CHECK: counter uneven: processes=1 threads=3 events=18000 open=0 dropped=0
// CHECK: counter ahead: processes=1 threads=3 events=18000 open=0 dropped=0
// CHECK-NOT: the counter went back
// CHECK: tick:100us back: processes=1 threads=3 events=18000 open=0 dropped=0
// CHECK: tick:100us uneven: processes=1 threads=3 events=18000 open=0 dropped=0
// CHECK: tick:100us ahead: processes=1 threads=3 events=18000 open=0 dropped=0
// CHECK: none back: processes=1 threads=3 events=18000 open=0 dropped=0
// CHECK: none uneven: processes=1 threads=3 events=18000 open=0 dropped=0
// CHECK: none ahead: processes=1 threads=3 events=18000 open=0 dropped=0
#include <ada/attributes.h>
#include <ada/trace.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>
__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
__attribute__((noinline)) void middle(int n) {
  for (int i = 1; i < n; ++i)
    leaf();
}
static pthread_barrier_t barrier;
static const char *kind;
// The tracer sends this signal to make the counter jump. All threads have recorded events by then, and continue.
ADA_NEVER static void *thread(void *isFirst) {
  for (int i = 0; i < 15; ++i)
    middle(100);
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD && strcmp(kind, "uneven"))
    raise(SIGUSR1);
  pthread_barrier_wait(&barrier);
  if (isFirst)
    usleep(300000);
  for (int i = 0; i < 15; ++i)
    middle(100);
  return 0;
}
ADA_NEVER static int program(void) {
  pthread_t t[3];
  pthread_barrier_init(&barrier, 0, 3);
  for (int i = 0; i < 3; ++i)
    pthread_create(&t[i], 0, thread, i == 0 ? &t : 0);
  for (int i = 0; i < 3; ++i)
    pthread_join(t[i], 0);
  printf("%llu\n", (unsigned long long)ada_get_timestamp_ns());
  return 0;
}
// libc reads the clock in the vDSO, which is right.
ADA_NEVER static void findVdso(pid_t pid, uint64_t range[2]) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "r");
  while (fgets(line, sizeof line, maps))
    if (strstr(line, "[vdso]"))
      sscanf(line, "%lx-%lx", &range[0], &range[1]);
  fclose(maps);
}
ADA_NEVER static int trace(pid_t child) {
  uint64_t vdso[2] = {0, 0}, offset = 0, began = __rdtsc();
  const uint64_t kJump = 30000000000ull;
  int status, faults = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (pid == child && !faults) {
        fprintf(stderr, "counter_faults: this system lets programs read the counter in spite of PR_SET_TSC\n");
        return 98;
      }
      if (pid == child)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int s = WSTOPSIG(status);
    if (s == SIGSTOP || s == SIGTRAP) {
      ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
      s = 0;
    } else if (s == SIGUSR1) {
      offset = !strcmp(kind, "back") ? -kJump : kJump;
      s = 0;
    } else if (s == SIGSEGV) {
      struct user_regs_struct r;
      ptrace(PTRACE_GETREGS, pid, 0, &r);
      long code = ptrace(PTRACE_PEEKTEXT, pid, r.rip, 0);
      int bytes = (code & 0xffff) == 0x310f ? 2 : (code & 0xffffff) == 0xf9010f ? 3 : 0;
      if (bytes) {
        ++faults;
        if (!vdso[0])
          findVdso(child, vdso);
        uint64_t now = __rdtsc();
        if (r.rip < vdso[0] || r.rip >= vdso[1]) {
          if (!strcmp(kind, "uneven"))
            now += (now - began) * (uint64_t)(pid % 4) * 4;
          now += 2 * kJump + offset;
        }
        r.rax = (uint32_t)now, r.rdx = now >> 32, r.rip += bytes;
        if (bytes == 3)
          r.rcx = 0;
        ptrace(PTRACE_SETREGS, pid, 0, &r);
        s = 0;
      }
    }
    ptrace(PTRACE_CONT, pid, 0, s);
  }
  return 99;
}
// A tracer such as rr keeps to itself that the counter is forbidden.
ADA_NEVER static void hideSetting(void) {
  struct sock_filter f[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
                            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_GET_TSC, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 22),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof f / sizeof *f, f};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    perror("counter_faults: prctl(PR_SET_SECCOMP)");
}
ADA_NEVER int main(int argc, char **argv) {
  kind = argv[argc - 1];
  pid_t child = fork();
  if (child)
    return trace(child);
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
    perror("counter_faults: prctl(PR_SET_TSC)");
  hideSetting();
  exit(program());
}
