#!/bin/sh
# bash for a lit test (its script is $1), with an end. A test that hangs fails with its name and its output, instead of
# holding up its suite until ctest ends that, which shows neither.
#
# ADA_TEST_SECONDS: the limit (lit.cfg.py). Output goes through files, because lit reads its pipes until all who have
# them are gone: also a process that a test has left behind.
timeout --verbose --kill-after=10 "$ADA_TEST_SECONDS" bash "$@" >"$1.stdout" 2>"$1.stderr"
status=$?
cat "$1.stdout"
cat "$1.stderr" >&2
exit $status
