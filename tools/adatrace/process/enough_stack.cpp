// A thread instead of a higher limit: the limit may be a hard one, and what `record` starts must have the user's.
#include "enough_stack.h"
#include "exit_codes.h"
#include "terminal/terminal.h"

#include "trace/base/quantities.h"

#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/resource.h>

namespace ada::cli {

namespace {

constexpr size_t kEnough = size_t{8} << 20; // Linux's default, with which everything is tested

struct Job {
  const std::function<int()> &run;
  sigset_t signals; // of the main thread
  int status = kOk;
};

void *work(void *given) {
  Job &job = *static_cast<Job *>(given);
  pthread_sigmask(SIG_SETMASK, &job.signals, nullptr);
  job.status = job.run();
  return nullptr;
}

} // namespace

int withEnoughStack(const std::function<int()> &run) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough)
    return run();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kEnough);
  pthread_setattr_default_np(&attributes);
  // Signals are for the thread that works: it may wait for those that it blocks.
  Job job = {run, {}};
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &job.signals);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, work, &job);
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return fail(kCantRead, "can't make a stack of {}, and `ulimit -s` allows only {}: {}", formatBytes(kEnough),
                formatBytes(limit.rlim_cur), std::strerror(error));
  pthread_join(thread, nullptr);
  return job.status;
}

} // namespace ada::cli
