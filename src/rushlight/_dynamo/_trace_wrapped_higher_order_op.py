"""`torch._dynamo._trace_wrapped_higher_order_op`: indexing with 0-d tensors, for masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight._generated.functions as functions
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor
from rushlight.declarations.getitem import on_the_device_of
from rushlight.dispatch.torch_function import TorchFunctionMode


class TransformGetItemToIndex(TorchFunctionMode):
    """In a `with` block `x[i, j]` gathers elements by 0-d tensors and numbers, without views and without `item()`.

    >>> import rushlight as torch
    >>> x = torch.arange(3)
    >>> with TransformGetItemToIndex():
    ...     chosen = x[torch.tensor(1)]
    >>> chosen, chosen._base is x
    (tensor(1), False)
    """

    def __torch_function__(self, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        if func is not Tensor.__getitem__:
            return func(*args, **(kwargs or {}))
        input, index = args
        positions = tuple(index) if isinstance(index, (tuple, list)) else (index,)
        if not all(isinstance(place, (Tensor, int)) for place in positions):
            return func(input, index)
        indices = [place if isinstance(place, Tensor) else tensor(place, device=input.device) for place in positions]
        arrays = on_the_device_of(input, [x._array for x in indices])
        if any(x.ndim for x in indices):
            return functions.index(input, arrays)
        row = functions.index(input, tuple(array.reshape(1) for array in arrays))  # of one element
        return functions.unsafe_view(row, tuple(row.shape[1:]))
