"""How values are combined, and which backends there are: `ReduceOp`, `Backend`."""

from __future__ import annotations

import enum
from typing import Any, ClassVar

__all__ = ["Backend", "ReduceOp", "_make_nccl_premul_sum"]


class RedOpType(enum.Enum):
    """The kinds of reductions."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    # Enum's own is a Python function, which takes as long as MPI's test of a request
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self}: {self.value}>"


class ReduceOp:
    """How the values of the ranks are combined: `ReduceOp.SUM`, `AVG`, `PRODUCT`, `MIN`, `MAX`, `BAND`, `BOR`, `BXOR`.

    >>> ReduceOp.SUM
    <RedOpType.SUM: 0>
    """

    __module__ = "torch.distributed.distributed_c10d"
    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX = RedOpType.SUM, RedOpType.AVG, RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX
    BAND, BOR, BXOR, PREMUL_SUM = RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR, RedOpType.PREMUL_SUM

    def __init__(self, op: Any, factor: Any = None) -> None:
        self.op, self.factor = op, factor

    def __eq__(self, other: object) -> bool:
        return (other.op if isinstance(other, ReduceOp) else other) is self.op

    def __hash__(self) -> int:
        return hash(self.op)


def _make_nccl_premul_sum(factor: Any) -> ReduceOp:
    """Returns a sum of what each rank has, multiplied by its factor first: a number, or a tensor with one.

    >>> _make_nccl_premul_sum(0.5) == ReduceOp.PREMUL_SUM
    True
    """
    return ReduceOp(RedOpType.PREMUL_SUM, factor)


class Backend(str):
    """The name of a backend, in lower case.

    >>> Backend("GLOO"), Backend.NCCL
    ('gloo', 'nccl')
    """

    UNDEFINED, GLOO, NCCL, MPI, UCC, XCCL, FAKE = "undefined", "gloo", "nccl", "mpi", "ucc", "xccl", "fake"
    backend_list: ClassVar[list[str]] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]
    default_device_backend_map: ClassVar[dict[str, str]] = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}

    def __new__(cls, name: str) -> str:  # type: ignore[misc]
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, but got {name=}")
        return name.lower()
