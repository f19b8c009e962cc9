"""Calls a module with other tensors instead of its parameters and buffers."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import Any

from rushlight.core.tensor import Tensor

from ..modules.module import Module
from ..modules.naming import member_at
from ..parallel import DataParallel

ABSENT = object()


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls `module(*args, **kwargs)` with the tensors of a dictionary, by dotted name, instead of its own.

    With `tie_weights` a tensor that the module has under several names is replaced under all of them; with `strict` the
    dictionary must hold exactly the module's tensors.
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _functional_call(
    module, tensors: dict, args=None, kwargs: dict | None = None, *, tie_weights: bool = True, strict: bool = False
):
    """Implements both public names of `functional_call`; `args` that is no tuple is the only argument."""
    if isinstance(module, DataParallel):
        raise RuntimeError("The stateless API can't be used with nn.DataParallel module")
    if getattr(type(module), "_is_script", False):
        raise RuntimeError("The stateless API can't be used with Jitted modules")
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, tensors, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def _reparametrize_module(
    module, tensors: dict, tie_weights: bool = False, strict: bool = False, stack_weights: bool = False
):
    """In this context `module` has `tensors` instead of its own; `tensors` holds their values afterwards.

    With `stack_weights` its own are restored in reverse order.
    """
    tied = _tied(module, tensors) if tie_weights else None
    replacements = {**tensors, **tied} if tied else tensors
    if strict:
        _check_names(module, replacements)
    own = _exchanged(module, replacements)
    try:
        yield
    finally:
        left = _exchanged(module, dict(reversed(own.items())) if stack_weights else own)
        tensors.update({name: left[name] for name in tensors if name in left})


def _exchanged(module, tensors: dict) -> dict:
    """Sets `tensors` in the module and returns the previous ones; restores all of them if a name has no owner."""
    previous: dict = {}
    try:
        for name, tensor in tensors.items():
            previous[name] = _exchange(*_owner(module, name), tensor)
    except Exception:
        for name, tensor in previous.items():
            _exchange(*_owner(module, name), tensor)
        raise
    return previous


def _owner(module, name: str) -> tuple[Module, str]:
    """Returns the submodule that has a tensor, and the tensor's name in it."""
    *path, key = name.split(".")
    for depth, step in enumerate(path, 1):
        module = member_at(module, step)
        if not isinstance(module, Module):
            raise TypeError(f"submodule `{'.'.join(path[:depth])}`: {module} is not an instance of torch.nn.Module")
    return module, key


def _exchange(module, name: str, tensor):
    """Sets `tensor` as the parameter, buffer or attribute `name` of the module; returns the previous one.

    ABSENT means none, in both directions: a name that the module lacks is added, and removed again.
    """
    if tensor is not ABSENT and tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    for members in (module._parameters, module._buffers):
        if name in members:
            previous = members[name]
            if tensor is ABSENT:
                del members[name]
            else:
                members[name] = tensor
            return previous
    previous = getattr(module, name, ABSENT)
    if previous is not ABSENT and previous is not None and not isinstance(previous, Tensor):
        raise TypeError(f"attribute `{name}`: {previous} is not an instance of torch.Tensor")
    if tensor is not ABSENT:
        setattr(module, name, tensor)
    elif previous is not ABSENT:
        delattr(module, name)
    return previous


def _own_tensors(module):
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)


def _tied(module, tensors):
    """Returns the other names of tensors that are given under one of their names."""
    names_of: dict = {}
    for name, tensor in _own_tensors(module):
        names_of.setdefault(id(tensor), []).append(name)
    result = {}
    for names in names_of.values():
        if len(names) == 1:
            continue
        present = [name for name in names if name in tensors]
        if len({id(tensors[name]) for name in present}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using "
                "tie_weights=False"
            )
        if present:
            result.update(dict.fromkeys(names, tensors[present[0]]))
    return result


def _check_names(module, tensors):
    own = [name for name, _ in _own_tensors(module)]
    unexpected = sorted(name for name in tensors if name not in own)
    missing = sorted(name for name in own if name not in tensors)
    messages = [
        f"{kind} key(s): {', '.join(map(repr, names))}."
        for kind, names in (("Unexpected", unexpected), ("Missing", missing))
        if names
    ]
    if messages:
        text = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{text}")
