"""Stage 5: every PTX kernel on the GPU against the CPU's kernel, to 2 units in the last place, and bandwidths.

With `--fake` the kernels run on the host, so that this program is known to work; it says nothing of a GPU.
"""

from __future__ import annotations

import warnings

import ml_dtypes
import numpy as np

from rushlight.lower.elementwise import Kernels
from rushlight.lower.nvptx.calls import GpuKernels, kernels_of
from rushlight.lower.nvptx.row_calls import rows_of
from rushlight.testing.kernel_samples import DTYPES, ELEMENTWISE, FLOAT32, samples

UNITS = 2
FORMULAS_BY_LIBRARY = {"lgamma": 64}  # units: near its zeros the terms cancel
LARGE = 64 << 20
FAST = 0.8  # of the bandwidth of a copy


def run(stage, options) -> None:
    warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's, from the declarations on extreme numbers
    gpu = a_gpu(options)
    chosen = [(op, dtype) for op in ELEMENTWISE for dtype in DTYPES]
    for op, dtype in stage.each(chosen[:: 40 if options.quick else 1]):
        for sample in samples(op, dtype):
            with stage.checking(f"{sample.name} {dtype}"):
                compare(gpu, sample, 1000 if options.quick else 1_000_000, FORMULAS_BY_LIBRARY.get(op.name, UNITS))
    for dtype in DTYPES:
        with stage.checking(f"softmax {dtype}"):
            softmax(gpu, dtype)
    if not options.fake:
        for name in ("add", "gelu", "sin"):
            with stage.checking(f"bandwidth of {name}"):
                bandwidth(stage, gpu, name, options.copy_bytes_per_second)


def a_gpu(options):
    if options.fake:
        from rushlight.lower.nvptx.lockstep import HostGpu

        return HostGpu()
    import cupy

    from rushlight.lower.nvptx.cuda import CudaGpu

    return CudaGpu(cupy)


def back(array) -> np.ndarray:
    """Returns an array in the CPU's memory."""
    return array if isinstance(array, np.ndarray) else array.get()


def compare(gpu, sample, count: int, units: int) -> None:
    """Raises AssertionError where the kernels differ, on the sample's points and on random bits."""
    generator = np.random.default_rng(0)
    values = {name: spread(x, count, generator) if isinstance(x, np.ndarray) and x.ndim else x
              for name, x in sample.values.items()}  # fmt: skip
    if sample.built_in:
        values = {name: x.item() if isinstance(x, np.ndarray) and not x.ndim and x.dtype == sample.dtype else x
                  for name, x in values.items()}  # fmt: skip
    there = {name: gpu.from_host(x) if isinstance(x, np.ndarray) else x for name, x in values.items()}
    try:
        expected = Kernels(sample.name, sample.formula, sample.built_in).run(values, sample.dtype, sample.rounded)
    except NotImplementedError:  # a derivative that PyTorch refuses
        return
    got = GpuKernels(gpu, sample.formula, sample.built_in).run(there, sample.dtype, sample.rounded)
    assert (got is None) is (expected is None), "only one of them has a kernel"
    for one, other in zip(got or (), expected or (), strict=True):
        apart = units_apart(back(one), other)
        assert apart <= units, f"{apart} units in the last place"


def spread(array: np.ndarray, count: int, generator) -> np.ndarray:
    """Returns the points of an array and others: random bits, and numbers near 1."""
    flat = array.reshape(-1)
    if flat.dtype == bool:
        return np.resize(flat, count)
    rest = max(count - flat.size, 0)
    words = generator.integers(0, 256, rest // 2 * flat.itemsize, np.uint8).view(flat.dtype)
    near = generator.normal(size=rest - rest // 2).astype(flat.dtype)
    return np.concatenate([flat, words, near])[:count]


def units_apart(got: np.ndarray, expected: np.ndarray) -> float:
    """Returns the largest distance in units in the last place; infinity where only one is NaN or infinite."""
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype), (got.dtype, expected.dtype)
    if got.dtype == bool:
        return 0.0 if (got == expected).all() else float("inf")
    eps, tiny = float(ml_dtypes.finfo(got.dtype).eps), float(ml_dtypes.finfo(got.dtype).smallest_normal)
    one, other = got.astype(np.float64), expected.astype(np.float64)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(all="ignore"):
        unit = np.maximum(np.exp2(np.floor(np.log2(np.abs(other)))), tiny) * eps
        distance = np.where(same, 0, np.abs(one - other) / unit)
    return float(np.nan_to_num(distance, nan=np.inf).max(initial=0))


def softmax(gpu, dtype: np.dtype) -> None:
    for length in (33, 1024, 5000):
        x = np.random.default_rng(0).normal(size=(16, length)).astype(dtype)
        (got,) = rows_of(gpu, "softmax").run(length, {"x": gpu.from_host(x)}, DTYPES[dtype], (dtype,))
        wide = np.exp(x.astype(np.float64) - x.astype(np.float64).max(-1, keepdims=True))
        expected = (wide / wide.sum(-1, keepdims=True)).astype(dtype)
        assert units_apart(back(got), expected) <= 16, length


def bandwidth(stage, gpu, name: str, ceiling: float | None) -> None:
    import cupy

    from on_gpu.look import milliseconds

    x, out = cupy.ones(LARGE, cupy.float32), cupy.empty(LARGE, cupy.float32)
    values = {"input": x, "other": x, "alpha": 1} if name == "add" else {"input": x}
    values |= {"approximate": "none"} if name == "gelu" else {}
    kernels = kernels_of(gpu, name)
    assert kernels.run(values, FLOAT32, out=(out,)) is not None, "no kernel"
    taken = milliseconds(lambda: kernels.run(values, FLOAT32, out=(out,)))
    moved = x.nbytes * (3 if name == "add" else 2)
    share = None if ceiling is None else round(moved / taken * 1e3 / ceiling, 3)
    stage.time(f"{name} of 64 Mi float32", taken * 1e3, bytes=moved, of_ceiling=share)
    assert share is None or share >= FAST, f"{share} of the bandwidth of a copy"
