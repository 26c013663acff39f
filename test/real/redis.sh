#!/usr/bin/env bash
# Builds redis from Debian's source, and runs the commands of docs/how-to/slow_request_in_redis.md. Usage: redis.sh BUILD WORK
#
# Ends with status 77, and the reason, where the source can't be had.
set -euo pipefail
source=$(dirname "$(readlink -f "$0")")/../..
build=$(readlink -f "$1")
mkdir -p "$2"
work=$(readlink -f "$2")
cd "$work"
if [ ! -e redis/src/Makefile ]; then
  # apt-get's own lists have no sources.
  mkdir -p apt/lists apt/parts
  for list in /etc/apt/sources.list.d/*.sources; do
    [ -e "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"apt/parts/${list##*/}"
  done
  [ ! -e /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >apt/parts/list.list
  apt=(-o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$work/apt/parts" -o "Dir::State::lists=$work/apt/lists")
  if ! { apt-get "${apt[@]}" -qq update && apt-get "${apt[@]}" -qq source redis; } >apt.log 2>&1; then
    tail -3 apt.log
    echo "redis's source can't be had from Debian's archive"
    exit 77
  fi
  mv redis-[0-9]*/ redis
fi
rm -rf page && mkdir page && cp -r redis page/redis && cd page
PATH=$build/bin:$PATH python3 "$source/test/install/run_readme.py" "$source/docs/how-to/slow_request_in_redis.md" "$source"
