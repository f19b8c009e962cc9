"""`torch.utils._pytree`: splits nested lists, tuples and dictionaries into leaves and structure; functions on them.

>>> leaves, structure = tree_flatten({"a": 1, "b": [2, 3]})
>>> leaves, tree_unflatten([x * 10 for x in leaves], structure)
([1, 2, 3], {'a': 10, 'b': [20, 30]})
"""

# ruff: noqa: F401  # packages read the names of all parts here

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from types import UnionType
from typing import Any, TypeAlias

from rushlight.utils._tree_nodes import (
    BUILTIN_TYPES,
    CONSTANT_NODES,
    NO_SERIALIZED_TYPE_NAME_FOUND,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    SUPPORTED_SERIALIZED_TYPES,
    Context,
    DumpableContext,
    FlattenFn,
    GetAttrKey,
    KeyEntry,
    KeyPath,
    MappingKey,
    NodeDef,
    PyTree,
    SequenceKey,
    UnflattenFn,
    _defaultdict_deserialize,
    _defaultdict_flatten,
    _defaultdict_flatten_with_keys,
    _defaultdict_serialize,
    _defaultdict_unflatten,
    _deque_flatten,
    _deque_flatten_with_keys,
    _deque_unflatten,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    _get_node_type,
    _list_flatten,
    _list_flatten_with_keys,
    _list_unflatten,
    _namedtuple_deserialize,
    _namedtuple_flatten,
    _namedtuple_flatten_with_keys,
    _namedtuple_serialize,
    _namedtuple_unflatten,
    _odict_flatten,
    _odict_unflatten,
    _ordereddict_flatten,
    _ordereddict_flatten_with_keys,
    _ordereddict_unflatten,
    _tuple_flatten,
    _tuple_flatten_with_keys,
    _tuple_unflatten,
    enter,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    key_get,
    keystr,
)  # fmt: skip
from rushlight.utils._tree_nodes import SerializedNode as _SerializeNodeDef
from rushlight.utils._tree_specs import LEAF, LeafSpec, TreeSpec, treespec_dict, treespec_leaf, treespec_tuple
from rushlight.utils._tree_texts import ASTERISK as _asterisk
from rushlight.utils._tree_texts import (
    DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL,
    EnumEncoder,
    enum_object_hook,
    treespec_dumps,
    treespec_loads,
    treespec_pprint,
)  # fmt: skip

__all__ = [
    "PyTree", "Context", "FlattenFn", "UnflattenFn", "DumpableContext", "ToDumpableContextFn", "FromDumpableContextFn",
    "PyTreeSpec", "TreeSpec", "LeafSpec", "keystr", "key_get", "register_pytree_node", "tree_is_leaf", "tree_flatten",
    "tree_flatten_with_path", "tree_unflatten", "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_structure",
    "tree_map", "tree_map_with_path", "tree_map_", "tree_map_only", "tree_map_only_", "tree_all", "tree_any",
    "tree_all_only", "tree_any_only", "treespec_dumps", "treespec_loads", "treespec_pprint", "is_namedtuple",
    "is_namedtuple_class", "is_namedtuple_instance", "is_structseq", "is_structseq_class", "is_structseq_instance",
]  # fmt: skip  # noqa: RUF022  # PyTorch's order

PyTreeSpec = TreeSpec
_LEAF_SPEC = LEAF
ToDumpableContextFn: TypeAlias = Callable[[Any], Any]
FromDumpableContextFn: TypeAlias = Callable[[Any], Any]
IsLeaf: TypeAlias = Callable[[Any], bool] | None


# ---- registering types


def register_pytree_node(
    cls: type,
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], Any] | None = None,
) -> None:
    """Registers a class as a node type of trees. Raises ValueError if it is registered already.

    `flatten_fn(obj)` returns the children and the context; `unflatten_fn(children, context)` returns the object.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(
        cls, flatten_fn, unflatten_fn, serialized_type_name=serialized_type_name,
        to_dumpable_context=to_dumpable_context, from_dumpable_context=from_dumpable_context,
        flatten_with_keys_fn=flatten_with_keys_fn,
    )  # fmt: skip


_private_register_pytree_node = enter


def _register_pytree_node(
    cls: type,
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    to_str_fn: Any = None,
    maybe_from_str_fn: Any = None,
    **keywords: Any,
) -> None:
    """Like `register_pytree_node`, also for a class that is registered already. Deprecated."""
    warnings.warn(
        "`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
        "`torch.utils._pytree.register_pytree_node` instead.",
        FutureWarning,
        stacklevel=2,
    )
    if to_str_fn is not None or maybe_from_str_fn is not None:
        warnings.warn(
            "`to_str_fn` and `maybe_from_str_fn` is deprecated. Please use `to_dumpable_context` and "
            "`from_dumpable_context` instead.",
            FutureWarning,
            stacklevel=2,
        )
    enter(cls, flatten_fn, unflatten_fn, **keywords)


def _deregister_pytree_node(cls: type) -> None:
    """Makes objects of a class leaves again. Raises KeyError if they already are."""
    del SUPPORTED_NODES[cls]
    entry = SUPPORTED_SERIALIZED_TYPES.pop(cls)
    SERIALIZED_TYPE_TO_PYTHON_TYPE.pop(entry.serialized_type_name, None)
    CONSTANT_NODES.discard(cls)


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Sets the name of a namedtuple class in serialized structures; namedtuples are nodes without registration."""
    SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(cls, serialized_type_name)
    SERIALIZED_TYPE_TO_PYTHON_TYPE[serialized_type_name] = cls


def register_dataclass(
    cls: Any,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Registers a dataclass as a node type, with its fields as children, except those that are None.

    Raises ValueError if `field_names` differ from the class's without `drop_field_names`.
    """
    names = _checked_fields(cls, field_names, drop_field_names or [])

    def flatten_with_keys(obj: Any) -> tuple[list, list]:
        values = [(name, getattr(obj, name)) for name in names]
        present = [(GetAttrKey(name), value) for name, value in values if value is not None]
        return present, [[key.name for key, _ in present], [name for name, value in values if value is None]]

    def flatten(obj: Any) -> tuple[list, list]:
        present, context = flatten_with_keys(obj)
        return [value for _, value in present], context

    def unflatten(values: Iterable[Any], context: Any) -> Any:
        present, absent = context
        return cls(**dict(zip(present, values, strict=True)), **dict.fromkeys(absent))

    enter(
        cls, flatten, unflatten, serialized_type_name=serialized_type_name, flatten_with_keys_fn=flatten_with_keys
    )  # fmt: skip


def _checked_fields(cls: Any, field_names: list[str] | None, dropped: list[str]) -> list[str]:
    if not is_dataclass(cls):
        if field_names is None:
            raise ValueError(
                f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a "
                "dataclass."
            )
        return field_names
    own = [field.name for field in fields(cls) if field.init]
    if field_names is None:
        return own
    message = ""
    if missing := {*own} - {*field_names, *dropped}:
        message += (
            f"Missing fields in `field_names`: {missing}. If you want to include these fields in the pytree, please "
            "add them to `field_names`, otherwise please add them to `drop_field_names`.\n"
        )
    if unexpected := {*field_names} - {*own}:
        message += (
            f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, or add them to "
            "`drop_field_names`.\n"
        )
    if message:
        raise ValueError(f"field_names does not include all dataclass fields.\n{message}")
    return field_names


@dataclass(frozen=True)
class ConstantNode:
    """The context of a constant node."""

    value: Any


def register_constant(cls: type) -> None:
    """Registers a class whose objects are nodes without children: part of the structure, compared by `==`."""
    if cls.__eq__ is object.__eq__:
        raise TypeError("register_constant(cls) expects `cls` to have a non-default `__eq__` implementation.")
    if cls.__hash__ is None or cls.__hash__ is object.__hash__:
        raise TypeError("register_constant(cls) expects `cls` to have a non-default `__hash__` implementation.")
    enter(
        cls, lambda obj: ([], ConstantNode(obj)), lambda values, context: context.value,
        flatten_with_keys_fn=lambda obj: ([], ConstantNode(obj)),
    )  # fmt: skip
    CONSTANT_NODES.add(cls)


def is_constant_class(cls: type) -> bool:
    """Whether a class is registered as constant."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


def _is_constant_holder(spec: TreeSpec) -> bool:
    """Whether a structure is that of a constant."""
    return isinstance(spec.context, ConstantNode)


def _retrieve_constant(spec: TreeSpec) -> Any:
    """Returns the constant of a structure."""
    return spec.unflatten([])


# ---- flattening and unflattening


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether a tree is a leaf: its type is not a node type, or `is_leaf` returns True."""
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


def _flatten_into(tree: Any, leaves: list[Any], is_leaf: IsLeaf) -> TreeSpec:
    if is_leaf is not None and is_leaf(tree):
        leaves.append(tree)
        return LEAF
    node_type = type(tree)
    if (node := SUPPORTED_NODES.get(node_type)) is None:
        node_type = _get_node_type(tree)
        if (node := SUPPORTED_NODES.get(node_type)) is None:
            leaves.append(tree)
            return LEAF
    children, context = node.flatten_fn(tree)
    return TreeSpec(node_type, context, [_flatten_into(child, leaves, is_leaf) for child in children])


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Returns the leaves of a tree in order, and its structure."""
    if is_leaf is None and _get_node_type(tree) not in SUPPORTED_NODES:
        return [tree], LEAF
    leaves: list[Any] = []
    spec = _flatten_into(tree, leaves, is_leaf)
    return leaves, spec


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """Builds a tree from its structure and leaves. Raises ValueError if the number of leaves differs."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if treespec is LEAF and type(leaves) is list and len(leaves) == 1:
        return leaves[0]
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """Yields the leaves of a tree."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for child in SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """Returns the leaves of a tree in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """Returns the structure of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def _generate_key_paths(key_path: KeyPath, tree: Any, is_leaf: IsLeaf = None) -> Iterator[tuple[KeyPath, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield key_path, tree
        return
    cls = _get_node_type(tree)
    flatten = SUPPORTED_NODES[cls].flatten_with_keys_fn
    if flatten is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {cls}. Please pass a flatten_with_keys_fn argument to "
            "register_pytree_node."
        )
    for key, child in flatten(tree)[0]:
        yield from _generate_key_paths((*key_path, key), child, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    """Returns the leaves of a tree, each with its key path."""
    return list(_generate_key_paths((), tree, is_leaf))


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Returns the leaves of a tree, each with its key path, and its structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """Returns the leaves of the arguments of this call."""
    return tree_leaves((args, kwargs))


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf = None) -> list[Any] | None:
    """Returns the leaves of a tree, repeated where it ends above the leaves of a structure; None if it does not fit."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf():
        return None
    try:
        children = treespec.children_of(tree)
    except ValueError:  # it does not fit
        return None
    result: list[Any] = []
    for child, spec in zip(children, treespec.children(), strict=True):
        flat = _broadcast_to_and_flatten(child, spec, is_leaf)
        if flat is None:
            return None
        result += flat
    return result


# ---- functions on leaves


def _rows(tree: Any, rests: tuple, is_leaf: IsLeaf) -> tuple[Iterator[tuple], TreeSpec]:
    leaves, spec = tree_flatten(tree, is_leaf)
    return zip(leaves, *(spec.flatten_up_to(rest) for rest in rests), strict=True), spec


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Returns the tree of `func(leaf, ...)` for each leaf and the corresponding parts of the other trees.

    >>> tree_map(lambda x, y: x + y, {"a": 1, "b": (2,)}, {"a": 10, "b": (20,)})
    {'a': 11, 'b': (22,)}
    """
    if not rests:
        leaves, spec = tree_flatten(tree, is_leaf)
        return spec.unflatten(list(map(func, leaves)))
    rows, spec = _rows(tree, rests, is_leaf)
    return spec.unflatten([func(*row) for row in rows])


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Calls `func` like `tree_map`, for its side effects; returns the tree itself."""
    for row in _rows(tree, rests, is_leaf)[0]:
        func(*row)
    return tree


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Like `tree_map`; the first argument of `func` is the key path of the leaf."""
    paths = [path for path, _ in tree_leaves_with_path(tree, is_leaf)]
    rows, spec = _rows(tree, rests, is_leaf)
    return spec.unflatten([func(path, *row) for path, row in zip(paths, rows, strict=True)])


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable], Callable]:
    """Decorates a function of leaves so that leaves of other types, or without a property, are returned unchanged.

    >>> map_only(int)(lambda x: x + 1)(2), map_only(int)(lambda x: x + 1)("2")
    (3, '2')
    """
    if isinstance(type_or_types_or_pred, (type, tuple, UnionType)):

        def applies(x: Any) -> bool:
            return isinstance(x, type_or_types_or_pred)

    elif callable(type_or_types_or_pred):
        applies = type_or_types_or_pred
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")

    def decorate(func: Callable) -> Callable:
        @wraps(func)
        def wrapped(x: Any) -> Any:
            return func(x) if applies(x) else x

        return wrapped

    return decorate


def tree_map_only(type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Like `tree_map`, for leaves of a type, of some types, or with a property; others stay unchanged."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Like `tree_map_`, for leaves of a type, of some types, or with a property."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` is true for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` is true for any leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` is true for all leaves of a type."""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` is true for any leaf of a type."""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


# ---- deprecated names


def _replaced(name: str, instead: str, function: Callable, words: str) -> Callable:
    @wraps(function)
    def older(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(words.format(name=name, instead=instead), FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    older.__name__ = older.__qualname__ = name
    return older


DEPRECATED = "`{name}` is deprecated. Please use `{instead}` instead."
PRIVATE = (
    "torch.utils._pytree.{name} is private and will be removed in a future release. Please use "
    "torch.utils._pytree.{instead} instead."
)
pytree_to_str = _replaced("pytree_to_str", "treespec_dumps", treespec_dumps, DEPRECATED)
str_to_pytree = _replaced("str_to_pytree", "treespec_loads", treespec_loads, DEPRECATED)
_is_leaf = _replaced("_is_leaf", "tree_is_leaf", tree_is_leaf, PRIVATE)
_is_namedtuple_instance = _replaced(
    "_is_namedtuple_instance", "is_namedtuple_instance", is_namedtuple_instance, PRIVATE
)
