"""Errors for PyTorch names that rushlight lacks, with the script's line. `_near_names` writes the note."""

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from opcode import opmap
from types import CodeType, FrameType, ModuleType
from typing import NoReturn, TypeVar

PACKAGE_FOLDER = os.path.join(os.path.dirname(__file__), "")
INNER_MODULES = frozenset(
    {
        "arrays",
        "benchmark",
        "cli",
        "core",
        "create",
        "declarations",
        "describe",
        "dispatch",
        "explain",
        "kernels",
        "lower",
        "memory",
        "transforms",
    }
)


# Private modules of PyTorch that packages import.
UNDERSCORED = frozenset({
    "_C",
    "_C._nn",
    "_dynamo",
    "_jit_internal",
    "_tensor",
    "_tensor_str",
    "_utils",
    "utils._python_dispatch",
    "utils._pytree",
})  # fmt: skip


class Absent(Exception):
    """Base of the three errors: the note is computed when it is read, since `hasattr` never reads it.

    Tracebacks show each as its built-in base class, as in PyTorch; copies and pickles are of that base.
    """

    name: str | None
    module_name: str
    attribute: str
    place: str | None

    @cached_property
    def __notes__(self) -> list[str]:  # type: ignore[override]
        near = importlib.import_module("rushlight._near_names")
        alternative = near.nearest(self.module_name, sys.modules.get(self.module_name), self.attribute)
        return [near.note(f"{self.module_name}.{self.attribute}", alternative, self.place)]

    def __reduce__(self) -> tuple:
        return with_notes, (type(self).__mro__[2], self.args[0], self.name, self.__notes__)


class MissingAttribute(Absent, AttributeError):
    """`torch.x` was read, and rushlight has no `x` there."""

    __module__, __qualname__ = "builtins", "AttributeError"


class MissingImport(Absent, ImportError):
    """`from torch import x` was run, and rushlight has no `x` there."""

    __module__, __qualname__ = "builtins", "ImportError"


class MissingModule(Absent, ModuleNotFoundError):
    """`import torch.x` was run, and rushlight has no such module."""

    __module__, __qualname__ = "builtins", "ModuleNotFoundError"


def with_notes(kind: type[AttributeError | ImportError], message: str, name: str, notes: list[str]) -> Exception:
    error = kind(message, name=name)
    error.__notes__ = notes
    return error


AnyAbsent = TypeVar("AnyAbsent", bound=Absent)


def raise_for(module_name: str, attribute: str) -> NoReturn:
    """Raises the error for a missing attribute of a module; the body of a module's `__getattr__`.

    Raises `MissingAttribute`, an `AttributeError` with Python's own message, or `MissingImport`, an `ImportError`, for
    `from torch import x`: there Python would drop the note of an `AttributeError`.
    """
    torch_name = public_name(module_name)
    caller = next(frames_outside(()), None)
    if caller is not None and is_import_from(caller) and f"{module_name}.{attribute}" not in sys.modules:
        file = (
            vars(sys.modules[module_name]).get("__file__") or "unknown location"
        )  # `getattr` would call this function again
        message = f"cannot import name {attribute!r} from {torch_name!r} ({file})"
        raise absent(MissingImport(message, name=torch_name, path=file), module_name, attribute)
    message = f"module {torch_name!r} has no attribute {attribute!r}"
    raise absent(MissingAttribute(message, name=attribute), module_name, attribute)


def attribute_of(
    package: str,
    lazy: frozenset[str],
    later: dict[str, str],
    elsewhere: Mapping[str, Callable[[], ModuleType]],
    attribute: str,
) -> object:
    """Returns the `__getattr__` of a package that imports some modules and functions on first use.

    `later` maps names of functions to generated functions; `elsewhere` maps other names to importers of their modules.
    """
    if attribute in lazy:
        module = importlib.import_module(f"{package}.{attribute}")
        attach(package)
        return module
    if attribute in later:
        result = getattr(importlib.import_module(f"{package}._generated.functions"), later[attribute])
        if attribute != later[attribute]:
            result = importlib.import_module(f"{package}.dispatch.methods").alias(result, attribute)
        vars(sys.modules[package])[attribute] = result
        return result
    if attribute in elsewhere:
        place = elsewhere[attribute]()
        result = getattr(place, attribute)
        if attribute in vars(place):  # caches the attribute
            vars(sys.modules[package])[attribute] = result
        attach(package)
        return result
    raise_for(package, attribute)


def no_module(name: str, module_name: str) -> MissingModule:
    """Returns the error for `import name`, if rushlight has no module `module_name`."""
    parent, _, attribute = module_name.rpartition(".")
    return absent(MissingModule(f"No module named {name!r}", name=name), parent, attribute)


def attach(package: str) -> None:
    """Makes every loaded public module of `package` without `__getattr__` raise the errors of this file."""
    for name, module in loaded_modules(package, is_of_pytorch):
        vars(module).setdefault("__getattr__", partial(raise_for, name))


def absent(error: AnyAbsent, module_name: str, attribute: str) -> AnyAbsent:
    error.module_name, error.attribute, error.place = module_name, attribute, script_line()
    return error


def public_name(name: str) -> str:
    """Returns the name by which PyTorch programs use a name of rushlight."""
    _, dot, rest = name.partition(".")
    return f"torch{dot}{rest}"


def public_modules(package: str) -> list[tuple[str, ModuleType]]:
    return loaded_modules(package, is_public)


def loaded_modules(package: str, wanted: Callable[[str], bool]) -> list[tuple[str, ModuleType]]:
    # A copy, as another thread may be importing.
    loaded = [(name, module) for name, module in sys.modules.copy().items() if name.partition(".")[0] == package]
    return [(name, module) for name, module in loaded if isinstance(module, ModuleType) and wanted(name)]


def is_of_pytorch(module_name: str) -> bool:
    return is_public(module_name) or module_name.partition(".")[2] in UNDERSCORED


def is_public(module_name: str) -> bool:
    inner = module_name.split(".")[1:]
    return not inner or (inner[0] not in INNER_MODULES and not any(part.startswith("_") for part in inner))


def frames_outside(machinery: tuple[str, ...]) -> Iterator[FrameType]:
    """Yields the frames that called into rushlight, innermost first, without files that start with `machinery`."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith((PACKAGE_FOLDER, *machinery)):
            yield frame
        frame = frame.f_back


def script_line() -> str | None:
    """Returns the line of the user's program as `file:line`."""
    frame = next(frames_outside(("<frozen importlib", importlib.__file__)), None)
    return None if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def is_import_from(frame: FrameType) -> bool:
    """Whether the frame is at the instruction that imports a name in `from module import name`."""
    code: CodeType = frame.f_code
    return code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
