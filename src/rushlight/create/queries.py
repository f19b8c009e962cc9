"""Functions of the root that return facts about tensors, and the defaults for new tensors."""

from __future__ import annotations

from rushlight.core.device import DEFAULT, as_device, device, set_default
from rushlight.core.numbers import python_number
from rushlight.core.tensor import Tensor
from rushlight.core.warn_once import REPETITION
from rushlight.create.filled import check_tensor
from rushlight.declarations.promote import number_dtype
from rushlight.declarations.promote import result_type as promoted
from rushlight.dispatch.message import no_form, type_name
from rushlight.dispatch.methods import as_method
from rushlight.dispatch.operands import NUMBERS
from rushlight.dispatch.override import ABSENT, offered, overridable


def answered(function, input):
    """Returns the answer of an object that overrides calls. Raises TypeError for others that are no tensors."""
    answer = offered(function, input)
    if answer is ABSENT:
        check_tensor(function.__name__, input)
    return answer


def is_floating_point(input) -> bool:
    """Returns whether the dtype of `input` is floating point."""
    return input.is_floating_point() if isinstance(input, Tensor) else answered(is_floating_point, input)


def is_complex(input) -> bool:
    """Returns whether the dtype of `input` is complex."""
    return input.is_complex() if isinstance(input, Tensor) else answered(is_complex, input)


def is_nonzero(input) -> bool:
    """Returns whether the only element of `input` is not zero. Raises RuntimeError if there is not exactly one."""
    if not isinstance(input, Tensor):
        return answered(is_nonzero, input)
    if input.numel() == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if input.numel() > 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(input)


@overridable
def _assert(condition, message) -> None:
    """`torch._assert`: raises AssertionError with `message` unless `condition` holds."""
    if not condition:
        raise AssertionError(message)


def numel(input) -> int:
    """Returns the number of elements of `input`."""
    return input.numel() if isinstance(input, Tensor) else answered(numel, input)


def is_same_size(input, other) -> bool:
    """Returns whether two tensors have the same shape."""
    if not isinstance(input, Tensor) and (answer := offered(is_same_size, input, other)) is not ABSENT:
        return answer
    for position, (name, value) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"is_same_size(): argument '{name}' (position {position}) must be Tensor, not {type_name(value)}"
            )
    return input._array.shape == other._array.shape


def _function_of(name: str):
    """Returns the function that calls a method of Tensor without arguments."""

    def function(input):
        return getattr(input, name)() if isinstance(input, Tensor) else answered(function, input)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(Tensor, name).__doc__
    return function


get_device, is_conj, is_neg = _function_of("get_device"), _function_of("is_conj"), _function_of("is_neg")
is_signed, is_inference = _function_of("is_signed"), _function_of("is_inference")


def typename(obj, /) -> str:
    """Returns the full name of the type of an object; for a tensor its legacy type.

    >>> import rushlight as torch
    >>> torch.typename(torch.ones(2)), torch.typename(torch.nn.Linear(1, 1))
    ('torch.FloatTensor', 'torch.nn.modules.linear.Linear')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    named = obj if hasattr(obj, "__name__") else type(obj)
    module, name = getattr(named, "__module__", None), getattr(named, "__qualname__", named.__name__)
    return _public(name) if module in (None, "builtins") else f"{_public(module)}.{name}"


def _public(name: str) -> str:
    """Returns the name of a module as PyTorch has it."""
    package, dot, rest = name.partition(".")
    return f"torch{dot}{rest}" if package == __name__.partition(".")[0] else name


def result_type(tensor1, tensor2):
    """Returns the dtype of an arithmetic result of two tensors or numbers.

    >>> import rushlight as torch
    >>> torch.result_type(torch.tensor([1, 2], dtype=torch.int32), 1.0)
    torch.float32
    """
    if not all(isinstance(x, (Tensor, *NUMBERS)) for x in (tensor1, tensor2)):
        raise no_form("result_type", (tensor1, tensor2))
    return promoted(
        (x.dtype, x._array.ndim) if isinstance(x, Tensor) else (number_dtype(python_number(x)), None)
        for x in (tensor1, tensor2)
    )


def set_default_device(device) -> None:
    """Sets the device of new tensors; None resets it to the CPU."""
    set_default(as_device("cpu" if device is None else device))


def get_default_device() -> device:
    """Returns the device of new tensors."""
    return DEFAULT.get()


def set_warn_always(b: bool) -> None:
    """Sets whether warnings that are issued once per program are issued every time."""
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type_name(b)}")
    REPETITION.always = b


def is_warn_always_enabled() -> bool:
    """Returns what `set_warn_always` has set."""
    return REPETITION.always


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for function in (as_method(is_nonzero), as_method(is_same_size)):
        setattr(Tensor, function.__name__, function)
