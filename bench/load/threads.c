// Threads that work between their calls: threads COUNT CALLS runs COUNT threads, which make CALLS calls altogether.
//
// A call hashes 256 bytes, which takes some 100 ns, and now and then calls others that do the same.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 256

static long callsOfEach;

__attribute__((noinline)) static uint64_t hash(const unsigned char *data, uint64_t state) {
  for (int i = 0; i < BYTES; ++i)
    state = (state ^ data[i]) * 0x100000001b3;
  return state;
}

__attribute__((noinline)) static uint64_t pair(unsigned char *data, uint64_t state) {
  memcpy(data, &state, sizeof state);
  return hash(data, hash(data, state));
}

static void *work(void *result) {
  unsigned char data[BYTES] = {0};
  uint64_t state = 1;
  for (long calls = 0; calls < callsOfEach; calls += 4)
    state = hash(data, pair(data, state));
  *(uint64_t *)result = state;
  return NULL;
}

int main(int count, char **words) {
  const int threads = count > 2 ? atoi(words[1]) : 1;
  callsOfEach = (count > 2 ? atol(words[2]) : 1000) / threads;
  pthread_t *ids = calloc((size_t)threads, sizeof *ids);
  uint64_t *results = calloc((size_t)threads, sizeof *results), sum = 0;
  for (int i = 0; i < threads; ++i)
    pthread_create(&ids[i], NULL, work, &results[i]);
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    sum += results[i];
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
