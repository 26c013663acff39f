#!/bin/sh
# Runs a fuzz target on the vectors of its format: run.sh BUILD TARGET SECONDS [libFuzzer's options]
#
# BUILD is a build tree with ADA_BUILD_FUZZERS. BUILD/fuzz/corpus/TARGET keeps inputs that reached something new, for
# the next run; an input that fails is left in BUILD/fuzz/found/TARGET, and the command to run it again is printed.
set -eu
build=$(cd "$1" && pwd)/fuzz target=$2 seconds=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
vectors=$here/../formats/vectors
corpus=$build/corpus/$target found=$build/found/$target
mkdir -p "$corpus" "$found"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/seeds"

# Different folders have files of the same name.
seed() {
  find "$vectors" "$@" -type f | while read -r file; do
    cp "$file" "$work/seeds/$(printf %s "${file#"$vectors/"}" | tr / _)"
  done
}
case $target in
atf_index) seed -path '*index*.atf' ;;
packed_index) seed -name '*.atp' ! -name 'detail*' ;;
packed_detail) seed -name 'detail*.atp' ;;
atf_detail) seed -path '*detail*.atf' ;;
dial9_*)
  seed -name '*.trc'
  gzip -kf "$work"/seeds/*seed_all_types.trc "$work"/seeds/*ext_segments.trc
  ;;
wtf_*) seed -name '*.wtf-trace' ;;
manifest)
  seed -name manifest.json
  cp "$here/seeds/manifest.json" "$work/seeds"
  ;;
archive | sched | sql | import_*) cp "$here/seeds/$target"/* "$work/seeds" ;;
debug_info) # small libraries with variables of several types, in each version of DWARF
  for version in 2 3 4 5; do
    clang++ -g "-gdwarf-$version" -fno-exceptions -fno-asynchronous-unwind-tables -nostdlib -shared -fPIC -Wl,--build-id=none,-z,noseparate-code \
      "$here/seeds/debug_info.cpp" -o "$work/seeds/dwarf$version"
  done
  ;;
types) split -l 1 "$here/seeds/types.txt" "$work/seeds/types." ;;
esac
[ "$(find "$work/seeds" -type f | wc -l)" -gt 0 ] || { echo "$target: no seeds in $vectors" >&2; exit 1; }

# SQLite makes texts of up to 64 MB.
[ "$target" != sql ] || set -- "-dict=$here/seeds/sql.dict" -malloc_limit_mb=256 -rss_limit_mb=2048 "$@"
# A library is larger than other inputs.
longest=4096
[ "$target" != debug_info ] || longest=16384
# malloc_limit_mb stops a decoder that asks for 64 MB at once for an input of 4 KB.
if ! "$build/$target" -max_total_time="$seconds" "-max_len=$longest" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=64 \
  -print_final_stats=1 -artifact_prefix="$found/" "$@" "$corpus" "$work/seeds" >"$work/log" 2>&1; then
  grep -v '^#[0-9]' "$work/log" | head -60 >&2
  echo "$target failed; run it again by: $build/$target $(find "$found" -newer "$work/seeds" -type f | head -1)" >&2
  exit 1
fi
printf '%s: ' "$target"
sed -n 's/^stat::number_of_executed_units: */inputs /p; s/^stat::peak_rss_mb: */MB /p' "$work/log" | tr '\n' ' '
echo
