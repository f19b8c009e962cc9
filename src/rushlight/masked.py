"""`torch.masked`: reductions, scans and normalizations over the unmasked elements.

A mask is a bool tensor that broadcasts to the input's shape. Where it is False, the element is replaced by the
identity: 0 in a sum, minus infinity in a maximum. A result without unmasked elements is the identity, or nan if there
is none. Without a mask all elements count.

See https://docs.pytorch.org/docs/stable/masked.html; there is no MaskedTensor.
"""

from __future__ import annotations

import math
from functools import partial
from importlib import import_module
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Number
from rushlight.core.dtype import FLOAT, float32, iinfo, int64
from rushlight.core.dtype import bool as bool_
from rushlight.core.dtype import dtype as Dtype
from rushlight.core.errors import noted
from rushlight.core.shape_queries import STRIDED
from rushlight.core.tensor import Tensor
from rushlight.create.filled import full
from rushlight.declarations.shapes import wrap_dim

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean", "median",
    "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]  # fmt: skip

# ---- masking


def _mask_like(input, mask):
    """Expands the mask to the input's shape; a sparse mask becomes dense."""
    if mask.ndim > input.ndim:
        raise noted(
            IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"),
            f"The mask has shape {tuple(mask.shape)}, the input {tuple(input.shape)}.",
        )
    return F.expand(mask.to_dense().to(bool_), input.shape)


def _filled(input, mask, identity):
    """Replaces masked elements by the identity."""
    if mask is None:
        return input
    return F.where(_mask_like(input, mask), input, bool(identity) if input.dtype is bool_ else identity)


def _kept_low(name: str, input, mask):
    """Replaces masked elements by the lowest value of the dtype."""
    return input if mask is None else _filled(input, mask, _extreme(name, input.dtype, -math.inf))


def _kept_high(name: str, input, mask):
    """Replaces masked elements by the highest value of the dtype."""
    return input if mask is None else _filled(input, mask, _extreme(name, input.dtype, math.inf))


def _extreme(name: str, dtype, infinity: float):
    """Returns the lowest or highest value of a dtype; an infinity if it has one."""
    if dtype is bool_:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    if dtype.category == FLOAT:
        return infinity
    return iinfo(dtype).min if infinity < 0 else iinfo(dtype).max


def _all_of(dim, rank: int) -> tuple[int, ...]:
    """Returns the dimensions in `dim`, in ascending order; None and () mean all."""
    if dim is None or dim == ():
        return tuple(range(rank))
    axes = sorted(wrap_dim(x, rank) for x in ((dim,) if isinstance(dim, int) else dim))
    for axis, next_axis in zip(axes, axes[1:], strict=False):
        if axis == next_axis:
            raise RuntimeError(f"dim={axis} appears multiple times in the list of dims")
    return tuple(axes)


def _first_of(dim, rank: int) -> int:
    """Returns the first dimension in `dim`."""
    return _all_of(dim, rank)[0]


def _summed_in(input, dtype):
    """Returns the dtype of a sum: int64 for integers and bools."""
    return dtype or (input.dtype if input.dtype.category >= FLOAT else int64)


def _of_sparse(name: str, input, dims, keepdim, dtype, mask, identity):
    """Returns a reduction of a sparse tensor; None for a dense one."""
    if input.layout is STRIDED:
        return None
    reduced = import_module("rushlight.sparse.masked").reduced
    return reduced(name, input, dims, bool(keepdim), dtype, mask, identity)


# ---- reductions


def sum(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Sums over the dimensions `dim`, in `dtype`; 0 without elements.

    >>> import rushlight as torch
    >>> input = torch.tensor([[-3, -2, -1], [0, 1, 2]])
    >>> mask = torch.tensor([[True, False, True], [False, False, False]])
    >>> torch.masked.sum(input, 1, mask=mask)
    tensor([-4,  0])
    """
    dims = _all_of(dim, input.ndim)
    if (result := _of_sparse("sum", input, dims, keepdim, _summed_in(input, dtype), mask, 0)) is not None:
        return result
    return F.sum(_filled(input, mask, 0), dims, bool(keepdim), dtype=_summed_in(input, dtype))


def prod(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Multiplies over the dimensions `dim`, in `dtype`; 1 without elements."""
    dims = _all_of(dim, input.ndim)
    if (result := _of_sparse("prod", input, dims, keepdim, _summed_in(input, dtype), mask, 1)) is not None:
        return result
    result = _filled(input, mask, 1).to(_summed_in(input, dtype))
    for axis in reversed(dims):
        result = F.prod(result, axis, bool(keepdim))
    return result


def amax(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Returns the largest element over `dim`; the lowest value of the dtype without elements."""
    dims = _all_of(dim, input.ndim)
    if input.layout is not STRIDED:
        identity = _extreme("amax", input.dtype, -math.inf)
        return _of_sparse("amax", input, dims, keepdim, dtype or input.dtype, mask, identity)
    return F.amax(_kept_low("amax", input, mask), dims, bool(keepdim)).to(dtype or input.dtype)


def amin(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Returns the smallest element over `dim`; the highest value of the dtype without elements."""
    dims = _all_of(dim, input.ndim)
    if input.layout is not STRIDED:
        identity = _extreme("amin", input.dtype, math.inf)
        return _of_sparse("amin", input, dims, keepdim, dtype or input.dtype, mask, identity)
    return F.amin(_kept_high("amin", input, mask), dims, bool(keepdim)).to(dtype or input.dtype)


def argmax(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Returns the index of the largest element along `dim`, or in the flattened input."""
    return F.argmax(_kept_low("argmax", input, mask), dim, bool(keepdim)).to(dtype or input.dtype)


def argmin(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Returns the index of the smallest element along `dim`, or in the flattened input."""
    return F.argmin(_kept_high("argmin", input, mask), dim, bool(keepdim)).to(dtype or input.dtype)


def logsumexp(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Returns the logarithm of the sum of exponentials over `dim`; minus infinity without elements."""
    dims = _all_of(dim, input.ndim)
    lowest = _filled(input, mask, -math.inf) if input.is_complex() else _kept_low("logsumexp", input, mask)
    return F.logsumexp(lowest, dims, bool(keepdim)).to(dtype or input.dtype)


def norm(
    input: Tensor,
    ord: float = 2.0,
    dim: Any = None,
    *,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Returns the vector norm of order `ord` over `dim`; without elements 0, or infinity for `ord` `-inf`."""
    if mask is not None and ord == -math.inf and not input.is_floating_point():
        raise AssertionError(f"input must be floating point, got {input.dtype}")
    identity = math.inf if ord == -math.inf else 0
    dims = _all_of(dim, input.ndim)
    return F.linalg_vector_norm(_filled(input, mask, identity), ord, dims, bool(keepdim), dtype=dtype)


# ---- masks


def _input_mask(input: Tensor, /, *args: Any, mask: Tensor | None = None, **kwargs: Any) -> Tensor:
    """Returns which elements of `input` an operation counts; the other arguments are those of the operation."""
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    return _mask_like(input, mask)


def _output_mask(op: Any, input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Returns which elements of the result of `op` come from an element that counts.

    >>> import rushlight as torch
    >>> mask = torch.tensor([[True, False], [False, False]])
    >>> torch.masked._output_mask(torch.masked.sum, torch.ones(2, 2), 1, mask=mask)
    tensor([ True, False])
    """
    name = op.__name__
    if name not in _REDUCTIONS and name not in _ALONG:
        raise ValueError(f"_output_mask expected masked operation (got callable {op})")
    result = _input_mask(input, *args, **kwargs)
    if name in _ALONG:
        return result
    positional = args[1:] if name == "norm" else args  # without `ord`
    dim, keepdim = positional[0] if positional else kwargs.get("dim"), bool(kwargs.get("keepdim", False))
    for axis in reversed(_all_of(dim, input.ndim)):
        result = F.any(result, axis, keepdim)
    return result


def _reduction_identity(op_name: str, input: Tensor, *args: Any) -> Tensor | None:
    """Returns the value of masked elements in the operation `op_name`, as a tensor; None if there is none.

    A norm has its order in `args`.

    >>> import rushlight as torch
    >>> torch.masked._reduction_identity("amax", torch.ones(2))
    tensor(-inf)
    """
    op_name = op_name.rpartition(".")[2]  # it may begin with the name of the module
    if op_name in ("mean", "var", "std"):
        return None
    filled = partial(full, (), device=input.device)
    if op_name == "median":
        return filled(math.nan, dtype=input.dtype if input.dtype.category == FLOAT else None)
    if op_name == "norm" and args[:1] == (-math.inf,):
        return filled(math.inf, dtype=input.dtype)
    if op_name in _IDENTITIES:
        return filled(_IDENTITIES[op_name], dtype=input.dtype)
    if op_name not in _INFINITE:
        raise NotImplementedError(f"identity of {op_name} on {input.dtype} input")
    if op_name == "logsumexp" and input.dtype.category > FLOAT:
        return filled(-math.inf, dtype=input.dtype)
    return filled(_extreme(op_name, input.dtype, _INFINITE[op_name]), dtype=input.dtype)


_canonical_dim = _all_of
_IDENTITIES = {"sum": 0, "cumsum": 0, "norm": 0, "prod": 1, "cumprod": 1}
_INFINITE = {
    "amin": math.inf, "argmin": math.inf, "amax": -math.inf, "argmax": -math.inf, "logsumexp": -math.inf,
    "logaddexp": -math.inf,
}  # fmt: skip
_REDUCTIONS = "sum prod amax amin argmax argmin mean median norm var std logsumexp".split()
_ALONG = "softmax log_softmax softmin normalize cumsum cumprod".split()

# ---- averages


def mean(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Returns the mean over `dim` of floating point and complex elements; nan without elements.

    >>> import rushlight as torch
    >>> input = torch.tensor([[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0]])
    >>> torch.masked.mean(input, 1, mask=torch.tensor([True, False, True]))
    tensor([-2.,  1.])
    """
    if (dtype or input.dtype).category < FLOAT:
        whose = "Optional" if dtype else "Input"
        raise ValueError(
            f"mean(): Could not infer output dtype. {whose} dtype must be either a floating point or complex dtype. "
            f"Got: {dtype or input.dtype}"
        )
    if input.layout is not STRIDED:
        return _of_sparse("mean", input, _all_of(dim, input.ndim), keepdim, dtype or input.dtype, mask, math.nan)
    count = _counted(input, dim, keepdim, mask)
    return sum(input, dim, keepdim=keepdim, dtype=dtype or input.dtype, mask=mask) / count


def _counted(input, dim, keepdim, mask):
    """Counts the unmasked elements over `dim`: a number without a mask."""
    if mask is None:
        return math.prod(input.shape[x] for x in _all_of(dim, input.ndim)) if input.ndim else 1
    return F.sum(_mask_like(input, mask), dim, bool(keepdim))


def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Returns the median along `dim`, the lower of two middle elements; nan elements are masked too.

    Without elements it is nan; for dtypes other than floating point it raises ValueError there.
    """
    floating = input.is_floating_point()
    values = _filled(input if floating else input.to(float32), mask, math.nan)
    result = F.nanmedian(values, _first_of(dim, input.ndim), bool(keepdim)).values
    if floating:
        return result
    if F.any(F.isnan(result)):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype or input.dtype)


def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: Number | None = None,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Returns the variance over `dim`: squared deviations divided by their number minus `correction`.

    The default correction is 1; `unbiased=False` means 0. Without elements it is nan.
    """
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 0 if unbiased is False else 1
    dtype = dtype or (input.dtype if input.dtype.category >= FLOAT else float32)
    count = _counted(input, dim, True, mask)
    deviation = input - sum(input, dim, keepdim=True, dtype=dtype, mask=mask) / count
    squares = deviation * F.conj(deviation) if deviation.is_complex() else deviation * deviation
    total = sum(squares, dim, keepdim=keepdim, dtype=dtype if dtype.category >= FLOAT else float32, mask=mask)
    return (total / _freedom(_counted(input, dim, keepdim, mask), correction, total.dtype)).to(dtype)


def _freedom(count, correction, dtype):
    """Returns the number of elements minus the correction, at least 0: a number, or a real tensor."""
    if isinstance(count, int):
        return max(count - correction, 0)
    return F.clamp_min(count.to(dtype.to_real()) - correction, 0)


def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: Number | None = None,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation over the dimensions `dim`: the square root of `var`."""
    return F.sqrt(var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask))


# ---- along a dimension


def cumsum(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Returns the cumulative sums along `dim`."""
    return F.cumsum(_filled(input, mask, 0), _first_of(dim, input.ndim), dtype=dtype or input.dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Returns the cumulative products along `dim`."""
    return F.cumprod(_filled(input, mask, 1), _first_of(dim, input.ndim), dtype=dtype or input.dtype)


def softmax(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Returns exponentials divided by their sum along `dim`; 0 where masked, nan where all are.

    >>> import rushlight as torch
    >>> torch.masked.softmax(torch.zeros(3), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    return F.softmax(_kept_low("amax", input, mask), _first_of(dim, input.ndim), dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Returns the logarithm of the softmax along `dim`; minus infinity where masked, nan where all are."""
    return F.log_softmax(_kept_low("amax", input, mask), _first_of(dim, input.ndim), dtype)


def softmin(input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """Returns the softmax of `-input` along `dim`; 0 where masked, nan where all are."""
    return F.softmin(_kept_high("amin", input, mask), _first_of(dim, input.ndim), dtype)


def normalize(
    input: Tensor, ord: float, dim: Any, *, eps: float = 1e-12, dtype: Dtype | None = None, mask: Tensor | None = None
) -> Tensor:
    """Divides the input by its norm of order `ord` along `dim`, or by `eps` if that is larger; 0 where masked."""
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _filled(input, mask, 0) / F.maximum(length, length.new_full((), eps))


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: Dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """Returns `log(exp(input) + exp(other))` with a mask for each; minus infinity where both are masked."""
    pair = _kept_low("logaddexp", input, input_mask), _kept_low("logaddexp", other, other_mask)
    return F.logaddexp(*pair).to(dtype or input.dtype)
