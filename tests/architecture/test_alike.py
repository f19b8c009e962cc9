"""Only a tensor that is just being made is given its array by an assignment; any other is, by `look_at`."""

import ast
from pathlib import Path

import rushlight

PACKAGE = Path(rushlight.__file__).parent
MAKERS = {"objects.instance", "objects.tensor", "object.__new__"}


def assigned(statement):
    """(text, node) of everything that an assignment gives a value to."""
    targets = list(getattr(statement, "targets", [getattr(statement, "target", None)]))
    while targets:
        target = targets.pop()
        if isinstance(target, ast.Tuple):
            targets += target.elts
        elif target is not None:
            yield ast.unparse(target), target


def given_arrays(function):
    """The names in a function whose `_array` is assigned, and those that hold what it has just made."""
    given, fresh = {}, set()
    for each in ast.walk(function):
        if isinstance(each, ast.Assign | ast.AnnAssign | ast.AugAssign):
            made = isinstance(each.value, ast.Call) and ast.unparse(each.value.func) in MAKERS
            for text, node in assigned(each):
                if isinstance(node, ast.Attribute) and node.attr == "_array":
                    given[text.removesuffix("._array")] = node.lineno
                elif made:
                    fresh.add(text)
    return given, fresh


def test_only_fresh_tensors_are_assigned_an_array():
    old = []
    for path in PACKAGE.rglob("*.py"):
        if "_generated" in path.parts:
            continue
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef) and function.name != "look_at":
                given, fresh = given_arrays(function)
                old += [f"{path.name}:{line} {name}" for name, line in given.items() if name not in fresh]
    assert not old
