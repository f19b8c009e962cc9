"""`torch.jit.isinstance`: whether an object is of a type such as `List[Tensor]`, its items included."""

from __future__ import annotations

import types
import typing
from typing import Any


def container_isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, or of one in a tuple of types; items of lists, tuples and dicts are checked.

    >>> from typing import Dict, List
    >>> container_isinstance([1, 2], List[int]), container_isinstance({"a": [1.0]}, Dict[str, List[int]])
    (True, False)
    """
    if isinstance(target_type, tuple):
        return any(container_isinstance(obj, each) for each in target_type)
    origin, parts = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        if target_type in (list, tuple, dict, typing.List, typing.Tuple, typing.Dict):  # noqa: UP006
            raise RuntimeError(f"Attempted to use {target_type} without a contained type. Please add a contained type, "
                               "e.g. List[int]")  # fmt: skip
        return isinstance(obj, target_type)
    if origin in (typing.Union, types.UnionType):
        return any(obj is None if each is type(None) else container_isinstance(obj, each) for each in parts)
    if not isinstance(obj, origin):
        return False
    if origin is list:
        return all(container_isinstance(each, parts[0]) for each in obj)
    if origin is dict:
        return all(
            container_isinstance(key, parts[0]) and container_isinstance(value, parts[1]) for key, value in obj.items()
        )
    if origin is tuple:
        return len(obj) == len(parts) and all(map(container_isinstance, obj, parts))
    return True
