"""The cached lookup of a kernel by arguments: what its key holds, and that calls are not confused."""

import itertools
import math

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight as torch
from rushlight.core import policy
from rushlight.core.policy import LARGE
from rushlight.lower import elementwise
from rushlight.lower.conversions import NAMES
from rushlight.lower.elementwise import Kernels, built_in, function_of
from rushlight.lower.kernel_cache import MOST, NO_KERNEL, KernelCache, call_of

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


@pytest.fixture(autouse=True)
def engaged(monkeypatch):
    """Medium arrays use kernels at once."""
    torch.ones(LARGE) * 2
    monkeypatch.setattr(policy, "WARMUP", 0)


def cache_of(name, *names, numbers=frozenset()):
    return KernelCache(Kernels(name, function_of(name), numbers), names)


def cached(cache, *arguments):
    """Returns the cached call for arguments, looked up as its callers do."""
    key = tuple(map(cache.key_of, arguments))
    known = cache.known.get(key)
    return cache.find(key, arguments, arguments[0].dtype) if known is None else known


def test_a_cached_call_is_returned_again():
    product, x = cache_of("multiply", "a", "b"), np.arange(4, dtype="f4")
    call = cached(product, x, 2.0)
    assert call(x, 2.0).tolist() == [0, 2, 4, 6]
    assert cached(product, x + 1, 2.0) is call
    assert cached(product, x, 3.0)(x, 3.0).tolist() == [0, 3, 6, 9]
    assert cached(product, x.astype("f8"), 2.0) is not call


def test_zeros_of_both_signs_have_different_keys():
    product, x = cache_of("multiply", "a", "b"), np.ones(3, "f4")
    signs = [math.copysign(1, cached(product, x, zero)(x, zero)[0]) for zero in (0.0, -0.0, 0, -0.0)]
    assert signs == [1, -1, 1, -1]


def test_a_0d_array_has_another_key_than_an_array():
    add, x, one = cache_of("add", "a", "b"), np.arange(3, dtype="f4"), np.float32(1)
    assert cached(add, x, x)(x, x).tolist() == [0, 2, 4]
    assert cached(add, x, np.asarray(one))(x, np.asarray(one)).tolist() == [1, 2, 3]
    assert cached(add, x, x)(x, x).tolist() == [0, 2, 4]


def test_a_formula_that_inspects_numbers_is_compiled_for_each():
    power, x = cache_of("power", "a", "b", numbers=built_in(("power",))), np.array([1.0, 2, 3], "f4")
    for exponent in (2.0, np.asarray(2.0, "f4"), np.asarray(3.0, "f4"), 1.5, np.asarray(0.5, "f4")):
        np.testing.assert_allclose(cached(power, x, exponent)(x, exponent), x**exponent, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["i8", "f2", "c8", "f8"])
def test_arrays_of_other_dtypes_have_none(dtype):
    x, y = np.ones(3, dtype), np.ones(3, "f4")
    assert cached(cache_of("add", "a", "b"), y, x) is NO_KERNEL
    assert (cached(cache_of("add", "a", "b"), x, x) is NO_KERNEL) is (dtype != "f8")


def test_other_values_than_numbers_have_none():
    assert cached(cache_of("multiply", "a", "b"), np.ones(3, "f4"), [2.0]) is NO_KERNEL


def test_a_mask_may_accompany_floats():
    where, x = cache_of("where", "a", "b", "c"), np.array([1.0, 2], "f4")
    call = where.find("key", (x > 1, x, 0.5), x.dtype)
    assert call(x > 1, x, 0.5).tolist() == [0.5, 2]


def test_a_number_that_changes_at_every_step_does_not_fill_the_memory():
    product, x = cache_of("multiply", "a", "b"), np.ones(3, "f4")
    for number in range(1, 5 * MOST):
        assert cached(product, x, number)(x, number)[0] == number
    assert len(product.known) <= MOST
    assert len(product.kernels.found) == 1


def test_kernels_are_limited_per_number_but_not_per_dtype():
    chosen = Kernels("chosen", lambda args: [args["a"] * args["b"] if args["c"] > 0 else args["a"]])
    x = np.ones(3, "f4")
    numbers = [chosen.prepared({"a": x, "b": x, "c": number}, FLOAT32)[0] for number in range(2, 2 * elementwise.MOST)]
    assert [number is not None for number in numbers] == [True] * elementwise.MOST + [False] * (elementwise.MOST - 2)
    arrays = [np.ones(3, dtype) for dtype in NAMES]
    for first, second in itertools.product(arrays, repeat=2):
        assert chosen.converted({"a": first, "b": second, "c": 1}, FLOAT64, (FLOAT64,)) is not None


def test_medium_arrays_wait_for_the_warmup(monkeypatch):
    product, x = cache_of("multiply", "a", "b"), np.ones(4, "f4")
    monkeypatch.setattr(policy, "WARMUP", 3 * policy.BEGUN * product.warmup.passes)
    assert [cached(product, x, 2.0) is None for _ in range(4)] == [True, True, False, False]
    large = np.ones(LARGE, "f4")
    assert cached(cache_of("multiply", "a", "b"), large, 2.0) is not None


def test_results_by_position():
    x, y = np.arange(2.0), np.arange(2.0) + 5
    assert call_of(2, (0, 1), (0, None, 1))(None)(x, y) == (x, None, y)  # arguments unchanged
    assert call_of(2, (0, 1), (None, -1))(np.add)(x, y)[1].tolist() == [5, 7]
    twice = call_of(2, (0, None), (-1, -1, 1))(np.add, 1.0)(x, y)
    assert twice[0] is twice[1] is not None
    assert twice[2] is y
    pair = call_of(2, (0, 1), (-2, None, -1))(np.divmod)
    assert [None if array is None else array.tolist() for array in pair(y, x + 2)] == [[1, 0], None, [2, 2]]


# ---- arrays of medium size, through public functions


FUNCTIONS = {
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
    "leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, 0.3),
    "sign": torch.sign,
    "erf": torch.erf,
    "pow": lambda x: x**3,
    "clamp": lambda x: x.clamp(-0.5, 1),
    "where": lambda x: torch.where(x > 0, x, -0.25),
    "itself": lambda x: x * x + x,
    "lerp": lambda x: torch.lerp(x, x.sin(), 0.25),
    "row": lambda x: x * torch.ones(x.shape[1:], dtype=x.dtype) + x[:1].detach() * 0,
    "column": lambda x: torch.addcmul(x, x, torch.full((len(x), 1), 0.5, dtype=x.dtype), value=2),
    "sigmoid": torch.sigmoid,
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "logsumexp": lambda x: x.logsumexp(-1),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
    "sum": lambda x: x.sum(-1),
    "mean": lambda x: x.mean(-1, keepdim=True),
    "var": lambda x: x.var(-1),
    "amax": lambda x: x.amax(-1),
    "prod": lambda x: (1 + x / 100).prod(-1),
    "cumsum": lambda x: x.cumsum(-1),
    "max": lambda x: x.max(-1)[0],
}
LAYOUTS = {
    "in order": lambda x: x,
    "turned": lambda x: x.t().contiguous().t(),
    "with gaps": lambda x: x.repeat_interleave(2, 1)[:, ::2],
    "backwards": lambda x: x.flip(0).flip(0),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_medium_arrays_give_the_results_of_small_ones(name, layout, dtype):
    """45 rows of 90 elements, which use kernels, against single rows, which do not."""
    torch.manual_seed(0)
    values, pull = torch.randn(45, 90, dtype=dtype), None
    x = LAYOUTS[layout](values.requires_grad_())
    for _ in range(2):  # by the first call, and from the cache
        y = FUNCTIONS[name](x)
        pull = torch.linspace(-1, 1, y.numel(), dtype=dtype).view(y.shape) if pull is None else pull
        (slope,) = torch.autograd.grad(y, x, pull)
    for line in range(0, 45, 11):
        few = x.detach()[line : line + 1].clone().requires_grad_()
        some = FUNCTIONS[name](few)
        (expected,) = torch.autograd.grad(some, few, pull[line : line + 1])
        torch.testing.assert_close(y[line : line + 1], some)
        torch.testing.assert_close(slope[line : line + 1], expected)
