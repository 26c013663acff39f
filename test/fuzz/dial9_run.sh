#!/bin/sh
# Builds the dial9 fuzz targets with ASan and UBSan and runs each on the test vectors: dial9_run.sh [SECONDS [DIR]]
# SECONDS a target (default 20); builds, and keeps what it finds, in DIR (default: a new directory, removed after success).
set -eu
seconds=${1:-20}
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=${2:-}
if [ -z "$dir" ]; then
  dir=$(mktemp -d)
  trap 'status=$?; [ $status -ne 0 ] || rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
clang=${ADA_FUZZ_CLANG:-clang++-19}
zlib=
if printf '#include <zlib.h>\n' | "$clang" -x c++ -fsyntax-only - 2>/dev/null; then
  zlib=-DADA_DIAL9_ZLIB
fi
for target in dial9_decode dial9_roundtrip; do
  "$clang" -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $zlib \
    -I"$root/include" -I"$root/lib/formats/dial9" "$root/test/fuzz/$target.cpp" "$root"/lib/formats/dial9/*.cpp \
    ${zlib:+-lz} -o "$dir/$target"
  mkdir -p "$dir/$target.corpus" "$dir/seeds"
  for stream in "$root"/test/formats/vectors/dial9/*/*.trc; do
    cp "$stream" "$dir/seeds/$(basename "$(dirname "$stream")")_$(basename "$stream")"
  done
  gzip -kf "$dir"/seeds/seed_all_types.trc "$dir"/seeds/ext_segments.trc
  echo "$target: $seconds s"
  # A stream of 200 bytes that made anything ask for 64 MB at once would be stopped by malloc_limit_mb.
  (cd "$dir" && "./$target" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=64 \
    -print_final_stats=1 -verbosity=1 "$target.corpus" seeds >"$target.log" 2>&1) || {
    tail -40 "$dir/$target.log"
    echo "$target failed; input and log are in $dir" >&2
    exit 1
  }
  grep -E 'number_of_executed_units|peak_rss_mb' "$dir/$target.log"
done
