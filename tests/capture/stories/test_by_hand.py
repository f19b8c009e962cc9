"""Training without an optimizer, penalties of gradients, and modes that several parts of a function enter."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def model_of(outputs=4):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, outputs))


def emptied(model, x):
    loss = model(x).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
            p.grad = None
    return loss.detach()


def zeroed(model, x):
    loss = model(x).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p.sub_(p.grad, alpha=0.1)
            p.grad.zero_()
    return loss.detach()


def filled(model, x):
    loss = model(x).square().mean()
    loss.backward()
    for p in model.parameters():
        p.data.add_(p.grad, alpha=-0.1)
        p.grad.fill_(0)
    return loss.detach()


def by_grad(model, x):
    loss = model(x).square().mean()
    gradients = torch.autograd.grad(loss, [*model.parameters()])
    with torch.no_grad():
        for p, gradient in zip(model.parameters(), gradients, strict=True):
            p -= 0.1 * gradient
    return loss.detach()


@pytest.mark.parametrize("step_of", [emptied, zeroed, filled, by_grad])
def test_training_by_hand_agrees(step_of, agree):
    def story(compile):
        model = model_of()
        step = compile(lambda x: step_of(model, x))
        return [step(torch.randn(5, 6)) for _ in range(8)], [*model.parameters()], [p.grad for p in model.parameters()]

    agree(story, replays=4)


@pytest.mark.parametrize("step_of", [emptied, zeroed, by_grad])
def test_training_by_hand_is_one_program(step_of):
    model, x = model_of(), torch.ones(5, 6)
    step = torch.compile(lambda x: step_of(model, x), options={"trial": False})
    step(x), step(x)
    (program,) = torch.compiler.explain(step)(x).programs
    (part,) = [text for _, text in program.parts]
    assert "one training step" in part


def penalty(model, real, fake):
    share = torch.rand(len(real), 1)
    between = (share * real + (1 - share) * fake).requires_grad_()
    (slope,) = torch.autograd.grad(model(between).sum(), between, create_graph=True)
    return model(fake).mean() - model(real).mean() + 10 * ((slope.norm(2, dim=1) - 1) ** 2).mean()


def penalty_at_points_that_are_kept(model, real, fake):
    points = (0.5 * real + 0.5 * fake).requires_grad_(True)
    (slope,) = torch.autograd.grad(F.softplus(model(points)).sum(), points, create_graph=True)
    return slope.square().mean() + 0 * points.detach().sum()


def critic(loss_of):
    model = model_of(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def step(real, fake):
        optimizer.zero_grad()
        loss = loss_of(model, real, fake)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, model


@pytest.mark.parametrize("loss_of", [penalty, penalty_at_points_that_are_kept])
def test_penalties_of_gradients_agree(loss_of, agree):
    def story(compile):
        step, model = critic(loss_of)
        compiled = compile(step)
        return [compiled(torch.randn(5, 6), torch.randn(5, 6)) for _ in range(8)], [*model.parameters()]

    agree(story, replays=4)


@pytest.mark.parametrize("loss_of", [penalty, penalty_at_points_that_are_kept])
def test_a_penalty_of_gradients_is_part_of_one_program(loss_of):
    step, _ = critic(loss_of)
    compiled, x = torch.compile(step, options={"trial": False}), torch.ones(5, 6)
    compiled(x, 2 * x), compiled(x, 2 * x)
    (program,) = torch.compiler.explain(compiled)(x, 2 * x).programs
    (part,) = [text for _, text in program.parts]
    assert "one training step" in part


def test_gradients_of_points_that_are_returned_agree(agree):
    def story(compile):
        model = model_of(1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(x):
            optimizer.zero_grad()
            points = (x * 2).requires_grad_()
            model(points).sum().backward()
            optimizer.step()
            return points, points.grad

        compiled = compile(step)
        return [compiled(torch.randn(5, 6)) for _ in range(6)], [*model.parameters()]

    agree(story)


# ---- modes


def entered_twice(x):
    mode = torch.no_grad()
    with mode:
        y = x * 2
    print("between")
    with mode:
        z = x * 3
    return y + z, y.requires_grad, z.requires_grad


def made_before_a_backward_pass(x):
    (x * 2).sum().backward()
    mode = torch.no_grad()
    print("between")
    with mode:
        y = x * 3
    return y.requires_grad, x.grad


def around_other_calls(x):
    mode = torch.enable_grad()
    with torch.no_grad():
        with mode:
            y = x * 2
            print("inside")
            z = y.sin()
        w = z * 2
    return y.requires_grad, z, w.requires_grad


def left_in_another_group(x):
    with torch.no_grad():
        y = x * 2 + 1
        noise = torch.rand(2)
        z = y * noise.sum()
    return z.requires_grad, (x * z).sum()


@pytest.mark.parametrize(
    "function", [entered_twice, made_before_a_backward_pass, around_other_calls, left_in_another_group]
)
def test_modes_that_several_parts_enter_agree(function, agree, capsys):
    def story(compile):
        compiled, x = compile(function), torch.arange(3.0).requires_grad_()
        return [compiled(x) for _ in range(6)], torch.is_grad_enabled()

    agree(story)
