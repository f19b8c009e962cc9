"""Where the objects of a watched run came from: paths, calls, or the run itself; and the guards on what was read."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from functools import partial
from types import CellType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from rushlight.capture.c_calls import CONTAINERS, is_scalar
from rushlight.capture.calls import (
    Built,
    Call,
    Constant,
    Function,
    Instance,
    Made,
    Partial,
    Transformed,
    Value,
    attributes_of,
)
from rushlight.capture.paths import (
    EQUAL,
    FOUND,
    HAS,
    INDEX,
    IS,
    ITEM,
    KEYS,
    LACKS,
    LENGTH,
    NO_ENTRY,
    SAME,
    SLOT,
    TENSOR,
    TYPE,
    UNFOUND,
    Guard,
    Path,
    Paths,
    meta_of,
)  # fmt: skip
from rushlight.capture.watched_code import is_ours
from rushlight.core.tensor import Tensor
from rushlight.lower.python_layout import is_of_python

FRESH = object()  # the origin of what this run has made
FUNCTION_SLOTS = {name: vars(FunctionType)[name] for name in ("__code__", "__closure__", "__defaults__", "__globals__")}
KEYWORD_DEFAULTS = vars(FunctionType)["__kwdefaults__"]
METHOD_FUNCTION, METHOD_SELF = vars(MethodType)["__func__"], vars(MethodType)["__self__"]
FAULTS = (NameError, SyntaxError, ImportError)  # of ours: what no program causes while its calls are recorded


CONTENTS = frozenset((LENGTH, KEYS, HAS, LACKS, NO_ENTRY))  # demands on what is in an object


class NotClosed(Exception):
    """The run did something that a replay cannot repeat without Python; `cure` says what to write instead."""

    def __init__(self, what: str, cure: str = ""):
        super().__init__(what)
        self.what, self.cure = what, cure


def exceptional(kind: type) -> NotClosed:
    """Returns the reason of a run that meets an exception."""
    return NotClosed(f"an exception: {kind.__name__}", "Test for the case before, in place of try and except.")


class Forbidden(NotClosed):
    """The run called a function that `torch._dynamo.forbid_in_graph` marks."""


class Inner:
    """A call of ours that is being made: the frames of the program inside, and why they are not understood."""

    def __init__(self, call: Call):
        self.call = call
        self.frames: set[FrameType] = set()
        self.problem: NotClosed | None = None
        self.changes = False  # whether the code inside changes what was there before
        self.differentiated: list[Call] = []  # calls of custom functions whose backward function runs inside


INSIDE = Call(None, (), {}, -1, True, ())  # represents calls inside a call


class Origins:
    """What is known of the objects of a run."""

    def __init__(self, dynamic: frozenset):
        self.paths = Paths()
        self.origins: dict[int, Any] = {}  # id of an object -> its expression, or FRESH
        self.kept: list = []  # keeps objects alive, so that no id is used twice
        self.guards: dict[Guard, None] = {}
        self.items: list = []
        self.samples: dict[int, Any] = {}
        self.values: dict[Path, Any] = {}
        self.written: set = set()  # (id of an object, key) that the run has written
        self.whole: set[int] = set()  # ids of containers of which everything is known
        self.changed_by_calls: set[int] = set()  # ids of objects that a call of ours may have changed
        self.rows: dict[int, list] = {}  # id of an iterator over tensors -> their `Rows`
        self.touched: set[int] = set()  # ids of containers at paths that the run changes, or that keep their identity
        self.identified: dict[
            int, tuple[Path, bool]
        ] = {}  # keys, by id: where from, and whether guards hold the object
        self.pairs = 0  # how many pairs of keys guards compare
        self.reached: set[int] = set()  # ids of functions of ours whose cells were read
        self.yields: dict[int, list] = {}  # what generators yield that a call of ours goes through, by id of the frame
        self.through: set[int] = set()  # ids of functions of the program that are watched where one of ours calls them
        self.contexts: set[int] = set()  # ids of methods of custom functions
        self.waiting: dict[int, list[Call]] = {}  # id of a backward function -> calls for which it has not run
        self.making: set[type] = set()  # classes of which the run makes objects
        self.tokens: dict[int, Any] = {}  # of context variables that are set, by id
        self.foreign = False  # whether code of the program ran inside a call of ours, and changed something
        self.inner: Inner | None = None  # the call of ours that is being made
        self.current: Any = None  # the frame that is judged
        self.base: FrameType | None = None  # the frame that calls the function
        self.impure = False
        self.keeps = False  # whether an object that was there has to stay the same one in an expression
        self.uncertain: dict[int, Any] = {}  # results that may be None in a replay, by id
        self.changed: dict[int, Any] = {}  # objects at paths that the run changes, by id
        self.mapping = False  # whether there is a filter, or a map of a function in C
        self.dynamic = dynamic

    def origin(self, value: Any, origin: Any) -> None:
        """Remembers where an object came from."""
        if id(value) not in self.origins:
            self.kept.append(value)
            self.origins[id(value)] = origin
            if type(origin) is Value:
                self.values.setdefault(origin.path, value)

    def fresh(self, value: Any) -> None:
        """Remembers that the run has made an object."""
        if not is_scalar(value):
            self.origin(value, FRESH)

    def guard(self, path: Path, demand: str, wanted: Any) -> None:
        """Adds a guard."""
        if self.foreign and path.kind is not FOUND and demand is not UNFOUND:
            self.refuse_changed(path)
        if demand in CONTENTS:
            self.refuse_changed(path)
        try:
            self.guards[Guard(path, demand, wanted)] = None
        except TypeError:  # an object that has no hash
            self.guards[Guard(path, demand, Held(wanted))] = None

    def guard_object(self, value: Any) -> None:
        """Adds a guard that an object which was found at a path is the same one."""
        origin = self.origins.get(id(value))
        if type(origin) is not Value:
            raise NotClosed(f"a {type(value).__name__} comes from nowhere that is known")
        self.guard(origin.path, IS, value)

    def arrived(self, path: Path, value: Any) -> None:
        """Notes that the run has read a value at a path, and what a replay must find there."""
        if is_scalar(value):
            self.scalar(path, value)
            return
        if self.foreign:
            self.refuse_changed(path)
        known = self.origins.get(id(value))
        if known is not None:
            if type(known) is Value and known.path is not path:
                self.guard(path, SAME, known.path)
                self.values.setdefault(path, value)
            return
        self.refuse_changed(path)
        self.origin(value, Value(path))
        kind = type(value)
        if isinstance(value, Tensor):
            self.guard(path, TENSOR, meta_of(value))
        elif kind is FunctionType:
            if is_ours(value.__code__):
                self.guard(path, IS, value)
            else:
                self.guard(path, TYPE, FunctionType)
                self.guard(self.paths.path(path, SLOT, FUNCTION_SLOTS["__code__"]), IS, value.__code__)
        elif kind is MethodType:
            self.guard(path, TYPE, MethodType)
            self.arrived(self.paths.path(path, SLOT, METHOD_FUNCTION), value.__func__)
            self.arrived(self.paths.path(path, SLOT, METHOD_SELF), value.__self__)
        elif isinstance(value, (type, ModuleType)) or kind.__module__ == "builtins" and kind not in CONTAINERS:
            self.guard(path, IS, value)
        else:
            self.guard(path, TYPE, kind)

    def scalar(self, path: Path, value: Any) -> None:
        """Notes a number or string that was read at a path."""
        if path in self.dynamic and type(value) is float:
            if id(value) in self.origins:
                return
            self.guard(path, TYPE, float)
            self.origin(value, Value(path))
        elif type(value) in (int, float, bool, complex, str, bytes, type(None)):
            self.refuse_changed(path)
            self.guard(path, EQUAL, value)
        else:
            self.guard(path, IS if type(value).__hash__ is object.__hash__ else EQUAL, value)

    def refuse_changed(self, path: Path | None) -> None:
        """Raises NotClosed if a call of ours may have changed what is now read for the first time."""
        if self.foreign:
            raise NotClosed("code of the program ran inside a call, and may have changed what is read later")
        while path is not None and self.changed_by_calls:
            if id(self.values.get(path)) in self.changed_by_calls:
                raise NotClosed("what is read may have been changed by a call before")
            path = path.parent

    def read_container(self, value: Any) -> None:
        """Notes that everything in a container at a path was read."""
        origin = self.origins.get(id(value))
        if type(origin) is not Value or id(value) in self.whole:
            return
        self.whole.add(id(value))
        path = origin.path
        if isinstance(value, dict):
            if not all(map(is_scalar, value)):
                raise NotClosed("a dictionary with keys that are objects is read")
            self.guard(path, KEYS, tuple(value))
            for key in value:
                self.arrived(self.paths.path(path, ITEM, key), dict.__getitem__(value, key))
        elif isinstance(value, (list, tuple)):
            self.guard(path, LENGTH, len(value))
            for number, each in enumerate(value):
                self.arrived(self.paths.path(path, INDEX, number), each)
        elif isinstance(value, (set, frozenset)) and all(map(is_scalar, value)):
            self.guard(path, KEYS, tuple(value))  # in order: a loop goes through them
        elif len(value):
            raise NotClosed(f"a {type(value).__name__} is read")
        else:
            self.guard(path, LENGTH, 0)

    def read_length(self, value: Any) -> None:
        """Notes that the length of a container was read."""
        origin = self.origins.get(id(value))
        if type(origin) is Value and id(value) not in self.whole:
            if any([each == id(value) for each, _ in self.written]):
                self.read_container(value)
            self.guard(origin.path, LENGTH, len(value))

    # ---- expressions

    def expression(self, value: Any) -> Any:
        """Returns where a value comes from. Raises NotClosed if that is not known."""
        origin = self.origins.get(id(value))
        if self.inner is not None:
            return origin
        if is_scalar(value):
            return origin if origin is not None and origin is not FRESH else Constant(value)
        if origin is None:
            return self.constant(value)
        if origin is FRESH:
            return self.built(value)
        if type(origin) is Made:
            keywords, args = self.argument(origin.kwargs), map(self.argument, origin.args)
            return Built(Transformed, (Constant(origin.transform), keywords, *args))
        if id(value) in self.whole and is_constant(value):
            if type(value) is tuple:
                return Constant(value)
            if not self.keeps:
                return self.built(value)
        return origin

    def argument(self, value: Any) -> Any:
        """Returns the expression of an argument of a call; a list that was read as a whole is made anew for a call that
        neither changes nor keeps it."""
        if type(value) in (list, tuple, dict) and type(self.origins.get(id(value))) is Value and not self.keeps:
            if id(value) in self.whole and id(value) not in self.touched:
                return self.built(value)
        return self.expression(value)

    def constant(self, value: Any) -> Any:
        """Returns the expression of an object that the run has not read anywhere."""
        kind = type(value)
        if isinstance(value, Tensor):
            raise NotClosed("a tensor comes from nowhere that is known")
        if kind is FunctionType and is_ours(value.__code__):
            return Constant(value)
        raise NotClosed(f"a {kind.__name__} comes from nowhere that is known")

    def built(self, value: Any) -> Any:
        """Returns the expression of an object that the run has made, from what it has now."""
        kind = type(value)
        if kind is dict:
            return Built(dict, tuple([(self.expression(key), self.argument(value[key])) for key in value]))
        if kind in (list, tuple, set):
            return Built(kind, tuple(map(self.argument, value)))
        if kind is slice:
            return Built(
                slice, (self.expression(value.start), self.expression(value.stop), self.expression(value.step))
            )
        if isinstance(value, tuple) and hasattr(kind, "_fields"):
            return Built(kind, tuple(map(self.expression, value)))
        if kind is FunctionType:
            if self.keeps and any([type(self.origins.get(id(cell))) is not Value for cell in value.__closure__ or ()]):
                raise NotClosed("a new function with variables of its own is kept")
            cells = () if value.__closure__ is None else value.__closure__
            parts = (Constant(value.__code__), Constant(value.__globals__), self.expression(value.__defaults__))
            attributes = attributes_of(value)
            for each in (attributes, attributes.get("__annotations__")):
                self.fresh(each)
            return Built(Function, (*parts, self.expression(attributes), *map(self.cell, cells)))
        if kind is MethodType:
            return Built(MethodType, (self.expression(value.__func__), self.expression(value.__self__)))
        if kind is partial and not value.__dict__:
            keywords = dict(value.keywords)
            self.fresh(keywords)
            parts = (self.expression(value.func), self.expression(keywords), *map(self.expression, value.args))
            return Built(Partial, parts)
        if kind in (OrderedDict, deque) and not getattr(value, "__dict__", None):
            contents = dict(value) if kind is OrderedDict else list(value)
            self.fresh(contents)
            return Built(kind, (self.expression(contents), *([Constant(value.maxlen)] if kind is deque else ())))
        if kind is defaultdict:
            contents = dict(value)
            self.fresh(contents)
            return Built(kind, (self.expression(value.default_factory), self.expression(contents)))
        if is_of_python(kind) and hasattr(value, "__dict__") and not hasattr(kind, "__del__"):
            if kind.__new__ is object.__new__ or (isinstance(value, dict) and dict in kind.__mro__):
                items = value if isinstance(value, dict) else {}
                contents = [{key: items[key] for key in items}, dict(value.__dict__)]
                for part in contents:
                    self.fresh(part)
                return Built(Instance, (Constant(kind), *map(self.expression, contents)))
        raise NotClosed(f"a new {kind.__name__} is passed on", "Pass tensors, numbers, and lists of them.")

    def cell(self, cell: CellType) -> Any:
        """Returns the expression of a cell of a new function: that was there before, or a new one."""
        origin = self.origins.get(id(cell))
        if type(origin) is Value:
            return origin
        try:
            content = cell.cell_contents
        except ValueError:  # it is empty
            return Built(CellType, ())
        return Built(CellType, (self.expression(content),))


class Held:
    """An object as the wanted value of a guard, by identity."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is Held and other.value is self.value

    def __hash__(self):
        return id(self.value)


def is_constant(value: Any) -> bool:
    """Whether a container has nothing but constants, also inside."""
    kind = type(value)
    if kind in (tuple, list):
        return all([is_scalar(each) or is_constant(each) for each in value])
    return kind is dict and all([is_scalar(each) or is_constant(each) for each in value.values()])
