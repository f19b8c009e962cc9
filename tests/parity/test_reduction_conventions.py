"""Conventions of reductions, scans, sorts and norms: ties, NaN, nothing, no dimensions; and what is refused.

What was recorded from PyTorch 2.13 holds on its own; where PyTorch is installed, the same stories run under it.
"""

import math

import numpy as np
import pytest

inf, nan = math.inf, math.nan


def same(found, expected):
    """Compares a tensor with recorded numbers: in value, NaN included, and in shape."""
    found = found.detach().numpy()
    expected = np.asarray(expected, found.dtype)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def gradient(torch, function, values):
    """The gradient of the sum of what a function makes of a vector."""
    x = torch.tensor(values, requires_grad=True)
    (result,) = torch.autograd.grad(function(x).sum(), x)
    return result


def refusal(error, words, call):
    """Calls, and checks what is raised: its type, and how its text begins."""
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(words)


# ---- who gets the gradient

SHARED = [
    ("max", lambda t, x: x.max(), [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    ("min", lambda t, x: x.min(), [1.0, 3.0, 1.0], [0.5, 0.0, 0.5]),
    ("max with NaN", lambda t, x: x.max(), [1.0, 3.0, nan], [0.0, 0.0, 1.0]),
    ("amax", lambda t, x: x.amax(), [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    ("amax with NaN", lambda t, x: x.amax(0), [1.0, nan], [nan, nan]),
    ("aminmax", lambda t, x: x.aminmax()[1], [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    ("median", lambda t, x: x.median(), [1.0, 3.0, 3.0, 3.0], [0.0, 1 / 3, 1 / 3, 1 / 3]),
    ("median with NaN", lambda t, x: x.median(), [1.0, 3.0, nan], [0.0, 0.0, 1.0]),
    ("nanmedian", lambda t, x: x.nanmedian(), [1.0, 3.0, 3.0, nan], [0.0, 0.5, 0.5, 0.0]),
    ("max along", lambda t, x: x.max(0)[0], [1.0, 3.0, 3.0], [0.0, 1.0, 0.0]),
    ("min along", lambda t, x: x.min(0)[0], [1.0, 3.0, 1.0], [1.0, 0.0, 0.0]),
    ("median along", lambda t, x: x.median(0)[0], [1.0, 3.0, 3.0, 3.0], [0.0, 1.0, 0.0, 0.0]),
    ("mode", lambda t, x: x.mode(0)[0], [1.0, 3.0, 3.0, 3.0], [0.0, 0.0, 0.0, 1.0]),
    ("cummax", lambda t, x: x.cummax(0)[0], [1.0, 3.0, 3.0, 3.0, 2.0], [1.0, 1.0, 1.0, 2.0, 0.0]),
    ("nansum", lambda t, x: x.nansum(), [nan, 2.0], [0.0, 1.0]),
    ("nanmean", lambda t, x: t.nanmean(x), [nan, 2.0, 4.0], [0.0, 0.5, 0.5]),
    ("prod with a zero", lambda t, x: x.prod(), [1.0, 0.0, 3.0], [0.0, 3.0, 0.0]),
    ("prod with two zeros", lambda t, x: x.prod(0), [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    ("cumprod with zeros", lambda t, x: x.cumprod(0), [2.0, 0.0, 3.0, 0.0, 5.0], [1.0, 8.0, 0.0, 0.0, 0.0]),
    ("logsumexp of nothing", lambda t, x: x.logsumexp(0), [-inf, -inf], [nan, nan]),
    ("logsumexp with inf", lambda t, x: x.logsumexp(0), [inf, 1.0], [nan, 0.0]),
    ("logcumsumexp", lambda t, x: x.logcumsumexp(0), [-inf, 3.0, 3.0, 2.0], [nan, 1.922319, 0.922319, 0.155362]),
    ("var of one", lambda t, x: t.var(x, correction=0), [1.0], [0.0]),
    ("var of too few", lambda t, x: t.var(x, correction=2), [1.0, 2.0], [inf, inf]),
    ("var of too few along", lambda t, x: t.var(x, 0, correction=2), [1.0, 2.0], [-inf, inf]),
    ("var of far too few along", lambda t, x: t.var(x, 0, correction=3), [1.0, 2.0], [1.0, -1.0]),
    ("std of equals", lambda t, x: x.std(), [1.0, 1.0], [0.0, 0.0]),
    ("norm of zeros", lambda t, x: x.norm(), [0.0, 0.0], [0.0, 0.0]),
    ("1-norm of zeros", lambda t, x: x.norm(1), [0.0, 0.0], [0.0, 0.0]),
    ("3-norm of zeros", lambda t, x: x.norm(3), [0.0, 0.0], [0.0, 0.0]),
    ("inf-norm", lambda t, x: x.norm(inf), [1.0, -2.0, 2.0], [0.0, -0.5, 0.5]),
    ("inf-norm of zeros", lambda t, x: x.norm(inf), [0.0, 0.0], [0.0, 0.0]),
    ("-inf-norm", lambda t, x: x.norm(-inf), [1.0, -2.0, 1.0], [0.5, 0.0, 0.5]),
    ("half-norm", lambda t, x: x.norm(0.5), [1.0, -2.0, 0.0], [2.414214, -1.707107, 0.0]),
    ("1.5-norm", lambda t, x: x.norm(1.5), [1.0, -2.0, 0.0], [0.639234, -0.904013, 0.0]),
    ("-1-norm", lambda t, x: x.norm(-1), [1.0, -2.0], [0.444444, -0.111111]),
    ("dist of equals", lambda t, x: t.dist(x, x.detach()), [1.0, 2.0], [0.0, 0.0]),
    ("cdist of equals", lambda t, x: t.cdist(x[None], x.detach()[None]), [1.0, 2.0], [0.0, 0.0]),
    ("softmax of nothing", lambda t, x: x.softmax(0), [-inf, -inf], [nan, nan]),
    ("cosine of zeros", lambda t, x: t.cosine_similarity(x, t.ones(2), 0), [0.0, 0.0], [7.071068e7, 7.071068e7]),
]


@pytest.mark.filterwarnings("ignore:var.*degrees of freedom:UserWarning")
@pytest.mark.parametrize("story", SHARED, ids=lambda story: story[0].replace(" ", "-"))
def test_gradients_where_they_are_a_convention(torch, story):
    _, function, values, expected = story
    same(gradient(torch, lambda x: function(torch, x), values), expected)


def test_a_norm_of_order_zero_has_no_gradient(torch):
    x = torch.tensor([1.0, 0.0], requires_grad=True)
    assert torch.autograd.grad(x.norm(0), x, allow_unused=True) == (None,)


def test_second_derivatives_of_products_with_zeros(torch):
    x = torch.tensor([2.0, 0.0, 3.0, 0.0], requires_grad=True)
    (first,) = torch.autograd.grad(x.prod(), x, create_graph=True)
    (second,) = torch.autograd.grad(first[1], x)
    same(second, [0.0, 0.0, 0.0, 6.0])


def test_second_derivatives_of_running_products_with_zeros(torch):
    x = torch.tensor([2.0, 0.0, 3.0, 0.0], requires_grad=True)
    (first,) = torch.autograd.grad(x.cumprod(0).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad((first * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum(), x)
    same(second, [8.0, 34.0, 4.0, 12.0])


# ---- which of several, and where NaN goes

SELECTED = [
    ("max", lambda x: x.max(0), [1.0, 3.0, 3.0, 2.0], 3.0, 1),
    ("max with NaN", lambda x: x.max(0), [1.0, nan, 3.0, nan], nan, 1),
    ("min", lambda x: x.min(0), [1.0, 3.0, 1.0], 1.0, 0),
    ("median", lambda x: x.median(0), [2.0, 1.0, 2.0, 1.0, 1.0, 2.0], 1.0, 4),
    ("median with NaN", lambda x: x.median(0), [3.0, nan, 1.0, nan, 2.0], nan, 1),
    ("nanmedian", lambda x: x.nanmedian(0), [3.0, nan, 1.0, nan, 2.0], 2.0, 4),
    ("nanmedian of NaN", lambda x: x.nanmedian(0), [nan, nan], nan, 0),
    ("mode", lambda x: x.mode(0), [2.0, 1.0, 2.0, 1.0, 3.0], 1.0, 3),
    ("kthvalue beside NaN", lambda x: x.kthvalue(3, 0), [3.0, nan, 1.0, 2.0], 3.0, 0),
    ("sort", lambda x: x.sort(), [3.0, nan, 1.0, nan, 1.0], [1.0, 1.0, 3.0, nan, nan], [2, 4, 0, 1, 3]),
    ("descending", lambda x: x.sort(descending=True), [1.0, nan, 3.0, 1.0], [nan, 3.0, 1.0, 1.0], [1, 2, 0, 3]),
    ("topk", lambda x: x.topk(2), [1.0, 2.0, nan, 3.0], [nan, 3.0], [2, 3]),
    ("smallest", lambda x: x.topk(2, largest=False), [1.0, 2.0, nan, 3.0], [1.0, 2.0], [0, 1]),
    ("cummax", lambda x: x.cummax(0), [1.0, 3.0, 3.0, nan, 5.0, nan], [1, 3, 3, nan, nan, nan], [0, 1, 2, 3, 3, 5]),
    ("cummin", lambda x: x.cummin(0), [1.0, 1.0, 3.0, 0.0, 0.0], [1, 1, 1, 0, 0], [0, 1, 1, 3, 4]),
]


@pytest.mark.parametrize("story", SELECTED, ids=lambda story: story[0].replace(" ", "-"))
def test_which_element_is_chosen(torch, story):
    _, function, values, expected, indices = story
    result = function(torch.tensor(values))
    same(result.values, expected)
    same(result.indices, indices)
    assert result.indices.dtype is torch.int64


def test_positions_of_extremes(torch):
    assert torch.tensor([1.0, nan, nan]).argmax().item() == 1
    assert torch.tensor([1.0, 3.0, 3.0]).argmax().item() == 1
    assert torch.tensor([[1.0, 1.0], [0.0, 2.0]]).argmin().item() == 2
    same(torch.tensor([[1.0, 2.0], [4.0, 3.0]]).argmax(keepdim=True), [[2]])
    same(torch.tensor([[1.0, 2.0], [4.0, 3.0]]).argmax(1, True), [[1], [0]])


def test_equal_elements_keep_their_order_when_sorted(torch):
    keys = torch.tensor([2, 1, 2, 1, 2, 1])
    same(keys.argsort(stable=True), [1, 3, 5, 0, 2, 4])
    same(keys.argsort(descending=True, stable=True), [0, 2, 4, 1, 3, 5])


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "int64", "int16"])
@pytest.mark.parametrize("shape, dim", [((2000,), 0), ((20, 100), 1), ((100, 20), 0), ((8, 70, 4), 1), ((70, 30), 1)])
def test_sorting_many(torch, shape, dim, kind):
    rng = np.random.default_rng(0)
    values = rng.integers(-40, 40, shape).astype(kind)
    if kind == "float32":
        flat = values.reshape(-1)
        flat[::17], flat[1::31], flat[2::13] = inf, -inf, -0.0
    if kind == "int64":
        values[0] *= 1 << 40
    x = torch.from_numpy(values)
    for descending in (False, True):
        sorted_values, positions = x.sort(stable=True, dim=dim, descending=descending)
        expected = np.argsort(-values if descending else values, dim, kind="stable")
        np.testing.assert_array_equal(positions.numpy(), expected)
        np.testing.assert_array_equal(sorted_values.numpy(), np.take_along_axis(values, expected, dim))
        for count in (1, 7, 40, 60):
            best, at = x.topk(min(count, shape[dim]), dim, largest=descending)
            np.testing.assert_array_equal(best.numpy(), sorted_values.narrow(dim, 0, min(count, shape[dim])).numpy())
            np.testing.assert_array_equal(x.gather(dim, at).numpy(), best.numpy())


@pytest.mark.parametrize("sign", [1, -1])
def test_nan_is_the_largest_of_many(torch, sign):
    values = torch.arange(1500.0).flip(0)
    values[[3, 700]] = math.copysign(nan, sign)
    values[5] = inf
    assert values.argsort(stable=True)[-3:].tolist() == [5, 3, 700]
    assert values.argsort(descending=True, stable=True)[:3].tolist() == [3, 700, 5]
    best, positions = values.topk(3)
    assert best.isnan().tolist() == [True, True, False] and set(positions[:2].tolist()) == {3, 700}
    assert values.topk(2, largest=False).indices.tolist() == [1499, 1498]


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "bfloat16", "int64", "uint8"])
@pytest.mark.parametrize("shape", [(5000,), (1, 40_000), (40_000, 1)], ids=str)
def test_the_best_of_a_long_line(torch, kind, shape):
    drawn = np.random.default_rng(0).integers(0, 200, shape)
    ordered = np.sort(drawn.reshape(-1)).reshape(shape)
    dim = shape.index(max(shape))
    for values in (drawn, ordered, np.full(shape, 7), ordered.reshape(-1)[::-1].reshape(shape)):
        x = torch.from_numpy(values.copy()).to(getattr(torch, kind))
        if x.is_floating_point():
            x.view(-1)[[3, 70, 4000]] = torch.tensor([nan, inf, -inf], dtype=x.dtype)
        for largest in (True, False):
            for count in (1, 30, 90, 900):
                best, positions = x.topk(count, dim, largest=largest)
                expected = x.sort(dim, descending=largest)[0].narrow(dim, 0, count)
                assert best.dtype == x.dtype and positions.dtype == torch.int64
                assert torch.equal(best.nan_to_num(999), expected.nan_to_num(999))
                assert torch.equal(x.gather(dim, positions).nan_to_num(999), expected.nan_to_num(999))
                assert len(set(positions.reshape(-1).tolist())) == count


def test_the_best_of_a_line_of_many_nans(torch):
    x = torch.arange(6000.0)
    x[::3] = nan
    assert x.topk(40)[0].isnan().all()
    assert x.topk(3, largest=False)[0].tolist() == [1, 2, 4]
    assert torch.full((6000,), nan).topk(9, largest=False)[0].isnan().all()


@pytest.mark.parametrize("size", [0, 1, 50, 3000])
@pytest.mark.parametrize("kind", ["float32", "int64", "uint8", "bool"])
def test_different_elements_of_few_and_many(torch, size, kind):
    values = np.random.default_rng(0).integers(0, 60, size).astype(kind)
    x = torch.from_numpy(values).reshape(-1, 1)
    expected, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(x.unique().numpy(), expected)
    result = x.unique(return_inverse=True, return_counts=True)
    for each, wanted in zip(result, (expected, inverse.reshape(-1, 1), counts), strict=True):
        np.testing.assert_array_equal(each.numpy(), wanted)


def test_nan_is_equal_to_nothing(torch):
    x = torch.tensor([2.0, nan, 1.0, nan, 2.0])
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    same(values, [1.0, 2.0, nan, nan])
    same(inverse, [1, 2, 0, 3, 1])
    same(counts, [1, 2, 1, 1])
    assert torch.isin(x, x).tolist() == [True, False, True, False, True]


def test_nan_in_sums_means_and_quantiles(torch):
    x = torch.tensor([nan, 1.0, 2.0])
    assert math.isnan(x.sum()) and math.isnan(x.mean()) and math.isnan(x.amax()) and math.isnan(x.quantile(0.5))
    same(x.nansum(), 3.0)
    same(torch.nanmean(x), 1.5)
    same(x.nanquantile(0.5), 1.5)
    same(torch.tensor([nan, nan]).nansum(), 0.0)


def test_infinities_in_exponentials(torch):
    same(torch.tensor([-inf, -inf]).logsumexp(0), -inf)
    same(torch.tensor([inf, -inf]).logsumexp(0), inf)
    same(torch.tensor([-inf, 0.0]).softmax(0), [0.0, 1.0])
    same(torch.tensor([-inf, -inf]).log_softmax(0), [nan, nan])
    same(torch.tensor([1e4, 0.0]).softmax(0), [1.0, 0.0])
    same(torch.tensor([-inf, -inf, 1.0, inf, 2.0]).logcumsumexp(0), [-inf, -inf, 1.0, inf, inf])


# ---- nothing

EMPTY = [
    ("sum", lambda t, x: x.sum(), 0.0),
    ("sum along", lambda t, x: x.sum(0), [0.0, 0.0, 0.0]),
    ("mean", lambda t, x: x.mean(), nan),
    ("mean along", lambda t, x: x.mean(0), [nan, nan, nan]),
    ("prod", lambda t, x: x.prod(), 1.0),
    ("all", lambda t, x: x.all(), True),
    ("any", lambda t, x: x.any(), False),
    ("logsumexp", lambda t, x: x.logsumexp(0), [-inf, -inf, -inf]),
    ("median", lambda t, x: x.median(), nan),
    ("norm", lambda t, x: x.norm(), 0.0),
    ("histc", lambda t, x: t.histc(x, 3), [0.0, 0.0, 0.0]),
    ("trapezoid", lambda t, x: t.trapezoid(x, dim=0), [0.0, 0.0, 0.0]),
    ("softmax", lambda t, x: x.softmax(0), np.zeros((0, 3))),
    ("cumsum", lambda t, x: x.cumsum(0), np.zeros((0, 3))),
    ("argmax along what is there", lambda t, x: x.argmax(1), np.zeros(0)),
    ("unique", lambda t, x: t.unique(x), np.zeros(0)),
    ("unique along", lambda t, x: t.unique(x, dim=0), np.zeros((0, 3))),
]


@pytest.mark.parametrize("story", EMPTY, ids=lambda story: story[0].replace(" ", "-"))
def test_what_is_made_of_nothing(torch, story):
    _, function, expected = story
    same(function(torch, torch.zeros(0, 3)), expected)


TO_BE_SPECIFIED = (
    "Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
)
NO_EXTREMES = [
    (RuntimeError, f"max(): {TO_BE_SPECIFIED}", lambda x: x.max()),
    (RuntimeError, f"min(): {TO_BE_SPECIFIED}", lambda x: x.min()),
    (RuntimeError, f"amax(): {TO_BE_SPECIFIED}", lambda x: x.amax()),
    (IndexError, "argmax(): Expected reduction dim to be specified for input.numel() == 0.", lambda x: x.argmax()),
    (IndexError, "max(): Expected reduction dim 0 to have non-zero size.", lambda x: x.max(0)),
    (IndexError, "amin(): Expected reduction dim 0 to have non-zero size.", lambda x: x.amin(0)),
    (IndexError, "argmin(): Expected reduction dim 0 to have non-zero size.", lambda x: x.argmin(0)),
    (IndexError, "median(): Expected reduction dim 0 to have non-zero size.", lambda x: x.median(0)),
    (IndexError, "mode(): Expected reduction dim 0 to have non-zero size.", lambda x: x.mode(0)),
    (IndexError, "kthvalue(): Expected reduction dim 0 to have non-zero size.", lambda x: x.kthvalue(1, 0)),
    (RuntimeError, "aminmax(): cannot compute aminmax over an empty dimension", lambda x: x.aminmax()),
    (RuntimeError, "linalg.vector_norm cannot compute the inf norm on an empty tensor", lambda x: x.norm(inf)),
    (RuntimeError, "quantile() input tensor must be non-empty", lambda x: x.quantile(0.5)),
]


@pytest.mark.parametrize("story", NO_EXTREMES, ids=lambda story: story[1].replace(" ", "-")[:40])
def test_there_is_no_largest_of_nothing(torch, story):
    error, words, function = story
    refusal(error, words, lambda: function(torch.zeros(0, 3)))


# ---- no dimensions

SCALARS = [
    ("sum", lambda t, x: x.sum(0)),
    ("amax", lambda t, x: x.amax(-1)),
    ("mean", lambda t, x: x.mean(())),
    ("prod", lambda t, x: x.prod(0)),
    ("max", lambda t, x: x.max(0).values),
    ("median", lambda t, x: x.median(0).values),
    ("mode", lambda t, x: x.mode().values),
    ("kthvalue", lambda t, x: x.kthvalue(1).values),
    ("sort", lambda t, x: x.sort().values),
    ("topk", lambda t, x: x.topk(1).values),
    ("msort", lambda t, x: x.msort()),
    ("cumsum", lambda t, x: x.cumsum(0)),
    ("cumprod", lambda t, x: x.cumprod(-1)),
    ("cummin", lambda t, x: x.cummin(0).values),
    ("logsumexp", lambda t, x: x.logsumexp(0)),
    ("logcumsumexp", lambda t, x: x.logcumsumexp(0)),
    ("norm", lambda t, x: x.norm()),
    ("quantile", lambda t, x: x.quantile(0.3)),
]


@pytest.mark.parametrize("story", SCALARS, ids=lambda story: story[0])
def test_a_number_is_its_own_reduction(torch, story):
    _, function = story
    x = torch.tensor(2.5, requires_grad=True)
    out = function(torch, x)
    same(out, 2.5)
    same(torch.autograd.grad(out, x)[0], 1.0)


def test_a_number_has_dimension_zero_and_no_other(torch):
    refusal(
        IndexError,
        "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
        lambda: torch.tensor(2.5).sum(1),
    )
    refusal(
        IndexError,
        "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
        lambda: torch.tensor(2.5).max(1),
    )
    assert torch.tensor(2.5).max(0).indices.shape == ()


# ---- dimensions


def test_no_dimension_is_every_dimension_but_for_all_and_any(torch):
    x = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    same(x.sum(()), 6.0)
    same(x.sum([]), 6.0)
    same(x.amax(()), 3.0)
    same(x.mean([]), 1.5)
    same(x.sum(None, True), [[6.0]])
    assert x.all(dim=()).tolist() == [[False, True], [True, True]]
    assert x.any(dim=[]).tolist() == [[False, True], [True, True]]


def test_a_dimension_may_be_named_once(torch):
    x = torch.ones(2, 3)
    for call in (x.sum, x.mean, x.amax, x.var):
        refusal(RuntimeError, "dim 1 appears multiple times in the list of dims", lambda call=call: call((1, -1)))
    refusal(
        IndexError,
        "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        lambda: x.mean((0, 2)),
    )


def test_the_three_overloads_of_max(torch):
    x = torch.tensor([[1.0, 5.0], [4.0, 2.0]])
    same(torch.max(x), 5.0)
    same(torch.max(x, 0)[0], [4.0, 5.0])
    same(torch.max(x, dim=1, keepdim=True)[1], [[1], [0]])
    same(torch.max(x, torch.tensor([3.0, 3.0])), [[3.0, 5.0], [4.0, 3.0]])
    same(torch.min(x, other=torch.tensor([3.0, 3.0])), [[1.0, 3.0], [3.0, 2.0]])
    same(x.min(1).values, [1.0, 2.0])


def test_several_results_print_with_their_names(torch):
    text = "torch.return_types.{}(\n{}=tensor([4., 5.]),\n{}=tensor([1, 0]))"
    x = torch.tensor([[1.0, 5.0], [4.0, 2.0]])
    assert repr(x.max(0)) == text.format("max", "values", "indices")
    assert repr(torch.tensor([[4.0, 5.0]]).aminmax(dim=0)) == (
        "torch.return_types.aminmax(\nmin=tensor([4., 5.]),\nmax=tensor([4., 5.]))"
    )
    values, indices = x.max(0)
    assert x.max(0)[0].tolist() == values.tolist() and len(x.max(0)) == 2


def test_results_go_where_out_says(torch):
    x = torch.tensor([[1.0, 5.0], [4.0, 2.0]])
    values, indices = torch.empty(2), torch.empty(2, dtype=torch.int64)
    result = torch.max(x, 0, out=(values, indices))
    assert result[0] is values and result[1] is indices
    same(values, [4.0, 5.0])
    same(indices, [1, 0])


# ---- dtypes


def test_integers_are_added_up_in_int64(torch):
    for kind in (torch.bool, torch.uint8, torch.int32, torch.int64):
        x = torch.tensor([1, 1, 0]).to(kind)
        for result in (x.sum(), x.nansum(), x.prod(), x.cumsum(0), x.cumprod(0)):
            assert result.dtype is torch.int64
    assert torch.tensor([200, 100], dtype=torch.uint8).sum().item() == 300


def test_a_dtype_asked_for_comes_first(torch):
    assert torch.tensor([1.5, 1.5]).sum(dtype=torch.int64).item() == 2
    assert torch.tensor([3, 1, 3]).mean(dtype=torch.float32).item() == pytest.approx(7 / 3)
    assert torch.tensor([1, 2]).sum(dtype=torch.int32).dtype is torch.int32
    assert torch.tensor([1, 2]).softmax(0, dtype=torch.float64).dtype is torch.float64


def test_half_precision_are_added_up_in_float32(torch):
    x = torch.ones(1000, dtype=torch.bfloat16)
    assert x.sum().item() == 1000 and x.mean().item() == 1
    assert torch.tensor([1.0, 2.0, 257.0], dtype=torch.bfloat16).sum().item() == 260


def test_a_softmax_asked_for_in_half_precision_is_computed_in_float32(torch):
    x = torch.tensor([-3.0, -1.0], dtype=torch.float16)
    for result in (x.softmax(0), x.softmax(0, torch.float16), x.float().softmax(0, torch.float16)):
        assert result.dtype is torch.float16
        assert result.tolist() == [0.11920166015625, 0.880859375]


def test_gradients_have_the_dtype_of_the_input(torch):
    for reduce in (lambda x: x.sum(dtype=torch.float64), lambda x: x.softmax(0, dtype=torch.float64).sum()):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        assert torch.autograd.grad(reduce(x), x)[0].dtype is torch.float32


def test_truth_of_bytes_is_a_byte(torch):
    assert torch.tensor([1, 2], dtype=torch.uint8).all().dtype is torch.uint8
    assert torch.tensor([1.0, 0.0]).any().dtype is torch.bool
    assert torch.tensor([1.0, nan]).all().item() is True


NO_MEAN = "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
NO_NANMEAN = "nanmean(): expected input to have floating point or complex dtype but got Long"
NO_NORM = "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"
REFUSED_DTYPES = [
    (RuntimeError, NO_MEAN + "Long", lambda t, x: x.mean()),
    (RuntimeError, NO_MEAN + "Bool", lambda t, x: (x > 1).mean()),
    (RuntimeError, "std and var only support floating point and complex dtypes", lambda t, x: x.std()),
    (RuntimeError, NO_NANMEAN, lambda t, x: t.nanmean(x)),
    (RuntimeError, NO_NORM, lambda t, x: x.norm()),
    (RuntimeError, "quantile() input tensor must be either float or double dtype", lambda t, x: x.quantile(0.5)),
    (NotImplementedError, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'", lambda t, x: x.softmax(0)),
    (NotImplementedError, "\"cumsum_out_cpu\" not implemented for 'Bool'", lambda t, x: x.cumsum(0, dtype=t.bool)),
    (NotImplementedError, "\"cumprod_out_cpu\" not implemented for 'Bool'", lambda t, x: x.cumprod(0, dtype=t.bool)),
    (NotImplementedError, "\"histogram_cpu\" not implemented for 'Long'", lambda t, x: t.histc(x)),
    (NotImplementedError, "\"bincount_cpu\" not implemented for 'Float'", lambda t, x: t.bincount(x.float())),
    *(
        (
            NotImplementedError,
            f"\"ctc_loss_cpu\" not implemented for '{name}'",
            lambda t, x, kind=kind: t.ctc_loss(t.zeros(2, 1, 3, dtype=getattr(t, kind)), x[1:2][None], (2,), (1,)),
        )
        for kind, name in (("float16", "Half"), ("complex64", "ComplexFloat"), ("int64", "Long"))
    ),
    (RuntimeError, "argmax(): does not support bool input", lambda t, x: (x > 1).argmax()),
    (RuntimeError, "argmax(): does not support complex input", lambda t, x: (x * 1j).argmax()),
    (NotImplementedError, "\"max_all\" not implemented for 'ComplexFloat'", lambda t, x: (x * 1j).max()),
    (RuntimeError, " Sort does not support complex dtypes on CPU", lambda t, x: (x * 1j).sort()),
    (RuntimeError, "topk does not support bool dtypes on CPU", lambda t, x: (x > 1).topk(1)),
    (RuntimeError, "nansum on CPU does not support complex inputs", lambda t, x: (x * 1j).nansum()),
]


@pytest.mark.parametrize("story", REFUSED_DTYPES, ids=lambda story: story[1].replace(" ", "-")[:40])
def test_dtypes_that_are_refused(torch, story):
    error, words, function = story
    refusal(error, words, lambda: function(torch, torch.tensor([3, 1, 2])))


# ---- other refusals

REFUSED = [
    (RuntimeError, "selected index k out of range", lambda t, x: x.topk(4)),
    (RuntimeError, "kthvalue(): selected number k out of range for dimension 0", lambda t, x: x.kthvalue(0)),
    (RuntimeError, "trace: expected a matrix, but got tensor with dim 1", lambda t, x: x.trace()),
    (RuntimeError, "quantile() q must be in the range [0, 1] but got 1.5", lambda t, x: x.quantile(1.5)),
    (RuntimeError, "order must be non-negative but got -1", lambda t, x: x.diff(-1)),
    (RuntimeError, "bincount only supports 1-d non-negative integral inputs.", lambda t, x: t.bincount(-x.long())),
    (RuntimeError, "torch.histc: max must be larger than min", lambda t, x: t.histc(x, 3, 5, 1)),
    (RuntimeError, "renorm: input needs at least 2 dimensions, got 1 dimensions", lambda t, x: x.renorm(2, 0, 1.0)),
    (RuntimeError, "cdist only supports at least 2D tensors, X1 got: 1D", lambda t, x: t.cdist(x, x)),
    (RuntimeError, "trapezoid: There must be one `x` value for each sample point", lambda t, x: t.trapezoid(x, x[:2])),
    (RuntimeError, "torch.gradient expected each dimension size to be at least", lambda t, x: t.gradient(x[:1])),
    (RuntimeError, "size {[2]} is not expandable to size {[3]}.", lambda t, x: x.sum_to_size(2)),
    (TypeError, "max(): argument 'input' (position 1) must be Tensor, not float", lambda t, x: t.max(1.0)),
    (TypeError, "softmax(): argument 'dim' (position 2) must be int, not tuple", lambda t, x: t.softmax(x, (0,))),
    (TypeError, "prod()", lambda t, x: x.prod((0,))),
    *(
        (IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 5)", story)
        for story in (
            lambda t, x: x.amax((0, 5)),
            lambda t, x: x.logsumexp((0, 5)),
            lambda t, x: x.var((5,)),
            lambda t, x: x.norm(dim=(0, 5)),
            lambda t, x: x.any((0, 5)),
            lambda t, x: x.squeeze((5,)),
            lambda t, x: x.nansum((5,)),
        )
    ),
    (IndexError, "amax(): Expected reduction dim 0 to have non-zero size.", lambda t, x: x[:0].amax((0,))),
    (IndexError, "median(): Expected reduction dim 0 to have non-zero size.", lambda t, x: t.nanmedian(x[:0], 0)),
    (
        RuntimeError,
        "linalg.vector_norm: the dtype of the input (Double) should be convertible without narrowing to the specified "
        "dtype (Float)",
        lambda t, x: x.double().norm(dtype=t.float32),
    ),
]


@pytest.mark.parametrize("story", REFUSED, ids=lambda story: story[1].replace(" ", "-")[:40])
def test_arguments_that_are_refused(torch, story):
    error, words, function = story
    refusal(error, words, lambda: function(torch, torch.tensor([3.0, 1.0, 2.0])))


def test_too_few_degrees_of_freedom_warn(torch):
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        same(torch.tensor([1.0]).std(), nan)
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        same(torch.var(torch.tensor([1.0, 2.0]), correction=5), inf)
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        same(torch.cov(torch.tensor(1.0)), nan)


# ---- sums of many


def test_long_columns_are_added_up_without_losing_digits(torch):
    column = np.full((200_000, 2), 0.1, np.float32)
    expected = np.full(2, np.float64(np.float32(0.1)) * len(column))
    np.testing.assert_allclose(torch.from_numpy(column).sum(0).numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(torch.from_numpy(column).mean(0).numpy(), 0.1, rtol=1e-6)
    np.testing.assert_allclose(torch.from_numpy(column.reshape(100, 2000, 2)).sum((0, 1)).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("dims", [None, 0, -1, (0, 1), (1, 2), (0, 2), 1], ids=str)
@pytest.mark.parametrize(
    "shape", [(3, 4, 5), (2, 3, 1024), (1025, 2, 3), (16, 2, 600), (2, 0, 3), (33, 31, 32)], ids=str
)
def test_sums_over_any_dimensions(torch, shape, dims):
    values = np.random.default_rng(0).normal(size=shape)
    for dtype, close in (("float32", 1e-4), ("float64", 1e-11)):
        array = values.astype(dtype)
        for x, expected in ((array, values), (array.swapaxes(0, 2), values.swapaxes(0, 2))):
            result = torch.from_numpy(x).sum(() if dims is None else dims, keepdim=True).numpy()
            assert result.dtype == dtype
            np.testing.assert_allclose(result, expected.sum(dims, keepdims=True), rtol=0, atol=close)


def test_an_infinity_stays_in_its_row_and_column(torch):
    x = torch.ones(40, 50)
    x[3, 7], x[20, 9] = inf, nan
    assert x.sum(0).isfinite().logical_not().nonzero().flatten().tolist() == [7, 9]
    assert x.sum(1).isfinite().logical_not().nonzero().flatten().tolist() == [3, 20]


@pytest.mark.parametrize("shape", [(31, 1000), (1000, 31), (31_000,), (5, 6, 1000)], ids=str)
def test_no_digit_of_a_sum_depends_on_the_number_of_threads(torch, shape):
    x = torch.from_numpy(np.random.default_rng(0).normal(size=shape).astype("f"))
    threads, result = torch.get_num_threads(), []
    try:
        for count in (1, 3):
            torch.set_num_threads(count)
            result.append([x.sum(), *(x.sum(dim) for dim in range(x.dim()))])
    finally:
        torch.set_num_threads(threads)
    assert all(one.equal(other) for one, other in zip(*result, strict=True))


def test_marks_are_counted(torch):
    marks = torch.arange(5000) % 3 == 0
    assert marks.sum().equal(torch.tensor(1667))
    assert marks.reshape(50, 100).sum(keepdim=True, dim=(0, 1)).equal(torch.tensor([[1667]]))
    assert marks.sum(dtype=torch.float32).equal(torch.tensor(1667.0))


def test_running_products_have_gradients_over_long_lines(torch):
    tall = torch.full((300, 2), 1.001, dtype=torch.float64, requires_grad=True)
    wide = torch.full((2, 300), 1.001, dtype=torch.float64, requires_grad=True)
    (tall_gradient,) = torch.autograd.grad(tall.cumprod(0).sum(), tall)
    (wide_gradient,) = torch.autograd.grad(wide.cumprod(1).sum(), wide)
    same(tall_gradient, wide_gradient.t().detach().numpy())
    same(tall_gradient[0], [349.656479] * 2)


@pytest.mark.parametrize("slope", [inf, -inf, nan, 2.0])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2)])
def test_the_gradient_of_a_trace_is_zero_beside_the_diagonal(torch, shape, slope):
    x = torch.ones(*shape, requires_grad=True)
    x.trace().backward(torch.tensor(slope))
    beside = 1 - torch.eye(*shape)
    assert (x.grad[beside.bool()] == 0).all()
    assert repr(x.grad.diagonal().tolist()) == repr([slope] * min(shape))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", ["int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(100_001,), (300, 101), (101, 3)], ids=str)
def test_running_sums_of_integers(torch, kind, shape, threads):
    values = np.random.default_rng(0).integers(0, 2 if kind == "bool" else 200, shape)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for dim in range(len(shape)):
            result = torch.from_numpy(values).to(getattr(torch, kind)).cumsum(dim)
            assert result.dtype == torch.int64
            np.testing.assert_array_equal(result.numpy(), values.cumsum(dim))
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, 3.0, inf])
@pytest.mark.parametrize("width", [3, 100])
def test_distances_of_long_rows(torch, order, width):
    rows = np.random.default_rng(0).standard_normal((50, width))
    result = torch.cdist(torch.from_numpy(rows[7:]), torch.from_numpy(rows[:7]), p=order)
    sizes = np.abs(rows[7:, None] - rows[None, :7])
    expected = (
        sizes.max(-1) if order == inf else (sizes != 0).sum(-1) if order == 0 else (sizes**order).sum(-1) ** (1 / order)
    )
    same(result, expected)


@pytest.mark.parametrize("order", [1.0, inf])
@pytest.mark.parametrize("rows", [2, 200])
def test_derivatives_of_distances_where_coordinates_tie(torch, order, rows):
    """Each of the coordinates that are the largest has the whole gradient, unlike in a norm."""
    random = np.random.default_rng(0)
    first, second = random.integers(-2, 3, (rows, 5)).astype(float), random.integers(-2, 3, (9, 5)).astype(float)
    g, pulls = random.integers(-3, 4, (rows, 9)).astype(float), random.integers(-3, 4, rows * (rows - 1) // 2)
    x, y, z = (torch.from_numpy(each).requires_grad_() for each in (first, second, first.copy()))
    torch.cdist(x, y, p=order).backward(torch.from_numpy(g))
    torch.pdist(z, p=order).backward(torch.from_numpy(pulls).double())
    for points, others, weights, result in (
        (first, second, g, x.grad), (second, first, g.T, y.grad), (first, first, square(pulls, rows), z.grad),
    ):  # fmt: skip
        apart = points[:, None] - others[None]
        reached = np.abs(apart) == np.abs(apart).max(-1, keepdims=True)
        derivatives = np.sign(apart) if order == 1 else np.sign(apart) * reached
        same(result, (weights[..., None] * derivatives).sum(1))


def square(above, size: int):
    """A symmetric matrix, of what is above its diagonal."""
    result = np.zeros((size, size))
    result[np.triu_indices(size, 1)] = above
    return result + result.T


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_distances_without_numbers(torch, rows):
    result = torch.pdist(torch.empty(rows, 3, device="meta"))
    assert (tuple(result.shape), result.device.type) == ((rows * (rows - 1) // 2,), "meta")


@pytest.mark.parametrize("size", [30, 30_000])
@pytest.mark.parametrize(("bins", "low", "high"), [(60, -3.0, 3.0), (41, -1.0, 1.5)])
def test_histograms_of_numbers_at_edges(torch, size, bins, low, high):
    """The edges are those of `linspace`, to the last digit, and a number at one of them belongs to the bin above."""
    values = np.round(np.random.default_rng(0).standard_normal(size), 1).astype("f")
    result = torch.histogram(torch.from_numpy(values), bins, range=(low, high))
    edges = torch.linspace(low, high, bins + 1).numpy()
    assert result.bin_edges.tolist() == edges.tolist()
    inside = values[(values >= edges[0]) & (values <= edges[-1])]
    place = np.minimum(np.searchsorted(edges, inside, "right") - 1, bins - 1)
    assert result.hist.tolist() == np.bincount(place, minlength=bins).tolist()


@pytest.mark.parametrize(("rows", "classes", "most"), [(3, 5, 0), (7, 4, 4), (30, 60, 5), (13, 300, 300)])
def test_margins_of_several_labels(torch, rows, classes, most):
    """Lists of labels of any length, and so many that the gaps of all rows are not held together."""
    random = np.random.default_rng(0)
    scores, labels = random.standard_normal((rows, classes)), random.integers(0, classes, (rows, classes))
    labels[:, most:], labels[::3, most // 2 :] = -1, -1
    losses, derivatives = np.zeros(rows), np.zeros((rows, classes))
    for row, (line, listed) in enumerate(zip(scores, labels, strict=True)):
        own = listed[: np.argmax(np.append(listed, -1) < 0)]
        others = np.setdiff1d(np.arange(classes), own)
        for label in own:
            gaps = 1 - line[label] + line[others]
            losses[row] += gaps[gaps > 0].sum() / classes
            derivatives[row, others[gaps > 0]] += 1 / classes
            derivatives[row, label] -= (gaps > 0).sum() / classes
    x = torch.from_numpy(scores).requires_grad_()
    result = torch.nn.functional.multilabel_margin_loss(x, torch.from_numpy(labels), reduction="none")
    result.sum().backward()
    same(result, losses)
    same(x.grad, derivatives)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize(("kind", "name"), [("int64", "torch.LongTensor"), ("bool", "CPUBoolType")])
def test_bags_of_integers_are_refused(torch, mode, kind, name):
    table, rows = torch.ones(4, 3).to(getattr(torch, kind)), torch.tensor([[0, 1], [2, 3]])
    with pytest.raises(RuntimeError) as caught:
        torch.nn.functional.embedding_bag(rows, table, mode=mode)
    assert str(caught.value).splitlines()[0] == (
        "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, "
        f"Double; but got {name} instead (while checking arguments for embedding_bag)"
    )


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("count", [0, 3, 2000])
def test_what_is_among_others(torch, count, invert):
    elements, others = [[0.0, 1.5], [nan, 7.0]], [*range(count), nan]
    for kind in (torch.float32, torch.float64):
        result = torch.isin(torch.tensor(elements), torch.tensor(others, dtype=kind), invert=invert)
        assert result.tolist() == [[(each in range(count)) != invert for each in row] for row in elements]
    one = torch.isin(torch.tensor(1), torch.arange(count), invert=invert)
    assert one.shape == () and one.item() is ((count > 1) != invert)


@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 3.0]])
def test_points_without_dimensions_are_not_counted(torch, weight):
    weight = None if weight is None else torch.tensor(weight)
    result = torch.histogramdd(torch.empty(3, 0), [], weight=weight)
    assert result.hist.item() == 0.0 and len(result.bin_edges) == 0
    assert torch.histogramdd(torch.empty(3, 0), [], weight=weight, density=True).hist.isnan().item()
