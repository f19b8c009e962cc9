"""`torch.export.export`: a module as a graph of aten's operators, with real sizes of dimensions that may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.core.traced import Untraceable
from rushlight.export.builder import Builder, Record
from rushlight.export.dimensions import UserError, arguments_by_name, in_order_of_leaves, specified
from rushlight.export.exported_program import ExportedProgram
from rushlight.export.lifting import lifted
from rushlight.export.merging import is_draw, place_of_error
from rushlight.export.runs import recorded_runs, symbols
from rushlight.fx.experimental.recorder import ExportLevel, Recorder
from rushlight.graph.recording import input_of, recording_level
from rushlight.nn.modules.module import Module
from rushlight.utils._pytree import TreeSpec, tree_flatten, tree_unflatten


class GuardOnDataDependentSymNode(RuntimeError):
    """A program decides by elements of a tensor, which an exported graph cannot."""


GuardOnDataDependentSymNode.__module__ = "torch.fx.experimental.symbolic_shapes"


def export(
    mod: Module,
    args: tuple,
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """Returns a module as a graph: the calls of aten's operators that it makes for `args` and `kwargs`.

    `dynamic_shapes` says which dimensions may have other sizes later: {parameter: {dimension: Dim}}, or a tuple in the
    order of the parameters. The module runs at several sizes, and what differs between the runs becomes an expression
    of sizes. `strict` changes nothing: the module runs either way.

    Raises UserError for sizes that the module does not accept, and GuardOnDataDependentSymNode, with the line, for a
    program that decides by elements.

    >>> import rushlight as torch
    >>> batch = torch.export.Dim("batch")
    >>> program = torch.export.export(torch.nn.Linear(3, 2), (torch.ones(4, 3),), dynamic_shapes=({0: batch},))
    >>> print([str(node.target) for node in program.graph.nodes if node.op == "call_function"])
    ['aten.linear.default']
    >>> program.module()(torch.ones(7, 3)).shape
    torch.Size([7, 2])
    """
    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise UserError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    named = dict(kwargs or {})
    leaves, in_spec = tree_flatten((args, named))
    spec = specified(mod.forward, args, named, dynamic_shapes)
    return exported(mod, leaves, in_spec, spec, input_names(mod, args, named, leaves), {})


def exported(
    mod: Module, leaves: list, in_spec: TreeSpec, spec: list[dict[int, Any]], names: list[str], decompositions: dict
) -> ExportedProgram:
    """Returns the program of a module; operators in `decompositions` are replaced by what those functions call."""

    def record(changed: list) -> Record:
        return run(mod, changed, in_spec, decompositions)

    runs, records = recorded_runs(leaves, symbols(leaves, spec), record, GuardOnDataDependentSymNode)
    return Builder(mod, records, names, runs, leaves, in_spec).program()


def run(mod: Module, leaves: list, in_spec: TreeSpec, decompositions: dict) -> Record:
    """Records a run of a module on flat inputs."""
    try:
        with no_grad(), recording_level(ExportLevel) as level:
            recorder = Recorder(level, decompositions)
            with lifted(mod, level) as weights:
                numbers = {name: level.number_of(each.tensor) for name, each in weights.items()}
                recorder.known.update(numbers.values())
                traced: list = [input_of(level, x) if isinstance(x, Tensor) else x for x in leaves]
                inputs = [level.number_of(x) if isinstance(x, Tensor) else x for x in traced]
                recorder.known.update([at for at, x in zip(inputs, traced, strict=True) if isinstance(x, Tensor)])
                args, kwargs = tree_unflatten(traced, in_spec)
                with recorder:
                    returned = mod(*args, **kwargs)
                flat, out_spec = tree_flatten(returned)
                results = [recorder.written(value) for value in flat]
    except Untraceable as error:
        raise data_dependent(error, str(error)) from None
    except RuntimeError as error:
        if not is_draw(error):
            raise
        raise data_dependent(error, "a random draw, which a graph does not make") from None
    record = Record(recorder.entries, numbers, inputs, results, out_spec)
    record.constants = recorder.constants
    return record


def data_dependent(error: RuntimeError, reason: str) -> GuardOnDataDependentSymNode:
    """Returns PyTorch's error for a program that decides by elements, with its line."""
    return noted(
        GuardOnDataDependentSymNode(f"Could not guard on data-dependent expression: {reason}{place_of_error(error)}"),
        "The graph would take the same branch for every input. Use torch.where(), or torch.cond().",
    )


def input_names(mod: Module, args: tuple, kwargs: dict, leaves: list) -> list[str]:
    """Returns a name for each flat input, as PyTorch gives them: that of the parameter, with the way to the leaf."""
    names: list[str] = []
    for name, value in in_order_of_leaves(arguments_by_name(mod.forward, args, kwargs), kwargs).items():
        inside = tree_flatten(value)[0]
        names += [name] if len(inside) == 1 and not isinstance(value, list | tuple | dict) else [
            f"{name}_{number}" for number in range(len(inside))
        ]  # fmt: skip
    return names[: len(leaves)] + [f"arg_{number}" for number in range(len(names), len(leaves))]
