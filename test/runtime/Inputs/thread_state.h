// What the system reports about a thread of the program.
#include <ada/attributes.h>
#include <stdio.h>

// Whether the thread with that tid sleeps, waiting for a lock, a file or a time.
ADA_NEVER static inline int sleeps(long tid) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%ld/stat", tid);
  FILE *file = fopen(path, "r");
  if (file == 0 || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
    state = 0;
  if (file)
    fclose(file);
  return state == 'S';
}
