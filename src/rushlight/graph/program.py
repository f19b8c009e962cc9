"""A trace as a program: a function from arrays to arrays.

The text of the function has a line for each step: a function of arrays where that gives what the operator gives
(`raw_steps.py`), else a call of the operator, as eager code does, without recording. Steps that kernels took over are
one line for each kernel. Outputs are new arrays, inputs, or views of either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.modes import MODE
from rushlight.core.tables import raw, xp
from rushlight.core.tensor import wrap
from rushlight.dispatch.planned import called
from rushlight.graph.raw_steps import RawCall, raw_call
from rushlight.graph.trace import REFERENCES, Array, Left, Ref, Step, Trace, Update

REAL = "biuf"  # kinds of dtypes of which an array has the elements themselves
LARGE = 1 << 14  # bytes from which an array is let go as soon as nothing reads it


class Kernel(NamedTuple):
    """Compiled code instead of steps: `run` takes and returns arrays, a tuple of as many as `results`."""

    run: Callable[..., tuple]
    operands: tuple[int, ...]
    results: tuple[int, ...]


class Program:
    """The function of a trace, of which `items` are the steps and kernels in the order in which they run.

    `run` takes arrays and returns the list of outputs; a write in the trace to an input writes to the array.
    """

    def __init__(self, trace: Trace, items: Sequence[Step | Kernel] | None = None):
        self.trace = trace
        self.items = list(trace.steps if items is None else items)
        self.source, names = Text(trace, self.items).written()
        exec(compile(self.source, "<program>", "exec"), names)  # noqa: S102
        self.run: Callable[..., list] = names["program"]

    def __call__(self, *arrays) -> list:
        return self.run(*arrays)


class Text:
    """Writes the function of a program. Arrays are `a3`, tensors on them `t3`."""

    def __init__(self, trace: Trace, items: list[Step | Kernel]):
        self.trace, self.items = trace, items
        self.names: dict[str, Any] = {
            "wrap": wrap, "called": called, "raw": raw, "xp": xp, "asarray": np.asarray, "copyto": np.copyto,
            "set_errors": set_errors, "reset_errors": reset_errors, "set_mode": MODE.set, "reset_mode": MODE.reset,
        }  # fmt: skip
        self.lines: list[str] = []
        self.tensors: set[int] = set()
        self.arrays = set(trace.inputs)
        self.calls_operators = self.calls_functions = False

    def written(self) -> tuple[str, dict[str, Any]]:
        """Returns the text of the function, and the objects that it names."""
        trace = self.trace
        self._constants()
        last = last_uses(trace, self.items)
        for at, item in enumerate(self.items):
            if isinstance(item, Kernel):
                self._kernel(at, item)
            elif type(item) is Update:
                self._update(at, item)
            elif item.op is None:
                self._write(item.values["target"].number, item.values["source"].number)
            elif (call := raw_call(item, trace.metas)) is not None:
                self._raw(at, item, call)
            else:
                self._operator(at, item)
            self._release(last.get(at, ()))
        outputs = ", ".join(["None" if number is None else self.array(number) for number in trace.outputs])
        self.lines.append(f"return [{outputs}]")
        head = f"def program({', '.join([f'a{number}' for number in trace.inputs])}):"
        return "\n".join([head, *self._body()]) + "\n", self.names

    def _body(self) -> list[str]:
        """Returns the lines of the function, in the modes that its steps need."""
        if not (self.calls_operators or self.calls_functions):
            return [f"    {line}" for line in self.lines]
        begin, end = ["    errors = set_errors(xp.IGNORED)"], ["        reset_errors(errors)"]
        if self.calls_operators:
            begin, end = [*begin, "    mode = set_mode(False)"], [*end, "        reset_mode(mode)"]
        return [*begin, "    try:", *[f"        {line}" for line in self.lines], "    finally:", *end]

    def _constants(self) -> None:
        """Names the arrays of constants; those that are written to or returned are copied at each run."""
        written = {number for item in self.items if isinstance(item, Step) for number in item.written()}
        fresh = {self.trace.base_of(number) for number in (*written, *self.trace.outputs) if number is not None}
        for number, constant in self.trace.constants.items():
            name = f"c{number}" if number in fresh else f"a{number}"
            self.names[name] = constant._array
            if number in fresh:
                self.lines.append(f"a{number} = xp.in_same_order(c{number})")
            self.arrays.add(number)

    def tensor(self, number: int) -> str:
        """Returns the name of a tensor, on the array if there is none yet."""
        if number not in self.tensors:
            self.lines.append(f"t{number} = wrap(a{number})")
            self.tensors.add(number)
        return f"t{number}"

    def array(self, number: int) -> str:
        """Returns the name of an array, that of the tensor if there is none yet."""
        if number not in self.arrays:
            self.lines.append(f"a{number} = t{number}._array")
            self.arrays.add(number)
        return f"a{number}"

    def _kernel(self, at: int, item: Kernel) -> None:
        self.names[f"k{at}"] = item.run
        operands = ", ".join([self.array(number) for number in item.operands])
        results = "".join([f"a{number}, " for number in item.results])
        self.lines.append(f"{results}= k{at}({operands})")
        self.arrays.update(item.results)

    def _write(self, target: int, source: int) -> None:
        """Writes the copy of elements."""
        one, other = self.trace.metas[target], self.trace.metas[source]
        if (one.shape, one.dtype) == (other.shape, other.dtype) and one.dtype.kind in REAL:
            self.lines.append(f"copyto({self.array(target)}, {self.array(source)})")
            return
        self.lines.append(f"{self.tensor(target)}.copy_({self.tensor(source)})")
        self.calls_operators = True

    def _update(self, at: int, item: Update) -> None:
        self.names[f"k{at}"] = item.op.function
        self.lines.append(f"k{at}(({''.join([f'{self.array(number)}, ' for number in item.operands()])}))")

    def _raw(self, at: int, step: Step, call: RawCall) -> None:
        """Writes the call of a function of arrays."""
        write = Argument(self.array, self.array, self.names, "")
        values = [write(value, f"v{at}_{i}") for i, value in enumerate(call.positional)]
        values += [f"{name}={write(value, f'v{at}_{name}')}" for name, value in call.named.items()]
        results = ", ".join([f"a{number}" for number in step.results])
        comma = "," if len(step.results) > 1 or step.op.multi_output else ""
        text = f"{call.function}({', '.join(values)})"
        if call.scalar and not comma:
            text = f"asarray({text})"
        self.lines.append(f"{results}{comma} = {text}")
        if call.scalar and comma:
            self.lines += [f"a{number} = asarray(a{number})" for number in step.results]
        self.arrays.update(step.results)
        self.calls_functions = self.calls_functions or not step.op.view

    def _operator(self, at: int, step: Step) -> None:
        """Writes the call of an operator."""
        names = self.names
        names[f"o{at}"] = step.op
        left = next((value for value in step.values.values() if type(value) is Left), Left(object, ()))
        if left.arrays:
            names[f"n{at}"] = left.kind
            self.lines.append(f"x{at} = n{at}()")
        write = Argument(self.tensor, self.array, names, f"x{at}")
        arguments = "".join([f"{write(value, f'v{at}_{i}')}, " for i, value in enumerate(step.values.values())])
        made = step.results[: len(step.results) - len(left.arrays)]
        results = ", ".join([f"t{number}" for number in made])
        comma = "," if len(made) > 1 or step.op.multi_output else ""
        self.lines.append(f"{results}{comma} = called(o{at}, ({arguments}))")
        self.tensors.update(made)
        self.lines += [f"a{number} = x{at}.{name}" for name, number in left.arrays]
        self.arrays.update([number for _, number in left.arrays])
        self.calls_operators = True

    def _release(self, numbers: Sequence[int]) -> None:
        """Writes the end of large arrays."""
        for number in numbers:
            meta = self.trace.metas[number]
            if np.prod(meta.shape, dtype=object) * meta.dtype.itemsize >= LARGE:
                known = [f"t{number}"] * (number in self.tensors) + [f"a{number}"] * (number in self.arrays)
                self.lines.append(f"del {', '.join(known)}")


class Argument(NamedTuple):
    """Writes the arguments of a step; `left` is the name of the object in which the operator leaves arrays."""

    tensor: Callable[[int], str]
    array: Callable[[int], str]
    names: dict[str, Any]
    left: str

    def __call__(self, value, name: str) -> str:
        """Returns the text of an argument, which gets a name if it is a value."""
        if type(value) is Ref:
            return self.tensor(value.number)
        if type(value) is Array:
            return self.array(value.number)
        if type(value) is Left:
            return self.left
        if type(value) in (tuple, list) and any([type(each) in REFERENCES for each in value]):
            inner = "".join([f"{self(each, f'{name}_{i}')}, " for i, each in enumerate(value)])
            return f"({inner})" if type(value) is tuple else f"[{inner}]"
        self.names[name] = value
        return name


def reads(item: Step | Kernel) -> Sequence[int]:
    """Returns the tensors that an item reads."""
    return item.operands if isinstance(item, Kernel) else item.operands()


def last_uses(trace: Trace, items: list) -> dict[int, list[int]]:
    """Returns the tensors that no item after a position reads: made by steps, and no outputs."""
    kept = {*trace.outputs, *trace.inputs, *trace.constants}
    seen: set[int] = set()
    last: dict[int, list[int]] = {}
    for at in reversed(range(len(items))):
        for number in {*reads(items[at]), *items[at].results}:
            if number not in kept and number not in seen:
                seen.add(number)
                last.setdefault(at, []).append(number)
    return last
