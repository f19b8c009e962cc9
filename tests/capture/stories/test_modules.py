"""Modules, optimizers, custom functions and compiled functions that call one another."""

import copy
import types
import warnings

import numpy as np

import rushlight as torch
from rushlight import nn


def ones():
    return torch.ones(2)


def leaf(*elements):
    return torch.tensor(elements, requires_grad=True)


def training_and_evaluation(compile):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.ReLU())
    f = compile(m)
    x = torch.arange(12.0).reshape(4, 3)
    seen = []
    for train in (True, True, False, False, True):
        m.train(train)
        seen.append(f(x))
    m[2].eval()
    seen.append(f(x))
    return seen, m.state_dict()


def modules_change(compile):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    f = compile(m)
    x = torch.arange(4.0).reshape(2, 2)
    seen = [f(x), f(x)]
    m[0].weight.data.mul_(2)
    seen += [f(x)]
    m[0].weight = nn.Parameter(torch.ones(2, 2))
    seen += [f(x)]
    m.load_state_dict({"0.weight": torch.eye(2), "0.bias": torch.ones(2)})
    seen += [f(x)]
    m[1] = nn.Tanh()
    seen += [f(x), f(x)]
    m.append(nn.Linear(2, 1))
    seen += [f(x), f(x)]
    m[0].bias = None
    seen += [f(x), f(x)]
    m[2].weight.requires_grad_(False)
    seen += [f(x), f(x)]
    del m[1]
    seen += [f(x), f(x)]
    m.double()
    return [*seen, f(x.double()), f(x.double())]


def buffers_change(compile):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.ones(2))
            self.kept = {}

        def forward(self, x):
            self.scale = self.scale + 1
            self.kept["last"] = x * self.scale
            return self.kept["last"]

    m = Model()
    f = compile(m)
    seen = [f(ones()), f(ones()), m.scale]
    m.scale = torch.zeros(2)
    seen += [f(ones()), f(ones()), m.scale, m.kept]
    m.scale.add_(10)
    m.register_buffer("scale", torch.ones(2) * 5, persistent=False)
    return [*seen, f(ones()), f(ones()), m.state_dict()]


def hooks_of_modules(compile):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    log = []
    f = compile(lambda x: m(x) + 1)
    x = torch.arange(4.0).reshape(2, 2)
    seen = [f(x), f(x)]
    handles = [
        m[0].register_forward_hook(lambda module, args, out: (log.append("forward"), out * 2)[1]),
        m[1].register_forward_pre_hook(lambda module, args: log.append("before")),
        m[0].register_full_backward_hook(lambda module, before, out: log.append("backward")),
    ]
    for handle in handles:
        f(x).sum().backward()
        seen += [f(x), f(x), list(log)]
        handle.remove()
    seen += [f(x), f(x), log]
    every = nn.modules.module.register_module_forward_hook(lambda module, args, out: log.append("every"))
    seen += [f(x), f(x), list(log)]
    every.remove()
    return [*seen, f(x), log]


def a_hook_changes_what_is_read(compile):
    m, kept = nn.Linear(2, 2, bias=False), []
    m.weight.data.fill_(1.0)
    m.register_forward_hook(lambda module, args, out: kept.append(1))
    f = compile(lambda x: (m(x) * len(kept), len(kept), kept == [1], [*kept]))
    return [f(ones()) for _ in range(4)]


def another_module_with_a_hook(compile):
    torch.manual_seed(0)
    nets = [nn.Linear(2, 2) for _ in range(3)]
    for net in nets:
        net.register_forward_hook(lambda module, args, out: out * 2)
    one = types.SimpleNamespace(net=nets[0])
    f = compile(lambda x: one.net(x))
    seen = [f(ones()), f(ones())]
    for net in nets:
        one.net = net
        seen += [f(ones()), f(ones())]
    return seen


def another_function_of_numpy(compile):
    one = types.SimpleNamespace(turn=np.sin)
    f = compile(lambda x: torch.from_numpy(one.turn(x.numpy())))
    seen = [f(ones()), f(ones())]
    one.turn = np.cos
    return [*seen, f(ones()), f(ones())]


def a_hook_changes_a_number(compile):
    m, one = nn.Linear(2, 2, bias=False), types.SimpleNamespace(n=0)
    m.weight.data.fill_(1.0)

    def hook(module, args, out):
        one.n += 1

    m.register_forward_hook(hook)
    f = compile(lambda x: (m(x) * one.n, one.n))
    return [f(ones()) for _ in range(4)]


def compiled_calls_compiled(compile):
    n = [0]

    def count():
        n[0] += 1

    inner = compile(lambda x: (count(), x * n[0])[1])
    outer = compile(lambda x: (inner(x) + 1, n[0]))
    return [outer(ones()) for _ in range(4)], n


def compiled_calls_compiled_with_cells(compile):
    n = 0

    def increase(x):
        nonlocal n
        n += 1
        return x

    inner = compile(increase)
    outer = compile(lambda x: (inner(x) * n, n))
    return [outer(ones()) for _ in range(4)], n


def compiled_calls_itself(compile):
    def f(x, n):
        return x if n == 0 else g(x * 2, n - 1)

    g = compile(f)
    return [g(ones(), n) for n in (3, 3, 2, 0, 3)]


def functions_of_ones_own_derivative(compile):
    log = []

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, n):
            log.append(n)
            ctx.save_for_backward(x)
            ctx.n = n
            return x * n

        @staticmethod
        def backward(ctx, g):
            log.append("backward")
            return g * ctx.n * 10, None

    f = compile(lambda x, n: Twice.apply(x, n) + x)
    seen = []
    for n in (2, 2, 3, 2):
        p = leaf(1.0, 2.0)
        f(p, n).sum().backward()
        seen.append(p)
    Twice.backward = staticmethod(lambda ctx, g: (g * 7, None))
    p = leaf(1.0, 2.0)
    f(p, 2).sum().backward()
    return [*seen, p, log]


def checkpoints(compile):
    count = []

    def part(x):
        count.append(1)
        return x.sin() * 2

    f = compile(lambda x: torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False).sum())
    seen = []
    for _ in range(3):
        p = leaf(1.0, 2.0)
        f(p).backward()
        seen += [p, len(count)]
    return seen


def optimizers(compile):
    torch.manual_seed(0)
    m = nn.Linear(2, 2)
    o = torch.optim.Adam(m.parameters(), lr=0.1)

    def step(x):
        o.zero_grad()
        loss = m(x).pow(2).sum()
        loss.backward()
        o.step()
        return loss

    f = compile(step)
    x = torch.ones(2, 2)
    seen = [f(x) for _ in range(4)]
    o.param_groups[0]["lr"] = 0.5
    seen += [f(x) for _ in range(2)]
    m.bias.requires_grad_(False)
    seen += [f(x) for _ in range(2)]
    return [*seen, m.state_dict(), o.state_dict()]


def warnings_of_ops(compile):
    def f(x):
        warnings.warn("seen", stacklevel=2)
        return x * 2

    f = compile(f)
    with warnings.catch_warnings(record=True) as actual:
        warnings.simplefilter("always")
        seen = [f(ones()) for _ in range(4)]
        g = compile(lambda x: x.var())
        seen += [g(torch.ones(1)) for _ in range(4)]
    return [*seen, [str(each.message)[:40] for each in actual]]


def copies(compile):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 1
            self.w = nn.Parameter(torch.ones(2))

        def forward(self, x):
            self.n += 1
            return self.w * x * self.n

    m = Model()
    f = compile(lambda model, x: model(x))
    seen = [f(m, ones()), f(m, ones())]
    other = copy.deepcopy(m)
    other.w.data.fill_(3.0)
    return [*seen, f(other, ones()), f(m, ones()), f(other, ones()), m.n, other.n]


def rows_that_are_kept(compile):
    def f(x):
        rows = list(x)
        rows.append(x.sum())
        parts = [*x.unbind()]
        parts.append(rows)
        return rows, rows, parts, [len(row) for row in x]

    f = compile(f)
    return [f(torch.ones(2, 2)), f(torch.ones(2, 2) * 2), f(torch.ones(3, 2))]


def largest_tensors(compile):
    f = compile(lambda a, b: (max(a, b), min([a, b]), sorted([a, b]), max(a, b) is a))
    return [
        f(torch.tensor(x), torch.tensor(y)) for x, y in ((1.0, 2.0), (2.0, 1.0), (1.0, 2.0), (3.0, 3.0), (0.0, 2.0))
    ]


def numpy_shares_memory(compile):
    f = compile(lambda x: (x.numpy(), x.detach().numpy() + 1, np.asarray(x).sum()))
    x = ones()
    seen = [f(x), f(x)]
    x.add_(1)
    seen += [f(x)]
    seen[0][0][0] = 100
    return [*seen, x]


def attributes_are_looked_for(compile):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.scale = nn.Linear(2, 2), nn.Parameter(torch.full((2,), 2.0))
            self.register_buffer("shift", ones())
            self.register_parameter("empty", None)

        def forward(self, x):
            y = self.linear(x) if hasattr(self, "linear") else x
            for name in ("scale", "shift", "empty", "other", "flag"):
                value = getattr(self, name, None)
                y = y if value is None else y * value + (name == "flag")
            return y, hasattr(self, "gate"), getattr(self.linear, "bias", 5), getattr(self, "training", None)

    torch.manual_seed(0)
    m = Block()
    f = compile(m)
    seen = [f(ones()) for _ in range(3)]
    changes = [
        lambda: setattr(m, "flag", 3.0),
        lambda: setattr(m, "other", nn.Parameter(torch.full((2,), 5.0))),
        lambda: m.register_buffer("gate", ones()),
        lambda: delattr(m, "shift"),
        lambda: setattr(m, "empty", nn.Parameter(ones())),
        lambda: setattr(m.linear, "bias", None),
        lambda: delattr(m, "flag"),
        lambda: setattr(Block, "flag", 7.0),
        lambda: setattr(Block, "gate", property(lambda self: 1)),
    ]
    for change in changes:
        change()
        seen += [f(ones()) for _ in range(3)]
    return seen


def attributes_are_looked_for_after_one_was_set(compile):
    class Block(nn.Module):
        def forward(self, x):
            first = hasattr(self, "cache")
            self.cache = x.sum()
            return first, hasattr(self, "cache"), x * getattr(self, "cache", 0), getattr(self, "missing", 2)

    m = Block()
    f = compile(m)
    return [f(ones() * n) for n in range(5)], m.cache


def attributes_are_looked_for_by_a_getter_of_the_program(compile):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(super().__getattr__("inner"), name)

        def forward(self, x):
            return x @ getattr(self, "weight", None), hasattr(self, "in_features"), hasattr(self, "nothing")

    torch.manual_seed(0)
    f = compile(Block())
    return [f(ones() * n) for n in range(4)]


def test_a_change_of_a_module_is_seen(agree, story):
    agree(story)


def test_looking_for_attributes_of_a_module_is_no_break():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.LSTM(2, 2)

        def forward(self, x):
            y, _ = self.inner(x) if hasattr(self, "inner") else (x, None)
            return y if getattr(self, "gate", None) is None else y * self.gate

    assert torch.compiler.explain(torch.compile(Block()))(torch.ones(3, 1, 2)).graph_break_count == 0
