"""Samplers: the order in which a loader fetches samples. With the same seed it is PyTorch's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Generic, TypeVar

from rushlight.core import dtype as dtypes
from rushlight.core.errors import noted
from rushlight.core.generator import Generator
from rushlight.create.filled import empty
from rushlight.create.from_data import as_tensor
from rushlight.create.random import multinomial, randint, randperm

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
]  # fmt: skip

Item = TypeVar("Item", covariant=True)

# Number of indices drawn at once with replacement: PyTorch's random numbers depend on it.
DRAWN_AT_ONCE = 32


class Sampler(Generic[Item]):
    """An iterable of indices, or of lists of indices: subclasses define `__iter__`, and usually `__len__`."""

    def __iter__(self) -> Iterator[Item]:
        raise NotImplementedError

    # No __len__ here: callers rely on the TypeError of samplers without a length


class SequentialSampler(Sampler[int]):
    """The indices in order.

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices in random order, or drawn with replacement.

    With `num_samples` beyond the length, further permutations follow. Raises TypeError if `replacement` is not a bool,
    ValueError if `num_samples` is not positive.

    >>> import rushlight as torch
    >>> list(RandomSampler("abcd", generator=torch.Generator().manual_seed(0)))
    [0, 1, 3, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            words = f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            if num_samples is None:
                raise noted(ValueError(words), "The data source is empty, so there is nothing to shuffle.")
            raise ValueError(words)

    @property
    def num_samples(self) -> int:
        # Computed each time, since the data source may grow
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = Generator().manual_seed(drawn_seed(None)) if self.generator is None else self.generator
        size = len(self.data_source)
        if self.replacement:
            rounds, remainder = divmod(self.num_samples, DRAWN_AT_ONCE)
            for count in (*[DRAWN_AT_ONCE] * rounds, remainder):
                yield from randint(size, (count,), generator=generator).tolist()
        else:
            rounds, remainder = divmod(self.num_samples, size)
            for count in (*[size] * rounds, remainder):
                yield from randperm(size, generator=generator).tolist()[:count]

    def __len__(self) -> int:
        return self.num_samples


def drawn_seed(generator: Generator | None) -> int:
    """Returns a seed for another generator, drawn from `generator` or from the default one."""
    return empty((), dtype=dtypes.int64).random_(generator=generator).item()


class SubsetRandomSampler(Sampler[int]):
    """Some indices in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for index in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[index]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with the given weights, which need not add up to 1.

    Raises ValueError if `num_samples` is not positive, `replacement` is not a bool, or `weights` is not
    one-dimensional.
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        check_positive("num_samples", num_samples)
        check_bool("replacement", replacement)
        self.weights = as_tensor(weights, dtype=dtypes.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices of another sampler; `drop_last` drops a shorter last one.

    Raises ValueError if `batch_size` is not positive or `drop_last` is not a bool.

    >>> list(BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        check_positive("batch_size", batch_size)
        check_bool("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        batches, remainder = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return batches if self.drop_last or not remainder else batches + 1


def check_positive(name: str, value) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def check_bool(name: str, value) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} should be a boolean value, but got {name}={value}")
