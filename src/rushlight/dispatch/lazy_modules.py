"""Loads the generated module of an operator when its name is first used.

`import rushlight` must not take longer than importing NumPy again, and most programs need no Bessel functions. The
names of all families are known beforehand, from `_generated/lazy_names.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from rushlight._generated.lazy_names import MODULE_OF
from rushlight.core.trace_pause import trace_paused

# Called with the name of a lazy module after it is loaded.
LISTENERS: list[Callable[[str], None]] = []


@trace_paused()
def load_name(language: ModuleType, name: str):
    """The `__getattr__` of the language of Tensors, `_generated/functions.py`: imports the module of a name."""
    module = MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {language.__name__!r} has no attribute {name!r}")
    loaded = import_module(f"rushlight._generated.functions_of_{module}")
    for listen in LISTENERS:
        listen(module)
    names = [key for key, owner in MODULE_OF.items() if owner == module]
    vars(language).update((key, getattr(loaded, key)) for key in names if hasattr(loaded, key))
    return getattr(loaded, name)


def load_all() -> None:
    """Loads every lazy module, for code that iterates over all operators."""
    for module in sorted(set(MODULE_OF.values())):
        import_module(f"rushlight._generated.functions_of_{module}")
