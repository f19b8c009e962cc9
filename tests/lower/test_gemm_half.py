"""Matrix products in half precision by machine code against those in float64."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight as torch
from rushlight.arrays import gemm_half as plain
from rushlight.kernels import gemm_half
from rushlight.kernels.gemv import dots
from rushlight.kernels.vectors import LANES
from rushlight.lower.machine_types import OF_NUMPY

BFLOAT16, FLOAT16 = gemm_half.BFLOAT16, np.dtype(np.float16)
# rows, depth, columns: whole blocks, and sizes that fill neither blocks nor pairs
SIZES = [(5, 8500, 40), (64, 64, 64), (64, 96, 32), (37, 70, 45), (5, 33, 100), (100, 513, 33), (130, 7, 64)]
tiles = pytest.mark.skipif(not gemm_half.has_tiles(), reason="the processor has no tiles")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Kernels take small arrays."""
    monkeypatch.setattr(gemm_half, "TILED", 0)
    monkeypatch.setattr(gemm_half, "LEAST", 0)
    monkeypatch.setattr(gemm_half.WARMUP, "over", True)


def draw(*shape, kind, turned=False, seed=0):
    array = np.random.default_rng(seed).standard_normal((*shape[:-2], *shape[-2:][:: -1 if turned else 1]))
    return array.astype(kind).swapaxes(-1, -2) if turned else array.astype(kind)


def check(result, one, other):
    expected = np.matmul(one.astype(np.float64), other.astype(np.float64))
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


@tiles
@pytest.mark.parametrize("other_turned", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("before", [(), (3,)])
@pytest.mark.parametrize(("rows", "depth", "columns"), SIZES)
def test_tiles(rows, depth, columns, before, turned, other_turned, threads):
    one = draw(*before, rows, depth, kind=BFLOAT16, turned=turned)
    other = draw(*before, depth, columns, kind=BFLOAT16, turned=other_turned, seed=1)
    check(gemm_half.half_product(one, other), one, other)


@tiles
def test_strided_and_identical_matrices(threads):
    whole = draw(2, 64, 201, kind=BFLOAT16)
    one, other = whole[:, :, 3:67], np.broadcast_to(draw(64, 40, kind=BFLOAT16, seed=1), (2, 64, 40))
    check(gemm_half.half_product(one, other), one, other)
    check(gemm_half.half_product(one[:, ::-1], other[:, :, ::-1]), one[:, ::-1], other[:, :, ::-1])
    check(gemm_half.half_product(one[0], whole[0, :, 1::3]), one[0], whole[0, :, 1::3])


@tiles
def test_nan_and_infinities_stay_in_their_positions():
    one, other = draw(40, 40, kind=BFLOAT16), draw(40, 40, kind=BFLOAT16, seed=1)
    one[3, 4], one[7, 1] = np.nan, np.inf
    result = gemm_half.half_product(one, other)
    assert np.isnan(result[3]).all() and np.isinf(result[7]).all() and np.isfinite(np.delete(result, [3, 7], 0)).all()


def test_a_block_in_plain_python():
    """The kernel that replaces tile instructions, on arrays."""
    one, other = draw(32, 64, kind=BFLOAT16), draw(64, 32, kind=BFLOAT16, seed=1)
    pairs = np.ascontiguousarray(other.reshape(32, 2, 32).swapaxes(1, 2)).view(np.float32).reshape(-1)
    out = np.zeros(32 * 40, np.float32)
    gemm_half.tiled(one.reshape(-1), 64, pairs, out, 40, 2)
    check(out.reshape(32, 40)[:, :32], one, other)


@pytest.mark.parametrize("kind", [BFLOAT16, FLOAT16], ids=str)
@pytest.mark.parametrize("depth", [1, LANES - 1, 2 * LANES, 5 * LANES + 3])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 70), (4, 33), (3, 16)])
def test_a_few_rows(rows, columns, depth, kind, threads):
    one, other = draw(rows, depth, kind=kind), draw(depth, columns, kind=kind, turned=True, seed=1)
    check(gemm_half.half_product(one, other), one, other)
    check(gemm_half.half_product(other.T, one[0]), other.T, one[0])
    apart = draw(depth + 3, columns, kind=kind, turned=True, seed=1)[2:-1]
    check(gemm_half.half_product(one, apart), one, apart)


def test_lines_in_plain_python():
    one, lines = draw(1, 9, kind=np.float32)[0], draw(3, 9, kind=BFLOAT16, seed=1)
    result = dots(one, lines.reshape(-1), 9, 9, 3)
    np.testing.assert_allclose(result[:3], lines.astype(np.float32) @ one, rtol=1e-5)


@pytest.mark.parametrize("kind", [BFLOAT16, FLOAT16], ids=str)
def test_products_without_a_kernel_are_left_to_numpy(kind, monkeypatch):
    monkeypatch.setattr(gemm_half, "has_tiles", lambda: False)
    one, other = draw(40, 50, kind=kind), draw(50, 60, kind=kind, seed=1)
    assert gemm_half.half_product(one, other) is None
    assert gemm_half.half_product(one[:2], other) is None  # would need transposed lines
    assert gemm_half.half_product(one.astype(np.float32), other) is None
    assert OF_NUMPY[kind].loaded.numpy == np.float32
    check(plain.half_product(one, other), one, other)


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_layers_round_once(kind):
    """A float32 sum is rounded after the bias is added."""
    kind = getattr(torch, kind)
    layer, rows = torch.nn.Linear(200, 300).to(kind), torch.randn(3, 200).to(kind)
    wide = torch.nn.functional.linear(rows.double(), layer.weight.double(), layer.bias.double())
    for x in (rows, rows.repeat(20, 1)):
        result = layer(x)
        assert result.dtype == kind
        near = (result[:3].double() - wide).abs() <= torch.finfo(kind).eps * wide.abs() * 0.51 + 1e-5
        assert near.all()
