"""`torch.utils.weak`: dictionaries whose keys are tensors, told apart by identity, that do not keep them alive.

`weakref.WeakKeyDictionary` cannot have tensors as keys: `==` of two tensors is a tensor.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, Self

from rushlight.core.tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdRef", "WeakIdKeyDictionary", "WeakTensorKeyDictionary"]


class _KeyRef(weakref.ref):
    """A weak reference with a hash of its own, which stays when the object is gone."""

    __slots__ = ("_hash",)

    def __init__(self, key: Any, callback: Callable | None = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]
        self._hash = self._hash_of(key)

    @staticmethod
    def _hash_of(key: Any) -> int:
        return id(key)

    @staticmethod
    def _same(one: Any, other: Any) -> bool:
        return one is other

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        one, another = self(), other() if isinstance(other, weakref.ref) else None
        return self is other if one is None or another is None else self._same(one, another)


class WeakIdRef(_KeyRef):
    """A weak reference that is equal to another one of the same object."""

    __slots__ = ()


class _WeakHashRef(_KeyRef):
    """A weak reference that is equal to another one of an equal object."""

    __slots__ = ()

    @staticmethod
    def _hash_of(key: Any) -> int:
        return hash(key)

    @staticmethod
    def _same(one: Any, other: Any) -> bool:
        return one == other


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary that forgets an entry when nothing else refers to its key. Keys are the same if they are one object.

    >>> import rushlight as torch
    >>> a, b = torch.ones(2), torch.ones(2)
    >>> names = WeakIdKeyDictionary({a: "a", b: "b"})
    >>> names[b], len(names)
    ('b', 2)
    >>> del a
    >>> len(names)
    1
    """

    def __init__(self, dict: Mapping | None = None, ref_type: type[weakref.ref] = WeakIdRef) -> None:
        self.data: Any = {}
        self.ref_type = ref_type
        own = weakref.ref(self)

        def forget(reference: weakref.ref) -> None:
            if (dictionary := own()) is not None:
                dictionary.data.pop(reference, None)

        self._forget = forget
        self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # an object that has no weak references
            return False

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator:
        # A list of the references: entries may go while a program walks through the others.
        return (key for reference in [*self.data] if (key := reference()) is not None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def update(self, other: Any = None, /, **keywords: Any) -> None:  # type: ignore[override]
        """Adds the entries of a dictionary, or pairs of key and value. Nothing is added if they cannot be read."""
        if other is not None:
            for key, value in list(other.items() if hasattr(other, "items") else dict(other).items()):
                self[key] = value
        if keywords:
            self.update(keywords)

    def keyrefs(self) -> list[weakref.ref]:
        """Returns the weak references of the keys; some may be dead when they are used."""
        return [*self.data]

    def popitem(self) -> tuple[Any, Any]:
        """Removes the entry that was added last, and returns its key and value. Raises KeyError if there is none."""
        while True:
            reference, value = self.data.popitem()
            if (key := reference()) is not None:
                return key, value

    def copy(self) -> Self:
        """Returns a dictionary with the same keys and values."""
        return self._with(self)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        result = self._with(None)
        for key, value in self.items():
            result[key] = copy.deepcopy(value, memo)
        return result

    def _with(self, entries: Mapping | None) -> Self:
        return type(self)(entries, ref_type=self.ref_type)

    def __or__(self, other: Any) -> Self:
        if not isinstance(other, Mapping):
            return NotImplemented
        result = self.copy()
        result.update(other)
        return result

    def __ror__(self, other: Any) -> Self:
        if not isinstance(other, Mapping):
            return NotImplemented
        result = self._with(other)
        result.update(self)
        return result

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return {id(key): value for key, value in self.items()} == {id(key): value for key, value in other.items()}


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor.

    >>> import rushlight as torch
    >>> x = torch.ones(2)
    >>> reference = TensorWeakRef(x)
    >>> reference() is x
    True
    >>> del x
    >>> reference() is None
    True
    """

    ref: weakref.ref[Tensor]

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        """Returns the tensor, or None if it is gone."""
        return self.ref()
