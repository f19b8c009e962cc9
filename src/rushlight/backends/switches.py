"""Modules whose attributes are switches: bools, checked when they are set."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from rushlight.dispatch.message import type_name

PRECISIONS = ("none", "ieee", "tf32", "bf16")


def precision(library: str, wanted: Any) -> str:
    """Returns the name of a precision of float32. Raises RuntimeError for one that a GPU has not."""
    if not isinstance(wanted, str):
        raise TypeError(f"_set_fp32_precision_setter(): incompatible function arguments: {type_name(wanted)} is no str")
    if wanted not in PRECISIONS:
        raise RuntimeError(f"Unknown precision: {wanted}")
    if wanted == "bf16":
        raise RuntimeError(f"backend '{library}' does not support precision 'bf16'")
    return wanted


class SwitchModule(ModuleType):
    """A module of switches. Each is True or False; any other value raises RuntimeError, as in PyTorch."""

    __switches__: frozenset[str]

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__switches__ and type(value) is not bool:
            library = self.__name__.rpartition(".")[2]
            raise RuntimeError(f"set_{name}_{library} expects a bool, but got {type_name(value)}")
        if name == "fp32_precision":
            value = precision("cuda", value)
        super().__setattr__(name, value)


def become_switches(module_name: str, **defaults: bool) -> None:
    """Makes a module a `SwitchModule`."""
    module = sys.modules[module_name]
    vars(module).update(defaults, __switches__=frozenset(defaults))
    module.__class__ = SwitchModule


@contextmanager
def switched(module_name: str, **values: Any) -> Iterator[None]:
    """Sets switches of a module in a `with` block; None leaves one unchanged."""
    module = sys.modules[module_name]
    changes = {name: value for name, value in values.items() if value is not None}
    before = {name: getattr(module, name) for name in changes}
    try:
        for name, value in changes.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)
