"""The sampler of one of several programs that train together: each sees its part of one common order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice

from rushlight.core.errors import noted
from rushlight.core.generator import Generator
from rushlight.create.random import randperm
from rushlight.utils.data.dataset import Dataset
from rushlight.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index, from `rank` on, of an order that is the same in all programs.

    All get equally many: the first indices of the order come again at its end, or with `drop_last` the last ones are
    left out. Call `set_epoch` before each epoch, for another order. Raises RuntimeError if `num_replicas` or `rank` is
    not given, ValueError if the rank is not below the number.

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
            raise noted(
                RuntimeError("Requires distributed package to be available"),
                "Pass the number of processes and this rank: DistributedSampler(dataset, num_replicas, rank).",
            )
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        whole, rest = divmod(len(dataset), num_replicas)  # type: ignore[arg-type]
        self.num_samples = whole if drop_last or not rest else whole + 1
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
        """Chooses the order: that of the seed plus `epoch`."""
        self.epoch = epoch
