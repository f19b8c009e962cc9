"""Reads the source text for a tensor without a record: how it was computed, and where its history was lost.

A plain script notes no lines for tensors without history. The source is read backwards from the failing line: from the
tensor's name to the statement that assigned it, and on to the names in that statement.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.origin import Place, is_ours
from rushlight.core.tensor import Tensor

DETACHING = frozenset(("detach", "data", "item", "tolist", "numpy"))
INTEGER_RESULT = frozenset(
    ("argmax", "argmin", "long", "int", "bool", "short", "byte", "eq", "ne", "gt", "ge", "lt", "le")
)
NOT_RECORDING = ("no_grad", "inference_mode")
MOST = 50  # statements that are read


class Cut(NamedTuple):
    """Where a gradient was lost: the statements that lead there, nearest first, the cause, and its kind."""

    steps: list[tuple[str, Place]]  # (assigned name, line)
    by: str
    kind: str


class Origin(NamedTuple):
    """A statement that a tensor came from."""

    name: str  # the assigned variable
    place: Place
    is_tensor: bool  # whether the variable is a tensor now, not a NumPy array


def cut_in_text(tensor: Tensor) -> Cut | None:
    """Returns where the history of a named tensor was lost; None if the source does not say."""
    frame = program_frame()
    name = None if frame is None else next((name for name, value in frame.f_locals.items() if value is tensor), None)
    if frame is None:
        return None
    return Reading(frame).cut_here() if name is None else Reading(frame).cut(name)


def origin_in_text(tensor: Tensor) -> list[Origin]:
    """Returns the statements that made a named tensor, nearest first.

    Searches the running functions outwards: an argument has its origin in the calling function.
    """
    frame, origins = program_frame(), []
    while frame is not None:
        names = (name for name, value in tuple(frame.f_locals.items()) if is_same_memory(tensor, value))
        origins += next((steps for name in names if (steps := Reading(frame).origins(name))), [])
        frame = frame.f_back
    return origins


def is_same_memory(tensor: Tensor, value) -> bool:
    """Whether a value is a tensor with the same storage and dtype."""
    return isinstance(value, Tensor) and value._storage is tensor._storage and value.dtype is tensor.dtype


def program_frame() -> FrameType | None:
    """Returns the innermost frame of the program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def does_not_record(block: ast.With) -> bool:
    """Whether a block is under `no_grad`."""
    return any(word in ast.unparse(item) for item in block.items for word in NOT_RECORDING)


def decorator_without_recording(function: ast.FunctionDef) -> str | None:
    """Returns the decorator of a function that switches gradients off: `@torch.no_grad()`."""
    texts = (ast.unparse(each) for each in function.decorator_list)
    return next((f"`@{text}`" for text in texts if any(word in text for word in NOT_RECORDING)), None)


def is_constant(value) -> bool:
    return isinstance(value, Tensor) and not value.requires_grad


class Reading:
    """The statements of a function, with the current values of its variables."""

    def __init__(self, frame: FrameType):
        source = import_module("rushlight.explain.watch.source")
        self.frame, self.assigns = frame, source.assigns
        self.values: dict[str, Any] = {**frame.f_globals, **frame.f_locals}
        self.statements = sorted(source.statements(frame.f_code), key=lambda statement: statement.lineno)
        tree = source.tree_of(frame.f_code.co_filename)
        blocks = [node for node in ast.walk(tree or ast.Module([], [])) if isinstance(node, ast.With)]
        self.blocks = [block for block in blocks if does_not_record(block)]
        functions = [node for node in ast.walk(tree or ast.Module([], [])) if isinstance(node, ast.FunctionDef)]
        self.decorated = {node.name: text for node in functions if (text := decorator_without_recording(node))}

    def cut(self, name: str) -> Cut | None:
        """Reads backwards for the statement where a variable's history was lost, nearest first."""
        waiting: list[tuple[str, int, list]] = [(name, self.frame.f_lineno, [])]
        seen: set[int] = set()
        while waiting and len(seen) < MOST:
            name, before, steps = waiting.pop(0)
            statement = self.assignment(name, before)
            if statement is None or statement.lineno in seen:
                continue
            seen.add(statement.lineno)
            steps = [*steps, (name, self.place(statement))]
            loss = self._lost_in(statement)
            if loss is not None:
                return Cut(steps, *loss)
            waiting += [(operand, statement.lineno, steps) for operand in self._operands(statement)]
        return None

    def origins(self, name: str) -> list[Origin]:
        """Returns the statements that made a value, back to the first one without named operands."""
        result: list[Origin] = []
        before, waiting = self.frame.f_lineno, [name]
        while waiting and len(result) < MOST:
            name = waiting.pop(0)
            statement = self.assignment(name, before)
            if statement is not None:
                result.append(Origin(name, self.place(statement), isinstance(self.values.get(name), Tensor)))
                before = statement.lineno
                names = dict.fromkeys(node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name))
                waiting = [name for name in names if isinstance(self.values.get(name), Tensor | np.ndarray)]
        return result

    def cut_here(self) -> Cut | None:
        """Returns the same for an unnamed tensor, which the failing line computes."""
        line = self.frame.f_lineno
        here = next(
            (statement for statement in self.statements if statement.lineno <= line <= (statement.end_lineno or 0)),
            None,
        )
        loss = None if here is None else self._lost_in(here)
        return None if loss is None else Cut([("It", self.place(here))], *loss)

    def assignment(self, name: str, before: int):
        earlier = [
            statement for statement in self.statements if statement.lineno < before and self.assigns(name)(statement)
        ]
        return earlier[-1] if earlier else None

    def place(self, statement) -> Place:
        code = self.frame.f_code
        offset = next((start for start, _, line in code.co_lines() if line == statement.lineno), 0)
        return Place(code, offset)

    def _operands(self, statement) -> list[str]:
        """Returns the arrays in a statement, and the tensors that do not require grad."""
        names = dict.fromkeys(node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name))
        values = ((name, self.values.get(name)) for name in names)
        return [item for item, value in values if isinstance(value, np.ndarray) or is_constant(value)]

    def _lost_in(self, statement) -> tuple[str, str] | None:
        """Returns (cause, kind) if a statement loses the history."""
        for node in reversed(list(ast.walk(statement.value))):
            if isinstance(node, ast.Attribute) and self._may_have_history(node.value):
                if node.attr in DETACHING:
                    return (".data" if node.attr == "data" else f"{node.attr}()"), "detach"
                if node.attr in INTEGER_RESULT:
                    return f"{node.attr}()", "not differentiable"
            if isinstance(node, ast.Compare) and self._may_have_history(node.left):
                return "a comparison", "not differentiable"
        called = {ast.unparse(node.func) for node in ast.walk(statement.value) if isinstance(node, ast.Call)}
        for name in (each.rpartition(".")[2] for each in sorted(called)):
            if name in self.decorated:
                return f"{self.decorated[name]} above {name}()", "decorated"
        inside = any(block.lineno < statement.lineno <= (block.end_lineno or 0) for block in self.blocks)
        return ("`no_grad`", "no_grad") if inside else None

    def _may_have_history(self, node: ast.expr) -> bool:
        """Whether an expression may require grad; a variable whose tensor does not require grad may not."""
        value = self.values.get(node.id) if isinstance(node, ast.Name) else None
        return not isinstance(node, ast.Constant) and (not isinstance(value, Tensor) or value.requires_grad)
