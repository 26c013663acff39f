# A server with a worker, and a session of it.
cat >server.cpp <<'END'
#include <pthread.h>
#include <thread>
#include <unistd.h>
__attribute__((noinline)) void log_line(int) { usleep(1); }
struct Server {
  __attribute__((noinline)) void handle(int number) {
    usleep(100);
    log_line(number);
  }
};
int main() {
  std::thread worker([] {
    pthread_setname_np(pthread_self(), "worker");
    Server server;
    for (int i = 0; i < 300; ++i)
      server.handle(i);
  });
  worker.join();
}
END
ada-clang++ -O1 -g server.cpp -o server -lpthread
command adatrace record --quiet --session session ./server
record() { command adatrace record --quiet "$@" 2>warnings || { cat warnings; return 1; }; }
adatrace() {
  case $1 in
  record) record "${@:2}" ;;
  *) command adatrace "$@" ;;
  esac
}
bytes() { du -sb "$1" | cut -f1; }
atTheEnd() {
  adatrace verify -q part
  adatrace verify -q session.adatrace
  [ "$(bytes smaller)" -lt "$(bytes session)" ]
  [ "$(bytes session.adatrace)" -lt "$(bytes session)" ]
}
