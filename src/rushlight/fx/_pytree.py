"""`torch.fx._pytree`: splits the arguments of a generated `forward` as its trace did."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from rushlight.utils._pytree import TreeSpec, tree_flatten

FlattenFnSpec = Callable[[Any, TreeSpec], list[Any]]
SUPPORTED_NODES: dict[type, FlattenFnSpec] = {}


def register_pytree_flatten_spec(
    cls: type, flatten_fn_spec: FlattenFnSpec, flatten_fn_exact_match_spec: Any = None
) -> None:
    """Registers how an object of a class is split into the parts that a structure names."""
    SUPPORTED_NODES[cls] = flatten_fn_spec


def tree_flatten_spec(pytree: Any, spec: TreeSpec) -> list[Any]:
    """Returns the leaves of nested lists, tuples and dicts that a structure names. Others are left out.

    >>> from rushlight.utils._pytree import tree_structure
    >>> tree_flatten_spec({"b": 2, "a": [1], "c": 3}, tree_structure({"a": [0], "b": 0}))
    [1, 2]
    """
    if spec.is_leaf():
        return [pytree]
    if spec.type in SUPPORTED_NODES:
        parts = SUPPORTED_NODES[spec.type](pytree, spec)
        pairs = zip(parts, spec.children(), strict=False)
        return [leaf for part, within in pairs for leaf in tree_flatten_spec(part, within)]
    leaves, real = tree_flatten(pytree)
    if real != spec:
        raise RuntimeError(f"Real spec {real} of object {pytree} is different from expected spec {spec}.")
    return leaves


def of_dict(pytree: dict, spec: TreeSpec) -> list[Any]:
    return [pytree[key] for key in spec.context]


def of_sequence(pytree: Any, spec: TreeSpec) -> list[Any]:
    return [pytree[index] for index in range(spec.num_children)]


register_pytree_flatten_spec(dict, of_dict)
register_pytree_flatten_spec(list, of_sequence)
register_pytree_flatten_spec(tuple, of_sequence)
register_pytree_flatten_spec(namedtuple, of_sequence)  # type: ignore[arg-type]
