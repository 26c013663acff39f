#!/usr/bin/env bash
# Traces a real third-party program (SQLite), and runs every command on the recording. Usage: run.sh BUILD WORK
# [ASAN-BUILD]
#
# Some million events in two threads, with detail of SQLite's API, and a second run that is killed and recovered.
# every_command.py compares the commands' output with its own computation. With ASAN-BUILD, that build's adatrace
# repeats it. The source is SQLite's amalgamation from the npm package better-sqlite3, so this needs npm and its
# registry; it is run by hand and nightly (`tools/dev real`), not in CI, where test/tools/real_program.test is smaller.
# ROWS=N sets the amount of work.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "$1")
mkdir -p "$2"
work=$(readlink -f "$2")
sanitized=${3:+$(readlink -f "$3")}
cd "$work"

compiler=$(printf '%s\n' "$build"/bin/ada-clang-[0-9]* | sort -V | tail -1)
package=better-sqlite3@11.10.0
source=$work/package/deps/sqlite3
if [ ! -e "$source/sqlite3.c" ]; then
  npm pack --silent $package >/dev/null
  tar xzf better-sqlite3-*.tgz package/deps/sqlite3
fi
if [ ! -e sqlite3.o ] || [ "$compiler" -nt sqlite3.o ]; then
  "$compiler" -O1 -g -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -c "$source/sqlite3.c" -o sqlite3.o
fi
"$compiler" -O1 -g -I"$source" "$here/sqlite_work.c" sqlite3.o -o sqlite_work -lpthread -lm

rm -rf whole killed
"$build/bin/adatrace" record --detail='sqlite3_*' --session whole ./sqlite_work "${ROWS:-2000}" >output.txt
grep -q '^main integrity_check=ok$' output.txt

# Killed in the middle; `record` recovers the content of the ring.
status=0
"$build/bin/adatrace" record --session killed timeout -s KILL 1 ./sqlite_work 1000000 >output.txt || status=$?
[ "$status" = 137 ]
"$build/bin/adatrace" verify killed

# Self times are computed from events alone, which do not show when the recorder held a thread up.
for session in whole killed; do python3 "$here/../tools/Inputs/without_sched.py" "$session"; done
for tool in "$build" ${sanitized:+"$sanitized"}; do
  python3 "$here/every_command.py" "$tool/bin/adatrace" whole "$work/files"
  python3 "$here/every_command.py" "$tool/bin/adatrace" killed "$work/files" report tree
done
