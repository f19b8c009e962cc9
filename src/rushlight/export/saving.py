"""`torch.export.save` and `torch.export.load`: programs in a format of ours.

The file is a checkpoint (`serialization`) of plain values and tensors, so loading runs no code of the file. A function
is stored by its name, and must be an operation of ours. A graph becomes Python, so names in a file are checked too.
"""

from __future__ import annotations

import keyword
from functools import cache
from importlib import import_module
from os import PathLike
from types import FunctionType
from typing import IO, Any

from rushlight._library.overloads import OpOverload, find_packet
from rushlight.core import dtype as dtypes
from rushlight.core.device import device
from rushlight.core.errors import noted
from rushlight.core.formats import memory_format
from rushlight.core.shape_queries import layout
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty
from rushlight.create.from_data import tensor as from_data
from rushlight.export.exported_program import ExportedProgram
from rushlight.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)  # fmt: skip
from rushlight.fx.code import IN_PLACE, SIGNS
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.naming import qualified
from rushlight.fx.node import Node
from rushlight.nn.parameter import Parameter
from rushlight.overrides import get_overridable_functions
from rushlight.serialization.reading import load as load_checkpoint
from rushlight.serialization.writing import save as save_checkpoint
from rushlight.utils._pytree import treespec_dumps, treespec_loads

FORMAT, VERSION = "rushlight.export", 1
KINDS = ("placeholder", "call_function", "output")  # of nodes
OBJECTS = (dtypes.dtype, memory_format, layout)
PLAIN = (bool, int, float, complex, str, type(None), Tensor)
PYTHON = {f"operator.{each.__name__}": each for each in (*SIGNS, *IN_PLACE)}
ARGUMENTS: dict[str, type] = {each.__name__: each for each in (TensorArgument, SymIntArgument, ConstantArgument)}


def save(
    ep: ExportedProgram, f: str | PathLike | IO[bytes], *, extra_files: dict[str, Any] | None = None,
    opset_version: dict[str, int] | None = None, pickle_protocol: int = 2,
) -> None:  # fmt: skip
    """Writes a program to a file. `extra_files` are texts or bytes that `load` gives back.

    The example inputs are written too if they are tensors, numbers and strings.
    """
    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
    signature = ep.graph_signature
    save_checkpoint(
        {
            "format": FORMAT, "version": VERSION, "nodes": [stored_node(node) for node in ep.graph.nodes],
            "inputs": [[x.kind.name, *stored_spec(x.arg), x.target, x.persistent] for x in signature.input_specs],
            "outputs": [[x.kind.name, *stored_spec(x.arg), x.target] for x in signature.output_specs],
            "parameters": {name: tensor.detach() for name, tensor in ep.named_parameters()},
            "frozen": [name for name, tensor in ep.named_parameters() if not tensor.requires_grad],
            "state": {name: x for name, x in ep.state_dict.items() if name not in signature.parameters},
            "constants": dict(ep.constants), "specs": [treespec_dumps(spec) for spec in ep._specs],
            "ranges": {name: list(bounds) for name, bounds in ep.range_constraints.items()},
            "checks": [[name, stored(dtype), stored(sizes)] for name, dtype, sizes in ep._checks],
            "examples": stored(ep.example_inputs), "extra": dict(extra_files or {}),
        },
        f,
    )  # fmt: skip


def load(
    f: str | PathLike | IO[bytes], *, extra_files: dict[str, Any] | None = None,
    expected_opset_version: dict[str, int] | None = None,
) -> ExportedProgram:  # fmt: skip
    """Reads a program that `save` wrote. The values of `extra_files` are set to what the file has under these names."""
    content = load_checkpoint(f, weights_only=True)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise noted(
            RuntimeError("torch.export.load: the file has no program that rushlight saved"),
            "PyTorch's own files of exported programs are not read: save it with rushlight's torch.export.save.",
        )
    if content["version"] > VERSION:
        raise RuntimeError("torch.export.load: a later version of rushlight saved the program")
    if extra_files is not None:
        extra_files.update({name: content["extra"].get(name, "") for name in extra_files})
    graph = restored_graph(content["nodes"])
    parameters = {
        name: Parameter(tensor, requires_grad=name not in content["frozen"])
        for name, tensor in content["parameters"].items()
    }
    for target in [target for *_, target, _ in content["inputs"] if target is not None]:
        check(isinstance(target, str) and target.isprintable() and not set(target) & set('"\\'), f"a name {target!r}")
    signature = ExportGraphSignature(
        [InputSpec(InputKind[kind], restored_spec(*rest[:3]), *rest[3:]) for kind, *rest in content["inputs"]],
        [OutputSpec(OutputKind[kind], restored_spec(*rest[:3]), rest[3]) for kind, *rest in content["outputs"]],
    )
    in_spec, out_spec = map(treespec_loads, content["specs"])
    return ExportedProgram(
        GraphModule({}, graph),
        signature,
        {**parameters, **content["state"]},
        content["constants"],
        (in_spec, out_spec),
        {name: (low, high) for name, (low, high) in content["ranges"].items()},
        [(name, restored(dtype, {}), restored(sizes, {})) for name, dtype, sizes in content["checks"]],
        restored(content["examples"], {}),
    )


# ---- nodes and values


def stored_node(node: Node) -> list:
    if node.op not in KINDS:
        raise TypeError(f"torch.export.save: the program has a node of the kind {node.op}, which is not saved")
    target = name_of(node.target) if node.op == "call_function" else node.target
    return [node.op, node.name, target, stored(node.args), stored(node.kwargs), stored(node.meta.get("val"))]


def restored_graph(rows: list) -> Graph:
    """Returns the graph of stored nodes. Raises RuntimeError if one has what `save` does not write."""
    graph = Graph()
    nodes: dict[str, Node] = {}
    for op, name, target, args, kwargs, value in rows:
        check(op in KINDS, f"a node is a {op!r}")
        check(is_name(name), f"{name!r} is no name of a node")
        function = function_named(target) if op == "call_function" else target
        check(op == "call_function" or is_name(target), f"{target!r} is no name of an argument")
        named = restored(kwargs, nodes)
        check(all(map(is_name, named)), "a keyword is no name")
        node = graph.create_node(op, function, restored(args, nodes), named, name)
        node.meta["val"] = restored(value, nodes)
        nodes[name] = node
    return graph


def is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)


def check(sound: bool, words: str) -> None:
    if not sound:
        raise RuntimeError(f"torch.export.load: the file has no sound program: {words}")


def name_of(function: Any) -> str:
    """Returns the name by which a function is loaded again."""
    if isinstance(function, OpOverload):
        return f"{function.namespace}::{function._opname}:{function._overloadname}"
    return f"operator.{function.__name__}" if function.__module__ == "_operator" else qualified(function)


def function_named(name: str) -> Any:
    """Returns the function of a name: an overload, one of the module `operator`, or an operation of ours."""
    if "::" in name:
        packet, _, overload = name.rpartition(":")
        check(packet != "aten::from_file", "it reads a file")
        return getattr(find_packet(packet), overload)
    if name in PYTHON:
        return PYTHON[name]
    content: Any = import_module("rushlight")
    if name.startswith("torch."):
        for part in name.split(".")[1:]:
            content = getattr(content, part, None)
    sound = isinstance(content, FunctionType) and (
        content in operations() or content.__module__.startswith("rushlight._generated.functions")
    )
    check(sound, f"it calls {name}, which is no operation of ours")
    return content


@cache
def operations() -> frozenset[Any]:
    """Returns the functions that a program may have recorded, besides those that declarations generate."""
    return frozenset([from_data, *[each for functions in get_overridable_functions().values() for each in functions]])


def stored(value: Any) -> Any:
    """Returns a value as plain ones; nodes and objects of ours by their names."""
    if isinstance(value, Node):
        return {"node": value.name}
    if isinstance(value, Tensor) and value.device.type == "meta":
        return {"meta": [list(value.shape), str(value.dtype).removeprefix("torch.")]}
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, OBJECTS):
        return {"torch": str(value).removeprefix("torch.")}
    if isinstance(value, device):
        return {"device": str(value)}
    if isinstance(value, slice):
        return {"slice": [stored(each) for each in (value.start, value.stop, value.step)]}
    if value is Ellipsis:
        return {"ellipsis": True}
    if isinstance(value, tuple):
        return {"tuple": [stored(each) for each in value]}
    if isinstance(value, list):
        return [stored(each) for each in value]
    if isinstance(value, dict):
        return {"dict": [[name, stored(each)] for name, each in value.items()]}
    if value is None or isinstance(value, bool | int | float | complex | str):
        return value
    raise noted(
        TypeError(f"torch.export.save: the program has a {type(value).__name__}, which is not saved"),
        "Arguments are tensors, numbers, strings, and lists, tuples and dicts of them.",
    )


def restored(value: Any, nodes: dict[str, Node]) -> Any:
    """Returns the value that `stored` got."""
    if isinstance(value, list):
        return [restored(each, nodes) for each in value]
    if not isinstance(value, dict):
        check(isinstance(value, PLAIN), f"a value is a {type(value).__name__}")
        return value
    ((kind, inner),) = value.items()
    if kind == "node":
        return nodes[inner]
    if kind == "meta":
        return empty(inner[0], dtype=getattr(dtypes, inner[1]), device="meta")
    if kind == "torch":
        constant = getattr(import_module("rushlight"), inner, None)
        check(isinstance(constant, OBJECTS), f"torch.{inner} is no constant")
        return constant
    if kind == "device":
        return device(inner)
    if kind == "ellipsis":
        return Ellipsis
    if kind == "dict":
        return {name: restored(each, nodes) for name, each in inner}
    check(kind in ("slice", "tuple"), f"a value is a {kind!r}")
    parts = [restored(each, nodes) for each in inner]
    return slice(*parts) if kind == "slice" else tuple(parts)


def stored_spec(arg: Any) -> list:
    return [type(arg).__name__, arg.name, stored(getattr(arg, "value", None))]


def restored_spec(kind: str, name: str, value: Any) -> Any:
    return ConstantArgument(name, restored(value, {})) if kind == "ConstantArgument" else ARGUMENTS[kind](name)
