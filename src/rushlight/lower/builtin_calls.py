"""Wraps machine code as Python builtin functions, which Python calls in a tenth of ctypes' time.

A kernel's module gets a function that converts Python objects to arguments, as a C extension does (Python/C API,
"METH_FASTCALL"), releases the GIL and calls the kernel. For an array it reads the data pointer, the first field after
the object's head (NumPy reference, "PyArrayObject").
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.lower.machine_types import Type, void

FASTCALL = 0x80
HEAD = object.__basicsize__
REFUSAL = b"a kernel was given what it does not take"

SUPPORT = f"""@rushlight_array = global ptr null
@rushlight_refusal = private constant [{len(REFUSAL) + 1} x i8] c"{REFUSAL.decode()}\\00"
@rushlight_type_error = global ptr null
@rushlight_none = global ptr null
declare i32 @PyType_IsSubtype(ptr, ptr)
declare ptr @PyLong_AsVoidPtr(ptr)
declare i64 @PyLong_AsLongLong(ptr)
declare i64 @PyLong_AsUnsignedLongLongMask(ptr)
declare double @PyFloat_AsDouble(ptr)
declare i32 @PyObject_IsTrue(ptr)
declare ptr @PyErr_Occurred()
declare void @PyErr_SetString(ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyLong_FromUnsignedLongLong(i64)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyBool_FromLong(i64)

define private ptr @rushlight_elements(ptr %object) #2 {{
entry:
  %place = getelementptr i8, ptr %object, i64 {HEAD - ctypes.sizeof(ctypes.c_void_p)}
  %type = load ptr, ptr %place
  %array = load ptr, ptr @rushlight_array
  %exact = icmp eq ptr %type, %array
  br i1 %exact, label %read, label %ask
ask:
  %kin = call i32 @PyType_IsSubtype(ptr %type, ptr %array)
  %is = icmp ne i32 %kin, 0
  br i1 %is, label %read, label %number
read:
  %data = getelementptr i8, ptr %object, i64 {HEAD}
  %elements = load ptr, ptr %data
  ret ptr %elements
number:
  %address = call ptr @PyLong_AsVoidPtr(ptr %object)
  ret ptr %address
}}
"""
# How to read an argument, by its kind, and how to return a result.
READ = {
    "p": ("ptr", "@rushlight_elements"),
    "c": ("ptr", "@PyLong_AsVoidPtr"),
    "i": ("i64", "@PyLong_AsLongLong"),
    "u": ("i64", "@PyLong_AsUnsignedLongLongMask"),
    "f": ("double", "@PyFloat_AsDouble"),
    "b": ("i32", "@PyObject_IsTrue"),
}
GIVEN = {
    "i": ("i64", "sext", "@PyLong_FromLongLong"),
    "u": ("i64", "zext", "@PyLong_FromUnsignedLongLong"),
    "f": ("double", "fpext", "@PyFloat_FromDouble"),
    "b": ("i64", "zext", "@PyBool_FromLong"),
}


# Addresses of Python objects that the module's variables hold.
OBJECTS = {
    "rushlight_array": lambda: id(np.ndarray),
    "rushlight_none": lambda: id(None),
    "rushlight_type_error": lambda: id(TypeError),
}


def text(symbol: str, kernel: str, parameters: Sequence[Type], returns: Type) -> str:
    """Returns the definition of a function that Python can call; its module needs SUPPORT."""
    lines = [
        f"define ptr @{symbol}(ptr %self, ptr %given, i64 %count) #2 {{",
        "entry:",
        f"  %fits = icmp eq i64 %count, {len(parameters)}",
        "  br i1 %fits, label %read, label %refuse",
        "read:",
        *(line for number, type_ in enumerate(parameters) for line in argument(number, type_)),
        "  %wrong = call ptr @PyErr_Occurred()",
        "  %fine = icmp eq ptr %wrong, null",
        "  br i1 %fine, label %run, label %raise",
        "run:",
        "  %thread = call ptr @PyEval_SaveThread()",
        *result(kernel, ", ".join(f"{type_.register} %v{number}" for number, type_ in enumerate(parameters)), returns),
        "refuse:",
        "  %error = load ptr, ptr @rushlight_type_error",
        "  call void @PyErr_SetString(ptr %error, ptr @rushlight_refusal)",
        "  br label %raise",
        "raise:",
        "  ret ptr null",
        "}",
    ]
    return "\n".join(lines) + "\n"


def argument(number: int, type_: Type) -> list[str]:
    """Returns the code that reads an argument from its object."""
    form, reader = READ[type_.kind]
    lines = [
        f"  %g{number} = getelementptr ptr, ptr %given, i64 {number}",
        f"  %o{number} = load ptr, ptr %g{number}",
        f"  %w{number} = call {form} {reader}(ptr %o{number})",
    ]
    if type_.register == form:
        return [*lines[:2], lines[2].replace("%w", "%v", 1)]
    narrower = "fptrunc" if type_.kind == "f" else "trunc"
    return [*lines, f"  %v{number} = {narrower} {form} %w{number} to {type_.register}"]


def result(kernel: str, arguments: str, returns: Type) -> list[str]:
    """Returns the code that calls the kernel and makes an object of its result."""
    resume = "  call void @PyEval_RestoreThread(ptr %thread)"
    if returns is void:
        call = f"  call void @{kernel}({arguments})"
        none = "  %none = load ptr, ptr @rushlight_none"
        return [call, resume, none, "  call void @Py_IncRef(ptr %none)", "  ret ptr %none"]
    form, wider, maker = GIVEN[returns.kind]
    call = f"  %found = call {returns.register} @{kernel}({arguments})"
    widen = f"  %wide = {wider} {returns.register} %found to {form}"
    if returns.register == form:
        widen = f"  %wide = bitcast {form} %found to {form}"
    return [call, resume, widen, f"  %made = call ptr {maker}({form} %wide)", "  ret ptr %made"]


class Method(ctypes.Structure):
    """Python's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@functools.cache  # Python holds their addresses
def method_of(name: str, address: int) -> Method:
    """Returns the definition of a builtin function."""
    return Method(name.encode(), address, FASTCALL, f"{name}: a kernel of rushlight".encode())


def function(name: str, address: int, owner: Any = None) -> Any:
    """Returns the builtin function that runs the machine code at an address; its `self` is `owner`."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return make(ctypes.addressof(method_of(name, address)), None if owner is None else id(owner), None)
