"""Names of a graph's nodes, and names by which generated Python finds functions and types."""

from __future__ import annotations

import builtins
import inspect
import keyword
import re
import sys
from collections.abc import Callable
from types import FunctionType, GenericAlias, MethodDescriptorType, ModuleType, WrapperDescriptorType
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.spelling import composites

VALID = re.compile(r"([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?")
# Globals of generated code, so not names of nodes.
RESERVED = ("inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree")
NAMESPACES = (
    "nn.functional", "linalg", "fft", "special", "nn.init", "signal.windows", "utils.checkpoint", "functional",
    "fx._symbolic_trace", "random",
)  # fmt: skip


class Names:
    """Names that are unique, and that neither Python nor generated code uses.

    >>> names = Names()
    >>> names.fresh("add"), names.fresh("add"), names.fresh("sum"), names.fresh("0")
    ('add', 'add_1', 'sum_1', '_0')
    """

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.counts: dict[str, int] = {}

    def fresh(self, wished: str, builtin: bool = False) -> str:
        """Returns a new name, as near to the wished one as possible. `builtin`: it names that builtin itself."""
        name, base, number = parsed(wished)
        if number is None or name in self.used:
            number = self.counts.get(base, 0)
            if is_taken(name) and not builtin:
                number += 1
                name = f"{base}_{number}"
        while name in self.used:
            number += 1
            name = f"{base}_{number}"
        self.used.add(name)
        self.counts[base] = number
        return name


def parsed(wished: str) -> tuple[str, str, int | None]:
    """Returns an identifier, its base, and its number: `("add_1", "add", 1)`."""
    match = VALID.fullmatch(wished)
    if match is None:
        wished = re.sub(r"[^0-9a-zA-Z_]+", "_", wished) or "_unnamed"
        wished = f"_{wished}" if wished[0].isdigit() else wished
        match = VALID.fullmatch(wished)
        assert match is not None
    return wished, match[1], None if match[2] is None else int(match[2])


def is_taken(name: str) -> bool:
    return name in RESERVED or keyword.iskeyword(name) or hasattr(builtins, name)


def wished_name(target: Callable | str) -> str:
    """Returns the base of a node's name: `add` for `operator.add`, `batch_norm` for `BatchNorm`."""
    name = target if isinstance(target, str) else short_name(target)
    if name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def short_name(function: Callable) -> str:
    """Returns the name of a function without its module."""
    public = composites().get(function) if isinstance(function, FunctionType) else None
    name: str = getattr(function, "__name__", type(function).__name__)
    return public or name


def root() -> ModuleType:
    return sys.modules[__name__.partition(".")[0]]


def is_builtin(value: Any) -> bool:
    return isinstance(name := getattr(value, "__name__", None), str) and value is getattr(builtins, name, None)


def qualified(function: Callable) -> str:
    """Returns `torch.relu`, `torch.nn.functional.dropout`, `len`; for other functions module and name."""
    if is_builtin(function):
        return function.__name__
    public = public_place(function)
    if public is not None:
        return public
    name = getattr(function, "__name__", type(function).__name__)
    if name == "<lambda>":
        name = name_of_lambda(function)
    module = getattr(function, "__module__", None)
    return f"{module}.{name}" if module else name


def name_of_lambda(function: Callable) -> str:
    """Returns the name that the program gives a lambda function: the text before `=` in its source."""
    try:
        return inspect.getsource(function).split("=")[0].strip()
    except (OSError, TypeError) as error:
        raise RuntimeError("Unable to represent lambda") from error


def type_in_words(kind: Any) -> str:
    """Returns a type as source: `torch.Tensor`, `int`, `typing.Optional[int]`; a string with quotation marks."""
    if isinstance(kind, FunctionType):
        return kind.__name__
    if kind is ...:
        return "..."
    if not isinstance(kind, type) or isinstance(kind, GenericAlias):
        return as_torch(repr(kind))
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return as_torch(f"{kind.__module__}.{kind.__qualname__}")


def as_torch(text: str) -> str:
    return re.sub(rf"\b{root().__name__}\.", "torch.", re.sub(r"\brushlight\.", "torch.", text))


def public_place(value: Any) -> str | None:
    """Returns the public name of our function or type, starting with `torch.`."""
    if type(value).__module__ == "torch._ops":  # an operator of `torch.ops`, whose classes are imported on first use
        return f"torch.ops.{value}"
    module: str = getattr(value, "__module__", None) or ""
    name = getattr(value, "__name__", None)
    if isinstance(value, MethodDescriptorType | WrapperDescriptorType | FunctionType):
        if isinstance(name, str) and getattr(Tensor, name, None) is value:
            return f"torch.Tensor.{name}"
    if not isinstance(name, str):
        return None
    if isinstance(value, FunctionType) and value in composites():
        return f"torch.nn.functional.{composites()[value]}"
    if getattr(root(), name, None) is value:
        return f"torch.{name}"
    if module.partition(".")[0] not in (root().__name__, "rushlight", "torch"):
        return None
    return in_namespaces(value, name) or in_its_module(value, module)


def in_namespaces(value: Any, name: str) -> str | None:
    for namespace in NAMESPACES:
        names = vars(sys.modules.get(f"rushlight.{namespace}", builtins))
        short = name.removeprefix(f"{namespace.replace('.', '_')}_")
        if names.get(short) is value:
            return f"torch.{namespace}.{short}"
    return None


def in_its_module(value: Any, module: str) -> str | None:
    """Returns the name of a member of a public module, `torch.nn.modules.linear.Linear`."""
    path = module.split(".", 1)[1:]
    name: str = getattr(value, "__qualname__", "<unnamed>")
    place = sys.modules.get(".".join(["rushlight", *path]))
    if "<" in name or place is None or getattr(place, name.partition(".")[0], None) is None:
        return None
    return ".".join(["torch", *path, name])
