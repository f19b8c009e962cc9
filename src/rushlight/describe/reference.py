"""The reference: a page per family of operators, from declarations; a page per module of classes, from docstrings.

The pages are made when the site is built, and are not committed: they contain nothing that is not in the source.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType

from rushlight.declarations.declare import Op
from rushlight.describe.operators import families, public_names
from rushlight.explain.derivatives import formula_of

# Public modules of classes and functions, with page titles.
MODULES = {
    "rushlight.nn": "Modules",
    "rushlight.nn.init": "Initial values",
    "rushlight.nn.utils": "Utilities of modules",
    "rushlight.optim": "Optimizers",
    "rushlight.optim.lr_scheduler": "Schedules",
    "rushlight.autograd": "Autograd",
    "rushlight.utils.data": "Data",
    "rushlight.distributions": "Distributions",
    "rushlight.amp": "Mixed precision",
}
INDENT = " " * 4


def pages() -> dict[str, str]:
    """Returns the Markdown of every page, by its path within the reference."""
    result = {
        f"operators_{module.rpartition('.')[2]}.md": family_page(module, ops) for module, ops in families() if ops
    }
    for name, title in MODULES.items():
        result[f"{name.partition('.')[2].replace('.', '_')}.md"] = module_page(importlib.import_module(name), title)
    return result


# ---- operators


def family_page(module: str, ops: list[Op]) -> str:
    """Returns the page of a family: each operator with its signature, description and declared derivatives."""
    head = f"# {module.rpartition('.')[2].replace('_', ' ').capitalize()}"
    introduction = importlib.import_module(module).__doc__ or ""
    return "\n\n".join([head, as_markdown(introduction), *map(_operator, sorted(ops, key=lambda op: op.name))]) + "\n"


def _operator(op: Op) -> str:
    call = f"```python\n{public_names(op)[0]}{inspect.signature(op.function)}\n```"
    return "\n\n".join([f"## {op.name}", call, as_markdown(op.doc), *_derivatives(op)])


def _derivatives(op: Op) -> Iterator[str]:
    for name, formula in op.derivatives.items():
        body = formula_of(formula)
        yield f"Gradient of `{name}`, where `g` is that of the result:\n\n```python\n{body}\n```"


# ---- classes and functions


def module_page(module: ModuleType, title: str) -> str:
    """Returns the page of a module's public classes and functions, in alphabetical order."""
    parts = [f"# {title}", f"`torch{module.__name__.removeprefix('rushlight')}`", as_markdown(module.__doc__ or "")]
    for name in sorted(_public(module), key=str.lower):
        parts.append(_entry(name, getattr(module, name)))
    return "\n\n".join(parts) + "\n"


def _public(module: ModuleType) -> Iterator[str]:
    for name in getattr(module, "__all__", dir(module)):
        value = getattr(module, name)
        if not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value)) and value.__doc__:
            yield name


def _entry(name: str, value) -> str:
    signature = inspect.signature(value).replace(return_annotation=inspect.Signature.empty)
    return f"## {name}\n\n```python\n{name}{signature}\n```\n\n{as_markdown(value.__doc__)}"


def as_markdown(text: str) -> str:
    """Returns a docstring as Markdown: sessions become code blocks."""
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n\n".join(_fenced(block) if block.lstrip().startswith(">>>") else block for block in blocks)


def _fenced(block: str) -> str:
    return f"```pycon\n{textwrap.dedent(block)}\n```"
