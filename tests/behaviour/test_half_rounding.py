"""Rounding to half precision and eight-bit floats."""

import pytest


def test_numbers_are_rounded_by_way_of_float32(torch):
    above_a_tie = torch.tensor([1 + 2**-11 + 2**-30, 1 + 2**-8 + 2**-30], dtype=torch.float64)
    assert above_a_tie.half()[0] == 1.0
    assert above_a_tie.bfloat16()[1] == 1.0


def test_what_is_too_large_becomes_infinite_without_a_warning(torch):
    assert torch.tensor([65519, 65520, 2**30]).half().tolist() == [65504.0, float("inf"), float("inf")]
    assert torch.tensor([1e30, -1e30]).to(torch.float16).tolist() == [float("inf"), float("-inf")]


def test_a_number_beside_half_precision_is_rounded_to_their_dtype_unless_it_multiplies_or_divides(torch):
    x = torch.linspace(0.1, 9, 64)
    for dtype in (torch.bfloat16, torch.float16):
        small, number = x.to(dtype), 2.7
        rounded = torch.tensor(number).to(dtype).item()
        assert rounded != number
        pairs = [
            (small + number, small.float() + rounded), (number - small, rounded - small.float()),
            (small**number, small.float() ** rounded), (small * number, small.float() * number),
            (small / number, small.float() / number), (small + torch.tensor(number), small.float() + rounded),
            (torch.add(small, small, alpha=number), small.float() + rounded * small.float()),
        ]  # fmt: skip
        for result, expected in pairs:
            assert result.dtype is dtype
            assert torch.equal(result, expected.to(dtype))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gradients_of_biases_are_added_in_float32(torch, dtype):
    """Ones that are added in bfloat16 end at 256."""
    kind = getattr(torch, dtype)
    bias = torch.zeros(3, dtype=kind, requires_grad=True)
    x, weight = torch.ones(2, 2, 16, 32, dtype=kind), torch.ones(3, 2, 1, 1, dtype=kind)
    torch.nn.functional.conv2d(x, weight, bias).sum().backward()
    assert bias.grad.dtype is kind and bias.grad.tolist() == [1024.0] * 3


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("write", ["index_put_", "put_", "index_add_ to a vector", "gradient of x[index]"])
@pytest.mark.parametrize("count", [10, 3000])
def test_what_is_added_by_index_is_rounded_at_every_step(torch, dtype, write, count):
    """Ones that are added so end at 2,048 or at 256."""
    kind = getattr(torch, dtype)
    x, index, ones = torch.zeros(2, 3, dtype=kind), torch.zeros(count, dtype=torch.int64), torch.ones(count, 3).to(kind)
    if write == "index_put_":
        x.index_put_((index,), ones, accumulate=True)
    elif write == "put_":
        x.put_(torch.arange(3).repeat(count), ones.reshape(-1), accumulate=True)
    elif write == "index_add_ to a vector":
        x = torch.stack([x[:, 0].clone().index_add_(0, index, ones[:, 0])] * 3, 1)
    else:
        x.requires_grad_()[index].sum().backward()
        x = x.grad
    most = min(count, round(2 / torch.finfo(kind).eps))
    assert x.dtype is kind and x.tolist() == [[most] * 3, [0] * 3]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("count", [10, 4096])
def test_slices_are_added_in_float32(torch, dtype, count):
    x, index = torch.zeros(2, 3, dtype=getattr(torch, dtype)), torch.zeros(count, dtype=torch.int64)
    rows = x.index_add(0, index, torch.ones(count, 3).to(x.dtype))
    columns = x.t().index_add(1, index, torch.ones(3, count).to(x.dtype))
    assert rows.dtype is x.dtype and rows.tolist() == columns.t().tolist() == [[count] * 3, [0] * 3]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_factor_of_what_is_added_by_index_is_rounded_first(torch, dtype):
    kind = getattr(torch, dtype)
    x = torch.ones(1, dtype=kind).index_add_(0, torch.tensor([0]), torch.tensor([1.7]).to(kind), alpha=0.3)
    product = (torch.tensor(1.7).to(kind).float() * torch.tensor(0.3).to(kind).float()).to(kind)
    assert torch.equal(x, (1 + product.float()).to(kind).reshape(1))


SHORT = [
    "x + y", "x - 1.7", "2 - x", "x * 1.7", "x / y", "x / 3", "-x", "x.exp()", "x.softmax(1)", "x.sum()", "x.sum(1)",
    "x.mean(0)", "x.amax(1)", "x.argmax()", "x @ y", "x > y", "x == 1.7", "torch.where(x > y, x, y)", "x.cumsum(0)",
    "x.clamp(-0.3, 0.3)", "x.pow(2)", "x.gather(0, rows)", "x[0] + y", "x.t() * y",
    "torch.nn.functional.layer_norm(x, (4,))", "x.logsumexp(1)", "x.round(decimals=1)", "x.norm()", "x * float('inf')",
    "x.index_select(0, rows[0])", "x[:0] + 1", "x[0, 0] + x[0, 1]", "x.isnan()", "x.sum(0, dtype=torch.float32)",
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("text", SHORT)
def test_small_tensors_are_computed_in_float32_and_rounded_once(torch, dtype, text):
    generator = torch.Generator().manual_seed(0)
    kind = getattr(torch, dtype)
    x, y = (torch.randn(4, 4, generator=generator).to(kind) for _ in range(2))
    rows = torch.tensor([[3, 1, 0, 2]])
    result = eval(text, {"torch": torch, "x": x, "y": y, "rows": rows})
    if text == "x - 1.7":  # which is rounded first, as it neither multiplies nor divides
        text = f"x - {torch.tensor(1.7).to(kind).item()}"
    elif text == "x == 1.7":
        text = f"x == {torch.tensor(1.7).to(kind).item()}"
    elif text == "x.clamp(-0.3, 0.3)":
        text = "x.clamp({}, {})".format(*torch.tensor([-0.3, 0.3]).to(kind).tolist())
    wide = eval(text, {"torch": torch, "x": x.float(), "y": y.float(), "rows": rows})
    if wide.dtype is torch.float32 and "dtype=" not in text:
        assert result.dtype is kind
        wide = wide.to(kind)
    # Exponentials and roots of float32 differ in their last digit, which seldom is one that decides how it is rounded.
    torch.testing.assert_close(result, wide, rtol=torch.finfo(kind).eps, atol=0, equal_nan=True)


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_small_tensors_without_a_history_take_the_short_way(torch, dtype, monkeypatch):
    x = torch.ones(2, 2, dtype=getattr(torch, dtype))
    recorded = x.clone().requires_grad_()
    monkeypatch.setattr("rushlight.dispatch.general.Call", lambda *_: pytest.fail("the long way"))
    assert (x + x * 2.0).exp().softmax(1).sum(0).tolist() == [1.0, 1.0]
    with torch.no_grad():
        assert (recorded * 3).grad_fn is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_what_has_a_history_is_recorded(torch, dtype):
    x = torch.ones(2, 2, dtype=getattr(torch, dtype), requires_grad=True)
    part = (x * 2)[0]
    (part * 3 + torch.ones(2, dtype=x.dtype)).sum().backward()
    assert x.grad.dtype is x.dtype and x.grad.tolist() == [[6, 6], [0, 0]]
    with torch.inference_mode():
        assert (x + x).is_inference()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_what_is_refused_of_small_tensors(torch, dtype):
    x = torch.ones(2, 2, dtype=getattr(torch, dtype))
    with pytest.raises(RuntimeError):
        x + torch.ones(3, dtype=x.dtype)
    with pytest.raises(NotImplementedError):
        torch.cdist(x, x)
    with pytest.raises(IndexError):
        x.sum(5)


@pytest.mark.parametrize("text", ["x.abs()", "x.isnan()", "x == x", "x.float() + 1"])
def test_floats_of_eight_bits_are_no_halves(torch, text):
    x = torch.ones(2).to(torch.float8_e4m3fn)
    assert eval(text, {"x": x}).float().tolist() == eval(text, {"x": x.float()}).float().tolist()


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_each_slice_that_is_reduced_is_rounded(torch, dtype):
    torch.manual_seed(0)
    x, source = (torch.rand(3, 4) + 0.5).to(getattr(torch, dtype)), (torch.rand(7, 4) + 0.5).to(getattr(torch, dtype))
    index = torch.tensor([0, 0, 2, 0, 2, 0, 0])
    expected = x.clone()
    for number, row in zip(index, source, strict=True):
        expected[number] *= row
    assert torch.equal(x.index_reduce(0, index, source, "prod"), expected)
    assert torch.equal(x.T.index_reduce(1, index, source.T, "prod").T, expected)


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.parametrize("include_self", [True, False])
def test_means_of_slices_round_each_sum(torch, include_self):
    index, ones = torch.zeros(600, dtype=torch.int64), torch.ones(600, 1).bfloat16()
    mean = torch.full((1, 1), 3.0).bfloat16().index_reduce(0, index, ones, "mean", include_self=include_self)
    assert mean.item() == 0.42578125  # the sum stops at 256
