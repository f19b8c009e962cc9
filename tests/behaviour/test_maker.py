"""Functions that make empty objects: they do what `object.__new__` does, with and without Python's C API at hand."""

import gc
import itertools
import weakref

import pytest

from rushlight.core import fast_new


class Point:
    __slots__ = ("__dict__", "__weakref__", "x")

    def __new__(cls, *arguments):
        raise AssertionError("not asked")

    def __init__(self):
        raise AssertionError("not asked")


@pytest.fixture(params=["with the C API", "without"], autouse=True)
def way(request, monkeypatch):
    if request.param == "without":
        monkeypatch.setattr(fast_new, "BOUND", None)


@pytest.fixture
def maker_of():
    return fast_new.maker_of


def test_an_object_is_empty_and_may_get_anything(maker_of):
    new_point = maker_of(Point)
    first, second = new_point(None), new_point(None)
    assert type(first) is Point and first is not second
    assert not hasattr(first, "x") and vars(first) == {}
    first.x, first.more = 1, 2
    assert (first.x, first.more, vars(first)) == (1, 2, {"more": 2})
    assert vars(second) == {}


def test_an_object_is_freed_with_its_last_reference_or_by_the_collector(maker_of):
    new_point = maker_of(Point)
    point = new_point(None)
    seen = weakref.ref(point)
    del point
    assert seen() is None
    point = new_point(None)
    point.x, seen = point, weakref.ref(point)
    del point
    assert seen() is not None
    gc.collect()
    assert seen() is None


def test_its_class_can_be_changed(maker_of):
    class Other(Point):
        pass

    point = maker_of(Point)(None)
    point.more = 2
    point.__class__ = Other
    assert type(point) is Other and point.more == 2


def test_a_maker_is_called_with_none_alone(maker_of):
    for arguments in ((), (None, None)):
        with pytest.raises(TypeError):
            maker_of(Point)(*arguments)


@pytest.mark.parametrize("base", [dict, list, tuple, int, Exception])
def test_what_python_fills_in_itself_is_refused(maker_of, base):
    with pytest.raises(TypeError, match="is not safe"):
        maker_of(type("Kind", (base,), {}))


def test_numbers_follow_each_other():
    tick = fast_new.next_of(itertools.count(5))
    assert [tick(None) for _ in range(300)] == list(range(5, 305))


def test_where_the_c_api_is_there_it_is_used(monkeypatch):
    pytest.importorskip("ctypes")
    monkeypatch.setattr(fast_new, "BOUND", fast_new._load())
    assert type(fast_new.maker_of(Point)).__name__ == "builtin_function_or_method"
