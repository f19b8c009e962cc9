"""Elementwise kernels on a GPU's arrays: which kernel fits, how it is laid out, and its launch.

`GpuKernels` is for a GPU what `elementwise.Kernels` is for the CPU: the kernels of one formula, by how its arguments
enter. `launcher` is the same for a declaration by name. A GPU is anything with `capability`, `processors`,
`loaded(kernel)`, which returns a function of (blocks, threads, parameters, stream), and `address(array)`:
`cuda.CudaGpu` has the driver, `lockstep.HostGpu` the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rushlight._generated.lazy_names import MODULE_OF
from rushlight.declarations import library
from rushlight.declarations.declare import OPS, Op
from rushlight.lower import conversions, elementwise, trace
from rushlight.lower.elementwise import FIXED, MASK, OTHER, SCALAR, Argument, Formula, planned
from rushlight.lower.ir import DTYPES, I16, TYPES, Untraceable, Value
from rushlight.lower.nvptx.elementwise import CONTIGUOUS, EACH, LOADED, MOST_DIMS, NUMBER, ONE, Elementwise
from rushlight.lower.nvptx.target import BLOCK

PER_PROCESSOR = 16  # blocks of a grid for each multiprocessor: more elements are further steps of the same threads
MOST_STRIDED = 1 << 31  # elements that strided kernels number in 32 bits


class Layout(NamedTuple):
    """How arrays are laid out: the number of dimensions of the kernel, its sizes, and the strides of each array.

    Dimensions that all arrays go through in one step are one dimension; the innermost is last. `CONTIGUOUS` has none.
    """

    rank: int
    shape: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]


def layout_of(
    shape: Sequence[int], strides: Sequence[Sequence[int]], sizes: Sequence[int], aligned: bool
) -> Layout | None:
    """Returns the layout of arrays of one shape with these strides and sizes of an element; None for more dimensions
    than kernels have.

    `aligned` says whether all begin at multiples of 16 bytes.
    """
    dims = [i for i, size in enumerate(shape) if size != 1]
    dims.sort(key=lambda i: -abs(strides[-1][i]))  # the result is written in order
    merged: list[tuple[int, list[int]]] = []
    for i in dims:
        steps = [each[i] for each in strides]
        if merged and all(outer == inner * shape[i] for outer, inner in zip(merged[-1][1], steps, strict=True)):
            merged[-1] = merged[-1][0] * shape[i], steps
        else:
            merged.append((shape[i], steps))
    count = math.prod(shape)
    if not merged or (len(merged) == 1 and merged[0][1] == list(sizes)):
        if aligned or not merged:
            return Layout(CONTIGUOUS, (count,), ())
    if len(merged) > MOST_DIMS or count >= MOST_STRIDED:
        return None
    return Layout(
        len(merged), tuple(size for size, _ in merged), tuple(zip(*[steps for _, steps in merged], strict=True))
    )


class Call:
    """A traced formula on a GPU: its kernels by layout, each compiled on first use."""

    def __init__(self, gpu, operands: Sequence[Value], kinds: Sequence[str], results: Sequence[Value]):
        self.gpu, self.operands, self.kinds, self.results = gpu, operands, kinds, results
        self.known: dict[int, tuple[Callable, int]] = {}
        self.numbers = {i: DTYPES[x.type].type for i, x in enumerate(operands) if kinds[i] == NUMBER}

    def __call__(self, operands: Sequence[Any], out: Sequence[Any], stream=None) -> bool:
        """Computes the results, arrays of one shape, from operands that are broadcast to it; returns whether a kernel
        fits.

        None does for more than three dimensions, other shapes, elements at odd addresses, a number beyond the dtype, a
        result with repeated elements, and an operand that shares only a part of a result's memory.
        """
        layout = None if self._overflows(operands) else self.layout(operands, out)
        if layout is not None and 0 not in layout.shape:
            self.launch(layout, operands, out, stream)
        return layout is not None

    def layout(self, operands: Sequence[Any], out: Sequence[Any]) -> Layout | None:
        """Returns the layout of these arrays; None where no kernel fits."""
        shape = out[0].shape
        moving = [x for x, kind in zip(operands, self.kinds, strict=True) if kind == EACH]
        arrays = [*moving, *out]
        if not all(fits(x.shape, shape) for x in moving) or any(x.shape != shape for x in out):
            return None
        if 0 in shape:
            return Layout(CONTIGUOUS, shape, ())
        addresses = [self.gpu.address(x) for x in arrays]
        strides = [broadcast(x, shape) for x in arrays]
        sizes = [x.dtype.itemsize for x in arrays]
        odd = any(x % size for at, size, steps in zip(addresses, sizes, strides, strict=True) for x in (at, *steps))
        repeats = any(has_repeats(shape, steps) for steps in strides[len(moving) :])
        if odd or repeats or any(overlaps(arrays, addresses, strides, i) for i in range(len(moving), len(arrays))):
            return None
        return layout_of(shape, strides, sizes, all(address % LOADED == 0 for address in addresses))

    def _overflows(self, operands: Sequence[Any]) -> bool:
        """Whether a finite number is infinite in the dtype of the computation: that is a mistake, told elsewhere."""
        numbers = [(operands[i], type) for i, type in self.numbers.items()]
        return any(abs(x) > float(np.finfo(type).max) and abs(x) != math.inf for x, type in numbers)

    def launch(self, layout: Layout, operands: Sequence[Any], out: Sequence[Any], stream=None) -> None:
        """Launches the kernel of a layout."""
        kernel, width = self.kernel(layout.rank)
        numbers, address = self.numbers, self.gpu.address
        parameters = [numbers[i](x) if i in numbers else np.uint64(address(x)) for i, x in enumerate(operands)]
        parameters += [np.uint64(address(x)) for x in out]
        count = math.prod(layout.shape)
        if layout.rank == CONTIGUOUS:
            parameters.append(np.int64(count))
        else:
            parameters += [np.int32(count), *map(np.int32, layout.shape[1:])]
            parameters += [np.int64(step) for steps in layout.strides for step in steps]
        blocks = min(-(-count // (width * BLOCK)), self.gpu.processors * PER_PROCESSOR)
        kernel(blocks, BLOCK, parameters, stream)

    def kernel(self, rank: int) -> tuple[Callable, int]:
        if rank not in self.known:
            written = Elementwise(self.operands, self.kinds, self.results, rank)
            self.known[rank] = self.gpu.loaded(written), written.width
        return self.known[rank]


def fits(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of one shape can be repeated to fill another."""
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(size in (1, wanted) for size, wanted in pairs)


def has_repeats(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether several elements of an array share memory: those along a dimension without a step."""
    return any(not step and size > 1 for size, step in zip(shape, strides, strict=True))


def broadcast(array, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns an array's strides as if it were repeated to a shape."""
    lacking = len(shape) - array.ndim
    own = [0 if size == 1 else step for size, step in zip(array.shape, array.strides, strict=True)]
    return (0,) * lacking + tuple(own)


def overlaps(arrays: Sequence[Any], addresses: Sequence[int], strides: Sequence[tuple], i: int) -> bool:
    """Whether a result shares memory with another array that is not at exactly the same place."""
    begin, end = extent(addresses[i], arrays[i])
    for k, other in enumerate(arrays):
        first, last = extent(addresses[k], other)
        if k != i and first < end and begin < last and (addresses[k] != addresses[i] or strides[k] != strides[i]):
            return True
    return False


def extent(address: int, array) -> tuple[int, int]:
    """Returns the first address of an array's elements and the one after the last."""
    spans = [(size - 1) * step for size, step in zip(array.shape, array.strides, strict=True)]
    low, high = sum(x for x in spans if x < 0), sum(x for x in spans if x > 0)
    return address + low, address + high + array.dtype.itemsize


class GpuKernel(NamedTuple):
    """A kernel of `GpuKernels`: its launch, the names of its arguments, and where the results come from."""

    call: Call | None
    takes: tuple[str, ...]
    gives: tuple[int | str, ...]
    dtypes: tuple[np.dtype, ...]  # of the results that it computes


class GpuKernels:
    """The kernels of one formula on one GPU, by how its arguments enter; None for one that cannot be traced."""

    def __init__(self, gpu, formula: Formula, built_in: frozenset = frozenset()):
        self.gpu, self.formula, self.built_in = gpu, formula, built_in
        self.known: dict[tuple, GpuKernel | None] = {}

    def find(
        self, values: dict[str, Any], dtype: np.dtype, rounded: Sequence[np.dtype] | None = None
    ) -> GpuKernel | None:
        """Returns the kernel for arguments by name; computes in `dtype`, and gives results of the dtypes `rounded`."""
        entered = [self._entry(x, dtype, rounded is not None) for x in values.values()]
        entries = [x for x in entered if x is not None]
        if dtype not in elementwise.FLOATS or len(entries) < len(entered):
            return None
        names = None if rounded is None else tuple(conversions.NAMES[x] for x in rounded)
        for fallback in (None, OTHER, FIXED):
            if fallback is not None:
                entries = [(FIXED if x == 1 else fallback) if entry in (elementwise.NUMBER, OTHER) else entry
                           for x, entry in zip(values.values(), entries, strict=True)]  # fmt: skip
            kernel = self._kernel(values, entries, dtype, names)
            if kernel is not None:
                return kernel
        return None

    def _entry(self, value, dtype: np.dtype, converts: bool) -> str | None:
        """Returns how a value enters, as `elementwise.kind_of` does for NumPy's arrays."""
        if hasattr(value, "dtype") and hasattr(value, "strides"):
            if value.dtype == dtype:
                return elementwise.ARRAY if value.ndim else SCALAR
            return conversions.NAMES.get(value.dtype) if converts else MASK if value.dtype == np.bool_ else None
        if type(value) in (int, float):
            return FIXED if value in self.built_in else elementwise.NUMBER
        fixed = value is None or type(value) in (bool, str) or isinstance(value, np.dtype)
        return FIXED if fixed else None

    def _kernel(self, values: dict[str, Any], entries: Sequence[str], dtype, rounded) -> GpuKernel | None:
        fixed = [x for x, entry in zip(values.values(), entries, strict=True) if entry == FIXED]
        key = (dtype, rounded, *entries, *map(repr, fixed))
        if key not in self.known:
            if len(self.known) >= elementwise.MOST:
                return None
            try:
                self.known[key] = self._traced(values, entries, dtype, rounded)
            except Untraceable:
                self.known[key] = None
        return self.known[key]

    def _traced(self, values: dict[str, Any], entries: Sequence[str], dtype, rounded) -> GpuKernel:
        arguments = [Argument(name, entry, value if entry == FIXED else None)
                     for (name, value), entry in zip(values.items(), entries, strict=True)]  # fmt: skip
        plan, takes = planned(self.formula, arguments, TYPES[dtype], rounded, scales=False)
        entry_of = dict(zip(values, entries, strict=True))
        kinds = [KINDS.get(entry_of[name], EACH) for name in takes]
        computed = {x: number for number, x in enumerate(plan.computed)}
        gives = tuple(computed[x] if x in computed else arguments[x.literal].name for x in plan.results)
        call = Call(self.gpu, plan.operands, kinds, plan.computed) if plan.computed else None
        return GpuKernel(call, tuple(takes), gives, tuple(map(result_dtype, plan.computed)))

    def run(
        self, values: dict[str, Any], dtype, rounded=None, out: Sequence[Any] | None = None, stream=None
    ) -> tuple | None:
        """Returns the results, in `out` or in new arrays of the GPU; None where no kernel fits.

        A result that is an argument unchanged is that argument, unless there is an `out`.
        """
        kernel = self.find(values, dtype, rounded)
        if kernel is None or (out is not None and any(isinstance(x, str) for x in kernel.gives)):
            return None
        if kernel.call is None:
            return tuple(values[str(x)] for x in kernel.gives)
        operands = [values[name] for name in kernel.takes]
        if out is None:
            moving = [x.shape for x, kind in zip(operands, kernel.call.kinds, strict=True) if kind == EACH]
            shape = np.broadcast_shapes(*moving)
            results = [self.gpu.empty(shape, each) for each in kernel.dtypes]
        else:
            results = [out[kernel.gives.index(number)] for number in range(len(kernel.dtypes))]
            if [x.dtype for x in results] != list(kernel.dtypes):
                return None
        if not kernel.call(operands, results, stream):
            return None
        return tuple(values[x] if isinstance(x, str) else results[x] for x in kernel.gives)


KINDS = {SCALAR: ONE, elementwise.NUMBER: NUMBER, OTHER: NUMBER}


def result_dtype(value: Value) -> np.dtype:
    """Returns the dtype of a result as it is stored."""
    return conversions.BFLOAT16 if value.type == I16 else conversions.RESULTS[value.type]


def declared(name: str) -> Op:
    """Returns a declaration by name; its module may not be loaded yet."""
    if name not in OPS and name in MODULE_OF:
        library.load(MODULE_OF[name])
    return OPS[name]


def kernels_of(gpu, declaration: str, derivatives: Sequence[str] = ()) -> GpuKernels:
    """Returns the kernels of a declaration's result, or of some of its derivatives, by name."""
    op = declared(declaration)
    formula = elementwise.derivatives_of(op, derivatives) if derivatives else elementwise.result_of(op)
    return GpuKernels(gpu, formula, elementwise.built_in(trace.formula_of(op).__code__.co_names))
