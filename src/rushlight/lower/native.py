"""Restricted Python: functions on numbers and pointers that run as machine code, and unchanged as plain Python.

    T = Element("T")

    @native
    def take(out: pointer(T), array: pointer(T), index: pointer(int64), count: int64):
        for i in range(count):
            out[i] = array[index[i]]

    take.machine(float32)(out, array, index, len(index))     # compiled for float32
    take(out, array, index, len(index))                      # plain Python, on the same NumPy arrays

Parameters are typed; a local has the type of its first value; a literal adapts to the other operand. There are `for`
over `range`, `while`, `if`, `and`/`or`, arithmetic, comparisons, casts by calling a type, elements of pointers, calls
of other native functions and of those in `language.py`. Anything else raises NotTranslated with its line. As in C,
signed integers must not overflow; unsigned ones wrap.
"""

from __future__ import annotations

import ast
import builtins
import ctypes
import functools
import json
import re
import textwrap
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NamedTuple

from rushlight.core.gc_pause import paused
from rushlight.core.trace_pause import trace_paused
from rushlight.lower import builtin_calls, cache, language
from rushlight.lower.llvm import BARE, COLD, COMPILING, INLINED, LIGHT, UNROLLED, host
from rushlight.lower.machine_text import NotTranslated, Value
from rushlight.lower.machine_types import (
    OF_NUMPY,
    Element,
    Type,
    bfloat16,
    bind,
    boolean,
    float16,
    float32,
    float64,
    function,
    int8,
    int16,
    int32,
    int64,
    pointer,
    substitute,
    uint8,
    uint16,
    uint32,
    uint64,
    variables,
    void,
)
from rushlight.lower.source_keys import lines_of, names_in, source_of
from rushlight.lower.translate import Translation

__all__ = [
    "OF_NUMPY",
    "Element",
    "Native",
    "NotTranslated",
    "Type",
    "bfloat16",
    "boolean",
    "float16",
    "float32",
    "float64",
    "function",
    "int16",
    "int32",
    "int64",
    "int8",
    "native",
    "pointer",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "void",
]


def native(plain=None, **options):
    """Makes a plain function one of restricted Python.

    `separate`: pointers do not alias. `one_at_a_time`: loops are not vectorized; gathers are slower as vectors.
    `as_written`: loops are neither vectorized nor unrolled, which would duplicate long bodies. `of_objects`: reads its
    arguments from Python objects itself, see `objects.py`. `light`: vectors are explicit, so LLVM's vectorizers are
    skipped. `bare`: `light` without scalar loops; LLVM optimises very little. `inlined`: callees are inlined and short
    loops unrolled; an `inlined` function called from a `light` one is inlined into it. `alone`: never inlined; a
    function of many loops compiles in a fraction of the time by itself. `cold`: not optimised; for code that runs once
    per call. If Python calls it, its whole module is compiled as fast as possible. `halves`: memory-bound; on
    processors that prefer it, vectors of half width. `rounded`: products are rounded before they are added; otherwise
    contraction to FMA is allowed.
    """
    return Native(plain, **options) if plain is not None else lambda plain: Native(plain, **options)


class ModuleText(NamedTuple):
    """A module of LLVM text: its functions, those that Python calls, and the run-time values it needs."""

    text: str
    symbols: list[str]
    called: list[str]
    imported: dict[str, Any]


class Loaded(NamedTuple):
    """The addresses of a module's functions, and of those that Python calls."""

    symbols: list[int]
    called: list[int]


# Metadata of loops.
ONE_AT_A_TIME = '!{!"llvm.loop.vectorize.enable", i1 false}'
NOT_UNROLLED = '!{!"llvm.loop.unroll.disable"}'
AS_WRITTEN = f"{ONE_AT_A_TIME}, {NOT_UNROLLED}"
# Attributes of functions; inlining requires that they agree.
HALVES = ' "prefer-vector-width"="256" "min-legal-vector-width"="0"'


class Native:
    """A function of restricted Python. Calling it runs the plain function."""

    def __init__(
        self,
        plain,
        *,
        separate=False,
        one_at_a_time=False,
        as_written=False,
        of_objects=False,
        light=False,
        bare=False,
        inlined=False,
        alone=False,
        cold=False,
        halves=False,
        rounded=False,
    ):
        self.rounded, self.halves = rounded, halves
        self.plain, self.of_objects, self.inlined, self.alone, self.cold = plain, of_objects, inlined, alone, cold
        inlining = UNROLLED if bare else INLINED
        self.passes = inlining if inlined else BARE if bare else LIGHT if light else COLD if cold else ()
        self.separate = separate
        loop_options = ((as_written, AS_WRITTEN), (one_at_a_time, ONE_AT_A_TIME))
        self.loop_metadata = next((metadata for enabled, metadata in loop_options if enabled), "")
        self.__name__, self.__doc__, self.__module__ = plain.__name__, plain.__doc__, plain.__module__
        self.__wrapped__ = plain
        self.file, self.line = plain.__code__.co_filename, plain.__code__.co_firstlineno
        self.kernels: dict[tuple[Type, ...], Callable] = {}
        self.addresses: dict[tuple[Type, ...], int] = {}

    def __call__(self, *arguments):
        return self.plain(*arguments)

    def __repr__(self):
        return f"<native {self.__name__}>"

    # Read lazily: a program that compiles nothing does not pay for it.

    @functools.cached_property
    def tree(self) -> Any:
        """Its syntax tree; the rest of the file is not parsed."""
        return ast.parse("\n" * (self.line - 1) + self.source).body[0]

    @functools.cached_property
    def source(self) -> str:
        """Its text, with decorators."""
        lines = lines_of(self.file, self.plain.__globals__)
        return textwrap.dedent("".join(source_lines(lines, self.line - 1)))

    @functools.cached_property
    def written_as(self) -> tuple[str, tuple[str, ...]]:
        """Its source and options, and the names in it."""
        start = re.search(r"^def ", self.source, re.MULTILINE)
        source = self.source[start.start() if start else 0 :]
        switches = (self.rounded, self.of_objects, self.inlined, self.alone, self.cold, self.separate)
        options = (self.__module__, self.__name__, *switches, self.passes, self.loop_metadata)
        return f"{options} {source}", names_in(source, self.plain.__code__)

    def parts_of_key(self) -> tuple[str, tuple[str, ...], dict[str, Any]]:
        """Returns what its translation reads (`source_keys.py`): source and options, names, and their values."""
        return (*self.written_as, self.names)

    @property
    def names(self) -> dict[str, Any]:
        """The values of its global and closed-over names."""
        free, cells = self.plain.__code__.co_freevars, self.plain.__closure__ or ()
        closed = {name: cell.cell_contents for name, cell in zip(free, cells, strict=True)}
        return {**vars(builtins), **self.plain.__globals__, **closed}

    @functools.cached_property
    def annotations(self) -> dict[str, Any]:
        """The types in its signature."""
        names, written = self.names, self.plain.__annotations__.items()
        return {
            name: eval(code_of(annotation), names) if isinstance(annotation, str) else annotation
            for name, annotation in written
        }

    @functools.cached_property
    def declared(self) -> dict[str, Any]:
        """The declared types of its parameters."""
        code = self.plain.__code__
        return {name: self.annotations[name] for name in code.co_varnames[: code.co_argcount]}

    @property
    def returns(self):
        return self.annotations.get("return") or void

    @functools.cached_property
    def variables(self) -> list[Element]:
        """The type variables in its parameters, in order."""
        return list(dict.fromkeys(variable for t in self.declared.values() for variable in variables(t)))

    # ---- as machine code

    def machine(self, *types: Type) -> Callable:
        """Returns the compiled function for these type variables, in order; pointers take arrays."""
        kernel = self.kernels.get(types)
        if kernel is None:
            with COMPILING:
                kernel = self.kernels.get(types)
                if kernel is None:
                    kernel = self.kernels[types] = self.compiled(types)
        return kernel

    def address(self, *types: Type) -> int:
        """Returns the address of its machine code, for calls from other machine code."""
        with COMPILING:
            if types not in self.addresses:
                self.addresses[types] = self.loaded(types, called=False).symbols[0]
        return self.addresses[types]

    def compiled(self, types: tuple[Type, ...]) -> Callable:
        return builtin_calls.function(self.__name__, self.loaded(types).called[0])

    def written(self, types: tuple[Type, ...], called: bool = True) -> ModuleText:
        """Returns its module's text; `called` adds the functions that Python calls."""
        return module([self], self.chosen(types), called and not self.of_objects, self.inlined, self.halves)

    def loaded(self, types: tuple[Type, ...], called: bool = True) -> Loaded:
        """Loads its module and returns the addresses of its functions."""
        with_calls = called and not self.of_objects
        return loaded([self], self.chosen(types), self.passes, with_calls, self.inlined, self.halves)

    def chosen(self, types: tuple[Type, ...]) -> dict:
        """Returns the type variables with these types."""
        free = self.variables
        if len(free) != len(types):
            raise TypeError(f"{self.__name__} has the type variables {free}, given {list(types)}")
        return dict(zip(free, types, strict=True))

    # ---- inside other functions of restricted Python

    def as_value(self, translation) -> Value:
        return Value(function(), "", self)

    def converted(self, translation, type_: Type) -> Value:
        """Returns its address, for a parameter of function type."""
        if type_.kind != "c":
            raise translation.refuse(f"{self.__name__} is a function, not {type_}")
        bound: dict = {}
        for declared, actual in zip(self.declared.values(), type_.parameters, strict=True):
            bind(declared, actual, bound)
        return Value(type_, f"@{translation.unit.define(self, bound)}")

    def call(self, translation, nodes) -> Value:
        arguments = [translation.value(node) for node in nodes]
        declared = self.declared
        if len(arguments) != len(declared):
            raise translation.refuse(f"{self.__name__} takes {len(declared)} arguments, given {len(arguments)}")
        bound: dict = {}
        for type_, value in zip(declared.values(), arguments, strict=True):
            if value.literal is None:
                bind(type_, value.type, bound)
        symbol = translation.unit.define(self, bound)
        parameters = [substitute(node, bound) for node in declared.values()]
        return translation.call_of(f"@{symbol}", parameters, substitute(self.returns, bound), arguments)


@paused()
def module(functions: Sequence[Native], bound: dict, called: bool, inlined=False, halves=False) -> ModuleText:
    """Returns a module of several functions and their callees; `called` adds the functions that Python calls."""
    unit = Unit(language.BUILTINS, functions)
    symbols = [unit.define(f, bound).strip('"') for f in functions]
    text = unit.text(inlined, halves and host().halves)
    if not called:
        return ModuleText(text, symbols, symbols, unit.imported)
    outer = [f"{f}.called" for f in symbols]
    text += builtin_calls.SUPPORT
    for f, symbol, wrapper in zip(functions, symbols, outer, strict=True):
        parameters = [substitute(type_, bound).loaded for type_ in f.declared.values()]
        text += builtin_calls.text(f'"{wrapper}"', f'"{symbol}"', parameters, substitute(f.returns, bound).loaded)
    return ModuleText(text, symbols, outer, {**unit.imported, **builtin_calls.OBJECTS})


@trace_paused()
def loaded(functions: Sequence[Native], bound: dict, passes: tuple[str, ...], called: bool, *options: bool) -> Loaded:
    """Loads a module of functions; they are translated only if the cache has no object code of their source. `options`
    are the last ones of `module`.
    """
    source = source_of(functions, bound, passes, called, *options)
    known = cache.read(source.key) if source is not None else None
    if source is not None and known is not None:
        key, symbols, outer, imported = json.loads(known)
        code = cache.read(key)
        if code is not None and source.imported.keys() >= set(imported):
            return placed(code, symbols, outer, {name: source.imported[name] for name in imported})
    written = module(functions, bound, called, *options)
    code = host().compiled(written.text, passes)
    if source is not None:
        entry = [host().key(written.text, passes), written.symbols, written.called, [*written.imported]]
        cache.write(source.key, json.dumps(entry).encode())
    return placed(code, written.symbols, written.called, written.imported)


def placed(code: bytes, symbols: list[str], called: list[str], imported: dict[str, Any]) -> Loaded:
    """Loads object code, sets its run-time values, and returns the addresses."""
    addresses = host().load(code, (*{*symbols, *called}, *imported))
    for name, provide in imported.items():
        ctypes.c_void_p.from_address(addresses[name]).value = provide()
    return Loaded([addresses[name] for name in symbols], [addresses[name] for name in called])


def compile_together(*functions: Native, passes: tuple[str, ...] = COLD, called: bool = True) -> None:
    """Compiles functions without type variables as one module, which saves milliseconds per function."""
    with COMPILING:
        made = loaded(functions, {}, passes, called)
        for f, symbol, wrapper in zip(functions, made.symbols, made.called, strict=True):
            f.addresses[()] = symbol
            if called:
                f.kernels[()] = builtin_calls.function(f.__name__, wrapper)


@functools.cache
def code_of(annotation: str) -> CodeType:
    return compile(annotation, "<annotation>", "eval")


def source_lines(lines: list[str], first: int) -> list[str]:
    """Returns the lines of the function that begins at `first`, with decorators, up to the next statement at its
    indentation.
    """
    margin = lines[first][: -len(lines[first].lstrip())]
    last = first
    while not lines[last].startswith(f"{margin}def "):
        last += 1
    left = re.compile(rf"(?!{margin}\s)\s*[\w@]")
    while last + 1 < len(lines) and not left.match(lines[last + 1]):
        last += 1
    return lines[first : last + 1]


class Unit:
    """An LLVM module under construction: a function and all its callees."""

    def __init__(self, builtins, public: Sequence[Native]):
        self.builtins, self.public = builtins, public
        self.definitions: dict[str, str] = {}
        self.declarations: dict[str, str] = {}
        self.imported: dict[str, Any] = {}
        self.loops: list[str] = []

    def define(self, called: Native, bound: dict) -> str:
        """Returns the symbol of a function for one choice of types; translates it if new."""
        types = [bound[t] for t in called.variables]
        symbol = '"' + ".".join((called.__module__.rpartition(".")[2], called.__name__, *map(str, types))) + '"'
        if symbol not in self.definitions:
            self.definitions[symbol] = ""  # it may be recursive
            parameters = [(name, substitute(t, bound)) for name, t in called.declared.items()]
            parameters = [(name, type_.loaded) for name, type_ in parameters]
            translation = Translation(self, called, bound, symbol)
            returns, public = substitute(called.returns, bound).loaded, called in self.public
            self.definitions[symbol] = translation.text(parameters, returns, public)
        return symbol

    def declare(self, symbol: str, text: str) -> None:
        """Adds a declaration or global that the module uses."""
        self.declarations[symbol] = text

    def loop_metadata(self, metadata: str) -> str:
        """Returns the metadata for a loop's branch."""
        if not metadata:
            return ""
        self.loops.append(metadata)
        return f", !llvm.loop !{len(self.loops)}"

    def text(self, inlined: bool = False, halves: bool = False) -> str:
        """Returns the module's text; with `inlined`, all functions but `alone` ones are inlined."""
        common = "nounwind" + HALVES * halves
        kinds = "alwaysinline" * inlined, "noinline", "noinline optnone", "alwaysinline"
        notes = [f"attributes #{at} = {{ {common} {kind} }}" for at, kind in enumerate(kinds)]
        notes += [f"!{at} = distinct !{{!{at}, {kinds}}}" for at, kinds in enumerate(self.loops, 1)]
        return "\n".join((*self.declarations.values(), *self.definitions.values(), *notes)) + "\n"
