"""How operators compute with tangents: by a `jvp` clause, by the kind of the operator, else by its derivative.

    elementwise     the sum of the derivatives, each given the tangent of its operand instead of the gradient
    linear, view    the operator itself, of the tangents; the tangent of a view is a view of the tangent
    multilinear     the sum of the operator with one operand after the other replaced by its tangent
    any other       the transpose of its derivative (`forward_formulas.transposed`)

A tangent of zero is None wherever that is known. Results of integers and booleans have none.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import rushlight._generated.functions as F
from rushlight.core.formats import CONTIGUOUS
from rushlight.core.modes import following
from rushlight.core.tensor import Tensor
from rushlight.core.traced import DualArray
from rushlight.declarations.declare import DIFFERENTIABLE, OPS
from rushlight.dispatch.planned import called
from rushlight.dispatch.traced_plan import run_tangent
from rushlight.transforms.forward_elements import tangent_of_elements
from rushlight.transforms.forward_formulas import by_clause, by_derivatives, is_complex, transposed
from rushlight.transforms.forward_refusals import REFUSED, refuse

FOLLOWED = "fcVW"  # NumPy's kinds of dtypes that have tangents, of which V and W are half precision
# Numbers that linear operators write to the result: in the tangent they are zero.
WRITTEN_NUMBERS = {
    "constant_pad_nd": "value",
    "shifted": "fill",
    "scatter_value": "value",
    "index_fill_number": "value",
}


def compute(level, form, arguments: tuple) -> Any:
    """Returns the array of the result of a call on the short path, or a list of them."""
    primals, tangents, moving = [*arguments], [None] * len(arguments), False
    for i in form.operands:
        if isinstance(value := arguments[i], Tensor):
            array = value._array
            if type(array) is DualArray and array.level is level:
                primals[i] = array.value
                tangent = array.stored if array.view_of is None else array.tangent
                if tangent is not None:
                    tangents[i] = tangent
                    moving = True
    op = form.op
    if moving and op.name in REFUSED:
        refuse(op, primals)
    if form.view:
        return of_view(level, op, arguments[0], primals, tangents)
    result = form.call(primals)
    if not moving or not op.derivatives:
        return lifted(level, result)
    if form.elementwise and op.jvp is None and form.single:
        if (tangent := tangent_of_elements(form, primals, tangents, result)) is not None:
            return DualArray(level, result, tangent)
    return with_tangents(level, op, primals, tangents, result)


def interpret(level, op, values: dict) -> Any:
    """Returns the array of the result of an operator, or a list of them."""
    op = OPS[op.name]  # the function of a method or an operator has fewer arguments
    primals, tangents, moving = [], [], False
    for value in values.values():
        if isinstance(value, Tensor):
            array = value._array
            if type(array) is DualArray and array.level is level:
                primals.append(array.value)
                tangents.append(tangent := array.tangent)
                moving = moving or tangent is not None
                continue
        elif type(value) in (list, tuple):
            primals.append(type(value)([primal_of(level, each) for each in value]))
            parts = [tangent_of(level, each) for each in value]
            moves = any([part is not None for part in parts])
            tangents.append(parts if moves else None)
            moving = moving or moves
            continue
        primals.append(value)
        tangents.append(None)
    if not following():
        return lifted(level, called(op, primals))
    if moving and op.name in REFUSED:
        refuse(op, primals)
    if op.view:
        return of_view(level, op, next(iter(values.values())), primals, tangents)
    result = called(op, primals)
    if not moving or not op.derivatives:
        return lifted(level, result)
    return with_tangents(level, op, primals, tangents, result)


def with_tangents(level, op, primals: list, tangents: list, result) -> Any:
    """Returns the arrays of results, with their tangents."""
    if isinstance(result, Tensor):
        if result._array.dtype.kind not in FOLLOWED:
            return lifted(level, result)
        return DualArray(level, result, fitted(rule_of(op)(op, primals, tangents, (result,))[0], result))
    results = tuple(result)
    parts = rule_of(op)(op, primals, tangents, results)
    return [
        DualArray(level, each, fitted(tangent, each)) if each._array.dtype.kind in FOLLOWED else lifted(level, each)
        for each, tangent in zip(results, parts, strict=True)
    ]


def primal_of(level, value):
    """Returns an element of a list of arguments without its tangent."""
    if isinstance(value, Tensor) and type(array := value._array) is DualArray and array.level is level:
        return array.value
    return value


def tangent_of(level, value):
    """Returns the tangent of an element of a list of arguments, None if it has none."""
    if isinstance(value, Tensor) and type(array := value._array) is DualArray and array.level is level:
        return array.tangent
    return None


def lifted(level, result):
    """Returns the arrays of results without tangents."""
    if isinstance(result, Tensor):
        return DualArray(level, result)
    return [DualArray(level, each) for each in result]


def fitted(tangent, result: Tensor):
    """Returns a tangent in the shape and dtype of the result."""
    if tangent is None:
        return None
    array, wanted = tangent._array, result._array
    if (dtype := array.dtype) is not (kind := wanted.dtype) and dtype != kind:
        tangent = F.real(tangent) if wanted.dtype.kind not in "cW" and dtype.kind in "cW" else tangent
        tangent = F.cast(tangent, result.dtype.numpy)
    if array.shape == wanted.shape:
        return tangent
    return F.clone(F.expand(tangent, wanted.shape), memory_format=CONTIGUOUS)


# ---- rules: functions of the operator, its arguments, their tangents and the results, which return tangents


@cache
def rule_of(op):
    """Returns the rule of an operator."""
    if op.jvp is not None:
        return by_clause
    return {"elementwise": of_elements, "linear": of_linear, "multilinear": of_products}.get(op.kind, transposed)


def of_elements(op, primals: list, tangents: list, results: tuple) -> tuple:
    """The rule of elementwise operators; those with real results of complex operands are not holomorphic."""
    if not is_complex(results[0]) and any([is_complex(tangent) for tangent in tangents if isinstance(tangent, Tensor)]):
        return transposed(op, primals, tangents, results)
    return by_derivatives(op, primals, tangents, results)


def of_linear(op, primals: list, tangents: list, results: tuple) -> tuple:
    """The rule of linear operators."""
    result = run_tangent(op, of_tangents(op, primals, tangents))
    return (result,) if isinstance(result, Tensor) else tuple(result)


def of_tangents(op, primals: list, tangents: list) -> list:
    """Returns the arguments of a linear operator with tangents, zeros where there are none, as its operands."""
    written = WRITTEN_NUMBERS.get(op.name)
    arguments: list = []
    for argument, primal, tangent in zip(op.arguments, primals, tangents, strict=True):
        if argument.name in op.derivatives:
            if type(primal) in (list, tuple) and tangent is not None:
                arguments.append([F.zeros_of(p) if t is None else t for p, t in zip(primal, tangent, strict=True)])
            elif tangent is not None:
                arguments.append(tangent)
            else:
                arguments.append(F.zeros_of(primal) if isinstance(primal, Tensor) else 0)
        else:
            arguments.append(0 if argument.name == written and primal is not None else primal)
    return arguments


def of_products(op, primals: list, tangents: list, results: tuple) -> tuple:
    """The rule of multilinear operators; an optional operand, such as a bias, is a term of its own."""
    total = None
    optional = [
        i
        for i, argument in enumerate(op.arguments)
        if argument.role.endswith("None") and argument.role in DIFFERENTIABLE
    ]
    for index, tangent in enumerate(tangents):
        if tangent is None or index in optional:
            continue
        arguments = [None if i in optional else primal for i, primal in enumerate(primals)]
        arguments[index] = tangent
        term = called(op, arguments)
        total = term if total is None else F.add(total, term)
    if any([tangents[i] is not None for i in optional]):
        (rest,) = transposed(op, primals, [t if i in optional else None for i, t in enumerate(tangents)], results)
        total = rest if total is None else F.add(total, rest)
    return (total,)


# ---- views


def of_view(level, op, viewed, primals: list, tangents: list):
    """Returns the arrays of views; without a tangent they get one with the tensor that they were taken from."""
    result = called(op, primals)
    source = viewed._array
    own = type(source) is DualArray and source.level is level
    if not own or not op.derivatives:
        return lifted(level, result)
    rest = tuple(primals[1:])
    if tangents[0] is not None:
        source.tangent = tangents[0] = laid_like(tangents[0], primals[0])
        if isinstance(result, Tensor):
            return DualArray(level, result, run_tangent(op, [tangents[0], *rest]))
    if isinstance(result, Tensor):
        return DualArray(level, result, None, (source, partial(one_view, op, rest)))
    parts = [None] * len(result) if tangents[0] is None else called(op, (tangents[0], *rest))
    return [
        DualArray(level, each, part, (source, partial(one_of_views, op, rest, i)))
        for i, (each, part) in enumerate(zip(result, parts, strict=True))
    ]


def one_view(op, rest: tuple, tangent: Tensor) -> Tensor:
    """Returns the view that an operator takes."""
    return called(op, (tangent, *rest))


def one_of_views(op, rest: tuple, i: int, tangent: Tensor) -> Tensor:
    """Returns one of the views that an operator takes."""
    return called(op, (tangent, *rest))[i]


def laid_like(tangent: Tensor, primal: Tensor) -> Tensor:
    """Returns a tangent whose dimensions are stored in the order of the primal's, so that it has the same views."""
    ours, theirs = tangent._array, primal._array
    if ours.strides == theirs.strides:
        return tangent
    order = sorted(range(len(theirs.shape)), key=lambda i: -theirs.strides[i])
    back = sorted(range(len(order)), key=lambda i: order[i])
    return F.permute(F.clone(F.permute(tangent, order), memory_format=CONTIGUOUS), back)
