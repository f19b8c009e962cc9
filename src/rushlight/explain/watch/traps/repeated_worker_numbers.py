"""Workers of a loader that draw the same random numbers."""

from __future__ import annotations

import random

import numpy as np

from rushlight.core.generator import Generator
from rushlight.core.origin import here
from rushlight.explain.watch.source import attribute_line
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap
from rushlight.utils.data.dataloader import DataLoader

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random, Generator)


class RepeatedWorkerNumbers(Trap):
    """Each worker of a DataLoader has a copy of the data set, and of a random generator that the data set holds.

    The copies start from the same state: all workers draw the same numbers, and again in every epoch. The global
    generators of Python, NumPy and torch are seeded per worker; a custom generator is not.
    """

    kind = "repeated_worker_numbers"
    failing = """
import numpy
import torch
from torch.utils.data import DataLoader, Dataset

class Noise(Dataset):
    def __init__(self):
        self.generator = numpy.random.default_rng(0)  # <- here

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.generator.normal()

for batch in DataLoader(Noise(), batch_size=2, num_workers=2):
    print(batch)
"""
    repaired = failing.replace(
        "        self.generator = numpy.random.default_rng(0)  # <- here",
        "        self.generator = None",
    ).replace(
        "        return self.generator.normal()",
        "        if self.generator is None:\n"
        "            self.generator = numpy.random.default_rng(torch.initial_seed())\n"
        "        return self.generator.normal()",
    )

    def tap(self, taps: Taps) -> None:
        def make(iterate):
            def __iter__(loader):
                self._look(loader)
                return iterate(loader)

            return __iter__

        taps.attribute(DataLoader, "__iter__", make)

    def _look(self, loader) -> None:
        if loader.num_workers < 2 or loader.worker_init_fn is not None:
            return
        data = loader.dataset
        for name, value in list(getattr(data, "__dict__", {}).items()):
            if isinstance(value, GENERATORS) and is_drawn_from(type(data), name):
                text = (
                    f"Each of the {loader.num_workers} workers has its own copy of `{name}`, in the same state: all "
                    "workers draw the same numbers, and the same again in every epoch."
                )
                advice = (
                    "make the generator in the worker, on first use, seeded with torch.initial_seed(); or draw from "
                    "torch or numpy.random, which are seeded for each worker."
                )
                self.report(attribute_line(type(data), name) or here(), text, advice)


def is_drawn_from(kind: type, name: str) -> bool:
    """Whether a method other than `__init__` uses an attribute."""
    methods = [method for holder in kind.__mro__ for key, method in vars(holder).items() if key != "__init__"]
    return any(name in getattr(getattr(method, "__code__", None), "co_names", ()) for method in methods)
