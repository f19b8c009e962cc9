"""Blocks are formulas: the face under a block declares how its op is called, `checks` what PyTorch refuses."""

import ast
import statistics
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "src" / "rushlight" / "declarations"
DECORATORS = {"elementwise", "linear", "multilinear", "op", "composite"}
FILES = sorted(FOLDER.glob("*.py"))

RAISES_IN_BLOCKS = 30
MEDIAN_LINES = 11  # of a block with its decorator, docstring and samples


def is_block(node):
    names = [call.func if isinstance(call, ast.Call) else call for call in getattr(node, "decorator_list", [])]
    return any(isinstance(name, ast.Name) and name.id in DECORATORS for name in names)


def blocks(path):
    return [node for node in ast.parse(path.read_text("utf-8")).body if is_block(node)]


BLOCKS = {path.stem: blocks(path) for path in FILES}


def faced(node):
    """Returns the name of the block that a statement is the face of."""
    is_face = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "face"
    return ast.unparse(node.value.args[0]) if is_face else None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_face_follows_its_block(path):
    body = ast.parse(path.read_text("utf-8")).body
    for before, node in zip(body, body[1:], strict=False):
        if (name := faced(node)) is not None:
            assert is_block(before)
            assert name == before.name


def test_raises_in_blocks_may_only_decrease():
    nodes = [node for family in BLOCKS.values() for block in family for node in ast.walk(block)]
    assert sum(isinstance(node, ast.Raise) for node in nodes) <= RAISES_IN_BLOCKS


def test_the_median_block_is_short():
    lines = [block.end_lineno - block.decorator_list[0].lineno + 1 for family in BLOCKS.values() for block in family]
    assert statistics.median(lines) <= MEDIAN_LINES


@pytest.mark.parametrize("path", sorted((FOLDER / "checks").glob("*.py")), ids=lambda path: path.stem)
def test_checks_import_no_family(path):
    modules = [node.module for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    assert not {f"rushlight.declarations.{name}" for name, family in BLOCKS.items() if family} & set(modules)
