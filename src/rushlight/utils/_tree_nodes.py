"""The node types of trees: how each is flattened and unflattened, and the keys of its children."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeAlias

from rushlight import return_types
from rushlight.core.size import Size

Context = DumpableContext = PyTree = Any
FlattenFn: TypeAlias = Callable[[Any], tuple[list[Any], Any]]
UnflattenFn: TypeAlias = Callable[[Iterable[Any], Any], Any]
NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"
OF_STRUCT_SEQUENCES = ("n_fields", "n_sequence_fields", "n_unnamed_fields")


# ---- keys


class KeyEntry(Protocol):
    """The key of a child: `str` formats it as code, and `get` returns the child."""

    def get(self, parent: Any, /) -> Any: ...


@dataclass(frozen=True)
class SequenceKey:
    """An index of a sequence: `[0]`."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Sequence) -> Any:
        """Returns the element of a sequence."""
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """A key of a dictionary: `['a']`."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """Returns the value in a dictionary."""
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The name of an attribute: `.a`."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """Returns the attribute of an object."""
        return getattr(obj, self.name)


KeyPath: TypeAlias = tuple[KeyEntry, ...]


def keystr(kp: KeyPath) -> str:
    """Formats a key path as code.

    >>> keystr((SequenceKey(1), MappingKey("a"), GetAttrKey("x")))
    "[1]['a'].x"
    """
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """Returns the part of a tree at a key path."""
    for key in kp:
        obj = key.get(obj)
    return obj


# ---- node types


class NodeDef(NamedTuple):
    """How nodes of a type are flattened into children and context, and unflattened."""

    type: Any
    flatten_fn: FlattenFn
    unflatten_fn: UnflattenFn
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[KeyEntry, Any]], Any]] | None = None


class SerializedNode(NamedTuple):
    """The name of a node type in serialized structures."""

    typ: Any
    serialized_type_name: str
    to_dumpable_context: Callable[[Any], Any] | None = None
    from_dumpable_context: Callable[[Any], Any] | None = None


SUPPORTED_NODES: dict[Any, NodeDef] = {}
SUPPORTED_SERIALIZED_TYPES: dict[Any, SerializedNode] = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str, Any] = {}
CONSTANT_NODES: set[type] = set()


def enter(
    cls: Any,
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable | None = None,
    from_dumpable_context: Callable | None = None,
    flatten_with_keys_fn: Callable | None = None,
) -> None:
    """Registers a node type."""
    if (to_dumpable_context is None) is not (from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    if cls in SUPPORTED_NODES:
        warnings.warn(
            f"{cls} is already registered as pytree node. Overwriting the previous registration.", stacklevel=3
        )
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
    name = serialized_type_name or NO_SERIALIZED_TYPE_NAME_FOUND
    SUPPORTED_SERIALIZED_TYPES[cls] = SerializedNode(cls, name, to_dumpable_context, from_dumpable_context)
    SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls


def _with_keys(flatten: FlattenFn, key_type: Callable[[Any], KeyEntry], names: Callable[[Any], Iterable]) -> Callable:
    def flatten_with_keys(node: Any) -> tuple[list[tuple[KeyEntry, Any]], Any]:
        children, context = flatten(node)
        return [(key_type(name), child) for name, child in zip(names(node), children, strict=True)], context

    return flatten_with_keys


def _positions(node: Sequence) -> range:
    return range(len(node))


def _tuple_flatten(d: tuple) -> tuple[list[Any], Any]:
    return list(d), None


def _tuple_unflatten(values: Iterable, context: Any) -> tuple:
    return tuple(values)


def _list_flatten(d: list) -> tuple[list[Any], Any]:
    return d, None


def _list_unflatten(values: Iterable, context: Any) -> list:
    return list(values)


def _dict_flatten(d: dict) -> tuple[list[Any], Any]:
    return list(d.values()), list(d.keys())


def _dict_unflatten(values: Iterable, context: Any) -> dict:
    return dict(zip(context, values, strict=True))


def _ordereddict_unflatten(values: Iterable, context: Any) -> OrderedDict:
    return OrderedDict(zip(context, values, strict=True))


def _defaultdict_flatten(d: defaultdict) -> tuple[list[Any], Any]:
    values, keys = _dict_flatten(d)
    return values, [d.default_factory, keys]


def _defaultdict_unflatten(values: Iterable, context: Any) -> defaultdict:
    factory, keys = context
    return defaultdict(factory, _dict_unflatten(values, keys))


def _defaultdict_serialize(context: Any) -> dict:
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def _defaultdict_deserialize(dumpable: dict) -> list:
    module = import_module(dumpable["default_factory_module"])
    return [getattr(module, dumpable["default_factory_name"]), dumpable["dict_context"]]


def _deque_flatten(d: deque) -> tuple[list[Any], Any]:
    return list(d), d.maxlen


def _deque_unflatten(values: Iterable, context: Any) -> deque:
    return deque(values, maxlen=context)


def _namedtuple_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d), type(d)


def _namedtuple_unflatten(values: Iterable, context: Any) -> Any:
    return context(*values)


def _namedtuple_serialize(context: Any) -> str:
    entry = SUPPORTED_SERIALIZED_TYPES.get(context)
    if entry is None:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a "
            "serializated_type_name. Please register using `_register_namedtuple`."
        )
    if entry.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"No registered serialization name for {context} found. Please update your _register_pytree_node call with "
            "a `serialized_type_name` kwarg."
        )
    return entry.serialized_type_name


def _namedtuple_deserialize(dumpable: str) -> Any:
    return SERIALIZED_TYPE_TO_PYTHON_TYPE[dumpable]


_odict_flatten = _ordereddict_flatten = _dict_flatten
_odict_unflatten = _ordereddict_unflatten
_tuple_flatten_with_keys = _with_keys(_tuple_flatten, SequenceKey, _positions)
_list_flatten_with_keys = _with_keys(_list_flatten, SequenceKey, _positions)
_deque_flatten_with_keys = _with_keys(_deque_flatten, SequenceKey, _positions)
_dict_flatten_with_keys = _ordereddict_flatten_with_keys = _with_keys(_dict_flatten, MappingKey, iter)
_defaultdict_flatten_with_keys = _with_keys(_defaultdict_flatten, MappingKey, iter)
_namedtuple_flatten_with_keys = _with_keys(_namedtuple_flatten, GetAttrKey, lambda node: type(node)._fields)

enter(tuple, _tuple_flatten, _tuple_unflatten, serialized_type_name="builtins.tuple",
      flatten_with_keys_fn=_tuple_flatten_with_keys)  # fmt: skip
enter(list, _list_flatten, _list_unflatten, serialized_type_name="builtins.list",
      flatten_with_keys_fn=_list_flatten_with_keys)  # fmt: skip
enter(dict, _dict_flatten, _dict_unflatten, serialized_type_name="builtins.dict",
      flatten_with_keys_fn=_dict_flatten_with_keys)  # fmt: skip
enter(namedtuple, _namedtuple_flatten, _namedtuple_unflatten, serialized_type_name="collections.namedtuple",
      to_dumpable_context=_namedtuple_serialize, from_dumpable_context=_namedtuple_deserialize,
      flatten_with_keys_fn=_namedtuple_flatten_with_keys)  # fmt: skip
enter(OrderedDict, _ordereddict_flatten, _ordereddict_unflatten, serialized_type_name="collections.OrderedDict",
      flatten_with_keys_fn=_ordereddict_flatten_with_keys)  # fmt: skip
enter(defaultdict, _defaultdict_flatten, _defaultdict_unflatten, serialized_type_name="collections.defaultdict",
      to_dumpable_context=_defaultdict_serialize, from_dumpable_context=_defaultdict_deserialize,
      flatten_with_keys_fn=_defaultdict_flatten_with_keys)  # fmt: skip
enter(deque, _deque_flatten, _deque_unflatten, serialized_type_name="collections.deque",
      flatten_with_keys_fn=_deque_flatten_with_keys)  # fmt: skip
BUILTIN_TYPES = frozenset(SUPPORTED_NODES)
STANDARD_DICT_TYPES = frozenset({dict, OrderedDict, defaultdict})
enter(Size, _tuple_flatten, _tuple_unflatten, serialized_type_name="torch.Size",
      flatten_with_keys_fn=_tuple_flatten_with_keys)  # fmt: skip


def _enter_result(cls: Any) -> None:
    """Registers a result type with field names, such as that of `torch.max(x, 0)`, as a node type."""
    enter(cls, _tuple_flatten, lambda values, _: cls(values), flatten_with_keys_fn=_tuple_flatten_with_keys)


for _each in return_types.all_return_types:
    _enter_result(_each)


# ---- the node type of an object


def is_namedtuple_class(cls: Any) -> bool:
    """Whether a class is a namedtuple class, or derived from one."""
    names = getattr(cls, "_fields", None)
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(names, tuple)
        and all(type(name) is str for name in names)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether an object is a namedtuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: Any) -> bool:
    """Whether an object is a namedtuple, or a namedtuple class."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: Any) -> bool:
    """Whether a class is a structseq class: `time.struct_time`, `torch.return_types.max`."""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and all(isinstance(getattr(cls, name, None), int) for name in OF_STRUCT_SEQUENCES)
    )


def is_structseq_instance(obj: Any) -> bool:
    """Whether an object is a structseq."""
    return is_structseq_class(type(obj))


def is_structseq(obj: Any) -> bool:
    """Whether an object is a structseq, or a structseq class."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _get_node_type(tree: Any) -> Any:
    node_type = type(tree)
    if node_type in SUPPORTED_NODES or not issubclass(node_type, tuple) or not is_namedtuple_class(node_type):
        return node_type
    return namedtuple
