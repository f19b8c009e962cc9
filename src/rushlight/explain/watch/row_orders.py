"""Tracks the order that rows of tensors and arrays were shuffled into, through conversions and slices."""

from __future__ import annotations

import random
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.origin import Place, here
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.aliases import array_of
from rushlight.explain.watch.program_lines import called_by_program
from rushlight.explain.watch.taps import ROOT, Taps, dressed
from rushlight.utils.data.dataloader import DataLoader
from rushlight.utils.data.iterators import _SingleProcessDataLoaderIter
from rushlight.utils.data.sampler import RandomSampler

ARITHMETIC = ("__truediv__", "__mul__", "__add__", "__neg__")
CONVERTING = (
    "float",
    "double",
    "long",
    "to",
    "clone",
    "contiguous",
    "detach",
    "squeeze",
    "unsqueeze",
    "reshape",
    "view",
)
MAKING = ("tensor", "from_numpy", "as_tensor", "asarray", "FloatTensor", "LongTensor")


class Order(NamedTuple):
    """The order of rows: their number, the permutations, and the line of the last one."""

    rows: int
    by: tuple[int, ...]
    place: Place
    how: str  # "randperm", "shuffle" or "loader"


class Shuffled(NamedTuple):
    """A memory whose rows are shuffled."""

    reference: weakref.ref
    order: Order


class Orders:
    """The orders of everything that a program has shuffled."""

    def __init__(self) -> None:
        self.permutations: dict[int, tuple[weakref.ref, int]] = {}  # index tensors, with the length of the whole
        self.memories: dict[int, Shuffled] = {}
        self.lists: dict[int, tuple[int, Order]] = {}  # of Python lists by id, with their length
        self.loaders: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # lines that made the loaders

    def tap(self, taps: Taps) -> None:
        self.taps = taps
        self.follows = False  # whether conversions are observed: from the first order on
        taps.attribute(ROOT, "randperm", self._around_randperm)
        taps.attribute(np.random, "shuffle", self._around_shuffle)
        taps.attribute(random, "shuffle", self._around_list_shuffle)
        taps.attribute(DataLoader, "__init__", self._around_making)
        taps.attribute(DataLoader, "__iter__", self._around_iterating)

    # ---- look-up

    def of(self, array: Any) -> Order | None:
        """Returns the order of the rows of an array, tensor or list."""
        if isinstance(array, list):
            length, order = self.lists.get(id(array), (0, None))
            return order if length == len(array) else None
        if isinstance(array, Tensor):
            array = array_of(array)
        if type(array) is not np.ndarray:
            return None
        memory = owner(array)
        known = self.memories.get(id(memory))
        return known.order if known is not None and known.reference() is memory else None

    def _follow(self) -> None:
        """Starts observing functions that pass an order on."""
        if self.follows:
            return
        self.follows = True
        self.taps.method("__getitem__", self._around_index)
        self.taps.operator("index_select", self._around_index_select)
        for name in (*CONVERTING, *ARITHMETIC):
            self.taps.method(name, self._around_conversion)
        for name in MAKING:
            if hasattr(ROOT, name) and not isinstance(getattr(ROOT, name), type):
                self.taps.attribute(ROOT, name, self._around_conversion)

    def note(self, holder: Any, order: Order) -> None:
        self._follow()
        array = array_of(holder)
        if array is not None and array.ndim:
            memory, key = owner(array), id(owner(array))
            self.memories[key] = Shuffled(weakref.ref(memory, lambda _: self.memories.pop(key, None)), order)

    # ---- by a permutation

    def _around_randperm(self, make: Callable) -> Callable:
        def randperm(*arguments, **keywords):
            result = make(*arguments, **keywords)
            if called_by_program() and result._array.size > 1:
                self._remember(result, result._array.size)
            return result

        return dressed(randperm, make)

    def _remember(self, indices: Tensor, rows: int) -> None:
        self._follow()
        key = id(indices)
        self.permutations[key] = weakref.ref(indices, lambda _: self.permutations.pop(key, None)), rows

    def _permutation(self, index: Any) -> int | None:
        """Returns the number of rows if an index is a permutation or part of one."""
        index = index[0] if type(index) is tuple and index else index
        if type(index) is list:
            shuffled = id(index) in self.lists and sorted(index) == list(range(len(index)))
            return len(index) if shuffled and index != sorted(index) else None
        known = self.permutations.get(id(index))
        return known[1] if known is not None and known[0]() is index else None

    def _around_index(self, getitem: Callable) -> Callable:
        def __getitem__(tensor, index):
            result = getitem(tensor, index)
            if self.permutations or self.lists:
                self._indexed(tensor, index, result)
            return result

        return dressed(__getitem__, getitem)

    def _around_index_select(self, select: Callable) -> Callable:
        def index_select(*arguments, **keywords):
            result = select(*arguments, **keywords)
            if self.permutations and len(arguments) == 3 and arguments[1] == 0:
                self._indexed(arguments[0], arguments[2], result)
            return result

        return dressed(index_select, select)

    def _indexed(self, tensor: Tensor, index: Any, result: Tensor) -> None:
        whole = self._permutation(tensor)
        if whole is not None and isinstance(index, slice):
            self._remember(result, whole)
        rows = self._permutation(index)
        if rows is not None and tensor._array.ndim and tensor._array.shape[0] == rows:
            known = self.of(tensor)
            chosen = index[0] if type(index) is tuple else index
            by = (
                *(known.by if known is not None else ()),
                hash(np.asarray(getattr(chosen, "_array", chosen)).tobytes()),
            )
            self.note(result, Order(rows, by, here(), "randperm"))

    # ---- by shuffle()

    def _around_shuffle(self, shuffle: Callable) -> Callable:
        def shuffled(x, *arguments, **keywords):
            state = np.random.get_state()
            shuffle(x, *arguments, **keywords)
            key = hash((state[1].tobytes(), state[2]))  # type: ignore[index, union-attr]
            self._shuffled(x, key)

        return dressed(shuffled, shuffle)

    def _around_list_shuffle(self, shuffle: Callable) -> Callable:
        def shuffled(x, *arguments, **keywords):
            key = hash(random.getstate())
            shuffle(x, *arguments, **keywords)
            self._shuffled(x, key)

        return dressed(shuffled, shuffle)

    def _shuffled(self, x: Any, key: int) -> None:
        if len(x) < 2:
            return
        known = self.of(x)
        order = Order(len(x), (*(known.by if known is not None else ()), key), here(), "shuffle")
        self._follow()
        if type(x) is list:
            self.lists[id(x)] = len(x), order
        elif isinstance(x, (np.ndarray, Tensor)):
            self.note(x, order)

    # ---- conversions

    def _around_conversion(self, convert: Callable) -> Callable:
        def converted(*arguments, **keywords):
            result = convert(*arguments, **keywords)
            if (self.memories or self.lists) and arguments and isinstance(result, Tensor):
                order = self.of(arguments[0])
                if order is not None and result._array.ndim and result._array.shape[0] == order.rows:
                    self.note(result, order)
            return result

        return dressed(converted, convert)

    # ---- by a loader

    def _around_making(self, make: Callable) -> Callable:
        def __init__(loader, *arguments, **keywords) -> None:
            make(loader, *arguments, **keywords)
            self.loaders[loader] = here()

        return dressed(__init__, make)

    def _around_iterating(self, iterate: Callable) -> Callable:
        def __iter__(loader):
            iterator = iterate(loader)
            if (
                isinstance(iterator, _SingleProcessDataLoaderIter)
                and isinstance(loader.sampler, RandomSampler)
                and loader in self.loaders
            ):
                noting = Noting(iterator._indices)
                iterator._indices = noting
                return Followed(iterator, noting, self, len(loader.dataset), self.loaders[loader])
            return iterator

        return dressed(__iter__, iterate)


class Noting:
    """The indices of a pass; remembers the last ones."""

    def __init__(self, indices):
        self.indices, self.last = indices, 0

    def __iter__(self):
        return self

    def __next__(self):
        result = next(self.indices)
        self.last = hash(tuple(result) if isinstance(result, list) else result)
        return result


class Followed:
    """A pass over a loader whose batches are in a known order."""

    def __init__(self, batches, noting: Noting, orders: Orders, rows: int, place: Place):
        self.batches, self.noting, self.orders, self.rows, self.place = batches, noting, orders, rows, place

    def __iter__(self):
        return self

    def __len__(self) -> int:
        return len(self.batches)

    def __getattr__(self, name: str):
        return getattr(self.batches, name)

    def __next__(self):
        batch = next(self.batches)
        order = Order(self.rows, (self.noting.last,), self.place, "loader")
        for part in batch if isinstance(batch, (list, tuple)) else (batch,):
            if isinstance(part, Tensor):
                self.orders.note(part, order)
        return batch
