"""What a batch costs that a worker process has made: rushlight against PyTorch, both in one process, in turns.

The data set hands out a tensor that is there, so that only the way from the worker to the program is timed.
"""

import argparse
import importlib
import statistics
import time

BOUND = 1.0
KIBIBYTES = (1, 64, 1024, 16 * 1024)
LIBRARIES = ("rushlight", "torch")


class Samples:
    """As many samples as wanted, each the same tensor."""

    def __init__(self, tensor, length):
        self.tensor, self.length = tensor, length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.tensor


def epoch(library, kibibytes, batches):
    """A function that loads so many batches of such a size with one worker, and looks at each: seconds per batch."""
    torch = importlib.import_module(library)
    data = importlib.import_module(f"{library}.utils.data")
    samples = Samples(torch.ones(kibibytes * 64), 4 * batches)
    loader = data.DataLoader(samples, 4, num_workers=1, persistent_workers=True, multiprocessing_context="fork")

    def run():
        start = time.perf_counter()
        count = sum(batch.shape == (4, kibibytes * 64) and batch[-1, -1].item() == 1 for batch in loader)
        assert count == batches
        return (time.perf_counter() - start) / batches

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true", help=f"fail if a ratio is over {BOUND}")
    options = parser.parse_args()
    slow = False
    for kibibytes in KIBIBYTES:
        epochs = [epoch(library, kibibytes, 50 if kibibytes > 4096 else 200) for library in LIBRARIES]
        turns = [[run() for run in epochs] for _ in range(options.rounds + 1)][1:]
        ours, theirs = map(min, zip(*turns, strict=True))
        median = statistics.median(first / second for first, second in turns)
        slow = slow or ours / theirs > BOUND
        print(
            f"{kibibytes:6} KiB  rushlight {1e6 * ours:7.0f} us  torch {1e6 * theirs:7.0f} us  ratio "
            f"{ours / theirs:.2f} (median {median:.2f})"
        )
    return int(options.check and slow)


if __name__ == "__main__":
    raise SystemExit(main())
