"""Datasets: sources of samples, by index or as a stream, and datasets composed of others."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, Generic, TypeVar

from rushlight.core.errors import noted
from rushlight.core.generator import Generator, default_generator
from rushlight.core.tensor import Tensor
from rushlight.create.random import randperm

__all__ = [
    "ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "TensorDataset",
    "random_split",
]  # fmt: skip

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """Samples accessed by index: subclasses define `__getitem__`, and usually `__len__`.

    A subclass may define `__getitems__(indices)`, which returns the samples of a batch as a list.
    """

    def __getitem__(self, index: Any) -> Sample:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    # No __len__ here: samplers rely on the TypeError of datasets without a length

    def __add__(self, other: Dataset) -> Dataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample], Iterable[Sample]):
    """A stream of samples: subclasses define `__iter__`.

    With several workers, each iterates over its own copy: `get_worker_info()` tells which part to yield.
    """

    def __add__(self, other: Dataset) -> Dataset:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of the same length: sample `i` is the tuple of their entries `i`.

    Raises AssertionError if the lengths differ.

    >>> import rushlight as torch
    >>> TensorDataset(torch.tensor([1, 2]), torch.tensor([3, 4]))[1]
    (tensor(2), tensor(4))
    """

    def __init__(self, *tensors: Tensor) -> None:
        lengths = [tensor.size(0) for tensor in tensors]
        if len(set(lengths)) > 1:
            raise noted(
                AssertionError("Size mismatch between tensors"),
                f"The first dimensions of the tensors have the sizes {lengths}.",
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Combines datasets of the same length: a sample is a tuple of theirs, or a dict if they have names.

    Raises ValueError if there is none, if the lengths differ, or if only some have names.

    >>> StackDataset(number=[1, 2], letter="ab")[1]
    {'number': 2, 'letter': 'b'}
    """

    datasets: tuple | dict

    def __init__(self, *args: Dataset, **kwargs: Dataset) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = [len(dataset) for dataset in self._parts()]  # type: ignore[arg-type]
        if len(set(lengths)) > 1:
            raise noted(ValueError("Size mismatch between datasets"), f"They have {lengths} samples.")
        self._length = lengths[0]

    def _parts(self) -> list:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _sample(self, parts: Iterable):
        return dict(zip(self.datasets, parts, strict=True)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index: Any) -> Any:
        return self._sample(dataset[index] for dataset in self._parts())

    def __getitems__(self, indices: list) -> list:
        columns = [_of_same_length(fetched(dataset, indices), indices) for dataset in self._parts()]
        return [self._sample(parts) for parts in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


def fetched(dataset, indices: list) -> list:
    """Returns the samples of some indices, in one call if the dataset has `__getitems__`."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[index] for index in indices]


def _of_same_length(samples: list, indices: list) -> list:
    if len(samples) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(samples)}")
    return samples


class ConcatDataset(Dataset[Sample]):
    """Concatenates datasets.

    Raises AssertionError if there is none, or if one of them has no indices.

    >>> ConcatDataset(["ab", "cde"])[-2]
    'd'
    """

    datasets: list
    cumulative_sizes: list[int]

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence) -> list[int]:
        """Returns the cumulative lengths."""
        return list(accumulate(map(len, sequence)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: Any) -> Sample:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        index = bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[index - 1] if index else 0
        return self.datasets[index][idx - before]

    @property
    def cummulative_sizes(self) -> list[int]:
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`", category=FutureWarning, stacklevel=2
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Chains iterable datasets; raises AssertionError on reaching a dataset that is not iterable."""

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator:
        return chain.from_iterable(self._checked())

    def __len__(self) -> int:
        return sum(map(len, self._checked()))


class Subset(Dataset[Sample]):
    """The samples of a dataset at some indices.

    A subclass that defines `__getitem__` must also define `__getitems__`, which loaders call: raises
    NotImplementedError otherwise.

    >>> Subset("abc", [2, 0])[0]
    'c'
    """

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[Sample], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        cls = type(self)
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{cls.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your "
                "custom logic. A simple implementation:\n\n"
                "def __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Sample]:
        return fetched(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[Sample], lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset[Sample]]:
    """Splits a dataset at random into disjoint parts.

    `lengths` are numbers of samples, or fractions that add up to 1: the lengths are then rounded down, and the first
    parts get one more sample until none remain. Raises ValueError if they do not add up.

    >>> import rushlight as torch
    >>> [part.indices for part in random_split("abcde", [0.5, 0.5], torch.Generator().manual_seed(0))]
    [[4, 0, 1], [3, 2]]
    """
    size = len(dataset)  # type: ignore[arg-type]
    total = sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        lengths = _whole_lengths(size, lengths)
    if sum(lengths) != size:
        raise noted(
            ValueError("Sum of input lengths does not equal the length of the input dataset!"),
            f"The lengths {list(lengths)} add up to {sum(lengths)}; the data set has {size} samples.",
        )
    order = randperm(size, generator=generator).tolist()
    stops = accumulate(lengths)
    return [Subset(dataset, order[stop - length : stop]) for stop, length in zip(stops, lengths, strict=True)]  # type: ignore[misc]


def _whole_lengths(size: int, fractions: Sequence[float]) -> list[int]:
    for position, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1")
    lengths = [math.floor(size * fraction) for fraction in fractions]
    for number in range(size - sum(lengths)):
        lengths[number % len(lengths)] += 1
    for position, length in enumerate(lengths):
        if not length:
            warnings.warn(
                f"Length of split at index {position} is 0. This might result in an empty dataset.", stacklevel=3
            )
    return lengths
