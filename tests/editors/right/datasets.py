"""Data sets of one's own, collate functions, samplers and loaders."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import rushlight as torch
from rushlight import Tensor
from rushlight.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
    random_split,
)


class Spiral(Dataset):
    def __init__(self, points=100, transform=None):
        angle = np.linspace(0, 3, points, dtype=np.float32)
        self.data = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self.targets = (angle > 1.5).astype(np.int64)
        self.transform = transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        sample = torch.from_numpy(self.data[idx])
        if self.transform:
            sample = self.transform(sample)
        return sample, int(self.targets[idx])


class Pairs(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, count: int) -> None:
        self.x = torch.randn(count, 3)
        self.y = self.x.sum(dim=1)

    def __len__(self) -> int:
        return self.x.shape[0]

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.x[index], self.y[index]


class Lines(IterableDataset[str]):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.lines = lines

    def __iter__(self) -> Iterator[str]:
        info = get_worker_info()
        start = 0 if info is None else info.id
        step = 1 if info is None else info.num_workers
        return iter(self.lines[start::step])


def collate(batch: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    xs, ys = zip(*batch, strict=True)
    return torch.stack(xs), torch.stack(ys)


def seed_worker(worker_id: int) -> None:
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


pairs = Pairs(20)
first, second = pairs[0]
train, valid = random_split(pairs, [0.8, 0.2])
loader = DataLoader(train, batch_size=4, shuffle=True, collate_fn=collate, worker_init_fn=seed_worker)
weights = torch.ones(len(pairs)).tolist()
weighted = DataLoader(pairs, batch_size=4, sampler=WeightedRandomSampler(weights, num_samples=20, replacement=True))
batched = DataLoader(pairs, batch_sampler=BatchSampler(RandomSampler(pairs), batch_size=5, drop_last=False))
spiral = DataLoader(Spiral(transform=lambda point: point * 2), batch_size=16, pin_memory=False, num_workers=0)
numbers = DataLoader([1, 2, 3], batch_size=2)
rows = DataLoader(torch.randn(8, 2), batch_size=4, shuffle=True)
arrays = DataLoader(np.ones((4, 2)), batch_size=2)
lines = DataLoader(Lines(["a", "b"]), batch_size=2)
both: ConcatDataset[tuple[Tensor, ...]] = ConcatDataset([pairs, TensorDataset(torch.ones(2, 3), torch.ones(2))])
few = Subset(pairs, indices=[0, 2, 4])
for x, y in loader:
    print(x.shape, y.mean().item())
for step, (points, labels) in enumerate(spiral):
    print(step, points.float().mean(), labels.sum())
for batch in lines:
    print(batch)
x, y = next(iter(weighted))
print(first + second, len(both), len(few), len(valid), default_collate([1, 2]), len(batched), len(loader.dataset))
print([row.sum() for row in rows], [each for each in numbers], [each.shape for each in arrays])
