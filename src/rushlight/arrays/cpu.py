"""The array language over NumPy. Names are the array API's; functions of several lines live in the files beside this one.

`np` functions dispatch on the type of their arguments, so this file also serves the simulated device, whose arrays are a
subclass of NumPy's.
"""

from __future__ import annotations

import numpy as np
from numpy import (
    abs,
    add,
    arange,
    argmax,
    argmin,
    argsort,
    broadcast_to,
    concatenate,
    conj,
    copy,
    divide,
    equal,
    exp,
    expand_dims,
    log,
    matmul,
    maximum,
    minimum,
    multiply,
    negative,
    ones_like,
    reshape,
    sqrt,
    squeeze,
    stack,
    subtract,
    take_along_axis,
    tanh,
    transpose,
    where,
    zeros_like,
)

from rushlight.arrays.strided import (
    add_windows,
    as_complex,
    as_real,
    diagonal,
    drop_dims,
    expand,
    locations,
    new_dim,
    permute,
    regather,
    strided,
    swapaxes,
    t,
    view,
    view_dtype,
    windows,
    write_places,
)

sum = np.add.reduce


def astype(array, dtype):
    """The array in another dtype, itself if it has it already; complex numbers lose their imaginary part silently."""
    if array.dtype == dtype:
        return array
    if array.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        array = array.real
    return array.astype(dtype)
