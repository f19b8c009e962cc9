"""Seeds all generators that a program is likely to use."""

from __future__ import annotations

import random

import numpy as np

from rushlight.random import manual_seed

LARGEST = 2**32  # NumPy's seeds are smaller


def seed_everything(seed: int) -> int:
    """Seeds the global generators of Python, NumPy and rushlight; returns the seed.

    The numbers that follow are the same on every machine, and rushlight's are PyTorch's. Generators that the program
    created are not affected. Raises TypeError if `seed` is not an integer, ValueError if it is negative.

    >>> import rushlight as torch
    >>> _ = torch.seed_everything(0)
    >>> torch.rand(1), np.random.rand() == np.random.RandomState(0).rand(), random.random() == random.Random(0).random()
    (tensor([0.4963]), True, True)
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed_everything(): the seed is a whole number, not {type(seed).__name__}")
    if seed < 0:
        raise ValueError(f"seed_everything(): the seed is not negative, but got {seed}")
    random.seed(int(seed))
    np.random.seed(int(seed) % LARGEST)
    manual_seed(int(seed))
    return int(seed)
