"""Non-temporal stores give the same results, at any begin and end."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.declarations.declare import OPS
from rushlight.lower import elementwise, inner_loop, ir, llvm, nontemporal, row_formulas, row_nest
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, POSITION
from rushlight.nn import functional

pytestmark = pytest.mark.skipif(not llvm.host().fit, reason="there are no kernels for this machine")

SIZES = [1 << 15, 100_003, (1 << 17) + 8]


def aligned(size, shift=0, dtype=np.float32):
    """Returns an array that begins a given number of elements after a cache line."""
    room = np.zeros(size + 64, dtype)
    return room[-room.ctypes.data % 64 // room.itemsize + shift :][:size]


def kernel(type="float"):
    """Returns a kernel of two results: product and sum of two operands."""
    return elementwise.Kernels("both", lambda args: [args["a"] * args["b"], args["a"] + args["b"]])._kernel(
        dict.fromkeys("ab"), ["array", "array"], (type,)
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=str)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.usefixtures("threads")
def test_elementwise_results(size, dtype, monkeypatch):
    monkeypatch.setattr(nontemporal, "LARGEST_KEPT", 1 << 14)
    run = kernel({np.float32: "float", np.float64: "double"}[dtype]).ufunc
    a, b = np.random.default_rng(0).standard_normal((2, size)).astype(dtype)
    for shifts in ((0, 0), (0, 4), (4, 4), (1, 0)):
        outs = [aligned(size, shift, dtype) for shift in shifts]
        run(a, b, *outs)
        np.testing.assert_array_equal(outs, (a * b, a + b))
    spread = np.zeros((2, size), dtype).T[:, :1]
    run(a[:, None], b[:, None], spread, aligned(size, 0, dtype)[:, None])
    np.testing.assert_array_equal(spread[:, 0], a * b)


def test_a_result_that_overwrites_an_operand(monkeypatch):
    monkeypatch.setattr(nontemporal, "LARGEST_KEPT", 1 << 14)
    a, b = aligned(SIZES[1]), aligned(SIZES[1])
    a[:], b[:] = np.random.default_rng(0).standard_normal((2, SIZES[1]))
    expected = a * b, a + b
    kernel().ufunc(a, b, a, b)
    np.testing.assert_array_equal((a, b), expected)


def test_a_broadcast_scalar(monkeypatch):
    monkeypatch.setattr(nontemporal, "LARGEST_KEPT", 1 << 14)
    assert functional.leaky_relu  # loads the lazy module that declares it
    kernels = elementwise.Kernels("leaky_relu", elementwise.result_of(OPS["leaky_relu"]))
    x = np.random.default_rng(0).standard_normal(SIZES[1]).astype(np.float32)
    (result,) = kernels.run({"input": x, "negative_slope": 0.25}, x.dtype)
    np.testing.assert_array_equal(result, np.where(x > 0, x, x * np.float32(0.25)))


@pytest.mark.skipif("+avx" not in llvm.host().features, reason="vectors are too short to fill lines")
def test_kernels_have_nontemporal_stores():
    made = ir.Trace()
    x = made.operand(0, "float")
    text = inner_loop.module([x], [x + x], set())
    assert "!nontemporal" in str(llvm.host().optimised(text, llvm.FORMULA))


@pytest.mark.parametrize("type", ["float", "double"])
def test_every_operand_is_prefetched(type):
    made = ir.Trace()
    x, y, factor = (made.operand(number, type) for number in range(3))
    text = inner_loop.module([x, y, factor], [x * y * factor], {factor})
    body = str(llvm.host().optimised(text, llvm.FORMULA)).partition("next:")[2]
    read = [line for line in body.splitlines() if "load <" in line]
    size = {"float": 4, "double": 8}[type]
    lines = {int(line.partition("load <")[2].partition(" x")[0]) * size // nontemporal.LINE or 1 for line in read}
    assert len(read) == 2
    assert [body.count("call void @llvm.prefetch")] == [2 * line for line in lines]


@pytest.mark.parametrize(("cpu", "ahead"), [("znver4", nontemporal.NEXT), ("znver5", nontemporal.SOON)])
def test_prefetch_distance_where_the_processor_reads_ahead(cpu, ahead, monkeypatch):
    monkeypatch.setattr(llvm.host(), "cpu", cpu)
    x = ir.Trace().operand(0, "float")
    text = inner_loop.module([x], [x + x], set())
    assert f"%soon0.0 = getelementptr i8, ptr %x0.at, i64 {ahead}\n" in text
    assert nontemporal.ahead(1 << 14) == (nontemporal.NEXT if ahead == nontemporal.NEXT else 1 << 14)


@pytest.mark.skipif("+avx" not in llvm.host().features, reason="vectors are too short to fill lines")
def test_rows_that_are_read_again_stay_in_the_cache():
    made = ir.Trace()
    x = made.operand(0, "float")
    text = row_nest.module(row_nest.Nest({x: ELEMENT}, row_formulas.softmax(x)))
    stores = [line for line in str(llvm.host().optimised(text, llvm.FORMULA)).splitlines() if "store <" in line]
    past = ["!nontemporal" in line for line in stores]
    assert any(past)
    assert not all(past)


@pytest.mark.parametrize("shape", [(64, 1024), (100, 1040), (33, 1000)], ids=str)
@pytest.mark.usefixtures("threads")
def test_rows(shape, monkeypatch):
    kinds = {"x": ELEMENT, "eps": NUMBER, "count": NUMBER, "weight": POSITION, "bias": POSITION}
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    values = {"x": x, "eps": 1e-5, "count": shape[1], "weight": x[0], "bias": x[1]}
    results = []
    for largest in (1 << 40, 1 << 10):
        monkeypatch.setattr(nontemporal, "LARGEST_KEPT", largest)
        kernels = row_formulas.RowKernels("layer_normalized", row_formulas.layer_normalized, kinds)
        results.append(kernels.run(shape[1], values, x.dtype))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)
