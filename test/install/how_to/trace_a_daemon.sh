# A daemon that handles a request every millisecond, until the page ends.
#with 4711 $daemon
#with --for=10s --for=300ms
cat >serverd.c <<'END'
#include <unistd.h>
__attribute__((noinline)) int parse(int n) { return usleep(100) + n + 1; }
__attribute__((noinline)) int handle(int n) { return usleep(500) + parse(n); }
int main(void) {
  for (int n = 0; getppid() != 1 && access("end", F_OK) != 0;)
    n = handle(n);
}
END
ada-clang -O1 -g serverd.c -o serverd
ADA_OPTIONS= ./serverd &
daemon=$!
trap 'touch end; wait $daemon' EXIT # its ring is removed when it ends by itself
until adatrace status $daemon 2>/dev/null | has waiting; do sleep 0.01; done
atTheEnd() {
  adatrace verify -q
  grep -q handle calls.txt
}
