"""Broadcast, strided and transposed operands: values, shapes and strides are NumPy's."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.declarations.declare import OPS
from rushlight.declarations.library import load
from rushlight.kernels import broadcasting
from rushlight.lower import elementwise, llvm
from rushlight.lower.ufunc import shared

pytestmark = pytest.mark.skipif(not llvm.host().fit, reason="there are no kernels for this machine")

SHAPES = {
    "a row": ((70, 130), (130,)),
    "a column": ((70, 130), (70, 1)),
    "a row and a column": ((1, 130), (70, 1)),
    "channels": ((3, 5, 9, 64), (1, 5, 1, 1)),
    "pairs": ((40, 1, 96), (30, 96)),
    "pairs of rows that do not fill vectors": ((40, 1, 37), (30, 37)),
    "columns of long rows": ((90, 601), (90, 1)),
    "long rows": ((3, 40_000), (3, 1)),
    "short rows, one operand repeated": ((700, 9), (9,)),
    "few short rows": ((130, 35), (35,)),
    "short rows of images": ((7, 9, 11, 13), (13,)),
    "short rows with different scalars": ((90, 100), (90, 1)),
    "short rows of channels": ((9, 10, 75), (10, 1)),
    "short rows of an outer dimension": ((9, 10, 75), (9, 1, 75)),
    "whole vectors": ((90, 64), (90, 1)),
    "very narrow rows": ((2000, 3), (3,)),
    "pairs of points": ((70, 1, 3), (90, 3)),
    "scalars and pairs of two": ((90, 70, 2), (90, 70, 1)),
    "short rows with many reads of one element": ((9, 130, 17), (9, 1, 17)),
    "narrow columns": ((700, 9), (700, 1)),
    "few elements, which NumPy processes": ((3, 4), (4,)),
    "a scalar": ((70, 130), ()),
    "one element": ((70, 130), (1, 1)),
    "empty": ((70, 0), (1,)),
}


def laid_out(array, how):
    """Returns the same values in another layout."""
    if how == "with gaps":
        return np.repeat(np.repeat(array, 2, -1), 2, 0)[::2, ..., ::2] if array.ndim > 1 else array
    if how == "transposed":
        return np.asfortranarray(array)
    if how == "backwards":
        return np.ascontiguousarray(array[..., ::-1])[..., ::-1] if array.ndim else array
    return array


@pytest.fixture(scope="module")
def ufuncs():
    made = {}
    for name in ("add", "maximum"):
        kernel = elementwise.Kernels(name, elementwise.function_of(name)).of_arrays(("a", "b"))
        made[name] = shared(getattr(np, name), kernel)
    return made


@pytest.mark.parametrize("how", ["contiguous", "with gaps", "transposed", "backwards"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize(("first", "second"), SHAPES.values(), ids=list(SHAPES))
@pytest.mark.parametrize("name", ["add", "maximum"])
def test_results_are_numpys(ufuncs, name, first, second, dtype, how):
    random = np.random.default_rng(0)
    one, other = (random.integers(-9, 9, shape).astype(dtype) for shape in (first, second))
    if dtype is not np.int64 and one.size:
        one.flat[::7] = np.nan
    for a, b in ((laid_out(one, how), other), (other, laid_out(one, how)), (laid_out(one, how), laid_out(one, how))):
        expected = getattr(np, name)(a, b)
        for result in (ufuncs[name](a, b), ufuncs[name](a, b, out=...)):
            assert (result.dtype, result.shape, result.strides) == (expected.dtype, expected.shape, expected.strides)
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("shapes", [((40, 1, 37), (30, 37)), ((30, 37), (30, 1)), ((40, 1, 1), (30, 64))], ids=str)
def test_rare_values_are_handled_in_every_row(shapes, threads):
    fmod = elementwise.Kernels("fmod", elementwise.result_of(OPS["fmod"])).of_arrays(("input", "other"))
    random = np.random.default_rng(0)
    one, other = (random.uniform(1, 9, shape).astype(np.float32) for shape in shapes)
    one.flat[::11] *= 1e30
    other.flat[::13] = 0
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(fmod(one, other), np.fmod(one, other))


def test_mismatched_shapes_raise_numpys_error(ufuncs):
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(70,130\) \(70,\)"):
        ufuncs["add"](np.ones((70, 130), np.float32), np.ones(70, np.float32))


def test_other_dtypes_byte_orders_and_subclasses_use_numpy(ufuncs):
    class Array(np.ndarray):
        """A user's subclass."""

    one, row = np.ones((70, 130), np.float32), np.arange(130, dtype=np.float32)
    assert ufuncs["add"](one, row.astype(np.float64)).dtype == np.float64
    np.testing.assert_array_equal(ufuncs["add"](one.astype(">f4"), row), one + row)
    assert type(ufuncs["add"](one.view(Array), row)) is Array


def test_results_are_written_to_out(ufuncs):
    one, row = np.ones((70, 130), np.float32), np.arange(130, dtype=np.float32)
    out = np.empty_like(one)
    assert ufuncs["add"](one, row, out=out) is out
    np.testing.assert_array_equal(out, one + row)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize(("first", "second"), SHAPES.values(), ids=list(SHAPES))
def test_results_overwrite_an_operand(ufuncs, first, second, dtype, threads):
    random = np.random.default_rng(0)
    one, other = (random.integers(-9, 9, shape).astype(dtype) for shape in (first, second))
    whole = np.zeros(np.broadcast_shapes(first, second), dtype)
    expected = one + other
    assert ufuncs["add"](one, other, out=whole) is whole
    np.testing.assert_array_equal(whole, expected)
    for operand in (one, other):
        left, right = (whole, operand) if operand is other else (operand, whole)
        expected = left + right
        assert ufuncs["add"](left, right, out=whole) is whole
        np.testing.assert_array_equal(whole, expected)


@pytest.mark.parametrize("apart", [1, 37, 64, 5000])
@pytest.mark.parametrize("length", [3, 37, 64])
def test_results_overwrite_other_elements_of_an_operand(ufuncs, length, apart):
    memory, row = np.arange(20_000, dtype=np.float32), np.arange(length, dtype=np.float32)
    size = 10_000 // length * length
    operand, out = (memory[at : at + size].reshape(-1, length) for at in (apart, 0))
    expected = operand + row
    assert ufuncs["add"](operand, row, out=out) is out
    np.testing.assert_array_equal(out, expected)
    expected = row + memory[::-1][: 2 * size : 2].reshape(-1, length)
    ufuncs["add"](row, memory[::-1][: 2 * size : 2].reshape(-1, length), out=out)
    np.testing.assert_array_equal(out, expected)


def test_invalid_outputs_raise_numpys_error(ufuncs):
    one, row = np.ones((70, 130), np.float32), np.ones(130, np.float32)
    one.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ufuncs["add"](one, row, out=one)
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        ufuncs["add"](one, row, out=np.empty((70, 1), np.float32))
    transposed = np.empty((130, 70), np.float32).T
    assert ufuncs["add"](one, row, out=transposed) is transposed
    np.testing.assert_array_equal(transposed, one + row)
    np.testing.assert_array_equal(ufuncs["add"](one, row, out=transposed, where=np.ones(130, bool)), one + row)


def test_numpys_own_ufuncs_are_unchanged():
    assert broadcasting.call.address() != broadcasting.original()
    made = np.frompyfunc(lambda a, b: a, 2, 1)
    assert made(np.ones((70, 130)), np.ones(130)).shape == (70, 130)


# ---- operands of different layouts: results have PyTorch's strides

CUBE = (48, 40, 36)  # large enough for operands to be copied
ORDERS = {
    "first in order": ((0, 1, 2), (2, 1, 0), (1440, 36, 1)),
    "second in order": ((2, 1, 0), (0, 1, 2), (1, 48, 1920)),
    "neither": ((1, 2, 0), (2, 0, 1), (1, 1728, 48)),
    "both alike": ((1, 2, 0), (1, 2, 0), (1, 1728, 48)),
}


def permuted(shape, order, gap=1):
    """Returns integers with the dimensions in the given memory order."""
    sizes = [shape[dim] for dim in order]
    numbers = np.arange(gap * np.prod(shape), dtype=np.float32).reshape(*sizes[:-1], gap * sizes[-1])
    return numbers[..., ::gap].transpose(np.argsort(order))


@pytest.mark.parametrize("gap", [1, 2])
@pytest.mark.parametrize(("first", "second", "steps"), ORDERS.values(), ids=list(ORDERS))
def test_results_have_pytorchs_strides(ufuncs, first, second, steps, gap, threads):
    one, other = permuted(CUBE, first, gap), permuted(CUBE, second)
    result = ufuncs["add"](one, other)
    assert result.strides == tuple(4 * step for step in steps)
    np.testing.assert_array_equal(result, one.copy() + other.copy())


def test_rows_are_added_to_a_transposed_matrix(ufuncs):
    one, row = permuted((190, 201), (1, 0)), np.arange(201, dtype=np.float32)
    result = ufuncs["add"](one, row)
    assert result.strides == one.strides
    np.testing.assert_array_equal(result, one.copy() + row)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_out_keeps_its_strides(ufuncs, order):
    out, other = permuted((190, 201), order), permuted((190, 201), order[::-1])
    expected, steps = out.copy() + other.copy(), out.strides
    assert ufuncs["add"](out, other, out=out) is out
    assert out.strides == steps
    np.testing.assert_array_equal(out, expected)


def test_out_may_be_the_transpose_of_an_operand(ufuncs):
    out = permuted((190, 190), (0, 1))
    expected = out + out.T.copy()
    ufuncs["add"](out, out.T, out=out)
    np.testing.assert_array_equal(out, expected)


def test_errors_and_rare_arguments_of_large_operands_are_numpys(ufuncs):
    one, other = permuted((190, 201), (0, 1)), permuted((190, 201), (1, 0))
    with pytest.raises(ValueError, match="could not be broadcast together"):
        ufuncs["add"](other, one[1:])
    with pytest.raises(ValueError, match="broadcast"):
        ufuncs["add"](one, other, out=np.empty((190, 1), np.float32))
    np.testing.assert_array_equal(ufuncs["add"](one, other, dtype=np.float64), one.astype(np.float64) + other)
    np.testing.assert_array_equal(ufuncs["add"](one[::-1], other), one[::-1].copy() + other.copy())


def test_several_results_have_equal_strides():
    x = permuted((190, 201), (0, 1)) / 100
    load("trigonometry")
    op = OPS["atan2"]
    formula = elementwise.Kernels("pair", elementwise.derivatives_of(op, ("input", "other")))
    kernel, _ = formula.prepared({"g": x, "input": x, "other": x}, x.dtype)
    operands = {"g": x, "input": permuted((190, 201), (1, 0)) + 1, "other": x + 2}
    for result, expected in zip(
        kernel(operands), kernel({name: x.copy() for name, x in operands.items()}), strict=True
    ):
        assert result.strides == x.strides
        np.testing.assert_array_equal(result, expected)
