"""Optimizers: steps by hand, PyTorch's numbers for every option, groups, state and hooks."""

import importlib

import numpy as np
import pytest

OPTIONS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "maximize": True}),
    ("Adam", {"lr": 0.01}),
    ("Adam", {"lr": 0.01, "betas": (0.8, 0.9), "eps": 1e-3, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.01, "amsgrad": True}),
    ("Adam", {"lr": 0.01, "maximize": True}),
    ("AdamW", {"lr": 0.01}),
    ("AdamW", {"lr": 0.01, "weight_decay": 0.5, "amsgrad": True}),
]


def ten_steps(library, name, options):
    """The parameters after each of ten steps on a small quadratic."""
    torch = importlib.import_module(library)
    weights = torch.tensor(np.linspace(-1, 1, 6).reshape(2, 3), requires_grad=True)
    bias = torch.tensor(np.array([0.5, -0.5, 0.25]), requires_grad=True)
    inputs = torch.tensor(np.arange(8.0).reshape(4, 2) / 4)
    optimizer = getattr(torch.optim, name)([weights, bias], **options)
    seen = []
    for _ in range(10):
        optimizer.zero_grad()
        ((inputs @ weights + bias) ** 2).mean().backward()
        optimizer.step()
        seen.append(np.concatenate([weights.detach().numpy().ravel(), bias.detach().numpy()]))
    return np.stack(seen)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_ten_steps_are_those_of_pytorch(name, options):
    pytest.importorskip("torch")
    ours, theirs = (ten_steps(library, name, options) for library in ("rushlight", "torch"))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def one_parameter(torch, value=1.0):
    parameter = torch.tensor([value], dtype=torch.float64, requires_grad=True)
    parameter.grad = torch.tensor([2.0], dtype=torch.float64)
    return parameter


def test_gradient_descent_by_hand(torch):
    parameter = one_parameter(torch)
    optimizer = torch.optim.SGD([parameter], lr=0.1, momentum=0.5)
    optimizer.step()
    assert parameter.item() == pytest.approx(0.8)  # velocity 2
    optimizer.step()
    assert parameter.item() == pytest.approx(0.5)  # velocity 0.5 * 2 + 2


def test_the_first_step_of_adam_is_the_learning_rate(torch):
    parameter = one_parameter(torch)
    torch.optim.Adam([parameter], lr=0.25, eps=0).step()
    assert parameter.item() == pytest.approx(0.75)


def test_groups_have_options_of_their_own(torch):
    first, second = one_parameter(torch), one_parameter(torch)
    optimizer = torch.optim.SGD([{"params": [first]}, {"params": [second], "lr": 0.5}], lr=0.1)
    optimizer.step()
    assert (first.item(), second.item()) == (pytest.approx(0.8), pytest.approx(0.0))
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.5]


def test_zero_grad_forgets_or_fills(torch):
    parameter = one_parameter(torch)
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    optimizer.zero_grad(set_to_none=False)
    assert parameter.grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert parameter.grad is None


def test_a_step_counts_as_a_write(torch):
    parameter = one_parameter(torch)
    loss = (parameter**2).sum()
    torch.optim.SGD([parameter], lr=0.1).step()
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        loss.backward()


def test_state_goes_on_in_another_optimizer(torch):
    def run(split):
        parameter = one_parameter(torch)
        optimizer = torch.optim.AdamW([parameter], lr=0.1)
        for step in range(6):
            if step == split:
                state = optimizer.state_dict()
                optimizer = torch.optim.AdamW([parameter], lr=0.1)
                optimizer.load_state_dict(state)
            parameter.grad = torch.tensor([1.0 + step], dtype=torch.float64)
            optimizer.step()
        return parameter.item()

    assert run(3) == run(None)


def test_the_state_without_momentum_is_empty(torch):
    optimizer = torch.optim.SGD([one_parameter(torch)], lr=0.1)
    optimizer.step()
    assert optimizer.state_dict()["state"] == {}


def test_a_closure_is_evaluated_with_gradients(torch):
    parameter = torch.tensor([3.0], requires_grad=True)
    optimizer = torch.optim.SGD([parameter], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (parameter**2).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 9.0
    assert parameter.item() == pytest.approx(2.4)


def test_hooks_run_around_a_step(torch):
    seen = []
    optimizer = torch.optim.SGD([one_parameter(torch)], lr=0.1)
    before = optimizer.register_step_pre_hook(lambda *arguments: seen.append("before"))
    optimizer.register_step_post_hook(lambda *arguments: seen.append("after"))
    optimizer.step()
    before.remove()
    optimizer.step()
    assert seen == ["before", "after", "after"]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda torch, p: torch.optim.SGD([], lr=0.1), ValueError, "optimizer got an empty parameter list"),
        (lambda torch, p: torch.optim.SGD([p], lr=-1.0), ValueError, "Invalid learning rate: -1.0"),
        (lambda torch, p: torch.optim.SGD([p], nesterov=True), ValueError, "Nesterov momentum requires a momentum"),
        (lambda torch, p: torch.optim.SGD([p * 2], lr=0.1), ValueError, "can't optimize a non-leaf Tensor"),
        (
            lambda torch, p: torch.optim.Adam([p], betas=(1.0, 0.9)),
            ValueError,
            "Invalid beta parameter at index 0: 1.0",
        ),
        (lambda torch, p: torch.optim.SGD(p, lr=0.1), TypeError, "params argument given to the optimizer should be"),
        (
            lambda torch, p: torch.optim.SGD([{"params": [p]}, {"params": [p]}], lr=0.1),
            ValueError,
            "some parameters appear in more than one parameter group",
        ),
        (lambda torch, p: torch.optim.SGD([p], lr=torch.ones(2)), ValueError, "Tensor lr must be 1-element"),
    ],
)
def test_refused(torch, make, error, text):
    with pytest.raises(error) as caught:
        make(torch, one_parameter(torch))
    assert str(caught.value).startswith(text)
