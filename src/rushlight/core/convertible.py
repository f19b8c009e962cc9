"""Converts a tensor to Python numbers and lists, to NumPy arrays, and through DLPack."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS, host
from rushlight.core.errors import about, noted
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import beneath, plain
from rushlight.core.modes import current, recording
from rushlight.core.origin import here
from rushlight.core.shape_queries import Shaped

TO_NUMBER = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first.\n"
    "A number has no history, so gradients end here: tensor.item() says that they shall."
)
SAID: dict = {}  # lines that were warned about, in the form that `warnings` keeps
PYTHON_NUMBERS = frozenset((bool, int, float, complex))


def is_integer(value) -> bool:
    """Whether PyTorch takes a value for an integer: not a bool, but a 0-d tensor of an integer dtype."""
    if type(value) is int:
        return True
    if isinstance(value, Convertible):
        return not value._array.ndim and value.dtype.category == dtypes.INTEGER
    # Operands of a kernel's formula that is being traced count too: they report that it must be a constant.
    return hasattr(type(value), "__index__") and not isinstance(value, (bool, np.ndarray))


class Convertible(Shaped):
    """The part of Tensor that converts its elements, or says why that is not possible."""

    requires_grad: Any

    def __bool__(self):
        if self._array.size == 1:
            try:
                return bool(self.item())
            except RuntimeError:
                if hasattr(self._array, "check_branch"):
                    self._array.check_branch()
                raise
        if hasattr(self._array, "check_branch"):
            self._array.check_branch()
        if self._array.size:
            repair = f"The tensor has shape {tuple(self.shape)}: say tensor.any() or tensor.all()."
            raise noted(RuntimeError("Boolean value of Tensor with more than one value is ambiguous"), repair)
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")

    def item(self):
        """Returns the only element as a Python number. Raises RuntimeError if there is not exactly one."""
        try:
            number = self._array.item()
        except (NotImplementedError, ValueError):
            number = self._item_or_reason()
        if type(number) is float:
            return number
        return number if type(number) in PYTHON_NUMBERS else float(number)

    def _item_or_reason(self):
        """Returns the only element of an array off the CPU; raises RuntimeError if there is not exactly one."""
        array = self._array
        if array.size != 1:
            words = f"a Tensor with {array.size} elements cannot be converted to Scalar"
            note = f"item() takes one element out; this tensor has shape {tuple(array.shape)}: tolist() gives all."
            # without NumPy's error
            raise about(RuntimeError(words), "not_one_element", note, tensor=self) from None
        if self.is_meta:
            raise RuntimeError("Tensor.item() cannot be called on meta tensors")
        return BACKENDS.of(array).to_cpu(plain(array)).item()

    def tolist(self):
        """Returns the elements as nested lists of Python numbers, or one number."""
        array = host(self)
        return (array.astype(np.float64) if array.dtype in dtypes.REDUCED_NUMPY else array).tolist()

    def __int__(self):
        return int(self._number("int64_t"))

    def __float__(self):
        return float(self._number("double", warns=True))

    def __complex__(self):
        return complex(self._number(warns=True))

    def _number(self, real: str | None = None, warns: bool = False):
        """Returns the only element, for Python's conversions; `real` is PyTorch's name of the type, unless complex.

        With `warns`, it warns once for each line of the program at which gradients would end here.
        """
        if self._array.size != 1:
            repair = f"This tensor has shape {tuple(self._array.shape)}: tolist() gives all its elements."
            raise noted(ValueError("only one element tensors can be converted to Python scalars"), repair)
        if warns and self.requires_grad and recording():
            place = here()
            warnings.warn_explicit(TO_NUMBER, UserWarning, place.file, place.line, registry=SAID)
        number = self.item()
        if real is None or type(number) is not complex:
            return number
        if number.imag:
            repair = f"The number {number} has an imaginary part: take tensor.real, or complex(tensor)."
            raise noted(RuntimeError(f"value cannot be converted to type {real} without overflow"), repair)
        return number.real

    def __index__(self):
        if self._array.size != 1 or self.dtype.category > dtypes.INTEGER:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Returns the same memory as a NumPy array; with `force`, a copy if it cannot be shared.

        Raises TypeError for a tensor on another device, RuntimeError for one that requires grad.
        """
        array = self._array
        if force:
            (self._store or self._storage).borrowed |= type(array) is np.ndarray
            return host(self).view()
        if type(array) is not np.ndarray:
            if (shown := getattr(array, "shown", None)) is None:
                raise self._no_array()
            array = shown.numpy()
        if edge_of(self) is not None and current().grad:
            raise self._tracked()
        (self._store or self._storage).borrowed = True  # no longer grows: the array would not follow
        return array.view()  # a view: the program may change its shape, dtype or writability

    def _tracked(self) -> Exception:
        error = RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        note = (
            "NumPy arrays have no gradients. If you want the values only (to plot, to log, to store), write "
            "tensor.detach().numpy()."
        )
        return about(error, "numpy_of_tracked", note, tensor=self)

    def _no_array(self) -> Exception:
        if type(beneath(self._array)) is not np.ndarray:
            if hasattr(self._array, "level"):
                host(self)  # an array of a transform says why it cannot be read
            return self._off_the_cpu()
        if edge_of(self) is not None and current().grad:
            return self._tracked()
        word, function = ("conjugate", "resolve_conj") if self.is_conj() else ("negative", "resolve_neg")
        error = RuntimeError(
            f"Can't call numpy() on Tensor that has {word} bit set. Use tensor.{function}().numpy() instead."
        )
        error.add_note(
            f"NumPy would read the memory, which holds the values before that. numpy(force=True) and "
            f"tensor.{function}().numpy() return a copy with the right values."
        )
        return error

    def _off_the_cpu(self) -> TypeError:
        error = TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
            "memory first."
        )
        error.add_note(
            "A NumPy array is in the CPU's memory. For a result that requires grad: t.detach().cpu().numpy()."
        )
        return error

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return array.astype(dtype)
        return array.copy() if copy else array
