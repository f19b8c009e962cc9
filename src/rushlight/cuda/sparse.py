"""The legacy types of sparse tensors on GPUs, `torch.cuda.sparse.FloatTensor` and others."""

from functools import partial
from importlib import import_module

from rushlight.core import dtype as dtypes
from rushlight.core.shape_queries import SPARSE_COO
from rushlight.create.legacy import legacy_type


def made(*arguments):
    """Returns what the type of the CPU makes; `rushlight.sparse` is imported when one is called."""
    return import_module("rushlight.sparse.legacy").made(*arguments)


sparse_type = partial(legacy_type, device_type="cuda", layout=SPARSE_COO, make=made)

BFloat16Tensor = sparse_type(dtypes.bfloat16)
ByteTensor = sparse_type(dtypes.uint8)
CharTensor = sparse_type(dtypes.int8)
DoubleTensor = sparse_type(dtypes.float64)
FloatTensor = sparse_type(dtypes.float32)
HalfTensor = sparse_type(dtypes.float16)
IntTensor = sparse_type(dtypes.int32)
LongTensor = sparse_type(dtypes.int64)
ShortTensor = sparse_type(dtypes.int16)
