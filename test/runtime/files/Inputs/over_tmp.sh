#!/bin/sh
# Runs a command with DIRECTORY as /tmp, in the mount namespace of the caller. The folder of /tmp that this runs in, if
# any, stays where it is: programs, libraries and tools may be in it. Usage: over_tmp.sh DIRECTORY COMMAND…
set -e
case $PWD in
/tmp/*)
  here=$(echo "$PWD" | cut -d/ -f3)
  mkdir -p "$1/$here"
  mount --rbind "/tmp/$here" "$1/$here"
  ;;
esac
mount --rbind "$1" /tmp
shift
exec "$@"
