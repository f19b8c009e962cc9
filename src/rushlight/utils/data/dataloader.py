"""class DataLoader: the data, order, batches and workers; iterating over it loads."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from multiprocessing.context import BaseContext
from typing import Any, Generic, Protocol, TypeVar

from rushlight.core.errors import noted
from rushlight.core.generator import Generator
from rushlight.utils.data.collate import default_collate, default_convert
from rushlight.utils.data.dataset import Dataset, IterableDataset
from rushlight.utils.data.fetch import _DatasetKind
from rushlight.utils.data.iterators import (
    _BaseDataLoaderIter,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)
from rushlight.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from rushlight.utils.data.worker import get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

Sample = TypeVar("Sample", covariant=True)


class Indexed(Protocol[Sample]):
    """The interface that a dataset needs at least."""

    def __getitem__(self, index: Any, /) -> Sample: ...


# Attributes that must not change while a pass depends on them.
FIXED = frozenset(("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"))


class EndlessSampler(Sampler):
    """The sampler of a dataset without indices: yields None forever."""

    def __iter__(self) -> Iterator:
        return repeat(None)


class DataLoader(Generic[Sample]):
    """Batches of the samples of a dataset, made in this process or by `num_workers` others.

    `shuffle`, `sampler` and `batch_sampler` set the order; `batch_size=None` gives single samples. `collate_fn` makes a
    batch of a list of samples. Each worker prepares `prefetch_factor` batches (default 2) in advance, and is restarted
    for each pass unless `persistent_workers`. The seed of its generators is drawn from `generator`, or the default one,
    plus the worker's number; then it calls `worker_init_fn(number)`. `in_order=False` returns batches as soon as they
    are ready. An error in a worker is raised here, with its traceback there.

    Raises ValueError for options that exclude each other; while iterating, RuntimeError if a worker dies, or if a batch
    takes more than `timeout` seconds. https://docs.pytorch.org/docs/stable/data.html

    >>> import rushlight as torch
    >>> for batch in DataLoader(range(5), batch_size=2):
    ...     print(batch)
    tensor([0, 1])
    tensor([2, 3])
    tensor([4])
    """

    _initialized = False
    _iterator: _MultiProcessingDataLoaderIter | None = None  # of persistent workers
    _IterableDataset_len_called: int | None = None  # the length that a dataset without indices returned

    def __init__(
        self,
        dataset: Dataset[Sample] | Indexed[Sample],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None,
        batch_sampler: Sampler[list] | Iterable[list] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: str | BaseContext | None = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset: Any = dataset
        self._dataset_kind = _DatasetKind.Iterable if isinstance(dataset, IterableDataset) else _DatasetKind.Map
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self.generator = generator
        check_order(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None:
            sampler = default_sampler(dataset, shuffle, generator)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self._initialized = True
        self.check_worker_number_rationality()

    @property
    def multiprocessing_context(self) -> BaseContext | None:
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context) -> None:
        self._context = None if context is None else valid_context(context, self.num_workers)

    def __setattr__(self, name, value: Any) -> None:
        if self._initialized and name in FIXED:
            raise noted(
                ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized"),
                "Make a new DataLoader.",
            )
        super().__setattr__(name, value)

    def __iter__(self) -> _BaseDataLoaderIter:
        if not self.persistent_workers:
            return self._get_iterator()
        if self._iterator is not None and self._iterator.is_usable:
            self._iterator.restart(self)
        else:
            self._iterator = self._get_iterator()  # type: ignore[assignment]
        return self._iterator  # type: ignore[return-value]

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if not self.num_workers:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        batches, remainder = divmod(length, self.batch_size)
        return batches if self.drop_last or not remainder else batches + 1

    def check_worker_number_rationality(self) -> None:
        """Warns if there are more workers than processors available."""
        counts_allowed = hasattr(os, "sched_getaffinity")
        available = len(os.sched_getaffinity(0)) if counts_allowed else os.cpu_count()
        if not self.num_workers or (available is not None and self.num_workers <= available):
            return
        suggestion = "DataLoader is not able to compute a suggested max number of worker in current system."
        if available is not None:
            doubt = "" if counts_allowed else " (`cpuset` is not taken into account)"
            suggestion = (
                f"Our suggested max number of worker in current system is {available}{doubt}, which is smaller than "
                "what this DataLoader is going to create."
            )
        warnings.warn(
            f"This DataLoader will create {self.num_workers} worker processes in total. {suggestion} Please be aware "
            "that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number "
            "to avoid potential slowness/freeze if necessary.",
            stacklevel=2,
        )

    def __getstate__(self) -> dict:
        return {name: value for name, value in vars(self).items() if name != "_iterator"}


def check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> None:
    """Raises ValueError for options that need another number of workers."""
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def check_order(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last) -> None:
    """Raises ValueError for options of order and batches that exclude each other."""
    if isinstance(dataset, IterableDataset):
        for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
            if value is not None:
                raise noted(
                    ValueError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                    ),
                    "An IterableDataset has no indices: it decides the order itself, in __iter__.",
                )
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


def default_sampler(dataset, shuffle: bool | None, generator: Generator | None) -> Sampler:
    """Returns the sampler of a dataset if none is given."""
    if isinstance(dataset, IterableDataset):
        return EndlessSampler()
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)


def valid_context(context, num_workers: int) -> BaseContext:
    """Returns the context that starts processes, from the name of a start method or from a context."""
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={num_workers}"
        )
    if isinstance(context, str):
        methods = multiprocessing.get_all_start_methods()
        if context not in methods:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
                f"multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if not isinstance(context, BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )
    return context
