"""An exception that a function made has no name where it is raised: the traceback would keep the frame, and itself.

`error = ...; raise error` is a cycle of the local, its traceback and the frame. Until Python's collector comes by, it
keeps every tensor of the frames between alive. `raise noted(error, note)` says the same without a name.
"""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "rushlight"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "_generated" not in path.parts)


def raised_by_name(source: str) -> list[int]:
    """Numbers of the lines that raise a local which the same function has assigned what a call returned."""
    found = set()
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            inside = list(ast.walk(function))
            made = {
                target.id
                for each in inside
                if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
                for target in each.targets
                if isinstance(target, ast.Name)
            }
            found |= {
                each.lineno
                for each in inside
                if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Name) and each.exc.id in made
            }
    return sorted(found)


def test_what_is_looked_for():
    assert raised_by_name("def f():\n    error = E()\n    raise error\ndef g(error):\n    raise error") == [3]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_nothing_is_raised_by_name(path):
    assert not raised_by_name(path.read_text("utf-8"))
