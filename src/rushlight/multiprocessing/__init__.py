"""`torch.multiprocessing`: Python's `multiprocessing` whose queues, pipes and processes share tensor memory.

https://docs.pytorch.org/docs/stable/multiprocessing.html
"""

# ruff: noqa: F401  # the names of `spawn.py` are offered here

from __future__ import annotations

import multiprocessing
import sys
from multiprocessing import *  # noqa: F403

from rushlight.multiprocessing.reductions import init_reductions
from rushlight.multiprocessing.spawn import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    prctl_pr_set_pdeathsig,
    spawn,
    start_processes,
)  # fmt: skip

__all__ = ["get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy"]
__all__ += multiprocessing.__all__  # type: ignore[attr-defined]
_prctl_pr_set_pdeathsig = prctl_pr_set_pdeathsig

init_reductions()


class Sharing:
    """The chosen sharing strategy."""

    strategy = "file_descriptor" if sys.platform == "linux" else "file_system"


def get_all_sharing_strategies() -> set[str]:
    """Returns the names of PyTorch's sharing strategies on this system."""
    return {"file_descriptor", "file_system"} if sys.platform == "linux" else {"file_system"}


def get_sharing_strategy() -> str:
    """Returns the name of the chosen sharing strategy."""
    return Sharing.strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Chooses a sharing strategy by name.

    Memory is shared in the same way under all names: as an unnamed file whose descriptor is sent, so that nothing can
    be left behind.
    """
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(f"Expected one of {sorted(get_all_sharing_strategies())}, got {new_strategy!r}")
    Sharing.strategy = new_strategy
