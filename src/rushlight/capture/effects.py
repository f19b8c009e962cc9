"""What a call of ours may change besides the elements of tensors: by default, all that its arguments lead to."""

from __future__ import annotations

import gc
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, ModuleType
from typing import Any

import numpy as np

from rushlight.capture.c_calls import is_scalar
from rushlight.core.tensor import Tensor
from rushlight.optim.optimizer import Optimizer

IN_C = (BuiltinFunctionType, MethodDescriptorType)  # such as `list.append`: they change their first argument
LEADS_NOWHERE = (Tensor, np.ndarray, type, ModuleType, FunctionType, BuiltinFunctionType)


def changed_by(function: Any, values: list) -> set[int]:
    """Returns the ids of the objects that a call may change."""
    if isinstance(function, IN_C) or function is setattr:
        return {id(each) for each in values[:1]}
    if values and isinstance(values[0], Optimizer) and (name := getattr(function, "__name__", "")) in OPTIMIZER_METHODS:
        return reachable([getattr(values[0], attribute) for attribute in OPTIMIZER_METHODS[name]])
    return reachable([function, *(getattr(function, "__closure__", None) or ()), *values])


# The attributes that methods of optimizers change.
OPTIMIZER_METHODS = {"zero_grad": (), "step": ("state",)}


def reachable(values: list) -> set[int]:
    """Returns the ids of objects, and of those inside them."""
    seen: set[int] = set()
    waiting = [*values]
    while waiting:
        value = waiting.pop()
        if id(value) in seen or is_scalar(value) or isinstance(value, LEADS_NOWHERE):
            continue
        seen.add(id(value))
        if isinstance(getattr(value, "__dict__", None), dict):
            waiting.append(vars(value))
        waiting += gc.get_referents(value)
    return seen
