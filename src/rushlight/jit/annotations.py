"""`torch.jit.annotations`: the types by which programs tell TorchScript of lists. They are Python's own here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035  names that programs import from here

__all__ = [
    "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Dict", "List", "Optional", "Tuple", "Union",
]  # fmt: skip


class BroadcastingList:
    """The type of an argument that is one number or a list of so many: `BroadcastingList2[int]`."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __repr__(self) -> str:
        return f"torch.jit.annotations.BroadcastingList{self.length}"

    def __getitem__(self, kind: Any) -> Any:
        return Union[kind, Sequence[kind]]  # noqa: UP007


BroadcastingList1, BroadcastingList2, BroadcastingList3 = map(BroadcastingList, (1, 2, 3))
