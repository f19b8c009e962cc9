"""Budgets of files, functions, packages and READMEs, in lines."""

import ast
import functools
import io
import statistics
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rushlight"

# All in code lines: docstrings, comments and blank lines are free.
FILE = 500
FUNCTION = 60
MEDIAN_FUNCTION = 6
LONG_FUNCTION = 30  # 95 of 100 functions are at most this long

FILES = {
    "__init__.py": 150,
    "autograd/loop.py": 60,
    "autograd/tasks.py": 220,
    "core/tensor.py": 300,
    "dispatch/generate.py": 400,
    "dispatch/inplace.py": 205,
    "declarations/declare.py": 300,
}
PACKAGES = {"core": 3394, "create": 2899, "dispatch": 5215, "memory": 1290, "autograd": 3678, "lower": 16_700}
LINES_PER_OP = 15.8
README_LINES = 60

BACKWARD_LOOP = 40

KINDS = {"elementwise", "linear", "multilinear", "view", "op", "composite"}
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def docstring_lines(tree):
    """Line numbers of every string that stands alone as a statement."""
    strings = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return {line for node in strings for line in range(node.lineno, node.end_lineno + 1)}


@functools.cache  # by several tests, and tokens take seconds
def code_lines(source):
    """Numbers of the lines that hold code."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for token in tokens if token.type not in NOT_CODE for line in range(token.start[0], token.end[0] + 1)}
    return lines - docstring_lines(ast.parse(source))


@functools.cache
def function_lengths(source):
    """(name, line, code lines) of every function, a function inside it included."""
    lines = code_lines(source)
    return [
        (node.name, node.lineno, len(lines & set(range(node.lineno, node.end_lineno + 1))))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def written_by_hand(folder):
    return sorted(path for path in folder.rglob("*.py") if "_generated" not in path.parts)


def relative(path):
    return path.relative_to(ROOT).as_posix()


def is_declaration(node):
    """A class or function under one of the decorators that declare an op."""
    names = [call.func if isinstance(call, ast.Call) else call for call in getattr(node, "decorator_list", [])]
    return any(isinstance(name, ast.Name) and name.id in KINDS for name in names)


def declarations(path):
    return sum(is_declaration(node) for node in ast.parse(path.read_text("utf-8")).body)


SOURCES = {
    relative(path): path.read_text("utf-8")
    for folder in ("src", "examples", "benchmarks")
    for path in written_by_hand(ROOT / folder)
}
PACKAGE_FOLDERS = sorted({path.parent for path in PACKAGE.rglob("*.py")})


def package_lines(name):
    return sum(len(code_lines(path.read_text("utf-8"))) for path in written_by_hand(PACKAGE / name))


def test_files_are_one_idea():
    budgets = {f"src/rushlight/{name}": budget for name, budget in FILES.items()}
    long = {
        file: f"{length} of {budgets.get(file, FILE)}"
        for file, source in SOURCES.items()
        if (length := len(code_lines(source))) > budgets.get(file, FILE)
    }
    assert not long


def test_no_function_is_long():
    long = {
        f"{file}:{line} {name}": length
        for file, source in SOURCES.items()
        for name, line, length in function_lengths(source)
        if length > FUNCTION
    }
    assert not long


def test_the_backward_loop_is_read_at_once():
    lengths = function_lengths((PACKAGE / "autograd/loop.py").read_text("utf-8"))
    assert dict((name, length) for name, _, length in lengths)["run_nodes"] <= BACKWARD_LOOP


def test_most_functions_are_short():
    lengths = sorted(length for source in SOURCES.values() for _, _, length in function_lengths(source))
    assert statistics.median(lengths) <= MEDIAN_FUNCTION
    assert lengths[int(len(lengths) * 0.95)] <= LONG_FUNCTION


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_stay_small(name):
    assert package_lines(name) <= PACKAGES[name]


def test_an_op_is_a_few_lines():
    counts = {path: declarations(path) for path in written_by_hand(PACKAGE / "declarations")}
    families = [path for path, count in counts.items() if count]
    lines = sum(len(code_lines(path.read_text("utf-8"))) for path in families)
    assert lines <= LINES_PER_OP * sum(counts.values())


@pytest.mark.parametrize("folder", PACKAGE_FOLDERS, ids=relative)
def test_every_package_folder_has_a_short_readme(folder):
    readme = folder / "README.md"
    assert readme.exists(), "say what lives here, what is hard, who may import it, how to add one"
    assert len(readme.read_text("utf-8").splitlines()) <= README_LINES


COUNTED = '''"""A docstring
of two lines."""

import math  # code with a comment


def area(radius):
    """Free."""
    # free
    text = """counts
    twice"""
    return math.pi * radius**2, text
'''


def test_docstrings_comments_and_blank_lines_are_free():
    assert sorted(code_lines(COUNTED)) == [4, 7, 10, 11, 12]
    assert function_lengths(COUNTED) == [("area", 7, 4)]


def test_declarations_are_counted_by_their_decorator(tmp_path):
    file = tmp_path / "family.py"
    file.write_text("@elementwise\nclass exp: ...\n@linear(view=True)\nclass t: ...\n@other\ndef helper(): ...\n")
    assert declarations(file) == 2
