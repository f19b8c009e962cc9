"""Kernels process gradients of sums, which are one expanded element."""

import tracemalloc

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight
from rushlight.arrays import reduce as reductions
from rushlight.autograd import accumulate
from rushlight.core.policy import LARGE
from rushlight.core.tables import raw, xp
from rushlight.declarations.declare import OPS
from rushlight.kernels import copies, reduce
from rushlight.lower import row_formulas


def left_to_numpy(*arguments):
    raise AssertionError("no kernel for this")


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_layer_norm_processes_them_by_its_kernel(affine, dtype):
    """The input's gradient is zero, up to rounding errors smaller than the weights'."""
    kind = getattr(rushlight, dtype)
    x = rushlight.randn(40, 64).to(kind).requires_grad_()
    weight, bias = (rushlight.rand(64).to(kind).requires_grad_() if affine else None for _ in range(2))
    node = rushlight.nn.functional.layer_norm(x, (64,), weight, bias)._edge
    op = OPS["native_layer_normalization"]
    backward = row_formulas.layer_norm_backward(op, *op.nodes, raw, left_to_numpy)
    g = np.broadcast_to(np.ones((), dtype), (40, 64))
    result = backward(raw, node, node.saved, g, node.edges)
    expected = backward(raw, node, node.saved, g.copy(), node.edges)
    assert result[0].flags.c_contiguous
    for mine, other in zip(result, expected, strict=True):
        np.testing.assert_array_equal(mine, other)
    if affine:
        np.testing.assert_array_equal(result[2], np.full(64, 40))


SHAPES = {
    "everything": ((), (300, 200), None),
    "rows": ((300, 1), (300, 200), 1),
    "columns": ((200,), (300, 200), 0),
    "pairs": ((300, 200, 1), (300, 200, 2), 2),
    "some of what is summed": ((300, 1, 8), (300, 20, 8), (0, 1)),
}


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", SHAPES.values(), ids=SHAPES)
def test_sums_of_expanded_arrays(case, dtype, keepdims):
    own, shape, axes = case
    array = np.broadcast_to(np.random.default_rng(0).normal(size=own).astype(dtype), shape)
    result = reduce.total(array, axes, None, keepdims)
    expected = array.astype(np.float64).sum(axes, keepdims=keepdims)
    assert (result.shape, result.dtype) == (expected.shape, np.dtype(dtype))
    # Two roundings, and those of the sums of up to 300 elements in some cases.
    np.testing.assert_allclose(result, expected, rtol=50 * np.finfo(dtype).eps, atol=20 * np.finfo(dtype).eps)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, 0.0])
def test_sums_of_expanded_special_values(value):
    array = np.broadcast_to(np.float32(value), (100, 100))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(reduce.total(array), array.astype(np.float64).sum().astype(np.float32))


def test_sums_of_expanded_half_precision_are_rounded_once():
    array = np.broadcast_to(np.float16(0.1), (100, 33))
    result = reduce.total_of_any(array, (0,), None, False)
    np.testing.assert_array_equal(result, np.full(33, np.float16(100 * float(np.float16(0.1)))))


def test_sums_of_expanded_arrays_take_no_memory():
    array = np.broadcast_to(np.float32(1), (1 << 11, 1 << 11))
    reduce.total(array)
    tracemalloc.start()
    assert reduce.total(array) == 1 << 22
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 16


LAYOUTS = {
    "in order": ((256, 256), lambda array: array),
    "turned": ((256, 256), np.transpose),
    "channels last": ((4, 64, 16, 16), lambda array: np.moveaxis(np.moveaxis(array, 1, -1).copy(), -1, 1)),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("source", ["turned", "repeated"])
def test_leaves_copy_large_gradients_by_kernels(monkeypatch, layout, source):
    """Gradients in another layout than the leaf's are copied to its layout."""
    shape, laid = layout
    leaf = laid(np.empty(shape, np.float32))
    numbers = np.random.default_rng(0).normal(size=leaf.shape[::-1]).astype(np.float32)
    g = numbers.T if source == "turned" else np.broadcast_to(np.float32(0.5), leaf.shape)
    copied = []
    monkeypatch.setattr(xp, "in_order", lambda array: copied.append(array) or copies.copied(array))
    monkeypatch.setattr(xp, "overwrite", lambda to, array: copied.append(array) or copies.overwrite(to, array))
    result = accumulate.copied_for(leaf, g)
    assert len(copied) == 1
    assert result.strides == leaf.strides
    np.testing.assert_array_equal(result, g)


def test_sums_without_kernels_agree():
    array = np.broadcast_to(np.random.default_rng(0).normal(size=(300, 1)).astype(np.float32), (300, 200))
    plain = reductions.total
    np.testing.assert_allclose(reduce.total(array, (0, 1)), plain(array, (0, 1)), rtol=1e-5)


def test_the_sign_of_a_product_beyond_the_integers_of_float32():
    assert rushlight.zeros(LARGE).exp().sum() == LARGE  # loads the kernels
    minus = rushlight.full((1,), -1.0)
    assert [minus.expand(2**24 + more).prod().item() for more in (0, 1)] == [1, -1]
