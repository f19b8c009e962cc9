"""Random tensors: one seed gives PyTorch's own numbers; generators are streams that can be saved and restored."""

import pytest

# What PyTorch 2.13 draws on a CPU after manual_seed(0). Sixteen or more normal numbers are drawn another way than
# fewer, so both lengths are here.
drawn_after_seed_0 = [
    ("torch.rand(3)", "float32", [0.49625659, 0.7682218, 0.088477433]),
    ("torch.rand(2, dtype=torch.float64)", "float64", [0.970053, 0.70781986]),
    ("torch.randn(3)", "float32", [1.5409961, -0.2934289, -2.1787894]),
    ("torch.randn(2, dtype=torch.float64)", "float64", [1.5409961, -0.29342891]),
    ("torch.randn(16)[[0, 1, 7, 8, 15]]", "float32", [-1.1258398, -1.1523602, -2.1152194, 0.32227492, -0.24727815]),
    ("torch.randint(0, 10, (6,))", "int64", [4, 9, 3, 0, 3, 9]),
    ("torch.randint(-5, 2**40, (3,))", "int64", [741234585336, 506077272957, 291397093751]),
    ("torch.randperm(6)", "int64", [2, 5, 3, 0, 1, 4]),
    ("torch.empty(3).uniform_(1, 2)", "float32", [1.4962566, 1.7682219, 1.0884774]),
    ("torch.empty(3).normal_(10, 2)", "float32", [13.081992, 9.4131422, 5.6424212]),
    ("torch.empty(4, dtype=torch.int64).random_(100)", "int64", [44, 39, 33, 60]),
    ("torch.bernoulli(torch.full((8,), 0.5))", "float32", [1, 0, 1, 1, 1, 0, 1, 0]),
    ("torch.normal(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 2.0]))", "float32", [1.5409961, 9.4131422]),
    ("torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 5, replacement=True)", "int64", [2, 2, 2, 2, 2]),
]


@pytest.mark.parametrize(("expression", "dtype", "numbers"), drawn_after_seed_0)
def test_numbers_of_seed_0(torch, expression, dtype, numbers):
    torch.manual_seed(0)
    drawn = eval(expression, {"torch": torch})
    assert drawn.dtype is getattr(torch, dtype)
    assert drawn.tolist() == pytest.approx(numbers, rel=1e-6)


def test_calls_continue_one_stream(torch):
    torch.manual_seed(7)
    together = torch.rand(5)
    torch.manual_seed(7)
    assert torch.equal(torch.cat([torch.rand(2), torch.rand(3)]), together)
    assert not torch.equal(torch.rand(5), together)


def test_a_generator_is_a_stream_of_its_own(torch):
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(1)
    untouched = torch.rand(3)
    torch.manual_seed(1)
    first = torch.rand(3, generator=generator)
    assert first.tolist() == pytest.approx([0.49625659, 0.7682218, 0.088477433], rel=1e-6)
    assert torch.equal(torch.rand(3), untouched)
    assert generator.initial_seed() == 0
    assert generator.device == torch.device("cpu")
    assert generator.manual_seed(0) is generator
    assert torch.equal(torch.rand(3, generator=generator), first)


@pytest.mark.parametrize(
    "draw",
    [
        "torch.randn(4, generator=generator)",
        "torch.randint(100, (4,), generator=generator)",
        "torch.randperm(4, generator=generator)",
        "torch.empty(4).uniform_(generator=generator)",
        "torch.empty(4).normal_(generator=generator)",
        "torch.bernoulli(torch.full((4,), 0.5), generator=generator)",
        "torch.multinomial(torch.ones(9), 4, generator=generator)",
    ],
)
def test_a_generator_can_be_rewound(torch, draw):
    generator = torch.Generator().manual_seed(3)
    names = {"torch": torch, "generator": generator}
    torch.randn(3, generator=generator)  # an odd number: half of a Box-Muller pair is kept back
    state = generator.get_state()
    first = eval(draw, names)
    generator.set_state(state)
    assert torch.equal(eval(draw, names), first)


# Tensors whose layout is not that of a fresh one: with gaps, expanded, transposed, and two of these at once.
laid_out_otherwise = [
    "torch.empty(64, 16).chunk(2, dim=-1)[0]",
    "torch.empty(64, 16)[::2]",
    "torch.empty(1, 32).expand(4, 32)",
    "torch.empty(4, 1).expand(4, 32)",
    "torch.empty(6, 1, 4).expand(6, 5, 4).transpose(0, 2)",
    "torch.empty(8, 64).t()",
    "torch.empty(4, 5, 6).transpose(0, 2)[:, :3]",
]


@pytest.mark.parametrize("expression", laid_out_otherwise)
@pytest.mark.parametrize(("like", "fill"), [("rand_like", "uniform_"), ("randn_like", "normal_")])
def test_draws_in_the_shape_of_another_fill_memory_in_its_order(torch, expression, like, fill):
    input = eval(expression, {"torch": torch})
    torch.manual_seed(0)
    drawn = getattr(torch, like)(input)
    torch.manual_seed(0)
    filled = getattr(torch.empty_like(input), fill)()
    assert drawn.stride() == filled.stride()
    assert torch.equal(drawn, filled)


def test_normal_numbers_in_the_shape_of_a_tensor_with_gaps_are_those_of_a_fresh_one(torch):
    torch.manual_seed(0)
    drawn = torch.randn_like(torch.empty(64, 16).chunk(2, dim=-1)[0])
    torch.manual_seed(0)
    assert torch.equal(drawn, torch.randn(64, 8))


@pytest.mark.parametrize(
    "draw", ["uniform_(-1, 1)", "normal_(2, 3)", "random_(5)", "bernoulli_(0.5)", "exponential_()", "cauchy_()"]
)
@pytest.mark.parametrize("view", ["x", "x[1]", "x.t()", "x[:, ::2]", "x[:0]", "x[0, 0]"])
def test_numbers_drawn_into_memory_are_written_and_counted(torch, draw, view):
    torch.manual_seed(3)
    x = torch.full((3, 4), 7.0)
    part = eval(view, {"x": x})
    kept = (part.detach() * 1).requires_grad_()
    product = kept * part
    assert eval(f"part.{draw}", {"part": part}) is part
    assert x._version == 1
    torch.manual_seed(3)
    alone = eval(f"torch.empty_like(part).{draw}", {"torch": torch, "part": part})
    assert part.tolist() == alone.tolist()
    assert (x == 7).sum() == x.numel() - part.numel()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_numbers_are_not_drawn_into_leaves(torch):
    leaf = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        leaf.normal_()
    with torch.no_grad():
        leaf.normal_()
    assert leaf._version == 1 and leaf.tolist() != [1, 1, 1]


def test_the_default_stream_can_be_rewound(torch):
    state = torch.get_rng_state()
    assert state.dtype is torch.uint8
    first = torch.rand(3)
    torch.set_rng_state(state)
    assert torch.equal(torch.rand(3), first)
    with torch.random.fork_rng():
        torch.rand(10)
    after = torch.rand(1)
    torch.set_rng_state(state)
    torch.rand(3)
    assert torch.equal(torch.rand(1), after)


def test_seeds(torch):
    assert torch.manual_seed(5).initial_seed() == 5
    assert torch.initial_seed() == 5
    assert torch.manual_seed(-1).initial_seed() == 2**64 - 1
    assert isinstance(torch.seed(), int)
    assert isinstance(torch.manual_seed(0), torch.Generator)


def test_numbers_lie_where_they_should(torch):
    torch.manual_seed(0)
    uniform, normal, integers = torch.rand(10_000), torch.randn(10_000), torch.randint(-3, 4, (10_000,))
    assert 0 <= uniform.min() <= uniform.max() < 1
    assert uniform.mean().item() == pytest.approx(0.5, abs=0.02)
    assert normal.mean().item() == pytest.approx(0, abs=0.05)
    assert normal.std().item() == pytest.approx(1, abs=0.05)
    assert set(integers.tolist()) == set(range(-3, 4))
    assert sorted(torch.randperm(100).tolist()) == list(range(100))
    assert torch.bernoulli(torch.tensor([0.0, 1.0])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("expression", "error", "first_line"),
    [
        (
            "torch.rand(2, dtype=torch.int64)",
            NotImplementedError,
            "\"check_uniform_bounds\" not implemented for 'Long'",
        ),
        ("torch.randn(2, dtype=torch.int64)", NotImplementedError, "\"normal_kernel_cpu\" not implemented for 'Long'"),
        (
            "torch.randint(5, 5, (1,))",
            RuntimeError,
            "random_ expects 'from' to be less than 'to', but got from=5 >= to=5",
        ),
        (
            "torch.randint(10, 5)",
            TypeError,
            "randint(): argument 'size' (position 2) must be tuple of ints, not int",
        ),
        ("torch.normal(0.0, -1.0, (3,))", RuntimeError, "normal expects std >= 0.0, but found std -1"),
        (
            "torch.zeros(3).uniform_(2, 1)",
            RuntimeError,
            "uniform_ expects to return a [from, to) range, but found from=2 > to=1",
        ),
        (
            "torch.multinomial(torch.tensor([torch.inf, -torch.inf]), 2, replacement=True)",
            RuntimeError,
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)",
        ),
        (
            "torch.multinomial(torch.tensor([0.0, 1.0]), 3)",
            RuntimeError,
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
        ),
        (
            "torch.randint(0, 300, (3,), dtype=torch.uint8)",
            RuntimeError,
            "to - 1 is out of bounds for unsigned char",
        ),
        (
            "torch.zeros(3, dtype=torch.bool).random_(-1, 1)",
            RuntimeError,
            "from is out of bounds for bool",
        ),
        (
            "torch.zeros(3, dtype=torch.float16).random_(0, 2**40)",
            RuntimeError,
            "to - 1 is out of bounds for c10::Half",
        ),
        (
            "torch.zeros(3, dtype=torch.int32).random_(-(2**63), None)",
            RuntimeError,
            "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16",
        ),
        (
            "torch.zeros(3).random_('a')",
            TypeError,
            "random_() received an invalid combination of arguments - got (str), but expected one of:",
        ),
        (
            "torch.zeros(3).random_(2.5, 3)",
            TypeError,
            "random_() received an invalid combination of arguments - got (float, int), but expected one of:",
        ),
        (
            "torch.zeros(3).random_(None)",
            TypeError,
            "random_() received an invalid combination of arguments - got (NoneType), but expected one of:",
        ),
        (
            "torch.randint(3, (2,), dtype=torch.complex64)",
            RuntimeError,
            "check_random_bounds handles only integral, floating-point and boolean types",
        ),
        (
            "torch.randint_like(torch.ones(2, dtype=torch.complex64), 3)",
            RuntimeError,
            "check_random_bounds handles only integral, floating-point and boolean types",
        ),
        (
            "torch.ones(2, dtype=torch.complex64).random_(3)",
            RuntimeError,
            "check_random_bounds handles only integral, floating-point and boolean types",
        ),
        ("torch.randperm(3, dtype=torch.bool)", NotImplementedError, "\"randperm\" not implemented for 'Bool'"),
        (
            "torch.randperm(3, dtype=torch.complex64)",
            NotImplementedError,
            "\"randperm\" not implemented for 'ComplexFloat'",
        ),
        ("torch.manual_seed(2**64)", ValueError, "Overflow when unpacking long long"),
        ("torch.manual_seed('a')", ValueError, "invalid literal for int() with base 10: 'a'"),
    ],
)
def test_refused(torch, expression, error, first_line):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch})
    assert str(caught.value).splitlines()[0] == first_line


COMPLEX_HALF = {
    "rand": lambda torch, n, dtype: torch.rand(n, dtype=dtype),
    "rand_like": lambda torch, n, dtype: torch.rand_like(torch.zeros(n, dtype=dtype)),
    "uniform_": lambda torch, n, dtype: torch.zeros(n, dtype=dtype).uniform_(-1, 3),
}


@pytest.mark.complex32
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("count", [1, 7, 8, 20])
def test_complex_halves_are_halves_in_pairs(torch, count):
    def drawn(draw):
        torch.manual_seed(5)
        return draw().tolist()

    def parts(numbers):
        return [part for each in numbers for part in (each.real, each.imag)]

    for call in COMPLEX_HALF.values():
        result = drawn(lambda call=call: call(torch, count, torch.complex32))
        assert parts(result) == drawn(lambda call=call: call(torch, 2 * count, torch.float16))
    deviation = 0.5**0.5
    expected = drawn(lambda: torch.zeros(2 * count, dtype=torch.float16).normal_(0, deviation))
    for result in (
        drawn(lambda: torch.randn(count, dtype=torch.complex32)),
        drawn(lambda: torch.zeros(count, dtype=torch.complex32).normal_()),
        drawn(lambda: torch.randn_like(torch.zeros(count, dtype=torch.complex32))),
    ):
        assert parts(result) == expected
