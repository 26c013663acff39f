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
for g in "" -g; do
  for source in t.cpp '$PWD/t.cpp'; do
    for map in -O1 '-ffile-prefix-map=$PWD=/src' '-ffile-prefix-map=$PWD=.' '-fdebug-prefix-map=$PWD=/src' \
      '-fmacro-prefix-map=$PWD=/src' '-fdebug-compilation-dir=.' '-ffile-compilation-dir=/src' @map; do
      [ "$source$map" != '$PWD/t.cpp-O1' ] || continue # without a map, the path is recorded as it was given
      flags="-O1 $g $map -DHEADER='\"'\$PWD/sub/header.h'\"' -c $source"
      build plain.o "$plain" "$flags" 2>/dev/null || continue
      build mapped.o "$traced -mllvm -ada-calls=open" "$flags" 2>/dev/null
      cmp -s one/plain.o two-longer/plain.o || continue
      if cmp -s one/mapped.o two-longer/mapped.o; then equal=$((equal + 1))
      else different=$((different + 1)); echo "different: $flags"; fi
    done
  done
done
echo "$different differ, $equal are equal"
