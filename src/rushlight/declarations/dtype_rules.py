"""Small functions on dtypes that declarations share: in `forward`, arrays carry NumPy's and arguments PyTorch's."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import BY_NUMPY, C_NAMES, COMPLEX, REDUCED, SCALAR_NAMES
from rushlight.core.tensor import Tensor
from rushlight.declarations.promote import number_dtype

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)

# What the kernels that round and change signs say of an `out=` of another dtype than the result's.
FOUND_DTYPE = "Found dtype {out} but expected {result}"
# What others say of it.
OTHER_SCALAR = "expected scalar type {result} but found {out}"


def numpy_of(dtype):
    """The NumPy dtype of a `dtype=` argument, None if it was not given."""
    return None if dtype is None else dtype.numpy


def accumulated(array, dtype=None):
    """The NumPy dtype in which PyTorch sums an array: whole numbers and bools become int64 unless `dtype` was given."""
    return INT64 if dtype is None and array.dtype.kind in "biu" else array.dtype


def converted(xp, array, dtype):
    """An array in the dtype of a `dtype=` argument; as it is if that was not given."""
    return array if dtype is None else xp.astype(array, dtype.numpy)


def refuse(array, kinds: str, kernel: str) -> None:
    """Raises for the kinds of dtype, by NumPy's letters, that a kernel, by PyTorch's name, was never written for."""
    if array.dtype.kind in kinds:
        raise unimplemented(kernel)(BY_NUMPY[array.dtype])


def is_complex(value) -> bool:
    """Whether a raw array or a tensor is complex."""
    return raw_dtype(value).kind == "c"


def raw_dtype(value):
    """The NumPy dtype of a raw array or of a tensor."""
    return (value._array if isinstance(value, Tensor) else value).dtype


def unimplemented(kernel: str):
    """What an operator raises for a category of dtype that its kernel, by PyTorch's name, was never written for."""
    return lambda dtype: NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[dtype]}'")


def wide_floats_only(kernel: str) -> dict:
    """What to refuse where a kernel was written for float32 and float64 alone, which whole numbers are turned into."""
    return dict.fromkeys((COMPLEX, *REDUCED), unimplemented(kernel))


def refusal(words: str, error: type[Exception] = RuntimeError):
    """What an operator raises for a category of dtype that makes no sense to it."""
    return lambda dtype: error(words)


def scalar_names(*arrays) -> list[str]:
    """PyTorch's names of the scalar types of raw arrays."""
    return [SCALAR_NAMES[BY_NUMPY[raw_dtype(each)]] for each in arrays]


def type_of(tensor) -> str:
    """What PyTorch's oldest messages call a tensor."""
    name = SCALAR_NAMES[tensor.dtype]
    return f"torch.{name}Tensor" if 0 < tensor.dtype.category < COMPLEX else f"CPU{name}Type"


def cpp_names(*arrays) -> list[str]:
    """The C++ types of the elements of raw arrays."""
    dtypes = [BY_NUMPY[raw_dtype(each)] for each in arrays]
    return [C_NAMES.get(each, each.name) for each in dtypes]


def category_of(operand) -> int:
    """BOOL, INTEGER, FLOAT or COMPLEX: that of a tensor's dtype, or of a number."""
    return (operand.dtype if hasattr(operand, "dtype") else number_dtype(operand)).category
