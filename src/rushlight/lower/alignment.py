"""Aligns NumPy's large arrays to cache lines: otherwise each vector access crosses two lines.

NumPy allocates through a handler (NEP 49). This one is NumPy's own except for large arrays, which the C library would
start 16 bytes past a line. Sizes are whole lines, so that freed memory is reused at the same address.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from rushlight.arrays import memory
from rushlight.lower.llvm import COLD, build
from rushlight.lower.numpy_table import DEFAULT_HANDLER, GET_HANDLER, SET_HANDLER, array_api, capsule_pointer

LARGE = 1 << 17  # bytes
HUGE = 1 << 22  # bytes from which NumPy asks for huge pages
TRACED = 389047  # the domain of arrays in Python's tracemalloc (NumPy reference, "Memory management")

# Its context is NumPy's function. The C library can free and reallocate its memory.
MALLOC = f"""
declare ptr @malloc(i64)
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare i32 @madvise(ptr, i64, i32)
declare i32 @PyTraceMalloc_Track(i32, i64, i64)
define ptr @aligned_malloc(ptr %plain, i64 %size) {{
  %large = icmp uge i64 %size, {LARGE}
  br i1 %large, label %lines, label %small
small:
  %given = tail call ptr %plain(ptr null, i64 %size)
  ret ptr %given
lines:
  %more = add i64 %size, 79
  %whole = and i64 %more, -64
  %asked = sub i64 %whole, 16
  %first = call ptr @malloc(i64 %asked)
  %address = ptrtoint ptr %first to i64
  %off = and i64 %address, 63
  %apart = icmp ne i64 %off, 0
  br i1 %apart, label %again, label %found
again:
  call void @free(ptr %first)
  %second = call ptr @aligned_alloc(i64 64, i64 %asked)
  br label %found
found:
  %place = phi ptr [%first, %lines], [%second, %again]
  %number = ptrtoint ptr %place to i64
  call i32 @PyTraceMalloc_Track(i32 {TRACED}, i64 %number, i64 %size)
  %huge = icmp uge i64 %size, {HUGE}
  br i1 %huge, label %pages, label %end
pages:
  %up = add i64 %number, 4095
  %page = and i64 %up, -4096
  %skipped = sub i64 %page, %number
  %rest = sub i64 %size, %skipped
  %begin = inttoptr i64 %page to ptr
  call i32 @madvise(ptr %begin, i64 %rest, i32 14)
  br label %end
end:
  ret ptr %place
}}
"""


class Handler(ctypes.Structure):
    """PyDataMem_Handler of NumPy's C API."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


@cache
def align() -> bool:
    """Installs the handler, unless the program has its own or the C library is unknown; returns whether it did."""
    functions = array_api()
    default: Any = ctypes.cast(functions[DEFAULT_HANDLER], ctypes.POINTER(ctypes.py_object))[0]
    if not memory.reuse() or ctypes.PYFUNCTYPE(ctypes.py_object)(functions[GET_HANDLER])() is not default:
        return False
    handler = Handler.from_buffer_copy(Handler.from_address(capsule_pointer(default, NAME)))
    handler.name = b"rushlight"
    handler.context = handler.malloc
    handler.malloc = build(MALLOC, "aligned_malloc", passes=COLD)["aligned_malloc"]
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    KEPT.append(handler)
    ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(functions[SET_HANDLER])(
        new(ctypes.addressof(handler), NAME, None)
    )
    return True


NAME = b"mem_handler"
KEPT: list[Handler] = []  # arrays hold their addresses
