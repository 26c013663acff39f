#!/bin/bash
# same_behaviour.sh BINDIR PLUGIN INCLUDE OUT SOURCE [FLAGS…] - a traced program behaves as it does untraced.
#
# Builds SOURCE plain and traced at -O0 and -O2, with the hooks after and before inlining, runs both and compares output
# and exit status. The recorder checks that the events are well nested. Events go to OUT-O<n>.events and
# OUT-O<n>-early.events. LEVELS names levels other than 0 and 2.
set -u
bin=$1 plugin=$2 include=$3 out=$4 source=$5
shift 5
compiler=$bin/clang
case $source in *.cpp) compiler=$bin/clang++ ;; esac
fail() {
  echo "$0: $*" >&2
  exit 1
}
"$bin/clang" -O1 -fPIC -I"$include" -c "$(dirname "$0")/recorder.c" -o "$out.recorder.o" || fail "recorder"
for level in ${LEVELS:-0 2}; do
  "$compiler" -w -O$level -I"$include" "$source" "$@" -o "$out.plain" -lm -pthread || fail "plain build at -O$level"
  "$out.plain" >"$out.plain.txt" 2>&1
  expected=$?
  for place in "" early; do
    events=$out-O$level${place:+-$place}.events
    "$compiler" -w -O$level -I"$include" -Xclang -load -Xclang "$plugin" -fpass-plugin="$plugin" \
      ${place:+-mllvm -ada-before-inlining} -mllvm -verify-machineinstrs "$source" "$@" "$out.recorder.o" -o "$out.traced" \
      -lm -pthread || fail "traced build at -O$level $place"
    # Recorded; with the hooks that get registers and stack; switched off.
    for how in "" detail off; do
      rm -f "$events"
      RECORDER_OUT=$events RECORDER_OFF=${how#detail} RECORDER_DETAIL=${how#off} "$out.traced" >"$out.traced.txt" 2>&1
      status=$?
      [ -z "$how" ] && mv "$events" "$events.kept"
      [ $status = $expected ] || {
        grep '^!' "$events.kept" | head -n 5 >&2
        fail "exit status $status instead of $expected at -O$level $place ${how:+($how)}"
      }
      [ "$how" != detail ] || cmp "$events" "$events.kept" || fail "other events with detail at -O$level $place"
      cmp "$out.plain.txt" "$out.traced.txt" || fail "output differs at -O$level $place ${how:+($how)}"
    done
    mv "$events.kept" "$events"
  done
done
