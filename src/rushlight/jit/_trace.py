"""`torch.jit.trace`: records what a function or a module does for an example."""

from __future__ import annotations

import difflib
import inspect
import operator
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.fx.graph import Graph
from rushlight.fx.node import RANDOM, Node
from rushlight.jit.program import Program
from rushlight.jit.recording import Recorded, Recorder, TracerWarning, leaves, recording
from rushlight.jit.script_module import (
    Part,
    ScriptFunction,
    ScriptModule,
    TopLevelTracedModule,
    mirror,
    refuse_lazy_members,
)
from rushlight.nn.modules.module import Module
from rushlight.random import fork_rng
from rushlight.testing import assert_close

DEPRECATED = "`torch.jit.trace` is deprecated. Please switch to `torch.compile` or `torch.export`."
NO_CONTAINER = (
    "Encountering a dict at the output of the tracer might cause the trace to be incorrect, this is only valid if the "
    "container structure does not change based on the module's inputs. Consider using a constant container instead "
    "(e.g. for `list`, use a `tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and "
    "know the side effects, pass strict=False to trace() to allow this behavior."
)
NO_INPUT = (
    "Type '{}' cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and Tuples of Tensors can be traced"
)
NO_OUTPUT = "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions"
NOTHING = (
    "The traced function didn't return any values! Side-effects are not captured in traces, so it would be a no-op."
)
NO_CONSTANT = (
    "Cannot insert a Tensor that requires grad as a constant. Consider making it a parameter or input, or detaching "
    "the gradient"
)


# What PyTorch names in place of the type of a module that it traces.
WRAPPER = "torch.jit._trace.TracedModule.__init__.<locals>.QualnameWrapper"
NO_OPERATION = "The input to trace is already a {}, tracing it is a no-op. Returning the object as is."
DIFFERS = (
    "Output nr {}. of the traced function does not match the corresponding output of the Python function. Detailed "
    "error:\n{}"
)
FAILED = "Tracing failed sanity checks!\nERROR: Graphs differed across invocations!"
DRAWN = (
    "Trace had nondeterministic nodes. Did you forget call .eval() on your model? Nodes:\n\t{}\nThis may cause errors "
    "in trace checking. To disable trace checking, pass check_trace=False to torch.jit.trace()"
)
DRAWS = RANDOM | frozenset("bernoulli_ uniform_ normal_ random_ exponential_ geometric_ log_normal_ cauchy_".split())
NUMBERS = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg, operator.getitem)


class Example(NamedTuple):
    """The arguments of one call."""

    args: tuple
    kwargs: dict[str, Any]


def by_position(inputs: Any) -> Example:
    if isinstance(inputs, Tensor | dict):
        return Example((inputs,), {})
    if not isinstance(inputs, Iterable):
        raise ValueError(f"Auto nesting doesn't know how to process an input object of type {type(inputs).__name__}. "
                         "Accepted types: tensors, or lists/tuples of them")  # fmt: skip
    return Example(tuple(inputs), {})


class TracingCheckError(Exception):
    """A function does something else when it is traced again."""

    __module__ = "torch.jit"


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    example_kwarg_inputs: dict[str, Any] | None = None,
) -> Any:
    """Returns a module or a function that does what `func` does for the example, and nothing else.

    Control flow is that of the example; sizes stay sizes. With `check_trace` the function runs again, and a warning or
    TracingCheckError tells of what differs. A dict as result needs `strict=False`.

    >>> import warnings, rushlight as torch
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     traced = torch.jit.trace(lambda x: torch.relu(x) + 1, torch.zeros(2))
    >>> traced(torch.tensor([-1.0, 2.0, 3.0])).tolist()
    [1.0, 3.0, 4.0]
    >>> print(traced.code)
    def forward(self, x):
        relu = torch.relu(x);  x = None
        add = relu.add(1);  relu = None
        return add
    <BLANKLINE>
    """
    warnings.warn(DEPRECATED, DeprecationWarning, stacklevel=1)
    if isinstance(func, ScriptModule | ScriptFunction) and not isinstance(func, Part):
        kind = "ScriptModule" if isinstance(func, ScriptModule) else "ScriptFunction"
        warnings.warn(NO_OPERATION.format(kind), stacklevel=2)
        return func
    if example_inputs is None and not isinstance(example_kwarg_inputs, dict):
        raise RuntimeError("example_kwarg_inputs should be a dict")
    owner = getattr(func, "__self__", None)
    if isinstance(owner, Module) and func.__name__ == "forward":
        func = owner
    options = Options(check_trace, check_tolerance, strict)
    if example_kwarg_inputs is None:
        example, *others = map(by_position, (example_inputs, *(check_inputs or ())))
    else:
        example, *others = (Example((), each) for each in (example_kwarg_inputs, *(check_inputs or ())))
    for each in (example, *others):
        check_example(each)
    if isinstance(func, Module):
        return traced_module(func, {"forward": example}, options, others)
    if not callable(func):
        raise RuntimeError("Could not get name of python class object")
    return traced_function(func, example, options, others)


def trace_module(
    mod: Module,
    inputs: dict[str, Any],
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
) -> Any:
    """Returns a module that does what the methods named in `inputs` do for their examples."""
    warnings.warn(DEPRECATED.replace("trace", "trace_method"), DeprecationWarning, stacklevel=1)
    if not isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    examples = {name: by_position(each) for name, each in inputs.items()}
    for example in examples.values():
        check_example(example)
    return traced_module(mod, examples, Options(check_trace, check_tolerance, strict), [])


class Options:
    def __init__(self, check: bool, tolerance: float, strict: bool) -> None:
        self.check, self.tolerance, self.strict = check, tolerance, strict


def traced_module(module: Module, examples: dict[str, Example], options: Options, others: list[Example]) -> Any:
    refuse_lazy_members(module, WRAPPER)
    graphs, constants = {}, {}
    for name, example in examples.items():
        graphs[name], more = recorded(module, getattr(type(module), name).__get__(module), example, options, others)
        constants.update(more)
    result = TopLevelTracedModule(graphs, type(module).__name__)
    mirror(module, result, {})
    for name, value in constants.items():
        result.register_buffer(name, value, persistent=False)
    result.training = module.training
    return result


def traced_function(function: Callable, example: Example, options: Options, others: list[Example]) -> ScriptFunction:
    root = Part("constants")
    graph, constants = recorded(root, function, example, options, others)
    for name, value in constants.items():
        if value.requires_grad:
            raise RuntimeError(NO_CONSTANT)
        root.register_buffer(name, value, persistent=False)
    name = getattr(function, "__name__", type(function).__name__)
    return ScriptFunction(graph, "_lambda" if name == "<lambda>" else name, root)


# One recording


def recorded(
    root: Module, function: Callable, example: Example, options: Options, others: list[Example]
) -> tuple[Graph, dict[str, Tensor]]:
    """Returns the graph of a run and the constants that it uses; runs the function again to check both."""
    graph, constants = record(root, function, example, options.strict)
    if options.check:
        for each in (example, *others):
            check(root, function, each, graph, constants, options)
    return graph, constants


def record(root: Module, function: Callable, example: Example, strict: bool) -> tuple[Graph, dict[str, Tensor]]:
    args, kwargs = copied(example.args), copied(example.kwargs)
    with recording(root) as recorder:
        names = [*names_of(function, len(args)), *kwargs]
        nodes = [recorder.graph.placeholder(name) for name in names]
        inputs = [unpacked(recorder, *pair) for pair in zip(nodes, (*args, *kwargs.values()), strict=True)]
        try:
            result = function(*inputs[: len(args)], **dict(zip(kwargs, inputs[len(args) :], strict=True)))
            check_result(result, strict)
            recorder.graph.output(recorder.argument(without_names(result)))
        finally:
            restore(root)
    remove_unused(recorder.graph)
    return recorder.graph, dict(recorder.constants.values())


def names_of(function: Callable, count: int) -> list[str]:
    """Returns the names of the first arguments of a function."""
    names: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}_{number}" for number in range(count - len(names))]
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return [*names, *(f"argument_{number}" for number in range(len(names), count))][:count]


def unpacked(recorder: Recorder, node: Node, value: Any) -> Any:
    """Returns an argument whose tensors are values of nodes."""
    if isinstance(value, Tensor):
        return recorder.input(node, value)
    if isinstance(value, dict):
        return {key: unpacked(recorder, part(recorder, node, key), each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        parts = [unpacked(recorder, part(recorder, node, number), each) for number, each in enumerate(value)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def part(recorder: Recorder, node: Node, key: Any) -> Node:
    return recorder.graph.call_function(operator.getitem, (node, key))


def copied(value: Any) -> Any:
    """Returns arguments with copies of tensors, so that writes of the function stay in the run."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        parts = [copied(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def without_names(result: Any) -> Any:
    """Returns a result with plain tuples instead of named ones."""
    if isinstance(result, tuple):
        return tuple(without_names(each) for each in result)
    return [without_names(each) for each in result] if isinstance(result, list) else result


def restore(root: Module) -> None:
    """Makes tensors that the run has assigned to members plain ones."""
    for module in root.modules():
        for members in (module._buffers, vars(module)):
            for name, value in members.items():
                if isinstance(value, Recorded):
                    members[name] = value.as_subclass(Tensor)


def remove_unused(graph: Graph) -> None:
    """Removes sizes, numbers and parts that nothing uses. Calls stay, because they may write."""
    for node in reversed(graph.nodes):
        reads = node.op == "get_attr" or (node.op == "call_method" and node.target in ("size", "numel"))
        counts = node.op == "call_function" and node.target in NUMBERS
        if (reads or counts) and not node.users:
            graph.erase_node(node)


# Checks


def check_example(example: Example) -> None:
    """Raises RuntimeError unless arguments are tensors, or lists, tuples and dicts of them."""
    values = [*example.args, *example.kwargs.values()]
    if not all(isinstance(value, Tensor) for value in leaves(values)):
        raise RuntimeError(NO_INPUT.format(f"Tuple[{', '.join(map(kind_of, values))}]"))


def kind_of(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{type(value).__name__.title()}[{', '.join(map(kind_of, value))}]"
    return "Tensor" if isinstance(value, Tensor) else type(value).__name__


def check_result(result: Any, strict: bool) -> None:
    if result is None:
        raise RuntimeError(NOTHING)
    if isinstance(result, dict) and strict:
        raise RuntimeError(NO_CONTAINER)
    if not all(isinstance(value, Tensor) for value in leaves(result)):
        raise RuntimeError(NO_OUTPUT)


def check(
    root: Module, function: Callable, example: Example, graph: Graph, constants: dict[str, Tensor], options: Options
) -> None:
    """Runs the function and the graph on copies of the example. Warns of what differs."""
    with fork_rng(), warnings.catch_warnings():
        warnings.simplefilter("ignore", TracerWarning)
        again, _ = record(root, function, example, options.strict)
        expected = function(*copied(example.args), **copied(example.kwargs))
        result = Program(graph, "forward")(Members(root, constants), copied(example.args), copied(example.kwargs))
    if str(again) != str(graph):
        lines = "\t\t".join(difflib.ndiff(str(graph).splitlines(True), str(again).splitlines(True)))
        raise TracingCheckError(f"{FAILED}\n\tGraph diff:\n\t\t{lines}")
    for number, (one, other) in enumerate(zip(leaves(result), leaves(expected), strict=True), 1):
        try:
            assert_close(one.double(), other.double(), rtol=options.tolerance, atol=1e-5, equal_nan=True)
        except AssertionError as error:
            warn_of_draws(graph)
            warnings.warn(DIFFERS.format(number, error), TracerWarning, stacklevel=2)


class Members:
    """The members of a module and the constants of a graph."""

    def __init__(self, root: Module, constants: dict[str, Tensor]) -> None:
        self.root, self.constants = root, constants

    def __getattr__(self, name: str) -> Any:
        return self.constants[name] if name in self.constants else getattr(self.root, name)


def warn_of_draws(graph: Graph) -> None:
    draws = [str(node.format_node()) for node in graph.nodes if is_draw(node)]
    if draws:
        warnings.warn(DRAWN.format("\n\t".join(draws)), TracerWarning, stacklevel=3)


def is_draw(node: Node) -> bool:
    """Whether a node takes random numbers."""
    name = str(node.target) if node.op == "call_method" else getattr(node.target, "__name__", "")
    return name in DRAWS or (name.endswith("dropout") and node.kwargs.get("training", True) is True)
