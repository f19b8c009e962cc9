"""`torch._C._nn` and other functions that PyTorch's layers call: results and gradients."""

import numpy as np
import pytest

import rushlight

theirs = pytest.importorskip("torch", reason="compares with PyTorch")

IMAGE, VOLUME, ROWS, SCORES = (2, 3, 6, 6), (1, 2, 4, 4, 4), (3, 4), (4, 5)
CALLS = [
    *((name, "x", IMAGE) for name in ("gelu", "silu", "mish", "hardswish", "hardsigmoid", "relu6", "elu", "softplus")),
    *((name, "x", ROWS) for name in ("hardtanh", "leaky_relu", "softshrink", "glu")),
    *((f"{name}_", "x * 1", ROWS) for name in ("silu", "mish", "hardtanh", "leaky_relu", "elu", "relu6", "hardswish")),
    ("gelu_", "x * 1", ROWS),
    ("hardsigmoid_", "x * 1", ROWS),
    ("gelu", "x, approximate='tanh'", ROWS),
    ("gelu", "input=x", ROWS),
    ("elu", "x, 1.5, 0.5, 2.0", ROWS),
    ("leaky_relu", "x, 0.2", ROWS),
    ("softplus", "x, 2, 1", ROWS),
    ("glu", "x, 0", SCORES),
    ("avg_pool2d", "x, 2", IMAGE),
    ("avg_pool2d", "x, [3, 2], [2, 1], [1, 1], True, False, None", IMAGE),
    ("avg_pool3d", "x, 2", VOLUME),
    ("adaptive_avg_pool2d", "x, [2, 3]", IMAGE),
    ("adaptive_avg_pool3d", "x, [2, 3, 1]", VOLUME),
    ("adaptive_max_pool2d", "x, [2, 3]", IMAGE),
    ("adaptive_max_pool3d", "x, [2, 3, 1]", VOLUME),
    ("max_pool2d_with_indices", "x, [2, 2], [1, 2]", IMAGE),
    ("max_pool3d_with_indices", "x, [2, 2, 2]", VOLUME),
    ("linear", "x, x[:2], x[0, :2]", ROWS),
    ("one_hot", "torch.tensor([0, 2]), 4", ROWS),
    ("pad", "x, [1, 2], 'constant', 3.0", ROWS),
    ("pad", "x, [1, 2], 'reflect'", IMAGE[1:]),
    ("scaled_dot_product_attention", "x, x, x", IMAGE),
    ("scaled_dot_product_attention", "x, x, x, is_causal=True", IMAGE),
    *(
        (name, f"x, x.flip(0).detach(), {how}", ROWS)
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss")
        for how in range(3)
    ),
    *(
        (name, f"x, x.flip(0).detach(), {how}, 0.5", ROWS)
        for name in ("huber_loss", "smooth_l1_loss")
        for how in range(3)
    ),
    *(("soft_margin_loss", f"x, x.detach().sign(), {how}", ROWS) for how in range(3)),
    *(("binary_cross_entropy", f"x.sigmoid(), x.detach().flip(0).sigmoid(), None, {how}", ROWS) for how in range(3)),
    *(("nll_loss", f"x, torch.tensor([0, 2, 1, 4]), None, {how}, -100", SCORES) for how in range(3)),
    ("multi_margin_loss", "x, torch.tensor([0, 2, 1, 4]), 1, 0.5, None, 1", SCORES),
    ("multilabel_margin_loss", "x, torch.tensor([[0, 2, -1, 1, 1]] * 4), 1", SCORES),
]
OTHERS = [
    ("_weight_norm", "x, x[:, :1].abs() + 1", ROWS),
    ("_weight_norm", "x, x[:1].abs() + 1, 1", ROWS),
    ("_weight_norm", "x, x[0, 0].abs() + 1, -1", ROWS),
    ("_weight_norm", "x, x[:, :1, :1, :1].abs() + 1, 0", IMAGE),
    ("_weight_norm_interface", "x, x[:, :1].abs() + 1", ROWS),
    ("_weight_norm_interface", "x, x[:1].abs() + 1, dim=1", ROWS),
    ("native_dropout", "x, 0.3, True", IMAGE),
    ("native_dropout", "x, 0.3, False", ROWS),
    ("native_dropout", "x, 1.0, True", ROWS),
    ("native_layer_norm", "x, [4], None, None, 1e-5", ROWS),
    ("native_batch_norm", "x, None, None, None, None, True, 0.1, 1e-5", IMAGE),
]


def outcomes(torch, function, arguments, shape):
    torch.manual_seed(0)
    x = torch.linspace(-2, 2.5, int(np.prod(shape))).sin().reshape(shape).requires_grad_()
    results = eval(f"function({arguments})", {"function": function, "torch": torch, "x": x})
    results = list(results) if isinstance(results, tuple) else [results]
    if results[0].requires_grad:
        weight = torch.linspace(0, 1, results[0].numel()).reshape(results[0].shape)
        results += torch.autograd.grad((results[0] * weight).sum(), x)
    return [(str(each.dtype), each.requires_grad, each.detach().numpy()) for each in results]


def check(result, expected):
    assert len(result) == len(expected)
    for (*kind, values), (*wanted, numbers) in zip(result, expected, strict=True):
        assert kind == wanted
        np.testing.assert_allclose(values, numbers, rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize(("name", "arguments", "shape"), CALLS)
def test_functions_of_nn(name, arguments, shape):
    check(*(outcomes(torch, getattr(torch._C._nn, name), arguments, shape) for torch in (rushlight, theirs)))


@pytest.mark.parametrize(("name", "arguments", "shape"), OTHERS)
def test_functions_of_the_root(name, arguments, shape):
    check(*(outcomes(torch, getattr(torch, name), arguments, shape) for torch in (rushlight, theirs)))


@pytest.mark.parametrize("torch", [rushlight, theirs])
def test_what_they_refuse(torch):
    x = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match=r"^bernoulli_ expects p to be in \[0, 1\], but got p=-1$"):
        torch.native_dropout(x, 2.0, True)
    with pytest.raises(RuntimeError, match="^result type Float can't be cast to the desired output type Long"):
        torch.native_dropout(x.long(), 0.5, True)
    with pytest.raises(NotImplementedError, match="^\"weight_norm_kernel\" not implemented for 'Long'$"):
        torch._weight_norm(x.long(), x.long()[:, :1])
    with pytest.raises(AttributeError):
        torch._C._nn.no_such_function  # noqa: B018
