"""Modules under transforms: `functional_call`, `stack_module_state` and `replace_all_batch_norm_modules_`.

https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor
from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.stateless import _functional_call


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls `module(*args, **kwargs)` with other tensors for its parameters and buffers, by dotted name.

    `parameter_and_buffer_dicts` is a dictionary, or several with disjoint names. `tie_weights` replaces tensors that
    the module has under several names under all of them; `strict` requires exactly the module's names.

    >>> import rushlight as torch
    >>> double = {"weight": torch.tensor([[2.0]])}
    >>> torch.func.functional_call(torch.nn.Linear(1, 1, bias=False), double, torch.tensor([3.0]))
    tensor([6.])
    """
    tensors = _merged(parameter_and_buffer_dicts)
    return _functional_call(module, tensors, args, kwargs, tie_weights=tie_weights, strict=strict)


def _merged(dicts) -> dict:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(arg, dict) for arg in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = [name for name, count in Counter(name for arg in dicts for name in arg).items() if count > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for arg in dicts for name, tensor in arg.items()}


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of several modules of one class, stacked: two dictionaries by name.

    The stacked parameters are new leaves, for `vmap` over `functional_call`. Raises RuntimeError if the modules differ
    in class, in mode, or in what requires grad.

    >>> import rushlight as torch
    >>> nets = [torch.nn.Linear(2, 3) for _ in range(4)]
    >>> parameters, buffers = torch.func.stack_module_state(nets)
    >>> f = lambda parameters, x: torch.func.functional_call(nets[0], parameters, (x,))
    >>> torch.vmap(f, in_dims=(0, None))(parameters, torch.ones(5, 2)).shape
    torch.Size([4, 5, 3])
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return _stacked(parameters), _stacked(buffers)


def _stacked(states: list[dict]) -> dict[str, Tensor]:
    return {name: stacked_leaf([state[name] for state in states], name) for name in states[0]}


def stacked_leaf(tensors: list[Tensor], name: str) -> Tensor:
    """Returns tensors stacked, without history. Raises RuntimeError if only some of them require grad."""
    wanted = tensors[0].requires_grad
    if any(tensor.requires_grad is not wanted for tensor in tensors):
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    result = F.stack(tensors)
    return result.detach().requires_grad_() if wanted else result


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Takes the running statistics from all batch norms of a module, in place: under `vmap` they cannot be written.

    >>> import rushlight as torch
    >>> net = torch.func.replace_all_batch_norm_modules_(torch.nn.Sequential(torch.nn.BatchNorm1d(2)))
    >>> net[0].track_running_stats
    False
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
