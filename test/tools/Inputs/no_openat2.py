#!/usr/bin/env python3
"""Runs a command as if the kernel had no openat2 (before Linux 5.6): no_openat2.py COMMAND …"""
import errno
import os
import sys

import seccomp

try:
    seccomp.install(seccomp.OPENAT2, seccomp.ERRNO | errno.ENOSYS)
except OSError as problem:
    sys.exit("no_openat2.py: %s" % problem)
if not seccomp.isRefused(seccomp.OPENAT2):
    sys.exit("no_openat2.py: openat2 is there all the same")
os.execvp(sys.argv[1], sys.argv[1:])
