"""What small tensors skip: what depends on shapes alone is computed once, unneeded checks are left out."""

import math

import numpy as np
import pytest

from rushlight.declarations import contraction_plan

SAME_SHAPES = {
    "einsum": lambda t, x: t.einsum("bij,bjk,ik->bk", x, x, x[0]),
    "einsum_of_a_diagonal": lambda t, x: t.einsum("bii,bi->b", x, x[0]),
    "tensordot": lambda t, x: t.tensordot(x, x, ([1, 2], [2, 1])),
}


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize("name", SAME_SHAPES)
def test_how_tensors_are_contracted_is_found_once_for_their_shapes(torch, name, monkeypatch):
    x = torch.arange(27.0).reshape(3, 3, 3)
    first = SAME_SHAPES[name](torch, x)
    monkeypatch.setattr(contraction_plan, "Outline", lambda *given: pytest.fail("found again"))
    assert SAME_SHAPES[name](torch, x).equal(first)


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_positions_beside_an_index_of_the_same_size_are_not_broadcast(torch, monkeypatch):
    monkeypatch.setattr("rushlight.declarations.index.broadcast", lambda *given: pytest.fail("broadcast"))
    x = torch.arange(12.0).reshape(3, 4)
    assert x.take_along_dim(torch.tensor([[3, -1], [0, 0], [2, 1]]), 1).tolist() == [[3, 3], [4, 4], [10, 9]]


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_no_seed_is_spread_for_a_stream_that_is_seeded_afterwards(torch, monkeypatch):
    expected = torch.rand(4, generator=torch.Generator().manual_seed(3))
    monkeypatch.setattr(np.random, "MT19937", lambda seed, make=np.random.MT19937: make(refuse_entropy(seed)))
    assert torch.rand(4, generator=torch.Generator().manual_seed(3)).equal(expected)


def refuse_entropy(seed):
    assert isinstance(seed, np.random.bit_generator.ISeedSequence) and not isinstance(seed, np.random.SeedSequence)
    return seed


DESCENDING = ["x.topk(2)", "x.sort(descending=True)", "x.argsort(0, descending=True)", "x[0].topk(2)", "x.msort()"]


@pytest.mark.parametrize("call", DESCENDING)
@pytest.mark.parametrize("first", [3.0, -0.0, float("nan"), float("-inf")])
def test_few_floats_in_descending_order(torch, call, first):
    """Negated, and in ascending order; equal elements keep their order, and NaN is above all."""
    x = torch.tensor([[first, 1.0, 0.0, 7.0], [2.0, float("inf"), -1.0, 5.0], [0.25, -3.0, 0.5, 4.0]])
    result = eval(call, {"x": x})
    values = result if isinstance(result, torch.Tensor) else result.values
    assert SEEN.setdefault((call, str(first)), str(values.tolist())) == str(values.tolist())


SEEN: dict = {}
SCALES = [1.0, 30.0, 300.0]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_logsumexp_and_variances_of_small_tensors(torch, scale, dim, keepdim):
    x = torch.tensor([[0.5, -1.0, 0.25], [1.5, 0.75, -2.0]]) * scale
    rows = (x.double() if dim else x.double().t()).tolist()
    expected = []
    for row in rows:
        most, mean = max(row), sum(row) / len(row)
        squares = sum((each - mean) ** 2 for each in row)
        expected.append(
            (most + math.log(sum(math.exp(each - most) for each in row)), squares / (len(row) - 1), squares / len(row))
        )
    result = x.logsumexp(dim, keepdim), x.var(dim, keepdim=keepdim), x.var(dim, correction=0, keepdim=keepdim)
    for place, each in enumerate(result):
        count = 2 if dim else 3
        assert tuple(each.shape) == (((count, 1) if dim else (1, count)) if keepdim else (count,))
        wanted = torch.tensor([values[place] for values in expected])
        torch.testing.assert_close(each.reshape(-1), wanted, rtol=1e-6, atol=1e-6)


def test_variances_of_all_of_small_tensors(torch):
    x = torch.tensor([[1.0, 2.0], [4.0, 9.0]])
    assert x.var().item() == pytest.approx(38 / 3)
    assert x.var(None, correction=0, keepdim=True).tolist() == [[9.5]]
    variance, mean = torch.var_mean(x, 0, keepdim=True)
    assert (variance.tolist(), mean.tolist()) == ([[4.5, 24.5]], [[2.5, 5.5]])


SETTLED = {
    "interpolate": (
        "declarations.interpolate.checks.check_resample",
        "F.interpolate(x, scale_factor=2, mode='bilinear')",
    ),
    "group_norm": (
        "declarations.checks.layer_norm.check_one_dtype",
        "F.group_norm(x, 2, x[0, :, 0, 0], x[0, :, 0, 0])",
    ),
    "causal_attention": (
        "arrays.attention.normalized",
        "F.scaled_dot_product_attention(x, x, x, is_causal=True)",
    ),
    "a_list_of_positions": ("arrays.index_items._numbers", "x[[0, 0], [1, 2]]"),
}


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize("name", SETTLED)
def test_what_fits_is_not_asked_again(torch, name, monkeypatch):
    place, call = SETTLED[name]
    space = {"F": torch.nn.functional, "x": torch.arange(36.0).reshape(1, 4, 3, 3) / 36}
    first = eval(call, space)
    monkeypatch.setattr(f"rushlight.{place}", lambda *given: pytest.fail("asked again"))
    assert eval(call, space).equal(first)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_causal_attention_of_few_and_of_numbers_that_could_overflow(torch, scale):
    x = (torch.arange(24.0).reshape(1, 2, 3, 4) / 24 - 0.5) * scale
    mask = torch.ones(3, 3).tril() == 1
    seen = torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    torch.testing.assert_close(seen, torch.nn.functional.scaled_dot_product_attention(x, x, x, mask))
    assert seen[0, 0, 0].tolist() == pytest.approx(x[0, 0, 0].tolist())


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_the_axes_that_dimensions_name_are_found_once(torch, monkeypatch):
    x = torch.arange(24.0).reshape(2, 3, 4)
    first = x.sum((0, -1)), x.mean([-2, 0])
    monkeypatch.setattr("rushlight.declarations.shapes.wrap_dim", lambda *given: pytest.fail("found again"))
    assert x.sum((0, -1)).equal(first[0])
    assert x.mean([-2, 0]).equal(first[1])


def test_dimensions_that_are_equal_to_others_are_distinguished(torch):
    x = torch.arange(6.0).reshape(2, 3)
    assert x.sum((0, 1)) == 15.0
    with pytest.raises(TypeError):
        x.sum((False, True))
    with pytest.raises(RuntimeError, match="dim 1 appears multiple times in the list of dims"):
        x.sum((1, -1))
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.sum((0, 2))
