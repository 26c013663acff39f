#!/bin/bash
# wrong_version.sh PLUGIN MAJOR - loads the plugin of LLVM MAJOR into every other clang that is installed.
set -u
for other in 14 19 22; do
  clang=/usr/lib/llvm-$other/bin/clang
  [ $other = $2 ] || [ ! -x $clang ] && continue
  for load in "-fpass-plugin=$1" "-Xclang -load -Xclang $1 -fpass-plugin=$1"; do
    if $clang $load -c a.c -o a.o >message 2>&1; then
      echo "clang-$other took the plugin for LLVM $2" >&2
      exit 1
    fi
    # LLVM 22 has a check of its own that sees 14 and 19, and they see 22; ours comes first where it can.
    grep -q "AdaTrace: this plugin, libAdaTrace-$2.so, is for LLVM $2, and this compiler is LLVM $other" message &&
      ! grep -q "Stack dump" message || {
      cat message >&2
      exit 1
    }
  done
done
