"""How modules speak of things in errors and in their repr."""

from rushlight.core.tensor import Tensor


def typename(value):
    """PyTorch's name for the type of `value`: `torch.FloatTensor` for a tensor, the dotted class name otherwise."""
    if isinstance(value, Tensor):
        return value.type()
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or type(value).__name__
    return name if module in (None, "builtins") else f"{module}.{name}"


def is_tensor_like(value):
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def refuse_unless_none(value, what, name, expected):
    if value is not None:
        raise TypeError(f"cannot assign '{typename(value)}' as {what} '{name}' ({expected} expected)")


def member_at(module, name):
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)


def indented(text):
    """`text` with every line but the first moved right by two spaces."""
    return "\n".join(f"  {line}" if place and line.strip() else line for place, line in enumerate(text.split("\n")))
