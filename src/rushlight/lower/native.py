"""Restricted Python: functions on numbers and pointers that run as machine code, and in plain Python just as well.

    T = Element("T")

    @native
    def take(out: pointer(T), array: pointer(T), index: pointer(int64), count: int64):
        for i in range(count):
            out[i] = array[index[i]]

    take.machine(float32)(out, array, index, len(index))     # compiled for float32
    take(out, array, index, len(index))                      # plain Python, on the same NumPy arrays

A parameter has a type; a local has the type of what it is first given; a number written out takes the type of what it
meets. There are `for` over `range`, `while`, `if`, `and`/`or`, arithmetic, comparisons, casts by calling a type,
elements of pointers, calls of other such functions and of what `language.py` offers. Anything else is refused with the
line where it stands. As in C, whole numbers of a signed type may not overflow; unsigned ones wrap round.
"""

from __future__ import annotations

import ast
import builtins
import ctypes
import functools
import linecache
import re
import textwrap
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NamedTuple

from rushlight.core.gc_pause import paused
from rushlight.lower import builtin_calls, language
from rushlight.lower.llvm import BARE, COLD, COMPILING, INLINED, LIGHT, UNROLLED, build, host
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
    resolved,
    uint8,
    uint16,
    uint32,
    uint64,
    variables,
    void,
)
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
    """Makes a function of restricted Python of a plain one.

    `separate` says that what its pointers point to does not overlap, which spares the compiler the question;
    `one_at_a_time` that its loops shall not use vectors: reading at scattered places, processors are slower with them;
    `as_written` that they shall not do several iterations beside each other either, which makes much code of a loop of
    much text; `of_objects` that it takes its arguments out of Python's objects itself, as
    `objects.py` describes; `light` that it says by itself where there are vectors, so that LLVM needs no time to look
    for them; `bare` the same of what has no loops over single numbers either, so that LLVM takes it nearly as it is;
    `inlined` the same of a function whose parts shall become one and whose short loops are written out; called by what
    is `light`, an `inlined` function alone becomes a part of that;
    `alone` that it is not made a part of what calls it: compiled once, and by itself, a function of many loops takes a
    fraction of the time; `cold` that it is not even optimised: what is done once in a call takes no time to speak of,
    but for LLVM. What Python calls may be cold as well: then all of its module is compiled as quickly as can be;
    `halves` that its time is that of reading memory, for processors that do so more quickly by halves of their vectors;
    `rounded` that a product is rounded before it is added to something, which is otherwise left to the processor.
    """
    return Native(plain, **options) if plain is not None else lambda plain: Native(plain, **options)


class Written(NamedTuple):
    """A module of LLVM's text: functions in it, what Python calls of them, what a running program gives to it."""

    text: str
    symbols: list[str]
    called: list[str]
    imported: dict[str, Any]


# What is said of loops.
ONE_AT_A_TIME = '!{!"llvm.loop.vectorize.enable", i1 false}'
NOT_UNROLLED = '!{!"llvm.loop.unroll.disable"}'
AS_WRITTEN = f"{ONE_AT_A_TIME}, {NOT_UNROLLED}"
# What is said of functions: no two that become one may differ in it.
HALVES = ' "prefer-vector-width"="256" "min-legal-vector-width"="0"'


class Native:
    """A function of restricted Python. Called, it is the plain function."""

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
        ways = ((as_written, AS_WRITTEN), (one_at_a_time, ONE_AT_A_TIME))
        self.looped = next((said for wanted, said in ways if wanted), "")
        self.__name__, self.__doc__, self.__module__ = plain.__name__, plain.__doc__, plain.__module__
        self.__wrapped__ = plain
        self.file, self.line = plain.__code__.co_filename, plain.__code__.co_firstlineno
        self.kernels: dict[tuple[Type, ...], Callable] = {}
        self.addresses: dict[tuple[Type, ...], int] = {}

    def __call__(self, *arguments):
        return self.plain(*arguments)

    def __repr__(self):
        return f"<native {self.__name__}>"

    # Read when they are first needed: a program that compiles nothing pays for none of it.

    @functools.cached_property
    def tree(self) -> Any:
        """Its syntax. Nothing else of its file is parsed, which would take longer than to translate it."""
        linecache.lazycache(self.file, self.plain.__globals__)  # a program in an archive has its text from its loader
        lines = lines_of(linecache.getlines(self.file), self.line - 1)
        return ast.parse("\n" * (self.line - 1) + textwrap.dedent("".join(lines))).body[0]

    @property
    def names(self) -> dict[str, Any]:
        """What the names mean that are not its own."""
        free, cells = self.plain.__code__.co_freevars, self.plain.__closure__ or ()
        closed = {name: cell.cell_contents for name, cell in zip(free, cells, strict=True)}
        return {**vars(builtins), **self.plain.__globals__, **closed}

    @functools.cached_property
    def annotations(self) -> dict[str, Any]:
        """The types that its heading names."""
        names, written = self.names, self.plain.__annotations__.items()
        return {name: eval(code_of(each), names) if isinstance(each, str) else each for name, each in written}

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
        """The variables for types in its parameters, in order."""
        return list(dict.fromkeys(found for each in self.declared.values() for found in variables(each)))

    # ---- as machine code

    def machine(self, *types: Type) -> Callable:
        """The function compiled, its variables for types bound in order: of arrays it is given the elements."""
        found = self.kernels.get(types)
        if found is None:
            with COMPILING:
                found = self.kernels.get(types)
                if found is None:
                    found = self.kernels[types] = self.compiled(types)
        return found

    def address(self, *types: Type) -> int:
        """Where its machine code is, for calls from other machine code: nothing that Python could call."""
        with COMPILING:
            if types not in self.addresses:
                written = self.written(types, called=False)
                self.addresses[types] = loaded(written, self.passes)[written.symbols[0]]
        return self.addresses[types]

    def compiled(self, types: tuple[Type, ...]) -> Callable:
        written = self.written(types)
        return builtin_calls.function(self.__name__, loaded(written, self.passes)[written.called[0]])

    def written(self, types: tuple[Type, ...], called: bool = True) -> Written:
        """Its module, before LLVM has seen it; `called`, with what Python calls."""
        free = self.variables
        if len(free) != len(types):
            raise TypeError(f"{self.__name__} has the type variables {free}, given {list(types)}")
        bound = dict(zip(free, types, strict=True))
        return module([self], bound, called and not self.of_objects, self.inlined, self.halves)

    # ---- inside other functions of restricted Python

    def as_value(self, translation) -> Value:
        return Value(function(), "", self)

    def converted(self, translation, kind: Type) -> Value:
        """Its address, for a parameter that is a function."""
        if kind.kind != "c":
            raise translation.refuse(f"{self.__name__} is a function, not {kind}")
        bound: dict = {}
        for declared, given in zip(self.declared.values(), kind.parameters, strict=True):
            bind(declared, given, bound)
        return Value(kind, f"@{translation.unit.define(self, bound)}")

    def call(self, translation, nodes) -> Value:
        arguments = [translation.value(each) for each in nodes]
        declared = self.declared
        if len(arguments) != len(declared):
            raise translation.refuse(f"{self.__name__} takes {len(declared)} arguments, given {len(arguments)}")
        bound: dict = {}
        for kind, value in zip(declared.values(), arguments, strict=True):
            if value.literal is None:
                bind(kind, value.type, bound)
        symbol = translation.unit.define(self, bound)
        parameters = [resolved(each, bound) for each in declared.values()]
        return translation.call_of(f"@{symbol}", parameters, resolved(self.returns, bound), arguments)


@paused()
def module(functions: Sequence[Native], bound: dict, called: bool, inlined=False, halves=False) -> Written:
    """Several functions in a module, with what they call and, if `called`, what Python calls."""
    unit = Unit(language.BUILTINS, functions)
    symbols = [unit.define(each, bound).strip('"') for each in functions]
    text = unit.text(inlined, halves and host().halves)
    if not called:
        return Written(text, symbols, symbols, unit.imported)
    outer = [f"{each}.called" for each in symbols]
    text += builtin_calls.SUPPORT
    for each, inside, outside in zip(functions, symbols, outer, strict=True):
        parameters = [resolved(kind, bound).loaded for kind in each.declared.values()]
        text += builtin_calls.text(f'"{outside}"', f'"{inside}"', parameters, resolved(each.returns, bound).loaded)
    return Written(text, symbols, outer, {**unit.imported, **builtin_calls.OBJECTS})


def loaded(written: Written, passes: tuple[str, ...]) -> dict[str, int]:
    """The addresses in a module, whose variables then hold what a running program gives to it."""
    addresses = build(written.text, *{*written.symbols, *written.called}, *written.imported, passes=passes)
    for name, provide in written.imported.items():
        ctypes.c_void_p.from_address(addresses[name]).value = provide()
    return addresses


def together(*functions: Native, passes: tuple[str, ...] = COLD, called: bool = True) -> None:
    """Compiles functions without variables for types as one module: each of its own takes some milliseconds more."""
    with COMPILING:
        written = module(functions, {}, called)
        addresses = loaded(written, passes)
        for each, inside, outside in zip(functions, written.symbols, written.called, strict=True):
            each.addresses[()] = addresses[inside]
            if called:
                each.kernels[()] = builtin_calls.function(each.__name__, addresses[outside])


@functools.cache
def code_of(annotation: str) -> CodeType:
    return compile(annotation, "<annotation>", "eval")


def lines_of(lines: list[str], first: int) -> list[str]:
    """Those of the function that begins there, with its decorators: until a statement stands as far to the left."""
    margin = lines[first][: -len(lines[first].lstrip())]
    last = first
    while not lines[last].startswith(f"{margin}def "):
        last += 1
    left = re.compile(rf"(?!{margin}\s)\s*[\w@]")
    while last + 1 < len(lines) and not left.match(lines[last + 1]):
        last += 1
    return lines[first : last + 1]


class Unit:
    """A module of LLVM's text in the making: a function and all that it calls."""

    def __init__(self, builtins, public: Sequence[Native]):
        self.builtins, self.public = builtins, public
        self.definitions: dict[str, str] = {}
        self.declarations: dict[str, str] = {}
        self.imported: dict[str, Any] = {}
        self.loops: list[str] = []

    def define(self, called: Native, bound: dict) -> str:
        """The symbol of a function for one choice of types, translated if it is not here yet."""
        types = [bound[each] for each in called.variables]
        symbol = '"' + ".".join((called.__module__.rpartition(".")[2], called.__name__, *map(str, types))) + '"'
        if symbol not in self.definitions:
            self.definitions[symbol] = ""  # it may call itself
            parameters = [(name, resolved(each, bound)) for name, each in called.declared.items()]
            parameters = [(name, kind.loaded) for name, kind in parameters]
            translation = Translation(self, called, bound, symbol)
            returns, public = resolved(called.returns, bound).loaded, called in self.public
            self.definitions[symbol] = translation.text(parameters, returns, public)
        return symbol

    def declare(self, symbol: str, text: str) -> None:
        """Something outside, or a global, that the module uses."""
        self.declarations[symbol] = text

    def looped(self, said: str) -> str:
        """What a loop's last branch says of it."""
        if not said:
            return ""
        self.loops.append(said)
        return f", !llvm.loop !{len(self.loops)}"

    def text(self, inlined: bool = False, halves: bool = False) -> str:
        """The module; if `inlined`, every function but those `alone` becomes a part of what calls it."""
        every = "nounwind" + HALVES * halves
        said = "alwaysinline" * inlined, "noinline", "noinline optnone", "alwaysinline"
        notes = [f"attributes #{at} = {{ {every} {each} }}" for at, each in enumerate(said)]
        notes += [f"!{at} = distinct !{{!{at}, {said}}}" for at, said in enumerate(self.loops, 1)]
        return "\n".join((*self.declarations.values(), *self.definitions.values(), *notes)) + "\n"
