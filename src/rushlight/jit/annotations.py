"""`torch.jit.annotations`: types for TorchScript annotations. Here they are Python's types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035  names that programs import from here

__all__ = [
    "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Dict", "List", "Optional", "Tuple", "Union",
]  # fmt: skip


class BroadcastingList:
    """The type of an argument that is one value or a list of the given length: `BroadcastingList2[int]`."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __repr__(self) -> str:
        return f"torch.jit.annotations.BroadcastingList{self.length}"

    def __getitem__(self, item_type: Any) -> Any:
        return Union[item_type, Sequence[item_type]]  # noqa: UP007


BroadcastingList1, BroadcastingList2, BroadcastingList3 = map(BroadcastingList, (1, 2, 3))
