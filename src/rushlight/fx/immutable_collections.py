"""`torch.fx.immutable_collections`: the lists and dicts in arguments of nodes, which refuse to change."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.utils._pytree import _dict_flatten, _dict_unflatten, _list_flatten, _list_unflatten, register_pytree_node

__all__ = ["immutable_dict", "immutable_list"]

HELP = """If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args"""


def refused(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {HELP}")


class immutable_list(list):
    """A list that does not change.

    >>> immutable_list([1]).append(2)
    Traceback (most recent call last):
        ...
    TypeError: 'immutable_list' object does not support mutation. If you are attempting to modify ...
    """

    append = clear = extend = insert = pop = remove = reverse = sort = refused  # type: ignore[assignment]
    __delitem__ = __iadd__ = __imul__ = __setitem__ = refused  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple:
        return immutable_list, (tuple(self),)


class immutable_dict(dict):
    """A dict that does not change."""

    clear = pop = popitem = setdefault = update = refused  # type: ignore[assignment]
    __delitem__ = __ior__ = __setitem__ = refused  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple:
        return immutable_dict, (tuple(self.items()),)


def list_from(parts: Any, context: Any) -> immutable_list:
    return immutable_list(_list_unflatten(parts, context))


def dict_from(parts: Any, context: Any) -> immutable_dict:
    return immutable_dict(_dict_unflatten(parts, context))


register_pytree_node(
    immutable_list, _list_flatten, list_from, serialized_type_name="torch.fx.immutable_collections.immutable_list"
)
register_pytree_node(
    immutable_dict, _dict_flatten, dict_from, serialized_type_name="torch.fx.immutable_collections.immutable_dict"
)
