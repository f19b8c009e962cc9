"""`torch.fx.passes.infra.pass_manager`: runs passes in an order that their constraints allow."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from rushlight.fx.graph_module import GraphModule
from rushlight.fx.passes.infra.pass_base import PassResult
from rushlight.nn.modules.module import Module

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]

Pass = Callable[..., Any]
Constraint = Callable[[Pass, Pass], bool]


def pass_result_wrapper(fn: Pass | None) -> Pass | None:
    """Returns a function of modules as a pass: a module, or None for the same one, becomes a `PassResult`."""
    if fn is None:
        return None

    @wraps(fn, assigned=[name for name in ("__name__", "__doc__") if hasattr(fn, name)])
    def wrapped(gm: Module) -> PassResult:
        result = fn(gm)
        return result if isinstance(result, PassResult) else PassResult(gm if result is None else result, True)

    if not inspect.isfunction(fn):
        wrapped.__name__ = type(fn).__name__
    return wrapped


def this_before_that_pass_constraint(this: Pass, that: Pass) -> Constraint:
    """Returns the constraint that one pass runs before another."""

    def allowed(a: Pass, b: Pass) -> bool:
        return a != that or b != this

    return allowed


def _topological_sort_passes(passes: list[Pass], constraints: list[Constraint]) -> list[Pass]:
    """Returns passes in an order that constraints allow. Raises RuntimeError if there is none."""
    remaining, order = list(passes), list[Pass]()
    while remaining:
        free = [a for a in remaining if all(b == a or all(each(a, b) for each in constraints) for b in remaining)]
        if not free:
            raise RuntimeError(f"Circular dependency detected within the following passes: {remaining}")
        order += free[:1] if constraints else free
        remaining = [each for each in remaining if each not in order]
    return order


def name_of(fn: Pass) -> str:
    return fn.__name__ if inspect.isfunction(fn) else type(fn).__name__


class PassManager:
    """Runs passes, at most `steps` times, until none of them changes the module.

    >>> import rushlight as torch
    >>> def without_dead_code(gm):
    ...     return PassResult(gm, gm.graph.eliminate_dead_code())
    >>> traced = torch.fx.symbolic_trace(lambda x: (x.exp(), x)[1])
    >>> PassManager([without_dead_code], steps=2)(traced).modified
    True
    """

    def __init__(
        self,
        passes: list[Pass] | None = None,
        constraints: list[Constraint] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ) -> None:
        self.passes, self.constraints = passes or [], constraints or []
        self.steps = steps or 1
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._validated = False

    def add_pass(self, _pass: Pass) -> None:
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Constraint) -> None:
        self.constraints.append(constraint)
        self._validated = False

    def add_checks(self, check: Callable[[Module], None]) -> None:
        """Sets a function that is called with the module before the passes, and after each if wanted."""
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.check = check  # type: ignore[assignment, method-assign]

    def check(self, module: Module) -> None:
        """Raises an error if a module is not in order."""

    def validate_constraints(self) -> None:
        """Raises RuntimeError if the passes are in an order that a constraint forbids."""
        for constraint in self.constraints:
            for i, a in enumerate(self.passes):
                for j, b in enumerate(self.passes[i + 1 :]):
                    if not constraint(a, b):
                        raise RuntimeError(f"pass schedule constraint violated. Expected {a} before {b} but found {a} "
                                           f"at index {i} and {b} at index {j} in pass list.")  # fmt: skip
        self._validated = True

    def solve_constraints(self) -> None:
        """Brings the passes into an order that the constraints allow. Raises RuntimeError if there is none."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def __call__(self, module: Module) -> PassResult:
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            module, modified = self._step(module)
            changed = changed or modified
            if not modified:
                break
        return PassResult(module, changed)

    def _step(self, module: Module) -> tuple[Module, bool]:
        modified = False
        for index, fn in enumerate(self.passes):
            try:
                result = fn(module)
                if not hasattr(result, "graph_module"):
                    raise TypeError(f"The result of the pass {name_of(fn)} should be type PassResult."
                                    "Please wrap it with pass_result_wrapper()")  # fmt: skip
                module, modified = result.graph_module, modified or result.modified
                if isinstance(module, GraphModule):
                    module.recompile()
                if self.run_checks_after_each_pass:
                    self.check(module)
            except Exception as error:  # whatever the pass raises
                before = [name_of(each) for each in self.passes[:index]]
                words = f"An error occurred when running the '{name_of(fn)}' pass after the following passes: {before}"
                raise Exception(words) from error
        return module, modified
