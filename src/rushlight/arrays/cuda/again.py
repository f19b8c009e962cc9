"""Reads the files of `arrays/` a second time, with `numpy` meaning CuPy: the array language of the device.

`Again(numpy, cupyx)` makes the modules `rushlight.arrays.on_cuda.*` when the device is first used. In them an import of
NumPy, of `scipy.special`, of another file of `arrays/` or of the tables means that of the device; all else is what it
is on the CPU. After a file, that of the same name in `families/` is read in the same way: what it defines takes the
place of what the file has. So whatever is not asked of CuPy otherwise is written once.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy

from rushlight.arrays.cuda.copies import fetched, sent

ARRAYS = Path(__file__).parents[1]
PACKAGE = ARRAYS.parent
NAME = "rushlight.arrays.on_cuda"
# Modules below `arrays` that compute with arrays or hold the tables: they are read again too.
BELOW = ("core.tables", "core.numbers", "core.strides", "core.formats")
# What is only for the CPU, as its machine code or its memory: it is not read again.
CPU_ONLY = frozenset(
    "backends blas device_memory draws gemm_half memory meta mt19937 philox size_limits threads".split()
)


# Of the formats, the functions only: a format is the same object for both.
SHARED, OWN_KINDS = "core.formats", (FunctionType, ModuleType)


# Functions that CuPy has nothing for: they run on the CPU, with copies there and back, and so wait for the device.
THROUGH_CPU = {
    "ldl": "factored ldl_solve",  # cuSOLVER has no `hetrf`, CuPy none of what solves with the factors of `sytrf`
    "special": "airy_ai",
    "spectra": "lobpcg",  # its steps are SciPy's
}


class ByKind(ast.NodeTransformer):
    """Lets `type(x) is np.ndarray` hold of the arrays of tensors too, which are of a subclass."""

    def visit_Compare(self, node):
        self.generic_visit(node)
        is_type = isinstance(node.left, ast.Call) and ast.unparse(node.left.func) == "type" and len(node.ops) == 1
        if not is_type or not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return node
        if ast.unparse(node.comparators[0]) not in ("np.ndarray", "ndarray"):
            return node
        test = ast.Call(ast.Name("isinstance", ast.Load()), [node.left.args[0], node.comparators[0]], [])
        return ast.UnaryOp(ast.Not(), test) if isinstance(node.ops[0], ast.IsNot) else test


class Again:
    """The second reading, for one meaning of NumPy."""

    def __init__(self, numpy: Any, special: Any):
        self.numpy, self.scipy = numpy, SimpleNamespace(special=special)
        self.importlib = SimpleNamespace(import_module=self.import_module)
        self.package = ModuleType(NAME)
        self.package.__path__ = []
        sys.modules[NAME] = self.package

    # ---- imports inside the files

    def import_module(self, name: str) -> Any:
        """Imports a module as the files do: those of `arrays/` and of the tables mean the device's."""
        if (short := self.short(name)) is None:
            return importlib.import_module(name)
        return sys.modules.get(f"{NAME}.{short}") or self.read(name, short)

    def short(self, name: str) -> str | None:
        """Returns the name under which a module is read again; None for one that is not."""
        place, _, last = name.removeprefix("rushlight.").rpartition(".")
        if place == "arrays" and last not in CPU_ONLY and (ARRAYS / f"{last}.py").exists():
            return last
        return f"core_{last}" if f"{place}.{last}" in BELOW else None

    def imported(self, name: str, globals=None, locals=None, fromlist: Sequence[str] | None = (), level=0) -> Any:
        """What an import statement calls."""
        if name == "numpy":
            return self.numpy
        if name == "scipy.special":
            return self.scipy if not fromlist else self.scipy.special
        if name in ("numpy._core.umath", "numpy.linalg", "numpy.lib.stride_tricks"):
            return self.numpy.within(name)
        if name == "importlib":
            return self.importlib
        if name == "rushlight.arrays" and fromlist:
            return SimpleNamespace(**{each: self.import_module(f"{name}.{each}") for each in fromlist})
        if name == "rushlight.core" and fromlist and any(f"core.{each}" in BELOW for each in fromlist):
            return SimpleNamespace(**{each: self.import_module(f"{name}.{each}") for each in fromlist})
        if fromlist and self.short(name):
            return self.import_module(name)
        return builtins.__import__(name, globals, locals, fromlist or (), level)

    # ---- reading

    def read(self, name: str, short: str) -> ModuleType:
        path = PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py")
        module = self.executed(path, short)
        for function in THROUGH_CPU.get(short, "").split():
            setattr(module, function, self.through_cpu(getattr(importlib.import_module(name), function)))
        own = Path(__file__).parent / "families" / f"{short}.py"
        if own.exists():
            family = self.executed(own, f"own_{short}")
            defined = {key: vars(family)[key] for key in defined_in(own)}
            vars(module).update(defined)
            table = vars(self.import_module("rushlight.core.tables").xp)
            table.update((key, value) for key, value in defined.items() if key in table)
        if f"rushlight.{SHARED}" == name:
            original = importlib.import_module(name)
            vars(module).update((key, x) for key, x in vars(original).items() if type(x) not in OWN_KINDS)
        return module

    def through_cpu(self, function: FunctionType) -> Callable:
        """Returns a function that copies arrays to the CPU, calls one there, and copies its results back."""

        def on_cpu(*arguments, **keywords):
            arguments = [self.to_cpu(x) for x in arguments]
            return self.to_device(function(*arguments, **{name: self.to_cpu(x) for name, x in keywords.items()}))

        return on_cpu

    def to_cpu(self, value: Any) -> Any:
        return fetched(value) if isinstance(value, self.numpy.cupy.ndarray) else value

    def to_device(self, value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(map(self.to_device, value))
        return sent(self.numpy.cupy, value) if isinstance(value, (numpy.ndarray, numpy.generic)) else value

    def executed(self, path: Path, short: str) -> ModuleType:
        module = ModuleType(f"{NAME}.{short}")
        module.__file__ = str(path)
        space = {**vars(builtins), "__import__": self.imported}
        vars(module)["__builtins__"] = space
        sys.modules[module.__name__] = module
        setattr(self.package, short, module)
        try:
            tree = ast.fix_missing_locations(ByKind().visit(ast.parse(path.read_text("utf-8"))))
            exec(compile(tree, str(path), "exec"), vars(module))  # noqa: S102  our own files
        except BaseException:
            del sys.modules[module.__name__]
            raise
        return module


def defined_in(path: Path) -> list[str]:
    """Returns the names of the functions, classes and constants that a file defines."""
    names = []
    for statement in ast.parse(path.read_text("utf-8")).body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            names.append(statement.name)
        elif isinstance(statement, ast.Assign):
            names += [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return names
