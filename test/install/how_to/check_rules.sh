# A program that does what the page's rules speak of. Two copies of the first session are the further runs, because
# a limit of twice the measured time is no promise on a busy machine.
cat >tests.cpp <<'END'
#include <unistd.h>
__attribute__((noinline)) void parse(int n) { usleep(n); }
struct Server {
  __attribute__((noinline)) void handle(int n) { parse(n); }
};
int main() {
  for (int i = 0; i < 50; ++i)
    Server().handle(100);
}
END
ada-clang++ -O1 tests.cpp -o tests
adatrace() {
  command adatrace "$@"
  if [ "$1" = record ]; then
    for copy in run1 run2 ada-traces/session_20261121_101500; do mkdir -p ada-traces && cp -r good "$copy"; done
  fi
}
# The page's own rules are read without a mistake: kept, broken, or about what this program does not have.
atTheEnd() {
  command adatrace check blocks/1.text good >out 2>&1 || [ $? -lt 3 ]
  ! grep -n '^[^ ]*1.text:[0-9]*:[0-9]*: ' out | grep -v 'no call of'
}
