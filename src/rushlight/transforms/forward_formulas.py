"""Tangents from what a declaration says: its `jvp` clause, or its derivatives, applied to a tangent or transposed.

The derivative of an argument maps a gradient of the result to one of the argument: J^H g. That is linear in g, so

    by_derivatives   for elementwise operators, where J is diagonal: J t = conj(J^H conj(t))
    transposed       for all others: record J^H g for some g, and pull it back at t, which gives J t
"""

from __future__ import annotations

from functools import cache

import rushlight._generated.functions as F
from rushlight.autograd.gradient_forms import widened
from rushlight.autograd.gradients import grad
from rushlight.core.dtype import REDUCED, float32
from rushlight.core.modes import MODE, change, recording
from rushlight.core.tensor import Tensor, alias, wrap
from rushlight.core.traced import TRACED, top_level
from rushlight.declarations.declare import asked_by
from rushlight.dispatch.operands import has_history
from rushlight.dispatch.recording import parameter, positions_of

FLOAT32 = float32.numpy
WANTED = object()  # instead of the edge of an operand whose derivative is wanted


def is_complex(value) -> bool:
    """Whether a value is a tensor of complex numbers."""
    return isinstance(value, Tensor) and value._array.dtype.kind in "cW"


# ---- the clause


def by_clause(op, primals: list, tangents: list, results: tuple) -> tuple:
    """Calls the `jvp` clause."""
    tangent = op.jvp(F, *[look(primals, tangents, results) for look in looks_of(op)])
    return (tangent,) if len(op.results) == 1 and not op.multi_output else tuple(tangent)


@cache
def looks_of(op) -> list:
    """Returns a function for each parameter of a `jvp` clause, which finds its value."""
    return [look_of(op, name) for name in asked_by(op.jvp)]


def look_of(op, name: str):
    names = [argument.name for argument in op.arguments]
    if name in op.results:
        index = op.results.index(name)
        return lambda primals, tangents, results: results[index]
    if name in names:
        index = names.index(name)
        return lambda primals, tangents, results: primals[index]
    if name.endswith("_t"):
        index = names.index(name.removesuffix("_t"))
        return lambda primals, tangents, results: tangents[index]
    look, index = parameter(name, names)
    return lambda primals, tangents, results: look(primals[index])


# ---- the derivatives


class Recipe:
    """What the backward function of a node class reads, by position: the same for all calls."""

    __slots__ = ("kind", "one_wanted", "operands", "parameters", "saved")

    def __init__(self, op, kind):
        self.operands, saves, self.parameters = positions_of(op, kind)
        self.kind = kind
        places = range(len(self.operands))
        self.one_wanted = [[WANTED if other == place else None for other in places] for place in places]
        # Results count on behind the arguments
        results = len(op.arguments)
        self.saved = [
            results + op.results.index(name) if index is None else index
            for name, (index, _) in zip(kind.saves, saves, strict=True)
        ]


recipe_of = cache(Recipe)


class Formula:
    """A backward function with what it reads, like a node that has no edges."""

    __slots__ = ("backward", "operands", "outputs", "params", "result_metas", "saved", "wide")

    def __init__(self, op, primals: list, results: tuple):
        recipe = recipe_of(op, op.select_node(*primals))
        values = (*primals, *results)
        self.operands = recipe.operands
        self.saved = tuple([values[index] for index in recipe.saved]) if recipe.saved else ()
        self.params = tuple([look(primals[index]) for look, index in recipe.parameters]) if recipe.parameters else ()
        self.outputs = 1
        self.result_metas: tuple = ()
        self.backward = recipe.kind.backward
        for value in values:
            if isinstance(value, Tensor) and value._array.dtype.kind in "cW":
                self.backward = recipe.kind.backward_complex
        # Half precision is computed in float32; NumPy calls bfloat16 one of its void types
        self.wide = not op.exact and results[0]._array.dtype.itemsize == 2 and results[0].dtype in REDUCED

    def __call__(self, g, edges: list) -> tuple:
        saved = self.saved
        if self.wide:
            saved, g = widened(F, FLOAT32, saved, g)
        return self.backward(F, self, saved, g, edges)


def by_derivatives(op, primals: list, tangents: list, results: tuple) -> tuple:
    """The rule of elementwise operators: the sum of the derivatives at the tangents."""
    formula, result, total, shared = Formula(op, primals, results), results[0], None, False
    array, indices = result._array, formula.operands
    dtype = array.dtype
    turned = dtype.kind in "cW"
    for position, index in enumerate(indices):
        if (tangent := tangents[index]) is None:
            continue
        if tangent._array.shape != array.shape or tangent._array.dtype != dtype:
            tangent = brought(tangent, result)
        g = F.conj_physical(tangent) if turned else tangent
        edges: list = [None] * len(indices)
        edges[position] = WANTED
        term = formula(g, edges)[position]
        if term is not None:
            shared = total is None and term is g
            total = term if total is None else F.add(total, term)
    if shared:
        total = F.clone(total)  # a write to the result must not reach the operand's tangent
    return (F.conj_physical(total) if turned and total is not None else total,)


def brought(tangent: Tensor, result: Tensor) -> Tensor:
    """Returns a tangent in the dtype and shape of the result, as a gradient has it."""
    if tangent.dtype is not result.dtype:
        tangent = F.cast(tangent, result.dtype.numpy)
    shape = result._array.shape
    return tangent if tangent._array.shape == shape else F.expand(tangent, shape)


# ---- the transposed derivative


def transposed(op, primals: list, tangents: list, results: tuple) -> tuple:
    """The rule for all other operators: the derivatives at an unknown gradient, pulled back at the tangents."""
    formula = Formula(op, primals, results)
    flat, moving = flattened(primals, tangents, formula.operands)
    if len(results) == 1 and results[0]._array.size == 1:
        return (by_gradient(formula, flat, moving, results[0]),)
    followed = followed_results(op, results)
    create = recording() and any(
        [type(each._array) in TRACED or has_history(each) for each in tensors_in(flat, moving)]
    )
    token = change(grad=True)
    try:
        unknown = [unknown_like(results[index], formula, tensors_in(flat, moving, results)) for index in followed]
        pulled = pullback(formula, flat, moving, unknown, results)
        pairs = [
            (value, tangent)
            for value, tangent in zip(pulled, moving, strict=True)
            if value is not None and tangent is not None and value.requires_grad
        ]
        if not pairs:
            return (None,) * len(results)
        outputs, vectors = zip(*pairs, strict=True)
        gradients = grad(outputs, unknown, vectors, create_graph=create, allow_unused=True)
    finally:
        MODE.reset(token)
    by_index = dict(zip(followed, [own(gradient, moving) for gradient in gradients], strict=True))
    return tuple([by_index.get(index) for index in range(len(results))])


def by_gradient(formula: Formula, flat: list, moving: list, result: Tensor):
    """Returns the tangent of a single number: the products of its gradients with the tangents, without a graph."""
    one = F.add(F.zeros_of(result), 1)
    if formula.wide:
        one = F.cast(one, FLOAT32)
    total = None
    for value, tangent in zip(pullback(formula, flat, moving, [one], (result,)), moving, strict=True):
        if value is None or tangent is None:
            continue
        term = F.mul(F.conj(value), tangent)
        term = F.sum(F.real(term) if is_complex(term) and not is_complex(result) else term)
        total = term if total is None else F.add(total, term)
    return total if total is None else F.reshape(total, result._array.shape)


def own(gradient, tangents: list):
    """Returns a gradient in memory of its own, where it was passed on as it came."""
    if gradient is None:
        return None
    shared = any([tangent is not None and gradient._array is tangent._array for tangent in tangents])
    return F.clone(gradient) if shared else gradient


def followed_results(op, results: tuple) -> list[int]:
    """Returns the positions of the results that have gradients."""
    indices = [index for index, each in enumerate(results) if each._array.dtype.kind in "fcVW"]
    if op.multi_output or len(results) == 1:
        return indices
    return [index for index in indices if op.results[index] in op.differentiable_results]


def flattened(primals: list, tangents: list, indices: list) -> tuple[list, list]:
    """Returns the operands that have derivatives, and their tangents, with lists of tensors laid out."""
    flat: list = []
    moving: list = []
    for index in indices:
        if type(primals[index]) in (list, tuple):
            flat += primals[index]
            moving += tangents[index] or [None] * len(primals[index])
        else:
            flat.append(primals[index])
            moving.append(tangents[index])
    return flat, moving


def tensors_in(*lists) -> list[Tensor]:
    return [each for values in lists for each in values if isinstance(each, Tensor)]


def unknown_like(result: Tensor, formula: Formula, others: list[Tensor]) -> Tensor:
    """Returns a gradient of a result, zero, from which a graph begins: on the highest level of all that it meets."""
    g = F.zeros_of(result)
    if formula.wide:
        g = F.cast(g, FLOAT32)
    g = alias(g)
    level = top_level(others)
    if level is not None and not (type(g._array) in TRACED and g._array.level is level):
        g = wrap(level.lifted(g))
    return g._require_grad()


def pullback(formula: Formula, flat: list, moving: list, unknown: list[Tensor], results: tuple) -> list:
    """Returns the derivatives at an unknown gradient of the results, in the shapes and dtypes of the operands."""
    formula.outputs = len(unknown)
    formula.result_metas = tuple([(each._array.shape, each.dtype.numpy) for each in unknown])
    edges = [None if tangent is None else WANTED for tangent in moving]
    pulled = formula(unknown[0] if len(unknown) == 1 else list(unknown), edges)
    return [
        None if value is None or edge is None else F.fit(value, operand._array.shape, operand.dtype.numpy)
        for value, operand, edge in zip(pulled, flat, edges, strict=True)
    ]
