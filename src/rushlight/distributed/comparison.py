"""Comparing the calls of ranks on different machines, which share no memory: while they wait, or before each call.

A rank that waits for long posts its call in the store and reads what others have posted. With
TORCH_DISTRIBUTED_DEBUG=DETAIL all ranks exchange their calls before each collective, which costs one small all_gather.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from rushlight.distributed import mpi
from rushlight.distributed.calls import Call, described
from rushlight.distributed.stores import Store

__all__ = ["exchanged", "posted"]


def posted(store: Store, key: tuple[int, int, int], rank: int, ranks: list[int], mine: Call | None) -> dict[int, Any]:
    """Posts this rank's call in a group's store; returns those of others, by rank: [sequence, kind, elements, text]."""
    store.set(f"waits/{rank}", json.dumps([*key, str(mine)]))
    names = {each: f"waits/{each}" for each in ranks}
    return {each: json.loads(store.get(name)) for each, name in names.items() if store.check([name])}


def exchanged(communicator: Any, key: tuple[int, int, int], size: int) -> tuple[Any, np.ndarray]:
    """Starts an exchange of the ranks' calls; returns the request, and the array that will have them."""
    rows = np.empty((size, 3), np.uint64)
    LONG = mpi.library().UINT64_T
    sent = np.array(key, np.uint64)
    return communicator.Iallgather((sent, 3, LONG), (rows, 3, LONG)), rows


def in_words(row: np.ndarray) -> str:
    """Returns a call that was exchanged in words: its number, and what it does with how many elements."""
    sequence, kind, elements = map(int, row)
    return f"#{sequence} {described(kind, elements)}"
