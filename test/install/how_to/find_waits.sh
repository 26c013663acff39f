# A server whose requests wait for a lock that another thread holds now and then.
#with 3:1204 0:0
cp "$HERE/server.cpp" .
atTheEnd() {
  adatrace waits --format=jsonl | has compact
  adatrace why --function='Server::handle' | has 'held by'
}
