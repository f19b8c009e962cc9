"""Rules that compute a batch of calls at once, for all operators of a kind.

    broadcast   ranks are aligned by 1s behind the batch
    shift       dimensions count from behind the batch, sizes get the batch in front
    leading     the operator works on its last dimensions; more in front of them are a batch
    fold        (B, N, ...) -> (B * N, ...), and back

A rule `rule(op, b, arguments)` returns the results, or NotImplemented for a call that it does not take. `rule_of` says
which one an operator has; the tests compare all with the loop, on the samples of the declarations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import rushlight._generated.functions as F
from rushlight.core.formats import CONTIGUOUS, PRESERVE
from rushlight.core.tensor import Tensor
from rushlight.declarations.batches import front, padded, rank_of
from rushlight.declarations.declare import DIFFERENTIABLE, OPERANDS
from rushlight.declarations.promote import number_dtype, result_type
from rushlight.declarations.shapes import wrap_dim
from rushlight.dispatch.planned import called

Rule = Callable[[Any, Any, dict], Any]
DIMENSIONS = frozenset(("dim", "dims", "dim0", "dim1", "dim2", "dimension"))
SIZES = frozenset(("size", "shape"))
ALL = slice(None)


# ---- broadcast


@cache
def tensor_names(op) -> tuple:
    """The names of the arguments that are tensors."""
    return tuple([argument.name for argument in op.operands()])


@cache
def promoted_names(op) -> tuple:
    """The names of the arguments that take part in promotion."""
    return tuple([argument.name for argument in op.arguments if argument.role in DIFFERENTIABLE])


def broadcast(op, b, arguments: dict) -> Any:
    """Aligns ranks; dtypes are promoted by the ranks of samples, among which a number may be."""
    names = tensor_names(op)
    if len(names) == 1:
        return called(op, [*arguments.values()])
    ranks = {
        name: value._array.ndim - (name in b.batched) for name in names if isinstance(value := arguments[name], Tensor)
    }
    wanted, least = max(ranks.values()), min(ranks.values())
    if least == 0 and len({arguments[name].dtype for name in ranks}) > 1:
        promote_numbers(op, arguments, ranks)
    if least < wanted:
        for name, rank in ranks.items():
            if rank < wanted and name in b.batched:
                arguments[name] = padded(F, arguments[name], wanted)
    return called(op, [*arguments.values()])


def promote_numbers(op, arguments: dict, ranks: dict) -> None:
    """Casts operands where a batch of numbers would be promoted as an array is."""
    if op.exact and op.dtype != "common":
        return
    operands = [(name, arguments[name]) for name in promoted_names(op) if arguments[name] is not None]
    by_sample, by_value = [], []
    for name, value in operands:
        if isinstance(value, Tensor):
            by_sample.append((value.dtype, ranks[name]))
            by_value.append((value.dtype, value._array.ndim))
        else:
            by_sample.append((number_dtype(value), None))
            by_value.append((number_dtype(value), None))
    if (dtype := result_type(by_sample)) is not result_type(by_value):
        for name, value in operands:
            if isinstance(value, Tensor):
                arguments[name] = value.to(dtype)


# ---- shift


def shifted_dim(dim, rank: int):
    """Returns a dimension of a sample, or several, as one of the batch. Raises IndexError if it is out of range."""
    if type(dim) in (tuple, list):
        return type(dim)([wrap_dim(each, rank) + 1 for each in dim])
    return wrap_dim(dim, rank) + 1


@cache
def counted_names(op) -> tuple:
    """The names of the arguments that are dimensions, and of those that are sizes of the result."""
    names = [argument.name for argument in op.arguments]
    sizes = [name for name in names if name in SIZES] if op.name in SIZED else []
    return [name for name in names if name in DIMENSIONS], sizes


def shift(op, b, arguments: dict) -> Any:
    """Counts dimensions from behind the batch."""
    dimensions, sizes = counted_names(op)
    if len(b.batched) == len(names := tensor_names(op)):
        rank = arguments[names[0]]._array.ndim - 1
    else:
        names = tuple([name for name in names if isinstance(arguments[name], Tensor)])
        for name in names:
            arguments[name] = front(F, b, name, arguments[name])
        rank = arguments[names[0]]._array.ndim - 1
    one_more = op.name in ONE_MORE
    number = dimensions and not rank and not one_more
    if number and op.name == "windows":
        return NotImplemented
    if number:
        arguments |= {name: F.unsqueeze(arguments[name], 1) for name in names if arguments[name]._array.ndim == 1}
    if dimensions:
        counted = len(arguments["shape"]) if "shape" in sizes else rank + one_more
        for name in dimensions:
            if (dim := arguments[name]) is not None:
                plain = type(dim) is int and 0 <= dim < counted
                arguments[name] = dim + 1 if plain else shifted_dim(dim, counted)
    for name in sizes:
        arguments[name] = (b.size, *arguments[name])
    result = called(op, list(arguments.values()))
    return samples_of_numbers(result) if number else result


def samples_of_numbers(result):
    """Returns results that were computed for 1-d samples in place of 0-d ones as the latter have them."""
    if isinstance(result, Tensor):
        return F.select(result, 1, 0) if result._array.ndim == 2 and result.shape[1] == 1 else result
    return [samples_of_numbers(each) for each in result]


def reduce(op, b, arguments: dict) -> Any:
    """Reduces dimensions, or all of each sample if none is named."""
    dim = arguments["dim"]
    if type(dim) is bool:  # `x.var(False)`
        arguments = {**arguments, "dim": None, "unbiased": dim}
        dim = None
    if dim is not None and (op.name in KEEPS_ALL or (dim != () and dim != [])):
        return shift(op, b, arguments)
    (name, *_) = tensor_names(op)
    value = arguments[name]
    size, *shape = value.shape
    arguments = {**arguments, name: F.reshape(value, (size, prod(shape))), "dim": 1}
    kept = arguments.get("keepdim")
    if kept:
        arguments["keepdim"] = False
    result = called(op, list(arguments.values()))
    if not kept:
        return result
    ones = (size, *(1,) * len(shape))
    if isinstance(result, Tensor):
        return F.reshape(result, ones)
    return [F.reshape(each, ones) for each in result]


# ---- leading, fold


def leading(op, b, arguments: dict) -> Any:
    """Calls the operator with the batch in front of all operands."""
    for name in tensor_names(op):
        if isinstance(arguments[name], Tensor):
            arguments[name] = front(F, b, name, arguments[name])
    return called(op, list(arguments.values()))


def fold(op, b, arguments: dict) -> Any:
    """Makes one batch dimension of the batch and the first dimension of the samples."""
    names = [name for name in tensor_names(op) if isinstance(arguments[name], Tensor)]
    count = None
    for name in names:
        value = front(F, b, name, arguments[name])
        size, count, *shape = value.shape
        arguments[name] = F.reshape(value, (size * count, *shape))
    for name in SIZES & arguments.keys():
        if op.name in FOLDED_SIZES:
            arguments[name] = (b.size * arguments[name][0], *arguments[name][1:])
    result = called(op, list(arguments.values()))

    def unfold(each):
        return F.reshape(each, (b.size, each.shape[0] // b.size if b.size else count, *each.shape[1:]))

    return unfold(result) if isinstance(result, Tensor) else [unfold(each) for each in result]


# ---- rules of a few


def indexed(op, b, arguments: dict) -> Any:
    """Puts all of the batch before a basic index."""
    values = dict(arguments)
    values["index"] = (ALL, *values["index"])
    if "shape" in values:
        values["shape"] = (b.size, *values["shape"])
    return called(op, list(values.values()))


def sized(op, b, arguments: dict) -> Any:
    """Aligns the operand with a size that may have more dimensions, to which the batch is added in front."""
    input, size = arguments.values()
    wanted = len(size)
    one = 1 if op.name == "repeat" else b.size
    return called(op, [padded(F, input, wanted), (one, *size)])


def summed_to(op, b, arguments: dict) -> Any:
    """Sums samples to a smaller shape, which may have fewer dimensions."""
    input, shape = arguments.values()
    more = input._array.ndim - 1 - len(shape)
    result = F.sum_to_size_of(input, (b.size, *(1,) * more, *shape))
    return F.reshape(result, (b.size, *shape)) if more else result


def transposed(op, b, arguments: dict) -> Any:
    """Transposes matrices; a sample with fewer dimensions is viewed as it is."""
    (input,) = arguments.values()
    if input._array.ndim > 3:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim - 1}D")
    return F.transpose(input, 1, 2) if input._array.ndim == 3 else F.view(input, input.shape)


def permuted(op, b, arguments: dict) -> Any:
    """Permutes the dimensions of samples."""
    input, dims = arguments.values()
    rank = input._array.ndim - 1
    if len(dims) != rank:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {rank} is not equal to len(dims) = {len(dims)}"
        )
    return F.permute(input, (0, *[wrap_dim(dim, rank) + 1 for dim in dims]))


def squeezed(op, b, arguments: dict) -> Any:
    """Removes dimensions of size 1 of samples."""
    input, dim = arguments.values()
    rank = input._array.ndim - 1
    if dim is None:
        dim = [i for i in range(rank) if input.shape[i + 1] == 1]
    dims = dim if type(dim) in (tuple, list) else (dim,)
    return F.squeeze(input, tuple([wrap_dim(each, rank) + 1 for each in dims]) if rank else ())


def rolled(op, b, arguments: dict) -> Any:
    """Rolls dimensions, or the elements of each sample in their order."""
    input, shifts, dims = arguments.values()
    if dims or dims == 0:
        return shift(op, b, arguments)
    return F.reshape(F.roll(F.reshape(input, (b.size, prod(input.shape[1:]))), shifts, 1), input.shape)


def filled(op, b, arguments: dict) -> Any:
    """Fills samples with a number each."""
    input, value = (front(F, b, name, tensor) for name, tensor in arguments.items())
    if value._array.ndim > 1:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim - 1} dimensions."
        )
    value = F.expand(padded(F, value.to(input.dtype), input._array.ndim - 1), input.shape)
    return F.clone(value)


def copied(op, b, arguments: dict) -> Any:
    """Copies samples, or the same values to all of them."""
    input, src = arguments["input"], arguments["src"]
    rank = rank_of(b, "input", input)
    if "src" in b.batched:
        arguments["src"] = padded(F, src, rank)
    arguments["input"] = front(F, b, "input", input)
    return called(op, list(arguments.values()))


def cloned(op, b, arguments: dict) -> Any:
    """Copies samples. A format of four or five dimensions is not that of the batch: samples are contiguous then."""
    input, memory_format = arguments.values()
    general = memory_format is None or memory_format is PRESERVE
    return F.clone(input, memory_format=memory_format if general else CONTIGUOUS)


# ---- which operator has which rule

# Operators whose dimensions count one more than the operand has.
ONE_MORE = frozenset(("unsqueeze", "stacked", "diag_embed"))
KEEPS_ALL = frozenset(("all", "any"))  # reductions for which no dimensions are not all of them
# Operators whose size is that of the result.
SIZED = frozenset(("view", "unsafe_view", "new_zeros_of", "add_windows"))
FOLDED_SIZES = frozenset(
    ("avg_spread", "adaptive_avg_spread", "resample_transposed", "put_pooled", "padding_transposed")
)
OWN: dict[str, Rule] = {
    "clone": cloned,
    "getitem_view": indexed,
    "putitem": indexed,
    "repeat": sized,
    "expand": sized,
    "sum_to_size_of": summed_to,
    "t": transposed,
    "permute": permuted,
    "squeeze": squeezed,
    "roll": rolled,
    "fill_with_tensor": filled,
    "copy_values": copied,
}
LEADING = frozenset(
    """
    _neg_view conjugate cholesky_factor cholesky_inverse circular_pad cofactor_changes cofactors constant_pad_nd
    differentiated_once dirichlet_drawn dirichlet_grad drawn frexp gamma_drawn gamma_grad geqrf inverse_and_info
    linalg_cholesky_ex linalg_det linalg_eig linalg_eigh linalg_householder_product linalg_ldl_factor_ex
    linalg_ldl_solve linalg_lu linalg_lu_factor_ex linalg_matrix_exp linalg_qr linalg_svd norm_of_rows ormqr
    pixel_shuffle pixel_unshuffle pseudo_inverse raised sign_and_log_determinant singular_values stepped_by
    to_copy tril triu undifferentiated view_as_complex view_as_real view_dtype eigenvalues_of_hermitian
    eigenvalues_of_any rank
    """.split()
)
# Of these, samples have a batch dimension of their own.
FOLD = frozenset(
    """
    adaptive_avg_pool adaptive_avg_spread adaptive_max_pool avg_pool avg_spread blocks_as_columns bmm
    channel_shuffle columns_as_blocks grid_sampled max_pool max_pool_values max_unpool padding_transposed
    reflection_pad replication_pad resample put_pooled take_pooled
    """.split()
)
ALIGNED = frozenset(
    ("cdist", "cholesky_solve", "linalg_solve_triangular")
)  # the batches of their operands are broadcast
REDUCTIONS = frozenset(("count_nonzero", "min_and_max"))
# Operators with an argument for dimensions, for which the loop is right and `shift` is not.
NOT_SHIFTED: frozenset = frozenset()


@cache
def rule_of(op) -> Rule | None:
    """Returns the rule of an operator, None if there is only the loop."""
    if (rule := OWN.get(op.name)) is not None:
        return rule
    if op.name in LEADING:
        return leading
    if op.name in FOLD:
        return fold
    if op.kind == "elementwise" or op.name in ALIGNED:
        return broadcast
    if op.name in NOT_SHIFTED:
        return None
    defaults = {argument.name: argument.default for argument in op.arguments if argument.role not in OPERANDS}
    if op.name in REDUCTIONS or ("keepdim" in defaults and defaults["dim"] in (None, ())):
        return reduce
    return shift if op.name in SIZED or defaults.keys() & DIMENSIONS else None
