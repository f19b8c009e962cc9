"""Containers in containers, to which functions of ours look as trees: those that hold tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.capture.c_calls import CONTAINERS, is_scalar
from rushlight.capture.watch import Watcher
from rushlight.core.tensor import Tensor


def has_tensor(values: Any, levels: int = 2) -> bool:
    """Whether a tensor or array is among values, or in lists among them."""
    for each in values:
        if isinstance(each, (Tensor, np.ndarray)):
            return True
        if (
            levels
            and type(each) in (list, tuple, dict)
            and has_tensor(each.values() if type(each) is dict else each, levels - 1)
        ):
            return True
    return False


def is_flat(value: Any) -> bool:
    """Whether a container has nothing but numbers and tensors."""
    return type(value) in CONTAINERS and all([is_scalar(each) or isinstance(each, Tensor) for each in value])


def read_nested(w: Watcher, value: Any, around: tuple[int, ...] = ()) -> None:
    """Reads a container, and those in it that hold tensors; `around` are those that it is in."""
    if type(value) not in CONTAINERS or id(value) in around:
        return
    w.read_container(value)
    for each in dict.values(value) if isinstance(value, dict) else value:
        if has_tensor((each,)):
            read_nested(w, each, (*around, id(value)))
