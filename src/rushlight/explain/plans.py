"""`explain_plan`: how one call runs. It makes the call once, and observes which functions are entered.

The tables of functions (`core/tables.py`) are observed as a watch does; the path is read from the frames entered.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.tables import fast, forward, names_of, raw, xp
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch import planned
from rushlight.dispatch.interpreter import Call
from rushlight.dispatch.plan import entry, observe, plain, unobserve
from rushlight.explain.result import Explanation
from rushlight.explain.watch.taps import OURS, ROOT

RUNS = frozenset({vars(cls)["run"].__code__ for cls in vars(planned).values() if "run" in getattr(cls, "__dict__", ())})
COMPUTE, CONVERT = Call.compute.__code__, Call._forward_converting.__code__


class Observed:
    """What one call enters: plans, the general path, and functions of the tables that are called by none of these."""

    def __init__(self) -> None:
        self.plans: list = []
        self.general = False
        self.functions: list[str] = []
        self.depth = 0
        self.undo: list[Callable[[], None]] = []

    def __enter__(self) -> Observed:
        for table in (forward, raw, xp, fast):
            for name in [name for name in names_of(table) if name[0] != "_"]:
                function = entry(table, name)
                # A plain `forward` is seen by what it calls
                if callable(function) and not isinstance(function, type) and not is_plain(forward, table, name):
                    self._observe(table, name)
        self.before = sys.getprofile()
        sys.setprofile(self._enter)
        return self

    def __exit__(self, *exception) -> None:
        sys.setprofile(self.before)
        while self.undo:
            self.undo.pop()()

    def _observe(self, table, name: str) -> None:
        def observer(original):
            def observed(*arguments, **keywords):
                if not self.depth:
                    self.functions.append(named(table, name))
                self.depth += 1
                try:
                    return original(*arguments, **keywords)
                finally:
                    self.depth -= 1

            return observed

        observe(table, name, observer)
        self.undo.append(lambda: unobserve(table, name, observer))

    def _enter(self, frame, event: str, argument) -> None:
        if event == "call":
            if frame.f_code in RUNS:
                self.plans.append(frame.f_locals["self"])
            elif frame.f_code is COMPUTE:
                self.general = True
        elif event == "return" and frame.f_code is CONVERT and argument is not None:
            self.functions.append("the op's kernel, which casts what it loads")


def is_plain(only, table, name: str) -> bool:
    """Whether an entry of the table `only` holds no kernel."""
    return table is only and plain(table, name) is entry(table, name)


def named(table, name: str) -> str:
    """Returns the name of an entry with what it holds."""
    function = plain(table, name)
    source = "of NumPy" if getattr(np, getattr(function, "__name__", ""), None) is function else "a NumPy formula"
    kernel = "" if entry(table, name) is function else "; a kernel by size and dtype"
    return f"`{table.__name__.rpartition('.')[2]}.{name}`, {source}{kernel}"


def declared(function: Any) -> tuple:
    """Returns the op and its function from a function, a method or a name. Raises TypeError for anything else."""
    if isinstance(function, str):
        function = getattr(ROOT, function, None) or getattr(OPS.get(function), "function", None)
    name = getattr(function, "__name__", "")
    op = OPS.get(name) or OPS.get(name.removesuffix("_"))
    if op is None or not str(function.__module__).startswith(OURS):
        raise TypeError("explain_plan(): expected a declared function or method, such as torch.add, or its name")
    return op, function


def explain_plan(op: Any, args: tuple, kwargs: dict) -> Explanation:
    """Runs one call and returns how it ran."""
    op, function = declared(op)
    with Observed() as seen:
        result = function(*args, **kwargs)
    path = "general" if seen.general else "planned" if seen.plans else "fast"
    steps = [] if seen.general else [step for plan in seen.plans for step in plan.describe()]
    functions = list(dict.fromkeys(seen.functions))
    facts: dict[str, Any] = {"path": path, "steps": steps, "functions": functions}
    facts |= {"destination": destination(result, args, kwargs), "recording": recording(result)}
    text = Explanation(f"{op.name} takes the {path} path.", facts)
    text.say("steps", *steps)
    text.say("functions", *functions)
    text.say("destination", facts["destination"])
    text.say("recording", facts["recording"])
    return text


def destination(result: Any, args: tuple, kwargs: dict) -> str:
    """Returns where the result is stored."""
    if kwargs.get("out") is not None:
        return "out="
    if any(result is value for value in args):
        return "the first argument, in place"
    if isinstance(result, Tensor) and result._base is not None:
        return "the memory of an argument: a view"
    return "new memory"


def recording(result: Any) -> str:
    """Returns the node that was recorded."""
    first = result[0] if isinstance(result, (tuple, list)) and result else result
    node = first.grad_fn if isinstance(first, Tensor) else None
    return "none" if node is None else type(node).__name__
