"""Operators by elements: those that keep zeros run on the values, the others combine the indices of two tensors."""

from __future__ import annotations

from operator import is_

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.dtype import SCALAR_NAMES, can_cast, dtype
from rushlight.core.errors import noted
from rushlight.core.modes import recording
from rushlight.core.shape_queries import SPARSE_COO
from rushlight.core.tensor import Tensor, look_at
from rushlight.core.tensor import wrap as dense
from rushlight.declarations.checks.arithmetic import no_bools
from rushlight.declarations.promote import result_type
from rushlight.declarations.shapes import broadcast as broadcast_shape
from rushlight.sparse.array import BLOCKS, SparseArray
from rushlight.sparse.compressed import as_coo, compressed
from rushlight.sparse.convert import coalesce, entries_at, to_sparse
from rushlight.sparse.coordinates import coalesced, coo, indices_of, keys_of, scattered, taken, with_entries_added
from rushlight.sparse.errors import not_run
from rushlight.sparse.resizing import broadcast
from rushlight.sparse.table import computes
from rushlight.sparse.tensor import OF_BLOCKS, SparseTensor, dense_result, of_blocks, result, wrap


def lossy(made: Tensor, tensor: Tensor, name: str | None) -> RuntimeError:
    """Returns the error for a result whose dtype the tensor that takes it cannot hold."""
    result, output = SCALAR_NAMES[made.dtype], SCALAR_NAMES[tensor.dtype]
    if name in ("add", "sub", "mul"):
        operation = "mul" if name == "mul" else "add"
        return RuntimeError(f"Can't convert result type {result} to output {output} in {operation} operation")
    return RuntimeError(f"result type {result} can't be cast to the desired output type {output}")


def node_name(name: str) -> str:
    """Returns the name of the node of an operator: MulBackward0."""
    return "".join(part.capitalize() for part in name.split("_")) + "Backward0"


def replaced(tensor: SparseTensor, made: Tensor, name: str | None = None) -> SparseTensor:
    """Makes a tensor another one, in place. Raises RuntimeError for a leaf that requires grad, and for lost digits."""
    if recording() and tensor.requires_grad and tensor.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if not isinstance(made, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if made.shape != tensor.shape:
        raise RuntimeError(
            f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(made.shape)}"
        )
    if made.dtype is not tensor.dtype:
        if not can_cast(made.dtype, tensor.dtype):
            raise lossy(made, tensor, name)
        made = made.to(tensor.dtype)
    own, other = tensor._array, made._array
    is_followed = recording() and (tensor.requires_grad or made.requires_grad)
    if not is_followed and own.values.shape == other.values.shape and all(map(is_, own.indices, other.indices)):
        own.values.detach().copy_(other.values)
        own.coalesced = other.coalesced
    elif tensor.requires_grad and not is_followed:
        look_at(tensor, other.with_values(other.values.detach()))
        tensor.requires_grad_()
    else:
        look_at(tensor, other)
    return tensor


@computes("written_out")
def written_out(out: Tensor, made: Tensor, name: str) -> Tensor:
    """Writes a result to the tensor that a program has for it, which gets its size and, if sparse, its indices."""
    if recording() and any(each.requires_grad for each in (out, made)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if isinstance(out, SparseTensor) is not isinstance(made, SparseTensor):
        kinds = ["sparse" if isinstance(each, SparseTensor) else "dense" for each in (made, out)]
        raise noted(RuntimeError(f"{name}(): the result is {kinds[0]}, but out is {kinds[1]}"), "Leave `out` out.")
    if not isinstance(out, SparseTensor):
        return out.resize_(made.shape).copy_(made) if out.shape != made.shape else out.copy_(made)
    made = to_sparse(made, layout=out.layout) if made.layout is not out.layout else made
    if not can_cast(made.dtype, out.dtype):
        raise lossy(made, out, name)
    look_at(out, made.to(out.dtype)._array)
    return out


# ---- one tensor


def as_computed(tensor: SparseTensor) -> SparseTensor:
    """Returns a tensor each of whose elements is one entry."""
    return coalesce(tensor) if tensor.layout is SPARSE_COO else tensor


# Operators for which f(0) = 0: on sparse tensors they run on the values. The value is the name of PyTorch's node.
KEEPING_ZEROS = {
    **{name: node_name(name) for name in (
        "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac nan_to_num rad2deg relu round sgn "
        "sign sin sinh sqrt tan tanh trunc square angle isnan isinf isposinf isneginf signbit conj_physical positive"
    ).split()},
    "log1p": "Log1PBackward0", "square": "PowBackward0",
}  # fmt: skip
ALIASES = {
    "absolute": "abs", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
    "fix": "trunc", "__abs__": "abs", "__pos__": "positive", "special_erf": "erf",
    "special_erfinv": "erfinv", "special_expm1": "expm1", "special_log1p": "log1p", "special_round": "round",
}  # fmt: skip
UNCOALESCED_IN_PLACE = frozenset(("square", "conj_physical"))
WITHOUT_IN_PLACE = frozenset("angle isnan isinf isposinf isneginf signbit positive".split())


def unary(name: str, node: str) -> None:
    """Enters an operator that keeps zeros, and its in-place variant."""

    def function(input, *arguments, **keywords):
        tensor = as_computed(input)
        values = getattr(F, name)(tensor._array.values, *arguments, **keywords)
        return result(tensor._array.with_values(values), node)

    names = [name, *(alias for alias, known in ALIASES.items() if known == name)]
    computes(*names)(function)
    OF_BLOCKS.update(names)
    if name not in WITHOUT_IN_PLACE:

        def in_place(self, *rest, **keywords):
            if self.layout is SPARSE_COO and not self.is_coalesced() and name not in UNCOALESCED_IN_PLACE:
                raise RuntimeError(f"{name}_ requires coalesced input")
            return replaced(self, function(self, *rest, **keywords))

        computes(*(f"{each}_" for each in names if not each.startswith("__")))(in_place)


for _name, _node in KEEPING_ZEROS.items():
    unary(_name, _node)


@computes("neg", "negative", "__neg__")
def neg(input) -> SparseTensor:
    """Returns the negatives of the entries."""
    return scaled(input, F.neg(input._array.values), "NegBackward0")


@computes("real")
def real(input) -> SparseTensor:
    """Returns the real parts of the entries; a real tensor itself."""
    return scaled(input, F.real(input._array.values), "SelectBackward0") if input.is_complex() else input


@computes("imag")
def imag(input) -> SparseTensor:
    """Returns the imaginary parts of the entries."""
    return scaled(input, F.imag(input._array.values), "SelectBackward0")


OF_BLOCKS.update(("real", "imag"))


@computes("pow", "__pow__")
def power(input, exponent) -> SparseTensor:
    """Returns the elements to a power that is a number other than zero."""
    if not isinstance(input, SparseTensor) or isinstance(exponent, Tensor):
        raise not_run("pow", (input, exponent))
    if exponent == 0:
        raise RuntimeError("pow: sparse tensors to the power of zero would be dense")
    tensor = as_computed(input)
    return result(tensor._array.with_values(tensor._array.values**exponent), "PowBackward0")


@computes("zero_")
def zero_(self) -> SparseTensor:
    """Makes all elements zero: of layout COO, removes the entries."""
    array = self._array
    if recording() and self.requires_grad and self.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    values = array.values.detach()
    values.zero_()
    if array.layout is SPARSE_COO:
        look_at(self, coo(np.empty((array.sparse_dim, 0), np.int64), values[:0].clone(), array.shape, True))
    elif array.batch_dim:
        look_at(self, array.with_values(values))
    else:
        starts, others = (F.zeros_of(each) for each in array.indices)
        look_at(self, SparseArray(array.layout, (starts, others[:0]), values[:0].clone(), array.shape))
    return self


# ---- products and quotients with numbers


def is_number(value) -> bool:
    """Whether a value is a number, or a dense tensor without dimensions."""
    if isinstance(value, Tensor):
        return not isinstance(value, SparseTensor) and value.ndim == 0
    return isinstance(value, (int, float, complex, bool, np.number, np.bool_))


def scaled(tensor: SparseTensor, values: Tensor, node: str) -> SparseTensor:
    """Returns a tensor with other values."""
    return result(tensor._array.with_values(values), node)


@computes("mul", "multiply", "__mul__")
def mul(input, other) -> Tensor:
    """Returns the products of elements: entries where both tensors have some."""
    if not isinstance(input, SparseTensor):
        input, other = other, input
    if isinstance(other, SparseTensor) and input.ndim == 0 < other.ndim:
        input, other = other, input
    if isinstance(other, SparseTensor) and other.ndim == 0 < input.ndim:
        other = other.to_dense()
    if is_number(other):
        made = scaled(input, F.mul(input._array.values, other), "MulBackward0")
    elif input.layout in BLOCKS or getattr(other, "layout", None) in BLOCKS:
        raise of_blocks("mul")
    elif isinstance(other, SparseTensor):
        made = product_of_sparse(input, other)
    elif isinstance(other, Tensor):
        made = product_with_dense(input, other)
    else:
        raise TypeError(f"mul(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return made


def product_with_dense(tensor: SparseTensor, other: Tensor) -> SparseTensor:
    """Returns the products of entries with the elements of a dense tensor, which is broadcast."""
    shape = broadcast_shape((tuple(other.shape), tuple(tensor.shape)))
    if shape != tuple(tensor.shape):
        if tensor.layout is not SPARSE_COO:
            words = f"got {list(tensor.shape)} and {list(other.shape)}"
            raise RuntimeError(f"mul operands have incompatible sizes: the dense one may not be larger, {words}")
        tensor = wrap(coalesced(broadcast(tensor._array, shape)))
    factors = entries_at(other.expand(shape), tensor.detach())
    return scaled(tensor, F.mul(tensor._array.values, factors), "MulBackward0")


def product_of_sparse(input: SparseTensor, other: SparseTensor) -> SparseTensor:
    """Returns the products where both tensors have entries."""
    first, second = as_coo(input._array), coalesced(as_coo(other._array))
    sizes = first.shape[: first.sparse_dim]
    if first.sparse_dim != second.sparse_dim or sizes != second.shape[: second.sparse_dim] or input.ndim != other.ndim:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse "
            "dimensions, and shape of sparse dimensions"
        )
    keys = [keys_of(each.index_arrays()[0], sizes) for each in (first, second)]
    kept = np.flatnonzero(np.isin(keys[0], keys[1], assume_unique=first.coalesced))
    common = keys[0][kept]
    values = F.mul(taken(first.values, kept), taken(second.values, np.searchsorted(keys[1], common)))
    array = coo(indices_of(common, sizes), values, (*sizes, *values.shape[1:]), first.coalesced)
    return result(in_layout_of(input, array), "MulBackward0")


def the_one_with_entries(input: SparseTensor, other: SparseTensor, factor, node: str) -> SparseTensor:
    """Returns the sum of tensors with different numbers of sparse dimensions. Raises if both have entries."""
    if input._array.entries and other._array.entries:
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same density, but 'self' has {input.sparse_dim()} sparse "
            f"dimensions while 'other' has {other.sparse_dim()} sparse dimensions"
        )
    wanted = result_type([(input.dtype, 1), (other.dtype, 1)])
    term, number = (input, 1) if input._array.entries else (other, factor)
    return scaled(term, multiple(term._array.values, wanted, number).clone(), node)


def in_layout_of(tensor: SparseTensor, array: SparseArray) -> SparseArray:
    """Returns an array of layout COO in the layout of a tensor."""
    return array if tensor.layout is SPARSE_COO else compressed(array, tensor.layout)


@computes("floor_divide", "__floordiv__")
def floor_divide(input, other) -> SparseTensor:
    """Returns the elements divided by a number, rounded down."""
    if isinstance(input, SparseTensor) and isinstance(other, Tensor) and not is_number(other):
        needed = "a scalar or zero-dim dense tensor" if other.ndim else "a dense"
        shown = f" (got shape {list(other.shape)} for divisor)" if other.ndim else ""
        raise RuntimeError(f"Sparse floor division requires {needed} divisor{shown}")
    return div(input, other, rounding_mode="floor")


@computes("div", "divide", "true_divide", "__truediv__")
def div(input, other, *, rounding_mode=None) -> SparseTensor:
    """Returns the elements divided by a number."""
    if not isinstance(input, SparseTensor):
        raise not_run("reciprocal", (other,))
    if not is_number(other):
        sizes = list(other.shape) if isinstance(other, Tensor) else type(other).__name__
        raise RuntimeError(
            f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {sizes} for divisor)"
        )
    tensor = as_computed(input) if rounding_mode is not None else input
    made = scaled(tensor, F.div(tensor._array.values, other, rounding_mode=rounding_mode), "DivBackward0")
    return made


# ---- sums


@computes("add", "__add__")
def add(input, other, *, alpha=1) -> Tensor:
    """Returns `input + alpha * other`: sparse if both are, dense if `input` is dense."""
    return added(input, other, alpha, "AddBackward0")


@computes("sub", "subtract", "__sub__")
def sub(input, other, *, alpha=1) -> Tensor:
    """Returns `input - alpha * other`."""
    if (refusal := no_bools(input, other)) is not None:
        raise refusal
    return added(input, other, -alpha, "SubBackward0")


def added(input, other, factor, node: str) -> Tensor:
    """Returns `input + factor * other`."""
    if not isinstance(other, SparseTensor):
        if isinstance(other, Tensor) and input.layout is not SPARSE_COO:
            return F.add(scattered(as_coo(input._array)), other, alpha=factor)
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(input, SparseTensor):
        if not isinstance(input, Tensor) or not input.ndim and other.ndim:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        return dense_result(added_to_dense(input, other, factor), node)
    if input.shape != other.shape:
        sizes = f"{list(input.shape)} and {list(other.shape)}"
        raise RuntimeError(f"add: expected sizes of 'self' and 'other' to match, but {sizes.replace(' and ', ' != ')}")
    if input.sparse_dim() != other.sparse_dim():
        return the_one_with_entries(input, other, factor, node)
    made = result(in_layout_of(input, sum_of(as_coo(input._array), as_coo(other._array), factor)), node)
    return made


def added_to_dense(input: Tensor, other: SparseTensor, factor) -> Tensor:
    """Returns a dense tensor with the entries of a sparse one added."""
    if other.shape != input.shape:
        what = "dense" if other.layout is SPARSE_COO else "op2"
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {list(input.shape)} while other "
            f"has size {list(other.shape)} (FYI: {what}-sparse addition does not currently support broadcasting)"
        )
    array = as_coo(other._array)
    sizes, rest = array.shape[: array.sparse_dim], array.shape[array.sparse_dim :]
    wanted = result_type([(input.dtype, input.ndim), (other.dtype, other.ndim)])
    values = multiple(array.values, wanted, factor)
    flat = input.to(wanted).reshape(int(np.prod(sizes)), *rest)
    positions = keys_of(array.index_arrays()[0], sizes)
    return F.index_add(flat, 0, dense(positions), values).reshape(input.shape)


def multiple(values: Tensor, wanted: dtype, factor) -> Tensor:
    """Returns `factor * values` in the dtype of a sum: `-uint8` would be no negative number."""
    values = values.to(wanted)
    return values if factor == 1 else F.add(0, values, alpha=factor)


def sum_of(first: SparseArray, second: SparseArray, factor) -> SparseArray:
    """Returns the sum of two arrays of layout COO: coalesced if both are."""
    wanted = result_type([(each.values.dtype, 1) for each in (first, second)])
    if first.entries == 0 == second.entries:
        return coo(first.indices[0], first.values.to(wanted), first.shape, True)
    term = multiple(second.values, wanted, factor)
    if first.indices[0] is second.indices[0]:
        return coo(first.indices[0], F.add(first.values, term), first.shape, first.coalesced)
    parts = [each.index_arrays()[0] for each in (first, second)]
    values = F.cat([first.values.to(wanted), term])
    indices = np.concatenate(parts, 1)
    if not (first.coalesced and second.coalesced):
        return coo(indices, values, first.shape)
    sizes = first.shape[: first.sparse_dim]
    keys, values = with_entries_added(values, keys_of(indices, sizes))
    return coo(indices_of(keys, sizes), values, first.shape, True)


# ---- in place


def in_place(name: str, function) -> None:
    """Enters the in-place variant of a function of two operands."""

    def method(self, *arguments, **keywords):
        if not isinstance(self, SparseTensor):
            made = function(self, *arguments, **keywords)
            if not can_cast(made.dtype, self.dtype):
                raise lossy(made, self, "add")
            return self.copy_(made.to_dense() if isinstance(made, SparseTensor) else made)
        return replaced(self, function(self, *arguments, **keywords), function.__name__)

    computes(name)(method)


IN_PLACE = {
    add: "add_ __iadd__",
    sub: "sub_ subtract_ __isub__",
    mul: "mul_ multiply_ __imul__",
    div: "div_ divide_ true_divide_ __itruediv__",
    floor_divide: "floor_divide_ __ifloordiv__",
    neg: "neg_ negative_",
    power: "pow_",
}
for _function, _names in IN_PLACE.items():
    for _name in _names.split():
        in_place(_name, _function)


@computes("copy_", "copy_values")
def copy_(self, src, non_blocking=False) -> Tensor:
    """Takes over the entries of another sparse tensor of this shape."""
    if not isinstance(self, SparseTensor) or not isinstance(src, SparseTensor):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = "
                           f"{self.type()} and src type = {src.type()}")  # fmt: skip
    return replaced(self, src.clone())
