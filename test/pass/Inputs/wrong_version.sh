#!/bin/bash
# wrong_version.sh PLUGIN MAJOR MAJORS... - loads the plugin of LLVM MAJOR into every other installed clang.
set -u
plugin=$1 major=$2
shift 2
for other; do
  clang=/usr/lib/llvm-$other/bin/clang
  [ "$other" = "$major" ] || [ ! -x $clang ] && continue
  for load in "-fpass-plugin=$plugin" "-Xclang -load -Xclang $plugin -fpass-plugin=$plugin"; do
    if $clang $load -c a.c -o a.o >message 2>&1; then
      echo "clang-$other took the plugin for LLVM $major" >&2
      exit 1
    fi
    # LLVM 22 has its own check that recognises 14 and 19, and they recognise 22; ours comes first where it can.
    grep -q "AdaTrace: this plugin, libAdaTrace-$major.so, is for LLVM $major, and this compiler is LLVM $other" message &&
      ! grep -q "Stack dump" message || {
      cat message >&2
      exit 1
    }
  done
done
