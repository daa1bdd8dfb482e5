"""Functions that Fulgurite emitted as C, called from Python: python3 call.py libsensors.so"""
import ctypes as c
import sys


class Error(c.Structure):  # fg_error of fulgurite_c.h
    _fields_ = [("status", c.c_int), ("line", c.c_int), ("file", c.c_char_p), ("text", c.c_char * 512)]


class Call(c.Structure):  # fg_call
    _fields_ = [("error", c.POINTER(Error)), ("workspace", c.c_void_p), ("workspace_bytes", c.c_size_t),
                ("allocate", c.c_void_p), ("release", c.c_void_p), ("memory", c.c_void_p),
                ("parallel_for", c.c_void_p), ("pool", c.c_void_p), ("n_threads", c.c_int)]


def floats(values):
    return (c.c_float * len(values))(*values)


sensors = c.CDLL(sys.argv[1])
size = c.c_int64
sensors.average.argtypes = [c.POINTER(c.c_float), size, c.POINTER(c.c_float), c.POINTER(Call)]
sensors.corrected.argtypes = [c.POINTER(c.c_float), size, c.POINTER(c.c_int32), size, c.POINTER(c.c_float), size,
                              c.POINTER(c.c_float), size, c.POINTER(size), c.POINTER(Call)]
error = Error()
call = Call(error=c.pointer(error))

result = c.c_float()
assert sensors.average(floats([1, 2, 6]), 3, c.byref(result), c.byref(call)) == 0
assert result.value == 3

exact, n_exact = floats([0, 0]), size()
errors = floats([0.5, -0.25])
assert sensors.corrected(floats([20, 10]), 2, (c.c_int32 * 2)(0, 1), 2, errors, 2, exact, 2, c.byref(n_exact), c.byref(call)) == 0
assert list(exact) == [19.5, 10.25] and n_exact.value == 2

# The second reading is of a sensor that the table does not have.
status = sensors.corrected(floats([20, 10]), 2, (c.c_int32 * 2)(0, 9), 2, errors, 2, exact, 2, c.byref(n_exact), c.byref(call))
assert status == 2 and error.file.decode().endswith("programs.cpp") and error.line > 0
print(f"{error.file.decode()}:{error.line}: {error.text.decode()}")
print("average", result.value)
