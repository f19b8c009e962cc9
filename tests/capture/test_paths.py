"""Each kind of path: what changes just that is seen, and nothing else is."""

import collections
import functools
import types

import numpy as np
import pytest

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
    KEYWORD,
    LENGTH,
    OBJECT,
    SLOT,
    Guard,
)


class Thing:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slotted:
    """An object without a dictionary."""

    __slots__ = ("first", "second")


def test_an_argument_by_position(path, both):
    marker = object()
    guards = both([Guard(path(start=(ARGUMENT, 1)), IS, marker)], [path()])
    assert guards.by_machine(0, marker)
    assert guards(1, marker)
    assert not guards(0, object())
    assert not guards(0)
    assert not guards(marker, 0)


def test_an_argument_by_name(path, both):
    marker = object()
    place = path(start=(KEYWORD, "x"))
    guards = both([Guard(place, IS, marker)], [place])
    assert guards.by_machine(x=marker)
    assert guards(y=1, x=marker)
    assert not guards(x=None)
    assert not guards(y=marker)
    assert not guards(marker)


def test_an_object_that_is_held(path, both):
    table = {"a": 1}
    guards = both([Guard(path(ITEM, "a", start=(OBJECT, table)), EQUAL, 1)])
    assert guards.by_machine()
    table["b"] = 2
    assert guards()
    table["a"] = 2
    assert not guards()
    del table["a"]
    assert not guards()
    table["a"] = 1
    assert guards()


def test_an_entry_of_an_object(path, both):
    thing = Thing(a=1, b=2)
    guards = both([Guard(path(ENTRY, "a"), EQUAL, 1)], [path(ENTRY, "b")])
    assert guards.by_machine(thing)
    thing.b = 3
    assert guards(thing)
    thing.a = 4
    assert not guards(thing)
    thing.a = 1
    assert guards(thing)
    del thing.a
    assert not guards(thing)
    assert guards(Thing(a=1, b=5))
    assert not guards(Thing(b=5))
    assert not guards(object())


def test_an_entry_after_the_dictionary_was_replaced(path, both):
    thing = Thing(a=1)
    guards = both([Guard(path(ENTRY, "a"), EQUAL, 1)])
    assert guards.by_machine(thing)
    thing.__dict__ = {"a": 2}
    assert not guards(thing)
    thing.__dict__ = {"a": 1}
    assert guards(thing)
    thing.__dict__ = type("Entries", (dict,), {"__getitem__": lambda self, key: 1})()
    assert guards(thing)


def test_an_entry_of_an_object_whose_class_hides_its_dictionary(path, both):
    class Hiding(Thing):
        __dict__ = property(lambda self: {"a": 2})

    thing = Thing(a=1)
    guards = both([Guard(path(ENTRY, "a"), EQUAL, 1)])
    assert guards.by_machine(thing)
    thing.__class__ = Hiding
    assert not guards(thing)
    thing.__class__ = Thing
    assert guards(thing)
    hidden = both([Guard(path(ENTRY, "a"), EQUAL, 2)])
    assert hidden(Hiding(a=1))


def test_an_entry_of_a_class_and_of_a_module(path, both):
    class Owner:
        a = 1

    module = types.ModuleType("made")
    module.a = 1
    guards = both([Guard(path(ENTRY, "a"), EQUAL, 1)])
    assert guards.by_machine(Owner)
    assert guards(module)
    Owner.a = 2
    assert not guards(Owner)
    module.a = 2
    assert not guards(module)
    assert not guards(type("Heir", (Owner,), {}))


def test_an_item_of_the_dictionary_of_an_object_is_its_entry(path):
    assert path(SLOT, vars(Thing)["__dict__"], ITEM, "a") is path(ENTRY, "a")
    assert path(SLOT, vars(Slotted)["first"], ITEM, "a") is not path(ENTRY, "a")


def test_the_dictionary_of_an_object_by_its_descriptor(path, both):
    thing = Thing(a=1)
    entries = path(SLOT, vars(Thing)["__dict__"])
    guards = both([Guard(path(SLOT, vars(Thing)["__dict__"], ITEM, "a"), EQUAL, 1)], [entries])
    assert guards.by_machine(thing)
    thing.a = 2
    assert not guards(thing)
    thing.__dict__ = {"a": 1}
    assert guards(thing)


def test_an_item_of_a_dictionary(path, both):
    guards = both([Guard(path(ITEM, "a"), EQUAL, 1)])
    table = {"a": 1}
    assert guards.by_machine(table)
    table["a"] = 2
    assert not guards(table)
    assert not guards({})
    assert guards({"b": 2, "a": 1})
    assert not guards([1])


@pytest.mark.parametrize("key", [3, 1.5, ("a", 1), None, b"a"])
def test_an_item_under_another_key(path, both, key):
    guards = both([Guard(path(ITEM, key), EQUAL, 1)])
    table = {key: 1}
    assert guards(table)
    table[key] = 2
    assert not guards(table)
    assert not guards({})


def test_equal_keys_of_other_types_find_the_same_item(path, both):
    guards = both([Guard(path(ITEM, True), EQUAL, "one")])
    for key in True, 1, 1.0, np.float64(1):
        assert guards({key: "one"})
        assert not guards({key: "two"})


def test_an_item_of_a_subclass_of_dict(path, both):
    guards = both([Guard(path(ITEM, "a"), EQUAL, 1)])
    assert guards.by_machine(collections.OrderedDict(a=1))
    assert not guards(collections.OrderedDict(b=1))
    filled = collections.defaultdict(lambda: 1)
    assert guards(filled)  # `__missing__` gives it
    assert "a" in filled
    assert guards.by_machine(filled)
    assert guards(collections.Counter(a=1))


def test_a_key_that_runs_code_when_it_is_compared(path, both):
    table = {"a": 1}

    class Key:
        def __hash__(self):
            return hash("b")

        def __eq__(self, other):
            table.clear()
            return False

    guards = both([Guard(path(ITEM, "b"), EQUAL, 2), Guard(path(ITEM, "a"), EQUAL, 1)])
    table["b"] = 2
    assert guards.by_machine(table)
    del table["b"]
    table[Key()] = 3
    table["b" + ""] = 2
    assert not guards(table)


def test_an_item_of_a_list_and_of_a_tuple(path, both):
    for at in 1, -1:
        guards = both([Guard(path(INDEX, at), EQUAL, "b")])
        items = ["a", "b"]
        assert guards.by_machine(items)
        items[1] = "c"
        assert not guards(items)
        del items[0:]
        assert not guards(items)
        assert guards.by_machine(("a", "b"))
        assert not guards(("b", "a"))
        assert not guards(())
    assert both([Guard(path(INDEX, 0), EQUAL, "a")]).by_machine(collections.namedtuple("Pair", "x y")("a", "b"))


def test_a_slot(path, both):
    thing = Slotted()
    thing.first, thing.second = 1, 2
    guards = both([Guard(path(SLOT, Slotted.first), EQUAL, 1)], [path(SLOT, Slotted.second)])
    assert guards.by_machine(thing)
    thing.first = 2
    assert not guards(thing)
    del thing.first
    assert not guards(thing)
    thing.first = 1
    assert guards(thing)
    assert not guards(Thing())


def test_the_slots_of_functions_and_methods(path, both):
    def add(a, b=1, *, c=2):
        return a + b + c

    slots = vars(types.FunctionType)
    code, defaults, keywords = (path(SLOT, slots[name]) for name in ("__code__", "__defaults__", "__kwdefaults__"))
    wanted = [path(SLOT, slots["__globals__"]), path(SLOT, slots["__closure__"])]
    guards = both([Guard(code, IS, add.__code__), Guard(defaults, LENGTH, 1), Guard(keywords, KEYS, ("c",))], wanted)
    assert guards.by_machine(add)
    add.__defaults__ = (3, 4)
    assert not guards(add)
    add.__defaults__ = (3,)
    assert guards(add)
    add.__code__ = (lambda a: a).__code__
    assert not guards(add)
    bare = both([Guard(defaults, IS, None)])
    assert not bare.by_machine(add)
    add.__defaults__ = None
    assert bare.by_machine(add)
    owner = Thing()
    method = types.MethodType(add, owner)
    guards = both([Guard(path(SLOT, vars(types.MethodType)["__self__"]), IS, owner)])
    assert guards.by_machine(method)
    assert not guards(types.MethodType(add, Thing()))
    part = functools.partial(add, 1)
    assert both([Guard(path(SLOT, vars(functools.partial)["func"]), IS, add)]).by_machine(part)


def test_a_slot_that_is_no_object(path, both):
    guards = both([Guard(path(SLOT, vars(types.CodeType)["co_argcount"]), EQUAL, 1)])
    assert guards((lambda a: a).__code__)
    assert not guards((lambda: 0).__code__)


def test_a_cell(path, both):
    def outer(value):
        def inner():
            return value

        def change(other):
            nonlocal value
            value = other

        def drop():
            nonlocal value
            del value

        return inner, change, drop

    inner, change, drop = outer(1)
    place = path(SLOT, vars(types.FunctionType)["__closure__"], INDEX, 0, CELL, None)
    guards = both([Guard(place, EQUAL, 1)])
    assert guards.by_machine(inner)
    change(2)
    assert not guards(inner)
    change(1)
    assert guards(inner)
    assert guards(outer(1)[0])
    drop()
    assert not guards(inner)


def test_the_class_of_an_object(path, both):
    class Other(Thing):
        pass

    thing = Thing()
    guards = both([Guard(path(CLASS, None), IS, Thing)], [path(CLASS, None)])
    assert guards.by_machine(thing)
    thing.__class__ = Other
    assert not guards(thing)
    thing.__class__ = Thing
    assert guards(thing)


def test_a_name_found_along_the_classes(path, both):
    class Base:
        def run(self):
            return 1

    class Heir(Base):
        pass

    run = Base.run
    guards = both([Guard(path(CLASS, None, FOUND, "run"), IS, run)], [path(CLASS, None, FOUND, "run")])
    heir = Heir()
    assert guards.by_machine(heir)
    heir.run = 2  # of the object, not of its class
    assert guards(heir)
    Heir.other = 1
    assert guards.by_machine(heir)
    Heir.run = lambda self: 2
    assert not guards(heir)
    del Heir.run
    assert guards(heir)
    Base.run = lambda self: 3
    assert not guards(heir)
    Base.run = run
    assert guards(heir)
    del Base.run
    assert not guards(heir)
    Base.run = run
    Heir.__bases__ = (type("Empty", (), {"run": lambda self: 4}),)
    assert not guards(heir)
    heir.__class__ = Base
    assert guards(heir)


def test_a_name_found_where_the_metaclass_answers(path, both):
    class Meta(type):
        pass

    class Answering(type):
        __mro__ = property(lambda cls: (Thing,))

    class Base(metaclass=Meta):
        run = 1

    guards = both([Guard(path(FOUND, "run"), EQUAL, 1)])
    assert guards.by_machine(Base)
    Base.__class__ = Answering
    assert not guards(Base)
    Base.__class__ = Meta
    assert guards(Base)
    assert not guards(type("Other", (), {"run": 2}))
    assert guards(type("Other", (), {"run": 1}))
    assert both([Guard(path(FOUND, "__init__"), IS, Thing.__init__)])(Answering("Made", (), {}))


def test_a_getter_of_ours(path, both):
    guards = both([Guard(path(GETTER, len), EQUAL, 2)], [path(), path(GETTER, len)])
    items = [1, 2]
    assert guards(items)
    items.append(3)
    assert not guards(items)
    assert not guards(5)
