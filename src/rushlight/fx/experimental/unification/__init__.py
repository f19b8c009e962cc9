"""`torch.fx.experimental.unification`: values for variables that make two expressions equal."""

from __future__ import annotations

import itertools
from typing import Any

__all__ = ["Var", "isvar", "reify", "unify", "var", "vars"]

NUMBER = itertools.count(1)


class Var:
    """A variable; those of one token are equal."""

    def __init__(self, token: Any = None) -> None:
        self.token = f"_{next(NUMBER)}" if token is None else token

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.token == self.token  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self.token))

    def __str__(self) -> str:
        return f"~{self.token}"

    __repr__ = __str__


def var(token: Any = None) -> Var:
    return Var(token)


def vars(number: int) -> list[Var]:
    """Returns new variables."""
    return [Var() for _ in range(number)]


def isvar(value: Any) -> bool:
    return isinstance(value, Var)


def reify(e: Any, s: dict[Any, Any]) -> Any:
    """Returns an expression with the values of its variables.

    >>> x, y = var("x"), var("y")
    >>> reify((1, x, [3, y]), {x: 2, y: x})
    (1, 2, [3, 2])
    """
    if isvar(e):
        return reify(s[e], s) if e in s else e
    if isinstance(e, tuple | list):
        return type(e)(reify(each, s) for each in e)
    if isinstance(e, dict):
        return {key: reify(value, s) for key, value in e.items()}
    return e


def unify(u: Any, v: Any, s: dict[Any, Any] | None = None) -> dict[Any, Any] | bool:
    """Returns values of variables for which two expressions are equal, with those in `s`; False if there are none.

    >>> unify((1, var("x")), (1, 2))
    {~x: 2}
    """
    known: dict[Any, Any] = {} if s is None else s
    u, v = walked(u, known), walked(v, known)
    if type(u) is type(v) and u == v:
        return known
    if isvar(u) or isvar(v):
        return {**known, u: v} if isvar(u) else {**known, v: u}
    if not (isinstance(u, tuple | list) and isinstance(v, tuple | list)):
        return known if u == v else False
    if len(u) != len(v):
        return False
    for one, other in zip(u, v, strict=True):
        result = unify(one, other, known)
        if isinstance(result, bool):
            return False
        known = result
    return known


def walked(value: Any, known: dict[Any, Any]) -> Any:
    while isvar(value) and value in known:
        value = known[value]
    return value
