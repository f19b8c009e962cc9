"""Each demand of a guard, and a table of them: what changes just that is seen, and nothing else is."""

import collections
import math
import operator
import types

import numpy as np
import pytest

import rushlight as torch
from rushlight.capture.gradients import without_hooks
from rushlight.capture.guard_machine import checker, is_available
from rushlight.capture.paths import (
    ARGUMENT,
    CLASS,
    ENTRY,
    EQUAL,
    GETTER,
    HAS,
    INDEX,
    IS,
    ITEM,
    KEYS,
    LACKS,
    LENGTH,
    NO_ENTRY,
    OTHER,
    SAME,
    TENSOR,
    TYPE,
    UNFOUND,
    Guard,
    Paths,
    meta_of,
)
from rushlight.core.tensor import Tensor


class Thing:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slotted:
    """An object without a dictionary."""

    __slots__ = ("first", "second")


# ---- demands


def test_the_same_object(path, both):
    marker = [1]
    guards = both([Guard(path(), IS, marker)])
    assert guards.by_machine(marker)
    assert not guards([1])


def test_an_attribute_that_a_module_makes_when_it_is_read(path, both):
    """Its first read stores it in the module, as the lazy modules of packages do."""
    made, module = [1], types.ModuleType("lazy")
    module.__getattr__ = {"later": made}.__getitem__
    module.later = made
    guards = both([Guard(path(GETTER, operator.attrgetter("later")), IS, made)])
    assert guards.by_machine(module)
    module.later = [1]
    assert not guards(module)
    del module.later
    assert guards(module)


def test_an_attribute_of_a_module_that_is_made_at_each_read(path, both):
    made, module = [1], types.ModuleType("lazy")
    module.__getattr__ = {"later": made}.__getitem__
    guards = both([Guard(path(GETTER, operator.attrgetter("later")), IS, made)])
    assert guards(module) and guards.left is not None


def test_a_leaf_without_hooks(path, both):
    weight = torch.ones(3, requires_grad=True)
    guards = both([Guard(*each) for each in without_hooks(Paths(), path(), weight)])
    assert guards.by_machine(weight)
    handle = weight.register_hook(lambda gradient: None)
    assert not guards(weight)
    handle.remove()
    other = torch.ones(3, requires_grad=True)
    assert guards(other)
    other.register_post_accumulate_grad_hook(lambda tensor: None)
    assert not guards(other)
    other = torch.ones(3, requires_grad=True)
    torch.utils.swap_tensors(other, torch.ones(3, requires_grad=True))
    assert guards(other) is not other._edge.hooked
    assert not guards(torch.ones(3)) and not guards(weight * 2)


def test_the_class_exactly(path, both):
    guards = both([Guard(path(), TYPE, int)])
    assert guards.by_machine(3)
    assert guards.by_machine(1 << 80)
    assert not guards(True)
    assert not guards(3.0)


EQUAL_VALUES = [
    (3, 3, [4, 3.0, True, None, "3", np.int64(3), 3 + (1 << 70)]),
    (1, 1, [True, 1.0, 1 + 0j, np.float64(1)]),
    (True, True, [1, False, 1.0, None]),
    (1 << 70, (1 << 69) * 2, [1 << 71, -(1 << 70)]),
    (2.5, 5 / 2, [2.25, 2, math.nan, -2.5]),
    (0.0, 0.0, [-0.0, 0, False]),
    (-0.0, -0.0, [0.0]),
    (math.nan, math.inf - math.inf, [0.0, math.inf]),
    (1 + 2j, complex(1, 2), [1 - 2j, 1.0]),
    (complex(math.nan, -0.0), complex(math.nan, -0.0), [complex(math.nan, 0.0), complex(0.0, -0.0)]),
    ("word", "".join(["wo", "rd"]), ["words", b"word", ""]),
    ("\u00e9\U0001f600", "\u00e9" + "\U0001f600", ["\u00e9\U0001f601"]),
    (b"word", bytes([119, 111, 114, 100]), [b"worD", "word", bytearray(b"word")]),
    (None, None, [0, False, ""]),
    (..., ..., [None, NotImplemented]),
    (torch.Size([1, 2]), torch.Size([1, 2]), [(1, 2), torch.Size([2, 1])]),
    (torch.device("cpu"), torch.device("cpu"), [torch.device("meta"), "cpu"]),
]


@pytest.mark.parametrize(("wanted", "like", "others"), EQUAL_VALUES, ids=[repr(each[0]) for each in EQUAL_VALUES])
def test_equal_values(path, both, wanted, like, others):
    guards = both([Guard(path(), EQUAL, wanted)])
    assert guards.by_machine(wanted)
    assert guards(like)
    for other in others:
        assert not guards(other)
    inside = both([Guard(path(ENTRY, "value"), EQUAL, wanted)])
    thing = Thing(value=like)
    assert inside.by_machine(thing)
    for other in others:
        thing.value = other
        assert not inside(thing)
        thing.value = wanted
        assert inside(thing)


def test_equal_in_another_sense(path, both):
    wanted = types.SimpleNamespace(a=1)
    guards = both([Guard(path(), EQUAL, wanted)])
    assert guards(types.SimpleNamespace(a=1))
    assert not guards(types.SimpleNamespace(a=2))


@pytest.mark.parametrize("kind", [list, tuple, dict, collections.OrderedDict, set, collections.deque])
def test_a_length(path, both, kind):
    guards = both([Guard(path(), LENGTH, 2)])
    assert guards(kind([("a", 1), ("b", 2)]))
    assert not guards(kind([("a", 1)]))
    assert not guards(kind([]))
    assert not guards(5)
    if kind in (list, tuple, dict, collections.OrderedDict):
        assert guards.by_machine(kind([("a", 1), ("b", 2)]))


def test_a_length_that_a_class_answers(path, both):
    class Long(list):
        pass

    guards = both([Guard(path(), LENGTH, 1)])
    assert guards.by_machine(Long([1]))
    Long.__len__ = lambda self: 7
    assert not guards(Long([1]))
    del Long.__len__
    assert guards.by_machine(Long([1]))


def test_keys_in_order(path, both):
    guards = both([Guard(path(), KEYS, ("a", "b"))])
    table = {"a": 1, "b": 2}
    assert guards.by_machine(table)
    table["a"] = 3
    assert guards(table)
    table["a"] = table.pop("a")
    assert not guards(table)
    table["b"] = table.pop("b")
    assert guards(table)
    table["c"] = 4
    assert not guards(table)
    assert not guards({"a": 1})
    assert guards({"a": 0, "b": 0})
    ordered = collections.OrderedDict(a=1, b=2)
    assert guards(ordered)
    ordered.move_to_end("a")
    assert not guards(ordered)


def test_keys_of_another_type(path, both):
    guards = both([Guard(path(), KEYS, (1,))])
    assert guards({1: 0})
    for key in True, 1.0, np.int64(1):
        assert not guards({key: 0})


def test_a_key_that_is_there_or_not(path, both):
    present, absent = both([Guard(path(), HAS, "a")]), both([Guard(path(), LACKS, "a")])
    for table in {"a": 1}, {"a"}, collections.OrderedDict(a=1):
        assert present(table)
        assert not absent(table)
    for table in {}, {"b": 1}, set(), collections.OrderedDict():
        assert absent(table)
        assert not present(table)
    absent = both([Guard(path(), LACKS, "a")])
    assert absent.by_machine({"b": 1})
    assert absent.by_machine(collections.OrderedDict())
    table = {}
    assert absent.by_machine(table)
    table["a"] = 1
    assert not absent(table)
    members = both([Guard(path(), KEYS, ("a",))])
    assert members({"a"})
    assert not members({"b"})
    assert not members({"a", "b"})


def test_an_entry_that_an_object_does_not_have(path, both):
    guards = both([Guard(path(), NO_ENTRY, "forward")])
    thing = Thing(a=1)
    assert guards.by_machine(thing)
    thing.forward = 1
    assert not guards(thing)
    del thing.forward
    assert guards(thing)
    assert not guards(Slotted())


def test_a_name_that_no_class_has(path, both):
    class Base:
        pass

    class Heir(Base):
        pass

    guards = both([Guard(path(CLASS, None), UNFOUND, "run")])
    assert guards.by_machine(Heir())
    Base.run = 1
    assert not guards(Heir())
    del Base.run
    assert guards(Heir())


def test_one_object_at_two_paths(path, both):
    first, second = path(INDEX, 0), path(start=(ARGUMENT, 1))
    same, other = both([Guard(first, SAME, second)]), both([Guard(first, OTHER, second)])
    one, two = [1], [1]
    assert same.by_machine([one], one)
    assert not same([one], two)
    assert other.by_machine([one], two)
    assert not other([one], one)
    assert not same([], one)
    assert not other([], one)


# ---- tensors


def tensors():
    """Returns tensors that differ from a plain one, of shape (2, 3), in one respect each."""
    base = torch.zeros(2, 3)
    grad = torch.zeros(2, 3, requires_grad=True)
    with torch.inference_mode():
        made = torch.zeros(2, 3)
        marked = torch.zeros(2, 3).requires_grad_()
        seen = torch.zeros(2, 3)[:]
    subclass = torch.zeros(2, 3).as_subclass(type("Own", (Tensor,), {}))
    named = torch.zeros(2, 3)
    named.name = "with attributes"
    return {
        "plain": base,
        "of another rank": torch.zeros(2, 3, 1),
        "of no dimension": torch.zeros(()),
        "of other sizes": torch.zeros(3, 2),
        "empty": torch.zeros(0, 3),
        "of other strides": torch.zeros(3, 2).t(),
        "float64": base.double(),
        "int32": torch.zeros(2, 3, dtype=torch.int32),
        "bfloat16": torch.zeros(2, 3, dtype=torch.bfloat16),
        "float16": torch.zeros(2, 3, dtype=torch.float16),
        "a view": base[:],
        "a view of a leaf": grad[:],
        "a view without a history": view_without_history(grad),
        "requiring grad": grad,
        "with a history": grad * 2,
        "a parameter": torch.nn.Parameter(base),
        "a parameter that is frozen": torch.nn.Parameter(base, requires_grad=False),
        "of inference mode": made,
        "of inference mode and marked": marked,
        "a view of inference mode": seen,
        "of a subclass": subclass,
        "with attributes": named,
        "without elements": torch.zeros(2, 3, device="meta"),
        "detached": grad.detach(),
    }


def view_without_history(leaf):
    with torch.no_grad():
        return leaf[:]


@pytest.mark.parametrize("name", list(tensors()))
def test_a_tensor_differs_from_others(path, both, name):
    others = tensors()
    tensor = others[name]
    guards = both([Guard(path(), TENSOR, meta_of(tensor))], [path()])
    assert guards(tensor)
    if name != "without elements":
        assert guards.by_machine(tensor)
    for other in others.values():
        assert guards(other) == (meta_of(other) == meta_of(tensor))
    assert not guards(5)
    assert not guards(tensor._array)


def test_a_tensor_that_changes(path, both):
    x = torch.zeros(2, 3)
    guards = both([Guard(path(INDEX, 0), TENSOR, meta_of(x))], [path(INDEX, 0)])
    items = [x]
    assert guards.by_machine(items)
    x.data = torch.ones(2, 3)
    assert guards(items)
    x += 1
    assert guards(items)
    x.requires_grad_()
    assert not guards(items)
    x.requires_grad_(False)
    assert guards(items)
    x.resize_(3, 2)
    assert not guards(items)
    x.resize_(2, 3)
    assert guards(items)
    x.data = torch.zeros(3)
    assert not guards(items)
    x.data = torch.zeros(2, 3).double()
    assert not guards(items)
    x.data = torch.zeros(2, 3)
    items[0] = torch.zeros(2, 3)
    assert guards(items)
    view = items[0][:]
    items[0] = view
    assert not guards(items)


def test_a_tensor_whose_dtype_is_equal_and_another(path, both):
    x = torch.zeros(2)
    guards = both([Guard(path(), TENSOR, meta_of(x))])
    assert guards.by_machine(x)
    y = torch.zeros(2)
    y._array = y._array.view(np.dtype("f4", metadata={"a": 1}))
    assert guards(y)
    y._array = y._array.view(np.dtype(">f4"))
    assert not guards(y)


def test_a_tensor_of_a_subclass_that_answers_itself(path, both):
    class Own(Tensor):
        pass

    x = torch.zeros(2).as_subclass(Own)
    guards = both([Guard(path(), TENSOR, meta_of(x))])
    assert guards.by_machine(x)
    Own.requires_grad = True
    assert not guards(x)
    del Own.requires_grad
    assert guards.by_machine(x)


# ---- the whole


def test_values_come_in_order_and_some_from_python(path, both):
    thing = Thing(a=[1, 2], b={3: 4})
    wanted = [path(ENTRY, "b", ITEM, 3), path(ENTRY, "a", INDEX, 1), path(ENTRY, "b"), path(GETTER, type), path()]
    guards = both([Guard(path(), TYPE, Thing)], wanted)
    assert guards(thing)
    assert guards.fast((thing,), {})[:3] == [4, 2, {3: 4}]


def test_a_value_that_is_not_there_raises_as_in_python(path, both):
    guards = both([], [path(ENTRY, "a")])
    assert guards(Thing(a=1))
    for check in guards.plain, guards.fast, guards.fast.check:
        with pytest.raises(KeyError):
            check((Thing(),), {})


def test_the_guard_that_failed_is_named(path, both):
    guards = [Guard(path(), TYPE, int), Guard(path(), EQUAL, 3)]
    checked = both(guards)
    assert checked(3)
    assert checked.fast.failed((3,), {}) is None
    assert checked.fast.failed((4,), {}) is guards[1]
    assert checked.fast.failed(("",), {}) is guards[0]


def test_a_checker_takes_two_arguments(path, both):
    guards = both([Guard(path(), TYPE, int)])
    for arguments in (), ((),), ((), {}, 1):
        with pytest.raises(TypeError):
            guards.fast.check(*arguments)


def test_two_objects_in_turn(path, both):
    """What was noted of one dictionary is not taken for what another holds."""
    place = path(ENTRY, "inner", ENTRY, "value")
    guards = both([Guard(place, EQUAL, 1)], [place, path(ENTRY, "inner")])
    one, two, bad = (Thing(inner=Thing(value=value)) for value in (1, 1, 2))
    for thing in one, bad, one, two, bad, two, one, bad, one:
        assert guards(thing) is (thing is not bad)
    shared = Thing(inner=one.inner)
    assert guards(shared)
    one.inner.value = 2
    assert not guards(shared)
    assert not guards(one)


def test_without_machine_code_paths_decides(path, monkeypatch):
    x = torch.zeros(2)
    guards = [Guard(path(), TENSOR, meta_of(x))]
    monkeypatch.setenv("RUSHLIGHT_JIT", "0")
    is_available.cache_clear()
    try:
        checked = checker(guards, [path()])
    finally:
        monkeypatch.undo()
        is_available.cache_clear()
    assert not isinstance(checked.check, types.BuiltinFunctionType)
    assert checked.check((x,), {})[0] is x
    assert checked.check((torch.zeros(3),), {}) is None
    assert checked.failed((torch.zeros(3),), {}) is guards[0]
