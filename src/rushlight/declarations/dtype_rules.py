"""Functions on dtypes that declarations share: arrays have NumPy's dtypes, `dtype=` arguments PyTorch's."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import BY_NUMPY, C_NAMES, COMPLEX, REDUCED, SCALAR_NAMES, bfloat16
from rushlight.core.tensor import Tensor
from rushlight.declarations.promote import number_dtype

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)

# The message of kernels that round or change signs for an `out=` of another dtype than the result's.
FOUND_DTYPE = "Found dtype {out} but expected {result}"
# The message of other kernels.
OTHER_SCALAR = "expected scalar type {result} but found {out}"


def numpy_of(dtype):
    """Returns the NumPy dtype of a `dtype=` argument, None for None."""
    return None if dtype is None else dtype.numpy


def sum_dtype(array, dtype=None):
    """Returns the NumPy dtype in which PyTorch sums an array: int64 for integers and bools without `dtype`."""
    return INT64 if dtype is None and array.dtype.kind in "biu" else array.dtype


def cast_to(xp, array, dtype):
    """Returns an array in the dtype of a `dtype=` argument; unchanged for None."""
    return array if dtype is None else xp.astype(array, dtype.numpy)


def refuse(array, kinds: str, kernel: str) -> None:
    """Raises if PyTorch's `kernel` does not implement the dtype; `kinds` are NumPy's letters."""
    if array.dtype.kind in kinds:
        raise unimplemented(kernel)(BY_NUMPY[array.dtype])


def is_complex(value) -> bool:
    """Whether a raw array or a tensor is complex."""
    return raw_dtype(value).kind == "c"


def raw_dtype(value):
    """The NumPy dtype of a raw array or of a tensor."""
    return (value._array if isinstance(value, Tensor) else value).dtype


def unimplemented(kernel: str):
    """Returns a function from a dtype to the error that PyTorch's `kernel` does not implement it."""
    return lambda dtype: NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[dtype]}'")


def wide_floats_only(kernel: str) -> dict:
    """Returns the refusals of a kernel for float32 and float64, to which integers are cast."""
    return dict.fromkeys((COMPLEX, *REDUCED), unimplemented(kernel))


def refusal(words: str, error: type[Exception] = RuntimeError):
    """Returns a function from a dtype to an error with fixed text."""
    return lambda dtype: error(words)


def scalar_names(*arrays) -> list[str]:
    """Returns PyTorch's names of the scalar types of arrays or tensors."""
    return [SCALAR_NAMES[BY_NUMPY[raw_dtype(each)]] for each in arrays]


def no_cast(result, out) -> RuntimeError:
    """Returns the error for a tensor that cannot hold a result of another dtype."""
    return RuntimeError(
        f"result type {SCALAR_NAMES[result]} can't be cast to the desired output type {SCALAR_NAMES[out]}"
    )


def not_castable(names: tuple[str, ...], position: int, result, out) -> RuntimeError:
    """Returns the same error in the words of linear algebra; `names` are those of an operator and of its results."""
    name, *results = names
    what, result, out = results[position], SCALAR_NAMES[result], SCALAR_NAMES[out]
    return RuntimeError(
        f"{name}: Expected {what} to be safely castable from {result} dtype, but got {what} with dtype {out}"
    )


def type_of(tensor) -> str:
    """Returns the type of a tensor as PyTorch's oldest messages name it."""
    return _old_name(tensor.dtype)


def type_of_array(array) -> str:
    """Returns `type_of` for an array or a tensor."""
    return _old_name(BY_NUMPY[raw_dtype(array)])


def _old_name(dtype) -> str:
    name = SCALAR_NAMES[dtype]
    return f"torch.{name}Tensor" if 0 < dtype.category < COMPLEX and dtype is not bfloat16 else f"CPU{name}Type"


def cpp_names(*arrays) -> list[str]:
    """Returns the C++ types of the elements of arrays or tensors."""
    dtypes = [BY_NUMPY[raw_dtype(each)] for each in arrays]
    return [C_NAMES.get(each, each.name) for each in dtypes]


def category_of(operand) -> int:
    """Returns BOOL, INTEGER, FLOAT or COMPLEX for a tensor or a Python number."""
    return (operand.dtype if hasattr(operand, "dtype") else number_dtype(operand)).category
