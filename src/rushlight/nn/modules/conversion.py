"""Moves and casts the members of a module: the implementation of `to`, `cuda`, `half` and similar methods."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

from rushlight.__future__ import get_overwrite_module_params_on_conversion, get_swap_module_params_on_conversion
from rushlight.autograd.grad_mode import no_grad
from rushlight.autograd.swapping import swap_tensors
from rushlight.core.annotations import Device, Dtype
from rushlight.core.device import device as device_type
from rushlight.core.dtype import dtype as dtype_type
from rushlight.core.errors import noted, type_name
from rushlight.core.formats import memory_format as memory_format_type
from rushlight.core.tensor import Parameter, Tensor
from rushlight.core.traced import WrapperArray
from rushlight.create.filled import empty_like
from rushlight.declarations.promote import as_dtype

COMPLEX_MODULE = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
    "expected."
)
NO_DATA = "Cannot copy out of meta tensor; no data!"


def convert_members(module, function):
    """Replaces every parameter, gradient and buffer of `module` itself by `function` of it."""
    swaps = get_swap_module_params_on_conversion()
    for name, parameter in module._parameters.items():
        if parameter is not None:
            # The data of a wrapper are its attributes, which assigning `data` would not replace
            is_swapped = swaps or type(parameter._array) is WrapperArray
            convert = swapped_parameter if is_swapped else converted_parameter
            module._parameters[name] = convert(parameter, function, f"{module._get_name()}.{name}")
    for name, buffer in module._buffers.items():
        if buffer is not None:
            module._buffers[name] = function(buffer)


def converted_parameter(parameter, function, name):
    """Returns the parameter itself with new data, so that optimizers keep it; to or from `meta`, a new parameter."""
    gradient = parameter.grad
    with no_grad():
        data = function(parameter)
        new_gradient = None if gradient is None else function(gradient)
    if takes_data(parameter, data):
        parameter.data = data
    else:
        parameter = Parameter(data, parameter.requires_grad)
    if gradient is None:
        return parameter
    if parameter.grad is None or not takes_data(gradient, new_gradient):
        parameter.grad = new_gradient._require_grad(gradient.requires_grad)
    else:
        parameter.grad.data = new_gradient
    return parameter


def takes_data(tensor, data):
    """Whether a tensor that is converted stays the same object with new data."""
    same_kind = tensor.is_meta == data.is_meta and tensor.layout == data.layout
    return same_kind and not get_overwrite_module_params_on_conversion()


def swapped_parameter(parameter, function, name):
    """Returns the parameter itself, swapped with `function` of it; its gradient too."""
    gradient = parameter.grad
    with no_grad():
        converted = Parameter(function(parameter), parameter.requires_grad)
    parameter.grad = None
    try:
        swap_tensors(parameter, converted)
    except RuntimeError as error:
        parameter.grad = gradient
        raise RuntimeError(f"_apply(): Couldn't swap {name}") from error
    if gradient is not None:
        parameter.grad = swapped_gradient(gradient, function, name)
    return parameter


def swapped_gradient(gradient, function, name):
    with no_grad():
        converted = function(gradient).requires_grad_(gradient.requires_grad)
    try:
        swap_tensors(gradient, converted)
    except RuntimeError as error:
        raise RuntimeError(f"_apply(): Couldn't swap {name}.grad") from error
    return gradient


KINDS: dict[str, Any] = {
    "device": (str, int, device_type, type(None)), "dtype": (dtype_type, type, type(None)), "non_blocking": bool,
    "copy": bool, "other": (Tensor, dtype_type, type), "tensor": Tensor,
    "memory_format": (memory_format_type, type(None)),
}  # fmt: skip


def parse_to(device=None, dtype=None, non_blocking=False, copy=False, *, memory_format=None, tensor=None):
    """Returns the arguments of `to(device, dtype)`, `to(dtype)` or `to(tensor)` as device, dtype and the others."""
    if isinstance(device, Tensor):
        tensor, device, dtype, non_blocking = device, None, None, dtype or non_blocking
    elif isinstance(device, (dtype_type, type)):
        device, dtype, non_blocking = None, device, dtype or non_blocking
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    return device, as_dtype("to", dtype), bool(non_blocking), memory_format


def _check_to(args: tuple, kwargs: dict) -> None:
    """Raises TypeError if no overload of `to` takes the arguments."""
    if len(args) > 4:
        raise TypeError(f"to() takes from 0 to 4 positional arguments but {len(args)} were given")
    has_device = args and not isinstance(args[0], (Tensor, dtype_type, type))  # with a device before the dtype
    names = ("device", "dtype", "non_blocking", "copy") if has_device else ("other", "non_blocking", "copy")
    passed = dict(zip(names, args, strict=False)) | kwargs
    if (
        "other" not in kwargs
        and passed.keys() <= KINDS.keys()
        and all([isinstance(value, KINDS[name]) for name, value in passed.items()])
    ):
        return
    kinds = [type_name(value) for value in args] + [f"{name}={type_name(value)}" for name, value in kwargs.items()]
    types = ", ".join(kinds) + ", " * (bool(kwargs) and not args)  # as PyTorch formats it
    raise noted(
        TypeError(f"to() received an invalid combination of arguments - got ({types}), but expected one of:"),
        "Write to(device), to(dtype), to(device, dtype) or to(tensor).",
    )


def conversion_to(*args, **kwargs):
    """Returns the function that `Module.to` applies to members: casts floating and complex ones, moves all."""
    _check_to(args, kwargs)
    if "copy" in kwargs or len(args) > 3:
        words = "A module is converted in place. For another one write copy.deepcopy(module).to(...)."
        raise noted(RuntimeError(".to() does not accept copy argument"), words)
    device, dtype, non_blocking, memory_format = parse_to(*args, **kwargs)
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
    if dtype is not None and dtype.is_complex:
        warnings.warn(COMPLEX_MODULE, stacklevel=3)

    def convert(tensor):
        castable = tensor.is_floating_point() or tensor.is_complex()
        layout = {"memory_format": memory_format} if memory_format is not None and tensor.dim() in (4, 5) else {}
        try:
            return tensor.to(device, dtype if castable else None, non_blocking, **layout)
        except NotImplementedError as error:
            if str(error) != NO_DATA:
                raise
            raise NotImplementedError(
                f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module "
                "from meta to a different device."
            ) from None

    return convert


def cast_floating(name):
    """Returns the function of `float()`, `double()`, `half()` and `bfloat16()`: casts only floating members."""
    return lambda tensor: getattr(tensor, name)() if tensor.is_floating_point() else tensor


class Movable:
    """The part of Module that moves and casts it in place, with all submodules."""

    if TYPE_CHECKING:  # attributes of Module

        def __getattr__(self, name: str) -> Any: ...

    def _apply(self, fn, recurse=True):
        if recurse:
            for module in self.children():
                module._apply(fn)
        convert_members(self, fn)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Moves parameters and buffers, and casts those that are floating or complex, in place; returns the module.

        Called as `to(device, dtype, non_blocking)`, `to(dtype)`, `to(tensor)` or `to(memory_format=...)`.

        >>> import rushlight as torch
        >>> torch.nn.Linear(2, 2).to(torch.float64).weight.dtype
        torch.float64
        """
        return self._apply(conversion_to(*args, **kwargs))

    def to_empty(self, *, device: Device, recurse: bool = True) -> Self:
        """Moves the module to `device` without its values: the new memory is not initialized."""
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse=recurse)

    def cuda(self, device: Device = None) -> Self:
        """Moves all parameters and buffers to the GPU; returns the module."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def cpu(self) -> Self:
        """Moves all parameters and buffers to the CPU; returns the module."""
        return self._apply(lambda tensor: tensor.cpu())

    def type(self, dst_type: Dtype | str) -> Self:
        """Casts all parameters and buffers, integers too, to `dst_type`; returns the module."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self) -> Self:
        """Casts floating parameters and buffers to float32; returns the module."""
        return self._apply(cast_floating("float"))

    def double(self) -> Self:
        """Casts floating parameters and buffers to float64; returns the module."""
        return self._apply(cast_floating("double"))

    def half(self) -> Self:
        """Casts floating parameters and buffers to float16; returns the module."""
        return self._apply(cast_floating("half"))

    def bfloat16(self) -> Self:
        """Casts floating parameters and buffers to bfloat16; returns the module."""
        return self._apply(cast_floating("bfloat16"))

    def share_memory(self) -> Self:
        """Moves parameters and buffers to memory shared with processes forked later; returns the module."""
        for tensor in (*self.parameters(), *self.buffers()):
            tensor.share_memory_()
        return self
