// The recorded program of the viewing benchmark.
//
//   program EVENTS
//
// Two threads handle requests, with calls of different lengths up to twelve deep, until they have made some EVENTS
// calls and returns. The program draws its own random numbers, so each run makes the same calls.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TRACED __attribute__((noinline))
enum { kThreads = 2, kRoutes = 16 };

typedef struct {
  uint64_t events, wanted, random;
} Worker;

static uint32_t draw(Worker *worker) {
  worker->random = worker->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(worker->random >> 33);
}
static void spend(Worker *worker, uint32_t rounds) {
  worker->events += 2;
  for (uint32_t i = 0; i < rounds; ++i)
    __asm__ volatile("" ::: "memory");
}

TRACED void compare(Worker *worker) { spend(worker, draw(worker) & 15); }
TRACED void hash(Worker *worker) { spend(worker, draw(worker) & 63); }
TRACED void find(Worker *worker, unsigned depth) {
  compare(worker);
  if (depth)
    find(worker, depth - 1);
  spend(worker, 4); // after the call, which would become a jump otherwise
}
TRACED void allocate(Worker *worker) {
  spend(worker, draw(worker) % 1000 == 0 ? 20000 : 20);
  hash(worker);
}
TRACED void parse(Worker *worker) {
  for (uint32_t i = draw(worker) % 12; i > 0; --i)
    hash(worker);
  spend(worker, 100);
}
TRACED void query(Worker *worker) {
  spend(worker, 50);
  allocate(worker);
  find(worker, draw(worker) % 7);
}
TRACED void render(Worker *worker) {
  for (uint32_t i = draw(worker) % 5; i > 0; --i)
    query(worker);
  spend(worker, 200);
}

// Sixteen functions that differ in what they call.
#define ROUTE(number)                                                                                                  \
  TRACED void route_##number(Worker *worker) {                                                                         \
    parse(worker);                                                                                                     \
    for (uint32_t i = (number) % 4; i > 0; --i)                                                                        \
      query(worker);                                                                                                   \
    if ((number) & 1)                                                                                                  \
      render(worker);                                                                                                  \
    spend(worker, 10 * (number));                                                                                      \
  }
ROUTE(0);
ROUTE(1);
ROUTE(2);
ROUTE(3);
ROUTE(4);
ROUTE(5);
ROUTE(6);
ROUTE(7);
ROUTE(8);
ROUTE(9);
ROUTE(10);
ROUTE(11);
ROUTE(12);
ROUTE(13);
ROUTE(14);
ROUTE(15);

static void (*const kRoute[kRoutes])(Worker *) = {route_0,  route_1,  route_2,  route_3, route_4,  route_5,
                                                  route_6,  route_7,  route_8,  route_9, route_10, route_11,
                                                  route_12, route_13, route_14, route_15};

TRACED void handle(Worker *worker) {
  spend(worker, 30);
  kRoute[draw(worker) % kRoutes](worker);
}
TRACED void *serve(void *arg) {
  Worker *worker = arg;
  while (worker->events < worker->wanted)
    handle(worker);
  return NULL;
}

int main(int argc, char **argv) {
  const uint64_t events = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
  if (!events) {
    fprintf(stderr, "usage: program EVENTS\n");
    return 2;
  }
  pthread_t threads[kThreads];
  Worker workers[kThreads];
  for (unsigned i = 0; i < kThreads; ++i) {
    workers[i] = (Worker){.wanted = events / kThreads, .random = i + 1};
    if (pthread_create(&threads[i], NULL, serve, &workers[i]) != 0)
      return 1;
  }
  for (unsigned i = 0; i < kThreads; ++i)
    pthread_join(threads[i], NULL);
  return 0;
}
