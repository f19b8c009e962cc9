"""Writes `_generated/`: one fast function, one backward function and one node class per declared operator.

`scripts/generate` calls `main`, and so does the build of the package; `generated_files.py` tests which files are stale.

The text of `forward` and of each derivative is taken from the declaration: a body that is one `return` is inlined, a
longer one is called.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from rushlight.declarations import library
from rushlight.declarations.declare import OPS, asked_by, check
from rushlight.dispatch import generated_files
from rushlight.dispatch import generated_modules as modules
from rushlight.dispatch.source_pieces import BUILTINS, handed, is_one_step

HEADER = '"""Written by `scripts/generate` from the declarations in `declarations/`: do not edit."""\n'
SPACES = ("fft", "linalg", "special")


class Constants(ast.NodeTransformer):
    """Replaces a number next to an array by `numbers[2]`: a 0-d array costs NumPy half as much."""

    def __init__(self, arrays: set):
        self.arrays = arrays
        self.used = False

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
            if self._is_number(node.left) and self._is_array(node.right):
                node.left = self._table_entry(node.left)
            elif self._is_number(node.right) and self._is_array(node.left):
                node.right = self._table_entry(node.right)
        return node

    @staticmethod
    def _is_number(node) -> bool:
        return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value != 0

    def _is_array(self, node) -> bool:
        return any(isinstance(child, ast.Name) and child.id in self.arrays for child in ast.walk(node))

    def _table_entry(self, node):
        self.used = True
        return ast.Subscript(ast.Name("numbers", ast.Load()), node, ast.Load())


class Whole(Constants):
    """The same, `numbers[x.dtype][2]`, for formulas on both integers and floats; also in comparisons."""

    def __init__(self, first: str, arrays: set):
        super().__init__(arrays)
        self.first = first

    def visit_Compare(self, node):
        self.generic_visit(node)
        if self._is_array(node.left):
            node.comparators = [self._table_entry(x) if self._is_number(x) else x for x in node.comparators]
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if ast.unparse(node.func) in ("xp.maximum", "xp.minimum"):
            node.args = [self._table_entry(x) if self._is_number(x) else x for x in node.args]
        return node

    @staticmethod
    def _is_number(node) -> bool:
        return isinstance(node, ast.Constant) and type(node.value) is int

    def _table_entry(self, node):
        result = f"[{node.value}]" if node.value else ".zero"
        return ast.parse(f"numbers[{self.first}.dtype]{result}", mode="eval").body


class Fold(ast.NodeTransformer):
    """Replaces `a if 1 == 1 else b` by `a`, where an argument has been replaced by its default."""

    def visit_IfExp(self, node):
        self.generic_visit(node)
        test = node.test
        if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Constant) and len(test.ops) == 1):
            return node
        if not (isinstance(test.ops[0], ast.Eq) and isinstance(test.comparators[0], ast.Constant)):
            return node
        return node.body if test.left.value == test.comparators[0].value else node.orelse


class Rename(ast.NodeTransformer):
    """Replaces a declaration's names by those of the generated code; drops `F.conj` in code for real numbers."""

    def __init__(self, names: dict, *, real: bool = False):
        self.names = names
        self.real = real

    def visit_Name(self, node):
        return ast.parse(self.names.get(node.id, node.id), mode="eval").body

    def visit_Call(self, node):
        function = node.func
        if self.real and isinstance(function, ast.Attribute) and function.attr == "conj" and function.value.id == "F":
            return self.visit(node.args[0])
        return self.generic_visit(node)


def parsed(function) -> Any:
    """Returns the syntax tree of a declaration's function."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return tree.body[0]


def expression(function) -> ast.expr | None:
    """Returns the expression that a function returns, if that is all it does and it uses only its arguments."""
    body = [statement for statement in parsed(function).body if not _is_docstring(statement)]
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return None
    result: Any = body[0].value
    local = {node.arg for node in ast.walk(result) if isinstance(node, ast.arg)}
    local |= {node.id for node in ast.walk(result) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names = {node.id for node in ast.walk(result) if isinstance(node, ast.Name)} - local
    code = function.__code__
    arguments = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return result if names <= arguments | BUILTINS else None


def _is_docstring(statement) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class Plan:
    """What the generated code of one primitive depends on, read from its declaration."""

    def __init__(self, op):
        self.op = op
        self.differentiable = [argument.name for argument in op.arguments if argument.name in op.derivatives]
        self.roles = {argument.name: argument.role for argument in op.arguments}
        self.asks = op.asks
        everything = [name for names in op.asks.values() for name in names]
        tensors = [operand.name for operand in op.operands()]
        self.saved = [name for name in (*tensors, *op.results, *op.freed_arguments) if name in everything]
        self.params = list(dict.fromkeys(name for name in everything if self._is_param(name)))

    def _is_param(self, name: str) -> bool:
        return not (name in self.saved or name == "g" or name.startswith("g_"))

    def wanted_by(self, name: str) -> list[str]:
        """Returns the inputs whose derivatives need a saved value."""
        return [operand for operand, names in self.asks.items() if name in names]


def forward_text(op, names: dict) -> str:
    """Returns the call of `forward` on raw arrays, inlined if possible."""
    result = expression(op.forward)
    if result is None:
        return f"forward.{op.name}(xp, {handed(op, names)})"
    renamed = Fold().visit(Rename(names).visit(result))
    return ast.unparse(ast.fix_missing_locations(renamed))


def raw_text(op, names: dict) -> str:
    """Returns the same for a function of its own, where each of several steps may have a number next to an array."""
    text = forward_text(op, names)
    if op.kind != "elementwise" or is_one_step(text):
        return text
    operands = [operand.name for operand in op.operands()]
    result = Whole(operands[0], set(operands)).visit(ast.parse(text, mode="eval"))
    return ast.unparse(ast.fix_missing_locations(result))


def derivative_text(op, name: str, *, real: bool) -> str:
    """Returns the expression of one derivative."""
    derivative = op.derivatives[name]
    result = expression(derivative)
    if result is None:
        return f"derivative_{op.name}_{name}({', '.join(['F', *asked_by(derivative)])})"
    result = Rename({}, real=real).visit(result)
    if real and op.kind == "elementwise":
        result = Constants({"g", *op.results, *(operand.name for operand in op.operands())}).visit(result)
    return ast.unparse(ast.fix_missing_locations(result))


def sources() -> dict[str, str]:
    """Returns the text of every generated file, by name."""
    library.load_all()
    ops = [OPS[name] for name in sorted(OPS)]
    for op in ops:
        check(op)
    now = [op for op in ops if library.lazy_module_of(op) is None]
    texts = {
        "raw.py": HEADER + modules.raw_module(now, raw_text),
        "functions.py": HEADER + modules.functions_module(now, Plan, forward_text, derivative_text),
        "methods.py": HEADER + modules.methods_module(ops, library.lazy_module_of),
        "names_of_torch.py": HEADER + modules.root_module(ops, library.lazy_module_of),
        **{f"names_of_{space}.py": HEADER + modules.namespace_module(ops, space) for space in SPACES},
    }
    for module in library.LAZY_MODULES:
        lazy = [op for op in ops if library.lazy_module_of(op) == module]
        texts[f"raw_of_{module}.py"] = HEADER + modules.raw_module(lazy, raw_text, module)
        texts[f"functions_of_{module}.py"] = HEADER + modules.functions_module(
            lazy, Plan, forward_text, derivative_text, module
        )
    texts["lazy_names.py"] = HEADER + modules.lazy_names_module(
        ops, library.lazy_module_of
    )  # last: see `_generated/__init__.py`
    return texts


def main(arguments: list[str]) -> int:
    """Writes the files that are stale, or with `--check` prints their names; returns the exit status."""
    if "--check" in arguments:
        stale = generated_files.stale_names(sources())
        for name in stale:
            print(f"{name} is not what the declarations say: run scripts/generate")
        return int(bool(stale))
    for name in generated_files.refresh(sources):
        print(f"wrote {name}")
    return 0
