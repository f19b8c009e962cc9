"""`torch.fx.tensor_type`: types of tensors by their sizes, some of which may be unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


class _DynType:
    """An unknown type or size."""

    __name__ = "_DynType"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DynType)

    def __hash__(self) -> int:
        return hash(_DynType)

    def __str__(self) -> str:
        return "Dyn"

    __repr__ = __str__


Dyn = _DynType()


class TensorType:
    """The type of tensors with given sizes; `Dyn` is any size.

    >>> is_consistent(TensorType((1, Dyn)), TensorType((1, 2))), is_consistent(TensorType((1,)), TensorType((2,)))
    (True, False)
    """

    def __init__(self, dim: Iterable[Any]) -> None:
        self.__origin__ = TensorType
        self.__args__ = tuple(dim)

    @property
    def dims(self) -> tuple[Any, ...]:
        """The sizes."""
        return self.__args__

    def __class_getitem__(cls, sizes: Any) -> TensorType:
        return TensorType(sizes if isinstance(sizes, tuple) else (sizes,))

    def __repr__(self) -> str:
        return f"TensorType[{self.__args__}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and list(self.__args__) == list(other.__args__)

    def __hash__(self) -> int:
        return hash(self.__args__)


def is_consistent(t1: Any, t2: Any) -> bool:
    """Whether two types can be the type of one value: unknown parts fit all."""
    if t1 == t2 or isinstance(t1, _DynType) or isinstance(t2, _DynType):
        return True
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        return False
    return len(t1.__args__) == len(t2.__args__) and all(map(is_consistent, t1.__args__, t2.__args__))


def is_more_precise(t1: Any, t2: Any) -> bool:
    """Whether the first type has all that is known of the second."""
    if t1 == t2 or isinstance(t2, _DynType):
        return True
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        return False
    return len(t1.__args__) == len(t2.__args__) and all(map(is_more_precise, t1.__args__, t2.__args__))
