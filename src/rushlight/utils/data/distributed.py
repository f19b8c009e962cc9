"""The sampler of one of several processes that train together: each gets its part of a common order."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import cycle, islice

from rushlight.core.errors import noted
from rushlight.core.generator import Generator
from rushlight.create.random import randperm
from rushlight.utils.data.dataset import Dataset
from rushlight.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Returns every `num_replicas`-th index, from `rank` on, of an order that is the same in all processes.

    All get equally many: the first indices of the order are repeated at its end, or with `drop_last` the last ones are
    dropped. Call `set_epoch` before each epoch to change the order. `num_replicas` and `rank` are those of the default
    process group if they are not given. Raises ValueError if the rank is not less than their number, or if there is no
    group to ask; RuntimeError if the package for several processes is not installed.

    >>> [list(DistributedSampler("abcde", 2, rank, shuffle=False)) for rank in range(2)]
    [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(
        self,
        dataset: Dataset,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            size, own = place_of_process()
            num_replicas, rank = size if num_replicas is None else num_replicas, own if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        share, remainder = divmod(len(dataset), num_replicas)  # type: ignore[arg-type]
        self.num_samples = share if drop_last or not remainder else share + 1
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        order = range(len(self.dataset))  # type: ignore[arg-type]
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            order = randperm(len(order), generator=generator).tolist()
        return islice(cycle(order), self.rank, self.total_size, self.num_replicas)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Sets the order: its seed is `seed + epoch`."""
        self.epoch = epoch


def place_of_process() -> tuple[int, int]:
    """Returns the number of processes and the rank of this one. Raises if there is no process group."""
    dist = import_module("rushlight.distributed")  # on first use: it takes 15 ms
    if not dist.is_available():
        raise noted(
            RuntimeError("Requires distributed package to be available"),
            "Pass the number of processes and this rank: DistributedSampler(dataset, num_replicas, rank).",
        )
    return dist.get_world_size(), dist.get_rank()
