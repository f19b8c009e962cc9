"""What a run did, as data: calls of the library in order, what was read of their results, and what was returned.

An expression says where a value comes from: a path that the guards read, a result, a constant, or a new container.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from rushlight.capture.paths import Path


class Value(NamedTuple):
    """What the guards found at a path."""

    path: Path


class Result(NamedTuple):
    """The result of a call, by its number."""

    number: int


class Part(NamedTuple):
    """An element of a result, by position or key."""

    whole: Any
    index: Any


class Constant(NamedTuple):
    """The object itself."""

    value: Any


class Built(NamedTuple):
    """A new container, or a bound method: `kind` is its class, `items` are expressions; of a dictionary, pairs."""

    kind: type
    items: tuple


class Instance:
    """The `kind` of a new object of the program: `items` are its class, the items of a dictionary, and attributes."""

    def __new__(cls, kind: type, items: dict, attributes: dict) -> Any:
        made: Any = kind.__new__(kind)  # type: ignore[call-overload]
        for key, value in items.items():
            OrderedDict.__setitem__(made, key, value) if isinstance(made, OrderedDict) else dict.__setitem__(
                made, key, value
            )
        made.__dict__.update(attributes)
        return made


class Function:
    """The `kind` of a new function: `items` are its code, globals, defaults, other attributes, and cells."""

    def __new__(cls, code: CodeType, table: dict, defaults: tuple | None, attributes: dict, *cells: CellType) -> Any:
        made = FunctionType(code, table, None, defaults, cells)
        for name, value in attributes.items():
            setattr(made, name, value)
        return made


def attributes_of(function: FunctionType) -> dict[str, Any]:
    """Returns the attributes of a function that do not follow from its code."""
    plain = FunctionType(function.__code__, function.__globals__, None, None, function.__closure__)
    names = [name for name in OF_CODE if getattr(function, name) is not getattr(plain, name)]
    late = getattr(function, "__annotate__", None)  # from Python 3.14 on
    annotations = "__annotate__" if late else "__annotations__"
    names += [name for name in ("__kwdefaults__", annotations) if getattr(function, name)]
    return {name: getattr(function, name) for name in names} | vars(function)


OF_CODE = ("__name__", "__qualname__", "__doc__", "__module__")


class Partial:
    """The `kind` of a new `functools.partial`: `items` are its function, its keywords, and its arguments."""

    def __new__(cls, function: Any, keywords: dict, *args: Any) -> Any:
        return partial(function, *args, **keywords)


class Transformed:
    """The `kind` of a function that a transform makes: `items` are the transform, its keywords, and its arguments."""

    def __new__(cls, transform: Any, keywords: dict, *args: Any) -> Any:
        return transform(*args, **keywords)


def called(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function that a call before has given."""
    return function(*args, **kwargs)


class Made(NamedTuple):
    """Where a function comes from that a transform has made in the run, such as `vmap(f)`."""

    transform: Any
    args: list
    kwargs: dict


class Call:
    """A call: the result gets `number`. One that is `pure` changes nothing, and may be made twice or not at all."""

    __slots__ = (
        "arguments", "callbacks", "function", "gives_none", "in_block", "keywords", "meta", "number", "opaque", "place",
        "pure", "seen",
    )  # fmt: skip

    def __init__(self, function, arguments: tuple, keywords: dict[str, Any], number: int, pure: bool, place):
        self.function, self.arguments, self.keywords = function, arguments, keywords
        self.number, self.pure, self.place = number, pure, place
        self.gives_none = True
        self.seen: dict[Any, Any] = {}  # what tensors were when the call was made: expression -> TensorMeta
        self.in_block = False  # whether the program would do something if the call raised an error
        self.callbacks = False  # whether code of the program runs inside
        self.opaque: Any = False  # why that code is not known, or whether it changes something
        self.meta = False  # whether the result follows from sizes and dtypes

    def expressions(self) -> Iterator[Any]:
        """Returns the expressions of the arguments, and those inside them."""
        for each in (*self.arguments, *self.keywords.values()):
            yield from inside(each)

    def __repr__(self):
        named = [f"{name}={value!r}" for name, value in self.keywords.items()]
        function = getattr(self.function, "__name__", self.function)
        return f"r{self.number} = {function}({', '.join([*map(repr, self.arguments), *named])})"


class Check(NamedTuple):
    """The program read a value, and went on as for `outcome`: a number, a string, None, or a tuple or list of them.

    `meta` is set for what follows from sizes and dtypes: the name of the attribute or method that was read.
    """

    value: Any
    outcome: Any
    place: tuple
    meta: str | None = None


def inside(expression) -> Iterator[Any]:
    """Returns an expression and those that it is made of."""
    yield expression
    if type(expression) is Built:
        for each in expression.items:
            for part in each if type(each) is tuple and expression.kind is dict else (each,):
                yield from inside(part)
    elif type(expression) is Part:
        yield from inside(expression.whole)


def number_of(expression: Any) -> int | None:
    """Returns the number of the result that an expression is, or is a part of."""
    while type(expression) is Part:
        expression = expression.whole
    return expression.number if type(expression) is Result else None


A_TENSOR = "tensor"
A_NONE = "none"  # in a container
A_MODE = "mode"  # an object for `with`: a grad mode, or autocast


class Listed(NamedTuple):
    """What a list, tuple or dictionary was: its class, what its elements were, and the keys of a dictionary."""

    kind: type
    parts: tuple
    keys: tuple | None = None

    def indices(self) -> tuple | range:
        """Returns the positions or keys of the elements."""
        return range(len(self.parts)) if self.keys is None else self.keys

    def part_at(self, index: Any) -> Any:
        """Returns what the element at a position or key was."""
        return self.parts[index if self.keys is None else self.keys.index(index)]


class Run(NamedTuple):
    """A run that was watched to its end, and is closed."""

    guards: list
    items: list  # calls and checks
    returned: Any  # an expression
    results: list  # what each result was: A_TENSOR, A_MODE, a `Listed`, or None
    values: dict  # path -> what was found there, likewise

    def kind_of(self, expression: Any) -> Any:
        """Returns what an expression was."""
        if type(expression) is Value:
            return self.values[expression.path]
        if type(expression) is Part:
            whole = self.kind_of(expression.whole)
            return whole.part_at(expression.index) if type(whole) is Listed else None
        return self.results[expression.number] if type(expression) is Result else None


def is_looked_up(function: Any, origin: Any) -> bool:
    """Whether a replay may find another object to call: a result, or one of which guards demand its class only."""
    return type(origin) in (Result, Part, Made) or (
        type(origin) is Value and not isinstance(function, (FunctionType, type))
    )
