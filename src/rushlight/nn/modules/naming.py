"""How modules speak of things in errors and in their repr."""

from rushlight.core.tensor import Tensor
from rushlight.create.queries import typename


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
