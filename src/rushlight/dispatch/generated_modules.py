"""The text of the generated modules: the code around the functions of the operators.

`_generated/functions.py` (the language F on Tensors) and `raw.py` (F on raw arrays) have the operators that are always
loaded. A lazy module, families that are loaded when one of their names is first used, has two such files of its own;
loading it adds its names to the first two.
"""

from __future__ import annotations

import re

from rushlight.arrays import cpu
from rushlight.dispatch.saved import shown_names
from rushlight.dispatch.source_pieces import call, signature
from rushlight.dispatch.templates import composite, is_reflected, primitive, refuses_arrays, seen_as

FUNCTIONS_HEAD = """
# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident
from builtins import any as any_of

import numpy as np

import rushlight._generated.raw as raw
import rushlight.arrays.cpu as xp
import rushlight.arrays.inplace_scatter as overwriting
from rushlight.arrays.elementwise import FITTING_NUMBERS
from rushlight.core.dtype import bool as bool_, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.clock import tick
from rushlight.core.formats import in_order
from rushlight.core.graph import SEVERAL, Node, Output, Saving, show_saved
from rushlight.core.history import edge_of
from rushlight.core.fast_new import maker_of
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.source_lines import ENTRY, NOTING, NOWHERE, PROGRAM, frame_at, outside
from rushlight.core.fp_errors import IGNORED, reset_errors, set_errors
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.size import Size
from rushlight.core.storage import InferenceStorage, new_storage
from rushlight.core.strides import pointwise
from rushlight.core.tensor import PLAIN_TYPES, Tensor, new_tensor
from rushlight.dispatch.autocast import autocasted, uncast
from rushlight.dispatch.call_forms import renamed, reordered
from rushlight.dispatch.general import accepted, explain_arguments, general, operated
from rushlight.dispatch.in_place_formulas import ALIKE, PLACES, computed_into, placed_into
from rushlight.dispatch.in_place_numbers import EASY, MOVED, cleared, filled, overwritten, written_by, written_with
from rushlight.dispatch.inplace import reshape_in_place, write
from rushlight.dispatch.methods import Operators, documented, show_arguments
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import all_written_to, into, written_to
from rushlight.dispatch.split_views import give_outputs, parts_of
from rushlight.declarations import library
from rushlight.declarations.declare import NOTHING, OPS
from rushlight.declarations.normalize import Statistics
from rushlight.declarations.promote import as_dtype

{load}

numbers = PLAIN_NUMBERS
FLOAT32, FLOAT64 = float32.numpy, float64.numpy
INT64, BOOL, INT32 = int64.numpy, bool_.numpy, int32.numpy
UINT8, INT8, INT16 = uint8.numpy, int8.numpy, int16.numpy
NUMERIC = EASY - {BOOL}
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
ONE, ROWS = 1, SEQUENCES | {Size}
WHOLE, WHOLE_OR_NONE = frozenset((int,)), frozenset((int, type(None)))
OPERANDS = PLAIN_TYPES | {bool, int, float, complex, type(None)}
ORDINARY = PLAIN_TYPES | SEQUENCES  # what is given in a row, and answers no calls
NUMBERS_32, NUMBERS_64 = raw.numbers[FLOAT32], raw.numbers[FLOAT64]
FITTING_32 = FITTING_NUMBERS[FLOAT32]
SMALL, COUNTS = range(-(2**31), 2**31), range(2**31)  # numbers of which no one asks whether they fit
BOUND = (int, type(None))
LIMIT = (int, float, type(None))
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray
"""

RAW_HEAD = """
import rushlight.arrays.cpu as xp
from rushlight.core.numbers import ARRAY_NUMBERS as numbers
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

{load}
"""

# `functions` and `raw` load lazy modules by name; in a lazy module, F is one of the two.
ALWAYS_LOADED = """import sys
from functools import partial
from rushlight.dispatch.lazy_modules import load_name

library.load()
F = sys.modules[__name__]
__getattr__ = partial(load_name, F)"""
LAZY = """import rushlight._generated.{language} as F

library.load({module!r})"""


def with_head(head: str, text: str, language: str, module: str | None) -> str:
    """A module for a language, `functions` or `raw`; nothing is imported or named that the text does not use."""
    head = head.replace("{load}", LAZY.format(language=language, module=module) if module else ALWAYS_LOADED)
    lines, used = [text, ""], names_in_code(text)
    for line in reversed(head.splitlines()):  # for lines use what stands above them
        kept = needed(line, used)
        if kept is not None:
            lines.append(kept)
            used |= names_in_code(kept)
    return "\n".join(reversed(lines))


def names_in_code(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))


IMPORT, NAMING = re.compile("(from|import) "), re.compile(r"([A-Za-z][\w, ]*) = ")


def needed(line: str, used: set[str]) -> str | None:
    """A line without what it imports and nobody uses; None if nothing is left of it, or what it names is not used."""
    if IMPORT.match(line):
        start, _, names = line.partition("import ")
        kept = [each for each in names.split(", ") if each.rpartition(" as ")[2] in used]
        return f"{start}import {', '.join(kept)}" if kept else None
    naming = NAMING.match(line)
    return None if naming and used.isdisjoint(naming[1].split(", ")) else line


# Functions whose arguments are not all for those who read them: see `show_arguments`.
HIDING = re.compile(r"^def (\w+)\(.*(?:=NOTHING|\*\*named|\*between).*\):", re.MULTILINE)


def functions_module(ops, plan_of, forward_text, derivative_text, module: str | None = None) -> str:
    """The text of `_generated/functions.py`, or of a lazy module."""
    bodies, constants = [], []
    shown: set[str] = set()
    for op in ops:
        constants.append(f"OP_{op.name} = OPS[{op.name!r}]")
        if op.composite:
            constants.append(f"composite_{op.name} = OP_{op.name}.forward")
            bodies.append(composite(op, plan_of, forward_text))
        else:
            plan = plan_of(op)
            shown |= shown_names(op, plan.saved, plan.params).keys()
            constants.append(f"forward_{op.name} = OP_{op.name}.forward")
            constants.append(f"kernel_{op.name} = raw.{op.name}")
            constants.append(f"common_{op.name} = OP_{op.name}.common")
            constants += [
                f"derivative_{op.name}_{each} = OP_{op.name}.derivatives[{each!r}]" for each in op.derivatives
            ]
            bodies.append(primitive(plan, forward_text, derivative_text))
        bodies.append(f"OP_{op.name}.function = {op.name}\n")
    bodies.append(f"show_saved({tuple(sorted(shown))})\n")
    if hiding := [name for body in bodies for name in HIDING.findall(body)]:
        bodies.append(f"show_arguments({', '.join(hiding)})\n")
    text = "\n\n".join(bodies)
    used = set(re.findall(r"\w+", text))
    constants = [each for each in constants if each.split(" ")[0] in used]
    text = "\n".join([kernels_in(text), "", *constants, "\n", text])
    return with_head(FUNCTIONS_HEAD, text, "functions", module)


def raw_module(ops, forward_text, module: str | None = None) -> str:
    """The text of `_generated/raw.py`, or of a lazy module."""
    bodies = []
    for op in ops:
        body = f"forward_{op.name}(F, {call(op)})" if op.composite else forward_text(op, {})
        bodies.append(f"\n\ndef {op.name}({signature(op)}):\n    return {body}")
    text = "\n".join(bodies)
    called = [f"forward_{op.name} = OPS[{op.name!r}].forward" for op in ops if f"forward_{op.name}(" in text]
    text = "\n".join([kernels_in(text), *called, text]) + "\n"
    return with_head(RAW_HEAD, text, "raw", module)


def kernels_in(text: str) -> str:
    """The backend's functions that a text calls, each under a name of its own."""
    return "\n".join(f"xp_{each} = xp.{each}" for each in dir(cpu) if f"xp_{each}(" in text)


def lazy_names_module(ops, lazy_module_of) -> str:
    """The text of `_generated/lazy_names.py`: the lazy module of each name."""
    rows = [
        f"    {name!r}: {module!r},"
        for op in ops
        if (module := lazy_module_of(op))
        for name in (op.name, *([f"{op.name}_"] if op.inplace else []))
    ]
    return "\n".join(["", "MODULE_OF = {", *rows, "}", ""])


METHODS_HEAD = """
import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor
from rushlight.dispatch.methods import LaterMethod, Operators, from_the_left
"""
ATTACH = '''

def attach() -> None:
    """Gives Tensor its operators; called once by the package root."""
    for method, function in METHODS.items():
        setattr(Tensor, method, LaterMethod(function, method))
    for function, special in OPERATORS.items():
        setattr(Operators, function, LaterMethod(function, special, owner=Operators))
'''


def methods_module(ops, lazy_module_of) -> str:
    """The text of `_generated/methods.py`: what is attached to Tensor."""
    methods, operators, lines = [], [], []
    for op in ops:
        for name, function in method_names(op):
            if name.startswith("__"):
                lines.append(f"    Tensor.{name} = F.{function}")
            else:
                methods.append(f"    {name!r}: {function!r},")
        if op.operators and seen_as(op).startswith("Operators."):
            operators.append(f"    {op.name!r}: {op.operators[0]!r},")
        for special in op.operators:
            found = f"F.operator_{op.name}"
            lines.append(f"    Tensor.{special} = {f'from_the_left({found})' if refuses_arrays(special) else found}")
            if op.inplace and not is_reflected(special) and len(op.arguments) > 1:
                lines.append(
                    f"    Tensor.__i{special[2:]} = LaterMethod('{op.name}_', '{op.name}_', '__i{special[2:]}')"
                )
    tables = ["METHODS = {", *methods, "}", "OPERATORS = {", *operators, "}"]
    return "\n".join([METHODS_HEAD, *tables]) + "\n" + ATTACH + "\n".join(lines) + "\n"


def method_names(op) -> list[tuple[str, str]]:
    """The methods of an operator, each with its function."""
    names = [op.method, *op.aliases] if op.method else []
    functions = [op.name, f"{op.name}_"] if op.inplace else [op.name]
    return [(function.replace(op.name, name), function) for name in names for function in functions]


def names_in(ops, space: str, inplace: bool) -> list[tuple[str, str]]:
    """The names of a public namespace, each with its function."""
    found = []
    for op in ops:
        if space in op.spaces:
            for name in op.names_in(space):
                found.append((name, op.name))
                if op.inplace and inplace:
                    found.append((f"{name}_", f"{op.name}_"))
    return sorted(found)


def namespace_module(ops, space: str) -> str:
    """The text of a public namespace, whose names are there once it has been imported."""
    return names_module(names_in(ops, space, False), [])


def root_module(ops, lazy_module_of) -> str:
    """The text of the root namespace; lists lazy names, and second names, which few programs use."""
    ready = names_in([op for op in ops if not lazy_module_of(op)], "torch", True)
    later = names_in([op for op in ops if lazy_module_of(op)], "torch", True)
    now = [(name, function) for name, function in ready if name == function]
    return names_module(now, sorted([*later, *(each for each in ready if each not in now)]))


def names_module(now: list[tuple[str, str]], later: list[tuple[str, str]]) -> str:
    """The text of a module that imports some names and lists others, each with its function.

    They are imported by one statement: several hundred take half a millisecond of `import rushlight`.
    """
    names = [f"    {function} as {name}," for name, function in now]
    lines = ["from rushlight._generated.functions import (", *names, ")"] if now else []
    listed = ["LATER = {", *(f"    {name!r}: {function!r}," for name, function in later), "}", ""] if later else []
    return "\n".join(["", *lines, "", *listed, f"__all__ = {[name for name, _ in now]}", ""])
