"""A compiled nest: arrays in, new arrays out. It fills the words that `kernels/tiles.py` runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.policy import GRAIN
from rushlight.core.tables import xp
from rushlight.core.tensor import wrap
from rushlight.dispatch.planned import called
from rushlight.graph.nest import Likelihood, Nest, Operand, Positions, Share, Total, number_of
from rushlight.graph.nest_space import Layout, laid_out, normal
from rushlight.graph.nest_stages import Slot, Stage, Stages
from rushlight.graph.program import Kernel
from rushlight.kernels import tiles
from rushlight.kernels.reduce_calls import BLOCK, ROWS
from rushlight.lower import llvm
from rushlight.lower.ir import DTYPES, Untraceable
from rushlight.lower.machine_types import OF_NUMPY
from rushlight.lower.nontemporal import LARGEST_KEPT, LINE

ROOM = 1 << 16  # bytes of scratch memory of a tile, if its rows are not longer
LONGEST = 1 << 20  # bytes of scratch memory of a tile
WHOLE = (
    tiles.ROW_SUM,
    tiles.SHORT_SUM,
    tiles.ROW_MAX,
    tiles.TOTAL,
    tiles.COLUMN_SUM,
    tiles.PICK,
)  # stages that read whole rows


def kernel_of(nest: Nest, wanted: Sequence[int]) -> Kernel:
    """Returns the kernel that computes the wanted results of a nest. Raises Untraceable if there is none."""
    try:
        run = NestKernel(nest, wanted, sums=True)
    except NoSums:
        run = NestKernel(nest, wanted, sums=False)
    return Kernel(run, run.tensors, run.results)


class NoSums(Exception):
    """Raised where formulas cannot add rows: these are gathered, or longer than a part of a sum."""


class NestKernel:
    """Runs a nest; arguments are the arrays of the tensors in `tensors`, results those of `results`."""

    def __init__(self, nest: Nest, wanted: Sequence[int], *, sums: bool):
        self.nest, stages = nest, Stages(nest, wanted, sums=sums)
        self.results = (*stages.results, *stages.sinks)
        self.sinks = stages.sinks
        self.tensors = tuple(nest.tensors)
        self.at = {number: at for at, number in enumerate(self.tensors)}
        self.expected = [nest.trace.metas[number] for number in self.tensors]
        self.steps = [normal(meta.strides, meta.shape) for meta in self.expected]
        slots = list(stages.slots.values())
        inputs = [slot for slot in slots if type(slot.key) in (Operand, Positions, Share)]
        made = [slot for slot in slots if slot.strides is not None and slot not in inputs]
        scratch = [slot for slot in slots if slot.strides is None]
        self.slots = [*inputs, *made, *scratch]
        self.keys, self.made = [slot.key for slot in inputs], made
        self.layout = loops_of(nest, self.slots)
        self.positions = np.arange(self.layout.length, dtype=np.int32)
        self.words = self._words(stages, scratch)
        self.grain = max(1, GRAIN // (self.unit * self.layout.length))
        self.run = tiles.run_tiles.machine()

    # ---- the words

    def _words(self, stages: Stages, scratch: list[Slot]) -> np.ndarray:
        """Returns the words of the nest without addresses."""
        layout = self.layout
        rows, length = math.prod(layout.sizes), layout.length
        self.tile, self.unit = tile_rows(length, self.nest.split is None, scratch, stages.stages)
        at, addresses = 0, {}
        for slot in scratch:
            addresses[slot.key] = at
            at += (self.tile * row_bytes(slot, length) + 2 * tiles.SLACK * 8) // LINE * LINE
        if at > LONGEST:
            raise Untraceable("rows that no cache holds")
        streamed = [slot for slot in self.made if self._is_streamed(slot)]
        past = self.nest.size > LARGEST_KEPT and all([length * slot.width % LINE == 0 for slot in streamed])
        words = [*layout.sizes, rows, length, layout.last, self.unit, self.tile, at, past, 0, len(self.slots)]
        for slot, strides, step in zip(self.slots, layout.strides, layout.steps, strict=True):
            if slot.strides is None:
                step = 0 if slot.of_row else slot.width
                strides = (0, 0, 0, row_bytes(slot, length))
            words += [addresses.get(slot.key, 0), slot.strides is None, slot.width, step, *strides]
        loops = {}
        if text := stages.module():
            names = [f"inner_loop{at}" for at, stage in enumerate(stages.stages) if stage.text]
            loops = loaded(text, names) if names else {}
        words.append(len(stages.stages))
        numbers = {slot.key: number for number, slot in enumerate(self.slots)}
        for at, stage in enumerate(stages.stages):
            words += stage_words(stage, loops.get(f"inner_loop{at}", 0), numbers, layout)
        return np.array(words, np.int64)

    def _is_streamed(self, slot: Slot) -> bool:
        """Whether it is a result that has an element for each of the space."""
        return slot.key in self.nest.values and not self.nest.values[slot.key].of_row

    # ---- running

    def __call__(self, *arrays) -> tuple:
        """Returns the results, as new arrays."""
        token = set_errors(xp.IGNORED)
        try:
            return self._run([self._laid_out(at, array) for at, array in enumerate(arrays)])
        finally:
            reset_errors(token)

    def _laid_out(self, at: int, array: np.ndarray) -> np.ndarray:
        """Returns an argument in the expected layout."""
        meta = self.expected[at]
        if array.strides == meta.strides or normal(array.strides, array.shape) == self.steps[at]:
            return array
        return relaid(array, meta)

    def _run(self, inputs: list) -> tuple:
        operands = [self._operand(key, inputs) for key in self.keys]
        made = [self._new(slot) for slot in self.made]
        words = self.words.copy()
        if words[tiles.PAST]:
            streamed = [array for array, slot in zip(made, self.made, strict=True) if self._is_streamed(slot)]
            words[tiles.PAST] = not any([array.ctypes.data % LINE for array in streamed])
        self.run(words, self.grain, *operands, *made)
        by_key = {slot.key: array for slot, array in zip(self.made, made, strict=True)}
        if words[tiles.WRONG]:
            self._refuse(inputs)
        return tuple([self._finished(number, by_key, inputs) for number in self.results])

    def _operand(self, key, inputs: list) -> np.ndarray:
        """Returns the array of an operand of the nest."""
        if type(key) is Operand:
            return inputs[self.at[key.number]]
        return self.positions if type(key) is Positions else self._share(key, inputs)

    def _new(self, slot: Slot) -> np.ndarray:
        """Allocates a result, or the parts of one."""
        dtype, key = DTYPES[slot.type], slot.key
        if type(key) is tuple:  # scores of rows
            return np.empty(math.prod(self.layout.sizes), dtype)
        if key in self.nest.values:
            return np.empty(self.nest.trace.metas[key].shape, dtype)
        units = -(-math.prod(self.layout.sizes) // self.unit)
        if type(self.sinks[key]) is Total:
            return np.empty(units, dtype)
        return np.empty((units, self.layout.length), dtype)

    def _finished(self, number: int, made: dict, inputs: list) -> np.ndarray:
        """Returns a result: parts of sums are added."""
        sink, meta = self.sinks.get(number), self.nest.trace.metas[number]
        if sink is None:
            return made[number]
        if type(sink) is Likelihood:
            return reduced_scores(made["scores", number], inputs[self.at[sink.target]], sink.step, meta)
        parts, length = made[number], 1 if type(sink) is Total else self.layout.length
        if parts.size == length:
            result = parts.reshape(meta.shape)
        else:
            result = np.empty(meta.shape, meta.dtype)
            count = parts.size // length
            tiles.join_parts.machine(OF_NUMPY[meta.dtype])(result, parts, count, length, max(64, GRAIN // count))
        return result / result.dtype.type(sink.divisor) if type(sink) is Total and sink.divisor != 1 else result

    def _share(self, key: Share, inputs: list) -> np.ndarray:
        """Returns the gradient of the score of each target."""
        values = key.step.values
        grad, target = (inputs[self.at[number_of(values[name])]] for name in ("grad", "target"))
        if values["reduction"] in ("mean", 1):
            grad = grad / grad.dtype.type(np.count_nonzero(target != values["ignore_index"]))
        return np.asarray(np.negative(grad))

    def _refuse(self, inputs: list) -> None:
        """Raises the error for targets that are no classes."""
        for step in self.nest.steps:
            if step.op.name == "negative_log_likelihood":
                values = [*step.values.values()]
                scores = np.zeros(self.nest.trace.metas[number_of(values[0])].shape, np.float32)
                called(step.op, (wrap(scores), wrap(inputs[self.at[number_of(values[1])]]), *values[2:]))


def relaid(array: np.ndarray, meta) -> np.ndarray:
    """Returns a copy of an array with the strides that are expected."""
    steps = [abs(stride) * (size - 1) for size, stride in zip(meta.shape, meta.strides, strict=True)]
    memory = np.empty(sum(steps) + meta.dtype.itemsize, np.uint8)
    made = np.ndarray(meta.shape, meta.dtype, memory, 0, meta.strides)
    made[...] = array
    return made


def reduced_scores(scores: np.ndarray, target: np.ndarray, step, meta) -> np.ndarray:
    """Returns the likelihood of all rows."""
    total = -scores.sum(dtype=np.float64)
    if step.values["reduction"] in ("mean", 1):
        total = total / np.count_nonzero(target != step.values["ignore_index"])
    return np.asarray(total, meta.dtype).reshape(meta.shape)


# ---- loops

LOADED: dict[str, dict[str, int]] = {}  # addresses of the loops of nests, by their names in the cache of object code


def loaded(text: str, names: list[str]) -> dict[str, int]:
    """Returns the addresses of loops; equal nests share them, and code is never unloaded."""
    key = llvm.host().key(text, llvm.FORMULA)
    with llvm.COMPILING:
        if key not in LOADED:
            LOADED[key] = llvm.build(text, *names, passes=llvm.FORMULA)
        return LOADED[key]


def loops_of(nest: Nest, slots: list[Slot]) -> Layout:
    """Returns the loops of a nest. Long rows without reductions are cut."""
    zeros = (0,) * len(nest.space)
    layout = laid_out(nest.space, nest.split, [slot.strides or zeros for slot in slots], tiles.OUTER)
    if layout is None:
        raise Untraceable("too many dimensions that cannot be merged")
    return cut(layout) if nest.split is None and layout.length > BLOCK else layout


def cut(layout: Layout) -> Layout:
    """Cuts rows into blocks; the last one may be shorter if there is only one row."""
    single = math.prod(layout.sizes) == 1
    if not single and (layout.sizes[0] != 1 or layout.length % BLOCK != 0):
        return layout
    blocks = -(-layout.length // BLOCK)
    strides = [(*each[1:], step * BLOCK) for each, step in zip(layout.strides, layout.steps, strict=True)]
    last = layout.length - (blocks - 1) * BLOCK
    return Layout((*layout.sizes[1:], blocks), BLOCK, strides, layout.steps, last)


def row_bytes(slot: Slot, length: int) -> int:
    """Returns the bytes of a row in scratch memory."""
    return slot.width if slot.of_row else (length * slot.width + LINE - 1) // LINE * LINE


def tile_rows(length: int, whole: bool, scratch: list[Slot], stages: list[Stage]) -> tuple[int, int]:
    """Returns the rows of a tile and of a unit; with `whole` a tile is one row."""
    if whole:  # a part of a sum, as operators take it; the last row may be shorter
        return 1, 1
    one = sum([row_bytes(slot, length) for slot in scratch]) or 4 * length
    tile = max(1, min(ROOM // one, 2 * BLOCK // length))
    if any([stage.kind == tiles.COLUMN_SUM for stage in stages]):
        tile = max(4, 1 << min(tile, ROWS).bit_length() - 1)
        return tile, ROWS
    return tile, tile


def stage_words(stage: Stage, loop: int, numbers: dict, layout: Layout) -> list[int]:
    """Returns the words of a stage."""
    parts = [numbers[slot.key] for slot in stage.slots]
    steps = [0 if slot.of_row else slot.width if slot.strides is None else layout.steps[numbers[slot.key]]
             for slot in stage.slots]  # fmt: skip
    if stage.text:
        blocks = any([step not in (0, slot.width) for step, slot in zip(steps, stage.slots, strict=True)])
        blocks = blocks or any([step == 0 for step in steps[stage.operands : len(steps) - stage.sums]])
        if stage.sums and (blocks or min(layout.length, layout.last) < stage.lanes or layout.length > BLOCK):
            raise NoSums
        head = [loop, stage.lanes, stage.operands, len(parts), blocks and stage.kind == tiles.FORMULA]
    else:
        head = []
        if stage.kind in WHOLE and steps[0] != stage.slots[0].width and layout.length != 1:
            raise Untraceable("a reduction of rows that are not contiguous")
        parts = [*parts, *[0] * (3 - len(parts)), stage.ignored] if len(parts) > 2 else parts
    words = [*head, *parts]
    return [stage.kind, len(words) + 2, *words]
