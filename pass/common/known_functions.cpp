// The tables, and how they are looked up.
#include "known_functions.h"
#include "globs.h"

#include <algorithm>
#include <map>
#include <set>

namespace ada::pass {

namespace {

// As in their manual pages, except that arrays are pointers and `function` is a pointer to a function.

/// Functions that block, allocate or do I/O.
constexpr const char *kDefaultCalls[] = {
    "ssize_t read(int fd, void *buf, size_t count)",
    "ssize_t write(int fd, const void *buf, size_t count)",
    "ssize_t pread(int fd, void *buf, size_t count, off_t offset)",
    "ssize_t pwrite(int fd, const void *buf, size_t count, off_t offset)",
    "ssize_t readv(int fd, const struct iovec *iov, int iovcnt)",
    "ssize_t writev(int fd, const struct iovec *iov, int iovcnt)",
    "ssize_t preadv(int fd, const struct iovec *iov, int iovcnt, off_t offset)",
    "ssize_t pwritev(int fd, const struct iovec *iov, int iovcnt, off_t offset)",
    "int open(const char *path, int flags, ...)",
    "int openat(int dirfd, const char *path, int flags, ...)",
    "int creat(const char *path, mode_t mode)",
    "int close(int fd)",
    "int fsync(int fd)",
    "int fdatasync(int fd)",
    "int syncfs(int fd)",
    "void sync(void)",
    "int ftruncate(int fd, off_t length)",
    "int truncate(const char *path, off_t length)",
    "int fallocate(int fd, int mode, off_t offset, off_t len)",
    "int posix_fallocate(int fd, off_t offset, off_t len)",
    "int fcntl(int fd, int op, ...)",
    "int flock(int fd, int op)",
    "int lockf(int fd, int op, off_t len)",
    "int ioctl(int fd, unsigned long op, ...)",
    "int stat(const char *path, struct stat *statbuf)",
    "int fstat(int fd, struct stat *statbuf)",
    "int lstat(const char *path, struct stat *statbuf)",
    "int fstatat(int dirfd, const char *path, struct stat *statbuf, int flags)",
    "int access(const char *path, int mode)",
    "int faccessat(int dirfd, const char *path, int mode, int flags)",
    "int rename(const char *oldpath, const char *newpath)",
    "int renameat(int olddirfd, const char *oldpath, int newdirfd, const char *newpath)",
    "int link(const char *oldpath, const char *newpath)",
    "int symlink(const char *target, const char *linkpath)",
    "int unlink(const char *path)",
    "int unlinkat(int dirfd, const char *path, int flags)",
    "int remove(const char *path)",
    "int mkdir(const char *path, mode_t mode)",
    "int mkdirat(int dirfd, const char *path, mode_t mode)",
    "int rmdir(const char *path)",
    "ssize_t readlink(const char *path, char *buf, size_t size)",
    "ssize_t readlinkat(int dirfd, const char *path, char *buf, size_t size)",
    "char *realpath(const char *path, char *resolved)",
    "int mkstemp(char *template)",
    "DIR *opendir(const char *name)",
    "DIR *fdopendir(int fd)",
    "struct dirent *readdir(DIR *dir)",
    "int closedir(DIR *dir)",
    "ssize_t sendfile(int out, int in, off_t *offset, size_t count)",
    "ssize_t splice(int in, off_t *inoffset, int out, off_t *outoffset, size_t size, unsigned flags)",
    "ssize_t copy_file_range(int in, off_t *inoffset, int out, off_t *outoffset, size_t size, unsigned flags)",
    "int pipe(int *fds)",
    "int pipe2(int *fds, int flags)",
    "FILE *fopen(const char *path, const char *mode)",
    "FILE *fdopen(int fd, const char *mode)",
    "FILE *freopen(const char *path, const char *mode, FILE *stream)",
    "FILE *popen(const char *command, const char *type)",
    "FILE *tmpfile(void)",
    "int pclose(FILE *stream)",
    "int fclose(FILE *stream)",
    "int fflush(FILE *stream)",
    "size_t fread(void *ptr, size_t size, size_t n, FILE *stream)",
    "size_t fwrite(const void *ptr, size_t size, size_t n, FILE *stream)",
    "char *fgets(char *s, int size, FILE *stream)",
    "int fgetc(FILE *stream)",
    "int getc(FILE *stream)",
    "int getchar(void)",
    "int fputs(const char *s, FILE *stream)",
    "int fputc(int c, FILE *stream)",
    "int putc(int c, FILE *stream)",
    "int putchar(int c)",
    "int puts(const char *s)",
    "void perror(const char *s)",
    "ssize_t getline(char **lineptr, size_t *n, FILE *stream)",
    "ssize_t getdelim(char **lineptr, size_t *n, int delim, FILE *stream)",
    "int fseek(FILE *stream, long offset, int whence)",
    "int fseeko(FILE *stream, off_t offset, int whence)",
    "int printf(const char *format, ...)",
    "int fprintf(FILE *stream, const char *format, ...)",
    "int dprintf(int fd, const char *format, ...)",
    "int vprintf(const char *format, va_list ap)",
    "int vfprintf(FILE *stream, const char *format, va_list ap)",
    "int scanf(const char *format, ...)",
    "int fscanf(FILE *stream, const char *format, ...)",
    "int __printf_chk(int flag, const char *format, ...)",
    "int __fprintf_chk(FILE *stream, int flag, const char *format, ...)",
    "ssize_t __read_chk(int fd, void *buf, size_t count, size_t bufsize)",
    "ssize_t __pread_chk(int fd, void *buf, size_t count, off_t offset, size_t bufsize)",
    "ssize_t __recv_chk(int fd, void *buf, size_t size, size_t bufsize, int flags)",
    "char *__fgets_chk(char *s, size_t bufsize, int size, FILE *stream)",
    "size_t __fread_chk(void *ptr, size_t bufsize, size_t size, size_t n, FILE *stream)",
    "int __poll_chk(struct pollfd *fds, unsigned long nfds, int timeout, size_t fdssize)",
    "int socket(int domain, int type, int protocol)",
    "int socketpair(int domain, int type, int protocol, int *fds)",
    "int bind(int fd, const struct sockaddr *addr, socklen_t addrlen)",
    "int listen(int fd, int backlog)",
    "int accept(int fd, struct sockaddr *addr, socklen_t *addrlen)",
    "int accept4(int fd, struct sockaddr *addr, socklen_t *addrlen, int flags)",
    "int connect(int fd, const struct sockaddr *addr, socklen_t addrlen)",
    "int shutdown(int fd, int how)",
    "ssize_t send(int fd, const void *buf, size_t size, int flags)",
    "ssize_t sendto(int fd, const void *buf, size_t size, int flags, const struct sockaddr *addr, socklen_t addrlen)",
    "ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)",
    "int sendmmsg(int fd, struct mmsghdr *msgs, unsigned n, int flags)",
    "ssize_t recv(int fd, void *buf, size_t size, int flags)",
    "ssize_t recvfrom(int fd, void *buf, size_t size, int flags, struct sockaddr *addr, socklen_t *addrlen)",
    "ssize_t recvmsg(int fd, struct msghdr *msg, int flags)",
    "int recvmmsg(int fd, struct mmsghdr *msgs, unsigned n, int flags, struct timespec *timeout)",
    "int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result)",
    "int select(int nfds, fd_set *readfds, fd_set *writefds, fd_set *exceptfds, struct timeval *timeout)",
    "int pselect(int nfds, fd_set *readfds, fd_set *writefds, fd_set *exceptfds, const struct timespec *timeout, const "
    "sigset_t *mask)",
    "int poll(struct pollfd *fds, unsigned long nfds, int timeout)",
    "int ppoll(struct pollfd *fds, unsigned long nfds, const struct timespec *timeout, const sigset_t *mask)",
    "int epoll_wait(int epfd, struct epoll_event *events, int max, int timeout)",
    "int epoll_pwait(int epfd, struct epoll_event *events, int max, int timeout, const sigset_t *mask)",
    "int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)",
    "unsigned sleep(unsigned seconds)",
    "int usleep(unsigned microseconds)",
    "int nanosleep(const struct timespec *duration, struct timespec *rest)",
    "int clock_nanosleep(int clock, int flags, const struct timespec *time, struct timespec *rest)",
    "int sched_yield(void)",
    "int pause(void)",
    "int sigsuspend(const sigset_t *mask)",
    "int sigwait(const sigset_t *set, int *sig)",
    "int sigwaitinfo(const sigset_t *set, siginfo_t *info)",
    "int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)",
    "pid_t wait(int *status)",
    "pid_t waitpid(pid_t pid, int *status, int options)",
    "int waitid(int type, unsigned id, siginfo_t *info, int options)",
    "pid_t fork(void)",
    "int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t "
    "*attr, char *const *argv, char *const *envp)",
    "int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t "
    "*attr, char *const *argv, char *const *envp)",
    "int system(const char *command)",
    "int execv(const char *path, char *const *argv)",
    "int execve(const char *path, char *const *argv, char *const *envp)",
    "int execvp(const char *file, char *const *argv)",
    "int execvpe(const char *file, char *const *argv, char *const *envp)",
    "int execl(const char *path, const char *arg, ...)",
    "int execlp(const char *file, const char *arg, ...)",
    "int execle(const char *path, const char *arg, ...)",
    "void *malloc(size_t size)",
    "void *calloc(size_t n, size_t size)",
    "void *realloc(void *ptr, size_t size)",
    "void *reallocarray(void *ptr, size_t n, size_t size)",
    "void free(void *ptr)",
    "void *aligned_alloc(size_t alignment, size_t size)",
    "void *memalign(size_t alignment, size_t size)",
    "int posix_memalign(void **memptr, size_t alignment, size_t size)",
    "void *valloc(size_t size)",
    "char *strdup(const char *s)",
    "char *strndup(const char *s, size_t n)",
    "int asprintf(char **strp, const char *format, ...)",
    "int vasprintf(char **strp, const char *format, va_list ap)",
    "void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)",
    "int munmap(void *addr, size_t length)",
    "void *mremap(void *addr, size_t length, size_t newlength, int flags, ...)",
    "int mprotect(void *addr, size_t length, int prot)",
    "int madvise(void *addr, size_t length, int advice)",
    "int msync(void *addr, size_t length, int flags)",
    "int mlock(const void *addr, size_t length)",
    "void *sbrk(long increment)",
    "int pthread_create(pthread_t *thread, const pthread_attr_t *attr, function start, void *arg)",
    "int pthread_join(pthread_t thread, void **result)",
    "int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)",
    "int pthread_mutex_lock(pthread_mutex_t *mutex)",
    "int pthread_mutex_trylock(pthread_mutex_t *mutex)",
    "int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)",
    "int pthread_mutex_clocklock(pthread_mutex_t *mutex, int clock, const struct timespec *time)",
    "int pthread_mutex_unlock(pthread_mutex_t *mutex)",
    "int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr)",
    "int pthread_rwlock_rdlock(pthread_rwlock_t *lock)",
    "int pthread_rwlock_wrlock(pthread_rwlock_t *lock)",
    "int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)",
    "int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)",
    "int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time)",
    "int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time)",
    "int pthread_rwlock_unlock(pthread_rwlock_t *lock)",
    "int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, int clock, const struct timespec *time)",
    "int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, int clock, const struct timespec *time)",
    "int pthread_spin_init(pthread_spinlock_t *lock, int shared)",
    "int pthread_spin_lock(pthread_spinlock_t *lock)",
    "int pthread_spin_trylock(pthread_spinlock_t *lock)",
    "int pthread_spin_unlock(pthread_spinlock_t *lock)",
    "int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)",
    "int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)",
    "int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *time)",
    "int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, int clock, const struct timespec *time)",
    "int pthread_cond_signal(pthread_cond_t *cond)",
    "int pthread_cond_broadcast(pthread_cond_t *cond)",
    "int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count)",
    "int pthread_barrier_wait(pthread_barrier_t *barrier)",
    "int pthread_once(pthread_once_t *once, function init)",
    "int thrd_create(thrd_t *thread, function start, void *arg)",
    "int thrd_join(thrd_t thread, int *result)",
    "int thrd_sleep(const struct timespec *duration, struct timespec *rest)",
    "int mtx_init(mtx_t *mutex, int type)",
    "int mtx_lock(mtx_t *mutex)",
    "int mtx_trylock(mtx_t *mutex)",
    "int mtx_timedlock(mtx_t *mutex, const struct timespec *time)",
    "int mtx_unlock(mtx_t *mutex)",
    "int cnd_init(cnd_t *cond)",
    "int cnd_wait(cnd_t *cond, mtx_t *mutex)",
    "int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *time)",
    "int cnd_signal(cnd_t *cond)",
    "int cnd_broadcast(cnd_t *cond)",
    "void call_once(once_flag *flag, function init)",
    "int sem_init(sem_t *sem, int shared, unsigned value)",
    "int sem_wait(sem_t *sem)",
    "int sem_trywait(sem_t *sem)",
    "int sem_timedwait(sem_t *sem, const struct timespec *time)",
    "int sem_clockwait(sem_t *sem, int clock, const struct timespec *time)",
    "int sem_post(sem_t *sem)",
    "int msgsnd(int id, const void *msg, size_t size, int flags)",
    "ssize_t msgrcv(int id, void *msg, size_t size, long type, int flags)",
    "int semop(int id, struct sembuf *ops, size_t n)",
    "ssize_t mq_receive(int queue, char *msg, size_t size, unsigned *priority)",
    "int mq_send(int queue, const char *msg, size_t size, unsigned priority)",
    "ssize_t getrandom(void *buf, size_t size, unsigned flags)",
    "int eventfd(unsigned value, int flags)",
    "int epoll_create1(int flags)",
    "long syscall(long number, ...)",
};

/// Others that programs call often.
constexpr const char *kOtherFunctions[] = {
    "off_t lseek(int fd, off_t offset, int whence)",
    "int dup(int fd)",
    "int dup2(int oldfd, int newfd)",
    "int chdir(const char *path)",
    "int chmod(const char *path, mode_t mode)",
    "char *getcwd(char *buf, size_t size)",
    "char *getenv(const char *name)",
    "int setenv(const char *name, const char *value, int overwrite)",
    "pid_t getpid(void)",
    "pid_t getppid(void)",
    "int kill(pid_t pid, int sig)",
    "int raise(int sig)",
    "unsigned alarm(unsigned seconds)",
    "void exit(int status)",
    "void _exit(int status)",
    "void _Exit(int status)",
    "void quick_exit(int status)",
    "void abort(void)",
    "int atexit(function fn)",
    "long time(long *t)",
    "int gettimeofday(struct timeval *tv, void *tz)",
    "int clock_gettime(int clock, struct timespec *time)",
    "long sysconf(int name)",
    "int setsockopt(int fd, int level, int name, const void *value, socklen_t size)",
    "int getsockopt(int fd, int level, int name, void *value, socklen_t *size)",
    "int sprintf(char *s, const char *format, ...)",
    "int snprintf(char *s, size_t size, const char *format, ...)",
    "int vsnprintf(char *s, size_t size, const char *format, va_list ap)",
    "int sscanf(const char *s, const char *format, ...)",
    "int __sprintf_chk(char *s, int flag, size_t bufsize, const char *format, ...)",
    "int __snprintf_chk(char *s, size_t size, int flag, size_t bufsize, const char *format, ...)",
    "size_t strlen(const char *s)",
    "size_t strnlen(const char *s, size_t n)",
    "int strcmp(const char *a, const char *b)",
    "int strncmp(const char *a, const char *b, size_t n)",
    "char *strchr(const char *s, int c)",
    "char *strrchr(const char *s, int c)",
    "char *strstr(const char *s, const char *part)",
    "char *strcpy(char *to, const char *from)",
    "char *strncpy(char *to, const char *from, size_t n)",
    "char *strcat(char *to, const char *from)",
    "char *strerror(int error)",
    "void *memcpy(void *to, const void *from, size_t n)",
    "void *memmove(void *to, const void *from, size_t n)",
    "void *memset(void *to, int c, size_t n)",
    "int memcmp(const void *a, const void *b, size_t n)",
    "void *memchr(const void *s, int c, size_t n)",
    "int atoi(const char *s)",
    "long atol(const char *s)",
    "double atof(const char *s)",
    "long strtol(const char *s, char **end, int base)",
    "unsigned long strtoul(const char *s, char **end, int base)",
    "long long strtoll(const char *s, char **end, int base)",
    "unsigned long long strtoull(const char *s, char **end, int base)",
    "double strtod(const char *s, char **end)",
    "void qsort(void *base, size_t n, size_t size, function compare)",
    "void *bsearch(const void *key, const void *base, size_t n, size_t size, function compare)",
    "int rand(void)",
    "void srand(unsigned seed)",
    "int pthread_detach(pthread_t thread)",
    "pthread_t pthread_self(void)",
    "void pthread_exit(void *result)",
    "int pthread_cancel(pthread_t thread)",
    "int pthread_kill(pthread_t thread, int sig)",
    "int pthread_mutex_destroy(pthread_mutex_t *mutex)",
    "int pthread_cond_destroy(pthread_cond_t *cond)",
    "int pthread_key_create(unsigned *key, function destructor)",
    "void *pthread_getspecific(unsigned key)",
    "int pthread_setspecific(unsigned key, const void *value)",
    "int pthread_setname_np(pthread_t thread, const char *name)",
    "int sem_destroy(sem_t *sem)",
    "double sin(double x)",
    "double cos(double x)",
    "double tan(double x)",
    "double exp(double x)",
    "double log(double x)",
    "double pow(double x, double y)",
    "double sqrt(double x)",
    "double fmod(double x, double y)",
    "double floor(double x)",
    "double ceil(double x)",
};

/// The same for C++, by demangled names.
constexpr const char *kDefaultCxxCalls[] = {
    "operator new*",
    "operator delete*",
    "std::thread::join",
    "std::thread::_M_start_thread",
    "std::this_thread::*",
    "std::condition_variable::*",
    "std::_V2::condition_variable_any::*",
    "std::__future_base::*",
    "std::basic_{i,o,}fstream<*",
    "std::basic_filebuf<*",
    "std::ostream::{write,flush,put}",
    "std::istream::{read,readsome,get,getline}",
    "std::getline<*",
    "std::__ostream_insert<*",
    "std::filesystem::*",
    "std::__1::{thread,mutex,condition_variable,ostream,istream,filesystem,this_thread}::*",
};

using Text = std::string_view;

bool beginsWith(Text text, Text prefix) { return text.substr(0, prefix.size()) == prefix; }

bool endsWith(Text text, Text suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

/// DECLARED up to the name, and the name.
std::pair<Text, Text> split(Text declared) {
  const size_t end = declared.find_last_of(" *") + 1;
  Text type = declared.substr(0, end);
  while (endsWith(type, " "))
    type.remove_suffix(1);
  return {type, declared.substr(end)};
}

Prototype parse(Text text) {
  Prototype prototype;
  const size_t open = text.find('(');
  prototype.result = split(text.substr(0, open)).first;
  text = text.substr(open + 1, text.size() - open - 2);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(", ", begin), text.size());
    const Text parameter = text.substr(begin, end - begin);
    if (parameter == "...")
      prototype.isVariadic = true;
    else if (parameter != "void")
      prototype.parameters.push_back({split(parameter).first, split(parameter).second});
    begin = end + 2;
  }
  return prototype;
}

struct Known {
  Prototype prototype;
  bool isDefault;
};

const std::map<Text, Known> &knownFunctions() {
  static const std::map<Text, Known> known = [] {
    std::map<Text, Known> map;
    for (const char *text : kDefaultCalls)
      map[split(Text(text).substr(0, Text(text).find('('))).second] = {parse(text), true};
    for (const char *text : kOtherFunctions)
      map[split(Text(text).substr(0, Text(text).find('('))).second] = {parse(text), false};
    return map;
  }();
  return known;
}

bool isKnown(Text name) { return knownFunctions().count(name) > 0; }

} // namespace

std::string plainName(const std::string &symbol) {
  for (Text prefix : {"__isoc99_", "__isoc23_"})
    if (beginsWith(symbol, prefix))
      return symbol.substr(prefix.size());
  const auto without = [](Text text, Text suffix) {
    return endsWith(text, suffix) ? text.substr(0, text.size() - suffix.size()) : text;
  };
  Text name = symbol;
  if (beginsWith(name, "__") && (endsWith(name, "_chk") || endsWith(name, "_2"))) {
    name = without(without(name.substr(2), endsWith(name, "_chk") ? "_chk" : "_2"), "64");
    static const std::set<Text> fortified = {
        "stpcpy",     "stpncpy",   "strncat",       "vsprintf", "vdprintf",       "wcscpy",  "wcscat",    "swprintf",
        "wprintf",    "fwprintf",  "mempcpy",       "gets",     "ptsname_r",      "confstr", "getgroups", "gethostname",
        "getlogin_r", "ttyname_r", "getdomainname", "longjmp",  "explicit_bzero", "syslog",  "vsyslog"};
    return std::string(isKnown(name) || fortified.count(name) ? name : Text(symbol));
  }
  static const std::set<Text> alsoLarge = {"tmpfile", "statvfs", "fstatvfs", "statfs",        "fstatfs",   "ftello",
                                           "fgetpos", "fsetpos", "mkstemps", "mkostemp",      "mkostemps", "scandir",
                                           "glob",    "ftw",     "nftw",     "posix_fadvise", "getrlimit", "setrlimit"};
  name = without(symbol, "64");
  if (name != symbol && (isKnown(name) || alsoLarge.count(name)))
    return std::string(name);
  if (symbol == "__xpg_strerror_r")
    return "strerror_r";
  if (symbol == "__xpg_basename")
    return "basename";
  if (symbol == "_IO_getc" || symbol == "_IO_putc")
    return symbol.substr(4);
  return symbol;
}

bool isKnownFunction(const std::string &symbol) { return isKnown(symbol); }

const char *whyNotWrapped(const std::string &symbol) {
  const auto is = [&](std::initializer_list<const char *> names) {
    return std::any_of(names.begin(), names.end(), [&](const char *name) { return symbol == name; });
  };
  const auto begins = [&](std::initializer_list<const char *> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char *prefix) { return beginsWith(symbol, prefix); });
  };
  if (begins({"__ada"}) ||
      is({"ada_disable", "ada_disable_detail", "ada_enable", "ada_enable_detail", "ada_fiber_create",
          "ada_fiber_current", "ada_fiber_end", "ada_fiber_switch", "ada_flush", "ada_get_timestamp_ns",
          "ada_session_path", "ada_set_thread_name", "ada_start", "ada_stop", "ada_trigger"}))
    return "part of AdaTrace";
  if (is({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext", "savectx"}))
    return "it returns twice";
  if (is({"makecontext", "swapcontext", "setcontext"}))
    return "it changes the stack";
  if (is({"dlopen", "dlsym", "dlmopen", "dlvsym", "backtrace", "alloca", "_mcount", "mcount", "__fentry__",
          "__morestack", "__tls_get_addr", "__stack_chk_fail"}) ||
      begins({"_Unwind_", "__cxa_", "__gxx_", "__gcc_", "__register_frame", "__deregister_frame",
              "__pthread_register_cancel", "__pthread_unregister_cancel", "__pthread_unwind", "unw_"}))
    return "its effect depends on its caller";
  if (begins({"__asan_", "__tsan_", "__msan_", "__ubsan_", "__hwasan_", "__sanitizer_", "__dfsan_", "__llvm_profile",
              "llvm_gcov", "__gcov", "__cyg_profile_", "__xray"}))
    return "generated by the compiler";
  return nullptr;
}

bool isInDefaultCalls(const std::string &symbol, const std::string &name, const std::string &demangled) {
  auto known = knownFunctions().find(name);
  if (known == knownFunctions().end())
    known = knownFunctions().find(symbol);
  if (known != knownFunctions().end())
    return known->second.isDefault;
  if (!beginsWith(symbol, "_Z"))
    return false;
  select::FunctionTexts texts({symbol.c_str(), demangled.c_str(), nullptr});
  return std::any_of(std::begin(kDefaultCxxCalls), std::end(kDefaultCxxCalls),
                     [&](const char *glob) { return texts.match(glob); });
}

std::string Prototype::signature() const {
  std::string text = std::string(result) + " (";
  for (const Parameter &parameter : parameters)
    text += (text.back() == '(' ? "" : ", ") + std::string(parameter.type == "function" ? "void *" : parameter.type);
  if (isVariadic)
    text += ", ...";
  return text + ")";
}

const Prototype *findPrototype(const std::string &symbol) {
  auto known = knownFunctions().find(symbol);
  if (known == knownFunctions().end() && symbol.size() > 2 && endsWith(symbol, "64"))
    known = knownFunctions().find(Text(symbol).substr(0, symbol.size() - 2)); // on 64-bit targets the same types
  std::string plain;
  if (known == knownFunctions().end() && beginsWith(symbol, "__isoc"))
    known = knownFunctions().find(plain = plainName(symbol));
  return known == knownFunctions().end() ? nullptr : &known->second.prototype;
}

} // namespace ada::pass
