"""Where CPython keeps versions, dictionaries and members of objects."""

import collections
import functools
import sys
import types
from random import Random

import pytest

from rushlight.core.tensor import Tensor
from rushlight.lower import python_layout as layout

CHANGES = 20_000

pytestmark = pytest.mark.skipif(not layout.readable(), reason="objects are kept elsewhere")


class Owner:
    pass


def set_first(owner, value):
    owner.a = value


def test_objects_of_the_tested_interpreters_can_be_read():
    if sys.implementation.name == "cpython" and sys.version_info < (3, 14):
        assert layout.readable()
        assert layout.has_dict_versions() is (sys.version_info < (3, 13))


def test_members_and_parts_of_functions():
    x = Tensor([1.0])
    offset, may_be_none = layout.member_of(Tensor._array)
    assert layout.word(id(x) + offset) == id(x._array)
    assert not may_be_none
    assert layout.member_of(vars(types.FunctionType)["__globals__"]) is not None
    assert layout.member_of(vars(types.FunctionType)["__defaults__"])[1]
    for other in (vars(types.CodeType)["co_argcount"], vars(type)["__doc__"], property(), None, Owner):
        assert layout.member_of(other) is None


def test_the_dictionary_of_objects():
    owner = Owner()
    entries = vars(owner)
    assert layout.word(id(owner) + layout.dict_offset(Owner)) == id(entries)
    assert layout.word(id(sys) + layout.dict_offset(types.ModuleType)) == id(vars(sys))
    part = functools.partial(len)
    part.a = 1
    offset = layout.dict_offset(functools.partial)
    assert offset is None or layout.word(id(part) + offset) == id(vars(part))
    hiding = type("Hiding", (Owner,), {"__dict__": property(lambda self: {})})
    for cls in (hiding, type, int, Tensor.__slots__.__class__):
        assert layout.dict_offset(cls) is None


def test_tables_of_strings():
    table = {"a": 1}
    assert layout.has_string_keys(table)
    assert layout.has_string_keys(vars(Owner()))
    table[1] = 2
    assert not layout.has_string_keys(table)


def test_versions_of_classes():
    middle = type("Middle", (Owner,), {})
    heir = type("Heir", (middle,), {})
    seen = {layout.version_of(heir)}
    for change in (
        lambda: setattr(heir, "a", 1),
        lambda: setattr(middle, "a", 1),
        lambda: setattr(middle, "a", 2),
        lambda: delattr(middle, "a"),
        lambda: setattr(middle, "__bases__", (type("Another", (Owner,), {}),)),
        lambda: setattr(heir, "__init__", set_first),
    ):
        change()
        assert layout.version_of(heir) == layout.version_of(heir)
        seen.add(layout.version_of(heir))
    assert len(seen) == 7
    assert 0 not in seen


@pytest.mark.skipif(not layout.has_dict_versions(), reason="dictionaries have no versions")
def test_each_change_of_a_dictionary_changes_its_version():
    random = Random(0)
    owner = Owner()
    changes = [
        lambda table, key, value: table.__setitem__(key, value),
        lambda table, key, value: set_first(owner, value),
        lambda table, key, value: setattr(owner, key, value),
        lambda table, key, value: object.__setattr__(owner, key, value),
        lambda table, key, value: owner.__dict__.pop(key, None),
        lambda table, key, value: hasattr(owner, key) and delattr(owner, key),
        lambda table, key, value: table.pop(key, None),
        lambda table, key, value: table.update({key: value}),
        lambda table, key, value: table.update(a=value, q=value),
        lambda table, key, value: table.setdefault(key, value),
        lambda table, key, value: table and table.popitem(),
        lambda table, key, value: random.random() < 0.2 and table.clear(),
        lambda table, key, value: table.__ior__({key: value}),
        lambda table, key, value: table.__init__({key: value}),
        lambda table, key, value: table.get(key),
    ]
    tables = [vars(owner), {}, collections.OrderedDict(), type("Own", (dict,), {})()]
    versions = set()
    for number in range(CHANGES):
        if number % 50 == 0:
            owner = Owner()
            owner.a = 0
            tables[0] = vars(owner)
        for table in tables:
            before, was = list(table.items()), layout.word(id(table), layout.DICT_VERSION)
            random.choice(changes)(table, random.choice("abc"), object())
            now = layout.word(id(table), layout.DICT_VERSION)
            same = len(before) == len(table) and all(
                [
                    one is other[0] and value is other[1]
                    for (one, value), other in zip(before, table.items(), strict=True)
                ]
            )
            assert same or now != was
            if now != was:
                assert now not in versions
                versions.add(now)
