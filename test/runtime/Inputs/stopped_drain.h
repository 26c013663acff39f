// Stops the drain of this process, from a child process that traces it, while the program continues.
#pragma once
#include "thread_state.h"
#include <ada/attributes.h>
#include <ada/trace.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// The first thread with the drain's name.
ADA_NEVER static inline long drainOf(long process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/task", process);
  DIR *tasks = opendir(path);
  long found = 0;
  for (struct dirent *task; tasks && !found && (task = readdir(tasks));) {
    char name[32] = "";
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", process, atol(task->d_name));
    FILE *comm = fopen(path, "r");
    if (comm && fgets(name, sizeof name, comm) && strcmp(name, "adatrace\n") == 0)
      found = atol(task->d_name);
    if (comm)
      fclose(comm);
  }
  if (tasks)
    closedir(tasks);
  return found;
}

struct Stopped {
  pid_t tracer; // 0 if ptrace is not permitted here
  int order;    // write a byte to let the drain continue
};

// The tracer runs `during`, if it is not null, instead of waiting for a byte.
ADA_NEVER static inline struct Stopped stopDrainDuring(void (*during)(pid_t process)) {
  int ready[2], order[2], status;
  char byte = 'n';
  if (pipe(ready) || pipe(order))
    abort();
  const pid_t process = getpid();
  struct Stopped stopped = {fork(), order[1]};
  if (stopped.tracer == 0) {
    close(order[1]);
    const long drain = drainOf(process);
    char go;
    const int done = read(order[0], &go, 1) == 1 && !ptrace(PTRACE_SEIZE, drain, 0, 0) &&
                     !ptrace(PTRACE_INTERRUPT, drain, 0, 0) && waitpid((pid_t)drain, &status, __WALL) == drain;
    if (write(ready[1], done ? "y" : "n", 1) != 1 || !done)
      _exit(1);
    if (during)
      during(process);
    else if (read(order[0], &go, 1) != 1)
      _exit(1);
    _exit(ptrace(PTRACE_DETACH, drain, 0, 0) != 0);
  }
  prctl(PR_SET_PTRACER, stopped.tracer);
  if (write(order[1], "x", 1) != 1 || read(ready[0], &byte, 1) != 1)
    abort();
  if (byte != 'y')
    waitpid(stopped.tracer, &status, 0), stopped.tracer = 0;
  return stopped;
}
ADA_NEVER static inline struct Stopped stopDrain(void) { return stopDrainDuring(0); }

// Waits for the tracer to end. Returns whether it stopped the drain.
ADA_NEVER static inline int wasStopped(struct Stopped stopped) {
  int status = 1;
  return stopped.tracer > 0 && waitpid(stopped.tracer, &status, 0) > 0 && status == 0;
}
ADA_NEVER static inline int goOn(struct Stopped stopped) {
  return stopped.tracer > 0 && write(stopped.order, "x", 1) == 1 && wasStopped(stopped);
}
