"""The names of parameters in the plain model, and optimizer states with a name for each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.tensor import Tensor
from rushlight.distributed.wrapping import INNER, ShardingWrapper
from rushlight.nn.modules.compiled import OptimizedModule
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel.distributed import DistributedDataParallel

__all__ = ["flattened", "nested", "plain"]

WRAPPERS = ((DistributedDataParallel, "module"), (OptimizedModule, "_orig_mod"), (ShardingWrapper, INNER))


def plain(model: Module, name: str) -> str:
    """Returns a name in a model without what wrappers have put into it; a module of the program's may have that name.

    >>> from rushlight import compile, nn
    >>> plain(compile(nn.Linear(2, 2)), "_orig_mod.weight"), plain(nn.Linear(2, 2), "weight")
    ('weight', 'weight')
    """
    kept: list[str] = []
    current: Any = model
    for part in name.split("."):
        if not any(isinstance(current, kind) and part == inner for kind, inner in WRAPPERS):
            kept.append(part)
        current = getattr(current, part, None)
    return ".".join(kept)


def flattened(state: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the state of an optimizer with one name for each value: `state.0.weight.step`.

    Settings of a group are there for each of its parameters: `param_groups.0.weight.lr`. Raises NotImplementedError for
    a state of another type than a tensor, a number or a dict of these.
    """
    result: dict[str, Any] = {}
    for name, values in state["state"].items():
        result.update(with_names(values, f"state.{name}"))
    for group in state["param_groups"]:
        for name in group["params"]:
            result.update({f"param_groups.{name}.{key}": value for key, value in group.items() if key != "params"})
    return result


def with_names(values: Mapping[Any, Any], prefix: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            result.update(with_names(value, f"{prefix}.{key}"))
        elif isinstance(value, Tensor | int | float):
            result[f"{prefix}.{key}"] = value
        else:
            raise NotImplementedError(
                "Flattening optimizer state_dict only supports tensor, int, float, dict states now. "
                f"Type is {type(value)}."
            )
    return result


def nested(flat: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Undoes `flattened`, for what the state `own` of an optimizer has.

    Raises RuntimeError if parameters of one group had different settings.
    """
    state = {name: values_in(flat, values, f"state.{name}") for name, values in own["state"].items()}
    groups = []
    for group in own["param_groups"]:
        settings = {key: setting(flat, key, group["params"]) for key in group if key != "params"}
        kept = {key: values[0] for key, values in settings.items() if values}
        groups.append({**kept, "params": group["params"]})
    return {"state": {name: values for name, values in state.items() if values}, "param_groups": groups}


def values_in(flat: Mapping[str, Any], own: Mapping[Any, Any], prefix: str) -> dict[Any, Any]:
    """Returns the values that are there, of those that `own` has."""
    result = {}
    for key, value in own.items():
        name = f"{prefix}.{key}"
        if isinstance(value, Mapping):
            result[key] = values_in(flat, value, name)
        elif name in flat:
            result[key] = flat[name]
    return result


def setting(flat: Mapping[str, Any], key: str, names: Sequence[str]) -> list[Any]:
    """Returns the values of a setting for parameters, which are one value."""
    values = [flat[f"param_groups.{name}.{key}"] for name in names if f"param_groups.{name}.{key}" in flat]
    if not all(same(value, values[0]) for value in values):
        raise RuntimeError(
            "All the parameters in the same parameter group should have the same saved param_group value. But "
            f"{names[0]}.{key} is {values[0]} while other(s) is {next(v for v in values if not same(v, values[0]))}."
        )
    return values


def same(one: Any, other: Any) -> bool:
    return F.equal(one, other) if isinstance(one, Tensor) and isinstance(other, Tensor) else one == other
