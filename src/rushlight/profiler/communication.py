"""What is observed of `torch.distributed`: its calls, and how long a rank is blocked in them.

Names are those of PyTorch's profiler for MPI, such as `mpi:all_reduce`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from rushlight.profiler.timed_code import Kind

CALLS = "communication"  # the category of calls, and of what is blocked in them
PACKAGE = f"{__name__.split('.', maxsplit=1)[0]}.distributed"
MODULES = ("barriers", "collectives", "objects", "parts", "point_to_point")  # which define the calls


def module(name: str) -> ModuleType | None:
    """Returns a module of `distributed`, None where no program has imported it."""
    return sys.modules.get(f"{PACKAGE}.{name}")


def calls() -> Iterator[tuple[FunctionType, Kind]]:
    """Returns the functions by which ranks communicate, with their names in a profile."""
    for each in filter(None, map(module, MODULES)):
        for name in each.__all__:
            if isinstance(function := getattr(each, name), FunctionType):
                yield function, Kind(f"mpi:{name}", CALLS)


def blocked(work: Any, timeout: Any = None) -> Kind:
    """Returns the kind of `Work.wait`, in which a rank is blocked until a call has ended."""
    return Kind(f"mpi:wait for {work.name}", CALLS)
