#!/bin/sh
# compile.sh COMPILER ARGUMENT…: compiles and links for AArch64, so that the output can be run like any program.
#
# A linked program goes to .aarch64/NAME; NAME itself is a script that passes it to qemu. So tests, shells and exec in
# traced programs start it without binfmt_misc, which containers do not allow us to set up, and no test has to say how
# it is run.
set -eu
compiler=$1
shift

program=1 output= previous=
for argument; do
  case $argument in
  -c | -S | -E | -r | -shared | --precompile | -fsyntax-only) program=0 ;;
  esac
  [ "$previous" != -o ] || output=$argument
  previous=$argument
done
"$compiler" "$@"
[ $program = 1 ] && [ -f "$output" ] || exit 0

name=${output##*/}
directory=$(cd "$(dirname "$output")" && pwd -P)
mkdir -p "$directory/.aarch64"
mv "$directory/$name" "$directory/.aarch64/$name"
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
cat >"$directory/$name" <<END
#!/bin/sh
exec $qemu -0 "\$0" -L /usr/aarch64-linux-gnu '$directory/.aarch64/$name' "\$@"
END
chmod +x "$directory/$name"
