# A server, traces of two releases, and a program that records in parts.
#with clickhouse://db.example:8123/traces $address
#with CLICKHOUSE_PASSWORD=… CLICKHOUSE_PASSWORD='a secret'
#with /var/lib/ada-traces traces
PATH=$PATH:/usr/sbin
command -v clickhouse-server >/dev/null || exit 0
coproc database {
  exec python3 -B -c '
import sys
sys.path.insert(0, sys.argv[1] + "/test/tools/Inputs")
from clickhouse import Server
with Server("database") as server:
    server.query("CREATE DATABASE traces", "default")
    print(server.address, flush=True)
    sys.stdin.read()' "$SOURCE"
}
read -r address <&"${database[0]}"
printf '#include <unistd.h>\n__attribute__((noinline)) void step(void) { usleep(10); }\nint main(void) { step(); step(); }\n' >server.c
ada-clang -O1 server.c -o server
for i in 1 2; do
  adatrace record --quiet --output ada-traces ./server
  adatrace record --quiet --session "before$i" ./server
done
adatrace() {
  case $1 in
  ship) command adatrace ship --once "${@:2}" ;; # not for ever
  *) command adatrace "$@" ;;
  esac
  # The release before is there already.
  [[ "$*" != *--init* ]] || command adatrace load "$3" --label release=1.3 before1 before2
}
atTheEnd() { grep -q 'step' flame.html; }
