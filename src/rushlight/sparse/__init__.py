"""`torch.sparse`: tensors that store the elements that are not zero.

https://docs.pytorch.org/docs/stable/sparse.html
"""

from __future__ import annotations

from rushlight.sparse import (
    convert,
    pickling,
    pointwise,
    printing,
    products,
    queries,
    reductions,
    resizing,
    selecting,
)
from rushlight.sparse.functions import addmm, log_softmax, mm, sampled_addmm, softmax, spdiags, sum
from rushlight.sparse.gradcheck import as_sparse_gradcheck
from rushlight.sparse.invariants import check_sparse_tensor_invariants
from rushlight.sparse.legacy import BFloat16Tensor as BFloat16Tensor
from rushlight.sparse.legacy import ByteTensor as ByteTensor
from rushlight.sparse.legacy import CharTensor as CharTensor
from rushlight.sparse.legacy import DoubleTensor as DoubleTensor
from rushlight.sparse.legacy import FloatTensor as FloatTensor
from rushlight.sparse.legacy import HalfTensor as HalfTensor
from rushlight.sparse.legacy import IntTensor as IntTensor
from rushlight.sparse.legacy import LongTensor as LongTensor
from rushlight.sparse.legacy import ShortTensor as ShortTensor

__all__ = [
    "addmm", "as_sparse_gradcheck", "check_sparse_tensor_invariants", "log_softmax", "mm", "sampled_addmm", "softmax",
    "spdiags", "sum",
]  # fmt: skip

# These enter what they compute in the table.
FAMILIES = (convert, pickling, pointwise, printing, products, queries, reductions, resizing, selecting)
