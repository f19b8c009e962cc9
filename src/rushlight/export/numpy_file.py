"""`rushlight.export`: a model as a Python file and a weights file that need only NumPy."""

from __future__ import annotations

import inspect
import keyword
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.export import functions
from rushlight.export.batches import Fixed, merged
from rushlight.export.numpy_expressions import RESULTS, Unspelled, spelled, text
from rushlight.export.tracing import Call, Name, Trace, flat, trace
from rushlight.nn.modules.module import Module
from rushlight.version import __version__

TOLERANCE = {"float32": 1e-4, "float64": 1e-9}  # of results, relative to the model's


def export(model: Module, *inputs: Tensor, path) -> Path:
    """Writes a trained model as a Python file that needs only NumPy, with an `.npz` file of weights.

    The model is called once with `inputs` in evaluation mode to trace it; the first dimension of each input is the
    batch. The file has a function `model` from arrays to arrays; its docstring says whether it accepts any batch size.
    The file is put in place only if it reproduces the model's results. Returns its path.

    Raises TypeError for a model that reads a tensor's values (an `if` on them would always take one branch), and
    NotImplementedError for operators without a NumPy form: it names them with their lines.

    >>> import rushlight as torch
    >>> import pathlib, tempfile
    >>> net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = torch.export(net, torch.ones(4, 3), path=pathlib.Path(folder, "net.py"))
    ...     print(file.read_text("utf-8").partition("def ")[2])
    model(x):
        x1 = x @ WEIGHTS["0.weight"].T + WEIGHTS["0.bias"]
        x2 = np.tanh(x1)
        return x2
    <BLANKLINE>
    """
    path = Path(path)
    if path.suffix != ".py" or not path.stem.isidentifier() or keyword.iskeyword(path.stem):
        raise ValueError(f"export(): the path must be a Python file with a name to import, net.py, not {path.name!r}")
    if not isinstance(model, Module) or not all(isinstance(input_, Tensor) for input_ in inputs):
        raise TypeError("export(): expected a module and the tensors that it is called with")
    traced = trace(model, inputs)
    runs = [(inputs, traced.values)]
    calls, any_batch = traced.calls, False
    try:
        doubled = tuple(input_.repeat(2, *[1] * (input_.ndim - 1)) for input_ in inputs)
        other = trace(model, doubled)
        calls, any_batch = merged(traced.calls, other.calls, len(inputs[0])), True
        runs.append((doubled, other.values))
    except (Fixed, RuntimeError, ValueError, IndexError):
        pass  # the model accepts only this batch size; the file says so
    writer = Writer(model, traced._replace(calls=calls), inputs, any_batch)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, path.name)
        made.write_text(writer.source(path.stem), "utf-8")
        np.savez(made.with_suffix(".npz"), allow_pickle=False, **writer.weights)
        for arrays, expected in runs:
            check(made, arrays, expected)
        for target_path in (made.with_suffix(".npz"), made):
            shutil.move(target_path, path.with_name(target_path.name))
    return path


def check(made: Path, inputs, expected) -> None:
    """Raises RuntimeError unless the file reproduces the model's results."""
    names: dict = {"__file__": str(made), "__name__": made.stem}
    exec(compile(made.read_text("utf-8"), made, "exec"), names)
    got = flat([names["model"](*(input_.detach().numpy() for input_ in inputs))])
    for one, other in zip(got, flat([expected]), strict=True):
        wanted = Tensor.numpy(other.as_subclass(Tensor))
        tolerance = TOLERANCE.get(str(wanted.dtype), 0)
        if not np.allclose(one, wanted, tolerance, tolerance, equal_nan=True):
            raise RuntimeError("export(): the file would give other numbers than the model; nothing was written")


class Writer:
    """The text of a file, and its weights."""

    def __init__(self, model: Module, found: Trace, inputs: tuple[Tensor, ...], any_batch: bool):
        self.kind, self.found, self.inputs, self.any_batch = type(model).__name__, found, inputs, any_batch
        self.names = {id(value): name for name, value in (*model.named_buffers(), *model.named_parameters())}
        self.weights: dict[str, np.ndarray] = {}

    def source(self, name: str) -> str:
        """Returns the whole file."""
        body = "\n".join(f"    {line}" for line in self.lines())
        helpers = "\n\n".join(inspect.getsource(getattr(functions, helper)) for helper in helpers_in(body))
        imports = "import math\n" if "math." in helpers else ""
        weights = (
            'WEIGHTS = np.load(Path(__file__).with_suffix(".npz"))\nWEIGHTS = {name: WEIGHTS[name] for name in WEIGHTS}'
        )
        arguments = ", ".join(input_.text for input_ in self.found.inputs)
        return "\n".join([
            f'"""{self.head(name)}"""', "", f"{imports}from pathlib import Path", "", "import numpy as np", "", weights,
            *(["", "", helpers.rstrip()] if helpers else []), "", "", f"def model({arguments}):", body, "",
        ])  # fmt: skip

    def head(self, name: str) -> str:
        """Yields the docstring of the file."""
        pairs = zip(self.found.inputs, self.inputs, strict=True)
        shapes = [f"`{value.text}` of shape {self.shape(tensor)}, {str(tensor.dtype)[6:]}" for value, tensor in pairs]
        return (
            f"{self.kind} in NumPy alone, with its weights in {name}.npz beside this file.\n\n"
            f"    from {name} import model\n\nArrays in, arrays out: {'; '.join(shapes)}.\n"
            f"Written by rushlight {__version__}, rushlight.export().\n"
        )

    def shape(self, tensor: Tensor) -> str:
        sizes = [str(size) for size in tensor.shape]
        return f"({', '.join(['batch', *sizes[1:]] if self.any_batch else sizes)}{',' * (len(sizes) == 1)})"

    def lines(self) -> Iterator[str]:
        """Yields the statements of the function."""
        calls, unspelled = needed(self.found), []
        lines = []
        for call, used in calls:
            try:
                lines.append(f"{target(call, used)} = {spelled(call, self.constant)}")
            except Unspelled:
                unspelled.append(f"{call.op}() at {call.place}")
        if unspelled:
            raise noted(
                NotImplementedError(
                    f"export(): there is no form in NumPy yet of {', '.join(dict.fromkeys(unspelled))}"
                ),
                "rushlight itself is a small installation: pip install rushlight, and load the state_dict.",
            )
        if any(re.search(r"\bbatch\b", x) for x in lines):
            yield f"batch = len({self.found.inputs[0].text})"
        yield from lines
        yield f"return {text(self.found.results, self.constant)}"

    def constant(self, tensor: Tensor) -> str:
        """Returns the name of a parameter or buffer in the model; stores other tensors as numbered weights."""
        name = self.names.get(id(tensor)) or f"constant_{len(self.weights)}"
        array = tensor.detach().numpy()
        self.weights[name] = array
        return f'WEIGHTS["{name}"]'


def needed(traced: Trace) -> list[tuple[Call, set[str]]]:
    """Returns the calls that the results depend on, each with those of its results that are used."""
    wanted = {x.text for x in flat([traced.results]) if isinstance(x, Name)}
    kept = []
    for call in reversed(traced.calls):
        used = {result.text for result in call.results} & wanted
        if used:
            kept.append((call, used))
            wanted |= names_in(call.arguments)
    return kept[::-1]


def names_in(values) -> set[str]:
    """Yields the variables in nested arguments."""
    if isinstance(values, Name):
        return {values.text}
    return set().union(*map(names_in, values)) if type(values) in (tuple, list) else set()


def target(call: Call, used: set[str]) -> str:
    """Returns the assignment target for a call's results. Raises Unspelled if the expression lacks a used one."""
    names = [result.text for result in call.results[: RESULTS.get(call.op)]]
    if not used <= set(names):
        raise Unspelled
    return ", ".join(name if name in used else "_" for name in names)


def helpers_in(source: str) -> list[str]:
    """Returns the functions of `functions.py` that a text calls, and those that they call, callees first."""
    result: list[str] = []
    for name in dict.fromkeys(re.findall(r"(?<![\w.])(\w+)\(", source)):
        function = vars(functions).get(name)
        if inspect.isfunction(function) and name not in result:
            inner = inspect.getsource(function).partition("\n")[2]
            result += [helper for helper in (*helpers_in(inner), name) if helper not in result]
    return result
