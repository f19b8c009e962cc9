"""The array of the fake CuPy: NumPy's numbers in memory of its own, with CuPy's attributes and refusals.

It is no subclass of NumPy's arrays. Whatever would copy to the CPU by itself is refused in CuPy's words, and whatever
waits for the device is counted in `WAITS`: on a GPU each of these stalls the program.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from rushlight.arrays.cuda.fake import memory, streams


class Dispatch:
    """What these arrays leave to the functions of the fake, which are made for them: `namespace.py` sets it."""

    launch: Any  # a function of NumPy's arrays, the arrays of the fake that it is given, and keywords
    ufunc: Any  # NumPy's ufunc, its method, the operands and keywords
    function: Any  # NumPy's function, its arguments and keywords
    named: dict[str, Any]  # CuPy's functions
    getitem: Any
    setitem: Any
    fetching: Any  # what copies numbers to the CPU
    is_pinned: Any  # whether an address is in pinned memory


DISPATCH = Dispatch()
ELSEWHERE = 1 << 56  # added to addresses: no pointer of the device is one of the CPU
POINTED: WeakValueDictionary[int, np.ndarray] = WeakValueDictionary()  # memory that a program has the address of, by it
WAITS: Counter[str] = Counter()
IMPLICIT = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
)
# The dtypes that CuPy stores: those with a code of its own, and bfloat16.
STORED = frozenset("?bBhHiIlLqQefdFDE")
GARBAGE = 0xA5  # in the bytes of what is not yet computed


class Pointer:
    """CuPy's `MemoryPointer`: an address on the device, which keeps the memory there alive."""

    def __init__(self, cells: np.ndarray):
        self.cells = cells
        self.device_id = 0

    @property
    def ptr(self) -> int:
        owner = self.cells
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        POINTED[owner.ctypes.data] = owner
        return self.cells.ctypes.data + ELSEWHERE


def refuse_dtype(dtype) -> np.dtype:
    """Returns a dtype. Raises ValueError for one that CuPy does not store."""
    dtype = np.dtype(dtype)
    if dtype.char not in STORED:
        raise ValueError(f"Unsupported dtype {dtype}")
    return dtype


def waits(kind: str) -> None:
    """Counts a wait for the device, and runs what its current stream has queued."""
    WAITS[kind] += 1
    streams.current().synchronize()


def cells_at(pointer: Pointer, shape: tuple, dtype: np.dtype, strides: Any) -> np.ndarray:
    """Returns the numbers at a pointer, in the layout that was given, which is that of its array."""
    if (pointer.cells.shape, pointer.cells.dtype, pointer.cells.strides) != (shape, dtype, strides):
        raise NotImplementedError("the fake CuPy reads a pointer in the layout of the array that it was taken of")
    return pointer.cells


class ndarray:
    """An array on the fake device; `cells` are its numbers, which only the fake itself reads."""

    __slots__ = ("__weakref__", "base", "cells")
    __array_priority__ = 100
    __hash__: Any = None

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        if memptr is None:
            self.cells = np.empty(shape, refuse_dtype(dtype), order)
            memory.take(self.cells)
        else:
            self.cells = cells_at(memptr, shape, refuse_dtype(dtype), strides)
        self.base = None

    # ---- what it is

    dtype = property(lambda self: self.cells.dtype)
    shape = property(lambda self: self.cells.shape)
    strides = property(lambda self: self.cells.strides)
    ndim = property(lambda self: self.cells.ndim)
    size = property(lambda self: self.cells.size)
    itemsize = property(lambda self: self.cells.itemsize)
    nbytes = property(lambda self: self.cells.nbytes)
    data = property(lambda self: Pointer(self.cells))
    T = property(lambda self: seen(self, self.cells.T))
    mT = property(lambda self: seen(self, self.cells.mT))
    real = property(lambda self: seen(self, self.cells.real) if self.cells.dtype.kind == "c" else self)
    flags = property(lambda self: self.cells.flags)

    @property
    def imag(self):
        return seen(self, self.cells.imag) if self.cells.dtype.kind == "c" else computed(np.zeros_like, self)

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index):
        return DISPATCH.getitem(self, index)

    def __setitem__(self, index, value) -> None:
        DISPATCH.setitem(self, index, value)

    def waits(self, kind: str) -> None:
        """Counts a wait for these numbers, which the program reads."""
        streams.read([self.cells])
        waits(kind)

    # ---- refusals

    def __array__(self, dtype=None, copy=None):
        raise TypeError(IMPLICIT)

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return DISPATCH.ufunc(ufunc, method, inputs, keywords)

    def __array_function__(self, function, types, arguments, keywords):
        if not all(kind in (ndarray, np.ndarray) for kind in types):
            return NotImplemented
        return DISPATCH.function(function, arguments, keywords)

    # ---- copies to and from the CPU

    def get(self, stream=None, order="C", out=None, blocking=True):
        """Copies to the CPU; waits for the stream unless it may go on (`blocking=False`)."""
        if out is None:
            chosen = ("F" if self.cells.flags.f_contiguous else "C") if order == "A" else order
            out = np.empty(self.shape, self.dtype, chosen)
        elif self.dtype != out.dtype:
            raise TypeError(f"{out.dtype} array cannot be obtained from {self.dtype} array")
        elif self.shape != out.shape:
            raise ValueError(f"Shape mismatch. Expected shape: {self.shape}, actual shape: {out.shape}")
        elif not out.flags.forc:
            raise RuntimeError("`out` cannot be specified when copying to non-contiguous ndarray")
        streams.read([self.cells])
        stream = stream or streams.current()
        stream.queue(DISPATCH.fetching(self.cells, out, blocking))
        if blocking:
            WAITS["get"] += 1
            stream.synchronize()
        elif not DISPATCH.is_pinned(out.ctypes.data):
            stream.synchronize()  # as CUDA does, which copies to its own memory first
        return out

    def set(self, arr, stream=None) -> None:
        """Copies from the CPU."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if self.dtype != arr.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if self.shape != arr.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        if not self.flags.forc:
            raise RuntimeError("Cannot set to non-contiguous array")
        (stream or streams.current()).queue(lambda: np.copyto(self.cells, arr), [self.cells])

    def item(self):
        self.waits("item")
        return self.cells.item()

    def tolist(self):
        self.waits("tolist")
        return self.cells.tolist()

    def tobytes(self, order="C") -> bytes:
        self.waits("tobytes")
        return self.cells.tobytes(order)

    def __bool__(self) -> bool:
        self.waits("bool")
        return bool(self.cells)

    def __int__(self) -> int:
        self.waits("int")
        return int(self.cells)

    def __index__(self) -> int:
        self.waits("int")
        return self.cells.__index__()

    def __float__(self) -> float:
        self.waits("float")
        return float(self.cells)

    def __complex__(self) -> complex:
        self.waits("complex")
        return complex(self.cells)

    def __repr__(self) -> str:
        self.waits("repr")
        return repr(self.cells)

    def __format__(self, specification: str) -> str:
        self.waits("repr")
        return format(self.cells.item() if not self.ndim else self.cells, specification)

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[position] for position in range(len(self)))

    # ---- views and copies

    def view(self, dtype=None, type=None):
        cells = self.cells.view() if dtype is None else self.cells.view(refuse_dtype(dtype))
        return seen(self, cells, type)

    def reshape(self, *shape, order="C", copy=None):
        cells = self.cells.reshape(*shape, order=order, copy=copy)
        if not self.size or np.may_share_memory(cells, self.cells):
            return seen(self, cells)
        return computed(lambda cells: cells.reshape(*shape, order=order), self)

    def transpose(self, *axes):
        return seen(self, self.cells.transpose(*axes))

    def swapaxes(self, axis1, axis2):
        return seen(self, self.cells.swapaxes(axis1, axis2))

    def squeeze(self, axis=None):
        return seen(self, self.cells.squeeze(axis))

    def diagonal(self, offset=0, axis1=0, axis2=1):
        view = self.cells.diagonal(offset, axis1, axis2)
        view.flags.writeable = True  # as CuPy's is
        return seen(self, view)

    def ravel(self, order="C"):
        return self.reshape(-1, order=order)

    def flatten(self, order="C"):
        return computed(lambda cells: cells.flatten(order), self)

    def copy(self, order="C"):
        return computed(lambda cells: cells.copy(order), self)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        dtype = refuse_dtype(dtype)
        if not copy and dtype == self.dtype and order == "K":
            return self
        if casting is not None and not np.can_cast(self.dtype, dtype, casting):
            names = f"{self.dtype!r} to {dtype!r}"
            raise TypeError(f"Cannot cast array data from {names} according to the rule '{casting}'")
        return computed(lambda cells: cells.astype(dtype, order), self)

    def sort(self, axis=-1, kind=None) -> None:
        if not self.ndim:
            raise np.exceptions.AxisError("Sorting arrays with the rank of zero is not supported")
        streams.current().queue(lambda: self.cells.sort(axis, kind="stable"), [self.cells])

    def partition(self, kth, axis=-1) -> None:
        self.sort(axis)

    def argsort(self, axis=-1, kind=None):
        return DISPATCH.named["argsort"](self, axis, kind)

    def scatter_add(self, slices, value) -> None:
        DISPATCH.named["scatter_add"](self, slices, value)

    def fill(self, value) -> None:
        if isinstance(value, np.ndarray) and value.ndim:
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        number = value.cells if isinstance(value, ndarray) else value
        streams.current().queue(lambda: self.cells.fill(number), [self.cells])


def computed(function: Any, array: ndarray):
    """Returns what a function computes of the numbers of an array, queued as all work is."""
    return DISPATCH.launch(function, (array,), {})


def forwarded(name: str):
    """Returns a method that is the function of the same name."""

    def method(self, *arguments, **keywords):
        return DISPATCH.named[name](self, *arguments, **keywords)

    return method


def operator(name: str, kind: str):
    """Returns an operator of Python: as it is, reflected or in place."""

    def binary(self, other):
        if not isinstance(other, KNOWN):
            return NotImplemented
        return DISPATCH.named[name](other, self) if kind == "r" else DISPATCH.named[name](self, other)

    def in_place(self, other):
        return DISPATCH.named[name](self, other, out=self)

    return in_place if kind == "i" else binary


def unary(name: str):
    return lambda self: DISPATCH.named[name](self)


KNOWN = (ndarray, np.ndarray, np.generic, bool, int, float, complex)
BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "left_shift", "rshift": "right_shift", "matmul": "matmul", "divmod": "divmod",
}  # fmt: skip
COMPARED = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}
FORWARDED = (
    "all any argmax argmin argpartition choose clip compress conj conjugate cumprod cumsum dot max mean min nonzero "
    "prod repeat round searchsorted std sum take trace var"
)
for short, full in BINARY.items():
    for kind in ("", "r") if short == "divmod" else ("", "r", "i"):
        setattr(ndarray, f"__{kind}{short}__", operator(full, kind))
for short, full in COMPARED.items():
    setattr(ndarray, f"__{short}__", operator(full, ""))
for short, full in UNARY.items():
    setattr(ndarray, f"__{short}__", unary(full))
for name in FORWARDED.split():
    setattr(ndarray, name, forwarded(name))


def made(cells, kind: type = ndarray):
    """Returns numbers as an array of the fake that owns them."""
    array = kind.__new__(kind)
    cells = np.asarray(cells)
    refuse_dtype(cells.dtype)
    array.cells = cells if cells.flags.writeable and not is_part(cells) else cells.copy(order="K")
    memory.take(array.cells)
    array.base = None
    return array


def spoil(cells: np.ndarray) -> None:
    """Writes garbage where results will be."""
    cells[...] = np.frombuffer(bytes([GARBAGE]) * cells.itemsize, cells.dtype)[0]


def is_part(cells: np.ndarray) -> bool:
    """Whether an array is on memory of another, beyond having another shape."""
    return cells.base is not None and isinstance(cells.base, np.ndarray) and cells.base.nbytes > cells.nbytes


def seen(array: ndarray, cells: np.ndarray, kind: type | None = None):
    """Returns a view of an array of the fake, of the same class."""
    kind = kind or type(array)
    view = kind.__new__(kind)
    view.cells = cells
    view.base = array if array.base is None else array.base
    return view
