"""`DataParallel`, the wrapper that programs use with several GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import cuda
from rushlight.core.device import device
from rushlight.core.tensor import Tensor

from ..modules.module import Module
from .parallel_apply import get_a_var

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """Calls `module` on the inputs, split along `dim` into a part per GPU. There is at most one GPU, or the CPU.

    Parameter names begin with `module.`, as in checkpoints of PyTorch's wrapped models.

    >>> import rushlight as torch
    >>> model = torch.nn.DataParallel(torch.nn.Linear(3, 2))
    >>> model(torch.ones(1, 3)).shape, list(model.state_dict())
    (torch.Size([1, 2]), ['module.weight', 'module.bias'])
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[int | device] | None = None,
        output_device: int | device | None = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.module: Any = module
        self.device_ids: list = []
        if cuda.is_available():
            self.device_ids = list(range(cuda.device_count())) if device_ids is None else list(device_ids)
            self.output_device = self.device_ids[0] if output_device is None else output_device
            self.dim = dim
            module.to(device("cuda"))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if self.device_ids:
            inputs = tuple(map(on_gpu, inputs))
            kwargs = {name: on_gpu(value) for name, value in kwargs.items()}
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[int | device] | None = None,
    output_device: int | device | None = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Calls a module on inputs split along `dim` into a part per GPU: there is one.

    Raises RuntimeError without a GPU, or for inputs without tensors.
    """
    if not cuda.is_available():
        raise RuntimeError("device type could not be determined")
    inputs = inputs if isinstance(inputs, tuple) else (inputs,) if inputs is not None else ()
    if get_a_var(inputs) is None and get_a_var(module_kwargs) is None:
        raise RuntimeError("device type could not be determined")
    return module(*on_gpu(inputs), **on_gpu(module_kwargs or {}))


def on_gpu(value: Any) -> Any:
    """Moves a tensor, or the tensors in a list, tuple or dict, to the GPU."""
    if isinstance(value, Tensor):
        return value.to(device("cuda"))
    if type(value) in (list, tuple):
        return type(value)(map(on_gpu, value))
    return {name: on_gpu(item) for name, item in value.items()} if type(value) is dict else value
