"""`python -m rushlight explain SCRIPT [--at LINE] [ARGS...]`: run a program, and explain its failure or one line of it.

Lines are recorded from the start. An exception that nobody catches is reported as ever, then explained. With `--at`
the tensors and modules of a line are explained when it has been run for the first time.
"""

import argparse
import ast
import linecache
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from types import FrameType, TracebackType
from typing import Any

from rushlight.cli.run import run_path
from rushlight.core.tensor import Tensor
from rushlight.explain import explain, lines, variables_of
from rushlight.explain.failures import explain_failure
from rushlight.explain.none_grad import add_note
from rushlight.explain.result import Explanation
from rushlight.nn.modules.module import Module


def main(arguments: Sequence[str]) -> int:
    """Runs the program; returns its exit status."""
    options, rest = parser().parse_known_args(arguments[: _end_of_options(arguments)])
    argv = [*rest, *arguments[_end_of_options(arguments) :]]
    lines()
    explanations: list[Explanation] = []
    sys.excepthook = partial(explained, sys.excepthook, explanations)
    if options.at is not None:
        sys.settrace(At(os.path.abspath(options.SCRIPT), options.at))
    try:
        return run_path(options.SCRIPT, argv)
    except Exception as error:  # the traceback that the report cuts has the operands
        add_note(error)
        explanations.append(explain_failure(error, notes=False))
        raise
    finally:
        sys.settrace(None)


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the arguments before the program's own."""
    parser = argparse.ArgumentParser(
        prog="python -m rushlight explain", description=__doc__.split("\n\n")[1], allow_abbrev=False
    )
    parser.add_argument("SCRIPT", help="the program")
    parser.add_argument("--at", type=int, metavar="LINE", help="explain the variables of this line of SCRIPT")
    return parser


def _end_of_options(arguments: Sequence[str]) -> int:
    """Returns the number of our arguments: the script, and `--at LINE` right before or after it."""
    at = next((number for number, argument in enumerate(arguments[:2]) if argument.partition("=")[0] == "--at"), None)
    if at is None:
        return 1
    return 2 if "=" in arguments[at] else 3


def explained(
    hook: Callable,
    explanation: list[Explanation],
    kind: type[BaseException],
    error: BaseException,
    traceback: TracebackType | None,
) -> None:
    """Reports an exception by the previous hook, then explains it."""
    hook(kind, error, traceback)
    for sentence in explanation:
        print(f"\n{sentence}", file=sys.stderr)


class At:
    """A trace function that waits until a line has run, explains its variables, and removes itself."""

    def __init__(self, file: str, line: int):
        self.file, self.line = file, line
        self.frame: FrameType | None = None  # the frame that is about to leave the line

    def __call__(self, frame: FrameType, event: str, argument: Any) -> "At | None":
        if frame.f_code.co_filename != self.file:
            return None
        if self.frame is frame:
            sys.settrace(None)
            self.frame = frame.f_trace = None
            tell_line(self.file, self.line, frame)
            return None
        if event == "line" and frame.f_lineno == self.line:
            self.frame = frame
        return self


def tell_line(file: str, line: int, frame: FrameType) -> None:
    """Explains the tensors and modules of a line, in the order of their names in it."""
    text = linecache.getline(file, line).strip()
    print(f"{os.path.basename(file)}:{line} (`{text}`)")
    variables = {**frame.f_globals, **frame.f_locals}
    names = [name for name in names_on(text) if isinstance(variables.get(name), (Tensor, Module))]
    for name in names:
        print(f"\n{explain(variables[name], names=variables_of(frame))}")
    if not names:
        print("No tensor and no module stands on this line.")


def names_on(text: str) -> list[str]:
    """Returns the variables in a line of source, each once; of a block, those in its head.

    >>> names_on("loss = ((net(x) - y) ** 2).mean()")
    ['loss', 'net', 'x', 'y']
    """
    body = textwrap.dedent(text)
    try:
        tree = ast.parse(f"{body} pass" if body.endswith(":") else body)
    except SyntaxError:
        return []
    nodes = [(node.lineno, node.col_offset, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(name for _, _, name in sorted(nodes)))
