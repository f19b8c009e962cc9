"""Processes that exchange tensors, as a class that programs name. There is one process, so no group can be made."""

from __future__ import annotations

from typing import NoReturn

from rushlight.core.errors import noted

__all__ = ["ProcessGroup"]


class ProcessGroup:
    """Several processes. Making one raises NotImplementedError."""

    def __init__(self, *args, **kwargs) -> None:
        refuse("torch.distributed.ProcessGroup")


def refuse(name: str) -> NoReturn:
    """Raises the error of everything that needs several processes."""
    words = f"{name} needs several processes, and rushlight has one."
    raise noted(NotImplementedError(words), "Ask torch.distributed.is_available() first: it is False.")
