"""Data sets: what a loader takes samples from, by index or one after the other, and data sets made of others."""

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
    """Samples that are fetched by index: subclasses define `__getitem__`, and mostly `__len__`.

    A subclass may define `__getitems__(indices)`, which gives the samples of a whole batch as a list.
    """

    def __getitem__(self, index: Any) -> Sample:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    # No __len__ here: samplers rely on the TypeError of data sets that have no length

    def __add__(self, other: Dataset) -> Dataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample], Iterable[Sample]):
    """Samples that come one after the other, as from a stream: subclasses define `__iter__`.

    With several workers, each iterates over a copy of its own: ask `get_worker_info()` which part it is to give.
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
    """Data sets of the same length side by side: a sample is a tuple of theirs, or a dict if they have names.

    Raises ValueError if there is none, if the lengths differ, or if some have names and others have not.

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
    """The samples of some indices, at once where the data set can do that."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[index] for index in indices]


def _of_same_length(samples: list, indices: list) -> list:
    if len(samples) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(samples)}")
    return samples


class ConcatDataset(Dataset[Sample]):
    """Data sets one after the other, as one.

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
        """The lengths of all up to each."""
        return list(accumulate(map(len, sequence)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: Any) -> Sample:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        place = bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[place - 1] if place else 0
        return self.datasets[place][idx - before]

    @property
    def cummulative_sizes(self) -> list[int]:
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`", category=FutureWarning, stacklevel=2
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Iterable data sets one after the other, as one; raises AssertionError when it comes to one that is none."""

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
    """The samples of a data set at some indices.

    A subclass that defines `__getitem__` must define `__getitems__` too, which loaders call: raises NotImplementedError
    otherwise.

    >>> Subset("abc", [2, 0])[0]
    'c'
    """

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[Sample], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your "
                "custom logic. A simple implementation:\n\n"
                "def __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any):
        if isinstance(idx, list):
            return self.dataset[[self.indices[each] for each in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Sample]:
        return fetched(self.dataset, [self.indices[each] for each in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[Sample], lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset[Sample]]:
    """Parts of a data set, drawn at random and without overlap.

    `lengths` are numbers of samples, or fractions that add up to 1: each part then gets the whole number below its
    fraction, and the first ones get one more until nothing remains. Raises ValueError if they do not add up.

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
