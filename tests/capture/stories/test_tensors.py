"""Tensors: sizes, memory that they share, classes and attributes that change between calls."""

import types

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def ones():
    return torch.ones(2)


def leaf(*elements):
    return torch.tensor(elements, requires_grad=True)


def try_(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return error


def metas_change_after_use(compile):
    def f(x, y):
        a = x + y
        x.requires_grad_()
        b = x * 2
        z = y * 1
        c = z + 1
        z.t_()
        d = z + 1
        return a, b, c, d, z

    f = compile(f)
    return [f(torch.ones(2, 3), torch.ones(2, 3)) for _ in range(4)]


def data_is_assigned(compile):
    f = compile(lambda p: (p * 2, p.shape, p.data + 1, p.dtype))
    p = leaf(1.0, 2.0)
    seen = [f(p), f(p)]
    p.data = torch.tensor([5.0, 6.0])
    seen += [f(p), f(p)]
    p.data = torch.tensor([[5.0, 6.0, 7.0]])
    seen += [f(p), f(p)]
    p.data = torch.tensor([5.0, 6.0]).double()
    return [*seen, f(p), f(p)]


def data_is_assigned_inside(compile):
    def f(p, x):
        p.data = x + 1
        return p * 2

    f = compile(f)
    p = leaf(1.0, 2.0)
    return [f(p, ones()), f(p, ones() * 2), f(p, ones() * 3), p, f(p, torch.ones(3)), p]


def aliases(compile):
    def f(a, b):
        a.add_(1)
        return a * b, b

    f = compile(f)
    x, y = torch.zeros(4), torch.ones(4)
    return [
        f(x, y), f(x, y), f(x, x), f(y, x), f(x[:2], x[2:]), f(x[:2], x[:2]), f(x[1:3], x[:2]), f(x, x.view(4)),
        f(x.detach(), x), f(x.t(), x), x, y,
    ]  # fmt: skip


def aliases_of_an_attribute(compile):
    one = types.SimpleNamespace(w=torch.ones(2))

    def f(x):
        x.mul_(2)
        return one.w + 1

    f = compile(f)
    x = torch.ones(2)
    return [f(x), f(x), f(one.w), f(one.w), f(x), f(one.w[:]), one]


def the_same_tensor_twice(compile):
    f = compile(lambda a, b: (2 * a * b, a is b))
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seen = []
    for a, b in ((x, y), (x, x), (y, x), (y, y), (x, y)):
        out, same = f(a, b)
        out.sum().backward()
        seen += [out, same, x.grad, y.grad]
        x.grad = y.grad = None
    return seen


def inputs_that_are_returned(compile):
    f = compile(
        lambda a, b: (
            a,
            [a, b],
            {"a": a},
            a.contiguous(),
            a.to(torch.float32),
            a.view_as(a),
            a.detach(),
            a[:],
            a.t(),
            a.expand(2, 2),
        )
    )
    x = ones()
    seen = [f(x, x), f(x, ones()), f(ones(), x), f(x.double(), x), f(torch.ones(2, 2).t(), x)]
    x.add_(1)
    return seen


def views_that_are_written(compile):
    def f(x):
        y = x[1:]
        z = y * 1
        y.add_(1)
        z[0] = 5
        return y, z, x

    f = compile(f)
    x = torch.zeros(3)
    seen = [f(x), f(x), f(torch.zeros(6)[::2]), f(torch.zeros(3, requires_grad=True) * 1)]
    return seen, x


def earlier_results_stay(compile):
    f = compile(lambda x: (x * 2, (x * 2)[0:1], x.sum(), [x + 1]))
    kept = [f(torch.ones(3) * n) for n in range(6)]
    kept[2][0].add_(100)
    kept[3][1].mul_(-1)
    return (
        kept,
        f(torch.ones(3)),
        [each[0].untyped_storage().data_ptr() == kept[0][0].untyped_storage().data_ptr() for each in kept],
    )


def earlier_graphs_stay(compile):
    f = compile(lambda x: (x * x).sin().sum())
    p = leaf(1.0, 2.0)
    losses = [f(p) for _ in range(4)]
    seen = []
    for loss in reversed(losses):
        loss.backward()
        seen.append(p.grad.clone())
    return seen, try_(losses[0].backward)


def what_was_saved_is_changed(compile):
    f = compile(lambda x, y: (x * y).sum())
    x, y = leaf(1.0, 2.0), ones()
    seen = []
    for at in range(4):
        loss = f(x, y)
        if at % 2:
            y.add_(1)
        seen.append(try_(loss.backward))
    return seen, x.grad


def metas_change(compile):
    f = compile(lambda x: (x * 2, x.sum(0), x.reshape(-1)[:1]))
    return [
        f(x)
        for x in (
            torch.ones(2), torch.ones(3), torch.ones(2, 3), torch.ones(2).double(), torch.ones(2, dtype=torch.int64),
            torch.ones(4)[::2], torch.ones(2, 3).t(), torch.ones(1).expand(2), torch.ones(2).bfloat16(), leaf(1.0, 2.0),
            leaf(1.0, 2.0) * 1, leaf(1.0, 2.0)[:], nn.Parameter(torch.ones(2)), torch.ones(2), torch.ones(0),
            torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.complex64).conj(),
            torch.tensor([True, False]), torch.ones(0, 2),
        )
    ]  # fmt: skip


class Marked(torch.Tensor):
    calls = 0

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        Marked.calls += 1
        return super().__torch_function__(function, kinds, args, kwargs or {})


class Plain(torch.Tensor):
    def double_it(self):
        return self * 2


def subclasses(compile):
    Marked.calls = 0
    f = compile(lambda x: (x * 2 + 1, type(x).__name__, x.sum()))
    g = compile(lambda x: x.double_it() + 1)
    seen = []
    for _ in range(3):
        seen += [
            f(ones()),
            f(ones().as_subclass(Marked)),
            f(ones().as_subclass(Plain)),
            g(ones().as_subclass(Plain)),
            Marked.calls,
        ]
    Plain.double_it = lambda self: self * 3
    seen.append(g(ones().as_subclass(Plain)))
    Plain.double_it = lambda self: self * 2
    return seen


def attributes_of_tensors(compile):
    def f(x):
        x.mark = x * 2
        return x.mark + x.scale

    f = compile(f)
    x = ones()
    x.scale = 3
    seen = [f(x), f(x)]
    x.scale = 5
    return [*seen, f(x), x]


def monkeypatched(compile):
    before_function, before_method = torch.relu, torch.Tensor.relu
    f = compile(lambda x: (torch.relu(x), x.relu(), F.relu(x), torch.nn.functional.relu(x)))
    x = torch.tensor([-1.0, 2.0])
    seen = [f(x), f(x)]
    try:
        torch.relu = lambda x: x * 10
        seen += [f(x), f(x)]
        torch.Tensor.relu = lambda self: self * 20
        seen += [f(x), f(x)]
    finally:
        torch.relu, torch.Tensor.relu = before_function, before_method
    return [*seen, f(x)]


def shapes_that_depend_on_elements(compile):
    f = compile(lambda x: (x[x > 0] * 2, (x > 0).nonzero() + 1, torch.unique(x).sin(), x[x > 0].sum(), len(x[x > 0])))
    g = compile(lambda x: (x[x > 0] * 2 + 1).exp().sum())
    return [
        h(torch.tensor(v))
        for h in (f, g)
        for v in ([1.0, -1.0, 2.0], [1.0, 1.0, 2.0], [-1.0, -1.0, -2.0], [1.0, -1.0, 2.0])
    ]


def gradients_through_shapes_that_depend_on_elements(compile):
    f = compile(lambda x: ((x[x > 0] * 2 + 1) ** 2).sum())
    seen = []
    for v in ([1.0, -1.0, 2.0], [1.0, 1.0, 2.0], [-1.0, -1.0, -2.0], [1.0, -1.0, 2.0]):
        x = leaf(*v)
        f(x).backward()
        seen.append(x)
    return seen


def test_a_change_of_a_tensor_is_seen(agree, story):
    agree(story)
