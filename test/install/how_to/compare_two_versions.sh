# Two versions of a program, of which the newer one needs fifty times as long, and a run of each with arguments.
cat >program.cpp <<'END'
#include <ctime>
__attribute__((noinline)) void work(int n) {
  timespec time = {0, n * 100000L};
  nanosleep(&time, nullptr);
}
struct Server {
  __attribute__((noinline)) void handle(int n) { work(n); }
};
__attribute__((noinline)) void handle(int n) { Server().handle(n); }
int main() {
  for (int i = 0; i < 30; ++i)
    handle(FACTOR);
}
END
ada-clang++ -O1 -g -DFACTOR=1 program.cpp -o old
ada-clang++ -O1 -g -DFACTOR=50 program.cpp -o new
adatrace record --quiet --detail='*' --session good ./old
adatrace record --quiet --detail='*' --session bad ./new
