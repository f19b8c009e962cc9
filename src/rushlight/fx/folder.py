"""Writes a graph module into a folder, as a Python package that makes it again."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rushlight.fx.naming import RESERVED
from rushlight.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from rushlight.nn.modules.conv import Conv1d, Conv2d, Conv3d
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.serialization.writing import save

# Their `repr` is the call that makes them.
BY_REPR = (Linear, Conv1d, Conv2d, Conv3d, BatchNorm1d, BatchNorm2d, BatchNorm3d)
HEAD = """import os

import torch
from math import inf
from math import nan
NoneType = type(None)
from torch import device
import torch.fx._pytree as fx_pytree
import torch.utils._pytree as pytree
{imports}
from torch.nn import *

HERE = os.path.dirname(os.path.abspath(__file__))
{marks}


class {name}(torch.nn.Module):
    def __init__(self):
        super().__init__()
"""


def write_folder(module: Any, folder: str | os.PathLike[str], name: str) -> None:
    """Writes `module.py` with a class, the parameters in `state_dict.pt`, and modules that are not written as a call.

    The result needs the folder only, wherever it is moved. Warns of modules that are stored as pickles.
    """
    place = Path(folder)
    place.mkdir(exist_ok=True)
    save(module.state_dict(), place / "state_dict.pt")
    pickled = [name for name, child in module.named_children() if type(child) not in BY_REPR]
    for child in pickled:
        save(getattr(module, child), place / f"{child}.pt")
    marks, _, function = module.code.strip("\n").rpartition("def ")  # `wrap` is called at the top of a module
    head = HEAD.format(imports=imports(module), marks=marks.strip(), name=name)
    body = "".join(f"        {line}\n" for line in statements(module, pickled))
    code = "".join(f"    {line}".rstrip() + "\n" for line in f"def {function}".split("\n"))
    (place / "module.py").write_text(f"{head}{body}\n{code}")
    (place / "__init__.py").write_text("from .module import *\n")
    if pickled:
        warnings.warn("Was not able to save the following children modules as reprs -saved as pickled files instead: "
                      f"{pickled}", stacklevel=3)  # fmt: skip


def statements(module: Module, pickled: list[str]) -> Iterator[str]:
    for name, child in module.named_children():
        if name in pickled:
            yield f"setattr(self, '{name}', torch.load(os.path.join(HERE, '{name}.pt'), weights_only=False))"
        else:
            yield f"setattr(self, '{name}', {child!r})"
    for name, buffer in module._buffers.items():
        if buffer is not None:
            yield f"self.register_buffer('{name}', torch.empty({list(buffer.shape)}, dtype={buffer.dtype}))"
    for name, value in module._parameters.items():
        if value is not None:
            empty = f"torch.empty({list(value.shape)}, dtype={value.dtype})"
            yield f"setattr(self, '{name}', torch.nn.Parameter({empty}))"
    yield "self.load_state_dict(torch.load(os.path.join(HERE, 'state_dict.pt')))"


def imports(module: Any) -> str:
    """Returns the imports of functions and types that the code has as globals."""
    python = module.graph.python_code("self")
    lines = []
    for name, value in python.globals.items():
        where, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if name not in RESERVED and where not in (None, "builtins") and own is not None:
            lines.append(f"from {where} import {own} as {name}")
    return "\n".join(lines)
