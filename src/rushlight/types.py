"""`torch.types`: names for annotations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias, Union

from rushlight.core.device import device as _device
from rushlight.core.dtype import dtype as _dtype
from rushlight.core.shape_queries import layout as _layout  # noqa: F401  # a name for programs
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.symbolic import SymBool, SymFloat, SymInt

__all__ = ["Number", "Device", "FileLike", "Storage"]  # noqa: RUF022  # PyTorch's order

_bool, _bytes, _complex, _float, _int, _str = bool, bytes, complex, float, int, str

Number: TypeAlias = int | float | bool
_Number = (int, float, bool)
Device: TypeAlias = _device | str | int | None
FileLike: TypeAlias = Union[str, os.PathLike[str], IO[bytes]]  # noqa: UP007  # as PyTorch prints it
IntLikeType: TypeAlias = int | SymInt
FloatLikeType: TypeAlias = float | SymFloat
BoolLikeType: TypeAlias = bool | SymBool
PySymType: TypeAlias = SymInt | SymFloat | SymBool
py_sym_types = (SymInt, SymFloat, SymBool)
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_symsize: TypeAlias = Size | Sequence[int | SymInt]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]


class Storage:
    """A storage of any type, in annotations. https://docs.pytorch.org/docs/stable/storage.html"""

    _cdata: int
    device: _device
    dtype: _dtype
    _torch_load_uninitialized: bool

    def __deepcopy__(self, memo: dict) -> Storage:
        raise NotImplementedError

    def _new_shared(self, size: int) -> Storage:
        raise NotImplementedError

    def _write_file(self, f: Any, is_real_file: bool, save_size: bool, element_size: int) -> None:
        raise NotImplementedError

    def element_size(self) -> int:
        raise NotImplementedError

    def is_shared(self) -> bool:
        raise NotImplementedError

    def share_memory_(self) -> Storage:
        raise NotImplementedError

    def nbytes(self) -> int:
        raise NotImplementedError

    def cpu(self) -> Storage:
        raise NotImplementedError

    def data_ptr(self) -> int:
        raise NotImplementedError
