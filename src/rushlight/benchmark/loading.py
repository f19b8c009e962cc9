"""Batches from a worker process. The data set returns one existing tensor, so only the transfer is timed."""

from __future__ import annotations

from rushlight.benchmark.case import Case

BOUND = 1.0


class Samples:
    """A data set that returns the same tensor for every index."""

    def __init__(self, tensor, length: int):
        self.tensor, self.length = tensor, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int):
        return self.tensor


def epoch(name: str, kibibytes: int, batches: int) -> Case:
    """A case: `batches` batches of a size from one worker."""

    def program(torch):
        samples = Samples(torch.ones(kibibytes * 64), 4 * batches)
        loader = torch.utils.data.DataLoader(
            samples, 4, num_workers=1, persistent_workers=True, multiprocessing_context="fork"
        )

        def step():
            return sum(batch[-1, -1].item() for batch in loader)

        return step

    return Case(name, program, f"{batches} batches of {kibibytes} KiB from a worker process", BOUND)


CASES = [
    epoch("load_1_KiB", 1, 100),
    epoch("load_64_KiB", 64, 100),
    epoch("load_1_MiB", 1024, 50),
    epoch("load_16_MiB", 16 * 1024, 20),
]
