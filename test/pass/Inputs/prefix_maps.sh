# Compiles t.cpp in both directories, without hooks and with them, and prints how many traced objects differ where the
# others are equal. Usage: prefix_maps.sh CLANG TRACED
plain=$1 traced=$2
different=0 equal=0
build() { # NAME COMMAND FLAGS
  name=$1 command=$2 flags=$3
  for d in one two-longer; do
    (cd $d && eval "$command $flags -o $name" ) || exit 1
  done
}
compare() { # FLAGS [FLAGS-OF-A-BACK-END, for bitcode]
  build plain.o "$plain" "$1" 2>/dev/null || return 0
  build mapped.o "$traced -mllvm -ada-calls=open" "$1" 2>/dev/null
  cmp -s one/plain.o two-longer/plain.o || return 0
  [ -z "${2-}" ] || build mapped.o "$plain" "-O1 $2 -c -x ir mapped.o"
  if cmp -s one/mapped.o two-longer/mapped.o; then equal=$((equal + 1))
  else different=$((different + 1)); echo "different: $1"; fi
}
for g in "" -g; do
  # Bitcode, and the object that a distributed back end makes of it. (In bitcode, clang itself keeps an absolute path.)
  for lto in -flto=thin -flto; do
    flags="-O1 $g $lto -ffile-prefix-map=\$PWD=/src -DHEADER='\"'\$PWD/sub/header.h'\"' -c t.cpp"
    compare "$flags"
    compare "$flags" "$([ $lto = -flto ] && echo -O1 || echo -fthinlto-index=/dev/null)"
  done
  for source in t.cpp '$PWD/t.cpp'; do
    for map in -O1 '-ffile-prefix-map=$PWD=/src' '-ffile-prefix-map=$PWD=.' '-fdebug-prefix-map=$PWD=/src' \
      '-fmacro-prefix-map=$PWD=/src' '-fdebug-compilation-dir=.' '-ffile-compilation-dir=/src' @map; do
      [ "$source$map" != '$PWD/t.cpp-O1' ] || continue # without a map, the path is recorded as it was given
      compare "-O1 $g $map -DHEADER='\"'\$PWD/sub/header.h'\"' -c $source"
    done
  done
done
echo "$different differ, $equal are equal"
