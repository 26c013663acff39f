#!/usr/bin/env bash
# Runs the console blocks of a how-to page about a program in Debian, such as redis, beside the program's source.
#
# Usage: debian_how_to.sh PACKAGE PAGE.md BUILD WORK
#
# Ends with status 77, and the reason, where the source can't be had. PostgreSQL's page runs as nobody if root runs this.
set -euo pipefail
source=$(dirname "$(readlink -f "$0")")/../..
package=$1
build=$(readlink -f "$3")
mkdir -p "$4"
work=$(readlink -f "$4")
cd "$work"
if [ ! -e "$package" ]; then
  # apt-get's own lists have no sources.
  mkdir -p apt/lists apt/parts
  for list in /etc/apt/sources.list.d/*.sources; do
    [ -e "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"apt/parts/${list##*/}"
  done
  [ ! -e /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >apt/parts/list.list
  apt=(-o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$work/apt/parts" -o "Dir::State::lists=$work/apt/lists")
  apt-get "${apt[@]}" -qq update >apt.log 2>&1 || true
  # The newest that can be had: archives list versions that they no longer keep, or do not keep yet.
  mapfile -t versions < <(apt-cache "${apt[@]}" showsrc "$package" 2>>apt.log | sed -n 's/^Version: //p' | sort -rV)
  for version in "${versions[@]}"; do
    apt-get "${apt[@]}" -qq source "$package=$version" >>apt.log 2>&1 && break
    rm -rf "$package"-[0-9]*/
  done
  if ! compgen -G "$package-[0-9]*/" >/dev/null; then
    tail -3 apt.log
    echo "$package's source can't be had from Debian's archive"
    exit 77
  fi
  mv "$package"-[0-9]*/ "$package"
fi
rm -rf page && mkdir page && cp -a "$package" page/ && cd page
user=()
if [ "$package" = postgresql-15 ] && [ "$(id -u)" = 0 ]; then # its server refuses to run as root
  chown -R nobody .
  user=(setpriv --reuid=nobody --clear-groups)
  PATH=/usr/bin:/bin # nothing in root's own directory
fi
PATH=$build/bin:$PATH "${user[@]}" python3 "$source/test/install/run_readme.py" "$source/docs/how-to/$2" "$source"
