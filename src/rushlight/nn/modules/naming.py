"""Names of values and members in error messages and `repr`."""

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
    """Indents every line of `text` but the first by two spaces."""
    return "\n".join(f"  {line}" if number and line.strip() else line for number, line in enumerate(text.split("\n")))
