"""A kernel on the arrays of many parameters: the same bits as one by one, and rows that do not fit are left alone."""

import numpy as np
import pytest

import rushlight
from rushlight.optim import kernels

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

METHODS = [
    ("Adam", {"weight_decay": 0.1, "amsgrad": True}),
    ("AdamW", {"maximize": True}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
    ("RMSprop", {"momentum": 0.9, "centered": True}),
    ("Rprop", {}),
]
SIZES = [0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 1000]


def step_of(name, options, dtype):
    """Returns the step of a method, and how many state tensors it has."""
    param = rushlight.zeros(1, dtype=getattr(rushlight, dtype), requires_grad=True)
    param.grad = rushlight.ones_like(param)
    optimizer = getattr(rushlight.optim, name)([param], lr=0.1, **options)
    optimizer.step()
    group = optimizer.param_groups[0]
    names = optimizer._state_names_for(group)
    o = rushlight.optim.optimizer.options(group, optimizer.defaults, False)
    for counter in optimizer._counters:
        setattr(o, counter, 3.0)
    optimizer._prepare(o)
    step = optimizer._kernels.step(o, optimizer._state_names, names, np.dtype(dtype))
    return step, len(names)


def rows(sizes, count, dtype, seed=0):
    random = np.random.default_rng(seed)
    return [[random.random(size).astype(dtype) + 0.1 for size in sizes] for _ in range(count)]


def one_by_one(step, lists):
    for row in zip(*lists, strict=True):
        if row[0].size:
            step.one(row)


def refuse(row):
    pytest.fail("left to the caller")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "options"), METHODS)
def test_all_rows_have_the_bits_of_one_by_one(name, options, dtype):
    step, states = step_of(name, options, dtype)
    actual, expected = rows(SIZES, 2 + states, dtype), rows(SIZES, 2 + states, dtype)
    step.every(actual, refuse)
    one_by_one(step, expected)
    for own, other in zip(actual, expected, strict=True):
        for mine, theirs in zip(own, other, strict=True):
            assert mine.tobytes() == theirs.tobytes()


def test_shapes_of_several_dimensions():
    step, _ = step_of("SGD", {"momentum": 0.9}, "float32")
    actual = [[array.reshape(2, 3, 4) for array in row] for row in rows([24], 3, "float32")]
    expected = rows([24], 3, "float32")
    step.every(actual, refuse)
    one_by_one(step, expected)
    assert actual[0][0].ravel().tobytes() == expected[0][0].tobytes()


def strided(array):
    return np.repeat(array, 2)[::2]


def read_only(array):
    array.flags.writeable = False
    return array


def misaligned(array):
    memory = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
    memory[...] = array
    return memory


ODD = {
    "strided": strided,
    "read only": read_only,
    "misaligned": misaligned,
    "another dtype": lambda array: array.astype("float64"),
    "big endian": lambda array: array.astype(">f4"),
    "another size": lambda array: array[:-1],
    "a subclass": lambda array: array.view(np.matrix),
    "no array": lambda array: None,
}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("kind", ODD)
def test_what_does_not_fit_is_left_to_the_caller(kind, place):
    step, _ = step_of("SGD", {"momentum": 0.9}, "float32")
    lists, expected = rows([9] * 4, 3, "float32"), rows([9] * 4, 3, "float32")
    for at in (1, 2):
        lists[place][at] = ODD[kind](lists[place][at])
    left = []
    step.every(lists, left.append)
    one_by_one(step, expected)
    if kind == "read only" and place == 1:  # a gradient is only read
        assert not left
    else:
        assert [row[place] is lists[place][at] for at, row in enumerate(left, 1)] == [True, True]
    for at in (0, 3):
        assert lists[0][at].tobytes() == expected[0][at].tobytes()


@pytest.mark.parametrize("offset", [-1, 1, 5])
def test_results_that_overlap_are_left_to_the_caller(offset):
    step, _ = step_of("SGD", {"momentum": 0.9}, "float32")
    memory = np.zeros(40, "float32")
    left = []
    step.every([[memory[10:20]], [memory[10 + offset : 20 + offset]], [np.zeros(10, "float32")]], left.append)
    assert len(left) == 1
    assert not memory.any()


def test_a_gradient_that_is_the_parameter():
    step, _ = step_of("SGD", {"momentum": 0.9}, "float32")
    param, expected = np.ones(33, "float32"), np.ones(33, "float32")
    step.every([[param], [param], [np.zeros(33, "float32")]], refuse)
    step.one([expected, expected.copy(), np.zeros(33, "float32")])
    assert param.tobytes() == expected.tobytes()


def test_rows_without_the_layout_of_python_objects(monkeypatch):
    monkeypatch.setattr(kernels, "readable", lambda: False)
    step, _ = step_of("SGD", {"momentum": 0.9}, "float32")
    lists, expected = rows([9, 40], 3, "float32"), rows([9, 40], 3, "float32")
    step.every(lists, step.one)
    one_by_one(step, expected)
    assert [array.tobytes() for array in lists[0]] == [array.tobytes() for array in expected[0]]
