"""`torch._functorch.deprecated`: the functions of the former package functorch, each with a FutureWarning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from rushlight._functorch import make_functional as former
from rushlight.func import functionalize as current_functionalize
from rushlight.func import jacobians, reverse, tangents
from rushlight.func import vmap as current_vmap


def deprecated(function: Callable[..., Any], instead: str | None = None) -> Callable[..., Any]:
    """Returns a function that says what to use instead."""
    name = function.__name__
    text = (
        "We've integrated functorch into PyTorch. As the final step of the integration, "
        f"`functorch.{name}` is deprecated as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= "
        f"2.3. Please use `{instead or f'torch.func.{name}'}` instead; see the PyTorch 2.0 release notes and/or the "
        "`torch.func` migration guide for more details https://pytorch.org/docs/main/func.migrating.html"
    )

    @wraps(function)
    def warning(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(text, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return warning


vmap = deprecated(current_vmap, "torch.vmap")
grad = deprecated(reverse.grad)
grad_and_value = deprecated(reverse.grad_and_value)
vjp = deprecated(reverse.vjp)
jvp = deprecated(tangents.jvp)
jacrev = deprecated(jacobians.jacrev)
jacfwd = deprecated(jacobians.jacfwd)
hessian = deprecated(jacobians.hessian)
functionalize = deprecated(current_functionalize)
make_functional = deprecated(former.make_functional, "torch.func.functional_call")
make_functional_with_buffers = deprecated(former.make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = deprecated(former.combine_state_for_ensemble, "torch.func.stack_module_state")
