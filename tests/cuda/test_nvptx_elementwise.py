"""Every elementwise kernel of GPUs, run on the host in place of threads, against the CPU's kernel: the same bits."""

import itertools

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")


from rushlight.lower.elementwise import Kernels, function_of
from rushlight.lower.nvptx.calls import GpuKernels, kernels_of, layout_of
from rushlight.lower.nvptx.lockstep import HostGpu
from rushlight.testing.kernel_samples import DTYPES, ELEMENTWISE, FLOAT32, repeated, samples

GPU = HostGpu()
SIZES = (1, 31, 32, 33, 1023, 1024, 1025)
# Computed by the C library on the CPU, by a formula on GPUs: right to some units of the largest term.
OF_LIBRARY = {"lgamma": 2e-15}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, from the declarations on raw arrays


def assert_same_bits(got, expected, context, tolerance=0.0):
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype), context
    got, expected = (np.asarray(x, np.float64) if x.dtype.kind in "fV" else x for x in (got, expected))
    if tolerance:
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance, err_msg=str(context))
    else:
        np.testing.assert_array_equal(got, expected, err_msg=str(context))
        np.testing.assert_array_equal(*(np.signbit(x[x == 0]) for x in (got, expected)), err_msg=str(context))


def on_gpu(sample, values):
    """Returns the arguments as a GPU gets them: numbers are numbers where the formula is compiled for some of them."""
    if not sample.built_in:
        return values
    return {name: x.item() if isinstance(x, np.ndarray) and not x.ndim and x.dtype == sample.dtype else x
            for name, x in values.items()}  # fmt: skip


def resized(values, size):
    """Returns the arguments with contiguous arrays of one size."""
    return {name: np.resize(x, size) if isinstance(x, np.ndarray) and x.ndim else x
            for name, x in repeated(values).items()}  # fmt: skip


@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_every_kernel_has_the_bits_of_the_kernel_of_the_cpu(op):
    sizes = itertools.cycle(SIZES)
    for dtype in DTYPES:
        known = {}
        for sample in samples(op, dtype):
            key = sample.name, tuple(sample.values)
            if key not in known:
                arguments = sample.formula, sample.built_in
                known[key] = Kernels(sample.name, *arguments), GpuKernels(GPU, *arguments)
            cpu, gpu = known[key]
            for values in (sample.values, resized(sample.values, next(sizes))):
                try:
                    expected = cpu.run(values, sample.dtype, sample.rounded)
                except NotImplementedError:  # a derivative that PyTorch refuses
                    continue
                got = gpu.run(on_gpu(sample, values), sample.dtype, sample.rounded)
                assert (got is None) is (expected is None), (sample.name, dtype)
                for result, wanted in zip(got or (), expected or (), strict=True):
                    assert_same_bits(result, wanted, (sample.name, dtype), OF_LIBRARY.get(op.name, 0))


# ---- layouts


def layouts(size):
    """Yields arrays of one shape that lie differently in memory."""
    line = np.linspace(-3, 3, 2 * size + 8, dtype=np.float32)
    yield line[:size], "contiguous"
    yield line[1 : size + 1], "at no multiple of 16 bytes"
    yield line[: 2 * size : 2], "with gaps"
    yield line[:size][::-1], "backwards"
    yield np.broadcast_to(line[3:4], (size,)), "one element"


@pytest.mark.parametrize("size", [0, *SIZES])
def test_one_dimension_however_it_lies(size):
    kernels = kernels_of(GPU, "sub")
    for (x, how), (y, other) in itertools.product(layouts(size), repeat=2):
        (got,) = kernels.run({"input": x, "other": y, "alpha": 1}, FLOAT32)
        assert_same_bits(got, x - y, (how, other))


def test_up_to_three_dimensions_that_do_not_merge():
    kernels = kernels_of(GPU, "sub")
    x = np.random.default_rng(0).normal(size=(3, 4, 5, 6)).astype(np.float32)
    row, column = np.arange(6, dtype=np.float32), np.arange(5, dtype=np.float32)[:, None]
    turned, part = x.transpose(3, 1, 2, 0), x[0, 1:, ::-1]
    for one, two in ((x, row), (x, column), (turned, row[:3]), (part, row), (part, x[1, :1, :1]), (x[0].T, x[1].T)):
        (got,) = kernels.run({"input": one, "other": two, "alpha": 1}, FLOAT32)
        assert_same_bits(got, one - two, (one.shape, one.strides))
    gaps = np.zeros((6, 8, 10, 12), np.float32)[::2, ::2, ::2, ::2]
    assert kernels.run({"input": gaps, "other": x.copy(), "alpha": 1}, FLOAT32) is None  # four dimensions


def test_in_place_and_into_a_result_with_gaps():
    kernels = kernels_of(GPU, "mul")
    x, y = np.arange(1025, dtype=np.float32), np.full(1025, 3, np.float32)
    kernels.run({"input": x, "other": y}, FLOAT32, out=(x,))
    assert_same_bits(x, 3 * np.arange(1025, dtype=np.float32), "in place")
    room = np.zeros(2050, np.float32)
    kernels.run({"input": x, "other": y}, FLOAT32, out=(room[::2],))
    assert_same_bits(room[::2], x * y, "with gaps")
    assert not room[1::2].any()


def test_a_result_that_shares_a_part_of_an_operand_has_no_kernel():
    kernels = kernels_of(GPU, "mul")
    x = np.arange(65, dtype=np.float32)
    assert kernels.run({"input": x[:64], "other": 2.0}, FLOAT32, out=(x[1:],)) is None
    np.testing.assert_array_equal(x, np.arange(65))


def test_what_no_kernel_fits_is_left_alone():
    kernels = kernels_of(GPU, "mul")
    x = np.arange(6, dtype=np.float32)
    once = np.zeros(1, np.float32)
    for out in (np.zeros(5, np.float32), np.zeros(6), np.broadcast_to(once, (6,)), np.zeros((2, 3), np.float32)):
        assert kernels.run({"input": x, "other": 2.0}, FLOAT32, out=(out,)) is None
    assert not once.any()
    assert kernels.run({"input": x, "other": 1e39}, FLOAT32) is None
    assert kernels.run({"input": x, "other": 10**400}, FLOAT32) is None
    odd = np.zeros(25, np.uint8)[1:].view(np.float32)
    assert kernels.run({"input": odd, "other": 2.0}, FLOAT32) is None
    (got,) = kernels.run({"input": x, "other": float("inf")}, FLOAT32)
    assert np.isnan(got[0]) and got[1] == np.inf


def test_dimensions_merge_and_the_innermost_is_the_one_of_the_result():
    assert layout_of((2, 3, 4), [(48, 16, 4)] * 2, (4, 4), True).rank == 0
    assert layout_of((2, 3, 4), [(48, 16, 4)] * 2, (4, 4), False).shape == (24,)
    assert layout_of((2, 3, 4), [(4, 8, 24)] * 2, (4, 4), True).rank == 0  # columns first, both
    turned = layout_of((3, 4), [(4, 12), (16, 4)], (4, 4), True)
    assert (turned.shape, turned.strides) == ((3, 4), ((4, 12), (16, 4)))
    assert layout_of((3, 1, 4), [(0, 0, 4), (16, 16, 4)], (4, 4), True).shape == (3, 4)
    assert layout_of((1, 1), [(0, 0), (4, 4)], (4, 4), True).rank == 0


def test_several_results_of_one_kernel():
    kernels = GpuKernels(GPU, lambda x: [x["a"] * x["b"], x["a"], x["a"] + x["b"]])
    a, b = np.arange(33.0), np.full(33, 2.0)
    product, same, total = kernels.run({"a": a, "b": b}, a.dtype)
    assert same is a
    assert_same_bits(product, a * b, "product")
    assert_same_bits(total, a + b, "total")


def test_a_number_that_changes_is_a_parameter():
    kernels = GpuKernels(GPU, lambda x: [x["a"] * x["factor"]])
    a = np.arange(33, dtype=np.float32)
    for factor in (2, 0.5, -3.0, 1, 1e-3):
        assert_same_bits(kernels.run({"a": a, "factor": factor}, FLOAT32)[0], a * np.float32(factor), factor)
    assert len(kernels.known) == 1


def test_functions_of_arrays_too():
    kernels = GpuKernels(GPU, function_of("maximum"))
    a, b = np.array([1, np.nan, 3], np.float32), np.array([2, 2, np.nan], np.float32)
    assert_same_bits(kernels.run({"a": a, "b": b}, FLOAT32)[0], np.maximum(a, b), "maximum")
