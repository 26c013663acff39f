#!/usr/bin/env python3
"""Runs a command as if the kernel had no openat2 (before Linux 5.6): no_openat2.py COMMAND …"""
import ctypes
import errno
import os
import struct
import sys

OPENAT2 = 437 # on every architecture
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ERRNO, ALLOW = 0x00050000, 0x7FFF0000

instructions = [(LOAD_NUMBER, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, OPENAT2), (RETURN, 0, 0, ERRNO | errno.ENOSYS), (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *i) for i in instructions))


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
program = Program(len(instructions), ctypes.addressof(code))
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program)):
    sys.exit("no_openat2.py: %s" % os.strerror(ctypes.get_errno()))
if libc.syscall(OPENAT2, -1, b"/", None, 0) != -1 or ctypes.get_errno() != errno.ENOSYS:
    sys.exit("no_openat2.py: openat2 is there all the same")
os.execvp(sys.argv[1], sys.argv[1:])
