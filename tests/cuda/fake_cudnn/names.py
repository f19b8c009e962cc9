"""The frontend's names for what a graph consists of, and what the stand-in counts."""

from enum import Enum
from typing import NamedTuple

import ml_dtypes
import numpy as np

data_type = Enum("data_type", "HALF BFLOAT16 FLOAT DOUBLE NOT_SET")
heur_mode = Enum("heur_mode", "A B FALLBACK")
numerical_note = Enum("numerical_note", "TENSOR_CORE NONDETERMINISTIC")
DTYPES = {
    data_type.HALF: np.dtype(np.float16), data_type.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    data_type.FLOAT: np.dtype(np.float32), data_type.DOUBLE: np.dtype(np.float64),
}  # fmt: skip


class cudnnGraphNotSupportedError(Exception):
    pass


class Kernel(NamedTuple):
    """One of the plans of every graph."""

    notes: tuple = ()
    is_buildable: bool = True


KERNELS = (Kernel((numerical_note.TENSOR_CORE,)), Kernel(is_buildable=False), Kernel(), Kernel())


class Counts:
    """How many graphs were described and built, which operators executed, which kinds of kernels avoided."""

    TOO_LARGE = 1 << 50  # bytes of a workspace that does not fit into memory

    def __init__(self):
        self.reset()

    def reset(self):
        self.handles = self.described = self.built = 0
        self.executed, self.deselected = [], []
        self.kernels = []  # the number of the plan of each execution
        self.seconds = len(KERNELS) * [0]  # that each plan takes longer
        self.full = set()  # numbers of plans whose workspace is too large


COUNTS = Counts()
