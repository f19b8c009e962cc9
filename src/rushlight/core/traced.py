"""Arrays of tensors inside a transform: `vmap` gives its inputs a `BatchedArray`, `jvp` a `DualArray`, `jet` a
`TaylorArray`.

A traced tensor is an ordinary Tensor whose raw array has one of these classes, as a lazily conjugated one has. It shows
the shape that the program sees. Its elements are in `value`, a tensor of a lower level, which may be traced itself.

    vmap over x of shape (B, 3):    x._array = BatchedArray(level, value=x of shape (B, 3)), shape (3,)
    jvp at x with a tangent t:      x._array = DualArray(level, value=x, tangent=t), shape of x
    jet at x with terms:            x._array = TaylorArray(level, value=x, terms), shape of x

An edge of a traced tensor belongs to gradients inside its level, an edge of its `value` to gradients outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod
from textwrap import indent
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.core.device import host
from rushlight.core.errors import about
from rushlight.core.marked_dtypes import marked
from rushlight.core.origin import here
from rushlight.core.tensor import Tensor, look_at, wrap


class Level:
    """One transform under way: it computes the calls of operators that have arguments of this level.

    Levels are numbered from 1, in the order in which they were entered. A level that has ended is not `alive`; a tensor
    of it that the program kept counts as its value.
    """

    alive = True
    array_type: type  # of the arrays of this level
    randomness: str | None = None  # of a `vmap`: "error", "same" or "different"
    call_type: Any = None  # the class of its calls, if it is another than that of other levels
    shares_history = False  # whether the graph inside the level continues in that of tensors of lower levels
    records = False  # whether tensors that constructors make are of this level: see `constant`
    refuses_below = False  # whether calls on the values raise whatever calls on tensors of the level must raise

    def __init__(self, number: int):
        self.number = number

    def interpret(self, op, values: dict) -> Any:
        """Returns the array of the result of an operator, or a list of them; `values` are the arguments by name."""
        raise NotImplementedError

    def compute(self, form, arguments: tuple) -> Any:
        """The same for a call that takes the short path: its operands are no lists; see `dispatch.traced_plan`."""
        return self.interpret(form.op, dict(zip(form.names, arguments, strict=True)))

    def lifted(self, tensor) -> Traced:
        """Returns the array of a tensor of a lower level as one of this level: without a batch, or with no tangent."""
        raise NotImplementedError

    def constant(self, tensor) -> Any:
        """Returns a tensor of this level for one that a constructor has made."""
        raise NotImplementedError

    def write(self, tensor, source, name: str) -> None:
        """Writes the elements of `source` to `tensor`, of which at least one is of this level, without history.

        `name` is that of the operator that computed them, for errors.
        """
        raise NotImplementedError

    def step(self, task, node, g, edges) -> list | None:
        """Returns the gradients that a node sends for one of this level; None if it takes the step of other nodes.

        It is called in passes that make no graph.
        """
        return None

    def end(self) -> None:
        """Called when the transform is over, before the level is no longer alive."""


# The levels under way in this thread, outermost first. `ACTIVE` has those of all threads. `ENTERED` has an element as
# soon as there was any in the process: until then the general path of an operator need not look for traced arrays.
STACK: ContextVar[tuple[Level, ...]] = ContextVar("rushlight.levels", default=())
ACTIVE: list[Level] = []
ENTERED: list[bool] = []


@contextmanager
def below(level: Level) -> Iterator[None]:
    """Runs code as in the levels below one, which is left for a while with those above it."""
    token = STACK.set(tuple([each for each in STACK.get() if each.number < level.number]))
    try:
        yield
    finally:
        STACK.reset(token)


class Traced:
    """The metadata of an array that a level computes with; it refuses to be read as an array."""

    __slots__ = ("level", "value")
    __array_ufunc__ = None  # universal functions, and operators of NumPy arrays, raise TypeError

    level: Level
    value: Any  # a tensor

    shown: Any = None  # the tensor with the same memory that the program may read

    shape = property(lambda self: self.value._array.shape)
    strides = property(lambda self: self.value._array.strides)
    flags = property(lambda self: self.value._array.flags)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))
    itemsize = property(lambda self: self.value._array.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)

    @property
    def dtype(self):
        """A marked dtype: the generated fast paths do not accept such an array."""
        return marked(self.value._array.dtype)

    def numbers(self) -> np.ndarray:
        """Returns the elements in the CPU's memory, or raises RuntimeError if the level does not show them."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def moved_by(self) -> tuple:
        """Returns the tensors, other than the value, that say how the elements change; none if they are constant."""
        return ()

    def with_value(self, value) -> Traced:
        """Returns an array of this level with another value, in the same dimensions, and no tangent."""
        raise NotImplementedError

    def copy(self, order="C"):
        """Returns an array of this level with the same elements, in memory of its own."""
        return self.with_value(self.value.clone())

    def __array__(self, dtype=None, copy=None):
        raise TypeError(REFUSAL)

    def __array_function__(self, function, types, arguments, keywords):
        if function not in FILLED or keywords.get("shape") is not None:
            raise TypeError(REFUSAL)
        return arguments[0].with_value(wrap(function(arguments[0].value._array, *arguments[1:], **keywords)))

    def __eq__(self, other):
        raise TypeError(REFUSAL)

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError(REFUSAL)


FILLED = frozenset((np.zeros_like, np.ones_like, np.empty_like, np.full_like))
REFUSAL = "this array belongs to a transform, which computes with its value: call an operator on the tensor"


class BatchedArray(Traced):
    """The array of a tensor under `vmap`: dimension 0 of `value` is the batch, unless it has none (`batched`)."""

    __slots__ = ("batched",)

    def __init__(self, level: Level, value, batched: bool = True):
        self.level, self.value, self.batched = level, value, batched

    @property
    def shape(self):
        return self.value._array.shape[1:] if self.batched else self.value._array.shape

    @property
    def strides(self):
        return self.value._array.strides[1:] if self.batched else self.value._array.strides

    def in_front(self, size) -> tuple:
        """Returns the size of samples with the batch in front, if the array has it."""
        return (*self.value._array.shape[:1], *size) if self.batched else tuple(size)

    @property
    def layout(self):
        """An array of the shape and strides, whose elements are not there."""
        return as_strided(np.empty(1, f"V{self.itemsize}"), self.shape, self.strides)

    @property
    def flags(self):
        whole = self.value._array.flags
        return whole if whole.c_contiguous else self.layout.flags  # samples of a contiguous batch are contiguous

    def with_value(self, value):
        return BatchedArray(self.level, value, self.batched)

    def text(self) -> str:
        """Returns how a tensor with this array prints: as its value does, with the level."""
        text = repr(self.value)
        if not self.batched:
            return text
        return f"BatchedTensor(lvl={self.level.number}, bdim=0, value=\n{indent(text, '    ')}\n)"

    shown = property(lambda self: None if self.batched else self.value)

    def item(self):
        """Returns the only element. Raises RuntimeError if there is one for each sample."""
        if self.batched:
            raise about(RuntimeError(NO_ITEM), "batched_item", ONE_EACH, place=here())
        return self.value.item()

    def check_branch(self) -> None:
        """Raises RuntimeError if a branch of the program would be right for some samples only."""
        if self.batched:
            raise about(RuntimeError(NO_CONTROL_FLOW), "batched_branch", COMPUTE_BOTH, place=here())


ONE_EACH = "There is one number for each sample. Compute with the tensor itself, without item()."
COMPUTE_BOTH = (
    "Some samples may take one branch and some the other. Compute both, and choose: torch.where(condition, a, b)."
)
NO_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
NO_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)


def no_batched_out(name: str) -> RuntimeError:
    """Returns the error for an operator that would write a batch to `out`."""
    words = "the fallback path doesn't work on out= or view ops."
    return RuntimeError(f"Batching rule not implemented for aten::{name}.out; {words}")


def has_batch(level: Level, value) -> bool:
    """Whether a value is a tensor with the batch of a level."""
    array = value._array if isinstance(value, Tensor) else None
    return type(array) is BatchedArray and array.level is level and array.batched


def lowered(level: Level, value):
    """Returns a value without the level: a tensor of `vmap` is its value, which may have the batch in front."""
    array = value._array if isinstance(value, Tensor) else None
    return array.value if type(array) is BatchedArray and array.level is level else value


def is_batched(tensor) -> bool:
    """Whether the samples of a `vmap` have different elements of a tensor."""
    array = tensor._array
    return type(array) is BatchedArray and array.batched


class ShownArray(Traced):
    """A traced array that shows the elements of its value."""

    __slots__ = ()

    shown = property(lambda self: self.value)

    def numbers(self):
        return host(self.value)

    def item(self):
        """Returns the only element, as a Python number."""
        return self.value.item()


class DualArray(ShownArray):
    """The array of a tensor in forward mode; its `tangent` is a tensor of the same shape, or None for zero.

    `view_of` is (array, function) of a view: what it was taken from, and the function that takes the view of a tangent.
    A view without a tangent gets its part of one as soon as the tensor that it was taken from has one.
    """

    __slots__ = ("stored", "view_of")

    def __init__(self, level: Level, value, tangent=None, view_of=None):
        self.level, self.value, self.stored, self.view_of = level, value, tangent, view_of

    @property
    def tangent(self):
        if self.stored is None and self.view_of is not None:
            source, view = self.view_of
            if (tangent := source.tangent) is not None:
                self.stored = view(tangent)
        return self.stored

    @tangent.setter
    def tangent(self, tangent):
        self.stored = tangent

    def with_value(self, value):
        return DualArray(self.level, value)

    def moved_by(self):
        return () if self.tangent is None else (self.tangent,)

    def copy(self, order="C"):
        tangent = self.tangent
        return DualArray(self.level, self.value.clone(), None if tangent is None else tangent.clone())


class TaylorArray(ShownArray):
    """The array of a tensor in Taylor mode: `terms` are the coefficients of order 1 and more, or nothing if constant.

    A coefficient is a tensor of the shape of the value, or None for zero. That of order k is the k-th derivative
    divided by k!.
    """

    __slots__ = ("terms",)

    def __init__(self, level: Level, value, terms: tuple = ()):
        self.level, self.value = level, value
        self.terms = terms if any([term is not None for term in terms]) else ()

    def with_value(self, value):
        return TaylorArray(self.level, value)

    def moved_by(self):
        return tuple([term for term in self.terms if term is not None])

    def copy(self, order="C"):
        terms = tuple([None if term is None else term.clone() for term in self.terms])
        return TaylorArray(self.level, self.value.clone(), terms)


class Untraceable(RuntimeError):
    """Raised where a recorded function needs elements, or memory, that are only known when it runs."""


class RecordedArray(Traced):
    """The array of a tensor whose calls are recorded (`graph/recording.py`), under its `number` in the trace."""

    __slots__ = ("number",)

    def __init__(self, level: Level, value, number: int):
        self.level, self.value, self.number = level, value, number

    def with_value(self, value):
        """Returns the same tensor if the memory is the same, else a constant: it was filled, not computed."""
        if value._array is self.value._array:
            return RecordedArray(self.level, value, self.number)
        return self.level.lifted(value)

    def copy(self, order="C"):
        raise Untraceable("the elements are copied outside of an operator")

    def numbers(self):
        raise Untraceable("the elements are read")

    def item(self):
        """Raises Untraceable: an element is only known when the program runs."""
        raise Untraceable("an element is read")

    def check_branch(self) -> None:
        """Raises Untraceable: a branch on elements."""
        raise Untraceable("a branch depends on an element")


class WrapperArray(Traced):
    """The array of a tensor without elements, whose class computes its calls: see `_library/wrapper_calls.py`.

    `value` is a tensor on `meta` with the shape and strides, `place` the device that the program sees. `owner` is a
    weak reference to the tensor.
    """

    __slots__ = ("owner", "place")

    def __init__(self, value, place):
        self.level, self.value, self.place = CLASSES, value, place

    def item(self):
        """Returns what the class says that the only element is."""
        return CLASSES.element(self)

    def __array_function__(self, function, types, arguments, keywords):
        return CLASSES.filled(self, function, keywords)


# The level below all others: that of classes and modes with `__torch_dispatch__`, which never ends. `_library` attaches
# what it does: `offer` a call of a function written by hand, `copied` and `reduced` for `copy.deepcopy` and pickles.
CLASSES: Any = Level(0)
CLASSES.shares_history, CLASSES.array_type = True, WrapperArray

TRACED = (BatchedArray, DualArray, TaylorArray, RecordedArray, WrapperArray)
NO_RANDOMNESS = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)


def drawing_level() -> Level | None:
    """Returns the innermost level that says how random numbers are drawn, None outside of `vmap`."""
    return next((level for level in reversed(STACK.get()) if level.randomness is not None), None)


def check_randomness(level: Level) -> None:
    """Raises RuntimeError if a level refuses random draws."""
    if level.randomness == "error":
        raise about(RuntimeError(NO_RANDOMNESS), "randomness", level=level.number)


def with_level_of_draws(tensor):
    """Returns a tensor from which is drawn as one of the level that says how, so that this level sees the draw."""
    if not ENTERED or (level := drawing_level()) is None or not hasattr(tensor, "_array"):
        return tensor
    array = tensor._array
    return tensor if type(array) in TRACED and array.level is level else wrap(level.lifted(tensor))


def traced_arrays(arguments) -> list:
    """Returns the traced arrays of the tensors among arguments, also of those in lists and tuples."""
    arrays: list = []
    for value in arguments:
        if isinstance(value, Tensor):
            if type(array := value._array) in TRACED:
                arrays.append(array)
        elif isinstance(value, (list, tuple)):
            arrays += traced_arrays(value)
    return arrays


def top_level(tensors) -> Level | None:
    """Returns the highest level under way that any of some tensors belongs to."""
    top = None
    for tensor in tensors:
        array = tensor._array
        if type(array) in TRACED and array.level.alive and (top is None or array.level.number > top.number):
            top = array.level
    return top


def differentiated(tensor) -> bool:
    """Whether gradients or tangents are computed of a tensor, by whatever is under way."""
    while True:
        if tensor.requires_grad:
            return True
        array = tensor._array
        if type(array) not in TRACED:
            return False
        if array.level.alive and array.moved_by():
            return True
        tensor = array.value


def has_history_below(tensor) -> bool:
    """Whether a tensor, its value or its tangent requires a gradient, on any level."""
    if tensor.requires_grad:
        return True
    array = tensor._array
    if type(array) not in TRACED:
        return False
    return any([has_history_below(each) for each in (array.value, *array.moved_by())])


def settle(tensor) -> None:
    """Makes a tensor with a tangent what it is after its level has ended: its value."""
    while type(array := tensor._array) is DualArray and not array.level.alive:
        value = array.value
        look_at(tensor, value._array)
        tensor._store = value._storage
        if value._edge is not None or value._base is not None:
            tensor._edge, tensor._base, tensor._generation = value._edge, value._base, value._generation
            if value._base is not None:
                tensor._steps = value._steps
        else:
            tensor._base = tensor._generation = None


def every_sample(tensor):
    """Returns a tensor of the elements of all samples, for a check that looks at each by itself."""
    while type(array := tensor._array) in TRACED:
        tensor = array.item() if type(array) is RecordedArray else array.value  # the former raises
    return tensor


def settled(tensor):
    """Returns a tensor, or the value that is left of it if its level has ended."""
    settle(tensor)
    while type(array := tensor._array) in TRACED and not array.level.alive:
        tensor = array.value
    return tensor
