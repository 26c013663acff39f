#!/usr/bin/env bash
# Records PROGRAM, which runs until it is killed, into SESSION: triggers a window while it runs, kills it, recovers it.
# Usage: live.sh PROGRAM SESSION
set -euo pipefail
program=$1 session=$2
adatrace record --quiet --session "$session" --detail=work --detail-mode=window "$program" &
record=$!
for _ in {1..400}; do
  ls "$session"/pid_*/thread_0/index.atf >/dev/null 2>&1 && break
  sleep 0.05
done
child=$(basename "$session"/pid_*)
child=${child#pid_}
sleep 0.3
adatrace trigger "$child"
adatrace recover "$session" && exit 1 # it is alive
sleep 0.5
kill -9 "$child"
status=0
wait $record || status=$?
echo "record: $status"
adatrace recover --clean --dry-run
adatrace recover "$session"
adatrace verify "$session"
adatrace info "$session"
