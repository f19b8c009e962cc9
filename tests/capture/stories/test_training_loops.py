"""Training steps as people write them: each is one program, and trains as the function as written does."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.optim import lr_scheduler, swa_utils

STEPS = 8


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


def data(number):
    rows = torch.arange(12.0).reshape(3, 4)
    return (rows * 0.1 + number * 0.01).sin(), rows.sum(1, keepdim=True).cos()


def loss_of(net, batch):
    return ((net(batch[0]) - batch[1]) ** 2).mean()


def train(compile, net, optimizer, step, *after):
    """Returns the losses, the weights at the end and what `after` gives after each step."""
    step = compile(step)
    losses = []
    for number in range(STEPS):
        losses.append([step(*data(number)), *[each() for each in after]])
    return [losses, *net.parameters(), optimizer.param_groups[0]["lr"], len(optimizer.state)]


def plain(net, optimizer, change=lambda: None, before=lambda: None):
    def step(x, y):
        optimizer.zero_grad()
        before()
        loss = loss_of(net, (x, y))
        loss.backward()
        change()
        optimizer.step()
        return loss.detach()

    return step


def clip_the_norm(compile):
    net = network()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    change = lambda: nn.utils.clip_grad_norm_(net.parameters(), 0.1)  # noqa: E731
    return train(compile, net, optimizer, plain(net, optimizer, change))


def clip_the_values(compile):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    change = lambda: nn.utils.clip_grad_value_([*net.parameters()], 0.05)  # noqa: E731
    return train(compile, net, optimizer, plain(net, optimizer, change))


def clip_some(compile):
    net = network()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    change = lambda: nn.utils.clip_grad_norm_((p for p in net.parameters() if p.ndim > 1), 0.1)  # noqa: E731
    return train(compile, net, optimizer, plain(net, optimizer, change))


def gradients_by_hand(compile):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def change():
        for each in net.parameters():
            if each.grad is not None:
                each.grad.add_(each.detach(), alpha=0.01).clamp_(-0.1, 0.1)

    return train(compile, net, optimizer, plain(net, optimizer, change))


def frozen_layers(compile):
    net = network()
    net[0].requires_grad_(False)
    optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.01)
    change = lambda: nn.utils.clip_grad_norm_([p for p in net.parameters() if p.requires_grad], 0.1)  # noqa: E731
    return train(compile, net, optimizer, plain(net, optimizer, change))


def an_average_of_the_weights(compile):
    net = network()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    shadow = [p.detach().clone() for p in net.parameters()]
    inner = plain(net, optimizer)

    def step(x, y):
        loss = inner(x, y)
        with torch.no_grad():
            for mean, weight in zip(shadow, net.parameters(), strict=True):
                mean.mul_(0.9).add_(weight, alpha=0.1)
        return loss

    return [train(compile, net, optimizer, step), shadow]


def an_averaged_model(compile):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    average = swa_utils.AveragedModel(net)
    inner = plain(net, optimizer)

    def step(x, y):
        loss = inner(x, y)
        average.update_parameters(net)
        return loss

    return [train(compile, net, optimizer, step), list(average.parameters())]


def weights_by_hand(compile):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x, y):
        loss = loss_of(net, (x, y))
        loss.backward()
        with torch.no_grad():
            for each in net.parameters():
                each -= 0.1 * each.grad
                each.grad = None
        return loss.detach()

    return train(compile, net, optimizer, step)


def a_penalty(compile):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x, y):
        optimizer.zero_grad()
        loss = loss_of(net, (x, y)) + 0.01 * sum(p.pow(2).sum() for p in net.parameters())
        for each in net.modules():
            if isinstance(each, nn.Linear):
                loss = loss + 0.1 * each.bias.abs().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return train(compile, net, optimizer, step)


SCHEDULES = {
    "step": lambda optimizer: lr_scheduler.StepLR(optimizer, 3),
    "lambda": lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch),
    "cosine": lambda optimizer: lr_scheduler.CosineAnnealingLR(optimizer, 5),
    "one cycle": lambda optimizer: lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20),
    "two": lambda optimizer: lr_scheduler.ChainedScheduler(
        [lr_scheduler.ExponentialLR(optimizer, 0.9), lr_scheduler.LinearLR(optimizer)]
    ),
}


def scheduled(kind, inside):
    def story(compile):
        net = network()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        scheduler = SCHEDULES[kind](optimizer)
        inner = plain(net, optimizer)
        if not inside:
            return train(compile, net, optimizer, inner, scheduler.step, scheduler.get_last_lr)

        def step(x, y):
            loss = inner(x, y)
            scheduler.step()
            return loss

        return train(compile, net, optimizer, step, scheduler.get_last_lr)

    return story


def autocast_around_the_loss(compile):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x, y):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(net, (x, y))
        loss.backward()
        optimizer.step()
        return loss.detach()

    step = compile(step)
    losses = [step(*data(number)) for number in range(2)]  # half precision diverges later
    return [(losses[0] - losses[1]).sign(), losses[0].dtype]


def a_closure(compile):
    net = network()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    return train(compile, net, optimizer, with_closure(net, optimizer))


def with_closure(net, optimizer):
    def step(x, y):
        def closure():
            optimizer.zero_grad()
            loss = loss_of(net, (x, y))
            loss.backward()
            return loss

        return optimizer.step(closure).detach()

    return step


def a_closure_by_name(compile):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = lr_scheduler.StepLR(optimizer, 3)

    def step(x, y):
        optimizer.zero_grad()
        loss = optimizer.step(closure=lambda: backward_of(loss_of(net, (x, y))))
        scheduler.step()
        return loss.detach()

    return train(compile, net, optimizer, step)


def backward_of(loss):
    loss.backward()
    return loss


def two_networks(compile):
    maker, judge = network(), network()
    makes = torch.optim.Adam(maker.parameters(), lr=0.01)
    judges = torch.optim.SGD(judge.parameters(), lr=0.01)

    def step(x, y):
        judges.zero_grad()
        made = maker(x)
        loss = judge(x * made.detach()).mean() - judge(x).mean()
        loss.backward()
        judges.step()
        makes.zero_grad()
        other = -judge(x * maker(x)).mean()
        other.backward()
        makes.step()
        return loss.detach(), other.detach()

    return [train(compile, maker, makes, step), list(judge.parameters())]


def gradients_of_several_batches(compile):
    net = network()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

    def step(x, y):
        optimizer.zero_grad()
        total = 0.0
        for rows in range(3):
            loss = loss_of(net, (x[rows : rows + 1], y[rows : rows + 1])) / 3
            loss.backward()
            total = total + loss.detach()
        optimizer.step()
        return total

    return train(compile, net, optimizer, step)


def a_rate_that_is_set(compile):
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    inner = compile(plain(net, optimizer))
    losses = []
    for number in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 / (1 + number)
        losses.append(inner(*data(number)))
    return [losses, *net.parameters()]


ONE_PROGRAM = [
    clip_the_norm, clip_the_values, clip_some, gradients_by_hand, frozen_layers, an_average_of_the_weights,
    weights_by_hand, a_penalty, a_closure, a_closure_by_name, autocast_around_the_loss, two_networks,
    gradients_of_several_batches, a_rate_that_is_set,
]  # fmt: skip


@pytest.mark.parametrize("story", ONE_PROGRAM)
def test_a_step_is_replayed(agree, story):
    agree(story, replays=1 if story is autocast_around_the_loss else STEPS - 2)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("kind", SCHEDULES)
def test_schedules(agree, kind, inside):
    agree(scheduled(kind, inside), replays=0 if kind == "lambda" and inside else STEPS - 2)


def test_an_averaged_model(agree):
    agree(an_averaged_model)


def test_closures_that_are_called_often(agree):
    def story(compile):
        net = network()
        optimizer = torch.optim.LBFGS(net.parameters(), max_iter=3)
        return train(compile, net, optimizer, with_closure(net, optimizer))

    agree(story)


def test_a_closure_without_recording(agree, attempt):
    def story(compile):
        net = network()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

        def step(x, y):
            with torch.no_grad():
                return optimizer.step(lambda: backward_of(loss_of(net, (x, y)))).detach()

        return train(compile, net, optimizer, step)

    agree(story)


def test_a_hook_that_takes_a_gradient_away(agree):
    def story(compile):
        net = network()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        counts = []

        def change():
            count = 0
            for each in net.parameters():
                if each.grad is not None:
                    count += 1
            counts.append(count)

        step = compile(plain(net, optimizer, change))
        for number in range(4):
            step(*data(number))
        net[0].bias.register_post_accumulate_grad_hook(lambda each: setattr(each, "grad", None))
        for number in range(3):
            step(*data(number))
        return counts

    agree(story)


def test_a_hook_of_the_step_that_takes_gradients_away(agree):
    def story(compile):
        net = network()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        inner = plain(net, optimizer)

        def step(x, y):
            loss = inner(x, y)
            return loss, sum([1 for each in net.parameters() if each.grad is not None])

        step = compile(step)
        first = [step(*data(number)) for number in range(4)]
        optimizer.register_step_post_hook(lambda *_: optimizer.zero_grad())
        return [*first, *[step(*data(number)) for number in range(3)]]

    agree(story)


def test_what_a_scheduler_sets_is_read_after_it(agree):
    def story(compile):
        weight = nn.Parameter(torch.ones(3))
        weight.grad = torch.ones(3)
        optimizer = torch.optim.SGD([weight], lr=1.0)
        scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
        optimizer.step()

        def f(x):
            scheduler.step()
            return x * optimizer.param_groups[0]["lr"]

        f = compile(f)
        return [f(torch.ones(1)) for _ in range(5)]

    agree(story)


@pytest.mark.parametrize("count", [1, 3])
def test_generators_are_used_up(agree, count):
    def story(compile):
        net = network()

        def f(x):
            weights = (p for p in net.parameters())
            kept = [next(weights) for _ in range(count)]
            return nn.utils.parameters_to_vector(weights).sum() + kept[0].sum() * x

        f = compile(f)
        first = [f(torch.ones(1)), f(torch.ones(1))]
        with torch.no_grad():
            net[0].bias.add_(1.0)
        return [*first, f(torch.ones(1))]

    agree(story)
