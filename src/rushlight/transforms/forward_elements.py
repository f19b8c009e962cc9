"""Tangents of elementwise operators on raw arrays, where all that moves is plain below one `vmap`, or has no level.

`forward_formulas.by_derivatives` calls operators on tangents, each of which the level of a `vmap` below computes. The
arrays of that level have the batch in front, which broadcasts with arrays without one. So the derivative computes with
them as it does in a backward pass, if nothing is recorded and all have the shape of the result.
"""

from __future__ import annotations

from typing import Any

from numpy import ndarray

from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE
from rushlight.core.tables import raw, xp
from rushlight.core.tensor import Tensor
from rushlight.core.traced import BatchedArray
from rushlight.dispatch.planned import made_of
from rushlight.transforms.forward_formulas import recipe_of

COMPUTED = "fd"  # the dtypes, NumPy's characters, that derivatives compute in as they are


class Parameters:
    """What a backward function reads of a node."""

    __slots__ = ("outputs", "params", "result_metas")

    def __init__(self, params: tuple):
        self.params = params
        self.outputs, self.result_metas = 1, ()


NO_PARAMETERS = Parameters(())


def parameters_of(recipe, primals: list) -> Parameters:
    """Returns what derivatives read of a call instead of its node."""
    if not recipe.parameters:
        return NO_PARAMETERS
    return Parameters(tuple([look(primals[index]) for look, index in recipe.parameters]))


def tangent_of_elements(form, primals: list, tangents: list, result: Tensor) -> Tensor | None:
    """Returns the tangent of a result; None if it is not for these arrays."""
    op = form.op
    array, recorded = result._array, MODE.get()
    shape, char = array.shape, array.dtype.char
    if char not in COMPUTED:
        return None
    recipe = recipe_of(op, form.kind or op.select_node(*primals))
    values, saved, count = (*primals, result), recipe.saved, len(recipe.saved)
    level: Any = None
    arrays: list = []
    for tensor in [*[values[index] for index in saved], *[tangents[index] for index in recipe.operands]]:
        if not isinstance(tensor, Tensor):
            arrays.append(tensor)
            continue
        if recorded and (tensor._edge is not None or (tensor._base is not None and edge_of(tensor) is not None)):
            return None
        array = tensor._array
        if (own := array.shape) != shape and (own or type(array) is not ndarray or len(arrays) >= count):
            return None
        if type(array) is BatchedArray:
            if level is None:
                level = array.level
            elif level is not array.level:
                return None
            value = array.value
            if recorded and (value._edge is not None or (value._base is not None and edge_of(value) is not None)):
                return None
            array = value._array
        if type(array) is not ndarray or array.dtype.char != char:
            return None
        arrays.append(array)
    total = sum_of(recipe, parameters_of(recipe, primals), arrays[:count], arrays[count:])
    if type(total) is not ndarray or total.dtype.char != char:
        return None
    if total.shape == shape:
        return made_of(total)
    if level is None or total.shape[1:] != shape:
        return None
    return made_of(BatchedArray(level, made_of(total)))


def sum_of(recipe, node, saved: list, parts: list) -> Any:
    """Returns the sum of the derivatives at the parts of a tangent, one for each operand, None for zero."""
    total, backward = None, recipe.kind.backward
    token = set_errors(xp.IGNORED)
    try:
        for position, part in enumerate(parts):
            if part is not None:
                term = backward(raw, node, saved, part, recipe.one_wanted[position])[position]
                if term is not None:
                    if total is None:
                        total = term.copy() if term is part else term
                    else:
                        total = xp.add(total, term)
    finally:
        reset_errors(token)
    return total
