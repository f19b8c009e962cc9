"""A training step, and after it a change to what it has read: the step must be recorded with what it read."""

import copy

import pytest

import rushlight as torch

CHANGES = {
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "squeeze_": lambda x: x.squeeze_(1),
    "t_": lambda x: x.squeeze_(1).t_(),
    "transpose_": lambda x: x.transpose_(0, 2),
    "as_strided_": lambda x: x.as_strided_((3, 2), (1, 3)),
    "resize_": lambda x: x.resize_(6),
    "set_": lambda x: x.set_(torch.zeros(2)),
    "data": lambda x: setattr(x, "data", torch.zeros(4)),
    "requires_grad_": lambda x: x.requires_grad_(),
    "elements": lambda x: x.add_(1),
}
STEPS = {
    "scaled": lambda x, p: x * 2,
    "copied": lambda x, p: x.clone(),
    "of the leaf": lambda x, p: x * p,
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("step", STEPS)
def test_an_argument(step, change):
    p = torch.ones(3, requires_grad=True)

    def f(x):
        y = STEPS[step](x, p)
        (y * p).sum().backward()
        CHANGES[change](x)
        return y.detach()

    def seen(function):
        p.grad, results = None, []
        for scale in (1, 2, 3):
            x = torch.arange(6.0).reshape(2, 1, 3) * scale
            results.append(function(x))
            results += [x.detach(), p.grad.clone()]
        return [(each.shape, each.stride(), each.tolist()) for each in results]

    wanted = seen(f)
    assert seen(torch.compile(f, options={"trial": False})) == wanted


@pytest.mark.parametrize("change", ["requires_grad", "data"])
def test_a_parameter(change):
    layer = torch.nn.Linear(2, 2)
    state, x = copy.deepcopy(layer.state_dict()), torch.ones(3, 2)

    def f(x):
        layer.zero_grad()
        loss = layer(x).square().sum()
        loss.backward()
        if change == "requires_grad":
            layer.bias.requires_grad_(not layer.bias.requires_grad)
        else:
            layer.weight.data = layer.weight.data.t().contiguous().t()
        return loss.detach()

    def seen(function):
        layer.requires_grad_(True)
        layer.load_state_dict(state)
        return [
            (function(x).item(), [None if p.grad is None else p.grad.tolist() for p in layer.parameters()])
            for _ in range(5)
        ]

    wanted = seen(f)
    actual = seen(torch.compile(f, options={"trial": False}))
    for (loss, grads), (other, others) in zip(actual, wanted, strict=True):
        assert loss == pytest.approx(other, rel=1e-5)
        assert [g is None for g in grads] == [g is None for g in others]
        for g, o in zip(grads, others, strict=True):
            assert g is None or torch.allclose(torch.tensor(g), torch.tensor(o))
