#!/usr/bin/env bash
# Checks the Debian packages with lintian, installs them into a bare system, uses them there, and removes them.
#
# Usage: bare_root.sh BUILD    (as root; needs mmdebstrap and the archive that this system gets its packages from)
set -euo pipefail
build=$(readlink -f "$1")
source=$(dirname "$(readlink -f "$0")")/../..
work=$(mktemp -d)
cleanUp() {
  umount "$work/root/proc" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanUp EXIT
step() { printf -- '--- %s\n' "$*"; }

step "packages"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/debs" >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; exit 1; }
if command -v lintian >/dev/null; then
  lintian --fail-on error --suppress-tags-from-file "$source/test/packages/lintian_accepted" "$work"/debs/*.deb
fi

step "a bare system"
. /etc/os-release
sources=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true)
cat /etc/apt/sources.list.d/*.sources >"$work/list.sources" 2>/dev/null || true
[ -s "$work/list.sources" ] && list=$work/list.sources || { printf '%s\n' "$sources" >"$work/list.list" && list=$work/list.list; }
mmdebstrap --quiet --variant=apt "$VERSION_CODENAME" "$work/root" "$list"
mount -t proc proc "$work/root/proc"
inside() { chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
step "what the packages need"
inside apt-get -qq update
depends() { dpkg-deb -f "$1" Depends | tr ',' '\n' | sed 's/ *(.*//; s/^ *//' | grep -v 'ada'; }
default=$(inside apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -1)
debs=("$work"/debs/{adatrace,libadaruntime,libadatrace-dev,python3-adatrace}[0-9_]*.deb "$work/debs/adatrace-plugin-${default}_"*.deb)
mapfile -t needed < <(for deb in "${debs[@]}"; do depends "$deb"; done | sort -u)
inside apt-get -qq -o APT::Install-Recommends=0 install -y "${needed[@]}" >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; exit 1; }

step "install"
mkdir "$work/root/debs"
cp "${debs[@]}" "$work/root/debs"
(cd "$work/root" && ls debs/*.deb)
inside sh -c 'apt-get -o APT::Install-Recommends=0 install -y /debs/*.deb' >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; exit 1; }

step "compile, record, show"
inside sh -euc 'mkdir /root/use && cd /root/use
  cp /usr/share/doc/adatrace/examples/first/first.c .
  ada-clang -O1 first.c -o first
  ldd first
  adatrace record --session s ./first
  adatrace report s
  adatrace verify s
  cat > by_hand.c <<END
#include <ada/trace.h>
int main(void) { ada_set_thread_name("main"); return 0; }
END
  clang-'"$default"' by_hand.c -o by_hand $(adatrace flags --llvm='"$default"')
  adatrace record --session h ./by_hand
  adatrace verify h
  python3 -c "import adatrace; print([row[\"function\"] for row in adatrace.open(\"s\").report()])"' | tee "$work/used"
grep -q 'libAdaRuntime.so.* => /lib\|libAdaRuntime.so.* => /usr/lib' "$work/used"
grep -q ' main' "$work/used"
[ "$(grep -c '^ok:' "$work/used")" -ge 2 ] || { echo "verify did not say ok twice"; exit 1; }

step "remove"
ours=$(inside dpkg-query -W -f '${Package}\n' | grep -E '^(adatrace|libada|python3-adatrace)')
# shellcheck disable=SC2086
inside dpkg -L $ours | sort -u >"$work/owned"
# shellcheck disable=SC2086
inside apt-get purge -y $ours >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; exit 1; }
rm -r "$work/root/debs"
while read -r path; do
  if [ -d "$work/root$path" ]; then continue; fi # other packages may have it, too
  if [ -e "$work/root$path" ] || [ -L "$work/root$path" ]; then echo "$path is left after the packages were removed" && exit 1; fi
done <"$work/owned"
left=$(inside find /usr /etc /var/lib -iname '*adatrace*' -o -iname '*libadar*')
[ -z "$left" ] || { echo "names are left: $left"; exit 1; }
echo "all well in $PRETTY_NAME"
