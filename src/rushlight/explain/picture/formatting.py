"""Shapes, sizes and values as short text."""

from __future__ import annotations

import re

import numpy as np

from rushlight.core.device import BACKENDS
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.traced import TRACED

FEW = 6  # maximum number of elements that the short form lists
SOME = 24  # maximum number that the long form lists
DTYPES = {"float32": "", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}


def snake_case(name: str) -> str:
    """Returns a node's name as a function name.

    >>> snake_case("NativeLayerNorm"), snake_case("MaxPool2DWithIndices")
    ('native_layer_norm', 'max_pool2d_with_indices')
    """
    return re.sub(r"(?<=[a-zA-Z0-9])(?=[A-Z][a-z])", "_", name).lower()


def typed(shape: tuple | None, dtype: str | None) -> str:
    """Returns a shape, with the dtype unless it is float32.

    >>> typed((3, 4), "float32"), typed((3,), "float64"), typed((), "int64")
    ('(3, 4)', '(3,) f64', 'scalar int64')
    """
    if shape is None:
        return ""
    words = "scalar" if shape == () else "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    short = DTYPES.get(dtype, dtype) if dtype else ""
    return f"{words} {short}" if short else words


def number(value) -> str:
    """Formats a number with four digits."""
    if isinstance(value, (bool, int, np.bool_, np.integer)):
        return str(value)
    if isinstance(value, (complex, np.complexfloating)):
        return f"{complex(value):.3g}"
    return f"{float(value):.4g}"


def preview(array, *, short: bool = False) -> str:
    """Returns the elements of a small tensor, the norm of a larger one; `short` for use in a picture.

    >>> preview(np.array([1.0, 2.0])), preview(np.eye(2), short=True)
    ('[1, 2]', 'norm 1.414')
    """
    array = on_cpu(array)
    if array is None:
        return "no numbers"
    if array.size == 0:
        return "empty"
    if array.size == 1:
        return number(array.reshape(())[()])
    if array.size <= (FEW if short and array.ndim == 1 else 0 if short else SOME):
        return nested(array)
    if array.dtype.kind == "b":
        return f"{int(array.sum())} of {array.size} true"
    wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    norm = number(np.sqrt((np.abs(wide) ** 2).sum()))
    if short or wide.dtype.kind == "c":
        return f"norm {norm}"
    return f"from {number(wide.min())} to {number(wide.max())}, mean {number(wide.mean())}, norm {norm}"


def on_cpu(array):
    """Returns the elements as a NumPy array, those of all samples under `vmap`; None on the meta device."""
    while type(array) in TRACED:
        array = array.value._array
    if isinstance(array, np.ndarray):
        return array
    if isinstance(array, np.generic):
        return np.asarray(array)
    backend = BACKENDS.of(array)
    return None if backend.kind == "meta" else backend.to_cpu(plain(array))


def nested(array: np.ndarray) -> str:
    """Returns the elements in brackets, row by row."""
    if array.ndim == 0:
        return number(array[()])
    return "[" + ", ".join(nested(x) if array.ndim > 1 else number(x) for x in array) + "]"
