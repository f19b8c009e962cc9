"""`use_deterministic_algorithms`: errors where PyTorch has no deterministic algorithm, and filled memory.

All results here are deterministic, but a program that requests PyTorch's errors should get them here too.
https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
"""

from __future__ import annotations

import math
import os
import sys
import warnings

import numpy as np

from rushlight.core.dtype import BOOL, from_numpy_dtype
from rushlight.core.errors import noted

PACKAGE_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


class Determinism:
    """The settings of the program."""

    __slots__ = ("fill", "only_warns", "wanted")

    def __init__(self):
        self.wanted = False
        self.only_warns = False
        self.fill = True  # torch.utils.deterministic.fill_uninitialized_memory


DETERMINISM = Determinism()


def alert(name: str) -> None:
    """Raises RuntimeError, or warns, if deterministic algorithms are requested; PyTorch has none for this function."""
    if not DETERMINISM.wanted:
        return
    words = f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True"
    if not DETERMINISM.only_warns:
        raise noted(
            RuntimeError(
                f"{words})'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' "
                "option, if that's acceptable for your application. You can also file an issue at "
                "https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this "
                "operation."
            ),
            "rushlight gives the same result every time; PyTorch would not. To go on:\n"
            "torch.use_deterministic_algorithms(True, warn_only=True)",
        )
    warnings.warn(
        f"{words}, warn_only=True)'. You can file an issue at https://github.com/pytorch/pytorch/issues to help us "
        "prioritize adding deterministic support for this operation.",
        UserWarning,
        stacklevel=levels_to_the_program(),
    )


def levels_to_the_program() -> int:
    """Returns the number of calls between the caller and the program's own line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
        frame, level = frame.f_back, level + 1
    return level


def set_fill(mode: bool, /) -> None:
    """Sets whether uninitialized memory is filled. Raises RuntimeError if `mode` is no bool."""
    if type(mode) is not bool:
        raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
    DETERMINISM.fill = mode


def fills() -> bool:
    """Whether uninitialized memory is filled."""
    return DETERMINISM.wanted and DETERMINISM.fill


def fill_unset(array) -> None:
    """Fills an array with the values that mark uninitialized memory: NaN, the largest integer, or True."""
    dtype = from_numpy_dtype(array.dtype)
    if dtype.is_floating_point or dtype.is_complex:
        array[...] = math.nan
    else:
        array[...] = True if dtype.category == BOOL else np.iinfo(array.dtype).max


def unset(size, dtype: np.dtype) -> np.ndarray:
    """Returns an array of undefined values, filled if that is requested."""
    array = np.empty(size, dtype)
    if DETERMINISM.wanted and DETERMINISM.fill:
        fill_unset(array)
    return array
