"""`torch.func.functionalize`, and what is inside a traced tensor.

https://docs.pytorch.org/docs/stable/generated/torch.func.functionalize.html
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from rushlight.autograd.under_transforms import transforming
from rushlight.core.tensor import Tensor
from rushlight.core.traced import TRACED

REMOVE = ("mutations", "mutations_and_views")


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function with the results of `func`, for which in-place operations on intermediate tensors make no difference.

    PyTorch replaces such operations, for compilers that have none. Here they are correct under every transform, so
    `func` itself is called; writes to its arguments are seen by the caller, as in PyTorch. Raises RuntimeError if
    `remove` is neither "mutations" nor "mutations_and_views".

    >>> import rushlight as torch
    >>> torch.func.functionalize(lambda x: x.clone().add_(1))(torch.zeros(2))
    tensor([1., 1.])
    """
    if remove not in REMOVE:
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    @wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        with transforming():
            return func(*args, **kwargs)

    return called


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor inside a traced one: the whole batch under `vmap`, the primal under `jvp`. Only to look at it.

    With `recurse` all levels are taken off, else the innermost. Another tensor is returned as it is.

    >>> import rushlight as torch
    >>> shapes = []
    >>> torch.vmap(lambda x: shapes.append((x.shape, torch.func.debug_unwrap(x).shape)) or x)(torch.ones(3, 2)).shape
    torch.Size([3, 2])
    >>> shapes
    [(torch.Size([2]), torch.Size([3, 2]))]
    """
    array: Any = tensor._array
    while type(array) in TRACED:
        tensor, array = array.value, array.value._array
        if not recurse:
            break
    return tensor
