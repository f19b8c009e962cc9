"""Values of a program as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.lazy_conj_neg import plain
from rushlight.core.tensor import Tensor

__all__ = ["make_np"]


def make_np(x: Any) -> np.ndarray:
    """Returns an array, number or tensor as an array; bfloat16 as float32.

    Raises NotImplementedError for anything else.

    >>> import rushlight as torch
    >>> make_np(torch.ones(2)), make_np(3)
    (array([1., 1.], dtype=float32), array([3]))
    """
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if isinstance(x, Tensor):
        array = plain(x.detach().cpu()._array)
        return array if array.dtype.isbuiltin else array.astype(np.float32)
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")
