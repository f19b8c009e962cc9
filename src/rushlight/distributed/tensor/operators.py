"""Runs operators on distributed tensors: finds placements by the rules, moves operands, calls the operator on parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from rushlight.core.errors import noted
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE, change
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor, alias, look_at
from rushlight.create.filled import empty
from rushlight.distributed.tensor.movement import entered
from rushlight.distributed.tensor.placements import Placement, Replicate
from rushlight.distributed.tensor.relay import relaid
from rushlight.distributed.tensor.rules import Call, Plan, rule_of
from rushlight.distributed.tensor.spec import Spec, normalized
from rushlight.distributed.tensor.view_rules import local_sizes

__all__ = ["INSTEAD", "local_of", "run"]

# Functions that for a while compute operators, by name, from the whole arguments: they communicate themselves.
INSTEAD: ContextVar[Mapping[str, Callable]] = ContextVar("other functions", default=MappingProxyType({}))

MIXED = (
    "{} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed "
    "operators!"
)


def run(cls: Any, function: Callable, arguments: tuple, keywords: dict[str, Any]) -> Any:
    """Returns the result of an operator with distributed operands, which are of the class `cls`."""
    name = function.__name__
    if (other := INSTEAD.get().get(name)) is not None:
        return other(*arguments, **keywords)
    keywords = dict(keywords)
    if (out := keywords.pop("out", None)) is not None:
        return into(cls, out, function, arguments, keywords)
    operands: list[Any] = []
    arguments, keywords = mapped(arguments, keywords, lambda each: collected(each, cls, operands, name))
    if not operands:
        return plainly(function, arguments, keywords)
    mesh = operands[0]._spec.mesh
    if any(each._spec.mesh != mesh for each in operands):
        raise RuntimeError(f"{name}: all DTensor operands must be on one mesh, and these are on several.")
    shapes = whole_shapes(function, arguments, keywords, operands)
    plans = planned(name, arguments, keywords, operands, shapes)
    check_in_place(name, operands, plans)
    parts = [part_of(each, number, plans) for number, each in enumerate(operands)]
    results = [plan.result for plan in plans]
    computed = called(function, arguments, keywords, parts, Spec(mesh, tuple(results), shapes[0]))
    if name.endswith("_") and not name.startswith("_"):
        return operands[0]
    return wrapped(cls, computed, iter(shapes), mesh, tuple(results))


class Slot:
    """Represents a distributed operand in the arguments."""

    def __init__(self, number: int) -> None:
        self.number = number


def collected(value: Any, cls: Any, operands: list[Any], name: str) -> Any:
    """Puts a distributed operand on the list and returns its slot. Raises RuntimeError for an ordinary tensor."""
    if isinstance(value, cls):
        operands.append(value)
        return Slot(len(operands) - 1)
    if isinstance(value, Tensor) and value.ndim and not value.numel() == 1:
        raise noted(RuntimeError(MIXED.format(name)), "distribute_tensor(x, mesh, [Replicate()]) converts one.")
    return value


def mapped(arguments: Any, keywords: dict[str, Any], change_: Callable) -> tuple[tuple, dict[str, Any]]:
    """Applies a function to all arguments, and to those in lists and tuples."""

    def one(value: Any) -> Any:
        return type(value)(map(change_, value)) if type(value) in (list, tuple) else change_(value)

    return tuple(map(one, arguments)), {name: one(value) for name, value in keywords.items()}


def filled(arguments: tuple, keywords: dict[str, Any], values: Sequence[Any]) -> tuple[tuple, dict[str, Any]]:
    """Replaces slots by values."""
    return mapped(arguments, keywords, lambda each: values[each.number] if isinstance(each, Slot) else each)


def plainly(function: Callable, arguments: tuple, keywords: dict[str, Any]) -> Any:
    """Calls a function without asking subclasses."""
    token = change(subclass_disabled=True)
    try:
        return function(*arguments, **keywords)
    finally:
        MODE.reset(token)


def whole_shapes(function: Callable, arguments: tuple, keywords: dict[str, Any], operands: list[Any]) -> list[Size]:
    """Returns the shapes of the results on whole tensors, which tensors without memory compute."""
    token = change(grad=False)
    try:
        stand_ins = [empty(each.shape, dtype=each.dtype, device="meta") for each in operands]
        result = plainly(function, *filled(arguments, keywords, stand_ins))
    finally:
        MODE.reset(token)
    shapes: list[Size] = []
    flatten(result, shapes)
    return shapes


def flatten(value: Any, shapes: list[Size]) -> None:
    if isinstance(value, Tensor):
        shapes.append(value.shape)
    elif isinstance(value, list | tuple):
        for each in value:
            flatten(each, shapes)


def planned(
    name: str, arguments: tuple, keywords: dict[str, Any], operands: list[Any], shapes: list[Size]
) -> list[Plan]:
    """Returns the plan along each dimension of the mesh."""
    rule, mesh = rule_of(name), operands[0]._spec.mesh
    plain = name.removeprefix("operator_")
    whole = [tuple(each.shape) for each in operands]
    plans = []
    for mesh_dim in range(mesh.ndim):
        current = [each.placements[mesh_dim] for each in operands]
        result = tuple(shapes[0]) if shapes else ()
        plans.append(rule(Call(plain, arguments, keywords, whole, current, result, parts_of(operands[0], mesh_dim))))
    return plans


def parts_of(operand: Any, mesh_dim: int) -> int:
    """Returns into how many parts a mesh divides what it divides along one of its dimensions."""
    layout, mesh = operand.placements, operand._spec.mesh
    place = layout[mesh_dim]
    alike = [dim for dim, other in enumerate(layout) if other.is_shard(place.dim)] if place.is_shard() else [mesh_dim]
    return math.prod(map(mesh.size, alike))


def check_in_place(name: str, operands: list[Any], plans: list[Plan]) -> None:
    if name.endswith("_") and [plan.operands[0] for plan in plans] != list(operands[0].placements):
        raise noted(
            RuntimeError(f"{name}: in-place operations that require placement changes are not supported."),
            f"The placements of the tensor are {operands[0].placements}; redistribute it first.",
        )


def part_of(operand: Any, number: int, plans: list[Plan]) -> Tensor:
    """Returns the part of an operand as the plans want it."""
    target: list[Placement] = [plan.operands[number] for plan in plans]
    local = local_of(operand)
    if tuple(target) != operand.placements:
        local = relaid(local, operand._spec, target)
    for mesh_dim, plan in enumerate(plans):
        if isinstance(target[mesh_dim], Replicate) and not isinstance(plan.result, Replicate):
            local = entered(local, operand._spec.mesh.get_group(mesh_dim))
    return local


def called(function: Callable, arguments: tuple, keywords: dict[str, Any], parts: list[Tensor], result: Spec) -> Any:
    """Calls an operator on parts; a view gets the sizes of its part."""
    sizes = local_sizes(function.__name__, result.begin_and_shape()[1]) if any_shard(result.placements) else None
    if sizes is None:
        return plainly(function, *filled(arguments, keywords, parts))
    return getattr(parts[0], sizes[0])(*sizes[1])


def into(cls: Any, out: Any, function: Callable, arguments: tuple, keywords: dict[str, Any]) -> Any:
    """Computes an operator with `out=`: the results are moved to the placements that these tensors have.

    Raises RuntimeError for ordinary tensors, and ValueError if there are no others.
    """
    name = function.__name__
    targets = list(out) if isinstance(out, list | tuple) else [out]
    operands: list[Any] = []
    slots = mapped(arguments, keywords, lambda each: collected(each, cls, operands, name))
    if not operands:
        raise ValueError(f"Cannot find device mesh from args for op : {name}.")
    if not all(isinstance(each, cls) for each in targets):
        raise noted(RuntimeError(MIXED.format(name)), "out= must be a DTensor too.")
    if any(each._spec.mesh != operands[0]._spec.mesh for each in targets):
        raise RuntimeError(f"{name}: out= must be on the mesh of the operands.")
    check_out(function, *slots, operands, targets, isinstance(out, cls))
    token = change(grad=False)
    try:
        result = run(cls, function, arguments, keywords)
        for target, value in zip(targets, [result] if isinstance(out, cls) else result, strict=True):
            write(target, value)
    finally:
        MODE.reset(token)
    return out if isinstance(out, cls) else type(result)(*out)


def check_out(
    function: Callable, arguments: tuple, keywords: dict[str, Any], operands: list[Any], targets: list[Any], one: bool
) -> None:
    """Raises what the operator raises for these tensors, such as RuntimeError for a dtype or a gradient.

    Tensors without memory show it.
    """
    stand_ins, outs = ([without_memory(each) for each in some] for some in (operands, targets))
    arguments, keywords = filled(arguments, keywords, stand_ins)
    plainly(function, arguments, {**keywords, "out": outs[0] if one else tuple(outs)})


def without_memory(tensor: Any) -> Tensor:
    return empty(tensor.shape, dtype=tensor.dtype, device="meta", requires_grad=tensor.requires_grad)


def write(target: Any, value: Any) -> None:
    """Makes a distributed tensor hold the values of another, in its own placements and dtype."""
    spec = value._spec.where(normalized(target._spec.mesh, target.placements, value.ndim))
    part = relaid(local_of(value), value._spec, spec.placements)
    if target.shape == value.shape:
        local_of(target).copy_(part)
    else:
        look_at(target, part.to(target.dtype).contiguous()._array)
        target._spec = spec


def any_shard(placements: Sequence[Placement]) -> bool:
    return any(placement.is_shard() for placement in placements)


def wrapped(cls: Any, value: Any, shapes: Any, mesh: Any, placements: tuple[Placement, ...]) -> Any:
    """Makes the tensors in a result distributed ones."""
    if isinstance(value, Tensor):
        return cls(value, Spec(mesh, placements, next(shapes)))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(wrapped(cls, each, shapes, mesh, placements) for each in value))
    if isinstance(value, list | tuple):
        return type(value)(wrapped(cls, each, shapes, mesh, placements) for each in value)
    return value


def local_of(tensor: Tensor) -> Tensor:
    """Returns the part of this process as an ordinary tensor at the same place in the graph."""
    result = alias(tensor)
    result._edge = edge_of(tensor)
    return result
