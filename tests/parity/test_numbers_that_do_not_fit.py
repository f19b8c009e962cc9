"""Numbers that a dtype cannot hold, where tensors are filled or written to: PyTorch's number, or its error."""

import math

import pytest

import rushlight

KINDS = [
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "bool",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
]
NUMBERS = [
    -1,
    -129,
    255,
    256,
    -300,
    32768,
    65536,
    2**31,
    2**32,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    -(2**63),
    -(2**63) - 1,
]
NUMBERS += [1.5, -1.5, 300.7, 1e10, 1e20, -1e20, math.inf, -math.inf, math.nan, True, 70000, 1e39, 1j, 1 + 0j]


def written(torch, kind, number, at):
    x = torch.zeros(2, dtype=kind)
    x[at] = number
    return x


WAYS = {
    "full": lambda t, kind, number: t.full((2,), number, dtype=kind),
    "full of nothing": lambda t, kind, number: t.full((0,), number, dtype=kind),
    "full_like": lambda t, kind, number: t.full_like(t.zeros(2, dtype=kind), number),
    "full_like of another": lambda t, kind, number: t.full_like(t.zeros(2), number, dtype=kind),
    "new_full": lambda t, kind, number: t.zeros(2, dtype=kind).new_full((2,), number),
    "fill_": lambda t, kind, number: t.zeros(2, dtype=kind).fill_(number),
    "fill_ with gaps": lambda t, kind, number: t.zeros(3, 4, dtype=kind)[:, ::2].fill_(number),
    "fill": lambda t, kind, number: t.fill(t.zeros(2, dtype=kind), number),
}
WRITES = {
    "element": lambda t, kind, number: written(t, kind, number, 0),
    "slice": lambda t, kind, number: written(t, kind, number, slice(None)),
    "mask": lambda t, kind, number: written(t, kind, number, t.tensor([True, False])),
    "masked_fill": lambda t, kind, number: t.zeros(2, dtype=kind).masked_fill(t.tensor([True, False]), number),
    "index_fill": lambda t, kind, number: t.zeros(2, dtype=kind).index_fill(0, t.tensor([1]), number),
    "scatter": lambda t, kind, number: t.zeros(2, dtype=kind).scatter(0, t.tensor([1]), number),
    "tensor": lambda t, kind, number: t.tensor(number, dtype=kind),
    "tensor of a list": lambda t, kind, number: t.tensor([number, 0], dtype=kind),
}


def found(torch, way, kind, number):
    try:
        result = way(torch, getattr(torch, kind), number)
    except (RuntimeError, TypeError, ValueError, OverflowError) as error:
        return type(error), str(error).splitlines()[0]
    return str(result.dtype), str(result.tolist())  # as text, for nan is not nan


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_filled(way, kind, pytorch):
    for number in NUMBERS:
        assert found(rushlight, WAYS[way], kind, number) == found(pytorch, WAYS[way], kind, number), number


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("way", WRITES)
def test_written(way, kind, pytorch):
    for number in NUMBERS:
        if type(number) is not complex:
            assert found(rushlight, WRITES[way], kind, number) == found(pytorch, WRITES[way], kind, number), number


@pytest.mark.parametrize("way", ["element", "slice", "mask"])
def test_half_precision_are_written_by_way_of_a_double(way, pytorch):
    for kind in ("float16", "bfloat16"):
        for number in (1e30, -1e39, 70000, math.inf, math.nan, 65504, 0.1):
            assert found(rushlight, WRITES[way], kind, number) == found(pytorch, WRITES[way], kind, number), number


ARGUMENTS = {
    "clamp": lambda t, x, number: t.clamp(x, -1, number),
    "clamp_": lambda t, x, number: x.clone().clamp_(number, None),
    "hardtanh": lambda t, x, number: t.nn.functional.hardtanh(x, -2, abs(number)),
    "alpha of add": lambda t, x, number: t.add(x, x, alpha=number),
    "alpha of sub_": lambda t, x, number: x.clone().sub_(x, alpha=number),
    "lerp": lambda t, x, number: t.lerp(x, x, number),
    "addcmul": lambda t, x, number: t.addcmul(x, x, x, value=number),
    "addcdiv": lambda t, x, number: t.addcdiv(x, x, x, value=number),
    "leaky_relu": lambda t, x, number: t.nn.functional.leaky_relu(x, number),
    "elu": lambda t, x, number: t.nn.functional.elu(x, number),
    "celu": lambda t, x, number: t.nn.functional.celu(x, number),
    "softplus": lambda t, x, number: t.nn.functional.softplus(x, number),
    "hardshrink": lambda t, x, number: t.nn.functional.hardshrink(x, number),
    "softshrink": lambda t, x, number: t.nn.functional.softshrink(x, number),
    "threshold": lambda t, x, number: t.nn.functional.threshold(x, 0, number),
    "alpha of addmm": lambda t, x, number: t.addmm(x[:2], x[:4].reshape(2, 2), x[:4].reshape(2, 2), alpha=number),
    "beta of addmm": lambda t, x, number: t.addmm(x[:2], x[:4].reshape(2, 2), x[:4].reshape(2, 2), beta=number),
    "linspace": lambda t, x, number: t.linspace(0, number, 3, dtype=x.dtype),
    "linspace of one": lambda t, x, number: t.linspace(number, 0, 1, dtype=x.dtype),
    "logspace": lambda t, x, number: t.logspace(number, 0, 2, dtype=x.dtype),
}


def outcome(torch, way, x, number):
    try:
        return way(torch, x, number).flatten()[:2].tolist()
    except (RuntimeError, OverflowError) as error:
        return type(error), str(error).splitlines()[0]


@pytest.mark.parametrize("size", [4, 50_000])  # of the larger one, machine code takes over
@pytest.mark.parametrize("way", ARGUMENTS)
def test_arguments_are_refused_where_operands_are_infinite(way, size, pytorch):
    for number in (1e39, -1e39, 1e300):
        for kind in ("float32", "float64") if size == 4 else ("float32",):
            ours, theirs = (t.ones(size, dtype=getattr(t, kind)) for t in (rushlight, pytorch))
            expected = outcome(pytorch, ARGUMENTS[way], theirs, number)
            for _ in range(6):
                assert outcome(rushlight, ARGUMENTS[way], ours, number) == expected, (kind, number)
            assert (ours * 1e300).tolist()[:2] == (theirs * 1e300).tolist()[:2]


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16"])
@pytest.mark.parametrize("name", ["clamp_min", "clamp_max", "clamp_min_", "clamp_max_", "clamp"])
def test_bounds_of_small_integers_have_to_fit(name, kind, pytorch):
    def way(_, x, number):
        return getattr(x, name)(number)

    for number in (300, -300, 70000, 7):
        ours, theirs = (t.arange(3, dtype=getattr(t, kind)) for t in (rushlight, pytorch))
        assert outcome(rushlight, way, ours, number) == outcome(pytorch, way, theirs, number), number


@pytest.mark.parametrize("number", [0.25, 65504, 7e4, 1e39, -1e39, math.inf])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, kind) for name in ("clamp_min", "clamp_max") for kind in ("float16", "bfloat16", "float64")),
        *(("logit", kind) for kind in ("float32", "float64")),
    ],
)
def test_a_bound_fits_the_dtype(pytorch, name, kind, number):
    def found(torch):
        x = torch.tensor([0, 1]).to(getattr(torch, kind))
        try:
            return str(getattr(x, name)(number).dtype), None
        except RuntimeError as error:
            return type(error), "overflow" in str(error)

    assert found(rushlight) == found(pytorch)
