"""One pass over a loader, in this process or by workers."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections import deque
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

from rushlight import cuda
from rushlight.utils.data.fetch import Plan
from rushlight.utils.data.pinning import pin_memory
from rushlight.utils.data.sampler import drawn_seed
from rushlight.utils.data.team import Team, Worker
from rushlight.utils.data.transport import unpacked
from rushlight.utils.data.worker import END, FAILURE


class _BaseDataLoaderIter(Iterator):
    """One pass over a loader: gets indices from the sampler, and returns their batches.

    It holds no reference to its loader, which may hold one to it. The names of the classes, and of the attributes that
    they read from a loader, are PyTorch's: packages test the type of a pass, and pass their own loaders.
    """

    def __init__(self, loader):
        self._plan = Plan(
            loader._dataset_kind, loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last
        )
        self._pins = pins_memory(loader)
        self._num_workers = loader.num_workers
        self._sampler = loader._index_sampler
        # In this order: the iterator of a sampler may draw from the generator, and so does the seed
        self._indices = iter(self._sampler)
        self._base_seed = drawn_seed(loader.generator)
        self._begin(loader)

    def _begin(self, loader) -> None:
        self._num_yielded = 0
        self._length = loader._IterableDataset_len_called

    def __len__(self) -> int:
        return len(self._sampler)

    def __next__(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        if self._length is not None and self._num_yielded > self._length:
            self._warn_of_more()
        return pin_memory(data) if self._pins else data

    def _next_data(self) -> Any:
        raise NotImplementedError

    def _warn_of_more(self) -> None:
        message = (
            f"Length of IterableDataset {self._plan.dataset} was reported to be {self._length}(when accessing "
            f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
        )
        if self._num_workers:
            message += (
                "For multiprocessing data-loading, this could be caused by not properly configuring the "
                "IterableDataset replica at each worker. Please see "
                "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
            )
        warnings.warn(message, stacklevel=3)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


def pins_memory(loader) -> bool:
    """Whether the batches of a loader are copied to pinned memory; warns if they cannot be."""
    if loader.pin_memory and loader.pin_memory_device:
        warnings.warn(
            "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore "
            f"pin_memory_device='{loader.pin_memory_device}'.",
            stacklevel=2,
        )
    if loader.pin_memory and not cuda.is_available():
        warnings.warn(
            "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
            "used.",
            stacklevel=2,
        )
    return loader.pin_memory and cuda.is_available()


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """A pass in this process."""

    def __init__(self, loader):
        super().__init__(loader)
        if loader.timeout:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetch = self._plan.start()

    def _next_data(self) -> Any:
        return self._fetch(next(self._indices))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Passes by a team of workers, each of which always has a few queued tasks.

    A worker answers its tasks in order, so the next batch comes from the worker with the oldest task.
    """

    def __init__(self, loader):
        if not loader.prefetch_factor:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._epoch = -1
        self._share = loader.prefetch_factor
        self._timeout = loader.timeout
        self._in_order = loader.in_order
        self._persistent = loader.persistent_workers
        super().__init__(loader)
        context = loader.multiprocessing_context or multiprocessing.get_context()
        self._team = Team(context, self._plan, self._num_workers, self._base_seed, loader.worker_init_fn)
        self._workers = [worker.process for worker in self._team.workers]  # programs read the processes from here
        self.restart(loader)

    @property
    def is_usable(self) -> bool:
        """Whether the workers are alive, and belong to this process."""
        return self._team.stop.alive and self._team.owner == os.getpid()

    def restart(self, loader) -> None:
        """Starts a new pass with the same workers; late answers of the last pass are dropped."""
        self._begin(loader)
        self._epoch += 1
        self._indices = iter(self._sampler)
        self._turns = cycle(self._team.workers)
        self._serving = list(self._team.workers)  # workers that have not reached the end of their stream
        self._due: deque[Worker] = deque()  # workers with outstanding answers, oldest first
        for _ in range(self._share * self._num_workers):
            self._send_task()

    def _send_task(self) -> None:
        worker = next(filter(self._takes_more, islice(self._turns, self._num_workers)), None)
        if worker is None:
            return
        try:
            index = next(self._indices)
        except StopIteration:
            return
        worker.send(self._epoch, index)
        self._due.append(worker)

    def _takes_more(self, worker: Worker) -> bool:
        if worker not in self._serving:
            return False
        # Without order, a slow worker would accumulate the tasks
        return self._in_order or self._due.count(worker) < self._share * self._num_workers // len(self._serving)

    def _next_data(self) -> Any:
        while self._due:
            status, parcel, memory = self._answer()
            self._send_task()
            if status != END:
                data = unpacked(parcel, memory)
                if status == FAILURE:
                    data.raise_again()
                return data
        if not self._persistent:
            self._team.stop()
        raise StopIteration

    def _answer(self) -> tuple:
        """Returns the answer to the oldest task, or to any task with `in_order=False`."""
        if not self.is_usable:
            raise self._stopped()
        while True:
            candidates = [self._due[0]] if self._in_order else list(dict.fromkeys(self._due))
            worker, (epoch, status, parcel, memory) = self._team.receive(candidates, self._timeout)
            if epoch == self._epoch:
                self._due.remove(worker)
                if status == END and worker in self._serving:
                    self._serving.remove(worker)
                return status, parcel, memory

    @staticmethod
    def _stopped() -> RuntimeError:
        error = RuntimeError("The workers of this DataLoader iterator are not there any more")
        error.add_note(
            "A worker has died, or this process was forked from the one with the iterator: start with iter(loader)."
        )
        return error
