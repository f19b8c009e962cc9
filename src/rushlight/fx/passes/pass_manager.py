"""`torch.fx.passes.pass_manager`: runs functions one after the other, if constraints allow their order."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = [
    "PassManager", "inplace_wrapper", "log_hook", "loop_pass", "these_before_those_pass_constraint",
    "this_before_that_pass_constraint",
]  # fmt: skip

logger = logging.getLogger(__name__)
Pass = Callable[..., Any]
Constraint = Callable[[Pass, Pass], bool]


def inplace_wrapper(fn: Pass) -> Pass:
    """Returns a function that returns its first argument, which `fn` changes."""

    @wraps(fn)
    def wrapped_fn(gm: Any, *args: Any, **kwargs: Any) -> Any:
        fn(gm, *args, **kwargs)
        return gm

    return wrapped_fn


def log_hook(fn: Pass, level: int = logging.INFO) -> Pass:
    """Returns a function that does the same, and logs the result."""

    @wraps(fn)
    def wrapped_fn(*args: Any, **kwargs: Any) -> Any:
        result = fn(*args, **kwargs)
        logger.log(level, "Ran pass %s\t Return value: %s", fn, result)
        return result

    return wrapped_fn


def loop_pass(base_pass: Pass, n_iter: int | None = None, predicate: Callable[[Any], bool] | None = None) -> Pass:
    """Returns a function that runs a pass `n_iter` times, or while `predicate` of the result is true."""
    if (n_iter is None) == (predicate is None):
        raise AssertionError("Exactly one of `n_iter`or `predicate` must be specified.")
    if n_iter is not None and n_iter < 1:
        raise RuntimeError(
            f"loop_pass must be given positive int n_iter (given {n_iter}) xor predicate (given {predicate})"
        )

    @wraps(base_pass)
    def new_pass(source: Any) -> Any:
        result, count = source, 0
        while predicate(result) if predicate is not None else count < (n_iter or 0):
            result, count = base_pass(result), count + 1
        return result

    return new_pass


def this_before_that_pass_constraint(this: Pass, that: Pass) -> Constraint:
    """Returns the constraint that one pass runs before another."""
    return lambda a, b: a != that or b != this


def these_before_those_pass_constraint(these: Pass, those: Pass) -> Constraint:
    """Returns the constraint that one pass runs before another, also where these are wrapped, as by `loop_pass`."""
    return lambda a, b: inspect.unwrap(a) != those or inspect.unwrap(b) != these


class PassManager:
    """Runs passes: functions that take a module and return one.

    >>> PassManager([lambda x: x + 1, lambda x: x * 2])(1)
    4
    """

    def __init__(self, passes: list[Pass] | None = None, constraints: list[Constraint] | None = None) -> None:
        self.passes, self.constraints = passes or [], constraints or []

    @classmethod
    def build_from_passlist(cls, passes: list[Pass]) -> PassManager:
        return cls(passes)

    def add_pass(self, _pass: Pass) -> None:
        self.passes.append(_pass)

    def add_constraint(self, constraint: Constraint) -> None:
        self.constraints.append(constraint)

    def remove_pass(self, _passes: list[str]) -> None:
        """Removes passes by name."""
        self.passes = [each for each in self.passes if each.__name__ not in (_passes or ())]

    def replace_pass(self, _target: Pass, _replacement: Pass) -> None:
        """Replaces the passes with the name of one."""
        self.passes = [_replacement if each.__name__ == _target.__name__ else each for each in self.passes]

    def validate(self) -> None:
        """Raises RuntimeError if a constraint forbids the order of the passes."""
        for constraint in self.constraints:
            for i, a in enumerate(self.passes):
                for j, b in enumerate(self.passes[i + 1 :]):
                    if not constraint(a, b):
                        raise RuntimeError(f"pass schedule constraint violated. Expected {a} before {b} but found {a} "
                                           f"at index {i} and {b} at index{j} in pass list.")  # fmt: skip

    def __call__(self, source: Any) -> Any:
        self.validate()
        for each in self.passes:
            source = each(source)
        return source
