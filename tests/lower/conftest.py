"""Fixtures of the kernel tests."""

import importlib
import importlib.util
import warnings

import numpy as np
import pytest

from rushlight.arrays.threads import get_num_threads, set_num_threads
from rushlight.core.tables import xp
from rushlight.dispatch import plan

if importlib.util.find_spec("llvmlite"):  # without it kernel tests are skipped
    from rushlight.core import policy
    from rushlight.kernels import extreme_calls, extremes, reduce_calls
    from rushlight.kernels import reduce as reduce_kernels
    from rushlight.lower import registry
    from rushlight.lower.machine_types import Element
    from rushlight.lower.native import Native


@pytest.fixture(params=[1, 3])
def threads(request):
    """Runs the test with one thread, and with three."""
    before = get_num_threads()
    set_num_threads(request.param)
    yield
    set_num_threads(before)


# ---- a kernel and the function that it replaces

SMALL = {"GRAIN": 64, "PART": 50, "SHORT": 10}
KINDS = (
    "HALVED",
    "LAID",
    "LARGE",
    "RUNS",
    "REDUCED",
    "SPREAD",
    "RUNNING",
    "PICKED",
    "PLACED",
    "COUNTED",
    "SORTED",
    "POOLED",
    "IN_VECTORS",
)
SMALL |= dict.fromkeys((*KINDS, "IN_VECTORS"), 2)


@pytest.fixture(params=["plain", "one thread", "four threads"])
def kernels(request, monkeypatch):
    """Calls kernels and the functions they replace with the same arguments; small arrays count as large."""
    for family in (*registry.FAMILIES, "extreme_calls", "arguments", "reduce_axes"):
        module = importlib.import_module(f"rushlight.kernels.{family}")
        for name, value in SMALL.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)
        if hasattr(module, "WARMUP"):
            monkeypatch.setattr(module.WARMUP, "worked", policy.WARMUP)
    before = get_num_threads()
    set_num_threads(4 if request.param == "four threads" else 1)
    caches = extremes.planned, reduce_kernels.recipe  # of plans with other constants, or for other kernels
    for x in caches:
        x.cache_clear()
    if request.param == "plain":
        monkeypatch.setattr(Native, "machine", in_plain_python)
        monkeypatch.setattr(Native, "address", handle_of)
        monkeypatch.setattr(
            xp, "ascontiguousarray", np.ascontiguousarray
        )  # pointers cannot run backwards in flat arrays
    yield Both()
    set_num_threads(before)
    for x in caches:
        x.cache_clear()


def in_plain_python(self, *types):
    """Runs a kernel as plain Python: pointers are flat arrays, type variables are bound while it runs."""
    if self.of_objects:
        return in_turn_in_plain_python if self is reduce_calls.run_stages else along_in_plain_python
    bound = dict(zip(self.variables, types, strict=True))

    def run(*args):
        with pytest.MonkeyPatch.context() as patch:
            # Functions that it calls may have type variables of their own, which are bound to their argument types.
            patch.setattr(Element, "__call__", lambda x, value: bound[x](value) if x in bound else value)
            self(*(arg.reshape(-1) if isinstance(arg, np.ndarray) else arg for arg in args))

    return run


HANDLES = {}


def handle_of(self, *types):
    """Returns a number instead of the address of a kernel that is not compiled."""
    HANDLES[len(HANDLES) + 1] = self, types
    return len(HANDLES)


def along_in_plain_python(array, first, last, keepdims, words, shifts):
    """`reduce_along` with a kernel in plain Python."""
    flags, rank = array.flags, array.ndim
    if array.dtype.num != words[reduce_calls.GIVEN] or not (rank and flags.c_contiguous and flags.aligned):
        return None
    axes = tuple(range(first % rank, last % rank + 1)) if first < rank else ()
    before, length, after = extreme_calls.split(array.shape, axes)
    plan = reduce_calls.plan_of((1, 0), (before, length * after), (length, after), after)
    handle = words[plan[reduce_calls.KIND]]
    if not handle or length < 2:
        return None
    kernel, types = HANDLES[handle]
    parts = plan[reduce_calls.PARTS]
    out = np.empty(extreme_calls.kept(array.shape, axes, keepdims), types[0].numpy)
    result = np.empty(before * parts * after, out.dtype) if parts > 1 else out
    by = np.zeros(16, out.dtype) if shifts is None else shifts
    in_plain_python(kernel, *types)(out, result, array, by, shifts is not None, plan, words[reduce_calls.GRAIN])
    return out


def in_turn_in_plain_python(array, out, room, plans, words, later, shifts):
    """`run_stages` with kernels in plain Python."""
    start = 0
    for at, steps in enumerate(plans):
        handle = (later if at else words)[steps[reduce_calls.KIND]]
        if not handle:
            return None
        kernel, types = HANDLES[handle]
        results = steps[reduce_calls.BEFORE] * steps[reduce_calls.AFTER]
        to = out if at == len(plans) - 1 else room[start : start + results]
        result = np.empty(results * steps[reduce_calls.PARTS], out.dtype) if steps[reduce_calls.PARTS] > 1 else to
        by = np.zeros(16, out.dtype) if shifts is None or at else shifts
        in_plain_python(kernel, *types)(
            to, result, array, by, shifts is not None and not at, steps, words[reduce_calls.GRAIN]
        )
        array, start = to, start + results
    return True


class Both:
    """The results of a kernel and of the function it replaces."""

    def __call__(self, name, *arguments, **options):
        machine, plain = registry.KERNELS[name], plan.plain(xp, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's, for overflow and NaN
            result, expected = machine(*arguments, **options), plain(*arguments, **options)
        assert result is not None, "no kernel for this"
        pairs = zip(result, expected, strict=True) if isinstance(result, tuple) else [(result, expected)]
        return [(np.asarray(ours), np.asarray(theirs)) for ours, theirs in pairs]

    def same(self, name, *arguments, **options):
        for ours, theirs in self(name, *arguments, **options):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_array_equal(*(x.astype("f") if x.dtype.kind == "V" else x for x in (ours, theirs)))

    def close(self, name, *arguments, **options):
        for ours, theirs in self(name, *arguments, **options):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_allclose(ours, theirs, rtol=8 * np.finfo(ours.dtype).eps, atol=1e-5)


def drawn(*shape, dtype=np.float32, seed=0):
    """Returns integers from a small range, for ties, with some special floats."""
    generator = np.random.default_rng(seed)
    array = generator.integers(-9, 10, shape).astype(dtype)
    if array.dtype.kind == "f":
        flat = array.reshape(-1)
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, np.nan, 1e-40]
        flat[generator.permutation(flat.size)[: len(special)]] = special[: flat.size]
    array.setflags(write=False)
    return array


def positions(length, *shape, dtype=np.int64):
    return np.random.default_rng(5).integers(0, length, shape).astype(dtype)


@pytest.fixture
def draw():
    return drawn


@pytest.fixture
def index_of():
    return positions
