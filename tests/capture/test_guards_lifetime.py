"""Guards in machine code keep nothing alive, and read nothing that is gone: counts, threads, collections, forgotten
checkers.
"""

import gc
import sys
import threading
import weakref

import pytest

import rushlight as torch
from rushlight.capture.guard_machine import LINKS, checker
from rushlight.capture.paths import (
    ARGUMENT,
    ENTRY,
    EQUAL,
    GETTER,
    INDEX,
    IS,
    ITEM,
    KEYS,
    LENGTH,
    NO_ENTRY,
    OBJECT,
    TENSOR,
    TYPE,
    Guard,
    Paths,
    meta_of,
)

CHECKS = 100_000


class Thing:
    pass


def made():
    """Returns guards of each sort on `args[0]`, the values they want, and an object for which they hold."""
    thing = Thing()
    thing.x, thing.items, thing.table, thing.number = torch.zeros(2, 3), [object(), 2.5], {"a": object()}, 1 << 70
    paths = Paths()
    root = paths.path(None, ARGUMENT, 0)
    x, items, table, number = (paths.path(root, ENTRY, name) for name in ("x", "items", "table", "number"))
    guards = [
        Guard(root, TYPE, Thing),
        Guard(root, NO_ENTRY, "y"),
        Guard(x, TENSOR, meta_of(thing.x)),
        Guard(items, LENGTH, 2),
        Guard(paths.path(items, INDEX, 1), EQUAL, 2.5),
        Guard(table, KEYS, ("a",)),
        Guard(number, EQUAL, 1 << 70),
    ]
    wanted = [x, paths.path(items, INDEX, 0), paths.path(table, ITEM, "a"), root]
    return guards, wanted, thing


@pytest.mark.parametrize("python", [False, True], ids=["machine", "with a guard for Python"])
def test_counts_of_references_stay(python):
    guards, wanted, thing = made()
    if python:
        guards.append(Guard(Paths().path(wanted[0], GETTER, type), IS, type(thing.x)))
    check = checker(guards, wanted).check
    objects = [*check((thing,), {}), thing.items, thing.table, thing.x._array, thing.number, None, (), vars(thing)]
    other = Thing()
    good, bad, kwargs = (thing,), (other,), {}
    assert check(good, kwargs) is not None
    before = [sys.getrefcount(each) for each in objects]
    blocks = sys.getallocatedblocks()
    for _ in range(CHECKS // 10 if python else CHECKS):
        check(good, kwargs)
    for _ in range(CHECKS // 100):
        check(bad, kwargs)
    after = [sys.getrefcount(each) for each in objects]
    assert [abs(one - two) <= 2 for one, two in zip(before, after, strict=True)] == [True] * len(before)
    assert abs(sys.getallocatedblocks() - blocks) < 50


def test_nothing_of_a_call_is_kept():
    guards, wanted, thing = made()
    check = checker(guards, wanted).check
    assert check((thing,), {}) is not None
    assert check((thing,), {}) is not None
    gone = [weakref.ref(thing), weakref.ref(thing.x)]
    del thing
    assert [each() for each in gone] == [None, None]
    assert check((Thing(),), {}) is None


def test_a_checker_that_is_forgotten_leaves_its_function():
    guards, wanted, thing = made()
    checked = checker(guards, wanted)
    check = checked.check
    gone = weakref.ref(checked)
    del checked, guards, wanted
    assert gone() is None
    gc.collect()
    for _ in range(3):
        assert check((thing,), {})[0] is thing.x


def test_links_are_limited():
    paths = Paths()
    guards = [Guard(paths.path(paths.path(None, ARGUMENT, 0), ENTRY, "a"), EQUAL, 1)]
    check = checker(guards, []).check
    for number in range(3 * LINKS):
        thing = type(f"Kind{number}", (), {})()
        thing.a = 1
        assert check((thing,), {}) == []
        thing.a = 2
        assert check((thing,), {}) is None


def test_many_calls_with_new_objects():
    """An object at the address of one that is gone is not taken for it."""
    guards, wanted, _ = made()
    check = checker(guards, wanted).check
    for number in range(2000):
        _, _, thing = made()
        right = number % 3
        if not right:
            thing.items[1] = 3.5
        values = check((thing,), {})
        assert (values is not None) == bool(right)
        if right:
            assert values[0] is thing.x
            assert values[3] is thing


def test_a_collection_may_happen_at_any_time():
    guards, wanted, thing = made()
    check = checker(guards, wanted).check
    assert check((thing,), {}) is not None

    class Cycle:
        def __init__(self):
            self.me = self

        def __del__(self):
            thing.items = [object(), 2.5]
            thing.table = {"a": object()}
            thing.x = torch.zeros(2, 3)
            vars(thing).pop("unknown", None)

    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(300):
            Cycle()
            fresh = Thing()
            vars(thing)["unknown"] = fresh
            assert check((thing,), {}) is not None
            assert check((fresh,), {}) is None
    finally:
        gc.set_threshold(*before)


def test_threads_check_and_change():
    guards, wanted, thing = made()
    check = checker(guards, wanted).check
    own = [made()[2] for _ in range(4)]
    shared = Thing()
    shared.__dict__.update(vars(thing))
    problems, over = [], threading.Event()

    def mine(thing):
        while not over.is_set():
            values = check((thing,), {})
            if values is None or values[0] is not thing.x or values[3] is not thing:
                problems.append(values)
            check((shared,), {})

    def change():
        for number in range(4000):
            shared.x = torch.zeros(2, 3) if number % 2 else torch.zeros(3)
            shared.items = [object(), 2.5]
            shared.__dict__ = dict(vars(shared))
        over.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=mine, args=(each,)) for each in own] + [threading.Thread(target=change)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not problems


def test_a_guard_in_python_may_change_what_is_checked():
    paths = Paths()
    root = paths.path(None, ARGUMENT, 0)
    thing = Thing()
    thing.a = [1, 2]

    def reads(owner):
        owner.a = None
        return 3

    wanted = [paths.path(root, ENTRY, "a"), paths.path(None, OBJECT, thing)]
    check = checker([Guard(paths.path(root, GETTER, reads), EQUAL, 3)], wanted).check
    for _ in range(3):
        thing.a = [1, 2]
        assert len(check((thing,), {})) == 2
