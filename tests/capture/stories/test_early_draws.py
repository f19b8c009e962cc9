"""Training steps that draw random numbers: the same numbers in the same order, before the rest of the step."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def diffusion(model, x):
    time = torch.randint(0, 10, (len(x),))
    noise = torch.randn_like(x)
    level = torch.linspace(0.1, 0.9, 10)[time].unsqueeze(1)
    return F.mse_loss(model(level * x + (1 - level) * noise), noise)


def noise_of_a_result(model, x):
    hidden = model(x)
    return (hidden + torch.randn_like(hidden)).square().mean()


def noise_of_a_transposed_result(model, x):
    hidden = model(x).t()
    noise = torch.rand_like(hidden)
    return (hidden * noise).sum() + noise.stride(0)


def noise_in_place(model, x):
    noise = torch.empty(4, 6).uniform_(-1, 1)
    return (model(noise) - torch.zeros(noise.shape).normal_()).square().mean()


def noise_like_a_result_in_place(model, x):
    hidden = model(x)
    noise = torch.empty_like(hidden).normal_()
    return (hidden * noise).mean()


def several(model, x):
    first, mixed = torch.rand(4, 6), torch.randperm(4)
    second = torch.rand(first.shape)
    return (model(x[mixed] + first) * second).mean()


def changed_afterwards(model, x):
    noise = torch.randn(4, 6)
    noise.mul_(0.5).add_(x)
    return model(noise).square().mean()


def without_gradients(model, x):
    with torch.no_grad():
        noise = torch.randn(4, 6)
    return model(x + noise).mean()


ONE_PROGRAM = [
    diffusion, noise_of_a_result, noise_of_a_transposed_result, noise_in_place, noise_like_a_result_in_place, several,
    changed_afterwards, without_gradients,
]  # fmt: skip


def after_dropout(model, x):
    hidden = F.dropout(model(x), 0.5)
    return (hidden + torch.randn_like(hidden)).mean()


def before_dropout(model, x):
    return F.dropout(model(x + torch.randn(4, 6)), 0.5).mean()


def of_values(model, x):
    chances = model(x).sigmoid()
    return (chances * torch.bernoulli(chances.detach())).sum()


def around_values(model, x):
    hidden = model(x)
    return (hidden - torch.normal(hidden.detach(), 0.1)).square().mean()


def into_what_was_read(model, x):
    noise = torch.zeros(4, 6)
    first = model(x + noise)
    return (first + noise.uniform_()).mean()


def twice_into_the_same(model, x):
    noise = torch.empty(4, 6).normal_()
    first = noise * 2
    return model(noise.uniform_()).mean() + first.sum()


def twice_in_a_row(model, x):
    noise = torch.empty(4, 6)
    noise.normal_()
    noise.uniform_()
    return model(noise).mean()


def into_an_argument(model, x):
    return model(x.clone().uniform_()).mean() + model(x.normal_()).mean()


def of_inference_mode(model, x):
    with torch.inference_mode():
        noise = torch.randn(4, 6)
    return model(x).mean() + noise.is_inference()


def with_a_seed(model, x):
    torch.manual_seed(3)
    return model(x + torch.randn(4, 6)).mean()


def with_a_size_of_values(model, x):
    chosen = model(x)[x[:, 0] > 0]
    return (chosen + torch.rand_like(chosen)).sum()


OTHERS = [
    after_dropout, before_dropout, of_values, around_values, into_what_was_read, twice_into_the_same, twice_in_a_row,
    into_an_argument, of_inference_mode, with_a_seed, with_a_size_of_values,
]  # fmt: skip


def made(loss_of):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def step(x):
        optimizer.zero_grad()
        loss = loss_of(model, x)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, model


@pytest.mark.parametrize("loss_of", [*ONE_PROGRAM, *OTHERS])
def test_a_step_agrees(loss_of, agree):
    def story(compile):
        step, model = made(loss_of)
        compiled, losses = compile(step), []
        for _ in range(9):
            x = torch.randn(4, 6)
            losses += [compiled(x), x, torch.rand(2)]
        return losses, [*model.parameters()]

    agree(story)


@pytest.mark.parametrize("loss_of", ONE_PROGRAM)
def test_a_step_is_one_program(loss_of):
    step, _ = made(loss_of)
    compiled, x = torch.compile(step, options={"trial": False}), torch.randn(4, 6)
    compiled(x), compiled(x)
    (program,) = torch.compiler.explain(compiled)(x).programs
    (part,) = [text for _, text in program.parts]
    assert "one training step" in part


def test_draws_before_the_first_call_of_an_optimizer_agree(agree):
    def story(compile):
        _, model = made(diffusion)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(x):
            noise = torch.randn_like(x)
            loss = model(x + noise).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.detach(), noise, torch.rand(3)

        compiled = compile(step)
        return [compiled(torch.randn(4, 6)) for _ in range(8)], [*model.parameters()]

    agree(story)


def test_a_generator_of_the_program_agrees(agree):
    def story(compile):
        _, model = made(diffusion)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        generator = torch.Generator().manual_seed(5)

        def step(x):
            optimizer.zero_grad()
            loss = model(x + torch.randn(4, 6, generator=generator)).square().mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        compiled = compile(step)
        return [compiled(torch.randn(4, 6)) for _ in range(8)], torch.rand(2, generator=generator)

    agree(story)


def test_a_gradient_that_is_taken_away_leaves_the_draws_in_order(agree):
    def story(compile):
        step, model = made(noise_of_a_result)
        compiled, losses = compile(step), []
        for number in range(10):
            if number == 6:
                for param in model.parameters():
                    param.grad = None
            if number == 8:
                model[0].weight.data = model[0].weight.data.double().float()
            losses.append(compiled(torch.ones(4, 6)))
        return losses, torch.rand(2)

    agree(story)


def test_two_networks_that_are_trained_against_each_other_agree(agree):
    def story(compile):
        torch.manual_seed(0)
        generator, judge = nn.Linear(3, 6), nn.Linear(6, 1)
        of_generator, of_judge = (torch.optim.Adam(net.parameters(), lr=1e-2) for net in (generator, judge))

        def step(real):
            of_judge.zero_grad()
            made = generator(torch.randn(4, 3))
            loss = F.softplus(-judge(real)).mean() + F.softplus(judge(made.detach())).mean()
            loss.backward()
            of_judge.step()
            of_generator.zero_grad()
            other = F.softplus(-judge(generator(torch.randn(4, 3)))).mean()
            other.backward()
            of_generator.step()
            return loss.detach(), other.detach()

        compiled = compile(step)
        return [compiled(torch.randn(4, 6)) for _ in range(8)], [*generator.parameters(), *judge.parameters()]

    agree(story)
