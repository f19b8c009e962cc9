"""rushlight.func.jet: derivatives of any order along a curve, against PyTorch's repeated gradients and closed forms."""

import math

import pytest

import rushlight
from rushlight.func import functional_call, grad, jet, jvp, vmap
from rushlight.transforms import taylor

pytorch = pytest.importorskip("torch")

FLOAT64 = rushlight.float64


def layer_norm(torch, x):
    """By its definition for PyTorch, whose third derivative of `layer_norm` is wrong in reverse mode."""
    if torch is rushlight:
        return torch.nn.functional.layer_norm(x * x, (3,))
    centred = x * x - (x * x).mean()
    return centred / ((centred * centred).mean() + 1e-5).sqrt()


FUNCTIONS = {
    "exp": lambda torch, x: torch.exp(x),
    "tanh": lambda torch, x: torch.tanh(x),
    "quotient": lambda torch, x: x / (1 + x * x),
    "number over": lambda torch, x: 2 / x,
    "power": lambda torch, x: x**x,
    "gelu": lambda torch, x: torch.nn.functional.gelu(x),
    "softmax": lambda torch, x: torch.softmax(torch.stack([x, 2 * x, x * x]), 0),
    "logsumexp": lambda torch, x: torch.logsumexp(torch.stack([x, 2 * x, x * x]), 0),
    "matmul": lambda torch, x: torch.outer(x, x.sin()) @ torch.stack([x, x * x]).T,
    "product": lambda torch, x: torch.prod(x * x),
    "max": lambda torch, x: torch.max(x.sin() * x),
    "prelu": lambda torch, x: torch.nn.functional.prelu(-x, x.sum().reshape(1)),
    "layer_norm": layer_norm,
    "views": lambda torch, x: torch.cat([x[1:], x[:1].expand(2)]) * x.flip(0).repeat(1)[0],
    "lgamma": lambda torch, x: torch.lgamma(x),
    "in place": lambda torch, x: (x * 1).add_(x).mul_(x).exp_(),
}


def expected_series(f, start, first, second, order):
    """Returns the derivatives of f(start + first s + second s^2) at s = 0 by PyTorch's repeated gradients."""
    start, first, second = (pytorch.tensor(each, dtype=pytorch.float64) for each in (start, first, second))
    s = pytorch.zeros((), dtype=pytorch.float64, requires_grad=True)
    result = f(pytorch, start + first * s + second * s * s)
    columns = []
    for derivative in result.flatten():
        column = []
        for _ in range(order):
            if derivative.requires_grad:
                (derivative,) = pytorch.autograd.grad(derivative, s, create_graph=True)
            else:
                derivative = pytorch.zeros(())
            column.append(derivative.item())
        columns.append(column)
    return pytorch.tensor(columns, dtype=pytorch.float64).T.reshape(order, *result.shape)


@pytest.mark.parametrize("order", [1, 2, 5])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_along_a_curve(name, order):
    start, first, second = [0.7, 1.3, 2.1], [1.0, -0.5, 0.3], [0.2, 0.4, -0.6]
    expected = expected_series(FUNCTIONS[name], start, first, second, order)
    curve = [rushlight.tensor(first, dtype=FLOAT64), 2 * rushlight.tensor(second, dtype=FLOAT64), 0, 0, 0]
    x = rushlight.tensor(start, dtype=FLOAT64)
    value, series = jet(lambda x: FUNCTIONS[name](rushlight, x), (x,), (curve[:order],))
    assert rushlight.equal(value, FUNCTIONS[name](rushlight, x))
    assert len(series) == order
    for derivative, known in zip(series, expected, strict=True):
        assert derivative.shape == value.shape
        assert pytorch.allclose(pytorch.tensor(derivative.tolist(), dtype=pytorch.float64), known, 1e-9, 1e-9)


def along_a_line(f, x, order):
    return jet(f, (rushlight.tensor(x, dtype=FLOAT64),), ([1.0] + [0.0] * (order - 1),))[1]


def test_closed_forms():
    assert [each.item() for each in along_a_line(rushlight.exp, 0.0, 12)] == pytest.approx([1.0] * 12)
    assert [each.item() for each in along_a_line(rushlight.sin, 0.0, 8)] == pytest.approx([1, 0, -1, 0, 1, 0, -1, 0])
    geometric = [each.item() for each in along_a_line(lambda x: 1 / (1 - x), 0.0, 9)]
    assert geometric == pytest.approx([math.factorial(k) for k in range(1, 10)])
    assert [each.item() for each in along_a_line(lambda x: x**3 - 2 * x, 2.0, 5)] == [10, 12, 6, 0, 0]
    tangents = [each.item() for each in along_a_line(rushlight.tanh, 0.0, 7)]
    assert tangents == pytest.approx([1, 0, -2, 0, 16, 0, -272])


def test_an_equation_is_solved_by_its_taylor_series():
    # y' = y (1 - y), y(0) = 1/2: each run of jet gives one more derivative of y.
    field, y = lambda y: y * (1 - y), rushlight.tensor(0.5, dtype=FLOAT64)
    derivatives = [field(y)]
    for _ in range(13):
        value, series = jet(field, (y,), (derivatives,))
        derivatives = [value, *series]
    step = 0.5
    solved = y + sum(each * step**k / math.factorial(k) for k, each in enumerate(derivatives, 1))
    assert solved.item() == pytest.approx(1 / (1 + math.exp(-step)), abs=1e-12)


def make_net():
    rushlight.manual_seed(0)
    nn = rushlight.nn
    net = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 1)).double()
    return net, {name: each.detach() for name, each in net.named_parameters()}


def nested(f, t, order):
    if order == 0:
        return f(t)
    return jvp(lambda t: nested(f, t, order - 1), (t,), (rushlight.ones_like(t),))[1]


def test_parameter_gradients_of_a_third_derivative():
    net, parameters = make_net()
    t = rushlight.linspace(0, 1, 5, dtype=FLOAT64)[:, None]

    def by_jet(parameters):
        third = jet(lambda t: functional_call(net, parameters, (t,)), (t,), ([1.0, 0.0, 0.0],))[1][2]
        return (third - t).square().sum()

    def by_jvp(parameters):
        return (nested(lambda t: functional_call(net, parameters, (t,)), t, 3) - t).square().sum()

    result, known = grad(by_jet)(parameters), grad(by_jvp)(parameters)
    assert all(rushlight.allclose(result[name], known[name]) for name in parameters)
    by_jet(dict(net.named_parameters())).backward()
    assert all(rushlight.allclose(each.grad, known[name]) for name, each in net.named_parameters() if name != "4.bias")


def test_inside_and_outside_of_other_transforms():
    x = rushlight.tensor([1.0, 2.0], dtype=FLOAT64)
    one, zero = rushlight.ones((), dtype=FLOAT64), rushlight.zeros((), dtype=FLOAT64)

    def second(x):
        return jet(lambda y: y**4, (x,), ([one, zero],))[1][1]

    assert vmap(second)(x).tolist() == [12.0, 48.0]
    assert jet(vmap(lambda x: x**4), (x,), ([1.0, 0.0],))[1][1].tolist() == [12.0, 48.0]
    assert grad(second)(x[1]).item() == 48
    assert jvp(second, (x[1],), (one,))[1].item() == 48
    assert [each.item() for each in jet(grad(lambda x: x**4), (x[1],), ([1.0, 0.0],))[1]] == [48, 48]
    assert [each.item() for each in jet(second, (x[1],), ([1.0, 0.0],))[1]] == [48, 24]


def test_trees_and_dtypes():
    point, curve = {"x": rushlight.tensor(3.0), "y": rushlight.tensor(2.0)}, [{"x": 1, "y": 1}, {"x": 0, "y": 0}]
    value, series = jet(lambda d: {"p": d["x"] * d["y"], "q": [d["x"].double()]}, (point,), (curve,))
    assert value["p"].item() == 6
    assert [each.item() for each in series["p"]] == [5, 2]
    assert series["q"][0][0].dtype is FLOAT64
    (_, (first, second)) = jet(lambda x: x.half() * 2.5, (rushlight.tensor(1.0),), ([1.0, 0.0],))
    assert (first.dtype, first.item(), second.item()) == (rushlight.float16, 2.5, 0)


def test_constant_results_have_zeros():
    value, series = jet(lambda x: (x > 0).float(), (rushlight.ones(2),), ([1.0, 2.0],))
    assert value.tolist() == [1, 1]
    assert [each.tolist() for each in series] == [[0, 0], [0, 0]]


def test_work_grows_with_a_power_of_the_order(monkeypatch):
    net, _ = make_net()
    calls = []
    interpret = taylor.interpret
    monkeypatch.setattr(taylor, "interpret", lambda level, op, values: calls.append(op) or interpret(level, op, values))

    def count(order):
        calls.clear()
        jet(net, (rushlight.ones(2, 1, dtype=FLOAT64),), ([1.0] + [0.0] * (order - 1),))
        return len(calls)

    assert count(8) < 3 * count(4)  # not 16 times
    assert count(16) < 3 * count(8)


class Doubled(rushlight.autograd.Function):
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass


def written_to_an_outer_tensor(x):
    out = rushlight.zeros(2)
    out[0] = x[0]
    return out


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: rushlight.histc(x), "jet: histc has no Taylor series, because no derivative of it is declared"),
        (Doubled.apply, "jet: Doubled is a custom function"),
        (written_to_an_outer_tensor, "jet: a Taylor series cannot be written to a view"),
    ],
)
def test_what_has_no_series(function, words):
    with pytest.raises(NotImplementedError, match=words):
        jet(function, (rushlight.ones(2),), ([1.0, 0.0],))


@pytest.mark.parametrize(
    ("primals", "series", "words"),
    [
        ((rushlight.tensor(1),), ([1.0],), "floating point or complex tensors, but got: torch.int64"),
        ((rushlight.tensor(1.0),), ([],), "at least one"),
        ((rushlight.tensor(1.0),), (1.0,), "Expected a list of derivatives for primal 0"),
        ((rushlight.tensor(1.0),), ([rushlight.ones(2)],), r"the shape of the primal, \[\], got \[2\]"),
        ((rushlight.tensor(1.0), rushlight.tensor(1.0)), ([1.0], [1.0, 2.0]), "as many derivatives"),
        ((rushlight.tensor(1.0),), (), "one list of derivatives per primal, got 0 for 1"),
    ],
)
def test_series_that_do_not_fit(primals, series, words):
    with pytest.raises(ValueError, match=words):
        jet(lambda *x: x[0], primals, series)
