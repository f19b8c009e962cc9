"""Steps an optimizer with swapped parameters and state."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.optim.optimizer import Optimizer

NAME = "swap_in_optimizer_params_and_state requires "


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
):
    """Lets an optimizer work on other parameters, in its own order, with the state of a `state_dict`.

    Writes to tensors of the state reach the `state_dict`; all other changes are dropped on exit. Raises RuntimeError if
    the state does not fit the optimizer.

    >>> import rushlight as torch
    >>> p, q = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    >>> p.grad = q.grad = torch.ones(1)
    >>> optimizer = torch.optim.Adam([p], lr=0.5)
    >>> optimizer.step()
    >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"q": q}, optimizer.state_dict()):
    ...     optimizer.step()
    >>> p, q
    (tensor([0.5000], requires_grad=True), tensor([-0.5000], requires_grad=True))
    """
    state, groups = checked(optimizer, swapin_optim_state)
    params = list(swapin_parameters.values())
    if len(params) < sum(len(group["params"]) for group in groups):
        raise RuntimeError(NAME + "the explicit parameter state to match optimizer.param_groups ordering.")
    own_state, own_groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        optimizer.state = defaultdict(dict)
        for group, other in zip(optimizer.param_groups, groups, strict=True):
            numbers = other["params"]
            group.update(other, params=params[: len(numbers)])
            params = params[len(numbers) :]
            optimizer.state.update(
                {param: dict(state.get(number, {})) for param, number in zip(group["params"], numbers, strict=True)}
            )
        yield
    finally:
        for group, own in zip(optimizer.param_groups, own_groups, strict=True):
            group.clear()
            group.update(own)
        optimizer.state = own_state


def checked(optimizer: Optimizer, state_dict: Any) -> tuple[dict, list[dict]]:
    """Returns the state and the groups of a `state_dict`. Raises RuntimeError if they do not fit the optimizer."""
    if not optimizer.state:
        raise RuntimeError(NAME + "initialized optimizer state.")
    if not isinstance(state_dict, dict):
        raise RuntimeError(NAME + "a DCP-style optimizer state_dict.")
    state, groups = state_dict.get("state"), state_dict.get("param_groups")
    if not isinstance(state, dict):
        raise RuntimeError(
            NAME
            + "swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param state dicts, got "
            f"{type(state).__name__}."
        )
    if any(isinstance(key, Tensor) for key in state):
        raise RuntimeError(NAME + "optimizer.state_dict()-style state keyed by packed parameter ids.")
    if any(isinstance(key, int) and not isinstance(value, dict) for key, value in state.items()):
        raise RuntimeError(NAME + "per-parameter optimizer state entries to be dictionaries.")
    if not isinstance(groups, list):
        raise RuntimeError(
            NAME + f"swapin_optim_state['param_groups'] to be a list of param-group dicts, got {type(groups).__name__}."
        )
    if len(groups) != len(optimizer.param_groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    for index, (own, group) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        check_group(index, own, group)
    known = {number for group in groups for number in group["params"]}
    extra = [key for key in state if key not in known]
    if extra:
        raise RuntimeError(
            NAME + "swapin_optim_state['state'] to be keyed only by packed parameter ids from "
            f"param_groups[*]['params']; got extra keys {extra!r}."
        )
    return state, groups


def check_group(index: int, own: dict, group: Any) -> None:
    """Raises RuntimeError for a group with other options or another number of parameters."""
    if not isinstance(group, dict):
        raise RuntimeError(NAME + "each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
        raise RuntimeError(
            NAME + "optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed parameter ids."
        )
    if len(numbers) != len(own["params"]):
        raise RuntimeError(
            f"swapin_optim_state param group {index} has a different number of params than the live optimizer param "
            "group."
        )
    theirs, ours = [key for key in group if key not in own], [key for key in own if key not in group]
    if theirs or ours:
        raise RuntimeError(
            NAME + "optimizer.state_dict()-style param group keys to exactly match the live optimizer group keys for "
            f"group {index}. Keys only in swap-in: {theirs}. Keys only in live: {ours}."
        )
