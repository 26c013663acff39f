# A program that aborts, and a server: as a flight recorder it runs until it is killed, otherwise for a second.
#with 4711 $(serverPid)
#with ADA_OPTIONS=flight=64M ADA_OPTIONS=flight=64M:ring=rings
cat >app.cpp <<'END'
#include <cstdlib>
__attribute__((noinline)) int parse(int n) {
  if (n == 3)
    abort();
  return n + 1;
}
int main() {
  for (int n = 0; n < 10;)
    n = parse(n);
}
END
cat >server.cpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__attribute__((noinline)) int handle(int n) {
  usleep(n == 550 ? 10000 : 1000);
  return n + 1;
}
int main() {
  const char *options = getenv("ADA_OPTIONS");
  const bool isFlight = options && strstr(options, "flight=64M");
  for (int n = 0; (isFlight && getppid() != 1) || n < 900;) {
    n = handle(n);
    if (n == 10)
      if (FILE *file = fopen("server.pid", "w")) {
        fprintf(file, "%d\n", getpid());
        fclose(file);
      }
  }
}
END
ada-clang++ -O1 -g server.cpp -o server
# Of the server that has been started last.
serverPid() {
  until [ -s server.pid ] && kill -0 "$(cat server.pid)" 2>/dev/null; do sleep 0.01; done
  cat server.pid
}
trap 'kill -9 $(jobs -p) $(cat server.pid) 2>/dev/null || true' EXIT
atTheEnd() {
  adatrace info | has window
  [ "$(ls -d ada-traces/session_* | wc -l)" -ge 5 ]
}
