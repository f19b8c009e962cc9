"""The explanation of a tensor inside `vmap`, `grad` or `jvp`: its level, its batch or tangent, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rushlight.core.modes import TRANSFORMS
from rushlight.core.tensor import Tensor
from rushlight.core.traced import TRACED, BatchedArray, DualArray, Traced
from rushlight.explain.numbers import length, wide
from rushlight.explain.result import Explanation
from rushlight.explain.tensors import name_of, say_origin, title_of


def is_inside(tensor: Tensor) -> bool:
    """Whether a tensor belongs to a level, or a transform is under way."""
    return type(tensor._array) in TRACED or TRANSFORMS.get() > 0


def explain_inside(tensor: Tensor, names: Mapping[str, Any]) -> Explanation:
    """Explains a tensor inside a transform."""
    name = name_of(tensor, names)
    explanation = Explanation(title_of(tensor, name))
    levels = list(levels_of(tensor))
    explanation.facts |= {
        "kind": "tensor", "name": name, "shape": tuple(tensor.shape), "dtype": tensor.dtype.name,
        "device": str(tensor.device), "requires_grad": tensor.requires_grad, "is_leaf": tensor.is_leaf,
        "transforms": [facts_of(array) for array in levels],
    }  # fmt: skip
    explanation.say("transform", *map(said_of, levels), None if levels else ordinary())
    say_origin(explanation, tensor)
    explanation.say("gradient", gradient_of(tensor))
    explanation.say("to write", *advice(levels, name or "x"))
    return explanation


def ordinary() -> str:
    """Returns what a tensor is that belongs to no level."""
    return f"Level {TRANSFORMS.get()} is under way. The tensor belongs to no vmap or jvp: it is an ordinary one."


def levels_of(tensor: Tensor) -> Iterator[Traced]:
    """Yields the arrays of a tensor, that of the highest level first."""
    while type(array := tensor._array) in TRACED:
        yield array
        tensor = array.value


def facts_of(array: Traced) -> dict[str, Any]:
    """Returns what an array is, for tools."""
    facts = {"level": array.level.number, "alive": array.level.alive, "shape": tuple(array.shape)}
    if isinstance(array, BatchedArray):
        size = getattr(array.level, "size", None)
        return facts | {
            "transform": "vmap",
            "batched": array.batched,
            "samples": size,
            "whole": tuple(array.value.shape),
        }
    if isinstance(array, DualArray):
        return facts | {"transform": "jvp", "has_tangent": array.tangent is not None}
    return facts | {"transform": "jet"}


def said_of(array: Traced) -> str:
    """Returns what an array is, in a sentence."""
    facts = facts_of(array)
    level = f"Level {facts['level']}, {facts['transform']}"
    ended = "" if facts["alive"] else " The transform has ended, and the tensor counts as its value."
    if isinstance(array, BatchedArray):
        if not array.batched:
            return f"{level}: the same for all {facts['samples']} samples.{ended}"
        return f"{level}: one of {facts['samples']} samples of shape {facts['shape']}; all are {facts['whole']}.{ended}"
    if not isinstance(array, DualArray):
        return f"{level}: with a Taylor series.{ended}"
    if array.tangent is None:
        return f"{level}: no tangent, it does not depend on the inputs.{ended}"
    return f"{level}: with a tangent of the same shape{norm_of(array.tangent)}.{ended}"


def in_short(array: Traced) -> str:
    """Returns what an array is, in a few words: "one of 4 samples at level 1"."""
    facts = facts_of(array)
    if isinstance(array, BatchedArray):
        return f"{'one' if array.batched else 'shared by all'} of {facts['samples']} samples at level {facts['level']}"
    if not isinstance(array, DualArray):
        return f"with a Taylor series at level {facts['level']}"
    return f"with{'out' if array.tangent is None else ''} a tangent at level {facts['level']}"


def norm_of(tangent: Tensor) -> str:
    """Returns the size of a tangent, if its numbers can be read."""
    if tangent.is_meta or any(isinstance(array, BatchedArray) for array in levels_of(tangent)):
        return ""
    return f", of norm {length(wide(tangent)):.4g}"


def gradient_of(tensor: Tensor) -> str:
    """Returns whether a transform in reverse mode follows the tensor."""
    if tensor.requires_grad:
        where = "an input of it" if tensor.is_leaf else "computed from its inputs"
        return f"`grad`, `vjp` or `jacrev` asks for its gradient: it is {where}. backward() is refused inside."
    return "No gradient is asked for inside this level."


def advice(levels: list[Traced], name: str) -> Iterator[str]:
    """Yields what to write."""
    if levels and not levels[0].level.alive:
        yield f"To keep a result, return it from the function. To see its numbers: `torch.func.debug_unwrap({name})`."
    elif any(isinstance(array, BatchedArray) and array.batched for array in levels):
        yield f"To choose by its numbers: `torch.where({name} > 0, a, b)`. `if`, item() and numpy() are refused."
        yield f"To see all samples: `print({name})`, or `torch.func.debug_unwrap({name})`."
    else:
        yield f"Its numbers can be read: `if`, `{name}.item()` and `print({name})` work."
