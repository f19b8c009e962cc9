"""The structure of a tree, without its leaves."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from rushlight.utils._tree_nodes import BUILTIN_TYPES, STANDARD_DICT_TYPES, SUPPORTED_NODES, _get_node_type


class TreeSpec:
    """A node of a structure: its type, its `context`, and the structures of its children.

    >>> TreeSpec(dict, ["a"], [treespec_leaf()])
    TreeSpec(dict, ['a'], [*])
    """

    __module__ = "rushlight.utils._pytree"
    __slots__ = ("_children", "context", "num_children", "num_leaves", "num_nodes", "type")
    num_leaves: int
    num_nodes: int

    def __init__(self, type: Any, context: Any, children_specs: list[TreeSpec]):
        self.type, self.context, self._children = type, context, children_specs
        self.num_children = len(children_specs)
        self.num_nodes = 1 + sum([child.num_nodes for child in children_specs])
        self.num_leaves = sum([child.num_leaves for child in children_specs])

    def __reduce__(self) -> tuple:
        return TreeSpec, (self.type, self.context, self._children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (
            self.type is other.type
            and self.num_leaves == other.num_leaves
            and self.context == other.context
            and self._children == other._children
        )

    def __hash__(self) -> int:
        return hash((self.type, self.num_nodes, self.num_leaves, tuple(self._children)))

    def __repr__(self) -> str:
        return self._shown(0)

    def _shown(self, indent: int) -> str:
        inner = indent + 2
        children = f",\n{' ' * inner}".join(child._shown(inner) for child in self._children)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{children}])"

    @property
    def children_specs(self) -> list[TreeSpec]:
        """Returns the structures of the children. Deprecated."""
        warnings.warn(
            "`treespec.children_specs` is deprecated. Use `treespec.child(index)` to access a single child, or "
            "`treespec.children()` to get all children.",
            FutureWarning,
            stacklevel=2,
        )
        return self._children

    def is_leaf(self) -> bool:
        """Whether it is the structure of a single leaf."""
        return False

    def children(self) -> list[TreeSpec]:
        """Returns the structures of the children."""
        return self._children.copy()

    def child(self, index: int) -> TreeSpec:
        """Returns the structure of one child."""
        return self._children[index]

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Returns the parts of a tree at the positions of the leaves, which may be subtrees.

        Raises ValueError if the tree has another structure above the leaves.
        """
        parts: list[Any] = []
        self._collect(tree, parts)
        return parts

    def _collect(self, tree: Any, parts: list[Any]) -> None:
        for spec, child in zip(self._children, self.children_of(tree), strict=True):
            spec._collect(child, parts)

    def children_of(self, tree: Any) -> list[Any]:
        """Returns the children of another tree's node, in the order of this structure.

        Raises ValueError if the node differs.
        """
        node_type = _get_node_type(tree)
        dictionaries = self.type in STANDARD_DICT_TYPES and node_type in STANDARD_DICT_TYPES
        if node_type is not self.type and not dictionaries:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {node_type!r}.")
        children, context = SUPPORTED_NODES[node_type].flatten_fn(tree)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if dictionaries:
            keys = self.context[1] if self.type is defaultdict else self.context
            return _in_order(keys, tree)
        if self.type not in BUILTIN_TYPES:
            if context != self.context:
                raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
        elif isinstance(self.context, type) and context is not self.context:  # named tuples
            raise ValueError(
                f"Node context mismatch for node type {self.type!r}; expected {self.context!r}, but got {context!r}."
            )
        return children

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Builds the tree with other leaves. Raises ValueError if the number of leaves differs."""
        leaves = leaves if isinstance(leaves, (list, tuple)) else list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._built(iter(leaves))

    def _built(self, leaves: Any) -> Any:
        return SUPPORTED_NODES[self.type].unflatten_fn([child._built(leaves) for child in self._children], self.context)


def _in_order(keys: list[Any], tree: dict) -> list[Any]:
    """Returns the values of a dictionary in the order of `keys`. Raises ValueError unless the keys are the same."""
    missing, extra = {*keys} - tree.keys(), tree.keys() - {*keys}
    message = f"; missing key(s): {missing}" if missing else ""
    message += f"; extra key(s): {extra}" if extra else ""
    if message:
        raise ValueError(f"Node keys mismatch{message}.")
    return [tree[key] for key in keys]


class LeafSpec(TreeSpec):
    """The structure of a leaf. `LeafSpec()` is deprecated: use `treespec_leaf()`."""

    __module__ = "rushlight.utils._pytree"
    __slots__ = ()

    def __init__(self):
        warnings.warn(
            "`isinstance(treespec, LeafSpec)` is deprecated, use `isinstance(treespec, TreeSpec) and "
            "treespec.is_leaf()` instead.",
            FutureWarning,
            stacklevel=2,
        )
        self._become_leaf()

    def _become_leaf(self) -> None:
        self.type, self.context, self._children = None, None, []
        self.num_nodes = self.num_leaves = 1
        self.num_children = 0

    def __reduce__(self) -> tuple:
        return treespec_leaf, ()

    def _shown(self, indent: int) -> str:
        return "*"

    def is_leaf(self) -> bool:
        """True."""
        return True

    def _collect(self, tree: Any, parts: list[Any]) -> None:
        parts.append(tree)

    def _built(self, leaves: Any) -> Any:
        return next(leaves)


LEAF = LeafSpec.__new__(LeafSpec)
LEAF._become_leaf()


def treespec_leaf() -> LeafSpec:
    """Returns the structure of a leaf."""
    return LEAF


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """Returns the structure of a tuple of the given structures."""
    children = list(iterable)
    _need_specs("tuple", children)
    return TreeSpec(tuple, None, children)


def treespec_dict(mapping: Any = (), /, **kwargs: TreeSpec) -> TreeSpec:
    """Returns the structure of a dictionary of the given structures."""
    children = dict(mapping, **kwargs)
    _need_specs("dictionary", list(children.values()))
    return TreeSpec(dict, list(children), list(children.values()))


def _need_specs(kind: str, children: list) -> None:
    if any(not isinstance(child, TreeSpec) for child in children):
        raise ValueError(f"Expected a {kind} of TreeSpec values, got: {children!r}.")
