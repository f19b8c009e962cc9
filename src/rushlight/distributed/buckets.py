"""Buckets: gradients of several parameters in one flat tensor, which processes reduce with one call.

https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html#what-does-a-communication-hook-operate-on
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rushlight._generated import functions as F
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros

__all__ = ["Bucket", "GradBucket", "assign", "parts"]


def assign(
    tensors: Sequence[Tensor], limits: Sequence[float], order: Sequence[int] = ()
) -> tuple[list[list[int]], list[float]]:
    """Returns the buckets as lists of positions in `tensors`, and the limit in bytes that each was filled up to.

    Tensors are taken in their order, or in `order`. A bucket has one dtype and device and is full when it reaches its
    limit: the first of `limits` is that of the first bucket, the last that of all further ones.

    >>> import rushlight as torch
    >>> assign([torch.ones(4), torch.ones(4), torch.ones(4)], [16, 1000])
    ([[0], [1, 2]], [16, 1000])
    """
    full: list[tuple[list[int], float]] = []
    open_: dict[Any, list[int]] = {}
    used: dict[Any, Iterator[float]] = {}
    limit: dict[Any, float] = {}
    for index in order or range(len(tensors)):
        tensor = tensors[index]
        kind = tensor.dtype, tensor.device
        bucket = open_.setdefault(kind, [])
        if kind not in limit:
            used[kind] = iter(limits)
            limit[kind] = next(used[kind])
        bucket.append(index)
        if sum(size_of(tensors[each]) for each in bucket) >= limit[kind]:
            full.append((open_.pop(kind), limit[kind]))
            limit[kind] = next(used[kind], limit[kind])
    full += [(bucket, limit[kind]) for kind, bucket in open_.items()]
    if not order:
        full.sort(key=lambda pair: min(pair[0]))
    return [bucket for bucket, _ in full], [each for _, each in full]


def size_of(tensor: Tensor) -> int:
    """Returns the size of a tensor in bytes."""
    return tensor.numel() * tensor.element_size()


def parts(flat: Tensor, shapes: Iterable[Sequence[int]]) -> list[Tensor]:
    """Returns the views of a flat tensor that have these shapes, one after the other."""
    views, begin = [], 0
    for shape in shapes:
        end = begin + count(shape)
        views.append(flat[begin:end].view(shape))
        begin = end
    return views


def count(shape: Sequence[int]) -> int:
    """Returns the number of elements of a shape."""
    number = 1
    for size in shape:
        number *= size
    return number


class Bucket:
    """The gradients of some parameters, in one flat tensor.

    `members` are the numbers of the parameters. `waiting` is how many gradients are still to come in this pass, `work`
    what was started when the last one came.
    """

    def __init__(self, members: list[int], parameters: Sequence[Tensor]) -> None:
        self.members = members
        self.parameters = [parameters[index] for index in members]
        self.shapes = [parameter.shape for parameter in self.parameters]
        first = self.parameters[0]
        length = sum(map(count, self.shapes))
        self.flat = zeros(length, dtype=first.dtype, device=first.device)
        self.views = parts(self.flat, self.shapes)
        self.arrays = [view._array for view in self.views]
        self.waiting = len(members)
        self.work: Any = None

    def put(self, position: int, gradient: Tensor | None, factor: float | None) -> None:
        """Writes a gradient, times a factor, to its place; zeros if there is none. A sparse one is written whole."""
        view = self.views[position]
        if gradient is not None and factor is not None and are_plain(gradient._array, target := self.arrays[position]):
            np.multiply(gradient._array, factor, out=target)
            return
        if gradient is not None and gradient.is_sparse:
            gradient = gradient.to_dense()
        if gradient is None:
            view.zero_()
        elif factor is None or gradient.dtype is not view.dtype:
            view.copy_(gradient.detach())
            if factor is not None:
                view.mul_(factor)
        else:
            F.mul(gradient.detach(), factor, out=view)

    def give(self, position: int, gradient: Tensor) -> None:
        """Overwrites a gradient by what is in its place here."""
        if are_plain(gradient._array, source := self.arrays[position]):
            np.copyto(gradient._array, source)
            (gradient._store or gradient._storage).written()
        else:
            gradient.detach().copy_(self.views[position])

    def fill(self, values: Tensor) -> None:
        """Takes over what a communication hook has made of the gradients."""
        if values._array is not self.flat._array:
            self.flat.copy_(values.view(self.flat.shape))


def are_plain(array: Any, other: Any) -> bool:
    """Whether NumPy computes with two arrays as the operators do: on the CPU, both in single or double precision."""
    return type(array) is type(other) is np.ndarray and array.dtype == other.dtype and array.dtype in PLAIN


PLAIN = (np.dtype(np.float32), np.dtype(np.float64))


class GradBucket:
    """What a communication hook of `DistributedDataParallel` gets: the gradients of some parameters, flat."""

    __module__ = "torch._C._distributed_c10d"

    def __init__(self, index: int, buckets: int, bucket: Bucket, flat: Tensor) -> None:
        self._index, self._buckets, self._bucket, self._flat = index, buckets, bucket, flat

    def index(self) -> int:
        """Returns the number of the bucket: the order in which buckets are reduced."""
        return self._index

    def buffer(self) -> Tensor:
        """Returns the gradients as one flat tensor."""
        return self._flat

    def set_buffer(self, buffer: Tensor) -> None:
        """Replaces the flat tensor, for example by one of another dtype."""
        self._flat = buffer

    def gradients(self) -> list[Tensor]:
        """Returns the gradient of each parameter, as views of the flat tensor."""
        return parts(self._flat, self._bucket.shapes)

    def parameters(self) -> list[Tensor]:
        """Returns the parameters, in the order of their gradients."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Whether it is the last bucket of the pass."""
        return self._index == self._buckets - 1
