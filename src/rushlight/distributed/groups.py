"""Process groups, for programs that name the class. None can be created: there is one process."""

from __future__ import annotations

from typing import NoReturn

from rushlight.core.errors import noted

__all__ = ["ProcessGroup"]


class ProcessGroup:
    """Several processes. Raises NotImplementedError."""

    def __init__(self, *args, **kwargs) -> None:
        refuse("torch.distributed.ProcessGroup")


def refuse(name: str) -> NoReturn:
    """Raises the error of functions that need several processes."""
    words = f"{name} needs several processes, and rushlight has one."
    raise noted(NotImplementedError(words), "Ask torch.distributed.is_available() first: it is False.")
