"""Manual updates of parameters in a program's source."""

from __future__ import annotations

import ast
from types import CodeType, FrameType

from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import function_at, names_read, statements_in

CLEARING = ("zero_grad(", ".grad.zero_(", ".grad = None", ".grad.fill_(0")


def in_place_update(statement: ast.stmt | None) -> tuple[str, str] | None:
    """Returns (name, in-place line) if a statement computes a parameter anew from itself and its gradient.

    >>> in_place_update(ast.parse("w = w - 0.1 * w.grad").body[0])
    ('w', 'w -= 0.1 * w.grad')
    """
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Sub() | ast.Add() as op, right=right)):
            name = ast.unparse(target)
            if f"{name}.grad" in names_read(right) and ast.unparse(left) == name:
                return name, f"{name} {'-' if isinstance(op, ast.Sub) else '+'}= {ast.unparse(right)}"
    return None


def and_cleared(update: tuple[str, str], code: CodeType) -> str:
    """Returns an in-place update, followed by clearing the gradient if the program clears it nowhere.

    A parameter that is made anew in each step has no old gradient; one that is updated in place has.
    """
    name, line = update
    function = function_at(code)
    text = "" if function is None else ast.unparse(function)
    return line if any(x in text for x in CLEARING) else f"{line}; {name}.grad = None"


def overwritten_in(frame: FrameType | None) -> tuple[int, str, str] | None:
    """Returns (line, name, in-place line) of an update that replaced a parameter by a tensor without requires_grad."""
    for statement in statements_in(frame.f_code) if frame is not None else ():
        update = in_place_update(statement)
        if update is not None and frame is not None:
            value = frame.f_locals.get(update[0], frame.f_globals.get(update[0]))
            if isinstance(value, Tensor) and not value.requires_grad:
                return statement.lineno, update[0], and_cleared(update, frame.f_code)
    return None
