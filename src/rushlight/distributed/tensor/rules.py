"""The placements of an operator's result, from those of its operands: along one dimension of a mesh at a time.

A rule gets the operands' placements along that dimension and their whole shapes. It returns the placements that they
need, so that the operator on the parts computes the part of the result, and that of the result. Nothing here
communicates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rushlight.core.dtype import from_numpy_dtype
from rushlight.declarations.declare import OPS
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard, is_even, share

__all__ = ["Call", "Plan", "rule_of"]

R = Replicate()
SUM = Partial("sum")


class Call(NamedTuple):
    """One call along one dimension of a mesh: what the rules read.

    `parts` is how many parts the sharded dimension of the first operand has, also by other dimensions of the mesh,
    `result` the shape of the (first) result.
    """

    name: str
    arguments: tuple
    keywords: dict[str, Any]
    shapes: list[tuple[int, ...]]  # of the distributed operands
    placements: list[Placement]
    result: tuple[int, ...]
    parts: int

    def option(self, position: int, name: str, default: Any = None) -> Any:
        """Returns an argument by its position or name."""
        return self.keywords.get(name, self.arguments[position] if len(self.arguments) > position else default)


class Plan(NamedTuple):
    """The placements that operands need, and that of the result."""

    operands: list[Placement]
    result: Placement


Rule = Callable[[Call], Plan]
RULES: dict[str, Rule] = {}


def enters(*names: str) -> Callable[[Rule], Rule]:
    """Decorates a rule: enters it for operators with these names."""

    def enter(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return enter


def rule_of(name: str) -> Rule:
    """Returns the rule of an operator; without one, operands are replicated and so is the result."""
    plain = name.removeprefix("operator_")
    rule = RULES.get(plain)
    if rule is not None:
        return rule
    op = OPS.get(plain) or OPS.get(plain.removesuffix("_")) or OPS.get(plain.removeprefix("r"))
    return elementwise if op is not None and op.pointwise else everywhere


def everywhere(call: Call) -> Plan:
    """All operands whole, and the result too."""
    return Plan([R] * len(call.placements), R)


def shard_of(call: Call) -> Shard | None:
    """Returns the first operand's placement that is a shard, as a shard of the result by counting from the end.

    A dimension that broadcasting makes longer is none. One of size 1 comes last: only one process has something.
    """
    shards = []
    for place, shape in zip(call.placements, call.shapes, strict=True):
        if isinstance(place, Shard):
            dim = place.dim + len(call.result) - len(shape)
            if shape[place.dim] == call.result[dim]:
                shards.append(replace(place, dim=dim))
    return min(shards, key=lambda place: call.result[place.dim] == 1, default=None)


def follow(result: Shard, shape: tuple[int, ...], whole: tuple[int, ...]) -> Placement:
    """Returns the placement of an operand if the result of broadcasting is sharded: whole where it is broadcast."""
    dim = result.dim - (len(whole) - len(shape))
    return R if dim < 0 or shape[dim] != whole[result.dim] else replace(result, dim=dim)


def following(call: Call, result: Shard) -> Plan:
    """All operands follow a shard of the result."""
    return Plan([follow(result, shape, call.result) for shape in call.shapes], result)


# Operators that leave all values as they are; and those that are linear in all distributed operands together, or in one
# if the others are numbers.
SAME = frozenset({"clone", "detach", "_get_data", "positive", "contiguous"})
ADDITIVE = frozenset({"add", "sub", "subtract", "add_", "sub_", "rsub"})
SCALED = frozenset({"mul", "div", "multiply", "divide", "true_divide", "mul_", "div_"})


@enters(
    "clone", "to_copy", "detach", "_get_data", "where", "masked_fill", "contiguous", "copy_", "fill_",
    "zero_", "masked_fill_", "requires_grad_", "alias", "type_as",
)  # fmt: skip
def elementwise(call: Call) -> Plan:
    """Element by element: all operands follow the first that is sharded; sums stay sums if the operator is linear."""
    if call.name.endswith("_"):
        return in_place(call)
    if all(isinstance(place, Partial) for place in call.placements) and keeps_sums(call):
        return Plan(list(call.placements), call.placements[0])
    result = shard_of(call)
    if result is None:
        return everywhere(call)
    return following(call, result)


def keeps_sums(call: Call) -> bool:
    """Whether the operator gives the same before and after its operands are reduced over processes."""
    name = call.name.removeprefix("operator_")
    if len(set(call.placements)) > 1 or not call.placements[0].is_partial():
        return False
    if name in SAME:
        return True
    if not (call.placements[0].is_partial("sum") or call.placements[0].is_partial("avg")):
        return False
    if name == "to_copy":
        return rounds_little(call.option(1, "kind"))
    if name == "neg":
        return True
    if name in ADDITIVE:
        return len(call.placements) == 2
    return name in SCALED and len(call.placements) == 1 and call.shapes[0] == call.result and not divides(call)


def rounds_little(dtype: Any) -> bool:
    """Whether a conversion to a NumPy dtype is linear but for rounding; None converts nothing."""
    if dtype is None:
        return True
    target = from_numpy_dtype(dtype)
    return target.is_floating_point or target.is_complex


def divides(call: Call) -> bool:
    """Whether the distributed operand is the divisor, or the quotient is rounded."""
    return "rounding_mode" in call.keywords or (
        "div" in call.name and isinstance(call.arguments[0], int | float | complex)
    )


def in_place(call: Call) -> Plan:
    """The first operand stays as it is; the others follow it."""
    own = call.placements[0]
    if isinstance(own, Partial):
        same = keeps_sums(call) or call.name == "zero_"
        return Plan([own] * len(call.placements), own) if same else everywhere(call)
    if isinstance(own, Shard):
        return Plan([follow(own, shape, call.shapes[0]) for shape in call.shapes], own)
    return everywhere(call)


@enters(
    "dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout", "rrelu", "bernoulli", "rand_like",
    "randn_like", "randint_like", "multinomial", "normal", "poisson", "bernoulli_", "normal_", "uniform_",
    "exponential_", "random_", "cauchy_", "geometric_", "log_normal_",
)  # fmt: skip
def drawn(call: Call) -> Plan:
    """Random numbers: each process draws for its own part, so there must be one on each."""
    if "dropout" in call.name and not (call.option(1, "p", 0.5) and call.option(2, "training", True)):
        return elementwise(call)
    if not isinstance(call.placements[0], Shard) or call.name == "multinomial":
        raise NotImplementedError(
            f"{call.name} of a DTensor that is not sharded is not supported: each process would draw its own numbers."
        )
    return elementwise(call)


@enters("zeros_like", "ones_like", "full_like", "empty_like")
def alike(call: Call) -> Plan:
    """New values: the operand stays as it is."""
    own = call.placements[0]
    return Plan([own], R if isinstance(own, Partial) else own)


# ---- products


def product(call: Call) -> Plan:
    """(..., m, k) times (..., k, n), either may be a vector."""
    one, other = call.shapes
    a, b = call.placements
    rows, columns = len(call.result) - (2 if len(other) > 1 else 1), len(call.result) - 1
    if a.is_shard(len(one) - 1) and b.is_shard(max(len(other) - 2, 0)):
        return Plan([a, b], SUM)
    if isinstance(a, Shard) and a.dim < len(one) - 1 and not is_batch_of_both(a, one, other):
        return Plan([a, R], Shard(a.dim + (rows if len(one) > 1 else 0) - max(len(one) - 2, 0)))
    if a.is_shard(len(one) - 1):
        return Plan([a, Shard(max(len(other) - 2, 0))], SUM)
    if isinstance(a, Shard) or (isinstance(b, Shard) and len(other) > 2 and b.dim < len(other) - 2):
        return by_batch(call)
    if len(other) > 1 and b.is_shard(len(other) - 1):
        return Plan([R, b], Shard(columns))
    if isinstance(b, Shard):
        return Plan([Shard(len(one) - 1), b], SUM)
    return everywhere(call)


def is_batch_of_both(place: Shard, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether a dimension is one over which both operands of a product are batches."""
    return len(other) > 2 and place.dim < len(one) - 2


def by_batch(call: Call) -> Plan:
    """A product of batches, of which each process has some."""
    result = shard_of(call)
    if result is None or result.dim >= len(call.result) - 2 or any(len(shape) < 2 for shape in call.shapes):
        return everywhere(call)
    return following(call, result)


RULES.update(dict.fromkeys(("matmul", "mm", "bmm", "mv"), product))


@enters("linear")
def linear(call: Call) -> Plan:
    """`input` (..., k) times `weight` (n, k) transposed, plus `bias` (n,)."""
    rest = len(call.placements) - 2
    input, weight = call.placements[:2]
    last = len(call.shapes[0]) - 1
    if isinstance(input, Shard) and input.dim < last:
        return Plan([input, R] + [R] * rest, input)
    if weight.is_shard(0) and not isinstance(input, Shard):
        return Plan([R, weight] + [Shard(0)] * rest, Shard(last))
    if weight.is_shard(1) or input.is_shard(last):
        return Plan([Shard(last), Shard(1)] + [SUM] * rest, SUM)
    return everywhere(call)


@enters("addmm")
def addmm(call: Call) -> Plan:
    """`input` plus a product of matrices."""
    if call.keywords.get("beta", 1) != 1 or len(call.placements) != 3:
        return everywhere(call)
    plan = product(call._replace(shapes=call.shapes[1:], placements=call.placements[1:]))
    if isinstance(plan.result, Shard):
        return Plan([follow(plan.result, call.shapes[0], call.result), *plan.operands], plan.result)
    added = SUM if isinstance(plan.result, Partial) else R
    return Plan([added, *plan.operands], plan.result)


# ---- reductions


@enters("sum", "mean", "amax", "amin", "max", "min", "all", "any", "prod")
def reduction(call: Call) -> Plan:
    """Over all elements or some dimensions; over a sharded one the result is a term of each process."""
    place, shape = call.placements[0], call.shapes[0]
    if isinstance(place, Partial):
        same = call.name in ("sum", "mean") and place.reduce_op in ("sum", "avg")
        return Plan([place], place) if same else everywhere(call)
    if not isinstance(place, Shard) or len(call.placements) > 1:
        return everywhere(call)
    dim, kept = call.option(1, "dim"), bool(call.option(2, "keepdim", False))
    dims = reduced_dims(dim, len(shape))
    if place.dim not in dims:
        fewer = 0 if kept else sum(each < place.dim for each in dims)
        return Plan([place], Shard(place.dim - fewer))
    op = {"sum": "sum", "mean": "avg", "amax": "max", "amin": "min", "max": "max", "min": "min"}.get(call.name)
    with_indices = call.name in ("max", "min") and dim is not None
    complete = share(shape[place.dim], call.parts, call.parts - 1)[1] > 0 and (
        call.name != "mean" or is_even(shape[place.dim], call.parts)
    )
    if op is None or with_indices or (op != "sum" and not complete):
        return everywhere(call)
    return Plan([place], Partial(op))


def reduced_dims(dim: Any, ndim: int) -> set[int]:
    if dim is None or dim == () or dim == []:
        return set(range(ndim))
    return {each % ndim for each in (dim if isinstance(dim, Sequence) else (dim,))}


@enters("softmax", "log_softmax", "cumsum", "cumprod", "logsumexp", "argmax", "argmin", "sort", "topk", "softmin")
def along_a_dim(call: Call) -> Plan:
    """Along one dimension, which has to be whole."""
    default = -1 if call.name in ("sort", "topk") else None
    position = 2 if call.name == "topk" else 1
    dim = call.option(position, "dim", default)
    place, shape = call.placements[0], call.shapes[0]
    if dim is None or not isinstance(dim, int) or not isinstance(place, Shard) or place.dim == dim % len(shape):
        return everywhere(call)
    gone = len(call.result) < len(shape) and dim % len(shape) < place.dim
    return Plan([place], Shard(place.dim - gone))


@enters("layer_norm", "rms_norm")
def normalization(call: Call) -> Plan:
    """Over the last dimensions, which have to be whole; weight and bias are."""
    normalized = call.option(1, "normalized_shape")
    count = 1 if isinstance(normalized, int) else len(normalized)
    place = call.placements[0]
    if isinstance(place, Shard) and place.dim < len(call.shapes[0]) - count:
        return Plan([place] + [R] * (len(call.placements) - 1), place)
    return everywhere(call)


@enters("scaled_dot_product_attention")
def attention(call: Call) -> Plan:
    """Batches and heads may be sharded."""
    place, ndim = call.placements[0], len(call.shapes[0])
    alike = len(call.placements) == 3 and all(shape[:-2] == call.shapes[0][:-2] for shape in call.shapes)
    sharded = next((each for each in call.placements if isinstance(each, Shard) and each.dim < ndim - 2), None)
    if sharded is None or not alike or not isinstance(place, Shard | Replicate):
        return everywhere(call)
    return Plan([sharded] * 3, sharded)


@enters("embedding")
def embedding(call: Call) -> Plan:
    """Rows of `weight` (rows, columns) by `input`: each process has some inputs, or some columns."""
    if len(call.placements) != 2:
        return everywhere(call)
    weight, input = call.placements
    if isinstance(input, Shard):
        return Plan([R, input], input)
    if weight.is_shard(1):
        return Plan([weight, R], Shard(len(call.result) - 1))
    return everywhere(call)
