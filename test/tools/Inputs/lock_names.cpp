// Threads that wait for locks and conditions of all kinds: variables, members, elements, and objects on the heap.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

struct Rows {
  int count = 0;
  std::mutex lock;
};
struct Base {
  long version = 1;
  pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;
};
struct Store : Base {
  std::string name = "store";
  Rows rows, shards[4];
  std::condition_variable ready;
};
struct Pool {
  pthread_mutex_t lock;
  [[gnu::noinline]] Pool() { pthread_mutex_init(&lock, nullptr); }
};

Store store;
pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
namespace net {
static std::mutex hidden;
} // namespace net

std::atomic<int> other;

// Until the thread that `other` names sleeps in a system call.
void untilItSleeps() {
  for (char text[200]; true; usleep(1000)) {
    const std::string path = "/proc/self/task/" + std::to_string(other) + "/stat";
    FILE *file = other ? std::fopen(path.c_str(), "r") : nullptr;
    const bool isRead = file && std::fgets(text, sizeof(text), file);
    if (file)
      std::fclose(file);
    const char *state = isRead ? std::strrchr(text, ')') : nullptr;
    if (state && state[2] == 'S')
      return void(usleep(5000));
  }
}

void begin() { other = static_cast<int>(syscall(SYS_gettid)); }

// Not inlined into code of the C++ library, which is not traced.
template <class Lock, class Unlock> [[gnu::noinline]] void want(Lock take, Unlock release) {
  begin();
  take();
  release();
}

// Another thread waits for the lock while this one has it.
template <class Lock, class Unlock> void contend(Lock take, Unlock release) {
  other = 0;
  take();
  std::thread waiter(want<Lock, Unlock>, take, release);
  untilItSleeps();
  release();
  waiter.join();
}

void contendStatic() {
  static std::mutex local;
  contend([] { local.lock(); }, [] { local.unlock(); });
}

std::mutex mine;
bool isReady = false;

[[gnu::noinline]] void awaitReady() {
  std::unique_lock<std::mutex> lock(mine);
  begin();
  while (!isReady)
    store.ready.wait(lock);
}

int main() {
  contend([] { store.rows.lock.lock(); }, [] { store.rows.lock.unlock(); });
  contend([] { store.shards[2].lock.lock(); }, [] { store.shards[2].lock.unlock(); });
  contend([] { pthread_rwlock_wrlock(&store.guard); }, [] { pthread_rwlock_unlock(&store.guard); });
  contend([] { pthread_mutex_lock(&plain); }, [] { pthread_mutex_unlock(&plain); });
  contend([] { net::hidden.lock(); }, [] { net::hidden.unlock(); });
  contendStatic();
  Pool *pool = new Pool;
  contend([&] { pthread_mutex_lock(&pool->lock); }, [&] { pthread_mutex_unlock(&pool->lock); });

  other = 0;
  std::thread waiter(awaitReady);
  untilItSleeps();
  {
    const std::lock_guard<std::mutex> lock(mine);
    isReady = true;
  }
  store.ready.notify_one();
  waiter.join();
}
