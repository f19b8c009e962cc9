"""Templates for the generated modules: what surrounds the functions of the operators.

Modules that are always loaded are `_generated/functions.py` (the language F on Tensors) and `raw.py` (on raw arrays). A
lazy module, whose families are loaded when one of their names is first used, has two such files of its own. Loading it
adds its names to the first two, so that all names can be found there.
"""

from __future__ import annotations

import re

from rushlight.dispatch.saved import shown_names
from rushlight.dispatch.source_pieces import call, signature
from rushlight.dispatch.templates import composite, has_assignment, primitive, refuses_arrays, seen_as

FUNCTIONS_HEAD = """
# A fast path checks nothing. Whatever goes wrong in it (`except Exception: pass`) goes wrong again, without shortcuts,
# in the general path at the end of the function, which explains it.

from _thread import get_ident
from builtins import any as any_of

import numpy as np

from rushlight.arrays.elementwise import FITTING_NUMBERS
from rushlight.core.dtype import bool as bool_, float32, float64, int8, int16, int32, int64, uint8
from rushlight.core.graph import Node, Output, Saving, show_saved
from rushlight.core.history import edge_of
from rushlight.core.fast_new import maker_of
from rushlight.core.modes import INFERENCE, MODE, Modes
from rushlight.core.source_lines import ENTRY, NOTING, NOWHERE, PROGRAM, frame_at, outside
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.numbers import PLAIN_NUMBERS
from rushlight.core.size import Size
from rushlight.core.numbers import ARRAY_NUMBERS as numbers_of
from rushlight.core.storage import InferenceStorage, new_storage
from rushlight.core.strides import pointwise
from rushlight.core.tables import enter, fast, forward, objects, raw, xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.dispatch.autocast import autocasted, uncast
from rushlight.dispatch.call_forms import renamed, reordered
from rushlight.dispatch.general import accepted, explain_arguments, general, operated
from rushlight.dispatch.destination import ALIKE, CLIPS, EASY, FILLS, MOVED, NUMERIC, PLACES, POSITIONS
from rushlight.dispatch.destination import clamp_array, fill_array, masked_fill_array, zero_array
from rushlight.dispatch.destination import run_in_place, ufunc_in_place
from rushlight.dispatch.inplace import reshape_in_place, write
from rushlight.dispatch.methods import Operators, documented, show_arguments
from rushlight.dispatch.override import ABSENT, taken_over
from rushlight.dispatch.out import all_to_out, to_out, write_out
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
NUMBERS, SEQUENCES = frozenset((float, int)), frozenset((list, tuple))
ONE, ROWS = 1, SEQUENCES | {Size}
WHOLE, WHOLE_OR_NONE = frozenset((int,)), frozenset((int, type(None)))
OPERANDS = PLAIN_TYPES | {bool, int, float, complex, type(None)}
ORDINARY = PLAIN_TYPES | SEQUENCES  # positional arguments that do not override calls
NUMBERS_32, NUMBERS_64 = numbers_of[FLOAT32], numbers_of[FLOAT64]
FITTING_32 = FITTING_NUMBERS[FLOAT32]
SMALL, COUNTS = range(-(2**31), 2**31), range(2**31)  # integers that need no range check
BOUND = (int, type(None))
LIMIT = (int, float, type(None))
get_mode = MODE.get
ndarray = np.ndarray
as_array = np.asarray
"""

RAW_HEAD = """
from rushlight._generated.lazy_names import MODULE_OF
from rushlight.core.numbers import ARRAY_NUMBERS as numbers
from rushlight.core.tables import enter, enter_later, forward, raw as F, xp
from rushlight.declarations import library

{load}
"""

# `functions` and `raw` load lazy modules by name; in a lazy module, F is one of the two.
ALWAYS_LOADED = """import rushlight._generated.raw  # noqa: F401  enters its functions
import sys
from functools import partial
from rushlight.dispatch.lazy_modules import load_name

library.load()
F = sys.modules[__name__]
__getattr__ = partial(load_name, F)"""
LAZY = """import rushlight._generated.functions as F

library.load({module!r})"""
RAW_ALWAYS = """import rushlight.arrays.cpu  # noqa: F401  enters the functions of arrays

library.load()"""
RAW_END = """

enter(F, {{"numbers": numbers, {entries}}})
enter_later(F, {{op: f"rushlight._generated.raw_of_{{module}}" for op, module in MODULE_OF.items() if op[-1] != "_"}})
"""


def with_head(head: str, text: str, load: str) -> str:
    """A module's text below its head; nothing is imported or named there that the text does not use."""
    head = head.replace("{load}", load)
    lines, used = [text, ""], names_in_code(text)
    for line in reversed(head.splitlines()):  # reversed, for lines use names that are defined above them
        kept = needed(line, used)
        if kept is not None:
            lines.append(kept)
            used |= names_in_code(kept)
    return "\n".join(reversed(lines))


def names_in_code(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))


IMPORT, NAMING = re.compile("(from|import) "), re.compile(r"([A-Za-z][\w, ]*) = ")


def needed(line: str, used: set[str]) -> str | None:
    """Returns a line without unused imports; None if nothing is left, or if what it defines is not used."""
    if IMPORT.match(line):
        start, _, names = line.partition("import ")
        if " as " not in line and start == "" and "." in names:
            return line  # kept for what the module enters in tables
        kept = [part for part in names.split(", ") if part.rpartition(" as ")[2] in used]
        return f"{start}import {', '.join(kept)}" if kept else None
    naming = NAMING.match(line)
    return None if naming and used.isdisjoint(naming[1].split(", ")) else line


# Functions with arguments that are hidden from users: see `show_arguments`.
HIDING = re.compile(r"^def (\w+)\(.*(?:=NOTHING|\*\*named|\*between).*\):", re.MULTILINE)


IN_FAST_PATHS = re.compile(r"(?<![\w.])xp\.(?!IGNORED)")  # calls of functions of arrays


def functions_module(ops, plan_of, forward_text, derivative_text, module: str | None = None) -> str:
    """Returns the text of `_generated/functions.py`, or of a lazy module."""
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
            constants.append(f"common_{op.name} = OP_{op.name}.common")
            constants += [
                f"derivative_{op.name}_{derivative} = OP_{op.name}.derivatives[{derivative!r}]"
                for derivative in op.derivatives
            ]
            bodies.append(primitive(plan, forward_text, derivative_text))
        bodies.append(f"OP_{op.name}.function = {op.name}\n")
    bodies.append(f"show_saved({tuple(sorted(shown))})\n")
    if hiding := [name for body in bodies for name in HIDING.findall(body)]:
        bodies.append(f"show_arguments({', '.join(hiding)})\n")
    text = "\n\n".join(bodies)
    used = set(re.findall(r"\w+", text))
    constants = [constant for constant in constants if constant.split(" ")[0] in used]
    text = IN_FAST_PATHS.sub("fast.", "\n".join([*constants, "\n", text]))
    return with_head(FUNCTIONS_HEAD, text, LAZY.format(module=module) if module else ALWAYS_LOADED)


def raw_module(ops, forward_text, module: str | None = None) -> str:
    """Returns the text of `_generated/raw.py`, or of a lazy module."""
    bodies = []
    for op in ops:
        body = f"forward.{op.name}(F, {call(op)})" if op.composite else forward_text(op, {})
        bodies.append(f"\n\ndef {op.name}({signature(op)}):\n    return {body}")
    text = "\n".join(bodies) + "\n"
    if module is None:
        text += RAW_END.format(entries=", ".join(f"{op.name!r}: {op.name}" for op in ops))
    return with_head(RAW_HEAD, text, f"library.load({module!r})" if module else RAW_ALWAYS)


def lazy_names_module(ops, lazy_module_of) -> str:
    """Returns the text of `_generated/lazy_names.py`: the lazy module of each name."""
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
from rushlight.dispatch.methods import LaterMethod, LaterOperator, Operators, from_the_left
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
    """Returns the text of `_generated/methods.py`: what is attached to Tensor."""
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
            result = f"F.operator_{op.name}"
            lines.append(f"    Tensor.{special} = {f'from_the_left({result})' if refuses_arrays(special) else result}")
            if has_assignment(op, special):
                lines.append(f"    Tensor.__i{special[2:]} = LaterOperator('{op.name}_', '__i{special[2:]}')")
    tables = ["METHODS = {", *methods, "}", "OPERATORS = {", *operators, "}"]
    return "\n".join([METHODS_HEAD, *tables]) + "\n" + ATTACH + "\n".join(lines) + "\n"


def method_names(op) -> list[tuple[str, str]]:
    """Returns the methods of an operator, each with its function."""
    names = [op.method, *op.aliases] if op.method else []
    functions = [op.name, f"{op.name}_"] if op.inplace else [op.name]
    return [(function.replace(op.name, name), function) for name in names for function in functions]


def names_in(ops, space: str, inplace: bool) -> list[tuple[str, str]]:
    """Returns the names of a public namespace, each with its function."""
    names = []
    for op in ops:
        if space in op.spaces:
            for name in op.names_in(space):
                names.append((name, op.name))
                if op.inplace and inplace:
                    names.append((f"{name}_", f"{op.name}_"))
    return sorted(names)


def namespace_module(ops, space: str) -> str:
    """Returns the text of a public namespace, whose names are all available after importing it."""
    return names_module(names_in(ops, space, False), [])


def root_module(ops, lazy_module_of) -> str:
    """Returns the text of the root namespace; lists lazy names and aliases, which are loaded on demand."""
    ready = names_in([op for op in ops if not lazy_module_of(op)], "torch", True)
    later = names_in([op for op in ops if lazy_module_of(op)], "torch", True)
    now = [(name, function) for name, function in ready if name == function]
    return names_module(now, sorted([*later, *(pair for pair in ready if pair not in now)]))


def names_module(now: list[tuple[str, str]], later: list[tuple[str, str]]) -> str:
    """Returns the text of a module that imports some names and lists others, each with its function.

    They are imported by one statement: several hundred take half a millisecond of `import rushlight`.
    """
    names = [f"    {function} as {name}," for name, function in now]
    lines = ["from rushlight._generated.functions import (", *names, ")"] if now else []
    listed = ["LATER = {", *(f"    {name!r}: {function!r}," for name, function in later), "}", ""] if later else []
    return "\n".join(["", *lines, "", *listed, f"__all__ = {[name for name, _ in now]}", ""])
