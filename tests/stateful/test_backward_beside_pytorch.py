"""Random graphs with random hooks, under both libraries: gradients, and which hooks are called in which order."""

import random

import numpy as np
import pytest

import rushlight

PASSES = ["backward", "inputs", "grad", "create_graph", "vector", "anomaly", "twice"]


def make_function(torch, name, log, undefined):
    """A custom function of two inputs, which logs its backward; the second gradient may be undefined."""

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            log.append((name, rounded(g)))
            return g * b, None if undefined else g * a

    return Scaled


def rounded(tensor):
    return None if tensor is None else [round(x, 3) + 0.0 for x in tensor.detach().flatten().tolist()]


def rounded_all(tensors):
    return [rounded(tensor) for tensor in tensors]


class Program:
    """One graph: the same numbers are drawn for both libraries."""

    def __init__(self, torch, seed):
        self.torch, self.log, self.draw = torch, [], random.Random(seed)
        self.leaves = [torch.tensor([0.5, -1.0, 2.0]).mul(n + 1).requires_grad_() for n in range(3)]
        self.values, self.kept = list(self.leaves), []

    def build(self):
        for number in range(self.draw.randrange(3, 12)):
            made = self.step(f"node {number}")
            self.values += made
            for part, value in enumerate(made):
                self.hook(value, f"{number}.{part}")
        for number, leaf in enumerate(self.leaves):
            self.hook(leaf, f"leaf {number}")
        return sum(value.sum() for value in self.values[-self.draw.randrange(1, 4) :])

    def step(self, name):
        a, b = self.draw.choices(self.values, k=2)
        kind = self.draw.randrange(8)
        if kind == 0:
            return [make_function(self.torch, name, self.log, self.draw.random() < 0.4).apply(a, b)]
        if kind == 1:
            return [part + b for part in self.torch.stack([a, b]).unbind(0)]
        if kind == 2:
            return [self.torch.cat([a, b]).view(2, 3).sum(0)]
        if kind == 3:
            return [a.tanh()]
        if kind == 4:
            first, second, third = (a * b).split(1)
            return [self.torch.cat([second, first, third]), first.expand(3) * 0.5]
        if kind == 5:
            return [(a * 0.5).detach() + b]
        return [a * b * 0.3 if kind == 6 else a - b]

    def hook(self, value, name):
        if not value.requires_grad:
            return
        kind = self.draw.randrange(9)
        if kind == 0:
            value.register_hook(lambda g: self.log.append((f"hook {name}", rounded(g))))
        elif kind == 1:
            value.register_hook(
                lambda g: self.log.append((f"change {name}", rounded(g))) or (None if g is None else g * 2)
            )
        elif kind == 2 and value.grad_fn is not None:
            value.grad_fn.register_prehook(lambda gs: self.log.append((f"pre {name}", rounded_all(gs))))
        elif kind == 3 and value.grad_fn is not None:
            value.grad_fn.register_hook(
                lambda sent, came: self.log.append((f"post {name}", rounded_all(sent), rounded_all(came)))
            )
        elif kind == 4 and value.grad_fn is not None:
            value.retain_grad()
            self.kept.append(value)
        elif kind == 5 and value.grad_fn is None:
            value.register_post_accumulate_grad_hook(lambda t: self.log.append((f"post {name}", rounded(t.grad))))

    def double(self, name, g):
        self.log.append((name, rounded(g)))
        return None if g is None else g * 2

    def run(self, loss, kind):
        torch, leaves = self.torch, self.leaves
        if kind == "backward":
            loss.backward()
        elif kind == "inputs":
            inputs = [leaf for leaf in leaves if self.draw.random() < 0.6] or leaves
            loss.backward(inputs=inputs)
        elif kind == "grad":
            targets = [value for value in self.values if value.requires_grad and self.draw.random() < 0.4] or leaves
            self.log.append(rounded_all(torch.autograd.grad(loss, targets, allow_unused=True)))
        elif kind == "create_graph":
            first = torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)
            self.log.append(rounded_all(first))
            again = sum((g * g).sum() for g in first if g is not None)
            if isinstance(again, torch.Tensor) and again.requires_grad:
                self.log.append(rounded_all(torch.autograd.grad(again, leaves, allow_unused=True)))
        elif kind == "vector":
            torch.autograd.backward([loss * torch.ones(2), self.values[-1]], [torch.tensor([0.25, 0.5]), torch.ones(3)])
        elif kind == "anomaly":
            with torch.autograd.set_detect_anomaly(True):
                loss.backward()
        else:
            loss.backward(retain_graph=True)
            loss.backward()


def story(torch, seed, kind):
    program = Program(torch, seed)
    loss = program.build()
    if not loss.requires_grad or not program.values[-1].requires_grad:
        return None
    program.run(loss, kind)
    return [*program.log, rounded_all([leaf.grad for leaf in program.leaves] + [each.grad for each in program.kept])]


@pytest.mark.parametrize("kind", PASSES)
def test_gradients_and_the_order_of_hooks(pytorch, kind):
    stories = 0
    for seed in range(60):
        expected = story(pytorch, seed, kind)
        found = story(rushlight, seed, kind)
        assert len(found or ()) == len(expected or ()), seed
        for mine, theirs in zip(found or (), expected or (), strict=True):
            assert names(mine) == names(theirs), seed
            np.testing.assert_allclose(flat(mine), flat(theirs), rtol=1e-3, atol=2e-3, err_msg=f"seed {seed}")
        stories += expected is not None
    assert stories > 30


def names(entry):
    """What is not a number in an entry of a log: names, and where gradients are undefined."""
    if isinstance(entry, (list, tuple)):
        return [names(x) for x in entry]
    return entry if isinstance(entry, str) or entry is None else 0


def flat(entry):
    if isinstance(entry, (list, tuple)):
        return [x for each in entry for x in flat(each)]
    return [] if isinstance(entry, str) or entry is None else [entry]
