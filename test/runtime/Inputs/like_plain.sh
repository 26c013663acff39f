#!/bin/sh
# like_plain.sh DIR COMPILE-COMMAND...: builds a program with hooks and without, runs both, and fails unless output and
# exit status are the same. Leaves DIR/traced, DIR/plain, their output in DIR/*.out, and the trace in DIR/session.
# ADA_OPTIONS, if set, is extended; ARGS holds the program's arguments.
set -eu
dir=$1
shift
mkdir -p "$dir"
rm -rf "$dir/session"
"$@" -o "$dir/traced"
"$@" --ada-off -o "$dir/plain"
plain=0 traced=0
"$dir/plain" ${ARGS-} >"$dir/plain.out" 2>&1 || plain=$?
ADA_OPTIONS="session=$dir/session:${ADA_OPTIONS-}" "$dir/traced" ${ARGS-} >"$dir/traced.out" 2>&1 || traced=$?
if [ $plain != $traced ]; then
  echo "like_plain.sh: exit status $traced instead of $plain; the output was:" >&2
  cat "$dir/traced.out" >&2
  exit 1
fi
diff "$dir/plain.out" "$dir/traced.out" >&2
