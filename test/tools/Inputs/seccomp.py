"""Filters of system calls, for this process and all that it becomes."""
import ctypes
import errno
import platform
import struct

LOAD, JUMP_IF_EQUAL, JUMP_IF_SET, RETURN = 0x20, 0x15, 0x45, 0x06
ERRNO, ALLOW, KILL_PROCESS = 0x00050000, 0x7FFF0000, 0x80000000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
NUMBER, ARGUMENTS = 0, 16 # where the filter finds them

OPENAT2 = 437 # on every architecture
NUMBERS = {
    "x86_64": {"write": 1, "pwrite64": 18, "flock": 73, "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84,
               "unlink": 87, "openat": 257, "unlinkat": 263, "renameat": 264, "linkat": 265, "utimensat": 280,
               "renameat2": 316},
    "aarch64": {"write": 64, "pwrite64": 68, "flock": 32, "ftruncate": 46, "openat": 56, "unlinkat": 35, "renameat": 38,
                "linkat": 37, "utimensat": 88, "renameat2": 276, "mkdirat": 34},
}.get(platform.machine(), {})


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def install(number, action, argument=None, bits=0):
    """The system call `number` is answered with `action`; only if it has one of the `bits` in that argument, if given."""
    rules = [(LOAD, 0, 0, NUMBER), (JUMP_IF_EQUAL, 0, 1 if argument is None else 3, number)]
    if argument is not None:
        rules += [(LOAD, 0, 0, ARGUMENTS + 8 * argument), (JUMP_IF_SET, 0, 1, bits)]
    rules += [(RETURN, 0, 0, action), (RETURN, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(rules), ctypes.addressof(code))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program)):
        raise OSError(ctypes.get_errno(), "no filter")


def isRefused(number):
    """Whether a system call is answered with ENOSYS."""
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(number, -1, b"/", None, 0) == -1 and ctypes.get_errno() == errno.ENOSYS
