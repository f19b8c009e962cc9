"""Objects as keys and members: sets, dictionaries and `in` compare identities, and another call has other objects."""

import random
from collections import namedtuple

import pytest

import rushlight as torch
from rushlight import nn


def one():
    return torch.ones(1)


def linears():
    return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2))


def tensors_as_keys(compile):
    def f(a, b):
        table = {}
        table[a] = 1.0
        table[b] = 2.0
        return a * table[a]

    f = compile(f)
    x, y = one(), one()
    return [f(x, y), f(x, y), f(x, x), f(y, x), f(y, y)]


def tensors_in_a_display(compile):
    f = compile(lambda a, b: a * len({a, b}) + {a: 10, b: 20}[a])
    x, y = one(), one()
    return [f(x, y), f(x, y), f(x, x), f(y, x)]


def tensors_looked_for(compile):
    def f(a, b, c):
        seen = {a, b}
        return a * 2 if c in seen else a * 3

    f = compile(f)
    x, y, z = one(), one(), one()
    return [f(x, y, z), f(x, y, z), f(x, y, y), f(x, y, x), f(z, y, z)]


def an_argument_that_is_a_parameter(compile):
    net = linears()
    f = compile(lambda x: x * 2 if x in set(net.parameters()) else x * 3)
    return [f(one()), f(one()), f(net[0].bias), f(one())]


def shared_modules(compile):
    net = linears()
    f = compile(lambda x: x * sum(1 for _ in net.modules()))
    first = [f(one()), f(one())]
    net[1] = net[0]
    return [*first, f(one()), f(one())]


def shared_parameters(compile):
    net = linears()
    f = compile(lambda x: x * len(list(net.parameters())))
    first = [f(one()), f(one())]
    net[1].weight = net[2].weight
    return [*first, f(one()), f(one())]


def modules_collected(compile):
    net = linears()

    def f(x, layers):
        seen = set()
        for each in layers:
            seen.add(each)
        more = frozenset(layers)
        more |= {*layers}
        return x * len(seen) * len(more) * (2 if layers[0] in layers[1:] else 3)

    f = compile(f)
    layers = [net[0], net[1], net[2]]
    first = [f(one(), layers), f(one(), layers)]
    layers[1] = net[0]
    return [*first, f(one(), layers), f(one(), [net[0]] * 3), f(one(), [*net])]


def positions_in_lists(compile):
    net = linears()
    f = compile(lambda x, layers, each: x * layers.index(each) + layers.count(each))
    layers = [net[0], net[1], net[2]]
    return [f(one(), layers, net[1]), f(one(), layers, net[1]), f(one(), layers, net[2]), f(one(), [*net] * 2, net[2])]


def state_by_parameter(compile):
    weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(3)]
    state = {each: {"momentum": torch.zeros(2), "rate": 0.5} for each in weights}

    def step():
        with torch.no_grad():
            for each in weights:
                if each in state:
                    buffer = state[each]["momentum"]
                    buffer.mul_(0.5).add_(1.0)
                    each.sub_(buffer, alpha=state[each]["rate"])
        return sum(each.sum() for each in weights)

    step = compile(step)
    actual = [step(), step(), step()]
    state[weights[0]]["rate"] = 0.25
    actual += [step(), step()]
    del state[weights[1]]
    actual += [step(), step()]
    state[weights[2]] = {"momentum": torch.ones(2), "rate": 1.0}
    return [*actual, step(), step()]


def an_optimizer_of_the_program(compile):
    class Momentum(torch.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self):
            for group in self.param_groups:
                for each in group["params"]:
                    if each.grad is None:
                        continue
                    state = self.state[each]
                    if "momentum" not in state:
                        state["momentum"] = torch.zeros_like(each)
                    state["momentum"].mul_(0.9).add_(each.grad)
                    each.add_(state["momentum"], alpha=-group["lr"])

    net = linears()
    optimizer = Momentum(net.parameters(), 0.01)

    def step(x):
        optimizer.zero_grad()
        loss = net(x).square().sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    step = compile(step)
    actual = [step(torch.ones(3, 2)) for _ in range(5)]
    optimizer.param_groups[0]["lr"] = 0.02
    return [*actual, step(torch.ones(3, 2)), step(torch.ones(3, 2))]


def sets_of_numbers(compile):
    numbers = {1, 2, 3}

    def f(x):
        for each in numbers:
            x = x + each
        return x * (2 if 2 in numbers else 3)

    f = compile(f)
    first = [f(one()), f(one())]
    numbers.discard(2)
    second = [f(one()), f(one())]
    numbers.add(7)
    return [*first, *second, f(one()), f(one())]


Named = namedtuple("Named", "tensor")
OF_TENSORS = {
    "named tuples": lambda a, b: len({Named(a), Named(b)}) == 2,
    "dict.fromkeys": lambda a, b: len(dict.fromkeys([a, b])) == 2,
    "union": lambda a, b: len({a}.union([b])) == 2,
    "issubset": lambda a, b: {a}.issubset([b]),
    "isdisjoint": lambda a, b: {a}.isdisjoint([b]),
    "difference": lambda a, b: len({a}.difference([b])),
    "methods in a set": lambda a, b: a.add in {b.add},
    "methods": lambda a, b: a.add == b.add,
    "equal sets": lambda a, b: {a} == {b},
    "keys of a dictionary": lambda a, b: b in {a: 1}.keys(),
}
OF_MODULES = {
    "lists": lambda a, b: [a] == [b],
    "tuples": lambda a, b: (a, 1) != (b, 1),
    "dictionaries": lambda a, b: {"layer": a} == {"layer": b},
    "nested lists": lambda a, b: [[a]] == [[b]],
    "methods": lambda a, b: a.forward == b.forward,
    "methods in a list": lambda a, b: a.forward in [b.forward],
    "values of a dictionary": lambda a, b: a in {"layer": b}.values(),
    "a generator": lambda a, b: b in (each for each in [a]),
    "an iterator": lambda a, b: b in iter([a]),
}


def distinguished(question, make):
    def story(compile):
        f = compile(lambda x, a, b: x * 2 if question(a, b) else x * 3)
        a, b = make(), make()
        return [f(one(), *each) for each in ((a, b), (a, b), (a, a), (b, a), (b, b))]

    return story


@pytest.mark.parametrize("question", OF_TENSORS)
def test_tensors_are_distinguished(agree, question):
    agree(distinguished(OF_TENSORS[question], one))


@pytest.mark.parametrize("question", OF_MODULES)
def test_modules_are_distinguished(agree, question):
    agree(distinguished(OF_MODULES[question], lambda: nn.Linear(2, 2)))


def a_set_that_was_there(compile):
    x, y, z = one(), one(), one()
    members = {x, y}
    f = compile(lambda each: each * (2 if each in members else 3))
    first = [f(x), f(x), f(z), f(y)]
    members.discard(x)
    members.add(z)
    return [*first, f(x), f(z), f(y)]


def test_sets_keep_their_order(compilers):
    def f(*tensors):
        result = torch.zeros(1)
        for each in set(tensors):
            result = result * 2 + each
        return result

    kept = [torch.full((1,), float(number)) for number in range(64)]
    draw = random.Random(0)
    for compile in compilers:
        compiled = compile(f)
        for _ in range(20):
            tensors = draw.sample(kept, 8)
            assert compiled(*tensors).item() == f(*tensors).item()


def test_keys(agree, story):
    agree(story)


@pytest.mark.parametrize(
    "story",
    [tensors_as_keys, tensors_looked_for, shared_modules, shared_parameters, modules_collected, sets_of_numbers],
)
def test_keys_are_replayed(agree, story):
    agree(story, replays=1)


def test_many_tensors_of_a_call_are_no_keys(agree):
    def story(compile):
        f = compile(lambda *tensors: len(set(tensors)))
        return [f(*[one() for _ in range(20)]) for _ in range(3)] + [f(*[one()] * 20)]

    agree(story)
