"""The legacy types of sparse tensors on GPUs, `torch.cuda.sparse.FloatTensor` and others."""

from importlib import import_module

from rushlight.core.shape_queries import SPARSE_COO
from rushlight.create.legacy import legacy_type
from rushlight.cuda._typed import NAMES


def made(*arguments):
    """Returns what the type of the CPU makes; `rushlight.sparse` is imported when one is called."""
    return import_module("rushlight.sparse.legacy").made(*arguments)


# There is none of booleans
globals().update(
    {name: legacy_type(dtype, "cuda", SPARSE_COO, made) for name, dtype in NAMES.items() if name != "BoolTensor"}
)
