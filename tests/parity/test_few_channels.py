"""Batch norm and softmax of small tensors, next to PyTorch's."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")


def drawn(shape, library, dtype="float32", special=None):
    values = np.random.default_rng(5).normal(size=shape) * 3 + 1
    if special is not None:
        values[0, 0] = special
    return library.tensor(values).to(getattr(library, dtype))


def trained(library, shape, dtype, affine, special=None, last=False):
    """The result, its layout, the running statistics and all gradients of a step of training."""
    x = drawn(shape, library, dtype, special)
    x = x.to(memory_format=library.channels_last) if last else x
    layer = library.nn.BatchNorm2d(shape[1], affine=affine).to(x.dtype)
    if affine:
        with library.no_grad():
            layer.weight.copy_(drawn(shape[1:2], library, dtype))
            layer.bias.copy_(drawn(shape[1:2], library, dtype) * 2)
    result = layer(x.requires_grad_())
    (result * drawn(shape, library, dtype)).sum().backward()
    kept = [result, x.grad, layer.running_mean, layer.running_var, *(each.grad for each in layer.parameters())]
    return result.stride(), [each.detach().double().numpy() for each in kept]


@pytest.mark.parametrize("shape", [(2, 3, 4, 4), (4, 1, 1, 2), (3, 5, 1, 1), (16, 2, 8, 8), (17, 2, 8, 8)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("affine", [True, False])
def test_a_step_of_batch_norm(shape, dtype, affine):
    ours, theirs = (trained(each, shape, dtype, affine) for each in (rushlight, torch))
    assert ours[0] == theirs[0]
    for one, other in zip(ours[1], theirs[1], strict=True):
        tolerance = 1e-12 if dtype == "float64" else 2e-5
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, strict=True)


@pytest.mark.parametrize("special", [np.inf, np.nan])
def test_what_is_not_finite_stays_in_its_channel(special):
    ours, theirs = (trained(each, (2, 3, 4, 4), "float32", True, special)[1] for each in (rushlight, torch))
    np.testing.assert_array_equal(np.isfinite(ours[0]), np.isfinite(theirs[0]))
    np.testing.assert_allclose(ours[0][:, 1:], theirs[0][:, 1:], rtol=2e-5, atol=2e-5)


def test_channels_that_come_last_do_so_afterwards():
    ours, theirs = (trained(each, (2, 3, 4, 4), "float32", True, last=True) for each in (rushlight, torch))
    assert ours[0] == theirs[0]
    np.testing.assert_allclose(ours[1][0], theirs[1][0], rtol=2e-5, atol=2e-5)


def test_few_channels_are_turned_into_rows(monkeypatch):
    """They do without einsum, which takes two microseconds to begin."""
    monkeypatch.setattr(np, "einsum", None)
    x = drawn((2, 3, 4, 4), rushlight)
    result = rushlight.nn.functional.batch_norm(x, None, None, training=True)
    assert result.mean((0, 2, 3)).abs().max() < 1e-5


@pytest.mark.parametrize("size", [1.0, 20.0, 200.0])
@pytest.mark.parametrize("turned", [False, True])
def test_softmax_in_and_out_of_range(size, turned):
    for shape, dim in (((4,), 0), ((8, 10), 1), ((8, 10), 0), ((3, 40), -1), ((2, 3, 4), -1), ((2, 3, 4), 1)):
        ours, theirs = (drawn(shape, each) * size for each in (rushlight, torch))
        if turned:
            ours, theirs, dim = ours.mT if len(shape) > 1 else ours, theirs.mT if len(shape) > 1 else theirs, -1
        for name in ("softmax", "log_softmax"):
            one, other = getattr(ours, name)(dim), getattr(theirs, name)(dim)
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-6 * size, strict=True)
