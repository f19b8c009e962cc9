"""Simplified traces: what is left out, and that results stay the same."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.tensor import wrap
from rushlight.graph.program import Program
from rushlight.graph.recording import record
from rushlight.graph.simplify import simplify

SHAPE = (3, 3)


def names(function, *shapes):
    """Returns the operators that are left of a function, "write" for a write to memory."""
    trace = record(function, [torch.zeros(shape) for shape in shapes])
    return [step.op.name if step.op else "write" for step in simplify(trace).steps]


@pytest.mark.parametrize(
    ("function", "left"),
    [
        (lambda x: [x.clone().exp()], ["exp"]),
        (lambda x: [x.clone()], ["clone"]),
        (lambda x: [x.t().t().exp()], ["exp"]),
        (lambda x: [(x * 1).exp(), (x / 1).sin()], ["exp", "sin"]),
        (lambda x: [(x * 1.5).exp() + (x * 1.5).exp()], ["mul", "exp", "add"]),
        (lambda x: [x.expand(3, 3).exp()], ["exp"]),
        (lambda x: [x.reshape(3, 3).exp()], ["exp"]),
        (lambda x: [x.exp(), x.exp()], ["exp", "exp"]),
        (lambda x: [x.exp().add_(1).mul_(2)], ["exp", "add", "mul"]),
        (lambda x: [torch.relu_(x * 2)], ["mul", "relu"]),
        (lambda x: [torch.zeros(3, 3).copy_(x)], ["copy_values"]),
        (lambda x: [x.sin(), x.cos().sum()][1:], ["cos", "sum"]),
        (lambda x: [(x - 0).exp(), (x + 0).exp()], ["exp", "add", "exp"]),
    ],
)
def test_steps_are_left_out(function, left):
    assert names(function, SHAPE) == left


def test_writes_to_inputs_keep_their_order():
    def function(x):
        y = x.exp()
        x.add_(1)
        z = x.exp()
        x.mul_(z)
        return [y, z]

    assert [name for name in names(function, SHAPE) if name in ("write", "exp")] == ["exp", "write", "exp", "write"]


def test_a_view_shows_what_was_written_last():
    def function(x):
        y = x * 2
        v = y.t()
        y.add_(1)
        w = v.exp()
        y.mul_(3)
        return [v.sum(), w]

    x = torch.randn(3, 3)
    trace = record(function, [x])
    assert "write" not in [step.op.name if step.op else "write" for step in simplify(trace).steps]
    for one, other in zip(Program(simplify(trace))(x._array), function(x), strict=True):
        np.testing.assert_allclose(one, other._array, rtol=1e-6)


class Drawn:
    """A random function: operators, views, writes to tensors and to parts of them, results of all kinds."""

    def __init__(self, seed, writes_to_inputs):
        self.seed, self.writes_to_inputs = seed, writes_to_inputs

    def __call__(self, *inputs):
        generator = np.random.default_rng(self.seed)
        known = list(inputs)
        own = []
        for _ in range(generator.integers(4, 14)):
            made = self.step(generator, known, own)
            if made is not None:
                known.append(made)
        count = min(4, len(known))
        return [known[at] for at in generator.choice(len(known), count, replace=False)]

    def step(self, generator, known, own):
        pick = lambda tensors: tensors[generator.integers(len(tensors))]  # noqa: E731
        kind = generator.integers(12)
        x, y = pick(known), pick(known)
        if kind < 4:
            made = [lambda: x + y, lambda: x * 0.5, lambda: x.tanh(), lambda: x.clone()][kind]()
        elif kind == 4:
            made = torch.zeros(SHAPE) if generator.integers(2) else torch.empty_like(x).copy_(y)
        elif kind == 5:
            return x.t()
        elif kind == 6:
            return x.view(3, 3) if x.is_contiguous() else x.detach()
        elif kind == 7:
            return x.t().t()
        else:
            targets = [*own, *(known if self.writes_to_inputs else [])]
            if not targets:
                return None
            target = pick(targets)
            part = target[int(generator.integers(3))] if kind == 11 else target
            if kind == 8:
                part.copy_(x.clone())
            elif kind == 9:
                part.mul_(0.5)
            else:
                part.add_(y[0].clone())
            return None
        own.append(made)
        return made


@pytest.mark.parametrize("writes_to_inputs", [False, True])
@pytest.mark.parametrize("seed", range(80))
def test_random_functions_compute_the_same(seed, writes_to_inputs):
    function = Drawn(seed, writes_to_inputs)
    inputs = [torch.randn(SHAPE) for _ in range(2)]
    trace = record(function, [wrap(each._array.copy()) for each in inputs])
    simple = simplify(trace)
    assert len(simple.steps) <= len(trace.steps) + len(trace.views)
    for _ in range(2):
        arrays_of = [
            [np.random.default_rng(seed).standard_normal(SHAPE).astype("f4") for _ in inputs] for _ in range(2)
        ]
        outputs = [Program(each)(*arrays) for each, arrays in zip((trace, simple), arrays_of, strict=True)]
        for one, other in zip([*outputs[0], *arrays_of[0]], [*outputs[1], *arrays_of[1]], strict=True):
            assert np.array_equal(one, other)
            assert one.strides == other.strides
        for one, other in zip(outputs[0], outputs[1], strict=True):
            shared = [[np.shares_memory(each, more) for more in (*results, *arrays)]
                      for each, results, arrays in zip((one, other), outputs, arrays_of, strict=True)]  # fmt: skip
            assert shared[0] == shared[1]


@pytest.mark.parametrize("seed", range(40))
def test_random_functions_have_the_same_gradients(seed, agree):
    function = Drawn(seed, False)
    inputs = [torch.randn(SHAPE, requires_grad=True) for _ in range(2)]
    results = [each for each in function(*inputs) if each.requires_grad and each.grad_fn is not None]
    if not results:
        return
    try:
        torch.autograd.grad(results, inputs, [torch.ones_like(each) for each in results], allow_unused=True)
    except RuntimeError:
        return  # a value that was saved is written to
    agree(function, inputs, tolerance=1e-5, kernels=bool(seed % 2))
