"""Names that the array API standard adds to the root and to Tensor.

The functions are in `array_api`, which is imported on first use.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from rushlight.core.tensor import Tensor

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")  # each contains the one before

# Names of the standard that PyTorch lacks, so they have the same meaning in both namespaces.
NAMES = frozenset((
    "__array_api_version__", "__array_namespace_info__", "astype", "bitwise_invert", "broadcast_arrays",
    "cumulative_prod", "cumulative_sum", "expand_dims", "isdtype", "matrix_transpose", "permute_dims", "repeat",
    "take_along_axis", "unique_all", "unique_counts", "unique_inverse", "unique_values", "unstack", "vecdot",
))  # fmt: skip


def namespace() -> ModuleType:
    """Returns the standard's namespace."""
    return importlib.import_module("rushlight.array_api")


def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
    """Returns the standard's namespace, `rushlight.array_api`. Raises ValueError for a version after 2024.12.

    >>> import rushlight as torch
    >>> torch.ones(2).__array_namespace__().__array_api_version__
    '2024.12'
    """
    if api_version not in (None, *VERSIONS):
        raise ValueError(f"the array API standard {api_version!r} is not here; there are {', '.join(VERSIONS)}")
    return namespace()


def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor:
    """Returns the array on another device, or itself. Raises ValueError for a stream: there are none.

    >>> import rushlight as torch
    >>> torch.ones(2).to_device("meta").device
    device(type='meta')
    """
    if stream is not None:
        raise ValueError("to_device(): argument 'stream' must be None: no device of rushlight has streams")
    return self.to(device)


def attach() -> None:
    """Adds the standard's methods to Tensor; called once by the package root."""
    for method in (__array_namespace__, to_device):
        setattr(Tensor, method.__name__, method)
