// A server of which one request in a hundred waits for a lock.
#include <atomic>
#include <mutex>
#include <thread>
#include <unistd.h>
std::mutex table;
std::atomic<bool> isOver{false};
__attribute__((noinline)) void compact() {
  std::lock_guard<std::mutex> lock(table);
  usleep(50000); // much longer than what a busy machine takes away
}
struct Server {
  __attribute__((noinline)) void handle(int number) {
    usleep(50);
    std::lock_guard<std::mutex> lock(table);
    last = number;
  }
  int last = 0;
};
int main() {
  std::thread compactor([] {
    while (!isOver) {
      compact();
      usleep(50000);
    }
  });
  Server server;
  for (int i = 0; i < 2000; ++i)
    server.handle(i);
  isOver = true;
  compactor.join();
}
