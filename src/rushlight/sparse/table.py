"""The functions that sparse tensors have, by the names of PyTorch's operators.

Each has the signature of the operator. What is not here raises NotImplementedError, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Callable[..., Any]] = {}


def computes(*names: str) -> Callable[[F], F]:
    """Enters a function as the operators of these names."""

    def enter(function: F) -> F:
        for name in names:
            FUNCTIONS[name] = function
        return function

    return enter
