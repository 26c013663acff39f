# A server whose requests wait for a lock that another thread holds now and then.
#with 3:1204 0:0
cp "$HERE/server.cpp" .
atTheEnd() {
  adatrace waits --format=jsonl >waits.jsonl
  has compact <waits.jsonl
  # On a busy machine, a request may be the slowest because it slept for long.
  longest=$(sed -n 's/.*"kind":"mutex".*"max_thread":\([0-9]*\),"max_seq":\([0-9]*\).*/\1:\2/p' waits.jsonl)
  adatrace why --call="$longest" | has 'held by'
}
