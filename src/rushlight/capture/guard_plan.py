"""What machine code has to read and to compare for the guards of a replay, from one call for which they hold.

A `Place` is a register: what a path leads to, read by one instruction from another place, or a constant. The classes
that objects have in this call decide which instruction reads them. Each such assumption is a check of the plan too, one
that ends with UNSURE. Raises Unreadable for what no instruction can read, or for what could run code of the program.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.capture.paths import (
    ARGUMENT,
    CELL,
    CLASS,
    ENTRY,
    EQUAL,
    FOUND,
    GETTER,
    INDEX,
    IS,
    ITEM,
    KEYS,
    LACKS,
    LENGTH,
    NO_ENTRY,
    OBJECT,
    OTHER,
    SAME,
    SLOT,
    TENSOR,
    TYPE,
    UNFOUND,
    Guard,
    Path,
    TensorMeta,
)
from rushlight.core.device import device
from rushlight.core.size import Size
from rushlight.core.tensor import ParameterMeta, Tensor
from rushlight.lower import guard_machine as machine
from rushlight.lower.guard_machine import FAILS, UNSURE
from rushlight.lower.python_layout import (
    CONTENTS,
    MANAGED_DICT,
    WORD,
    attribute_of,
    dict_offset,
    has_string_keys,
    is_heap,
    member_of,
    version_of,
)

OWN_SCALARS = (device, Size, type(Ellipsis), type(NotImplemented))
LISTS, TUPLES, DICTIONARIES = 1 << 25, 1 << 26, 1 << 29  # flags of classes
IMMUTABLE_KEYS = (str, int, bool, bytes, type(None))
NUMBERS = (*IMMUTABLE_KEYS, float, complex)
LONGEST = 1 << 40  # index of an item
MOST_DIMENSIONS = 64


READ_OF_CLASSES = ("__dict__", "__mro__", "__getattribute__")


class Unreadable(Exception):
    """Raised for a path or a guard that is left to Python."""


class Place:
    """A register. `value` is what it held in the call that was linked; `source` and `read` say how it is read.

    If there is nothing to read, a guard that needs it fails; Python decides if the place is `made_when_read`.
    """

    __slots__ = (
        "checks", "children", "constant", "guarded", "made_when_read", "number", "read", "source", "used", "value",
    )  # fmt: skip

    def __init__(self, number: int, value: Any, source: Place | None = None, read: tuple = ()):
        self.number, self.value, self.source, self.read = number, value, source, read
        self.constant = self.guarded = self.made_when_read = self.used = False
        self.children: list[Place] = []
        self.checks: dict[tuple, int] = {}  # (instruction, operands) -> how it ends if not


class Plan:
    """Places and checks; `unchanged` has the versions of classes, `pairs` the comparisons of two places."""

    def __init__(self, guards: list[Guard], wanted: list[Path], args: tuple, kwargs: dict):
        self.kept: list = []  # objects whose addresses are in the plan
        self.args, self.kwargs = Place(machine.ARGS, args), Place(machine.KWARGS, kwargs)
        self.registers, self.constants = [self.args, self.kwargs], dict[int, Place]()
        self.known: dict[tuple, Place] = {}
        self.reads: dict[Path, Place] = {}
        self.keys: dict[tuple, Any] = {}
        self.unchanged: dict[type, int] = {}
        self.pairs: list[tuple[int, Place, Place]] = []
        self.fixed = {guard.path: guard.wanted for guard in guards if guard.demand is IS}
        self.guarding = True  # whether what is read is read for a guard
        self.rest: list[Guard] = [guard for guard in guards if not self.takes(guard)]
        self.guarding = False
        self.wanted = [self.wanted_place(path) for path in wanted]

    def takes(self, guard: Guard) -> bool:
        """Adds a guard, if machine code can check it."""
        try:
            DEMANDS.get(guard.demand, no_demand)(self, guard.path, guard.wanted)
        except Unreadable:
            return False
        return True

    def wanted_place(self, path: Path) -> Place | None:
        """Returns the place of a value to be returned, if machine code can read it."""
        try:
            return self.used(self.place(path))
        except Unreadable:
            return None

    def forget(self) -> None:
        """Lets go of the values of the call at once: places refer to each other."""
        for place in self.registers:
            place.value = place.source = None
            place.children = []

    # ---- places

    def constant(self, value: Any) -> Place:
        """Returns the place of an object that is always the same."""
        place = self.constants.get(id(value))
        if place is None:
            place = self.constants[id(value)] = self.new(value)
            place.constant = True
            self.kept.append(value)
        return place

    def new(self, value: Any, source: Place | None = None, read: tuple = ()) -> Place:
        place = Place(len(self.registers), value, source, read)
        self.registers.append(place)
        return place

    def place(self, path: Path) -> Place:
        """Returns the place of a path: a constant, if a guard says which object is there."""
        return self.constant(self.fixed[path]) if path in self.fixed else self.read(path)

    def read(self, path: Path) -> Place:
        """Returns the place where a path is read."""
        place = self.reads.get(path)
        if place is None:
            place = self.reads[path] = self.step(path)
        return place

    def step(self, path: Path) -> Place:
        """Returns the place where the last step of a path leads."""
        if path.parent is not None:
            return STEPS.get(path.kind, no_step)(self, self.place(path.parent), path.key)
        if path.kind is OBJECT:
            return self.constant(path.key)
        return index(self, self.args, path.key) if path.kind is ARGUMENT else item(self, self.kwargs, path.key)

    def child(self, parent: Place, code: int, operand: int, find: Callable[[], Any]) -> Place:
        """Returns the place that an instruction reads from another; `find` returns its value."""
        name = parent.number, code, operand
        place = self.known.get(name)
        if place is None:
            try:
                value = find()
            except (LookupError, AttributeError, ValueError, TypeError):  # changed by another thread
                raise Unreadable from None
            place = self.known[name] = self.new(value, parent, (code, operand))
            parent.children.append(place)
        return place

    def used(self, place: Place) -> Place:
        """Marks a place as needed; if there is nothing to read for a guard, the guard fails."""
        at: Place | None = place
        while at is not None and not (at.used and at.guarded >= self.guarding):
            at.used, at.guarded = True, at.guarded or self.guarding
            at = at.source
        return place

    def address(self, value: Any) -> int:
        """Returns the address of an object that is kept."""
        self.kept.append(value)
        return id(value)

    def key(self, key: Any) -> int:
        """Returns the address of a key, of which there is one of each type and value."""
        return id(self.keys.setdefault((type(key), key), key))

    # ---- assumptions

    def class_of(self, place: Place, otherwise: int = UNSURE) -> type:
        """Returns the class that the object at a place has to have."""
        cls = type(place.value)
        if not place.constant or is_heap(cls):
            check(place, otherwise, machine.CLASS_IS, self.address(cls))
        return cls

    def fix(self, place: Place) -> Place:
        """Returns the constant that has to be at a place."""
        if place.constant:
            return place
        check(place, UNSURE, machine.IS, self.address(place.value))
        self.used(place)
        return self.constant(place.value)

    def stable(self, cls: type) -> None:
        """Has a class, and its bases, stay as they are from now on."""
        if is_heap(cls) and cls not in self.unchanged:
            version = version_of(cls)
            if not version:
                raise Unreadable
            self.kept.append(cls)
            self.unchanged[cls] = version

    def attributes(self, place: Place) -> type:
        """Returns the class at a place, of which attributes have to stay as they are."""
        cls = place.value
        if not isinstance(cls, type):
            raise Unreadable
        place = self.used(self.fix(place))
        self.stable(cls)
        kind = self.class_of(place)
        self.stable(kind)
        if any([attribute_of(kind, name) is not vars(type)[name] for name in READ_OF_CLASSES]):
            raise Unreadable
        return cls


def check(place: Place, otherwise: int, code: int, *operands: int) -> None:
    """Adds a check of a place."""
    name = (code, *operands)
    place.checks[name] = min(otherwise, place.checks.get(name, UNSURE))


# ---- kinds of paths


def own(plan: Plan, place: Place) -> Place:
    """Returns the place of an object's own dictionary."""
    cls = type(place.value)
    plan.stable(cls)
    offset = dict_offset(cls)
    if offset is None:
        raise Unreadable
    plan.class_of(place)
    return plan.child(place, machine.OWN, offset, lambda: object.__getattribute__(place.value, "__dict__"))


def entry(plan: Plan, place: Place, key: Any) -> Place:
    if not isinstance(place.value, type):
        return item(plan, exactly(own(plan, place), dict), key)
    cls = plan.attributes(place)
    if key not in vars(cls):
        raise Unreadable
    return plan.constant(vars(cls)[key])


def exactly(place: Place, cls: type) -> Place:
    if type(place.value) is not cls:
        raise Unreadable
    return place


def opened(place: Place, key: Any) -> None:
    """Has a dictionary be open, for a key of which looking up runs no code."""
    dictionary = place.value
    if not type(dictionary).__flags__ & DICTIONARIES or type(key) not in IMMUTABLE_KEYS:
        raise Unreadable
    if not has_string_keys(dictionary):
        raise Unreadable


def item(plan: Plan, place: Place, key: Any) -> Place:
    opened(place, key)
    return plan.child(place, machine.GET, plan.key(key), lambda: dict.__getitem__(place.value, key))


def index(plan: Plan, place: Place, key: Any) -> Place:
    flags = type(place.value).__flags__
    if type(key) is not int or abs(key) > LONGEST or not flags & (LISTS | TUPLES):
        raise Unreadable
    plan.class_of(place)
    if flags & LISTS:
        return plan.child(place, machine.IN_LIST, key, lambda: list.__getitem__(place.value, key))
    return plan.child(place, machine.IN_TUPLE, key, lambda: tuple.__getitem__(place.value, key))


def slot(plan: Plan, place: Place, key: Any) -> Place:
    if getattr(key, "__name__", None) == "__dict__" and attribute_of(type(place.value), "__dict__") is key:
        return own(plan, place)
    member = member_of(key)
    if member is None or not issubclass(type(place.value), key.__objclass__):
        raise Unreadable
    plan.class_of(place)
    code = machine.MEMBER_OR_NONE if member[1] else machine.MEMBER
    return plan.child(place, code, member[0], lambda: key.__get__(place.value))


def cell(plan: Plan, place: Place, key: Any) -> Place:
    plan.class_of(exactly(place, types.CellType))
    return plan.child(place, machine.MEMBER, WORD * CONTENTS, lambda: place.value.cell_contents)


def class_at(plan: Plan, place: Place, key: Any) -> Place:
    plan.class_of(plan.used(place))
    return plan.constant(type(place.value))


def attribute(plan: Plan, place: Place, key: Any) -> Place:
    cls = plan.attributes(place)
    for each in cls.__mro__:
        if key in vars(each):
            return plan.constant(vars(each)[key])
    raise Unreadable


def got(plan: Plan, place: Place, key: Any) -> Place:
    """Returns the place of an attribute that a module has by now, and that its `__getattr__` made."""
    names: Any = key.__reduce__()[1] if type(key) is operator.attrgetter else ()
    if len(names) != 1 or type(place.value) is not types.ModuleType or names[0] not in vars(place.value):
        raise Unreadable
    made = entry(plan, place, names[0])
    made.made_when_read = True
    return made


def no_step(plan: Plan, place: Place, key: Any) -> Place:
    raise Unreadable


STEPS: dict[str, Callable[[Plan, Place, Any], Place]] = {
    ENTRY: entry,
    ITEM: item,
    INDEX: index,
    SLOT: slot,
    CELL: cell,
    CLASS: class_at,
    FOUND: attribute,
    GETTER: got,
}

# ---- demands of guards


def is_object(plan: Plan, path: Path, wanted: Any) -> None:
    place = plan.used(plan.read(path))
    if not place.constant:
        check(place, FAILS, machine.IS, plan.address(wanted))
    elif place.value is not wanted:
        raise Unreadable


def is_of_type(plan: Plan, path: Path, wanted: Any) -> None:
    place = plan.used(plan.place(path))
    if type(place.value) is not wanted:
        raise Unreadable
    plan.class_of(place, FAILS)


def is_equal(plan: Plan, path: Path, wanted: Any) -> None:
    place = plan.used(plan.place(path))
    if type(wanted) not in (*NUMBERS, *OWN_SCALARS) or type(place.value) is not type(wanted):
        raise Unreadable
    if place.constant:
        return
    if type(wanted) in OWN_SCALARS:
        check(place, UNSURE, machine.IS, plan.address(place.value))  # another one may be equal
    else:
        code = machine.IS if wanted is None or type(wanted) is bool else machine.EQUALS
        check(place, FAILS, code, plan.address(wanted))


def is_long(plan: Plan, path: Path, wanted: Any) -> None:
    place = plan.used(plan.place(path))
    cls = type(place.value)
    plan.stable(cls)
    if type(wanted) is not int or attribute_of(cls, "__len__") not in (list.__len__, tuple.__len__, dict.__len__):
        raise Unreadable
    check(place, FAILS, machine.LONG, plan.address(cls), wanted)


def has_keys(plan: Plan, path: Path, wanted: Any) -> None:
    place = exactly(plan.place(path), dict)
    if type(wanted) is not tuple:
        raise Unreadable
    for key in wanted:
        opened(place, key)
    check(plan.used(place), FAILS, machine.HAS_KEYS, plan.address(wanted))


def lacks(plan: Plan, path: Path, wanted: Any) -> None:
    has_not(plan, plan.place(path), wanted)


def has_not(plan: Plan, place: Place, key: Any) -> None:
    cls = type(place.value)
    plan.stable(cls)
    opened(place, key)
    if attribute_of(cls, "__contains__") is not dict.__contains__:
        raise Unreadable
    check(plan.used(place), FAILS, machine.LACKS, plan.key(key))


def has_no_entry(plan: Plan, path: Path, wanted: Any) -> None:
    place = plan.place(path)
    if not isinstance(place.value, type):
        has_not(plan, exactly(own(plan, place), dict), wanted)
    elif wanted in vars(plan.attributes(place)):
        raise Unreadable


READ_BY_META = ("requires_grad", "_array", "_base", "_edge", "_storage", "_store", "_marked", "__getattribute__")


def is_tensor(plan: Plan, path: Path, wanted: Any) -> None:
    place = plan.used(plan.place(path))
    kind, array_type, dtype, shape, strides, *flags = wanted
    sizes = (*shape, *strides)
    if type(wanted) is not TensorMeta or array_type is not np.ndarray or not isinstance(dtype, np.dtype):
        raise Unreadable
    if len(shape) != len(strides) or len(shape) > MOST_DIMENSIONS or any([type(each) is not int for each in sizes]):
        raise Unreadable
    if any([type(each) is not bool for each in flags]) or type(place.value) is not kind:
        raise Unreadable
    plan.stable(kind)
    if any([attribute_of(kind, name) is not attribute_of(Tensor, name) for name in READ_BY_META]):
        raise Unreadable
    if type(kind) not in (type, ParameterMeta) or not kind.__flags__ & MANAGED_DICT:
        raise Unreadable
    bits = sum([bit for bit, on in zip((machine.GRAD, machine.IS_LEAF, machine.IS_VIEW), flags, strict=True) if on])
    check(place, FAILS, machine.IS_TENSOR, *map(plan.address, (kind, array_type, dtype)), bits, len(shape), *sizes)


def compare(code: int) -> Callable[[Plan, Path, Any], None]:
    def compared(plan: Plan, path: Path, wanted: Any) -> None:
        one, other = plan.place(path), plan.place(wanted)
        if not (one.constant and other.constant):
            plan.pairs.append((code, plan.used(one), plan.used(other)))
        elif (one is other) != (code == machine.SAME):
            raise Unreadable

    return compared


def is_unfound(plan: Plan, path: Path, wanted: Any) -> None:
    if any([wanted in vars(each) for each in plan.attributes(plan.place(path)).__mro__]):
        raise Unreadable


def no_demand(plan: Plan, path: Path, wanted: Any) -> None:
    raise Unreadable


DEMANDS: dict[str, Callable[[Plan, Path, Any], None]] = {
    IS: is_object,
    TYPE: is_of_type,
    EQUAL: is_equal,
    LENGTH: is_long,
    KEYS: has_keys,
    LACKS: lacks,
    NO_ENTRY: has_no_entry,
    TENSOR: is_tensor,
    SAME: compare(machine.SAME),
    OTHER: compare(machine.OTHER),
    UNFOUND: is_unfound,
}
