"""Checks whether the system reports to processes when their threads are on-CPU."""
import ctypes
import os
import platform
import struct


def are_allowed():
    number = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
    if number is None:
        return False
    # type, size, config, period, sample_type (tid, time), read_format, flags (inherit, exclude_kernel, exclude_hv,
    # sample_id_all, use_clockid, context_switch), then zeros except for the clock.
    flags = 1 << 1 | 1 << 5 | 1 << 6 | 1 << 18 | 1 << 25 | 1 << 26
    attributes = struct.pack("<IIQQQQQ", 1, 128, 9, 0, 6, 0, flags).ljust(92, b"\0") + struct.pack("<i", 7)
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(attributes.ljust(128, b"\0"))
    descriptor = libc.syscall(number, buffer, 0, 0, -1, 0)
    if descriptor < 0:
        return False
    os.close(descriptor)
    return True
