"""Queries of a tensor that read no elements: shape, dtype, device, strides, address."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS, CPU, device
from rushlight.core.dtype import BY_NUMPY
from rushlight.core.errors import no_dim, noted, type_name
from rushlight.core.lazy_conj_neg import beneath, marks_of
from rushlight.core.read_only import ReadOnly
from rushlight.core.size import SIZES, Size
from rushlight.core.storage import address, owner
from rushlight.core.strides import contiguous_strides, element_strides


class layout(ReadOnly):
    """The storage layout of a tensor. https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-layout"""

    __slots__ = ("name",)
    __module__ = "torch"

    name: str

    def __init__(self, name: str):
        self._set(name=name)

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return named_layout, (self.name,)


STRIDED = layout("strided")
SPARSE_COO, SPARSE_CSR, SPARSE_CSC = layout("sparse_coo"), layout("sparse_csr"), layout("sparse_csc")
# The others exist for comparison in programs.
SPARSE_BSR, SPARSE_BSC, JAGGED = layout("sparse_bsr"), layout("sparse_bsc"), layout("jagged")
MKLDNN = layout("_mkldnn")
LAYOUTS = STRIDED, SPARSE_COO, SPARSE_CSR, SPARSE_CSC, SPARSE_BSR, SPARSE_BSC, JAGGED, MKLDNN


def named_layout(name: str) -> layout | None:
    """Returns the layout with that name, or None."""
    return next((layout_ for layout_ in LAYOUTS if layout_.name == name), None)


def check_layout(name: str, requested) -> None:
    """Raises TypeError for a value that is no layout, NotImplementedError for a layout without tensors here."""
    if requested is None or requested is STRIDED:
        return
    if not isinstance(requested, layout):
        raise TypeError(f"{name}(): argument 'layout' must be torch.layout, not {type_name(requested)}")
    raise noted(
        NotImplementedError(f"{name}(): rushlight has no tensors of layout {requested}, or none made by this function"),
        "Leave `layout` out, and call to_sparse() on the result. zeros, empty and zeros_like take sparse layouts.",
    )


class Shaped:
    """The part of Tensor that reads only properties of its array."""

    _array: np.ndarray
    _storage: Any
    _store: Any

    @property
    def shape(self) -> Size:
        return SIZES[self._array.shape]

    @property
    def dtype(self) -> dtypes.dtype:
        return BY_NUMPY[self._array.dtype]

    @property
    def device(self) -> device:
        array = self._array
        return CPU if type(array) is np.ndarray else BACKENDS.of(array).device_of(array)

    @property
    def layout(self):
        return STRIDED

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def itemsize(self) -> int:
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    @property
    def is_cuda(self) -> bool:
        return self.device.type == "cuda"

    @property
    def is_cpu(self) -> bool:
        return self.device.type == "cpu"

    @property
    def is_meta(self) -> bool:
        return self.device.type == "meta"

    is_sparse = is_sparse_csr = False  # `rushlight.sparse` has a class of tensors for which they are not
    # Layouts and devices of PyTorch that rushlight does not have.
    is_quantized = is_nested = is_mkldnn = False
    is_ipu = is_maia = is_mps = is_mtia = is_vulkan = is_xla = is_xpu = False
    names = property(lambda self: (None,) * self._array.ndim)

    def get_device(self) -> int:
        """Returns the index of the device, -1 on the CPU."""
        return -1 if self.device.type == "cpu" else self.device.index or 0

    def size(self, dim: int | None = None):
        """Returns the shape, or its entry `dim`. Raises IndexError if there is no such dimension."""
        if dim is None:
            return SIZES[self._array.shape]
        try:
            return self._array.shape[dim]
        except (IndexError, TypeError):
            raise no_dim("size", dim, self._array.ndim) from None

    def dim(self) -> int:
        """Returns the number of dimensions."""
        return self._array.ndim

    ndimension = dim

    def numel(self) -> int:
        """Returns the number of elements."""
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        """Returns the bytes per element."""
        return self._array.itemsize

    def stride(self, dim: int | None = None):
        """Returns the strides in elements, or the stride of one dimension."""
        array = self._array
        strides = element_strides(array)
        if 0 in strides and array.flags.c_contiguous:
            # NumPy gives new dimensions of size 1, and new arrays without elements, strides of 0.
            strides = contiguous_strides(array.shape)
        try:
            return strides if dim is None else strides[dim]
        except (IndexError, TypeError):
            raise no_dim("stride", dim, array.ndim) from None

    def storage_offset(self) -> int:
        """Returns the offset of the first element in the storage, in elements."""
        array = self._array
        if (below := getattr(array, "value", None)) is not None:  # inside a transform
            return below.storage_offset()
        if type(array) is np.ndarray and array.base is None and self._storage.memory is None:
            return 0  # the array owns its memory
        return (address(array) - address(self._memory())) // array.itemsize if array.size else 0

    def _memory(self) -> np.ndarray:
        """Returns the array that covers the whole storage."""
        if (below := getattr(self._array, "value", None)) is not None:
            return below._memory()
        return owner(beneath(self._array)) if self._storage.memory is None else self._storage.memory

    def data_ptr(self) -> int:
        """Returns the address of the first element; 0 for an empty tensor."""
        if getattr(self._array, "batched", False):
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        return address(self._array) if self._array.size and not self.is_meta else 0

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating-point dtype."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self.dtype.is_complex

    def is_signed(self) -> bool:
        """Whether the dtype is signed."""
        return self.dtype.is_signed

    def is_conj(self) -> bool:
        """Whether the values are the conjugates of those in memory."""
        return marks_of(self._array)[0]

    def is_neg(self) -> bool:
        """Whether the values are the negatives of those in memory."""
        return marks_of(self._array)[1]
