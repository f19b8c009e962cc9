"""An array that is written to after from_numpy has made a tensor of it."""

from __future__ import annotations

import ast
from types import CodeType

import numpy as np

from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import innermost_loop, statement_at, statements_in
from rushlight.explain.watch.aliases import Alias, Aliases, array_of
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.program_lines import Line, called_by_program
from rushlight.explain.watch.taps import ROOT, Taps, dressed
from rushlight.explain.watch.trap import Trap

SHARING = ("from_numpy", "as_tensor", "asarray")
WRITING = ("sort", "fill", "put", "partition", "itemset", "resize", "shuffle", "copyto", "put_along_axis")
ALIVE = 2


class NumpySourceWritten(Trap):
    """from_numpy() and as_tensor() share the array's memory. Later writes to the array change the tensor, too.

    If one buffer is filled for each sample, all samples are the last one; an array that is scaled after its conversion
    is also scaled in the tensor.
    """

    kind = "numpy_source_written"
    failing = """
import numpy
import torch

buffer = numpy.zeros(2)
samples = []
for number in range(4):
    buffer[:] = number
    samples.append(torch.from_numpy(buffer))  # <- here
print(torch.stack(samples))
"""
    repaired = failing.replace("torch.from_numpy(buffer))  # <- here", "torch.tensor(buffer))")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.aliases = Aliases()

    def tap(self, taps: Taps) -> None:
        for name in SHARING:
            taps.attribute(ROOT, name, self._around)

    def _around(self, make):
        def sharing(*arguments, **keywords):
            made = make(*arguments, **keywords)
            source = arguments[0] if arguments else next(iter(keywords.values()), None)
            if type(source) is np.ndarray and source.size and called_by_program():
                self._note(made, source)
            return made

        return dressed(sharing, make)

    def _note(self, made: Tensor, source: np.ndarray) -> None:
        array = array_of(made)
        if array is None or not np.shares_memory(array, source):
            return
        fresh = Alias(made, array, here(), self.watching.steps)
        older = [x for x in self.aliases.add(fresh) if x.has_changed()]
        if len(older) >= ALIVE and len({x.values.tobytes() for x in older}) >= ALIVE:
            text = (
                f"The {len(older) + 1} tensors of this line that are kept share the memory of one array: all of them "
                "show what was written to it last."
            )
            self.report(fresh.place, text, copied(fresh.place))

    def called(self, module, output, arguments) -> None:
        self._look()

    def before_backward(self, graph: Pass) -> None:
        self._look()

    def closed(self) -> None:
        self._look()

    def _look(self) -> None:
        """Reports an array that another statement, outside of its conversion's loop, has written to."""
        for alias in self.aliases.alive():
            if not is_constant(alias.values) and alias.has_changed():
                line = later_write(alias.place)
                if line is not None:
                    text = (
                        "This line makes no copy: the tensor shares the memory of the array. Line "
                        f"{line.line} (`{line.text}`) writes to the array, and changes the tensor too."
                    )
                    self.report(alias.place, text, copied(alias.place))


def is_constant(values: np.ndarray) -> bool:
    """Whether an array is constant, as one that is still to be filled."""
    return bool((values == values.reshape(-1)[0]).all())


def copied(place: Place) -> str:
    """Returns the statement of a line with `torch.tensor`, which copies."""
    statement = statement_at(place.code, place.line)
    if statement is None:
        return "torch.tensor(array), which copies the numbers."
    changed = ast.parse(ast.unparse(statement)).body[0]
    for node in ast.walk(changed):
        if isinstance(node, ast.Attribute) and node.attr in SHARING:
            node.attr = "tensor"
    return ast.unparse(changed)


def later_write(place: Place) -> Line | None:
    """Returns a statement below a line, in the same loops, that writes to the array that the line converts."""
    statement = statement_at(place.code, place.line)
    names = set() if statement is None else converted_in(statement)
    for statement_ in statements_in(place.code):
        if statement_.lineno > place.line and not hasattr(statement_, "body") and written_by(statement_) & names:
            line = Line(place.file, statement_.lineno)
            if loop_of(place.code, statement_.lineno) == loop_of(place.code, place.line):
                return line
    return None


def converted_in(statement: ast.stmt) -> set[str]:
    """Returns the variables that a statement converts to tensors."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return {
        ast.unparse(call.args[0])
        for call in calls
        if call.args and isinstance(call.func, ast.Attribute) and call.func.attr in SHARING
    }


def written_by(statement: ast.stmt) -> set[str]:
    """Returns the arrays that a statement writes to in place."""
    result = set()
    match statement:
        case ast.AugAssign(target=ast.Subscript(value=target)) | ast.AugAssign(target=target):
            result.add(ast.unparse(target))
        case ast.Assign(targets=targets):
            result |= {ast.unparse(target.value) for target in targets if isinstance(target, ast.Subscript)}
    for call in ast.walk(statement):
        match call:
            case ast.Call(func=ast.Attribute(value=target, attr=name), args=arguments) if name in WRITING:
                result |= {ast.unparse(argument) for argument in (target, *arguments[:1])}
        if isinstance(call, ast.Call):
            result |= {ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "out"}
    return result


def loop_of(code: CodeType, line: int) -> int | None:
    """Returns the line of the innermost loop around a line."""
    start = next((start for start, _, number in code.co_lines() if number == line), 0)
    loop = innermost_loop(Place(code, start))
    return None if loop is None else loop.lineno
