"""Gradients through views and writes to them, also where the layout of the gradient differs from the tensor's."""

import numpy as np
import pytest

# Each writes to a view of y, whose gradient then arrives transposed; rows are tried in C and in Fortran order.
real_writes = [
    ("y.t()[0].mul_(3)", (2, 3)),
    ("y.view(3, 2)[1].mul_(3)", (2, 3)),
    ("y.as_strided((2,), (1,), 1).mul_(3)", (2, 3)),
    ("y.as_strided((2, 2), (1, 2), 1)[0].pow_(2)", (2, 3)),
    ("torch.view_as_complex(y.view(3, 2)).mul_(2 + 1j)", (2, 3)),
    ("y.view(6).unfold(0, 2, 2)[1].pow_(2)", (2, 3)),
    ("y.diagonal().pow_(2)", (3, 3)),
    ("y.permute(1, 0)[1:].pow_(2)", (2, 3)),
    ("y[None, :, None].squeeze().pow_(3)", (4,)),
    ("y.unflatten(1, (2, 2))[:, 1].pow_(3)", (2, 4)),
    ("y.select(1, 2).unsqueeze(0).pow_(2)", (2, 3)),
    ("y.narrow(1, 1, 2).t().pow_(2)", (2, 3)),
    ("y[[0, 2]] = y[[1, 1]] * 2", (3, 2)),
    ("y.t()[:, 0] = y[1].clone() ** 2", (2, 3)),
    ("y[:, 1][y[:, 1] > 2.2] = 0.0", (2, 3)),
    ("y[y > 2.2] *= 3", (2, 3)),
    ("y[0] += y[1].clone()", (2, 3)),
    ("y._neg_view().t()[0].pow_(2)", (2, 3)),
    ("y._neg_view().as_strided((2, 2), (1, 2), 1)[0].pow_(2)", (2, 3)),
    ("torch.view_as_complex(y._neg_view().view(3, 2)).conj().mul_(2 + 1j)", (2, 3)),
    ("y._neg_view()[y > 2.2] *= y[y > 2.2]", (2, 3)),
]
complex_writes = [
    ("y.real.mul_(2)", (2, 3)),
    ("y.imag[0].pow_(2)", (2, 3)),
    ("torch.view_as_real(y)[..., 1].mul_(3)", (2, 3)),
    ("y.conj().mul_(2 + 1j)", (2, 3)),
    ("y.conj().pow_(2)", (2, 3)),
    ("y.conj().imag.pow_(2)", (2, 3)),
    ("y.conj().imag[1] += y.real[0].clone()", (2, 3)),
    ("y.conj().real.mul_(3)", (2, 3)),
    ("y.H[1:].mul_(2j)", (2, 3)),
    ("y.mH.conj()[0].mul_(2j)", (2, 3)),
    ("y.conj()[0] = y[1] * (1 + 1j)", (2, 3)),
    ("y.conj()[[0, 1]] = y[[1, 0]] * (1 + 1j)", (2, 3)),
    ("y.conj().as_strided((2,), (1,), 1).mul_(2j)", (2, 3)),
    ("y.conj()._neg_view().t()[0].mul_(y[:, 1].clone().conj())", (2, 3)),
    ("y.conj().copy_(y * 2j)", (2, 3)),
    ("y.mul_(y.conj().clone())", (2, 3)),
]
cases = [
    (statement, shape, dtype, order)
    for dtype, writes in (("float64", real_writes), ("complex128", complex_writes))
    for statement, shape in writes
    for order in "CF"
]


def viewable(statement, order):
    """Whether the views of a statement exist of memory in that order."""
    return order == "C" or not any(name in statement for name in (".view(", "unflatten"))


@pytest.mark.parametrize(
    ("statement", "shape", "dtype", "order"), [each for each in cases if viewable(each[0], each[3])]
)
def test_first_and_second_derivative_of_a_write(torch, statement, shape, dtype, order):
    def outcome(array):
        y = torch.from_numpy(array.copy(order="K")).requires_grad_()
        x, y = y, y.clone()
        exec(statement, {"torch": torch, "y": y})
        weight = torch.from_numpy(np.arange(float(array.size)).reshape(shape[::-1]).T)
        real = torch.view_as_real(y * weight).sum() if y.is_complex() else (y * weight).sum()
        (first,) = torch.autograd.grad(real, x, create_graph=True)
        return x, y, real, first

    array = np.asarray(np.arange(1, np.prod(shape) + 1, dtype=dtype).reshape(shape) / 2, order=order)
    x, _, value, first = outcome(array)
    direction = np.cos(np.arange(array.size)).reshape(shape)
    step = 1e-6
    nudged = [outcome(np.asarray(array + sign * step * direction, order=order))[2].item() for sign in (1, -1)]
    slope = float((first.numpy(force=True).real * direction).sum())
    assert slope == pytest.approx((nudged[0] - nudged[1]) / (2 * step), rel=1e-6, abs=1e-6)
    if first.requires_grad:

        def total(g):
            return (torch.view_as_real(g) if g.is_complex() else g).pow(2).sum()

        (second,) = torch.autograd.grad(total(first), x)
        around = [
            total(outcome(np.asarray(array + sign * step * direction, order=order))[3]).item() for sign in (1, -1)
        ]
        curve = float((second.numpy(force=True).real * direction).sum())
        assert curve == pytest.approx((around[0] - around[1]) / (2 * step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(
    ("index", "name"),
    [
        ("0", "SelectBackward0"),
        ("-1", "SelectBackward0"),
        ("0, 1", "SelectBackward0"),
        ("1:, 0", "SelectBackward0"),
        ("0, :", "SelectBackward0"),
        ("..., 0", "SelectBackward0"),
        ("torch.tensor(1)", "SelectBackward0"),
        ("1:", "SliceBackward0"),
        (":", "SliceBackward0"),
        (":, 1:3", "SliceBackward0"),
        ("0, 1:", "SliceBackward0"),
        ("None", "UnsqueezeBackward0"),
        (":, None", "UnsqueezeBackward0"),
        ("..., None", "UnsqueezeBackward0"),
        ("...", "AliasBackward0"),
        ("()", "AliasBackward0"),
        ("[0, 1]", "IndexBackward0"),
        ("0, [0, 1]", "IndexBackward0"),
        ("x > 0", "IndexBackward0"),
        ("True", "IndexBackward0"),
    ],
)
def test_names_of_the_nodes_of_an_index(torch, index, name):
    x = torch.ones(3, 4, requires_grad=True)
    assert eval(f"x[{index}]", {"torch": torch, "x": x}).grad_fn.name() == name


# PyTorch refuses backward after such a change; rushlight keeps positions of its own.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_positions_may_change_after_they_were_used(torch):
    x, positions = torch.arange(3.0, requires_grad=True), torch.tensor([True, False, True])
    y = x[positions]
    positions.fill_(False)
    y.sum().backward()
    assert x.grad.tolist() == [1, 0, 1]


def test_what_was_read_twice_gets_both_gradients(torch):
    x = torch.arange(3.0, requires_grad=True)
    x[torch.tensor([0, 0, 2])].backward(torch.tensor([1.0, 10.0, 100.0]))
    assert x.grad.tolist() == [11, 0, 100]


@pytest.mark.parametrize(
    ("split", "name"),
    [
        ("x.unbind(1)", "UnbindBackward0"),
        ("x.split(2)", "SplitBackward0"),
        ("x.chunk(2, 1)", "SplitBackward0"),
        ("x.split([1, 3])", "SplitWithSizesBackward0"),
        ("x.tensor_split(3)", "SliceBackward0"),
    ],
)
def test_parts_that_are_not_used_get_no_gradient(torch, split, name):
    x = torch.ones(4, 2, requires_grad=True)
    first, *_ = eval(split, {"x": x})
    assert first.grad_fn.name() == name
    first.sum().backward()
    assert x.grad.sum() == first.numel()
    assert (eval(split, {"x": x.grad})[0] == 1).all()
