"""States of models and optimizers under the names of the plain model, whatever wraps it.

https://docs.pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict.get_state_dict
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rushlight import distributed as dist
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty, zeros_like
from rushlight.distributed.checkpoint.names import flattened, nested, plain
from rushlight.distributed.tensor.distribute import distribute_tensor
from rushlight.distributed.tensor.dtensor import DTensor
from rushlight.nn.modules.module import Module
from rushlight.optim.optimizer import Optimizer

__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
    "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip


@dataclass
class StateDictOptions:
    """How states are given and taken.

    With `full_state_dict` tensors are whole, in every process; with `cpu_offload` too, rank 0 alone gets them, and the
    others an empty dict. With `broadcast_from_rank0` the whole tensors and the values of rank 0 are loaded, and the
    states of the other processes are not looked at. `flatten_optimizer_state_dict` gives each value of an optimizer one
    name, so that a process can load those of its own parameters. `keep_submodule_prefixes` is for `submodules`.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False


def checked(options: StateDictOptions | None) -> StateDictOptions:
    """Returns options. Raises ValueError if rank 0 is to send parts."""
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def get_model_state_dict(
    model: Module, *, submodules: set[Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """Returns the state of a model under the names of the plain model; with `submodules`, of those in it."""
    options = checked(options)
    frozen = {name for name, each in model.named_parameters() if not each.requires_grad}
    state = {n: value for n, value in model.state_dict().items() if not (options.ignore_frozen_params and n in frozen)}
    named = {plain(model, name): value for name, value in state.items()}
    if submodules:
        warnings.warn(SUBMODULES, FutureWarning, stacklevel=2)
        named = within(named, prefixes(model, submodules), options.keep_submodule_prefixes)
    return presented(named, options)


SUBMODULES = (
    "Getting submodules only model/optim state_dict is deprecated and will be removed in 2.5. This feature can be "
    "achieved by manually filtering out the state_dict returned from get_state_dict."
)


def prefixes(model: Module, submodules: Iterable[Module]) -> list[str]:
    """Returns what the names of the values in some modules begin with."""
    wanted = set(submodules)
    return [f"{plain(model, name)}." for name, module in model.named_modules() if module in wanted]


def within(state: dict[str, Any], starts: list[str], keeps: bool) -> dict[str, Any]:
    """Returns the values whose names begin like this, with or without the beginning."""
    return {
        name if keeps else name.removeprefix(start): value
        for start in starts
        for name, value in state.items()
        if name.startswith(start)
    }


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Loads a state with the names of the plain model; returns what is missing and what was not expected."""
    options = checked(options)
    model_state_dict = of_rank_0(model_state_dict, options)
    state = model.state_dict()
    names = {name: plain(model, name) for name in state}
    taken = {n: taken_for(state[n], model_state_dict.get(names[n]), options) for n in state}
    known = {n: value for n, value in taken.items() if value is not None}
    others = {n: value for n, value in model_state_dict.items() if n not in names.values()}
    return model.load_state_dict({**known, **others}, strict=options.strict)


def get_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """Returns the state of optimizers under the names of the parameters in the plain model.

    An optimizer that has made no step yet gets its state first, so that there is something to load into. `submodules`
    are for `get_model_state_dict`; the state is of all parameters.
    """
    options = checked(options)
    if submodules:
        warnings.warn(SUBMODULES, FutureWarning, stacklevel=2)
    names = names_of(model)
    result: dict[str, Any] = {"state": {}, "param_groups": []}
    for optimizer in as_list(optimizers):
        begin(optimizer)
        own = with_names_of(optimizer, names)
        result["state"].update(own["state"])
        result["param_groups"] += own["param_groups"]
    return presented(flattened(result) if options.flatten_optimizer_state_dict else result, options)


def with_names_of(optimizer: Optimizer, names: dict[int, str]) -> dict[str, Any]:
    """Returns the state of an optimizer under the names of parameters."""
    own = optimizer.state_dict()
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    named = [names[id(parameter)] for parameter in parameters]
    groups = [{**group, "params": [named[number] for number in group["params"]]} for group in own["param_groups"]]
    return {"state": {named[number]: values for number, values in own["state"].items()}, "param_groups": groups}


def set_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: dict[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Loads a state with the names of the parameters into optimizers, flat or not.

    Raises RuntimeError if there is none for a parameter that has one, unless `strict` is False.
    """
    options = checked(options)
    optim_state_dict = of_rank_0(optim_state_dict, options)
    names = names_of(model)
    for optimizer in as_list(optimizers):
        begin(optimizer)
        own = with_names_of(optimizer, names)
        source = optim_state_dict if "state" in optim_state_dict else nested(optim_state_dict, own)
        load_named(optimizer, own, source, options)


def load_named(optimizer: Optimizer, own: dict[str, Any], source: dict[str, Any], options: StateDictOptions) -> None:
    """Loads a state with names into an optimizer whose own is `own`."""
    for name, old in own["state"].items():
        if name not in source["state"] and options.strict:
            raise RuntimeError(
                f"Missing optimizer state for parameter '{name}' in checkpoint. The parameter requires gradients but "
                "has no saved optimizer state. To load anyway, use StateDictOptions(strict=False)."
            )
        new = source["state"].get(name, {})
        own["state"][name] = {k: taken_for(v, new[k], options) if k in new else v for k, v in old.items()}
    for group in own["param_groups"]:
        members = set(group["params"])
        for other in source["param_groups"]:
            if members.intersection(other["params"]) or not (members or other["params"]):
                taken = {k: taken_for(group.get(k), v, options) for k, v in other.items()}
                group.update({k: value for k, value in taken.items() if k not in ("params", "param_names")})
    numbers: dict[str, int] = {}
    for group in own["param_groups"]:
        group["params"] = [numbers.setdefault(name, len(numbers)) for name in group["params"]]
    optimizer.load_state_dict({**own, "state": {numbers[name]: values for name, values in own["state"].items()}})


def get_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the states of a model and of its optimizers."""
    state = get_model_state_dict(model, submodules=submodules, options=options)
    return state, get_optimizer_state_dict(model, optimizers, options=options)


def set_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: dict[str, Any],
    optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Loads the states of a model and of its optimizers."""
    outcome = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return outcome


def names_of(model: Module) -> dict[int, str]:
    """Maps the parameters of a model, by id, to their names in the plain model."""
    return {id(parameter): plain(model, name) for name, parameter in model.named_parameters()}


def as_list(optimizers: Optimizer | Iterable[Optimizer]) -> list[Optimizer]:
    result = [optimizers] if isinstance(optimizers, Optimizer) else list(optimizers)
    if not result:
        raise RuntimeError("Optimizers are not passed in but optim_only is set to True.")
    return result


def begin(optimizer: Optimizer) -> None:
    """Makes the state of an optimizer that has made no step, by a step of length 0 that changes no parameter."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    if optimizer.state or any(parameter.grad is not None for parameter in parameters):
        return
    with no_grad():
        rates = [group.get("lr") for group in optimizer.param_groups]
        for parameter in parameters:
            if parameter.requires_grad:
                parameter.grad = zeros_like(parameter)
        for group in optimizer.param_groups:
            if "lr" in group:
                group["lr"] = zeros_like(group["lr"]) if isinstance(group["lr"], Tensor) else 0.0
        optimizer.step()
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            if "lr" in group:
                group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def presented(value: Any, options: StateDictOptions) -> Any:
    """Returns a state with its tensors as the options want them."""
    if isinstance(value, dict):
        result = {name: presented(each, options) for name, each in value.items()}
        return {} if options.full_state_dict and options.cpu_offload and is_elsewhere() else result
    if isinstance(value, list):
        return [presented(each, options) for each in value]
    if not isinstance(value, Tensor):
        return value
    if isinstance(value, DTensor):
        value = value.detach()
        value = value.full_tensor() if options.full_state_dict else value
    return value.detach().cpu() if options.cpu_offload and not isinstance(value, DTensor) else value.detach()


def is_elsewhere() -> bool:
    """Whether rank 0 is another process."""
    return dist.is_initialized() and dist.get_rank() != 0


class Sent(NamedTuple):
    """Takes the place of a tensor of rank 0 in the other processes, until it is sent."""

    shape: tuple[int, ...]
    dtype: Any


def of_rank_0(state: Any, options: StateDictOptions) -> Any:
    """Returns the state of rank 0, if that is to be loaded; in the other processes without the tensors."""
    if not options.broadcast_from_rank0 or not dist.is_initialized():
        return state
    listed = [without_tensors(state)] if dist.get_rank() == 0 else [None]
    dist.broadcast_object_list(listed, 0)
    return state if dist.get_rank() == 0 else listed[0]


def without_tensors(value: Any) -> Any:
    """Returns a state with `Sent` for each tensor. Raises ValueError for a distributed tensor."""
    if isinstance(value, DTensor):
        raise ValueError("broadcast_from_rank0 takes whole tensors, and the state has a DTensor.")
    if isinstance(value, Tensor):
        return Sent(tuple(value.shape), value.dtype)
    if isinstance(value, list):
        return [without_tensors(each) for each in value]
    return {name: without_tensors(each) for name, each in value.items()} if isinstance(value, dict) else value


def taken_for(own: Any, new: Any, options: StateDictOptions) -> Any:
    """Returns what is loaded instead of a value: a whole tensor becomes the part that is here."""
    if options.broadcast_from_rank0 and dist.is_initialized() and isinstance(new, Sent | Tensor):
        new = received(new, own.device if isinstance(own, Tensor) else "cpu")
    if not isinstance(own, Tensor):
        return own if new is None else new
    if isinstance(own, DTensor) and isinstance(new, Tensor) and not isinstance(new, DTensor):
        return distribute_tensor(new.detach(), own.device_mesh, own.placements, src_data_rank=None)
    return new


def received(new: Sent | Tensor, device: Any) -> Tensor:
    """Returns the whole tensor that rank 0 has."""
    whole = (
        new.detach().to(device, copy=True)
        if isinstance(new, Tensor)
        else empty(new.shape, dtype=new.dtype, device=device)
    )
    dist.broadcast(whole, 0)
    return whole
