// A small server for the viewer: three workers that parse, look up, render and send; some requests throw.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#define TRACED __attribute__((noinline))

namespace http {

TRACED int token(const char *text, int at) {
  int sum = 0;
  for (int i = 0; i < 400 + at % 7 * 90; ++i)
    sum += text[(at + i) % 20] * i;
  asm volatile("" ::"r"(sum));
  return sum;
}

TRACED int parse(const char *text, int size) {
  int sum = 0;
  for (int i = 0; i < 4 + size % 5; ++i)
    sum += token(text, i + size);
  if (size % 97 == 13)
    throw std::runtime_error("bad request");
  return sum;
}

} // namespace http

namespace app {

TRACED int find(int key, int depth) { return depth ? find(key / 2, depth - 1) + 1 : key; }

TRACED void send(int bytes) { usleep(bytes); }

TRACED int render(int page) {
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += find(page + i, 3 + i) + http::token("<html><body><p>page</p></body>", page);
  return sum;
}

TRACED int handle(int request) {
  int status = 200;
  try {
    http::parse("GET /index.html HTTP/1.1 host", request);
    render(request);
  } catch (const std::exception &) {
    status = 400;
  }
  send(30 + request % 50);
  return status;
}

TRACED void serve(int worker, int requests) {
  for (int i = 0; i < requests; ++i)
    handle(i * 7 + worker);
}

} // namespace app

int main(int argc, char **argv) {
  const int requests = argc > 1 ? std::atoi(argv[1]) : 60;
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 3; ++worker)
    workers.emplace_back([=] {
      char name[16];
      std::snprintf(name, sizeof name, "worker-%d", worker + 1);
      pthread_setname_np(pthread_self(), name);
      app::serve(worker, requests);
    });
  for (std::thread &worker : workers)
    worker.join();
}
