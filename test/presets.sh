#!/usr/bin/env bash
# Builds the presets that leave parts out, and uses the result: presets.sh SOURCE FOLDER
set -euo pipefail
source=$1 folder=$2
for preset in small demo; do
  build=$folder/$preset
  cmake -S "$source" --preset "$preset" -B "$build"
  cmake --build "$build" -j "$(nproc)" --target ada-use
  "$build/bin/ada-clang" -g "$source/examples/first/first.c" -o "$build/first"
  rm -rf "$build/session"
  "$build/bin/adatrace" record --session "$build/session" "$build/first"
  "$build/bin/adatrace" tree "$build/session" | grep fibonacci
  # Missing parts are reported, with the status for wrong usage.
  status=0
  "$build/bin/adatrace" convert "$build/session" "$build/x.sqlite" 2>"$build/refused" || status=$?
  cat "$build/refused"
  [ $status = 2 ]
  grep -q ADA_WITH_EXPORT "$build/refused"
done
