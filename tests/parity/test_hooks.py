"""Programs drawn at random next to PyTorch: which hooks are called, with what, and what is left in `grad`.

Hooks on tensors, before nodes and on several tensors at once, functions that give None, results of which only a sibling
is used, writes in place to results and to views, and three passes over each graph.
"""

import importlib
import random

import pytest

import rushlight

oracle = pytest.importorskip("torch")


def values(gradient):
    return None if gradient is None else [round(each, 4) for each in gradient.reshape(-1).tolist()]


class Program:
    """One program, drawn by a seed, under one library."""

    def __init__(self, torch, seed):
        self.torch, self.draw, self.log = torch, random.Random(seed), []
        self.x = torch.tensor([0.5, 1.5, 2.5, 3.5], requires_grad=True)
        self.y = torch.tensor([2.0, 1.0, 0.5, 4.0], requires_grad=True)
        self.pool = [self.x * 1, self.y * 1, self.x + self.y]
        self.function = self.two_results(materialize=self.draw.random() < 0.5)

    def two_results(self, materialize):
        log = self.log

        class Two(self.torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return x * 2, x * 3

            @staticmethod
            def backward(ctx, first, second):
                log.append(("function", values(first), values(second)))
                return None if first is None else first * 2

        return Two

    def run(self):
        """What is noted, in the order of the words: nodes of one age may run in either order."""
        for number in range(self.draw.randint(4, 10)):
            step = self.draw.choice((self.multiply, self.bend, self.cut, self.view, self.hook, self.write, self.call,
                                     self.hook_before, self.hook_several))  # fmt: skip
            first, second = self.draw.choice(self.pool), self.draw.choice(self.pool)
            self.attempt(lambda step=step, first=first, second=second, number=number: step(number, first, second))
        outputs = self.draw.sample(self.pool, 2)
        wanted = [each for each in self.draw.sample(self.pool, 3) if each.requires_grad]
        self.attempt(lambda: self.backward(outputs, wanted))
        return sorted(map(repr, self.log))

    def attempt(self, function):
        try:
            function()
        except RuntimeError as error:
            self.log.append(("refused", str(error).splitlines()[0][:80]))

    def backward(self, outputs, wanted):
        loss = sum(each.sum() for each in outputs)
        loss.backward(retain_graph=True)
        self.log.append(("leaves", values(self.x.grad), values(self.y.grad)))
        result = self.torch.autograd.grad(loss, wanted, allow_unused=True, retain_graph=True)
        self.log.append(("grad", list(map(values, result))))
        loss.backward()
        self.log.append(("leaves again", values(self.x.grad), values(self.y.grad)))

    # ---- steps

    def multiply(self, number, a, b):
        self.pool.append(a * b if a.shape == b.shape else a.sum() * b)

    def bend(self, number, a, b):
        self.pool.append(a.tanh())

    def cut(self, number, a, b):
        self.pool.extend(a.reshape(-1).unbind()[:2] if a.numel() > 1 else [a])

    def view(self, number, a, b):
        self.pool.append(a.reshape(-1)[0:2] if a.numel() > 1 else a.view(-1))

    def write(self, number, a, b):
        a.mul_(1.5)

    def call(self, number, a, b):
        self.pool.extend(self.function.apply(a))

    def hook(self, number, a, b):
        a.register_hook(lambda g: self.log.append(("hook", number, values(g))))

    def hook_before(self, number, a, b):
        a.grad_fn.register_prehook(lambda g: self.log.append(("before", number, list(map(values, g)))))

    def hook_several(self, number, a, b):
        called = self.torch.autograd.graph.register_multi_grad_hook
        called((a, b), lambda g: self.log.append(("several", number, list(map(values, g)))))


@pytest.mark.parametrize("seed", range(300))
def test_hooks_are_called_as_in_pytorch(seed):
    expected = Program(importlib.import_module("torch"), seed).run()
    assert Program(rushlight, seed).run() == expected
