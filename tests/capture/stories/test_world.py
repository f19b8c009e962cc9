"""What is outside of the program: clocks, files, the environment, other libraries, and code of Python's library."""

import bisect
import contextlib
import copy
import dataclasses
import datetime
import functools
import heapq
import io
import itertools
import json
import logging
import math
import operator
import os
import random
import re
import string
import types
import typing
import weakref

import numpy as np

import rushlight as torch
from rushlight import nn


def ones():
    return torch.ones(2)


def random_numbers(compile):
    random.seed(0)
    np.random.seed(0)
    source = np.random.default_rng(0)
    f = compile(
        lambda x: (
            x * random.random(),
            random.randint(0, 9),
            np.random.rand(),
            source.standard_normal(2),
            random.choice([1, 2, 3]),
        )
    )
    return [f(ones()) for _ in range(4)]


def clocks(compile):
    ticks = itertools.count()
    holder = types.SimpleNamespace(time=lambda: next(ticks))
    f = compile(lambda x: (x * holder.time(), holder.time() > 3))
    return [f(ones()) for _ in range(4)]


def dates(compile):
    f = compile(lambda x, d: (x * d.year, d.isoformat(), d > datetime.date(2000, 1, 1), d.replace(day=1)))
    return [f(ones(), datetime.date(y, 2, 3)) for y in (1999, 1999, 2005, 1999)]


def the_environment(compile):
    f = compile(
        lambda x: (x * int(os.environ["STORY"]), os.environ.get("STORY_2"), "STORY" in os.environ, os.getenv("STORY"))
    )
    try:
        seen = []
        for value in ("1", "1", "2", "1"):
            os.environ["STORY"] = value
            seen.append(f(ones()))
        os.environ["STORY_2"] = "a"
        return [*seen, f(ones())]
    finally:
        os.environ.pop("STORY", None)
        os.environ.pop("STORY_2", None)


def files(compile):
    file = io.StringIO("1\n2\n3\n4\n")
    f = compile(lambda x: (x * int(file.readline()), file.tell()))
    return [f(ones()) for _ in range(4)]


def logs(compile):
    actual = io.StringIO()
    logger = logging.Logger("story")
    logger.addHandler(logging.StreamHandler(actual))

    def f(x, n):
        logger.info("n %s", n)
        if logger.isEnabledFor(logging.DEBUG):
            x = x + 1
        return x * n

    f = compile(f)
    seen = [f(ones(), n) for n in (1, 1, 2)]
    logger.setLevel(logging.WARNING)
    return [*seen, *[f(ones(), n) for n in (1, 1)], actual.getvalue()]


def weak_references(compile):
    class One:
        n = 2

    one = One()
    ref = weakref.ref(one)
    f = compile(lambda x: x * (ref().n if ref() is not None else 7))
    seen = [f(ones()), f(ones())]
    del one
    return [*seen, f(ones())]


def managers_of_contextlib(compile):
    depth = []

    @contextlib.contextmanager
    def deeper(n):
        depth.append(n)
        try:
            yield len(depth)
        finally:
            depth.pop()

    def f(x, n):
        with deeper(n) as a, contextlib.suppress(ValueError), contextlib.nullcontext(3) as b:
            return x * a * b * len(depth)

    f = compile(f)
    seen = [f(ones(), 1), f(ones(), 1)]
    depth.append(0)
    return [*seen, f(ones(), 1), f(ones(), 2), depth]


def algorithms(compile):
    def f(x, v):
        return (
            heapq.nsmallest(2, v),
            bisect.bisect(v, 2),
            list(itertools.accumulate(v)),
            list(itertools.permutations(v, 2))[:2],
            list(itertools.chain(v, [1])),
            functools.reduce(operator.mul, v),
            operator.itemgetter(0)(v),
            math.prod(v),
            [list(g) for _, g in itertools.groupby(v)],
            x * sum(v),
            sorted(v, key=lambda n: -n),
        )

    f = compile(f)
    return [f(ones(), v) for v in ([1, 2, 3], [1, 2, 3], [3, 1, 2], (1, 2, 3), [1, 2, 3, 4])]


def texts(compile):
    f = compile(
        lambda x, s: (
            re.sub("a", "b", s),
            json.loads(s) if s.isdigit() else s,
            string.capwords(s),
            s.translate({97: "c"}),
            x * len(re.findall("a", s)),
        )
    )
    return [f(ones(), s) for s in ("aab", "aab", "12", "a b", "aab")]


def copies(compile):
    f = compile(lambda x, d: (copy.copy(d), copy.deepcopy(d), copy.copy(x), copy.deepcopy(x) * 2))
    return [f(ones() * n, {"a": [n, ones()]}) for n in (1, 1, 2)]


def dispatched_functions(compile):
    @functools.singledispatch
    def scale(v):
        return 1

    @scale.register
    def _(v: int):
        return v * 2

    f = compile(lambda x, v: x * scale(v))
    seen = [f(ones(), v) for v in (1, 1, 2, "a", 1.0)]
    scale.register(str, lambda v: 9)
    return [*seen, f(ones(), "a"), f(ones(), 1)]


def arrays_that_are_shared(compile):
    a = np.ones(2, np.float32)
    t = torch.from_numpy(a)

    def f(x):
        a[0] += 1
        return x + t, a * 2, float(a[0]), a.sum() > 5

    f = compile(f)
    return [f(ones()) for _ in range(6)], a


def typed_dictionaries(compile):
    class State(typing.TypedDict):
        n: int

    f = compile(lambda x, n: (State(n=n), typing.cast(int, n), x * n))
    return [f(ones(), n) for n in (1, 1, 2)]


def fields(compile):
    @dataclasses.dataclass
    class Config:
        n: int = 2
        sizes: list = dataclasses.field(default_factory=lambda: [1, 2])

    f = compile(
        lambda x, c: (
            x * c.n,
            dataclasses.asdict(c),
            [field.name for field in dataclasses.fields(c)],
            c.sizes,
            Config(),
            c == Config(),
        )
    )
    c = Config()
    seen = [f(ones(), c), f(ones(), c)]
    c.sizes.append(3)
    seen += [f(ones(), c), f(ones(), c)]
    c.n = 4
    return [*seen, f(ones(), c), f(ones(), Config())]


def module_containers(compile):
    torch.manual_seed(0)
    layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    named = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ReLU()})
    free = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(2)])

    def f(x):
        for layer in layers:
            x = layer(x).relu()
        for key, layer in named.items():
            x = layer(x) + len(key)
        for p in free:
            x = x * p
        return (
            x,
            len(layers),
            [n for n, _ in layers.named_parameters()],
            sum(p.numel() for p in layers.parameters()),
            next(iter(layers.buffers()), None),
        )

    f = compile(f)
    seen = [f(ones()), f(ones())]
    layers.append(nn.Linear(2, 2))
    seen += [f(ones()), f(ones())]
    named["b"] = nn.Tanh()
    seen += [f(ones()), f(ones())]
    named["c"] = nn.Tanh()
    del layers[0]
    seen += [f(ones()), f(ones())]
    free[0] = nn.Parameter(torch.ones(2) * 3)
    return [*seen, f(ones()), f(ones())]


def modules_that_are_made(compile):
    f = compile(lambda x: (nn.Linear(2, 2)(x), nn.Sequential(nn.Linear(2, 1), nn.ReLU())(x), nn.ReLU()(x)))
    return [f(ones()) for _ in range(3)]


def states_of_modules(compile):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    f = compile(lambda x: (m(x), m.state_dict(), m.training, [p.requires_grad for p in m.parameters()]))
    x = torch.arange(4.0).reshape(2, 2)
    seen = [f(x), f(x)]
    m.eval()
    m.requires_grad_(False)
    return [*seen, f(x), f(x)]


def modules_are_switched_inside(compile):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.BatchNorm1d(2))

    def f(x):
        m.eval()
        a = m(x)
        m.train()
        b = m(x)
        m[0].weight.requires_grad_(False)
        return a, b, m.training

    f = compile(f)
    x = torch.arange(4.0).reshape(2, 2)
    return [f(x) for _ in range(4)], m.state_dict()


def a_hook_of_all_modules(compile):
    net = torch.nn.Linear(2, 2)
    f = compile(lambda x: net(x) * 3)
    first = [f(torch.ones(2)), f(torch.ones(2))]
    handle = torch.nn.modules.module.register_module_forward_hook(lambda module, inputs, output: output * 0.5)
    second = [f(torch.ones(2)), f(torch.ones(2))]
    handle.remove()
    return [*first, *second, f(torch.ones(2)), f(torch.ones(2))]


def a_trace_of_torch_fx(compile):
    f = compile(lambda x: (x * 2 + 1).sin())
    seen = [f(torch.ones(2)), f(torch.zeros(2))]
    traced = torch.fx.symbolic_trace(f)
    nodes = [(node.op, node.name) for node in traced.graph.nodes]
    return [*seen, nodes, traced(torch.ones(3)), f(torch.ones(2)), f(torch.ones(3))]


def test_a_change_of_the_world_is_seen(agree, story):
    agree(story)
