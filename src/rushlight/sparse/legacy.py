"""Legacy constructors of sparse tensors: `torch.sparse.FloatTensor(indices, values, size)`, and `new`.

The type says nothing about the dtype of the result if it has values: it is theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.errors import type_name
from rushlight.core.shape_queries import SPARSE_COO
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.core.warn_once import warn_once
from rushlight.create.legacy import check_device, legacy_type
from rushlight.sparse.construct import sparse_coo_tensor
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import SparseTensor

# The arguments of each form: as its warning names them, and those to use instead.
FORMS = {
    (): ("", "(0,), dtype="),
    ("indices", "values"): ("indices, values, *, device=", "indices, values, dtype=, device="),
    ("indices", "values", "size"): ("indices, values, shape, *, device=", "indices, values, shape, dtype=, device="),
    ("size",): ("shape, *, device=", "shape, dtype=, device="),
}
SIGNATURES = """ * (*, torch.device device = None)
 * (Tensor indices, Tensor values, *, torch.device device = None)
 * (Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None)
 * (tuple of ints size, *, torch.device device = None)
"""


def made(dtype, arguments: tuple, keywords: dict, is_type: bool = True) -> SparseTensor:
    """Returns a sparse tensor from the arguments of a legacy constructor; of `dtype` if they contain no values.

    Raises TypeError for arguments of no form of the call, RuntimeError for a device that is not the CPU.
    """
    keywords = dict(keywords)
    device = keywords.pop("device", None)
    by_name = arguments_of(arguments, keywords)
    form = tuple(by_name)
    if form == ("size",) and arguments and not isinstance(arguments[0], Size | int | np.integer):
        called = "torch.sparse.SparseTensor" if is_type else "SparseTensor.new"
        raise TypeError(
            f"{called}(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a strided "
            "tensor and convert it to sparse via to_sparse."
        )
    if is_type:  # and not `new` of a tensor
        warn_once(
            "torch.sparse.SparseTensor({}) is deprecated.  Please use torch.sparse_coo_tensor({}).".format(*FORMS[form])
        )
    check_device(device)
    if "values" not in by_name:
        return sparse_coo_tensor(size=by_name.get("size", (0,)), dtype=dtype)
    if by_name["indices"].dtype is not dtypes.int64:
        raise RuntimeError(f"expected scalar type Long but found {dtypes.SCALAR_NAMES[by_name['indices'].dtype]}")
    return sparse_coo_tensor(**by_name)


def arguments_of(arguments: tuple, keywords: dict) -> dict[str, Any]:
    """Returns the arguments of a call by name. Raises TypeError if it has none of the forms."""
    positional = (arguments,) if arguments and is_size(arguments) else arguments
    if len(positional) > len(KINDS):
        raise TypeError(f"new() takes {len(KINDS)} positional arguments but {len(positional)} were given")
    if keywords and len(positional) == len(KINDS):
        raise TypeError(f"new() got an unexpected keyword argument '{next(iter(keywords))}'")
    for form in FORMS:
        named = dict(zip(form, positional, strict=False)) | keywords
        is_whole = len(named) == len(positional) + len(keywords) and named.keys() == set(form)
        if is_whole and all([KINDS[name](value) for name, value in named.items()]):
            return {name: named[name] for name in form}
    kinds = [type_name(each) for each in arguments] + [f"{name}={type_name(each)}" for name, each in keywords.items()]
    words = f"new() received an invalid combination of arguments - got ({', '.join(kinds)})"
    raise TypeError(f"{words}, but expected one of:\n{SIGNATURES}")


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def is_size(value: Any) -> bool:
    """Whether a value is a sequence of integers."""
    return isinstance(value, tuple | list) and all(
        [isinstance(each, int | np.integer) and not isinstance(each, bool) for each in value]
    )


KINDS: dict[str, Callable[[Any], bool]] = {"indices": is_tensor, "values": is_tensor, "size": is_size}


@computes("new")
def new(self, *arguments: Any, **keywords: Any) -> SparseTensor:
    """Returns a sparse tensor from the arguments of a legacy constructor."""
    return made(self.dtype, arguments, keywords, is_type=False)


sparse_type = partial(legacy_type, layout=SPARSE_COO, make=made)

BFloat16Tensor = sparse_type(dtypes.bfloat16)
ByteTensor = sparse_type(dtypes.uint8)
CharTensor = sparse_type(dtypes.int8)
DoubleTensor = sparse_type(dtypes.float64)
FloatTensor = sparse_type(dtypes.float32)
HalfTensor = sparse_type(dtypes.float16)
IntTensor = sparse_type(dtypes.int32)
LongTensor = sparse_type(dtypes.int64)
ShortTensor = sparse_type(dtypes.int16)
