"""Small tensors of uncommon dtypes: in-place ops change nothing else, and take the fast path."""

import math

import pytest

import rushlight as torch
from rushlight._generated import functions
from rushlight.dispatch import general, inplace, plan_table

reference = pytest.importorskip("torch")

HALVES = ["float16", "bfloat16"]
BYTES = ["int8", "int16", "uint8"]
PLAIN = ["float32", "float64", "int64", "int32"]
VALUES = [0.0, -0.0, 1.5, -2.25, 100.0, 3.1, 7.0, 1e-3]


def both(name, values=VALUES):
    """One tensor of each library."""
    return [library.tensor(values, dtype=getattr(library, name)) for library in (torch, reference)]


def assert_same(ours, expected):
    assert str(ours.dtype) == str(expected.dtype).replace("torch", str(ours.dtype).split(".")[0])
    assert ours.stride() == expected.stride()
    ours, expected = ours.detach().double(), expected.detach().double()
    assert str(ours.tolist()) == str(expected.tolist())  # NaN and the signs of zeros too


WRITES = {
    "add_": lambda x, y: x.add_(y),
    "add_ itself": lambda x, y: x.add_(x),
    "add_ of a number": lambda x, y: x.add_(1.1),
    "add_ of too large a number": lambda x, y: x.add_(70000.0),
    "add_ of a multiple": lambda x, y: x.add_(y, alpha=2),
    "mul_": lambda x, y: x.mul_(y),
    "mul_ of a number": lambda x, y: x.mul_(1.1),
    "mul_ by -0.0": lambda x, y: x.mul_(-0.0),
    "mul_ by NaN": lambda x, y: x.mul_(math.nan),
    "div_ by a number": lambda x, y: x.div_(3.3),
    "sub_ of a view": lambda x, y: x[::2].sub_(y[:4]),
    "add_ of a row": lambda x, y: x.view(2, 4).add_(y[:4]),
    "neg_": lambda x, y: x.neg_(),
    "abs_": lambda x, y: x.abs_(),
    "floor_": lambda x, y: x.floor_(),
    "clamp_min_": lambda x, y: x.clamp_min_(0.3),
    "eq_": lambda x, y: x.eq_(1.5),
    "lt_": lambda x, y: x.lt_(y),
    "none": lambda x, y: x[:0].add_(1.5),
    "one": lambda x, y: x[2].mul_(y[2]),
}


@pytest.mark.parametrize("case", WRITES)
@pytest.mark.parametrize("name", HALVES)
def test_half_precision_in_place(name, case):
    (x, expected), (y, other) = both(name), both(name, [1.0, 2, 3, -4, math.inf, 0.1, math.nan, 2.6])
    assert_same(WRITES[case](x, y), WRITES[case](expected, other))
    assert_same(x, expected)
    assert x._version == expected._version


def test_half_precision_in_place_with_a_history_are_recorded():
    for library in (torch, reference):
        weight = library.tensor([1.0, 2.0], dtype=library.bfloat16, requires_grad=True)
        x = library.tensor([3.0, 4.0], dtype=library.bfloat16)
        x.mul_(weight)
        x.sum().backward()
        assert weight.grad.tolist() == [3.0, 4.0]
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            weight.add_(1)


@pytest.mark.parametrize("number", [1, 1.1, -1, 300, 65510.0, 1e39, math.inf, -math.inf, math.nan, True])
@pytest.mark.parametrize("name", HALVES + BYTES + PLAIN)
def test_fills_hold_what_fits_and_refuse_the_rest(name, number):
    for fill in (lambda x, mask: x.fill_(number), lambda x, mask: x.masked_fill_(mask, number)):
        (x, expected), (mask, other) = both(name, [0, 1, 2, 3]), both("bool", [0, 1, 1, 0])
        if number != number and "float" not in name:
            continue  # what C makes of it as an integer is undefined
        try:
            wanted = fill(expected, other)
        except RuntimeError as error:
            with pytest.raises(RuntimeError) as result:
                fill(x, mask)
            assert str(result.value).splitlines()[0] == str(error).splitlines()[0]
        else:
            assert_same(fill(x, mask), wanted)


@pytest.mark.parametrize("name", HALVES + BYTES)
def test_zeros_in_place(name):
    x, expected = both(name, [1, 2, 3, 4])
    assert_same(x[1::2].zero_(), expected[1::2].zero_())
    assert_same(x, expected)
    assert_same(x.zero_(), expected.zero_())
    assert x._version == expected._version


@pytest.mark.parametrize("source", HALVES + BYTES + PLAIN)
@pytest.mark.parametrize("name", HALVES + BYTES + PLAIN)
def test_copies_from_any_dtype(name, source):
    values = [0, 1, 100, 3, 7, 33, 5, 6] if "int" in name or "int" in source else [*VALUES[:-2], math.nan, math.inf]
    (x, expected), (y, other) = both(name, [1] * 8), both(source, values)
    assert_same(x.copy_(y), expected.copy_(other))
    assert_same(x.view(2, 4).copy_(y[4:]), expected.view(2, 4).copy_(other[4:]))
    assert_same(x[::2].copy_(y[::2]), expected[::2].copy_(other[::2]))
    assert_same(x[:4].copy_(x[4:]), expected[:4].copy_(expected[4:]))
    assert x._version == expected._version


COMPUTED = {
    "+": lambda x, y: x + y,
    "- a number": lambda x, y: x - 3,
    "*": lambda x, y: x * y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "<<": lambda x, y: x << (y & 3),
    "-x": lambda x, y: -x,
    "~": lambda x, y: ~x,
    "<": lambda x, y: x < y,
    "abs": lambda x, y: x.abs(),
    "**": lambda x, y: x**2,
    "clamp": lambda x, y: x.clamp(0, 50),
    "amax": lambda x, y: x.view(2, 4).amax(1),
    "flip": lambda x, y: x.flip(0),
    "of a view": lambda x, y: x[::2] * y[1::2],
    "of none": lambda x, y: x[:0] + y[:0],
    "of one": lambda x, y: x[0] + y[1],
}


@pytest.mark.parametrize("case", COMPUTED)
@pytest.mark.parametrize("name", BYTES)
def test_small_integers_wrap(name, case):
    """On the fast path, as those of 32 bits."""
    low, high = torch.iinfo(getattr(torch, name)).min, torch.iinfo(getattr(torch, name)).max
    ours, theirs = both(name, [low, high, 1, 0, 5, 6, 7, 100])
    y, other = both(name, [high, high, 3, 1, 2, 7, 100, 9])
    assert_same(COMPUTED[case](ours, y), COMPUTED[case](theirs, other))


def test_nothing_of_it_takes_the_long_way(monkeypatch):
    def refused(*given):
        pytest.fail("the long way was taken")

    for module, name in ((functions, "write"), (functions, "general"), (inplace, "write")):
        monkeypatch.setattr(module, name, refused)
    for name in HALVES:
        for case in WRITES.keys() - {"add_ of a multiple", "div_ by a number", "sub_ of a view"}:
            WRITES[case](both(name)[0], both(name)[0])
    for name in HALVES + BYTES:
        x, mask = both(name, [1, 2, 3, 4])[0], both("bool", [1, 0, 1, 0])[0]
        x.fill_(1).masked_fill_(mask, 2).zero_().copy_(both("float32", [1, 2, 3, 4])[0])
    for name in BYTES:
        x = both(name, [1, 2, 3, 4])[0]
        assert ((x + x) * x == x).tolist() == [False] * 4


SEVERAL = {
    "max": lambda x: x.max(1),
    "min": lambda x: x.min(0, keepdim=True),
    "sort": lambda x: x.sort(1, True),
    "topk": lambda x: x.topk(2, sorted=True),
    "kthvalue": lambda x: x.kthvalue(3),
    "cummax": lambda x: x.cummax(1),
    "aminmax": lambda x: x.aminmax(dim=0),
    "one line": lambda x: x[0].max(0),
}


@pytest.mark.parametrize("case", SEVERAL)
@pytest.mark.parametrize("name", [*HALVES, "int16", "uint8"])
def test_several_results_of_small_tensors(monkeypatch, case, name):
    """They are had without the general path, and are PyTorch's."""
    x, expected = both(name, [[1.5, 2, 9, 0], [7, 3, 5, 4.25]])
    monkeypatch.setattr(general, "Call", lambda *given: pytest.fail("the general path was taken"))
    ours, theirs = SEVERAL[case](x), SEVERAL[case](expected)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert_same(one, other)


def test_several_results_of_halves_with_a_history():
    x = torch.tensor([[1.0, 3.0], [4.0, 2.0]], dtype=torch.float16, requires_grad=True)
    values, positions = x.max(1)
    values.sum().backward()
    assert positions.tolist() == [1, 0]
    assert x.grad.tolist() == [[0.0, 1.0], [1.0, 0.0]]


BETWEEN = {
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "x * y": lambda x, y: x * y,
    "of a row": lambda x, y: x * y[0],
    "of one": lambda x, y: x[0, 0] - y[1, 1],
    "turned": lambda x, y: x.t() + y.t(),
}


@pytest.mark.parametrize("case", BETWEEN)
@pytest.mark.parametrize("name", HALVES)
def test_an_operator_of_two_halves_finds_its_plan_in_the_table(monkeypatch, case, name):
    given = reference.randn(20, 25, generator=reference.Generator().manual_seed(0)) * 60
    given[:2, :5] = reference.tensor([[0.0, -0.0, math.inf, math.nan, 1e-7], [65504, -0.0, -math.inf, 3, 2e-8]])
    x, expected = both(name, given.tolist())
    y, other = both(name, given.flip(0, 1).roll(2, 0).tolist())
    result = BETWEEN[case](x, y)
    monkeypatch.setattr(plan_table, "resolve", lambda *given: pytest.fail("the plan of this signature is known"))
    if case != "of one":  # small tensors with dimensions are found by their dtypes alone
        monkeypatch.setattr(plan_table, "signature", lambda *given: pytest.fail("needs no whole signature"))
    assert_same(BETWEEN[case](x, y), BETWEEN[case](expected, other))
    with torch.no_grad():
        recorded = BETWEEN[case](x.clone().requires_grad_(), y)
    assert recorded.grad_fn is None and str(recorded.tolist()) == str(result.tolist())


@pytest.mark.parametrize("name", HALVES)
def test_half_precision_with_a_history_in_inference_mode_or_of_a_subclass_are_operands_as_ever(name):
    class Own(torch.Tensor):
        pass

    x, _ = both(name)
    assert type(x.as_subclass(Own) + x) is Own
    with torch.inference_mode():
        assert (x + x).is_inference()
    leaf = x.clone().requires_grad_()
    (leaf[2:4] * x[2:4]).sum().backward()
    assert leaf.grad[2:4].tolist() == x[2:4].tolist()
    with pytest.raises(RuntimeError, match="must match the size"):
        x + x[:3]
