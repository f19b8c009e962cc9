"""Serializes structures of trees to PyTorch's JSON format, and prints them as trees."""

from __future__ import annotations

import json
from enum import Enum
from importlib import import_module
from typing import Any

from rushlight.utils._tree_nodes import (
    NO_SERIALIZED_TYPE_NAME_FOUND,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    SUPPORTED_SERIALIZED_TYPES,
)  # fmt: skip
from rushlight.utils._tree_specs import LEAF, TreeSpec

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


class EnumEncoder(json.JSONEncoder):
    """Encodes enum members by name."""

    def default(self, o: Any) -> Any:
        """Encodes a value that JSON lacks."""
        if isinstance(o, Enum):
            return {"__enum__": True, "fqn": f"{type(o).__module__}:{type(o).__qualname__}", "name": o.name}
        return super().default(o)


def enum_object_hook(obj: dict[str, Any]) -> Any:
    """Returns the enum member that `EnumEncoder` wrote; any other dictionary unchanged."""
    if "__enum__" not in obj:
        return obj
    module, _, name = obj["fqn"].partition(":")
    value: Any = import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value[obj["name"]]


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """Serializes a structure.

    Raises NotImplementedError if a node type in it was registered without `serialized_type_name`.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if protocol is None:
        protocol = DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL
    _check_protocol(protocol)
    return json.dumps([protocol, _written(treespec)], cls=EnumEncoder)


def treespec_loads(serialized: str) -> TreeSpec:
    """Deserializes a structure."""
    protocol, schema = json.loads(serialized, object_hook=enum_object_hook)
    _check_protocol(protocol)
    return _read(schema)


def _check_protocol(protocol: int) -> None:
    if protocol != DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL:
        protocols = [DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL]
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: {protocols}")


def _written(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    entry = SUPPORTED_SERIALIZED_TYPES.get(spec.type)
    if entry is None:
        raise NotImplementedError(f"Serializing {spec.type} in pytree is not registered.")
    name = entry.serialized_type_name
    if name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call "
            "with a `serialized_type_name` kwarg."
        )
    dumped = entry.to_dumpable_context(spec.context) if entry.to_dumpable_context else _context_as_text(spec.context)
    return {"type": name, "context": dumped, "children_spec": [_written(child) for child in spec._children]}


def _context_as_text(context: Any) -> str:
    try:
        return json.dumps(context, cls=EnumEncoder)
    except TypeError as error:
        raise TypeError(
            "Unable to serialize context. Please make the context json dump-able or register a custom serializer using "
            "_register_pytree_node."
        ) from error


def _read(schema: dict[str, Any]) -> TreeSpec:
    if schema["type"] is None and schema["context"] is None and not schema["children_spec"]:
        return LEAF
    node_type = SERIALIZED_TYPE_TO_PYTHON_TYPE.get(schema["type"])
    if node_type is None:
        raise NotImplementedError(f"Deserializing {schema['type']} in pytree is not registered.")
    entry, context = SUPPORTED_SERIALIZED_TYPES[node_type], schema["context"]
    if entry.from_dumpable_context is not None:
        context = entry.from_dumpable_context(context)
    else:
        context = json.loads(context, object_hook=enum_object_hook)
    return TreeSpec(node_type, context, [_read(child) for child in schema["children_spec"]])


class Asterisk:
    """The placeholder of a leaf in a printed tree."""

    def __repr__(self) -> str:
        return "*"


ASTERISK = Asterisk()


def treespec_pprint(treespec: TreeSpec) -> str:
    """Formats a structure as a Python tree with an asterisk for each leaf.

    >>> from rushlight.utils._pytree import tree_structure
    >>> treespec_pprint(tree_structure({"a": [1, 2]}))
    "{'a': [*, *]}"
    """
    return repr(treespec.unflatten([ASTERISK] * treespec.num_leaves))
