"""Moving and casting the members of a module: what `to`, `cuda`, `half` and their kind have in common."""

import warnings

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.dtype import dtype as dtype_type
from rushlight.core.tensor import Parameter, Tensor

COMPLEX_MODULE = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
    "expected."
)
NO_DATA = "Cannot copy out of meta tensor; no data!"


def convert_members(module, function):
    """Replaces every parameter, gradient and buffer of `module` itself by what `function` makes of it."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            module._parameters[name] = converted_parameter(parameter, function)
    for name, buffer in module._buffers.items():
        if buffer is not None:
            module._buffers[name] = function(buffer)


def converted_parameter(parameter, function):
    """The parameter itself with new data, so that optimizers keep it; another one on the way to or from `meta`."""
    gradient = parameter.grad
    with no_grad():
        data = function(parameter)
        new_gradient = None if gradient is None else function(gradient)
    if parameter.is_meta != data.is_meta:
        parameter = Parameter(data, parameter.requires_grad)
    else:
        parameter.data = data
    if gradient is None:
        return parameter
    if gradient.is_meta != new_gradient.is_meta or parameter.grad is None:
        parameter.grad = new_gradient.requires_grad_(gradient.requires_grad)
    else:
        parameter.grad.data = new_gradient
    return parameter


def parse_to(device=None, dtype=None, non_blocking=False, copy=False, *, memory_format=None, other=None):
    """The arguments of `to(device, dtype)`, `to(dtype)` or `to(tensor)` as device, dtype and the rest."""
    if isinstance(device, Tensor):
        other, device, dtype, non_blocking = device, None, None, dtype or non_blocking
    elif isinstance(device, dtype_type):
        device, dtype, non_blocking = None, device, dtype or non_blocking
    if other is not None:
        device, dtype = other.device, other.dtype
    return device, dtype, bool(non_blocking), memory_format


def conversion_to(*args, **kwargs):
    """The function that `Module.to` applies to each member: casts floating and complex ones, moves all."""
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
    """The function behind `float()`, `double()`, `half()` and `bfloat16()`: casts floating members only."""
    return lambda tensor: getattr(tensor, name)() if tensor.is_floating_point() else tensor
