"""Eight generated functions as examples to read, since the generated files are not in git."""

from __future__ import annotations

import ast
from pathlib import Path

from rushlight.declarations.declare import OPS
from rushlight.declarations.library import lazy_module_of, load_all

NAMES = ("add", "mul", "exp", "sum", "cat", "max", "matmul", "getitem")
HEADER = '"""What is generated for `{}`: an example to read, written by `scripts/generate` and compared by a test."""\n'
GENERATED = Path(__file__).resolve().parents[1] / "_generated"


def examples() -> dict[str, str]:
    """Returns the text of each example by file name."""
    load_all()
    return {f"{name}.py": HEADER.format(name) + text_of(name) for name in NAMES}


def text_of(name: str) -> str:
    """Returns the functions of one operator: public, backward, in place."""
    module = lazy_module_of(OPS[name])
    source = GENERATED.joinpath(f"functions_of_{module}.py" if module else "functions.py").read_text("utf-8")
    nodes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    names = (name, f"{name}_backward", f"{name}_" if OPS[name].inplace else "")
    parts = [ast.get_source_segment(source, nodes[name]) or "" for name in names if name in nodes]
    return "".join(f"\n\n{part}\n" for part in parts)
