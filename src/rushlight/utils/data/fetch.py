"""Fetches the data for one entry of the loader's sampler, in this process or in a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rushlight.utils.data.dataset import fetched


class _DatasetKind:
    """Whether a dataset has indices; names are PyTorch's, which packages use."""

    Map = 0
    Iterable = 1


@dataclass(frozen=True)
class Plan:
    """The part of a loader that a worker needs: dataset, batching and collation."""

    kind: int  # a _DatasetKind
    dataset: Any
    batched: bool
    collate_fn: Callable
    drop_last: bool

    @property
    def is_stream(self) -> bool:
        """Whether the dataset is a stream, without indices."""
        return self.kind == _DatasetKind.Iterable

    def start(self) -> Callable:
        """Returns a function from an index, or a list of them, to a batch; it raises StopIteration at the end."""
        return Stream(self).fetch if self.is_stream else self.fetch

    def fetch(self, index):
        """Returns the batch, or the sample, of an index."""
        return self.collate_fn(fetched(self.dataset, index) if self.batched else self.dataset[index])


class Stream:
    """One pass through a dataset without indices."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.samples = iter(plan.dataset)
        self.ended = False

    def fetch(self, index):
        """Returns the next batch, as long as `index`, or the next sample."""
        if self.ended:
            raise StopIteration
        try:
            data = self._batch(len(index)) if self.plan.batched else next(self.samples)
        except StopIteration:
            self.ended = True
            raise
        return self.plan.collate_fn(data)

    def _batch(self, size: int) -> list:
        samples: list = []
        try:
            while len(samples) < size:
                samples.append(next(self.samples))  # never `iter`, which restarts some iterators
        except StopIteration:
            self.ended = True
        if not samples or (self.ended and self.plan.drop_last):
            raise StopIteration
        return samples
