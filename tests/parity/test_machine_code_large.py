"""Large arrays, on which machine code works: results and gradients are PyTorch's, whatever the strides and values."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch", reason="the oracle")
pytest.importorskip("llvmlite", reason="the extra jit is not installed")

ROWS, LENGTH = 260, 131  # 34,060 elements, no multiple of a vector
ELEMENTWISE = {
    "abs": lambda t, F, x: t.abs(x),
    "acosh": lambda t, F, x: t.acosh(x * x + 1.5),
    "add": lambda t, F, x: x + x,
    "angle": lambda t, F, x: t.angle(x) * x,
    "asinh": lambda t, F, x: t.asinh(x),
    "atanh": lambda t, F, x: t.atanh(t.sin(x) * 0.9),
    "celu": lambda t, F, x: F.celu(x, 0.5),
    "clamp": lambda t, F, x: t.clamp(x, -1.0, 2.0),
    "cos": lambda t, F, x: t.cos(x),
    "elu": lambda t, F, x: F.elu(x),
    "erf": lambda t, F, x: t.erf(x),
    "exp": lambda t, F, x: t.exp(x),
    "entr": lambda t, F, x: t.special.entr(x * x + 0.1),
    "erfcx": lambda t, F, x: t.special.erfcx(x * 0.3),
    "gelu": lambda t, F, x: F.gelu(x),
    "gelu_tanh": lambda t, F, x: F.gelu(x, approximate="tanh"),
    "glu": lambda t, F, x: F.glu(x, 0),
    "glu_of_rows": lambda t, F, x: F.glu(x[:, 1:]),
    "hardswish": lambda t, F, x: F.hardswish(x),
    "i0": lambda t, F, x: t.i0(x),
    "i0e": lambda t, F, x: t.special.i0e(x),
    "i1": lambda t, F, x: t.special.i1(x),
    "i1e": lambda t, F, x: t.special.i1e(x),
    "leaky_relu": lambda t, F, x: F.leaky_relu(x, 0.3),
    "log": lambda t, F, x: t.log(x * x + 0.5),
    "log_ndtr": lambda t, F, x: t.special.log_ndtr(x),
    "logaddexp2": lambda t, F, x: t.logaddexp2(x, x * x),
    "logit": lambda t, F, x: t.logit(t.sigmoid(x), 0.1),
    "logsigmoid": lambda t, F, x: F.logsigmoid(x),
    "mish": lambda t, F, x: F.mish(x),
    "mul": lambda t, F, x: x * (1.702 * x),
    "pow": lambda t, F, x: x**3 + (x * x + 1) ** 0.5 + (x * x + 1) ** 1.7,
    "reciprocal": lambda t, F, x: 1 / (x * x + 1),
    "relu": lambda t, F, x: F.relu(x),
    "round": lambda t, F, x: t.round(x) + t.round(x, decimals=2) * x + t.round(x * 100, decimals=-1) * x,
    "rsqrt": lambda t, F, x: t.rsqrt(x * x + 1),
    "sigmoid": lambda t, F, x: t.sigmoid(x),
    "silu": lambda t, F, x: F.silu(x),
    "sin": lambda t, F, x: t.sin(x),
    "softplus": lambda t, F, x: F.softplus(x, 2, 5),
    "softshrink": lambda t, F, x: F.softshrink(x, 0.4),
    "tanh": lambda t, F, x: t.tanh(x),
    "threshold": lambda t, F, x: F.threshold(x, 0.1, 5.0),
    "xlog1py": lambda t, F, x: t.special.xlog1py(x, x * x),
    "where": lambda t, F, x: t.where(x > 0.5, x * 2, -x),
}
ROWWISE = {
    "softmax": lambda t, F, x: t.softmax(x, -1),
    "log_softmax": lambda t, F, x: t.log_softmax(x, 1),
    "softmax_of_columns": lambda t, F, x: t.softmax(x, 0),
    "logsumexp": lambda t, F, x: t.logsumexp(x, -1, keepdim=True) * x,
    "layer_norm": lambda t, F, x: F.layer_norm(x, (LENGTH,), eps=1e-3),
}
BACKENDS = {"rushlight": rushlight, "torch": torch}


def numbers(dtype):
    return np.random.default_rng(0).normal(0, 2, (ROWS, LENGTH)).astype(dtype)


def both(function, array, prepare=lambda x: x):
    """Result and gradient of each library, for a gradient that is different everywhere."""
    results = []
    for t in BACKENDS.values():
        x = t.tensor(array, requires_grad=True)
        y = function(t, t.nn.functional, prepare(x))
        pull = t.cos(t.arange(y.numel(), dtype=y.dtype)).reshape(tuple(y.shape))
        y.backward(pull)
        results.append((y.detach().numpy(), x.grad.numpy()))
    return results


def assert_close(ours, theirs, dtype):
    tolerance = {"float32": 2e-5, "float64": 1e-12}[dtype]
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*ELEMENTWISE, *ROWWISE])
def test_result_and_gradient(name, dtype):
    assert_close(*both({**ELEMENTWISE, **ROWWISE}[name], numbers(dtype)), dtype)


STRIDED = {
    "transposed": lambda x: x.T,
    "every other": lambda x: x[:, ::2].repeat(3, 1),
    "sliced": lambda x: x[1:, 3:],
    "expanded": lambda x: x[:, :1].expand(-1, LENGTH * 2),
}


@pytest.mark.parametrize("layout", STRIDED)
@pytest.mark.parametrize("name", ["gelu", "mul", "softmax", "sigmoid"])
def test_result_and_gradient_of_views(name, layout):
    assert_close(*both({**ELEMENTWISE, **ROWWISE}[name], numbers("float32"), STRIDED[layout]), "float32")


@pytest.mark.parametrize("name", [*ELEMENTWISE, "softmax", "log_softmax", "layer_norm"])
def test_special_numbers(name):
    """NaN, infinities and zeros go where PyTorch lets them go."""
    array = numbers("float32")
    array[3, :7] = [np.nan, 0.0, -0.0, 1e-40, 1e20, -1e20, 100.0]
    array[6, 6], array[7] = -np.inf, -np.inf
    if name != "gelu":  # PyTorch's vectors give NaN at infinity, where its scalars give infinity
        array[5, 5] = np.inf
    (mine, _), (theirs, _) = both({**ELEMENTWISE, **ROWWISE}[name], array)
    np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_equals_a_bound_stays(dtype):
    """-0.0 does not become the 0.0 that it is compared with; a bound that is NaN is the result everywhere."""
    array = numbers(dtype)
    array[3, :7], array[4], array[5] = [np.nan, np.inf, -np.inf, 1.0, -1.0, 1e-40, 2.0], 0.0, -0.0
    for low, high in ((0.0, 1.0), (-1.0, -0.0), (-0.0, 0.0), (1.0, -1.0), (np.nan, 1.0), (0.0, np.nan), (None, -0.0)):
        mine, theirs = (t.clamp(t.tensor(array), low, high).numpy() for t in BACKENDS.values())
        np.testing.assert_array_equal(mine, theirs)
        np.testing.assert_array_equal(np.signbit(mine), np.signbit(theirs))
    mine, theirs = (t.nn.functional.hardtanh(t.tensor(array), 0.0, 6.0).numpy() for t in BACKENDS.values())
    np.testing.assert_array_equal(np.signbit(mine), np.signbit(theirs))


def test_layer_norm_with_weight_and_bias():
    array, weight = numbers("float32"), np.linspace(-1, 2, LENGTH, dtype=np.float32)
    results = []
    for t in BACKENDS.values():
        x, w, b = (t.tensor(each, requires_grad=True) for each in (array, weight, weight[::-1].copy()))
        y = t.nn.functional.layer_norm(x, (LENGTH,), w, b)
        (y * t.tensor(array) ** 2).sum().backward()
        results.append([each.detach().numpy() for each in (y, x.grad, w.grad, b.grad)])
    for mine, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-4)


def test_cross_entropy():
    target = np.random.default_rng(1).integers(0, LENGTH, ROWS)
    target[::7] = -100
    results = []
    for t in BACKENDS.values():
        x = t.tensor(numbers("float32"), requires_grad=True)
        loss = t.nn.functional.cross_entropy(x, t.tensor(target))
        loss.backward()
        results.append((loss.item(), x.grad.numpy()))
    (mine, slope), (theirs, expected) = results
    assert mine == pytest.approx(theirs, rel=1e-6)
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-8)


LOSSES = {
    "mse_loss": {},
    "smooth_l1_loss": {"beta": 0.4},
    "huber_loss": {"delta": 0.3},
    "binary_cross_entropy": {},
    "binary_cross_entropy_with_logits": {},
}


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_pairs(name, reduction):
    """Both derivatives, and that of the first, when a program has called often enough to be given kernels."""
    shares = np.random.default_rng(2).uniform(0.01, 0.99, (2, ROWS, LENGTH))
    results = []
    for t in BACKENDS.values():
        x, y = (t.tensor(each, requires_grad=True) for each in shares)
        for _ in range(6):
            loss = getattr(t.nn.functional, name)(x, y, reduction=reduction, **LOSSES[name])
            derivatives = t.autograd.grad(loss.sin().sum(), (x, y))
        (slope,) = t.autograd.grad(getattr(t.nn.functional, name)(x, y.detach()).sin(), x, create_graph=True)
        (second,) = t.autograd.grad(slope.square().sum(), x)
        results.append([each.detach().numpy() for each in (loss, *derivatives, second)])
    for mine, theirs in zip(*results, strict=True):
        # PyTorch adds 1e-12 to probabilities in the second derivative of binary_cross_entropy: 2e-10 of the smallest.
        np.testing.assert_allclose(mine, theirs, rtol=1e-9 if mine is results[0][-1] else 1e-10, atol=1e-14)


def test_second_derivatives_of_large_arrays():
    results = []
    for t in BACKENDS.values():
        x = t.tensor(numbers("float64"), requires_grad=True)
        (slope,) = t.autograd.grad(t.softmax(t.tanh(x) * x, -1).square().sum(), x, create_graph=True)
        (second,) = t.autograd.grad(slope.square().sum(), x)
        results.append(second.numpy())
    np.testing.assert_allclose(*results, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("dtype", ["int64", "bool", "float16", "bfloat16", "complex64"])
def test_other_dtypes_are_left_to_numpy(dtype):
    """No kernel widens what it was not made for."""
    results = []
    for t in BACKENDS.values():
        x = t.tensor(numbers("float32").round()).to(getattr(t, dtype))
        y = (x * x + x).to(t.complex64 if dtype == "complex64" else t.float32)
        results.append((str((x * x).dtype), y.numpy()))
    assert results[0][0] == results[1][0]
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-2)


MOVES = {
    "repeat": lambda x: x.repeat(3, 1),
    "repeat beside": lambda x: x.repeat(1, 2),
    "repeat in front": lambda x: x[:9].repeat(5, 2, 3),
    "repeat once": lambda x: x.repeat(1, 1),
    "repeat a view": lambda x: x.T[::2].repeat(2, 2),
    "tile": lambda x: x.tile((4,)),
    "quarter": lambda x: x.rot90(),
    "quarter back": lambda x: x.rot90(-1),
    "half": lambda x: x.rot90(2),
    "quarter of a view": lambda x: x[:, 3:].rot90(1, (1, 0)),
    "whole": lambda x: x.rot90(4),
    "flip and turn": lambda x: x.flip(0).t().contiguous(),
    "largest so far": lambda x: x.cummax(1)[0],
    "smallest so far": lambda x: x.cummin(0)[0],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MOVES)
def test_moves_and_their_gradients(name, dtype):
    (mine, slope), (theirs, expected) = both(lambda t, F, x: MOVES[name](x), numbers(dtype))
    np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-5)


def test_a_repeated_tensor_is_a_copy():
    x = rushlight.ones(300, 300)
    x.repeat(1, 1).zero_()
    assert x.sum() == 90_000
