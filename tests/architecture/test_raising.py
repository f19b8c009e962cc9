"""An exception that a function made has no name where it is raised: the traceback would keep the frame, and itself.

`error = ...; raise error` is a cycle of the local, its traceback and the frame. Until Python's collector comes by, it
keeps every tensor of the frames between alive. `raise noted(error, note)` says the same without a name; where there has
to be one, it is deleted.
"""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "rushlight"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "_generated" not in path.parts and "testing" not in path.parts)


def names(nodes):
    return {each.id for each in nodes if isinstance(each, ast.Name)}


def parts(raised):
    """What may be raised by an expression, and what is only given a note before."""
    if isinstance(raised, ast.IfExp):
        return [*parts(raised.body), *parts(raised.orelse)]
    return raised.args[:1] if isinstance(raised, ast.Call) and names([raised.func]) == {"noted"} else [raised]


def raised_by_name(source: str) -> list[int]:
    """Numbers of the lines that raise a local to which the same function has assigned what a call returned."""
    results = set()
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            inside = list(ast.walk(function))
            made = {
                name
                for each in inside
                if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
                for name in names(each.targets)
            }
            made -= {name for each in inside if isinstance(each, ast.Delete) for name in names(each.targets)}
            results |= {each.lineno for each in inside if isinstance(each, ast.Raise) and names(parts(each.exc)) & made}
    return sorted(results)


def test_what_is_looked_for():
    assert raised_by_name("def f():\n    error = E()\n    raise error\ndef g(error):\n    raise error") == [3]
    assert raised_by_name("def h():\n    e = E()\n    raise noted(e, 'a note') if e.args else e") == [3]
    assert not raised_by_name("def h():\n    raise noted(E(), 'a note')")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_nothing_is_raised_by_name(path):
    assert not raised_by_name(path.read_text("utf-8"))
