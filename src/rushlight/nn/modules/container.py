"""Modules that hold modules or parameters as a list or a dictionary."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain, islice
from typing import Any, Self, SupportsIndex, overload

from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.queries import typename

from .module import Module


class Container(Module):
    """Deprecated: a module made of named modules."""

    def __init__(self, **kwargs: Any) -> None:
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class Numbered(Module):
    """Base of `Sequential`, `ModuleList` and `ParameterList`: entries named "0", "1", ... in `dir` and by index."""

    def _absolute(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return index % len(self)

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]


class ModuleSequence(Numbered):
    """Base of `Sequential` and `ModuleList`."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def _renumber(self):
        self._modules = {str(position): module for position, module in enumerate(self)}

    def append(self, module: Module) -> Self:
        """Adds `module` at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Module:
        """Removes and returns the module at `key`, or the modules of a slice."""
        value = self[key]  # type: ignore[index]
        del self[key]
        return value


class Sequential(ModuleSequence):
    """Calls modules one after the other, each with the result of the previous one.

    >>> import rushlight as torch
    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    @overload
    def __init__(self, *args: Module) -> None: ...
    @overload
    def __init__(self, arg: Mapping[str, Module], /) -> None: ...
    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else enumerate(args):
            self.add_module(name if named else str(name), module)  # type: ignore[arg-type]

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = type(module).__call__(module, input)  # calling the module directly is slower, by way of C
        return input

    def _name_at(self, index):
        return next(islice(self._modules, self._absolute(index), None))

    @overload
    def __getitem__(self, idx: slice) -> Self: ...
    @overload
    def __getitem__(self, idx: SupportsIndex) -> Any: ...
    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name_at(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: Any) -> None:
        for name in list(self._modules)[idx] if isinstance(idx, slice) else [self._name_at(idx)]:
            delattr(self, name)
        self._renumber()

    def __add__(self, other: Sequential) -> Sequential:
        self._check_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Self:
        self._check_sequential(other)
        return self.extend(list(other))

    def _check_sequential(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*(module for _ in range(other) for module in self))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def _check_factor(self, factor):
        if not isinstance(factor, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(factor)}")
        if factor <= 0:
            raise ValueError(f"Non-positive multiplication factor {factor} for {type(self)}")

    def insert(self, index: int, module: Module) -> Self:
        """Inserts `module` before `index`; returns the container."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        insert_numbered(self._modules, index if index >= 0 else index + len(self), module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Appends all modules of `sequential`; returns the container."""
        for module in sequential:
            self.append(module)
        return self


def insert_numbered(modules, index, module):
    for position in range(len(modules), index, -1):
        modules[str(position)] = modules[str(position - 1)]
    modules[str(index)] = module


class ModuleList(ModuleSequence):
    """A list of modules. It has no forward: the owner calls its entries.

    >>> import rushlight as torch
    >>> torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(3))
    ModuleList(
      (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
    )
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    @overload
    def __getitem__(self, idx: slice) -> Self: ...
    @overload
    def __getitem__(self, idx: SupportsIndex) -> Any: ...
    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[str(self._absolute(idx))]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, str(self._absolute(idx)), module)

    def __delitem__(self, idx: Any) -> None:
        for position in range(len(self))[idx] if isinstance(idx, slice) else [self._absolute(idx)]:
            delattr(self, str(position))
        self._renumber()

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def insert(self, index: int, module: Module) -> None:
        """Inserts `module` before `index`."""
        insert_numbered(self._modules, index, module)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Appends all of `modules`; returns the list."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for position, module in enumerate(modules, len(self)):
            self.add_module(str(position), module)
        return self

    def __repr__(self) -> str:
        runs: list[list] = []  # [first index, last index, text] of consecutive entries with equal text
        for position, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1][1] = position
            else:
                runs.append([position, position, text])
        if not runs:
            return f"{self._get_name()}()"
        lines = [self._run_text(*run).replace("\n", "\n  ") for run in runs]
        return "\n  ".join([f"{self._get_name()}(", *lines]) + "\n)"

    def _run_text(self, first, last, text):
        return f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"


class ModuleDict(Module):
    """A dictionary of modules, in the order of insertion. It has no forward.

    >>> import rushlight as torch
    >>> torch.nn.ModuleDict({"act": torch.nn.Tanh()})["act"]
    Tanh()
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Removes and returns the module `key`."""
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """Returns the names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Module]:
        """Returns names and modules."""
        return self._modules.items()

    def values(self) -> ValuesView[Module]:
        """Returns the modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds the modules of a mapping, or of an iterable of pairs; existing names get the new module."""
        check_iterable(modules, "ModuleDict.update")
        for key, module in (
            modules.items() if isinstance(modules, Mapping | ModuleDict) else pairs(modules, "ModuleDict")
        ):
            self[key] = module


def check_iterable(values, where):
    if not isinstance(values, Iterable):
        raise TypeError(
            f"{where} should be called with an iterable of key/value pairs, but got {type(values).__name__}"
        )


def pairs(values, owner):
    for position, pair in enumerate(values):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{owner} update sequence element #{position} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{owner} update sequence element #{position} has length {len(pair)}; 2 is required")
        yield pair[0], pair[1]


def as_parameter(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def entry_line(name, value, kind):
    """Returns one line of the repr of a list or dictionary of parameters; `kind` formats the type of a tensor."""
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(str(length) for length in value.size())
    device = f" ({value.device})" if value.device.type == "cuda" else ""
    return f"  ({name}): {what} containing: [{kind(value)} of size {size}{device}]"


class ParameterList(Numbered):
    """A list of parameters. Tensors added to it become parameters; other values are stored as they are.

    >>> import rushlight as torch
    >>> torch.nn.ParameterList([torch.zeros(2, 3)])
    ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])
    """

    def __init__(self, values: Iterable | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(self[position] for position in range(len(self))[idx])
        return getattr(self, str(self._absolute(idx)))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, str(self._absolute(idx)), as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator:
        return iter(self[position] for position in range(len(self)))

    def __iadd__(self, parameters: Iterable) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Appends `value`; returns the list."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values: Iterable) -> Self:
        """Appends all of `values`; returns the list."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(
            entry_line(position, value, lambda tensor: tensor.dtype) for position, value in enumerate(self)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters. Tensors added to it become parameters; other values are stored as they are.

    >>> import rushlight as torch
    >>> [name for name, _ in torch.nn.ParameterDict({"scale": torch.ones(2)}).named_parameters()]
    ['scale']
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._key_to_attr(key)
        self._keys[key] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Returns a new dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Returns the value of `key`, set to `default` if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Removes all entries."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Removes and returns the value of `key`."""
        value = self[key]  # type: ignore[index]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Removes and returns the last key and its value."""
        if not self._keys:
            raise KeyError("popitem(): dictionary is empty")
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the value of `key`, or `default` if it is missing."""
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Returns a new dictionary with `default` under each of `keys`."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        """Returns the keys."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Returns keys and values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """Returns the values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Adds the entries of a mapping (a plain one in the order of its sorted keys) or of an iterable of pairs."""
        check_iterable(parameters, "ParametersDict.update")
        for key, value in self._entries(parameters):
            self[key] = value

    def _entries(self, parameters):
        if isinstance(parameters, OrderedDict | ParameterDict):
            return parameters.items()
        return sorted(parameters.items()) if isinstance(parameters, Mapping) else pairs(parameters, "ParameterDict")

    def extra_repr(self) -> str:
        return "\n".join(entry_line(key, value, typename) for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> ParameterDict:
        copy = self.copy()
        copy.update(other)
        return copy

    def __ror__(self, other: Any) -> ParameterDict:
        copy = other.copy()
        copy.update(self)
        return copy

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self
