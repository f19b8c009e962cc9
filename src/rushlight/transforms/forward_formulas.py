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
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import TRACED, top_level
from rushlight.declarations.declare import asked_by
from rushlight.dispatch.operands import has_history
from rushlight.dispatch.recording import parameter, positions_of

FLOAT32 = float32.numpy
WANTED = object()  # in the place of the edge of an operand whose derivative is wanted


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
        place = op.results.index(name)
        return lambda primals, tangents, results: results[place]
    if name in names:
        place = names.index(name)
        return lambda primals, tangents, results: primals[place]
    if name.endswith("_t"):
        place = names.index(name.removesuffix("_t"))
        return lambda primals, tangents, results: tangents[place]
    look, place = parameter(name, names)
    return lambda primals, tangents, results: look(primals[place])


# ---- the derivatives


class Formula:
    """A backward function with what it reads, like a node that has no edges."""

    __slots__ = ("backward", "operands", "outputs", "params", "result_metas", "saved", "steps", "wide")

    def __init__(self, op, primals: list, results: tuple):
        kind = op.select_node(*primals)
        places, saves, parameters = positions_of(op, kind)
        names = kind.saves
        self.saved = tuple(
            [
                results[op.results.index(name)] if place is None else primals[place]
                for name, (place, _) in zip(names, saves, strict=True)
            ]
        )
        self.params = tuple([look(primals[place]) for look, place in parameters])
        self.operands = places
        self.outputs, self.result_metas = 1, ()
        self.steps = op.zero_second_derivative
        complex_numbers = any([is_complex(each) for each in (*primals, *results)])
        self.backward = kind.backward_complex if complex_numbers else kind.backward
        self.wide = not op.exact and any([each.dtype in REDUCED for each in results])

    def __call__(self, g, edges: list) -> tuple:
        saved = self.saved
        if self.wide:
            saved, g = widened(F, FLOAT32, saved, g)
        return self.backward(F, self, saved, g, edges)


def by_derivatives(op, primals: list, tangents: list, results: tuple) -> tuple:
    """The rule of elementwise operators: the sum of the derivatives at the tangents."""
    formula, result, total = Formula(op, primals, results), results[0], None
    turned = is_complex(result)
    for position, place in enumerate(formula.operands):
        if (tangent := tangents[place]) is None:
            continue
        g = brought(tangent, result)
        if turned:
            g = F.conj_physical(g)
        edges: list = [None] * len(formula.operands)
        edges[position] = WANTED
        term = formula(g, edges)[position]
        if term is tangent or (term is g and term is not None):
            term = F.clone(term)  # a write to the result must not reach the operand's tangent
        if term is not None:
            total = term if total is None else F.add(total, term)
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
    followed = followed_results(op, results)
    create = recording() and any(
        [type(each._array) in TRACED or has_history(each) for each in tensors_in(flat, moving)]
    )
    token = change(grad=True)
    try:
        unknown = [unknown_like(results[place], formula, tensors_in(flat, moving, results)) for place in followed]
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
    found = dict(zip(followed, gradients, strict=True))
    return tuple([found.get(place) for place in range(len(results))])


def followed_results(op, results: tuple) -> list[int]:
    """Returns the positions of the results that have gradients."""
    places = [place for place, each in enumerate(results) if each._array.dtype.kind in "fcVW"]
    if op.multi_output or len(results) == 1:
        return places
    return [place for place in places if op.results[place] in op.differentiable_results]


def flattened(primals: list, tangents: list, places: list) -> tuple[list, list]:
    """Returns the operands that have derivatives, and their tangents, with lists of tensors laid out."""
    flat: list = []
    moving: list = []
    for place in places:
        if type(primals[place]) in (list, tuple):
            flat += primals[place]
            moving += tangents[place] or [None] * len(primals[place])
        else:
            flat.append(primals[place])
            moving.append(tangents[place])
    return flat, moving


def tensors_in(*lists) -> list[Tensor]:
    return [each for values in lists for each in values if isinstance(each, Tensor)]


def unknown_like(result: Tensor, formula: Formula, others: list[Tensor]) -> Tensor:
    """Returns a gradient of a result, zero, from which a graph begins: on the highest level of all that it meets."""
    g = F.zeros_of(result)
    if formula.wide:
        g = F.cast(g, FLOAT32)
    g = g.detach()
    level = top_level(others)
    if level is not None and not (type(g._array) in TRACED and g._array.level is level):
        g = wrap(level.lifted(g))
    return g.requires_grad_()


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
