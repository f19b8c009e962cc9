"""How a function is compiled, as data and in words: programs, breaks with their lines, guards, programs made again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.capture import report, words
from rushlight.capture.calls import Call
from rushlight.capture.paths import TENSOR
from rushlight.capture.steps import Step
from rushlight.graph.program import Kernel, Program

SHOWN = 12  # guards of a program in the text


class Explained:
    """A program in words: its calls, what they became, and its guards."""

    def __init__(self, program: Any, function: Callable):
        self.calls = [item for item in program.watched.items if type(item) is Call]
        self.returned = program.watched.returned
        self.parts = [(numbers, fusion(part)) for numbers, part in program.parts]
        self.forms = dict(program.forms)
        self.guards_of = {guard.path: guard for guard in program.guards if guard.demand == TENSOR}
        self.function = function
        self.graphs = list(program.graphs)
        self.left = [(name_of(call.function), str(error)) for call, error in program.left]
        self.guards = list(program.guards)
        self.guard_words = [words.guard(guard, function) for guard in self.guards]
        self.own = [
            text for guard, text in zip(self.guards, self.guard_words, strict=True) if words.is_of_interest(guard)
        ]
        self.source = program.source

    def lines(self) -> list[str]:
        """Returns the description, line by line."""
        lines = [counted(len(self.calls), "call")]
        lines += [f"    {text}" for _, text in self.parts]
        lines += [f"    {name} is called by itself: {error}" for name, error in self.left]
        lines.append(f"replayed while these hold, and {len(self.guards) - len(self.own)} more about code and classes:")
        lines += [f"    {text}" for text in self.own[:SHOWN]]
        return lines + ([f"    and {len(self.own) - SHOWN} more"] if len(self.own) > SHOWN else [])


class Explanation:
    """What a function was compiled to. `print` it; `rushlight.draw` draws it.

    `programs` are those of the function, `breaks` the places where a run could not be replayed, `recompiles` say why
    calls needed another program, and `result` is that of the call. The other attributes have PyTorch's names.
    """

    def __init__(self, compiled: Any, result: Any):
        self.function, self.result = compiled.function, result
        out = [program for programs in compiled.programs.values() for program in programs]
        self.programs = [Explained(program, compiled.function) for program in out]
        self.breaks: list[report.Break] = list(compiled.breaks)
        self.recompiles: list[report.Recompile] = list(compiled.recompiles)

    @property
    def graphs(self) -> list:
        """The calls of the programs as `torch.fx` graphs."""
        return [graph for program in self.programs for graph in program.graphs]

    @property
    def graph_count(self) -> int:
        """The number of programs."""
        return len(self.programs)

    @property
    def graph_break_count(self) -> int:
        """The number of breaks."""
        return len(self.breaks)

    @property
    def break_reasons(self) -> list[report.Break]:
        """The breaks."""
        return self.breaks

    @property
    def ops_per_graph(self) -> list[list]:
        """The functions that each program calls."""
        return [[call.function for call in program.calls] for program in self.programs]

    @property
    def op_count(self) -> int:
        """The number of calls in all programs."""
        return sum([len(program.calls) for program in self.programs])

    @property
    def out_guards(self) -> list[str]:
        """The guards of all programs, in words."""
        return [text for program in self.programs for text in program.guard_words]

    @property
    def compile_times(self) -> str:
        """PyTorch's table of times, which is empty."""
        return ""

    def __str__(self):
        lines = [f"{counted(len(self.programs), 'program')}, {counted(len(self.breaks), 'break')}"]
        for number, program in enumerate(self.programs):
            lines += [f"program {number}:", *[f"    {line}" for line in program.lines()]]
        return "\n".join([*lines, *map(str, self.breaks), *map(str, self.recompiles)])

    __repr__ = __str__


def counted(number: int, word: str) -> str:
    """Returns a number with a word in singular or plural."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def name_of(function: Any) -> str:
    """Returns the name of a function that is called."""
    name = getattr(function, "__name__", type(function).__name__)
    return name[2:-2] if name[:2] == name[-2:] == "__" else name


def fusion(segment: Any) -> str:
    """Returns what operations of a segment or a training step became."""
    if type(segment) is Step:
        return f"{counted(len(segment.calls), 'call')} in one training step"
    operations = counted(len(segment.trace.steps), "operation")
    lowered = segment.plain
    if not isinstance(lowered, Program):
        return f"{operations} in one function"
    kernels = sum([type(item) is Kernel for item in lowered.items])
    others = len(lowered.items) - kernels
    return f"{operations} in {counted(kernels, 'kernel')} and {counted(others, 'call')}"
