"""`torch._higher_order_ops.associative_scan`: running results of a function of two."""

from importlib import import_module

import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def scan():
    """PyTorch compiles its own, with a compiler of C++: what is expected here is a loop."""
    return import_module("rushlight._higher_order_ops.associative_scan").associative_scan


@pytest.fixture
def torch():
    return import_module("rushlight")


def decayed(left, right):
    """What a linear recurrence is as a scan."""
    return left[0] * right[0], right[0] * left[1] + right[1]


@pytest.mark.parametrize("length", range(2, 10))
@pytest.mark.parametrize("reverse", [False, True])
def test_a_recurrence_is_that_of_a_loop(torch, scan, length, reverse):
    torch.manual_seed(length)
    decay, input = torch.rand(2, length, 3, requires_grad=True), torch.randn(2, length, 3, requires_grad=True)
    _, result = scan(decayed, (decay, input), 1, reverse, "generic")
    order = range(length - 1, -1, -1) if reverse else range(length)
    state, states = torch.zeros(2, 3), {}
    for step in order:
        state = decay[:, step] * state + input[:, step]
        states[step] = state
    expected = torch.stack([states[step] for step in range(length)], 1)
    torch.testing.assert_close(result, expected)
    derivatives = [torch.autograd.grad(each.sin().sum(), (decay, input)) for each in (result, expected)]
    torch.testing.assert_close(*derivatives)


def test_trees_and_products_of_matrices(torch, scan):
    x = torch.arange(1.0, 5.0)
    assert scan(lambda a, b: {"x": a["x"] + b["x"]}, {"x": x}, -1, combine_mode="generic")["x"].tolist() == [
        1,
        3,
        6,
        10,
    ]
    turns = torch.tensor([[0.0, 1.0], [-1.0, 0.0]]).expand(4, 2, 2)
    assert torch.equal(scan(torch.matmul, turns, 0, combine_mode="generic")[3], torch.eye(2))


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((3, 1), ValueError, "Combine_fn must be a callable, but got 3"),
        ((max, 1, False, "x"), ValueError, "Combine_mode must either 'pointwise' or 'generic', but got x"),
        ((max, 1), ValueError, "For combine_mode='pointwise', all input tensors need to be on CUDA or XPU"),
        ((max, 1, 2, "generic"), RuntimeError, "Reverse must be a bool, but got <class 'int'>"),
        (
            (max, 5, False, "generic"),
            IndexError,
            "Dimension out of range .expected to be in range of .-2, 1., but got 5.",
        ),
        ((lambda a, b: (a, b), 1, False, "generic"), RuntimeError, "combine_fn returned 2 tensors, expected 1"),
    ],
)
def test_what_is_refused(torch, scan, arguments, kind, message):
    function, *others = arguments
    with pytest.raises(kind, match=message):
        scan(function, torch.ones(2, 3), *others)
