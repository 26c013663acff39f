#!/bin/sh
# direct_io.sh DIR COMMAND…: runs COMMAND while DIR is on a file system that maps no file that others may write to: FUSE
# with direct_io. Nobody else sees it. Afterwards its files are in DIR.under.
if [ "$1" != --inside ]; then
  exec unshare -m "$0" --inside "$@"
fi
dir=$2
shift 2
mkdir -p "$dir" "$dir.under"
setpriv --pdeathsig KILL bindfs -f -o direct_io "$dir.under" "$dir" &
until mountpoint -q "$dir"; do
  kill -0 $! 2>/dev/null || exit 99
  sleep 0.01
done
trap 'umount "$dir"; wait' EXIT
"$@"
