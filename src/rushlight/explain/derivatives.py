"""Derivatives as declared: formulas that explanations quote, and the docstrings of graph nodes."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Iterator

from rushlight.core.graph import Node
from rushlight.core.origin import PACKAGE
from rushlight.declarations.declare import OPS, Op
from rushlight.explain.result import listed
from rushlight.explain.source_rewriting import spoken


def formula_of(function) -> str:
    """Returns the source of a formula without its header; a one-line formula without `return`."""
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    start = next(number for number, line in enumerate(lines) if line.rstrip().endswith((":", "):")) or "lambda" in line)
    body = textwrap.dedent("\n".join(lines[start + 1 :])) or lines[start].strip()
    return body.removeprefix("return ") if body.count("\n") == 0 else body


def derivative_text(op: str, operand: str) -> str:
    """Returns the declared formula of a derivative in backquotes; empty if it is longer than one line."""
    declared = OPS.get(op)
    derivative = declared.derivatives.get(operand) if declared is not None else None
    if derivative is None:
        return ""
    try:
        formula = formula_of(derivative)
    except OSError:
        return ""
    return "" if "\n" in formula else f"`{formula}`"


def docstring_of(kind: type[Node]) -> str | None:
    """Returns the text of `help(tensor.grad_fn)`: the recorded op, its derivatives and its saved values.

    >>> import rushlight as torch
    >>> print(torch.ones(2, requires_grad=True).exp().grad_fn.__doc__)
    The recorded step of exp().
    <BLANKLINE>
    e to the power `input`.
    <BLANKLINE>
    The gradient of `input`:
    <BLANKLINE>
        g * F.conj(out)
    <BLANKLINE>
    `g` is the gradient of the result. `F` are the operators themselves, so that it can be differentiated again.
    Kept for backward, as far as it is needed: `out` (a result).
    Declared in declarations/exponential.py.
    """
    op = getattr(kind, "op", None)
    return "\n".join(_lines(op, kind)) if isinstance(op, Op) else None


def _lines(op: Op, kind: type[Node]) -> Iterator[str]:
    doc = " ".join(op.doc.partition("\n\n")[0].split())
    yield f"The recorded step of {spoken(op.name)}." + (f"\n\n{doc}" if doc else "")
    for operand, derivative in op.derivatives.items():
        yield f"\nThe gradient of `{operand}`:\n"
        yield textwrap.indent(formula_of(derivative), "    ")
    if op.derivatives:
        yield f"\n{_incoming(op)} `F` are the operators themselves, so that it can be differentiated again."
    kept = [f"`{name}`" + (" (a result)" if name in op.results else "") for name in kind.saves]
    yield f"Kept for backward, as far as it is needed: {listed(kept, 8)}." if kept else "Nothing is kept for backward."
    place = inspect.unwrap(op.forward).__code__.co_filename
    yield f"Declared in {os.path.relpath(place, PACKAGE).replace(os.sep, '/')}."


def _incoming(op: Op) -> str:
    """Explains the names of the incoming gradients."""
    if len(op.results) == 1:
        return "`g` is the gradient of the result."
    followed = op.differentiable_results
    names = listed((f"`g_{x}`" for x in followed), 8)
    verb = "is the gradient" if len(followed) == 1 else "are the gradients"
    return f"{names} {verb} of {listed((f'`{x}`' for x in followed), 8)}; `g` is that of `{op.results[0]}`."
