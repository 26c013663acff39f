# A session of a small server.
cat >server.cpp <<'END'
#include <unistd.h>
struct Server {
  __attribute__((noinline)) void handle(int number) { usleep(number == 150 ? 5000 : 100); }
};
int main() {
  Server server;
  for (int i = 0; i < 300; ++i)
    server.handle(i);
}
END
ada-clang++ -O1 -g server.cpp -o server
command adatrace record --quiet --detail='Server::*' --session session ./server
atTheEnd() {
  tar tf slow.adatrace | has '/server.cpp'
  diff <(adatrace report session) <(adatrace report slow.adatrace)
  adatrace verify -q unpacked
  [ -s slow.html ] && [ -s slow.perfetto-trace ]
}
