"""`torch._check` and similar functions, which libraries use to check arguments."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.core.device import device as Place
from rushlight.core.dtype import SCALAR_NAMES, int64
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor
from rushlight.create.symbolic import SymBool
from rushlight.dispatch.message import type_name

SILENT = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def _check_with(error_type, cond, message: Callable[[], Any] | None) -> None:
    """Raises `error_type` with the result of `message` unless `cond` is true."""
    if not isinstance(cond, (bool, SymBool)):
        if isinstance(cond, Tensor):
            raise TypeError(
                "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to "
                "assert that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        _fail(error_type, message)


def _fail(error_type, message) -> None:
    if not issubclass(error_type, Exception) or issubclass(error_type, Warning):
        raise AssertionError(f"error_type must be a subclass of Exception but not Warning, got {error_type}")
    if message is None:
        raise error_type(SILENT)
    if not callable(message):
        raise noted(
            TypeError("message must be a callable"),
            "Write it as a function, which is called only if the check fails: lambda: 'message'.",
        )
    raise error_type(str(message()))


def _check(cond, message: Callable[[], Any] | None = None) -> None:
    """Raises RuntimeError with the result of `message` unless `cond` is true."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond, message: Callable[[], Any] | None = None) -> None:
    """Raises IndexError with the result of `message` unless `cond` is true."""
    _check_with(IndexError, cond, message)


def _check_value(cond, message: Callable[[], Any] | None = None) -> None:
    """Raises ValueError with the result of `message` unless `cond` is true."""
    _check_with(ValueError, cond, message)


def _check_type(cond, message: Callable[[], Any] | None = None) -> None:
    """Raises TypeError with the result of `message` unless `cond` is true."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond, message: Callable[[], Any] | None = None) -> None:
    """Raises NotImplementedError with the result of `message` unless `cond` is true."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i, message: Callable[[], Any] | None = None, *, max=None) -> None:
    """Raises RuntimeError unless `i` is in [0, max]. Deprecated."""
    warnings.warn(
        "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     "
        "Use _check(i >= 0) instead.",
        FutureWarning,
        stacklevel=2,
    )
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(error_type, cond, message: Callable[[], Any] | None = None) -> None:
    """Raises `error_type` with the result of `message` unless all elements of a mask are true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if repr(cond.dtype) != "torch.bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all()), message)


def _check_tensor_all(cond, message: Callable[[], Any] | None = None) -> None:
    """Raises RuntimeError with the result of `message` unless all elements of a mask are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert_async(input, assert_msg: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """Raises RuntimeError immediately if the only element of a tensor is zero."""
    _check_tensor("_assert_async", input)
    if not bool(input):
        raise RuntimeError(assert_msg)


def _shape_as_tensor(input) -> Tensor:
    """Returns the shape as an int64 tensor.

    >>> import rushlight as torch
    >>> torch._shape_as_tensor(torch.ones(2, 3))
    tensor([2, 3])
    """
    _check_tensor("_shape_as_tensor", input)
    return tensor(list(input.shape), dtype=int64)


def _assert_tensor_metadata(a, size=None, stride=None, dtype=None, *, device=None, layout=None) -> None:
    """Raises RuntimeError if a tensor has another shape, stride, dtype, device or layout than those that are given."""
    _check_tensor("_assert_tensor_metadata", a, "a")
    if size is not None and tuple(a.shape) != tuple(size):
        raise _mismatch("sizes", list(size), list(a.shape))
    if stride is not None and a.stride() != tuple(stride):
        raise _mismatch("strides", list(stride), list(a.stride()))
    if dtype is not None and a.dtype is not dtype:
        raise _mismatch("dtype", SCALAR_NAMES[dtype], SCALAR_NAMES[a.dtype].lower())
    if device is not None and a.device != Place(device):
        raise _mismatch("device", Place(device), a.device)
    if layout is not None and a.layout is not layout:
        raise _mismatch("layout", *map(_layout_name, (layout, a.layout)))


def _layout_name(layout) -> str:
    return str(layout).rpartition(".")[2].title().replace("_", "").removesuffix("Coo")


def _mismatch(what: str, expected, got) -> RuntimeError:
    return RuntimeError(f"Tensor {what} mismatch! Expected: {expected}, Got: {got}")


def _check_tensor(name: str, value, argument: str = "input") -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position 1) must be Tensor, not {type_name(value)}")
