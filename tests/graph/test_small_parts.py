"""Runs of steps as small programs between steps that are none."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.tensor import wrap
from rushlight.graph.lowering import is_small
from rushlight.graph.program import Kernel, Program
from rushlight.graph.recording import record
from rushlight.graph.simplify import simplify
from rushlight.graph.small import is_available
from rushlight.graph.small_parts import small_parts
from rushlight.graph.whole_step import compile_whole

pytestmark = pytest.mark.skipif(not is_available(), reason="no machine code")


def draw(*shape, seed=0):
    return wrap(np.random.default_rng([seed, *shape]).standard_normal(shape))


def between(x, y):
    """Steps before, after and beside a sort, which no small program knows; views cross the borders."""
    a = torch.tanh(x * 2 + 1)
    values = torch.sort(a, 1)[0]
    b = (values[:, 1:] * 3).t()
    c = torch.sort((b * y).t(), 0)[0]
    return [c.sum(), b, (a - y.sum()).exp(), c.t() * 2]


CELL = torch.nn.LSTMCell(3, 4)


def cell(x, w):
    with torch.no_grad():
        h, c = CELL(x)
    return [(torch.tanh(h) * w).sum(), c * 2 + 1]


@pytest.mark.parametrize(("function", "shapes"), [(between, [(4, 5), (4, 4)]), (cell, [(2, 3), (2, 4)])])
def test_programs_with_small_parts_agree(function, shapes):
    inputs = [draw(*shape).float() if function is cell else draw(*shape) for shape in shapes]
    trace = simplify(record(function, inputs))
    parts = small_parts(trace)
    assert any(type(item) is Kernel for item in parts)
    assert len(parts) < len(trace.steps)
    for seed in range(3):
        arrays = [
            draw(*shape, seed=seed)._array.astype(each._array.dtype) for shape, each in zip(shapes, inputs, strict=True)
        ]
        tolerance = 1e-5 if function is cell else 1e-12
        for one, other in zip(Program(trace, parts)(*arrays), Program(trace)(*arrays), strict=True):
            assert (one.shape, one.strides) == (other.shape, other.strides)
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def written_last(x, y):
    """As an optimizer: what is written is read before, and by nothing afterwards."""
    values = torch.sort(x * 2 + 1, 1)[0]
    moved = y * 0.9 + values.sum() * 0.1
    y.copy_(moved)
    x.sub_(moved.sum() * 0.01)
    return [values * 2 - 1, moved]


def written_in_another_dtype(x, y):
    values = torch.sort(x * 2 + 1, 1)[0]
    y.copy_((values.double() * 2 + y).sum())
    return [values * 2 - 1]


def read_afterwards(x, y):
    y.copy_(torch.sort(x * 2 + 1, 1)[0].sum())
    return [y * 2 + x.sum()]


def read_through_a_view(x, y):
    turned = y.t()
    y.copy_(torch.sort(x * 2 + 1, 1)[0].sum())
    return [turned * 2 + x.sum()]


def written_twice(x, y):
    values = torch.sort(x * 2 + 1, 1)[0]
    y.copy_(values.sum() * 2)
    y.copy_(values * 3 + 1)
    return [values * 2 - 1]


def written_from_what_is_written(x, y):
    values = torch.sort(x * 2 + 1, 1)[0]
    y.copy_(values * 3 + 1)
    x.copy_(y)
    return [values * 2 - 1]


WRITERS = {
    written_last: True, written_in_another_dtype: True, read_afterwards: False, read_through_a_view: False,
    written_twice: False, written_from_what_is_written: False,
}  # fmt: skip


@pytest.mark.parametrize(("function", "divides"), WRITERS.items())
def test_writes_come_last_where_nothing_reads_them(function, divides):
    trace = simplify(record(function, [draw(4, 4).float(), draw(4, 4).float()]))
    parts = small_parts(trace)
    assert (parts is not None and any(type(item) is Kernel for item in parts)) == divides
    wanted, actual = ([draw(4, 4, seed=seed)._array.astype("float32") for seed in (1, 2)] for _ in range(2))
    outputs = Program(trace)(*wanted), Program(trace, parts)(*actual)
    for one, other in zip([*wanted, *outputs[0]], [*actual, *outputs[1]], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop])
def test_a_step_with_dropout_is_small_but_for_its_mask(optimizer):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Dropout(0.5), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    made = optimizer(model.parameters(), lr=0.01)

    def step():
        made.zero_grad()
        loss = model(torch.ones(4, 3)).square().mean()
        loss.backward()
        made.step()
        return [loss]

    step()
    whole = compile_whole(step, [], [*model.parameters()], [made])
    assert is_small(whole.program)
    kernels = [item for item in small_parts(whole.trace) if type(item) is Kernel]
    assert 1 <= len(kernels) <= 3


def test_a_step_with_steps_that_are_not_small_keeps_the_optimizers_own_kernels():
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 8)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        loss = model(torch.ones(4096, 3)).square().mean()  # more elements than a small program has
        loss.backward()
        optimizer.step()
        return [loss]

    step()
    whole = compile_whole(step, [], [*model.parameters()], [optimizer])
    assert not is_small(whole.program) and whole.updates


def test_traces_without_known_steps_are_left():
    x = draw(4, 4)
    assert small_parts(record(lambda x: [x.sort()[0]], [x])) is None
    assert small_parts(record(lambda x: [x.mul_(2), x.sort()[0], x * 2 + 1][1:], [x])) is None


TARGETS = {"all classes": [0, 1, 2, 3], "one": [2, 2, 2, 2], "none": [-100, -100, 1, 0]}


@pytest.mark.parametrize("targets", TARGETS.values(), ids=TARGETS)
def test_targets_that_are_constants_of_a_program(targets):
    def loss(x):
        return torch.nn.functional.cross_entropy(x * 2, torch.tensor(targets))

    compiled, x = torch.compile(loss, options={"trial": False}), draw(4, 5).float().requires_grad_()
    for _ in range(4):
        wanted, actual = (torch.autograd.grad(function(x), x)[0] for function in (loss, compiled))
        np.testing.assert_allclose(actual.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(compiled(x).item(), loss(x).item(), rtol=1e-5)


def test_a_constant_target_that_names_no_class_is_an_error():
    compiled = torch.compile(lambda x: torch.nn.functional.cross_entropy(x * 2, torch.tensor([0, 7])))
    for _ in range(3):
        with pytest.raises(IndexError, match="Target 7 is out of bounds"):
            compiled(torch.ones(2, 5))
