"""Checks of the arguments of norms, statistics and differences, with PyTorch's messages."""

from __future__ import annotations

import math

from rushlight.core.dtype import (
    BOOL,
    BY_NUMPY,
    C_NAMES,
    COMPLEX,
    FLOAT,
    REDUCED,
    SCALAR_NAMES,
    float32,
    float64,
    promote_types,
    uint8,
)
from rushlight.core.errors import noted, type_name
from rushlight.core.tensor import Tensor
from rushlight.core.traced import every_sample
from rushlight.declarations.dtype_rules import refuse, unimplemented
from rushlight.declarations.shapes import broadcast, dims

TO_FLOAT = "Convert integers to floating point first: input.float(), or dtype= where there is one."


def must_be_tensor(name: str, input) -> None:
    """Raises TypeError unless `input` is a tensor."""
    if not hasattr(input, "shape"):
        raise not_a_tensor(name, input)


def not_a_tensor(name: str, input) -> Exception:
    """The error for an argument that is not a tensor."""
    error = TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return noted(error, "Make it a tensor first: input=torch.as_tensor(input).")


def check_mean(input, dtype) -> None:
    """Raises unless a mean can be represented."""
    kind, which = (BY_NUMPY[input.dtype], "Input") if dtype is None else (dtype, "Optional")
    if kind.category < FLOAT:
        raise noted(
            RuntimeError(
                f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex "
                f"dtype. Got: {SCALAR_NAMES[kind]}"
            ),
            TO_FLOAT,
        )


def check_top(input, k: int, axis: int) -> None:
    """Raises unless there are `k` elements along an axis that can be put in order."""
    refuse_complex(input, "topk")
    if input.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    length = input.shape[axis] if input.ndim else 1
    if not 0 <= k <= length:
        raise noted(
            RuntimeError("selected index k out of range"), f"k is {k}; there are {length} elements to choose from."
        )


def check_rank(input, k: int, axis: int) -> None:
    """Raises unless there is a `k`-th smallest element along an axis."""
    refuse(input, "bc", "kthvalue_cpu")
    length = input.shape[axis] if input.ndim else 1
    if not 1 <= k <= length:
        raise noted(
            RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}"),
            f"k counts from 1, and there are {length} elements; this one is {k}.",
        )


def refuse_complex(input, name: str) -> None:
    """Raises for complex numbers, which have no order."""
    if input.dtype.kind == "c":
        raise RuntimeError(f" {name} does not support complex dtypes on CPU")


def check_real_order(name: str, order) -> None:
    """Raises RuntimeError for a complex order of a norm."""
    if isinstance(order, complex):
        raise RuntimeError(f"{name}: Expected a non-complex scalar as the order of norm.")


def check_norm(input, order, dim, dtype) -> None:
    """Raises where PyTorch has no norm."""
    name = "linalg.vector_norm"
    if isinstance(order, str) or order is None:
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(order)}")
    check_real_order(name, order)
    kind = BY_NUMPY[input.dtype]
    if kind.category < FLOAT:
        raise noted(
            RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {SCALAR_NAMES[kind]}"),
            TO_FLOAT,
        )
    if dtype is not None:
        check_norm_dtype(name, kind, dtype)
    if not input.size and (order < 0 or order == math.inf):
        _check_norm_of_nothing(name, input.shape, order, dim)


def check_norm_dtype(name: str, kind, dtype) -> None:
    wanted = "complex" if kind.category == COMPLEX else "real"
    if dtype.category < FLOAT:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {SCALAR_NAMES[dtype]}")
    if (dtype.category == COMPLEX) != (kind.category == COMPLEX):
        raise RuntimeError(f"{name}: dtype should be {wanted} for {wanted} inputs, but got {SCALAR_NAMES[dtype]}")
    # A float32 array may hold half precision for computation; then its dtype is no narrower.
    if promote_types(kind, dtype) is not dtype and not (kind is float32 and dtype in REDUCED):
        raise RuntimeError(
            f"{name}: the dtype of the input ({SCALAR_NAMES[kind]}) should be convertible without narrowing to the "
            f"specified dtype ({SCALAR_NAMES[dtype]})"
        )


def _check_norm_of_nothing(name: str, shape: tuple, order, dim) -> None:
    axes = dims(dim, len(shape))
    if axes is None:
        raise RuntimeError(
            f"{name} cannot compute the {order} norm on an empty tensor because the operation does not have an identity"
        )
    for each in dim if isinstance(dim, (tuple, list)) else (dim,):
        if not shape[each]:
            raise RuntimeError(
                f"{name} cannot compute the {order} norm on the dimension {each}because this dimension is empty and "
                "the operation does not have an identity"
            )


def check_renorm(input, p, maxnorm) -> None:
    """Raises where PyTorch does not renormalise."""
    for name, each in (("p", p), ("maxnorm", maxnorm)):
        if isinstance(each, complex):
            raise RuntimeError(f"renorm: {name} must be real-valued")
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input.dtype.kind in "biu":
        check_norm(input, p, None, None)
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")


def check_rows(x1, x2, order) -> None:
    """Raises unless both are rows of points in one space."""
    named = ((1, x1), (2, x2))
    for number, each in named:
        if each.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{number} got: {each.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    for number, each in named:
        if each.dtype.kind in "biuc":
            name = SCALAR_NAMES[BY_NUMPY[each.dtype]]
            raise noted(RuntimeError(f"cdist only supports floating-point dtypes, X{number} got: {name}"), TO_FLOAT)
    if order < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if x1.dtype != x2.dtype:
        first, second = (SCALAR_NAMES[BY_NUMPY[each.dtype]] for each in (x1, x2))
        raise RuntimeError(f"expected scalar type {first} but found {second}")
    broadcast((x1.shape[:-2], x2.shape[:-2]))


INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def check_quantile(input, q, interpolation: str) -> None:
    """Raises where PyTorch computes no quantiles."""
    if not math.prod(input.shape):
        raise RuntimeError("quantile() input tensor must be non-empty")
    if input.dtype not in (float32, float64):
        raise noted(RuntimeError("quantile() input tensor must be either float or double dtype"), TO_FLOAT)
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )
    if isinstance(q, Tensor):
        _check_fractions(input, q)
    elif not 0 <= q <= 1:
        raise noted(
            RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}"), "q is a fraction: 0.5 for 50 %."
        )


def _check_fractions(input, q) -> None:
    if q.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if q.dtype is not input.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if [each for each in every_sample(q).reshape(-1).tolist() if not 0 <= each <= 1]:
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def check_observations(name: str, input) -> None:
    """Raises unless the input is a matrix of observations, or one row of it."""
    if input.ndim > 2:
        raise RuntimeError(
            f"{name}: expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )
    if input.dtype.category == BOOL:
        raise RuntimeError(f"{name}: bool dtype is not supported for input")


def check_observation_weights(name: str, weights, category: int, wanted: str, number: int) -> None:
    """Raises unless there is a weight of the right kind for each observation."""
    if weights.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions"
        )
    if weights.dtype.category != category:
        raise RuntimeError(
            f"cov(): expected {name} to have {wanted} dtype but got {name} with {SCALAR_NAMES[weights.dtype]} dtype"
        )
    if weights.numel() != number:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.numel()} != {number}"
        )
    if number and every_sample(weights).min().item() < 0:
        raise RuntimeError(f"cov(): {name} cannot be negative")


def check_counted(input, *, bounded: bool) -> None:
    """Raises unless histograms take the dtype; half precision needs `bounded`."""
    if not bounded and input.dtype.char not in "fd":
        raise unimplemented("histogramdd")(BY_NUMPY[input.dtype])
    refuse(input, "biuc", "histogram_cpu")


def no_half_precision(kernel: str):
    """A refusal of float16 and bfloat16, for which a kernel was never written."""

    def refusal(*operands):
        dtypes = [each.dtype for each in operands if each.dtype in REDUCED]
        return unimplemented(kernel)(dtypes[0]) if dtypes else None

    return refusal


def check_bins(bins: int, dim: int = 0) -> None:
    """Raises unless there are bins."""
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}")


def check_weight(input, points: tuple, wanted: tuple, weight) -> None:
    """Raises unless there is a weight of the right dtype for each point."""
    if weight is None:
        return
    if weight.dtype is not input.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype"
            f", but got input({C_NAMES[input.dtype]}), and weight({C_NAMES[weight.dtype]})"
        )
    if tuple(weight.shape) != wanted:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape {list(points)} and weight with shape "
            f"{list(weight.shape)}"
        )


def check_no_range(range) -> None:
    """Raises TypeError for a range if the bins are a tensor."""
    if range is not None:
        raise TypeError(
            "histogram() received an invalid combination of arguments - got (Tensor, Tensor, "
            f"range={type_name(range)}), but expected one of:"
        )


def check_edges(input, edges) -> None:
    """Raises unless the limits of the bins are vectors of the input's dtype."""
    for dim, each in enumerate(edges):
        if each.dtype is not input.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{C_NAMES[input.dtype]} and bins for dimension {dim} with dtype {C_NAMES[each.dtype]}"
            )
        if each.ndim != 1:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have one dimension, but got {each.ndim} dimensions in the bins "
                f"tensor for dimension {dim}"
            )
        if not each.shape[0]:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor "
                f"for dimension {dim}"
            )
        if each.shape[0] == 1:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got 0 for dimension {dim}")


def check_concatenated(input, parts, dim: int) -> None:
    """Raises unless what is to be joined to an input along `dim` fits it."""
    for part in parts:
        if part is None:
            continue
        if part.ndim != input.ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for axis, (given, wanted) in enumerate(zip(part.shape, input.shape, strict=True)):
            if axis != dim and given != wanted:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({axis}) = {wanted}, but got tensor.size({axis}) = {given}"
                )


def refuse_bools(name: str, y, x=None) -> None:
    """Raises RuntimeError for bools, which cannot be integrated."""
    if BOOL in {each.dtype.category for each in (y, x) if each is not None}:
        words = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {words}, but bool is not supported")


def check_gradient(input, axes: list, order: int) -> None:
    """Raises unless there are points enough along each axis."""
    if order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if len(set(axes)) < len(axes):
        double = next(each for each in axes if axes.count(each) > 1)
        raise RuntimeError(f"dim {double} appears multiple times in the list of dims")
    if [axis for axis in axes if input.shape[axis] <= order]:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    if input.dtype is uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")


def check_spacing(spacing, axes: list, dim, rank: int) -> None:
    """Raises unless a list of spacings has a number or the coordinates for each axis."""
    if len(spacing) != len(axes) and dim is None:
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
            f"'self.dim() = {rank}', since dim argument was not given, but got a list of length {len(spacing)}"
        )
    if len(spacing) != len(axes):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(spacing)} and a dim argument of length "
            f"{len(axes)}."
        )
    for each in spacing:
        if isinstance(each, Tensor) and each.ndim != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{each.ndim} dimensions!"
            )
