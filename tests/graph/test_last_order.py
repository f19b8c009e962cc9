"""Layers whose gradients one kernel computes: a recorded step calls it where nothing differentiates them again."""

import pytest

import rushlight as torch
from rushlight.graph.training import record_whole

nn = torch.nn
LAYERS = {  # layer, shape of the input, operator of its gradients
    "attention": (lambda: nn.MultiheadAttention(8, 2, batch_first=True), (2, 5, 8), "attention_gradients"),
    "batch norm": (lambda: nn.BatchNorm2d(4), (8, 4, 32, 32), "batch_norm_backward"),
    "batch norm, evaluated": (lambda: nn.BatchNorm2d(4).eval(), (8, 4, 32, 32), "batch_norm_backward"),
    "group norm": (lambda: nn.GroupNorm(2, 4), (3, 4, 5), "group_norm_backward"),
    "lstm": (lambda: nn.LSTM(3, 4), (5, 2, 3), "lstm_backward"),
    "gru": (lambda: nn.GRU(3, 4), (5, 2, 3), "gru_backward"),
    "rnn": (lambda: nn.RNN(3, 4), (5, 2, 3), "rnn_backward"),
}


def result_of(layer, x):
    result = layer(x, x, x, need_weights=False) if isinstance(layer, nn.MultiheadAttention) else layer(x)
    return result[0] if isinstance(result, tuple) else result


def step_of(layer):
    def step(x):
        layer.zero_grad()
        result_of(layer, x).square().sum().backward()
        return [parameter.grad for parameter in layer.parameters()]

    return step


@pytest.mark.parametrize("name", LAYERS)
def test_a_step_calls_the_kernel_of_the_gradients(name):
    torch.manual_seed(0)
    make, shape, operator = LAYERS[name]
    layer, x = make(), torch.randn(shape)
    whole = record_whole(step_of(layer), [x], [*layer.parameters(), *layer.buffers()], [])
    names = [step.op.name for step in whole.trace.steps if step.op is not None]
    assert names.count(operator) == 1
    assert "normalized_gradient" not in names
    assert "sigmoid" not in names


@pytest.mark.parametrize("name", LAYERS)
def test_compiled_gradients_are_those_as_written(name):
    torch.manual_seed(0)
    make, shape, _ = LAYERS[name]
    layer, x = make(), torch.randn(shape)
    step = step_of(layer)
    compiled = torch.compile(step, options={"trial": False})
    wanted = [each.clone() for each in step(x)]
    for _ in range(3):
        for actual, each in zip(compiled(x), wanted, strict=True):
            torch.testing.assert_close(actual, each, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", LAYERS)
def test_second_derivatives_of_a_compiled_function(name):
    torch.manual_seed(0)
    make, shape, _ = LAYERS[name]
    layer, x = make().double(), torch.randn(shape, dtype=torch.float64)

    def penalty(x):
        x = x.detach().requires_grad_()
        (slope,) = torch.autograd.grad(result_of(layer, x).sin().sum(), x, create_graph=True)
        return torch.autograd.grad(slope.square().sum(), list(layer.parameters()), allow_unused=True)

    wanted, compiled = penalty(x), torch.compile(penalty, options={"trial": False})
    for _ in range(3):
        for actual, each in zip(compiled(x), wanted, strict=True):
            assert (actual is None) is (each is None)
            if each is not None:
                torch.testing.assert_close(actual, each)
