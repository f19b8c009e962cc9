"""Runs of steps as small programs between steps that are none."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.tensor import wrap
from rushlight.graph.program import Kernel, Program
from rushlight.graph.recording import record
from rushlight.graph.simplify import simplify
from rushlight.graph.small import is_available
from rushlight.graph.small_parts import small_parts

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


def test_traces_with_writes_or_without_known_steps_are_left():
    x = draw(4, 4)
    assert small_parts(record(lambda x: [x.sort()[0]], [x])) is None
    assert small_parts(record(lambda x: [x.mul_(2), x.sort()[0], x * 2 + 1][1:], [x])) is None
