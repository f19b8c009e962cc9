"""One GPU kernel for many tensors: an optimizer's update of all parameters in one launch.

A table in the GPU's memory has the addresses of each tensor's arrays; a block takes pieces of `PIECE` elements, found
in two lists: which tensor, and which of its pieces. So a thousand small parameters are a thousand pieces of one launch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.lower import emit
from rushlight.lower.elementwise import ARRAY, Argument, planned
from rushlight.lower.emit import Body
from rushlight.lower.ir import DTYPES, TYPES, Value
from rushlight.lower.nvptx import library
from rushlight.lower.nvptx.calls import PER_PROCESSOR
from rushlight.lower.nvptx.target import BLOCK, KernelText, Threads

PIECE = 4096  # elements


class Many:
    """The kernel of a formula over many tensors.

    `operands` are arrays, with their index among a tensor's arrays, or numbers (None); `results` are written to the
    arrays `targets`.
    """

    def __init__(self, operands: Sequence[Value], sources: Sequence[int | None], results, targets: Sequence[int]):
        self.operands, self.sources, self.results, self.targets = operands, sources, results, targets
        self.arrays = max(*targets, *[x for x in sources if x is not None]) + 1

    def __call__(self, threads: Threads) -> KernelText:
        body = Body("v", library=library.OWN)
        lines: list[str] = []
        for i, (operand, source) in enumerate(zip(self.operands, self.sources, strict=True)):
            name = f"%x{i}" if source is None else emit.load(lines, f"x{i}", f"%p{source}", operand.type)
            body.known(operand, name)
        names = body.compute(self.results)
        lines += body.lines
        for name, value, target in zip(names, self.results, self.targets, strict=True):
            emit.store(lines, name, f"%p{target}", value.type, name=f"to{target}")
        declared, functions = library.provided(body.declared)
        numbers = [(x.type, f"%x{i}") for i, x in enumerate(self.operands) if self.sources[i] is None]
        parameters = [("ptr", name) for name in ("%table", "%sizes", "%owners", "%pieces")]
        return KernelText(
            [*parameters, ("i32", "%count"), *numbers], [*self._begin(), *lines, *END], functions, declared
        )

    def _begin(self) -> list[str]:
        """Returns the loops over pieces, and over the elements of one."""
        lines = list(BEGIN)
        for k in range(self.arrays):
            lines += [
                f"%place{k} = add i64 %row, {k}",
                f"%place{k}.at = getelementptr ptr, ptr %table, i64 %place{k}",
                f"%p{k} = load ptr, ptr %place{k}.at",
            ]
        return [line.replace("%arrays", str(self.arrays)) for line in lines] + ELEMENTS


BEGIN = [
    "%tid.64 = zext i32 %tid to i64",
    "%threads.64 = zext i32 %threads to i64",
    "br label %test",
    "test:",
    "%k = phi i32 [%block, %entry], [%k.next, %taken]",
    "%more = icmp ult i32 %k, %count",
    "br i1 %more, label %take, label %done",
    "take:",
    "%k.64 = zext i32 %k to i64",
    "%owner.at = getelementptr i32, ptr %owners, i64 %k.64",
    "%owner = load i32, ptr %owner.at",
    "%owner.64 = zext i32 %owner to i64",
    "%piece.at = getelementptr i32, ptr %pieces, i64 %k.64",
    "%piece = load i32, ptr %piece.at",
    "%piece.64 = zext i32 %piece to i64",
    "%size.at = getelementptr i64, ptr %sizes, i64 %owner.64",
    "%size = load i64, ptr %size.at",
    f"%begin = mul i64 %piece.64, {PIECE}",
    f"%far = add i64 %begin, {PIECE}",
    "%short = icmp ult i64 %size, %far",
    "%end = select i1 %short, i64 %size, i64 %far",
    "%first = add i64 %begin, %tid.64",
    "%row = mul i64 %owner.64, %arrays",
]
ELEMENTS = [
    "br label %each",
    "each:",
    "%i = phi i64 [%first, %take], [%i.next, %one]",
    "%left = icmp ult i64 %i, %end",
    "br i1 %left, label %one, label %taken",
    "one:",
]
END = [
    "%i.next = add i64 %i, %threads.64",
    "br label %each",
    "taken:",
    "%k.next = add i32 %k, %blocks",
    "br label %test",
]


class GpuUpdates:
    """Updates of many tensors by one formula on one GPU.

    `formula` maps operands by name to the new values of the arrays `written`, in this order. `arrays` are the names of
    a tensor's arrays, `numbers` those of the numbers, which may change at every step.
    """

    def __init__(
        self, gpu, formula: Callable, arrays: Sequence[str], numbers: Sequence[Argument], written: Sequence[str], dtype
    ):
        self.gpu, self.dtype = gpu, np.dtype(dtype)
        arguments = [*[Argument(name, ARRAY) for name in arrays], *numbers]
        plan, takes = planned(formula, arguments, TYPES[self.dtype], scales=False)
        index = {name: number for number, name in enumerate(arrays)}
        self.numbers = [name for name in takes if name not in index]
        targets = [index[name] for name in written]
        self.kernel = Many(plan.operands, [index.get(name) for name in takes], plan.results, targets)
        self.loaded: Callable | None = None
        self.table: tuple[bytes, tuple] = b"", ()

    def __call__(self, tensors: Sequence[Sequence[Any]], numbers: dict[str, float], stream=None) -> None:
        """Updates tensors in place: for each its arrays, contiguous and of one size."""
        tensors = [arrays for arrays in tensors if arrays[0].size]
        if not tensors:
            return
        for arrays in tensors:
            if any(x.dtype != self.dtype or x.size != arrays[0].size or not x.flags.c_contiguous for x in arrays):
                raise ValueError("an update takes contiguous arrays of one dtype, and of one size for each tensor")
        if self.loaded is None:
            self.loaded = self.gpu.loaded(self.kernel)
        tables, count = self._table(tensors)
        work = DTYPES[TYPES[self.dtype]].type
        parameters: list[Any] = [np.uint64(self.gpu.address(x)) for x in tables]
        parameters += [np.int32(count), *[work(numbers[name]) for name in self.numbers]]
        self.loaded(min(count, self.gpu.processors * PER_PROCESSOR), BLOCK, parameters, stream)

    def _table(self, tensors: Sequence[Sequence[Any]]) -> tuple[tuple, int]:
        """Returns the table and its lists in the GPU's memory, the last ones while all arrays stay where they are."""
        table = np.array([[self.gpu.address(x) for x in arrays] for arrays in tensors], np.uint64)
        sizes = np.array([arrays[0].size for arrays in tensors], np.int64)
        pieces = [math.ceil(size / PIECE) for size in sizes.tolist()]
        key = table.tobytes() + sizes.tobytes()
        if self.table[0] != key:
            owners = np.repeat(np.arange(len(tensors), dtype=np.int32), pieces)
            numbers = np.concatenate([np.arange(each, dtype=np.int32) for each in pieces])
            self.table = key, tuple(self.gpu.from_host(x) for x in (table, sizes, owners, numbers))
        return self.table[1], sum(pieces)
