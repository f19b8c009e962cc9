"""Runs a story twice, with compiled functions and with the functions as they are, and compares what it returns."""

from __future__ import annotations

import dataclasses
import enum
import functools
import types

import numpy as np
import pytest

import rushlight as torch
from rushlight.capture import report
from rushlight.capture.often import OftenCalled
from rushlight.core.device import host
from rushlight.core.tensor import Tensor

PLAIN = (int, bool, str, bytes, type(None), type(Ellipsis), torch.dtype, torch.device, torch.Size, range, slice, type)
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.ModuleType, property)


class Picture:
    """What can be seen of values: classes, elements, gradients, and which of the objects in them are the same."""

    def __init__(self):
        self.numbers: dict[int, int] = {}
        self.storages: dict[int, int] = {}
        self.kept: list = []

    def of(self, value):
        """Returns a value as nested tuples."""
        kind = type(value).__name__
        if isinstance(value, (float, complex)):
            return kind, repr(value)
        if isinstance(value, PLAIN) and not isinstance(value, enum.Enum):
            return kind, repr(value)
        if isinstance(value, FUNCTIONS):
            return kind, getattr(value, "__name__", "")
        if isinstance(value, enum.Enum):
            return kind, value.name
        if isinstance(value, np.generic):
            return kind, str(value.dtype), repr(value)
        if type(value) is tuple or type(value) is frozenset:  # which of two equal ones it is, is Python's affair
            return kind, self.parts(value)
        if id(value) in self.numbers:
            return "again", self.numbers[id(value)]
        self.numbers[id(value)] = len(self.numbers)
        self.kept.append(value)
        if isinstance(value, Tensor):
            return self.of_tensor(value)
        if isinstance(value, np.ndarray):
            return kind, str(value.dtype), value.shape, value.tolist()
        return kind, self.parts(value)

    def parts(self, value):
        """Returns what is in an object."""
        actual = []
        if isinstance(value, BaseException):
            return str(value).partition("\n")[0]
        if isinstance(value, dict):
            actual += [(self.of(key), self.of(each)) for key, each in value.items()]
        elif isinstance(value, (set, frozenset)):
            actual += sorted([repr(self.of(each)) for each in value])
        elif isinstance(value, (list, tuple)) or type(value).__name__ == "deque":
            actual += [self.of(each) for each in value]
        names = list(getattr(value, "__dict__", ()))
        if dataclasses.is_dataclass(value):
            names += [field.name for field in dataclasses.fields(value) if field.name not in names]
        hooks = [name for name in names if "_hooks" in name]  # whose keys no two runs have in common
        shown = [name for name in names if name[:2] != "__" and name not in hooks]
        counts = [(name, len(getattr(value, name) or ())) for name in hooks]
        return (*actual, *[(name, self.of(getattr(value, name))) for name in shown], *counts)

    def of_tensor(self, tensor):
        """Returns what can be seen of a tensor; of its memory, which others have the same."""
        array = np.asarray(host(tensor.detach()))
        try:
            history = (tensor.is_leaf, tensor.grad_fn is None)
        except RuntimeError as error:  # a view that was overtaken
            history = str(error)
        entries = {name: each for name, each in vars(tensor).items() if name[:1] != "_"} if vars(tensor) else {}
        sharing = self.storages.setdefault(tensor.untyped_storage().data_ptr(), len(self.storages))
        grad = self.of(tensor.grad) if type(history) is tuple and tensor.is_leaf else None
        return (
            type(tensor).__name__, str(tensor.dtype), tuple(tensor.shape), tensor.stride(), tensor.requires_grad,
            history, sharing, grad, Elements(array), {name: self.of(entries[name]) for name in entries},
        )  # fmt: skip


class Elements:
    """Elements that are equal up to the rounding of sums and products in another order, which `exp` multiplies."""

    def __init__(self, array):
        self.array = array.copy()

    def __eq__(self, other):
        one, two = self.array, other.array
        if one.dtype != two.dtype or one.shape != two.shape:
            return False
        if one.dtype.kind not in "fc":
            return bool((one == two).all())
        tolerance = 2e-5  # of float64 too, which may have been float32 before
        return bool(np.allclose(one, two, rtol=tolerance, atol=tolerance, equal_nan=True))

    def __repr__(self):
        return repr(self.array.tolist())


def outcome(story, compile):
    """Returns the picture of what a story returns or raises."""
    torch.manual_seed(0)
    report.reset()
    try:
        return Picture().of(story(compile))
    except Exception as error:
        return "raises", type(error).__name__, str(error).partition("\n")[0]


def difference(actual, wanted):
    """Returns where two pictures differ first, and how."""
    if type(actual) is tuple and type(wanted) is tuple and len(actual) == len(wanted):
        for at, (one, other) in enumerate(zip(actual, wanted, strict=True)):
            if one != other:
                return at, *difference(one, other)
    return "compiled", actual, "as written", wanted


def identity(function):
    return function


def by_kernels(function):
    return torch.compile(function, options={"trial": False})


def call_by_call(function):
    return torch.compile(function, backend="eager")


def by_own_backend(function):
    return torch.compile(function, backend=lambda module, inputs: module.forward)


class Soon(OftenCalled):
    """A function that is called often, of which every call is watched that no program fits."""

    pause = property(lambda self: 0, lambda self, value: None)


def as_if_called_often(function):
    calls = Soon(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        return calls.front.call(args, kwargs)

    return call


@pytest.fixture(params=[by_kernels, call_by_call, by_own_backend])
def agree(request):
    """Returns `check(story, replays=...)`: `story(compile)` has to return the same with compiled functions.

    With `replays`, at least so many calls have to have run without Python of the function.
    """

    def check(story, replays=0):
        wanted = outcome(story, identity)
        actual = outcome(story, request.param)
        counts = report.report()
        breaks = [(each.what, each.line) for each in report.BREAKS]
        assert actual == wanted, (difference(actual, wanted), breaks)
        assert not [what for what, _ in breaks if what.startswith("the watcher failed")]
        assert counts["replays"] >= replays, (counts, breaks)

    return check


@pytest.fixture
def attempt():
    """Returns a function that calls, and returns the result or the error."""

    def call(function, *args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            return error

    return call


@pytest.fixture
def compilers():
    """Returns the ways to compile."""
    return [by_kernels, call_by_call, torch.compile, as_if_called_often]


@pytest.fixture
def picture():
    """Returns the class of pictures."""
    return Picture


@pytest.fixture(name="difference")
def finds_difference():
    """Returns the function that finds where two pictures differ."""
    return difference


def pytest_generate_tests(metafunc):
    """Runs a test with each story of its file: the functions whose first argument is `compile`."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "story" in metafunc.fixturenames and not any("story" in mark.args[0] for mark in marks):
        values = vars(metafunc.module).values()
        functions = [each for each in values if isinstance(each, types.FunctionType)]
        stories = [each for each in functions if each.__code__.co_varnames[:1] == ("compile",)]
        metafunc.parametrize("story", stories, ids=lambda story: story.__name__)
