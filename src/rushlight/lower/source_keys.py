"""Names for the machine code of restricted Python that follow from its source, before it is translated.

Translation takes a third of the first call of a compiled program, and its text was only needed as the name of object
code that is on disk already. A name made from the source does instead: it is a digest of all that a
translation reads. These are the functions' source and options, the values of the names in it (other functions by the
same rule), the translator's own files, the host, and the versions of Python and NumPy. A value of any other kind gives
no name, and the function is translated as ever.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import linecache
import platform
import re
import sys
import time
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rushlight.lower import builtin_calls, cache
from rushlight.lower.language import Builtin, Imported
from rushlight.lower.llvm import host
from rushlight.lower.machine_types import Element, Type

FOLDERS = "lower", "kernels"  # the translator, and functions with machine code of their own
OWN = tuple([f"rushlight.{name}." for name in FOLDERS])
STARTED = time.time()
SETTLED = 10  # seconds that files are older than the process: it may have imported what they held before
NUMBERS = (bool, int, float, str, type(None))
WORDS = re.compile(r"[^\W\d]\w*")


class Unnamed(Exception):
    """Raised where a value has no name."""


class Source(NamedTuple):
    """The name of functions made from their source, and the run-time values that they may need."""

    key: str
    imported: dict[str, Callable[[], Any]]


def source_of(functions: Sequence, bound: dict, *options) -> Source | None:
    """Returns the name of functions of restricted Python for a choice of types; None if there is none."""
    translator = digest_of_translator()
    if translator is None:
        return None
    walk = Walk()
    try:
        parts = [f"{walk.value(element)}={type_}" for element, type_ in bound.items()]
        parts += [walk.function(each) for each in functions]
        while walk.pending:
            parts.append(walk.described(walk.pending.pop()))
    except Unnamed:
        return None
    return Source(cache.key_of("source", translator, machine(), repr(options), *parts), walk.imported)


def machine() -> str:
    """Returns what translations ask the host."""
    at = host()
    return repr((at.name, at.scales, at.masks, at.reads_ahead, at.halves, at.lanes))


@functools.cache
def digest_of_translator() -> str | None:
    """Returns a digest of the files that translate; None if they cannot be read, or may have changed since."""
    digest = hashlib.sha256(repr((sys.version, np.__version__, platform.system(), platform.machine())).encode())
    root = Path(__file__).parents[1]
    try:
        for file in sorted([each for folder in FOLDERS for each in (root / folder).glob("*.py")]):
            status = file.stat()
            if max(status.st_mtime, status.st_ctime) > STARTED - SETTLED:
                return None
            content = file.read_bytes()
            digest.update(f"{file.name} {len(content)} ".encode() + content)
    except OSError:
        return None
    return digest.hexdigest()


class Walk:
    """Visits functions and the values that their translations read."""

    def __init__(self):
        self.imported: dict[str, Callable[[], Any]] = dict(builtin_calls.OBJECTS)
        self.numbers: dict[int, int] = {}  # of functions and type variables, by id
        self.pending: list = []
        self.kinds: list[tuple[Any, Callable[[Any], str]]] = [
            (NUMBERS, lambda value: f"{type(value).__name__} {value!r}"),
            (Type, lambda value: f"type {value}"),
            (Element, lambda value: f"variable {value} {self.number(value)}"),
            (Imported, self.run_time_value),
            (ast.AST, ast.dump),
            (functools.partial, self.part),
            ((tuple, list), lambda values: f"[{', '.join(map(self.value, values))}]"),
        ]

    def number(self, value) -> int:
        return self.numbers.setdefault(id(value), len(self.numbers))

    def value(self, value) -> str:
        """Returns the description of a value."""
        if id(value) in self.numbers and not isinstance(value, Element):
            return f"function {self.numbers[id(value)]}"
        for kind, name in self.kinds:
            if isinstance(value, kind):
                return name(value)
        if hasattr(value, "parts_of_key") or is_own(value):
            return self.function(value)
        return self.value(value.emit) if isinstance(value, Builtin) else global_name(value)

    def part(self, value: functools.partial) -> str:
        return " ".join(
            map(self.value, (value.func, *value.args, *[x for pair in value.keywords.items() for x in pair]))
        )

    def function(self, function) -> str:
        """Returns the number of a function, which is described once."""
        if id(function) not in self.numbers:
            self.pending.append(function)
        return f"function {self.number(function)}"

    def described(self, function) -> str:
        """Returns the description of a function: its source and options, and the values of its names."""
        if isinstance(function, types.FunctionType):
            return self.of_plain(function)
        written, names, values = function.parts_of_key()
        known = [f"{name} {self.value(values[name])}" for name in names if name in values]
        return "\0".join((f"{self.number(function)} {written}", *known))

    def of_plain(self, function: types.FunctionType) -> str:
        """Returns the description of a function that writes text: where it is in the translator's files, which are part
        of every name, what its closure holds, and the numbers, functions and run-time values that it reads.
        """
        code, values = function.__code__, function.__globals__
        written = (function.__module__, function.__qualname__, code.co_firstlineno, code.co_code, code.co_names)
        closed = [self.value(cell.cell_contents) for cell in function.__closure__ or ()]
        defaults = [self.value(each) for each in function.__defaults__ or ()]
        read = [values[name] for name in code.co_names if name in values]
        read += [x for each in read if isinstance(each, dict) for x in each.values()]
        known = [self.value(each) for each in read if self.is_read(each)]
        return "\0".join((f"{self.number(function)} {written}", *closed, *defaults, *known))

    def is_read(self, value) -> bool:
        """Whether a value that text is written with may change while the translator's files do not."""
        return is_own(value) or hasattr(value, "parts_of_key") or isinstance(value, (*NUMBERS, Imported))

    def run_time_value(self, value: Imported) -> str:
        if self.imported.setdefault(value.symbol, value.provide) is not value.provide:
            raise Unnamed
        return f"imported {value.symbol} {value.kind}"


def is_own(value) -> bool:
    """Whether a value is a Python function of the translator."""
    return isinstance(value, types.FunctionType) and str(value.__module__).startswith(OWN)


def global_name(value) -> str:
    """Returns the place of a class or builtin function that a module of the translator, or Python, defines."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    is_known = isinstance(module, str) and (module == "builtins" or module.startswith(OWN))
    if not is_known or getattr(sys.modules.get(str(module)), str(name), None) is not value:
        raise Unnamed
    return f"global {module}.{name}"


def names_in(source: str, code: types.CodeType) -> tuple[str, ...]:
    """Returns the words of a function's source that are no local variables: all names that it may read elsewhere."""
    documentation = code.co_consts[0] if code.co_consts and isinstance(code.co_consts[0], str) else ""
    bare = re.sub(r'""".*?"""', "", source, count=1, flags=re.DOTALL) if documentation else source
    words = WORDS.findall(re.sub(r"#.*", "", bare))
    return tuple(sorted({*words}.difference(code.co_varnames)))


def lines_of(file: str, values: dict) -> list[str]:
    """Returns the lines of a file; for a program in an archive, the loader has the text."""
    linecache.lazycache(file, values)
    return linecache.getlines(file)
