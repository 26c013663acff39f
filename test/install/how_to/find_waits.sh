# A server whose requests wait for a lock that another thread holds now and then.
#with 3:1204 0:0
cp "$SOURCE/test/install/how_to/find_slow_calls.sh" . && sed -n '/^cat/,/^END/p' find_slow_calls.sh >server.sh
. ./server.sh
atTheEnd() {
  adatrace waits --format=jsonl | has compact
  adatrace why --function='Server::handle' | has 'held by'
}
