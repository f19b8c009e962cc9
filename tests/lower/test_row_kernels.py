"""Loop nests over rows against their formulas, computed by NumPy in float64."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight as torch
from rushlight.arrays import normalization
from rushlight.arrays import reduce as reductions
from rushlight.core.policy import TURNED
from rushlight.lower import elementary as m
from rushlight.lower import ir, row_formulas, row_nest
from rushlight.lower.ir import reduce
from rushlight.lower.row_formulas import RowKernels
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, POSITION, ROW

SHAPES = [(1, 1), (3, 5), (19, 10), (37, 24), (9, 32), (16, 47), (7, 64), (130, 131), (5, 4000), (2, 70_001),
          (2, row_formulas.LONGEST + 3)]  # fmt: skip
PRECISIONS = {np.dtype(np.float32): 3e-6, np.dtype(np.float64): 1e-13}


def random(*shape):
    return np.random.default_rng(len(shape)).normal(0, 3, shape)


@pytest.mark.parametrize("dtype", PRECISIONS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_the_softmax_family(name, shape, dtype):
    array = random(*shape).astype(dtype)
    kernels = RowKernels(name, getattr(row_formulas, name), {"x": ELEMENT})
    (result,) = kernels.run(shape[-1], {"x": array}, dtype)
    rest = ((1,), False) if name == "logsumexp" else (-1,)
    expected = getattr(reductions, name)(array.astype(np.float64), *rest)
    assert (result.shape, result.dtype) == (expected.shape, dtype)
    np.testing.assert_allclose(result, expected, rtol=PRECISIONS[dtype], atol=PRECISIONS[dtype])


CUTS = {"turned": np.transpose, "cut": lambda array: array[:, 3:41]}
CUTS |= {
    "every second": lambda array: array[:, ::2],
    "repeated": lambda array: np.broadcast_to(array[:, :1], (len(array), 60)),
}


CHOOSING = {
    "max": lambda x: x.max(1).values, "min": lambda x: x.min(1).values, "median": lambda x: x.median(1).values,
    "mode": lambda x: x.mode(1).values, "kthvalue": lambda x: x.kthvalue(2, 1).values, "amax": lambda x: x.amax(1),
    "norm": lambda x: x.norm(dim=1), "logsumexp": lambda x: x.logsumexp(1), "prod": lambda x: x.prod(1),
    "var": lambda x: x.var(1), "mean": lambda x: x.mean(1), "softmax": lambda x: x.softmax(1),
}  # fmt: skip


@pytest.mark.parametrize("name", CHOOSING)
def test_gradients_of_many_rows_equal_those_of_single_rows(name):
    """The gradient of a reduced dimension does not have that dimension."""
    x, function = torch.randn(TURNED + 7, 5, requires_grad=True), CHOOSING[name]
    weight = torch.randn(function(x).shape)
    (result,) = torch.autograd.grad(function(x), x, weight)
    for first in range(0, len(x), len(x) // 7):
        part = x.detach()[first : first + 90].requires_grad_()
        (expected,) = torch.autograd.grad(function(part), part, weight[first : first + 90])
        torch.testing.assert_close(result[first : first + 90], expected)


@pytest.mark.parametrize("shape", [(1, TURNED + 7), (1, TURNED // 16, 17)], ids=str)
@pytest.mark.parametrize("name", ["logsumexp", "norm", "prod", "var", "softmax"])
def test_gradients_of_a_reduced_negative_dimension(name, shape):
    """Negative dims count from the end of the unreduced shape."""
    x, result = torch.randn(shape, requires_grad=True), []
    call = torch.linalg.vector_norm if name == "norm" else getattr(torch, name)
    for dim in (-len(shape), 0):
        y = call(x, correction=0, dim=dim) if name == "var" else call(x, dim=dim)
        (grad,) = torch.autograd.grad(y, x, torch.cos(torch.arange(y.numel())).reshape(y.shape))
        result.append(grad)
    assert torch.equal(*result)


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("large", [1, 40])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_non_contiguous_rows_are_processed_by_their_kernel(name, cut, large):
    """They are copied first; results equal those of the copy."""
    array = cut(random(50 * large, 60).astype(np.float32))
    rest = ((1,), True) if name == "logsumexp" else (-1,)
    function = row_formulas.FUNCTIONS[name](left_to_numpy)
    result = function(array, *rest)
    assert result.flags.c_contiguous
    np.testing.assert_array_equal(result, function(np.ascontiguousarray(array), *rest))


def left_to_numpy(array, *rest):
    raise AssertionError("no kernel for this")


@pytest.mark.parametrize("length", [9, 40, 64])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_special_values_stay_in_their_row(name, length):
    array = np.zeros((5, length))
    array[1, 7], array[2, 7], array[3], array[4, 0] = np.nan, np.inf, -np.inf, -np.inf
    kernels = RowKernels(name, getattr(row_formulas, name), {"x": ELEMENT})
    (result,) = kernels.run(length, {"x": array}, array.dtype)
    with np.errstate(all="ignore"):
        expected = getattr(reductions, name)(array, *(((1,), False) if name == "logsumexp" else (-1,)))
    np.testing.assert_allclose(result, expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", PRECISIONS, ids=str)
@pytest.mark.parametrize("affine", [(), ("weight",), ("bias",), ("weight", "bias")], ids=str)
@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
def test_layer_norm(shape, affine, dtype):
    array = (random(*shape) + 5).astype(dtype)
    vectors = {name: random(shape[-1]).astype(dtype) for name in affine}
    kinds = {"x": ELEMENT, "eps": NUMBER, "count": NUMBER, "weight": POSITION, "bias": POSITION}
    values = {"x": array, "eps": 1e-3, "count": shape[-1], **vectors}
    result = RowKernels("layer_normalized", row_formulas.layer_normalized, kinds).run(shape[-1], values, dtype)
    wide = {name: vectors[name].astype(np.float64) if name in vectors else None for name in ("weight", "bias")}
    expected = normalization.layer_normalized(array.astype(np.float64), wide["weight"], wide["bias"], 1e-3)
    for mine, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=10 * PRECISIONS[dtype], atol=10 * PRECISIONS[dtype])


@pytest.mark.parametrize("affine", [(), ("weight",), ("bias",), ("weight", "bias")], ids=str)
def test_layer_norm_of_batches_in_any_order(affine):
    """The kernel cached by the first call takes the next one, of another length."""
    function = row_formulas.layer_norm_forward(None)
    for features in (40, 24):
        array = random(6, 5, features).astype(np.float32)
        weight, bias = (random(features).astype(np.float32) if name in affine else None for name in ("weight", "bias"))
        for x in (array, array.swapaxes(0, 1), array[:, ::2]):
            result = function(x, weight, bias, 1e-3)
            expected = normalization.layer_normalized(x.astype(np.float64), weight, bias, 1e-3)
            assert result[0].flags.c_contiguous
            for mine, other in zip(result, expected, strict=True):
                np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("length", [7, 100])
def test_all_kinds_of_operands_and_nested_reductions(length):
    """Three passes over a row; expensive values are kept, cheap ones recomputed."""

    def formula(x, row, place, number):
        grown = m.exp(x * place)
        share = grown / reduce("sum", grown)
        highest = reduce("max", share + row)
        return [share * highest + number, reduce("sum", share * share), highest]

    x, row, place = random(9, length), random(9), random(length)
    kinds = {"x": ELEMENT, "row": ROW, "place": POSITION, "number": NUMBER}
    values = {"x": x, "row": row, "place": place, "number": 2.5}
    result = RowKernels("several", formula, kinds).run(length, values, x.dtype)
    share = np.exp(x * place)
    share /= share.sum(1, keepdims=True)
    highest = (share + row[:, None]).max(1)
    expected = [share * highest[:, None] + 2.5, (share * share).sum(1), highest]
    for mine, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=lambda dtype: dtype.__name__)
def test_short_rows_of_half_precision_are_rounded_once(dtype):
    array = random(21, 11).astype(dtype)
    result = RowKernels("softmax", row_formulas.softmax, {"x": ELEMENT}).elements(11, array)
    expected = reductions.softmax(array.astype(np.float64), -1)
    assert result.dtype == dtype
    difference = np.abs(result.astype(np.float64) - expected)
    assert (difference <= np.abs(expected) * float(ml_dtypes.finfo(dtype).eps) * 0.51 + 1e-7).all()


@pytest.mark.parametrize("dtype", PRECISIONS, ids=str)
@pytest.mark.parametrize("length", [3, 10, 31])
def test_short_rows_do_not_depend_on_their_number(length, dtype):
    array = random(40, length).astype(dtype)
    kernels = RowKernels("log_softmax", row_formulas.log_softmax, {"x": ELEMENT})
    (whole,) = kernels.run(length, {"x": array}, dtype)
    for begin, end in ((0, 1), (3, 12), (17, 40)):
        (result,) = kernels.run(length, {"x": array[begin:end].copy()}, dtype)
        np.testing.assert_array_equal(result, whole[begin:end])


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "layer_normalized"])
def test_rows_of_any_length_have_kernels(name, monkeypatch):
    """Kept values are on the stack, so for long rows nothing is kept."""
    monkeypatch.setattr(row_formulas, "LONGEST", 100)
    function = row_formulas.FUNCTIONS[name](None)  # there is no fallback
    rest = {"softmax": (-1,), "log_softmax": (-1,), "logsumexp": ((1,), False), "layer_normalized": (None, None, 1e-5)}
    array = random(3, 150).astype(np.float32)
    expected = getattr(normalization if name == "layer_normalized" else reductions, name)(
        array.astype(float), *rest[name]
    )
    result = function(array, *rest[name])
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(one, np.squeeze(other), rtol=1e-5, atol=1e-6)


def test_a_row_takes_one_pass_per_level_of_reductions():
    made = ir.Trace()
    x = made.operand(0, ir.F32)
    nest = row_nest.Nest({x: ELEMENT}, row_formulas.softmax(x))
    assert nest.levels == 2
    assert [value.op for value in nest.kept] == ["select"]  # the exponential, or 0


@pytest.mark.parametrize("length", [1, 15, 16, 17, 31, 63, 64, 65, 129, 1025])
def test_nothing_outside_the_rows_is_read_or_written(length):
    """Adjacent rows must not change, and their NaN must not be read."""
    room = np.full((5, length), np.nan, np.float32)
    room[1:4] = random(3, length)
    before = room.copy()
    kernels = RowKernels("softmax", row_formulas.softmax, {"x": ELEMENT})
    kernel = kernels.kernel(length, room.dtype, None, ("x",), [room.dtype])
    kernel.fill([room[1:4]], length, before[1:4])
    np.testing.assert_allclose(room[1:4], reductions.softmax(before[1:4].astype(np.float64), -1), rtol=3e-6)
    assert np.isnan(room[[0, 4]]).all()


def test_functions_of_the_c_library_leave_rows_to_numpy():
    array = random(3, 4)
    kernels = RowKernels("none", lambda x: [m.from_library("lgamma")(x) - reduce("sum", x)], {"x": ELEMENT})
    assert kernels.run(4, {"x": array}, array.dtype) is None


def test_the_next_rows_are_prefetched_where_there_is_time():
    """While a row of the only operand is processed; not with a second operand, or after the row."""

    def asks(operands, results):
        return "%asked.at" in row_nest.module(row_nest.Nest(dict.fromkeys(operands, ELEMENT), results))

    made = ir.Trace()
    x, y = made.operand(0, ir.F32), made.operand(1, ir.F32)
    assert asks([x], row_formulas.softmax(x))
    assert not asks([x, y], [y / reduce("sum", x)])
    assert not asks([x], [reduce("sum", x)])


def test_a_formula_that_cannot_be_traced_has_no_kernel():
    def formula(x):
        return [x if x else x]

    array = random(3, 4)
    assert RowKernels("none", formula, {"x": ELEMENT}).run(4, {"x": array}, array.dtype) is None


def test_sums_over_long_rows_are_as_accurate_as_numpys():
    array = np.full((1, 200_000), 0.1, np.float32)
    (result,) = RowKernels("sum", lambda x: [reduce("sum", x)], {"x": ELEMENT}).run(200_000, {"x": array}, array.dtype)
    assert result[0] == pytest.approx(float(np.float32(0.1)) * 200_000, rel=3e-7)


@pytest.mark.parametrize("name", ["one operand", "several"])
def test_rows_are_prefetched_once(name):
    """Several operands during non-temporal stores, one operand before its row."""
    several = {"g": ELEMENT, "x": ELEMENT, "mean": ROW, "scale": ROW, "count": NUMBER}
    formula, kinds = (
        (row_formulas.normalized_gradient, several) if name == "several" else (row_formulas.softmax, {"x": ELEMENT})
    )
    dtype = np.dtype(np.float32)
    operands, results = RowKernels(name, formula, kinds)._traced("float", dict.fromkeys(kinds, dtype), None)
    text = row_nest.module(row_nest.Nest(operands, results))
    loops = [part for part in text.split("br label %ended") if "!nontemporal" in part]
    assert len(loops) == 1
    asked = [part.count("call void @llvm.prefetch") for part in (loops[0], text)]
    assert (asked[0] > 0) == (name == "several")
    assert asked[1] > 0
    assert (asked[0] == asked[1]) == (name == "several")
