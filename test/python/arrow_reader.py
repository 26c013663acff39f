"""Reads what adatrace hands over through Arrow's C data interface; written from Arrow's page, with ctypes alone."""
import ctypes
import struct

CAPSULE = ctypes.pythonapi.PyCapsule_GetPointer
CAPSULE.restype, CAPSULE.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
POINTER = ctypes.c_void_p


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", POINTER), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.POINTER(Schema)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
                   ("private_data", POINTER)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(POINTER)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
                  ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", POINTER)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                   ("get_last_error", POINTER), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
                   ("private_data", POINTER)]

NUMBERS = {b"c": "b", b"C": "B", b"i": "i", b"I": "I", b"l": "q", b"g": "d"}


def columnOf(schema, array):
    """A column as a list."""
    assert array.offset == 0
    bits = lambda at, count: [bool(ctypes.string_at(array.buffers[at], (count + 7) // 8)[i // 8] >> i % 8 & 1)
                              for i in range(count)]
    valid = bits(0, array.length) if array.buffers[0] else [True] * array.length
    assert valid.count(False) == array.null_count and (schema.flags & 2 or not array.null_count)
    if schema.format in (b"u", b"U"):
        offset = "i" if schema.format == b"u" else "q"
        ends = struct.unpack(f"{array.length + 1}{offset}",
                             ctypes.string_at(array.buffers[1], (array.length + 1) * struct.calcsize(offset)))
        data = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b""
        values = [data[a:b].decode() for a, b in zip(ends, ends[1:])]
    elif schema.format == b"b":
        values = bits(1, array.length)
    else:
        kind = NUMBERS[schema.format]
        size = array.length * struct.calcsize(kind)
        values = struct.unpack(f"{array.length}{kind}", ctypes.string_at(array.buffers[1], size) if size else b"")
    if schema.dictionary:
        words = columnOf(schema.dictionary[0], array.dictionary[0])
        values = [words[code] for code in values]
    return [value if isValid else None for value, isValid in zip(values, valid)]


def tableOf(schema, array):
    assert schema.format == b"+s" and schema.n_children == array.n_children
    table = {schema.children[i][0].name.decode(): columnOf(schema.children[i][0], array.children[i][0])
             for i in range(schema.n_children)}
    assert all(len(column) == array.length for column in table.values())
    return table


def readArray(capsules):
    """The table of __arrow_c_array__()."""
    schema = Schema.from_address(CAPSULE(capsules[0], b"arrow_schema"))
    array = Array.from_address(CAPSULE(capsules[1], b"arrow_array"))
    return tableOf(schema, array)


def readStream(capsule):
    """The batches of __arrow_c_stream__(), released in another order than they came."""
    stream = Stream.from_address(CAPSULE(capsule, b"arrow_array_stream"))
    schema, batches = Schema(), []
    assert stream.get_schema(stream, schema) == 0
    while True:
        array = Array()
        assert stream.get_next(stream, array) == 0
        if not array.release:
            break
        batches.append(array)
    stream.release(stream)
    tables = [tableOf(schema, array) for array in batches]
    schema.release(schema)
    for array in batches:
        array.release(array)
        assert not array.release
    return tables
