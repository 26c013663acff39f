#!/usr/bin/env bash
# Runs a command while PROGRAM is recorded into SESSION, then ends the program.
# Usage: view_live.sh PROGRAM SESSION COMMAND...
set -euo pipefail
program=$1 session=$2
shift 2
adatrace record --quiet --session "$session" "$program" 1000000 &
record=$!
for _ in {1..400}; do
  test -s "$session"/pid_*/thread_1/index.atf && break
  sleep 0.05
done 2> /dev/null
status=0
timeout 600 "$@" || status=$?
kill -9 "$(basename "$session"/pid_* | sed s/pid_//)"
wait $record || true
exit $status
