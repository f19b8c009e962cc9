"""The array API standard with generated arguments: every function and operator against `array-api-strict`.

A call that the oracle refuses is none that the standard requires, so the generators draw freely: every dtype, every
axis, every option. Names, signatures and what is refused are in `test_array_api.py`, with calls written by hand.
"""

import importlib
import inspect
import math
import operator
import warnings
from functools import cache, partial
from itertools import chain, combinations, permutations, product

import hypothesis.extra.array_api
import numpy as np
import pytest
from hypothesis import given, settings, strategies

strict = pytest.importorskip("array_api_strict")  # pinned among the requirements of the tests
ours = importlib.import_module("rushlight")
api = importlib.import_module("rushlight.array_api")

VERSION = "2024.12"
BOTH, COPIES = [False, True], [None, True, False]
NUMBERS = [True, 2, -1, 0.5, -0.0, math.nan, math.inf, 1.5 - 2j]
KINDS = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]
SHAPES = [(), (3,), (0,), (1,), (2, 3), (2, 0, 3), (2, 1, 3)]
PAIRS = [((), ()), ((), (3,)), ((2, 1), (3,)), ((0,), (1,)), ((2, 0, 3), (1, 3)), ((1,), (2, 3, 1))]
SQUARES = [(1, 1), (3, 3), (2, 3, 3), (2, 0, 3, 3), (0, 0)]
MATRICES = [*SQUARES, (2, 3), (3, 2), (2, 4, 1), (0, 3), (3, 0)]
# What a library raises when it refuses a call.
REFUSALS = (TypeError, ValueError, IndexError, RuntimeError, OverflowError, AttributeError, ZeroDivisionError)


@pytest.fixture(autouse=True, scope="module")
def same_version_and_default_dtype():
    """The oracle makes float64 where no dtype is named; the standard leaves that to the library."""
    strict.set_array_api_strict_flags(api_version=VERSION)
    ours.set_default_dtype(ours.float64)
    yield
    ours.set_default_dtype(ours.float32)
    strict.reset_array_api_strict_flags()


# ---- arguments for both libraries


class Kind(str):
    """A dtype of each library."""

    def of(self, xp):
        return getattr(xp, self)


class Drawn:
    """An array of each library with the same elements."""

    def __init__(self, values):
        self.values, self.made = np.asarray(values), {}

    def of(self, xp):
        if xp not in self.made:
            self.made[xp] = xp.asarray(self.values.copy())
        return self.made[xp]

    def __repr__(self):
        return f"{self.values.dtype}{self.values.shape}{self.values.tolist() if self.values.size < 9 else ''}"


def in_library(value, xp):
    if isinstance(value, Drawn | Kind):
        return value.of(xp)
    if type(value) is dict:
        return {name: in_library(item, xp) for name, item in value.items()}
    return type(value)(in_library(item, xp) for item in value) if type(value) in (tuple, list) else value


def call(*arguments, **options):
    return arguments, options


def every(*arguments, **options):
    """The calls with one of each list."""
    for each in product(*arguments, *options.values()):
        yield each[: len(arguments)], dict(zip(options, each[len(arguments) :], strict=True))


DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
DTYPES = [Kind(name) for name in DTYPES.split()]
BOOL, INTEGERS, FLOATS, COMPLEX = LEVELS = DTYPES[:1], DTYPES[1:9], DTYPES[9:11], DTYPES[11:]
SIGNED, UNSIGNED, INEXACT, REAL = INTEGERS[:4], INTEGERS[4:], FLOATS + COMPLEX, INTEGERS + FLOATS


def level(dtype):
    return next(i for i, dtypes in enumerate(LEVELS) if dtype in dtypes)


def promote(one, two):
    """Whether two dtypes have a common one; what NumPy makes of others the standard does not say."""
    lower, higher = sorted((level(one), level(two)))
    signs_differ = lower == higher == 1 and "uint64" in (one, two) and not {one, two} <= {*UNSIGNED}
    return (lower == higher or lower > 1) and not signs_differ


PROMOTED = [pair for pair in product(DTYPES, repeat=2) if promote(*pair)]
WIDER = [pair for pair in product(DTYPES, DTYPES[1:]) if level(pair[0]) <= level(pair[1])]


def fits(number, dtype):
    """Whether a number of Python has a value in the dtype."""
    order, highest = [bool, int, float, complex].index(type(number)), level(dtype) if dtype else 3
    return order == highest == 0 or dtype is None or (0 < order <= highest and not (dtype in UNSIGNED and number < 0))


@cache
def drawn(dtype, shape, seed=0):
    """Small numbers, of which sums and products are exact."""
    draws = np.random.default_rng([seed, *shape])
    if level(dtype) < 2:
        least, most = (0, 2) if dtype == "bool" else (-9 if dtype in SIGNED else 0, 10)
        return Drawn(draws.integers(least, most, shape).astype(dtype))
    real, imaginary = draws.integers(-20, 21, (2, *shape)) / 4
    return Drawn((real + 1j * imaginary if dtype in COMPLEX else real).astype(dtype))


def arrays(shape, dtypes=DTYPES, seed=0):
    return [drawn(dtype, shape, seed) for dtype in dtypes]


# Elements for which the standard does not decide, or the oracle, which is NumPy, departs from it.
LEFT_OPEN = {
    # NumPy has nan for some; `test_array_api.py` has the standard's results.
    ("expm1", 3): lambda values: ~np.isfinite(values),
    ("floor_divide", 2): np.isinf,
    # Quotients of complex numbers by zero, and of infinite ones.
    ("reciprocal", 3): lambda values: ~np.isfinite(values) | (values == 0),
    ("sign", 3): lambda values: np.isinf(values) & ~np.isnan(values),
    # The order of nan, and of zeros of both signs.
    ("sort", 2): lambda values: np.isnan(values) | ((values == 0) & np.signbit(values)),
}


@cache
def extremes(dtype, name=""):
    """Limits of a dtype, and numbers for which the standard lists results, without those of `LEFT_OPEN`."""
    if dtype == "bool":
        return np.array(BOTH)
    limits = np.iinfo(dtype) if dtype in INTEGERS else np.finfo(dtype)
    if dtype in INTEGERS:
        below_zero = [-1, -2, -7, limits.min] if dtype in SIGNED else []
        return np.array([0, 1, 2, 3, 7, limits.max - 1, limits.max, *below_zero], dtype)
    ends = [1.5, 2.5, 7.25, limits.max, limits.smallest_normal, limits.smallest_subnormal] if dtype in FLOATS else []
    positive = np.array([0, 0.5, 1, np.inf, *ends])
    values = np.concatenate([positive, -positive, [np.nan]]).astype(dtype)
    if dtype in COMPLEX:
        pairs = np.empty((len(values), len(values)), dtype)
        pairs.real, pairs.imag = values.real[:, None], values.real
        values = pairs.ravel()
    return values[~LEFT_OPEN.get((name, level(dtype)), lambda values: np.zeros(len(values), bool))(values)]


def defined(name, second):
    """Second operands without integers for which the standard does not decide: zeros, negative exponents and shifts."""
    if second.dtype.kind in "iu" and name in ("floor_divide", "remainder"):
        second = np.where(second == 0, np.ones_like(second), second)
    elif second.dtype.kind in "iu" and (name == "pow" or name.endswith("shift")):
        second = np.where((second < 0) | (second > 70), 5, second).astype(second.dtype)
    return Drawn(second)


def several_axes(dims):
    """Tuples of different axes, some of them negative."""
    for count in range(dims + 1):
        for each in permutations(range(dims), count):
            yield from {each, tuple(axis - dims if i % 2 == 0 else axis for i, axis in enumerate(each))}


# ---- comparison


def far_apart(mine, wanted, units, of_largest, signs):
    """Where numbers differ by more units in the last place, of each or of the largest."""
    if wanted.dtype.kind == "c":
        mine, wanted = (np.stack([each.real, each.imag], -1) for each in (mine, wanted))
    if wanted.dtype.kind != "f":
        return mine != wanted
    limits, finite = np.finfo(wanted.dtype), np.where(np.isfinite(wanted), np.abs(wanted), 0)
    size = np.max(finite, initial=0) if of_largest else finite
    near = np.abs(mine - wanted) <= units * (limits.eps * size + limits.smallest_subnormal)
    other_zeros = (mine == 0) & (wanted == 0) & (np.signbit(mine) != np.signbit(wanted)) if signs else False
    return ~(near | (mine == wanted) | (np.isnan(mine) & np.isnan(wanted))) | other_zeros


def difference(mine, theirs, rule):
    """What differs in words, an empty string if nothing does."""
    if isinstance(theirs, tuple | list):
        same = isinstance(mine, list if isinstance(theirs, list) else tuple) and len(mine) == len(theirs)
        parts = map(difference, mine, theirs, [rule] * len(theirs))
        return next(filter(None, parts), "") if same else f"{mine}, not {theirs}"
    if isinstance(theirs, strict._dtypes.DType):
        return "" if mine is Kind(theirs._np_dtype.name).of(api) else f"{mine}, not {theirs}"
    if hasattr(theirs, "__dataclass_fields__"):  # limits of dtypes
        return difference(tuple(mine), tuple(vars(theirs).values()), rule)
    if not isinstance(theirs, strict._array_object.Array | np.ndarray):
        same = type(mine) is type(theirs) and (mine == theirs or (mine != mine and theirs != theirs))
        return "" if same else f"{mine!r}, not {theirs!r}"
    wanted, mine = (np.asarray(getattr(each, "_array", each)) for each in (theirs, mine))
    if (mine.dtype, mine.shape) != (wanted.dtype, wanted.shape):
        return f"{mine.dtype}{mine.shape}, not {wanted.dtype}{wanted.shape}"
    apart = far_apart(mine, wanted, *rule)
    indices = np.argwhere(apart.any(-1) if apart.ndim > wanted.ndim else apart)[:3].tolist()
    return ", ".join(f"{each}: {mine[tuple(each)]!r}, not {wanted[tuple(each)]!r}" for each in indices)


def compare(mine, theirs, calls, rule=(0, False, True), seen=lambda result: result):
    """Makes the calls that the oracle takes by both libraries; fails with the first ones that differ."""
    texts = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of means of nothing, by both
        for arguments, options in calls:
            try:
                wanted = theirs(*in_library(arguments, strict), **in_library(options, strict))
            except REFUSALS:
                continue
            try:
                result = mine(*in_library(arguments, api), **in_library(options, api))
                text = difference(seen(result), seen(wanted), rule)
            except REFUSALS as error:
                text = f"{type(error).__name__}: {error}"
            texts.append(text and f"{arguments} {options or ''}: {text}")
    assert texts, "the oracle refuses every call"
    assert not any(texts), f"{sum(map(bool, texts))} of {len(texts)} calls differ:\n" + "\n".join(
        [*filter(None, texts)][:12]
    )


# ---- generated calls of each function

FUNCTIONS = sorted(
    f"{prefix}{name}"
    for prefix, namespace in (("", strict), ("linalg.", strict.linalg), ("fft.", strict.fft))
    for name in set(namespace.__all__) - {"broadcast_shapes", "isin", "Device"}  # of a later version, and its own
    if inspect.isfunction(getattr(namespace, name)) and not name.endswith(("_flags", "info__"))
)


def function_of(namespace, name):
    return operator.attrgetter(name)(namespace)


def parameters_of(name):
    return list(inspect.signature(function_of(strict, name)).parameters.values())


ELEMENTWISE = [name for name in FUNCTIONS if function_of(strict, name).__module__.endswith("_elementwise_functions")]
UNARY, BINARY = ([name for name in ELEMENTWISE if len(parameters_of(name)) == count] for count in (1, 2))
CALLS = {}


def enter_by_shape(names, generator, shapes=SHAPES, dtypes=DTYPES):
    """Enters a function that makes calls with arrays of one shape, its axes and tuples of them."""

    def generate(name):
        for shape in shapes:
            yield from generator(arrays(shape, dtypes), [*range(-len(shape), len(shape))], [*several_axes(len(shape))])

    for name in names.split():
        CALLS.setdefault(name, []).append(generate)


def at_extremes(name):
    return every([Drawn(extremes(dtype, name)) for dtype in DTYPES])


def in_wider_dtypes(name):
    options = {"axis": 1} | ({"include_initial": True} if "cumul" in name else {}) if "." not in name else {}
    return (call(drawn(dtype, (2, 3)), dtype=to, **options) for dtype, to in WIDER)


def of_operands(name, by_operator=False):
    """Operands of all dtypes; not 0-d arrays of others for operators, which promote as PyTorch's do."""
    for one, two in product(DTYPES, repeat=2):
        yield call(Drawn(extremes(one, name)[:, None]), defined(name, extremes(two)))
        for first, second in [] if by_operator else [((2, 3), ()), ((), (3,))]:
            yield call(drawn(one, first), defined(name, drawn(two, second).values))
    for dtype, (one, two) in product(DTYPES, PAIRS):
        yield call(drawn(dtype, one), defined(name, drawn(dtype, two, 1).values))
    ordered = name in ("maximum", "minimum") or name.startswith(("less", "greater"))
    for dtype, number in product(DTYPES, NUMBERS):
        if ordered and isinstance(number, complex):
            continue  # complex numbers have no order; the oracle takes them
        if number != math.inf or name != "floor_divide":
            yield call(number, defined(name, extremes(dtype)))
        right = 3 if type(number) is int and dtype in INTEGERS and name != "add" else number
        yield from every([Drawn(extremes(dtype, name)), drawn(dtype, ())], [right])


def of_bounds(name):
    for dtype, shape in product(DTYPES, SHAPES):
        low, high = (Drawn(np.asarray(number, dtype)) for number in (1, 3))
        yield from every([drawn(dtype, shape)], min=[None, 1, 0.5, low], max=[None, 3, 2.5, high])
        yield from every([drawn(dtype, shape)], arrays((2, 1), [dtype]), [None, drawn(dtype, (3,))])
        yield from every([Drawn(extremes(dtype))], [None, 1], [2, None, Drawn(extremes(dtype)[:, None])])


def of_neighbours(name):
    for dtype, shape in product(DTYPES, SHAPES):
        for axis in range(-len(shape), len(shape)):
            ends = [None, *(drawn(dtype, (*shape[:axis], n, *shape[axis:][1:]), n) for n in (1, 2))]
            yield from every([drawn(dtype, shape)], axis=[axis], n=range(4), prepend=ends, append=ends[::2])


def of_searches(name):
    for (one, two), shape in product(PROMOTED, SHAPES):
        x = drawn(one, (5,))
        yield from every([Drawn(np.sort(x.values))], [drawn(two, shape)], side=["left", "right"])
        yield call(x, drawn(two, shape), sorter=Drawn(np.argsort(x.values).astype(two)))


def of_several(name):
    for one, two in product(DTYPES, repeat=2):
        yield call([drawn(one, (2, 3)), drawn(two, (2, 3))], axis=1)
        yield call((drawn(one, ()), drawn(two, ()), drawn(one, (), 1)), axis=-1)
    for shape, other in product(SHAPES, [*SHAPES, (4, 3), (2, 1)]):
        yield from every([tuple(map(drawn, DTYPES[1:4], (shape, other, shape)))], axis=[None, *range(-4, 4)])


def of_indices(name):
    draws = np.random.default_rng(3)
    for shape, count in product(SHAPES, (0, 1, 4)):
        for axis in range(-len(shape), len(shape)):
            length = shape[axis]
            size = (count,) if name == "take" else (*shape[:axis], count, *shape[axis:][1:])
            indices = draws.integers(0, max(length, 1), size if length else 0)
            for kind in INTEGERS:
                backward = kind in SIGNED and count == 4
                yield from every(arrays(shape), [Drawn((indices - length * backward).astype(kind))], axis=[axis])


def of_objects(name):
    for each in [
        True,
        3,
        0.5,
        1j,
        [True, False],
        (1, 2),
        [[1, 2], (3, 4.5)],
        [1, 2j],
        [[True], [False]],
        [[[2]]],
        [],
        [[]],
    ]:
        largest = max(np.asarray(each).ravel().tolist(), key=abs, default=0.0)
        yield from every([each], dtype=[None, *(dtype for dtype in DTYPES if fits(largest, dtype))], copy=COPIES)
    for shape, (dtype, to) in product(SHAPES[:5], WIDER):
        yield from every([drawn(dtype, shape)], dtype=[None, to], copy=COPIES)


def of_products(name):
    kind = name.removeprefix("linalg.")
    shapes = [(3,), (3, 3), (2, 3, 3), (2, 1, 3, 3)]  # vectors of other sizes have no cross product
    shapes += [(0,), (1, 3), (2, 3), (3, 2), (0, 3), (3, 0)] if kind != "cross" else []
    pairs = [((0,), (0,)), ((-1,), (0,)), ([1, 0], [0, -1]), ((0, 1), (0, 1)), ((), ())]
    options = {"vecdot": {"axis": (-1, -2, -3)}, "cross": {"axis": (-1, -2)}, "tensordot": {"axes": (0, 1, 2, *pairs)}}
    for (one, two), shape, other in product(PROMOTED[::6], shapes, shapes):
        yield from every([drawn(one, shape)], [drawn(two, other, 1)], **options.get(kind, {}))
    size = (3,) if kind == "outer" else (3, 3)
    yield from (call(drawn(one, size), drawn(two, size, 1)) for one, two in PROMOTED)


def regular(shape, hermitian):
    """Matrices far from singular ones; of hermitian ones those that are positive definite."""
    for dtype in INEXACT:
        values = drawn(dtype, shape).values / 8 + np.eye(*shape[-2:]) * 8
        yield Drawn((values + values.swapaxes(-1, -2).conj() if hermitian else values).astype(dtype))


def of_matrices(name):
    kind = name.removeprefix("linalg.")
    hermitian = kind in ("eigh", "eigvalsh", "cholesky")
    for shape in SQUARES if hermitian else MATRICES:
        each = Drawn(np.linspace(0.1, 0.9, math.prod(shape[:-2])).reshape(shape[:-2]))
        sizes = [shape[-1:], shape, (shape[-1], 2), (shape[-1], 0), (2, 1, shape[-1], 1), shape[:-1]]
        second = {"matrix_power": [(0, 1, 2, 5, -1, -3)], "solve": [sum((arrays(size) for size in sizes), [])]}
        options = {
            "cholesky": {"upper": BOTH}, "qr": {"mode": ("reduced", "complete")}, "svd": {"full_matrices": BOTH},
            "matrix_norm": {"ord": (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf), "keepdims": BOTH},
            **dict.fromkeys(("matrix_rank", "pinv"), {"rtol": (None, 0.25, Drawn(0.125), each)}),
        }  # fmt: skip
        yield from every(regular(shape, hermitian), *second.get(kind, []), **options.get(kind, {}))


ENDS, FULL = [0, 1, 3, -2, 5, 0.5, -1.25, 3.0], [shape for shape in SHAPES if 0 not in shape]
REDUCTIONS, SCANS = "sum prod max min mean all any count_nonzero", "cumulative_sum cumulative_prod"
UNIQUE = "unique_all unique_counts unique_inverse unique_values"
SEVERAL = [kinds for count in range(3) for kinds in combinations(KINDS, count)]
SIZES, LINES = [*SHAPES, 0, 3], [drawn(DTYPES[1], (size,)) for size in (0, 1, 3)]
FITTING = [pair for pair in product([True, 1, 0.5, -3, 2 - 1j], [None, *DTYPES]) if fits(*pair)]
for names, *generators in [
    (" ".join(BINARY), of_operands), ("clip", of_bounds), ("diff", of_neighbours), ("searchsorted", of_searches),
    ("concat stack", of_several), ("asarray", of_objects), ("take take_along_axis", of_indices),
    ("broadcast_to", lambda name: chain(*(every(arrays(one), [np.broadcast_shapes(one, two)]) for one, two in PAIRS))),
    ("broadcast_arrays", lambda name: chain(*(every(arrays(one), arrays(two)) for one, two in PAIRS))),
    (f"sum prod {SCANS} linalg.trace", in_wider_dtypes),
    ("meshgrid", lambda name: chain(*(every(*[LINES] * count, indexing=["xy", "ij"]) for count in range(4)))),
    ("zeros ones empty", lambda name: every(SIZES, dtype=[None, *DTYPES])),
    ("zeros_like ones_like empty_like", lambda name: every(arrays((2, 3)) + arrays(()), dtype=[None, *DTYPES])),
    ("full", lambda name: (call(shape, number, dtype=dtype) for shape in SIZES for number, dtype in FITTING)),
    ("full_like", lambda name: (call(drawn(dtype, (2, 3)), number) for number, dtype in FITTING if dtype)),
    ("full_like", lambda name: (call(x, number, dtype=to) for x in arrays(()) for number, to in FITTING if to)),
    ("matmul vecdot tensordot linalg.matmul linalg.vecdot linalg.tensordot linalg.outer linalg.cross", of_products),
    ("linalg.matrix_norm linalg.matrix_rank linalg.pinv linalg.qr linalg.svd linalg.svdvals", of_matrices),
    ("linalg.cholesky linalg.det linalg.eigh linalg.eigvalsh linalg.inv linalg.matrix_power", of_matrices),
    ("linalg.slogdet linalg.solve", of_matrices),
    (f"{' '.join(UNARY)} {REDUCTIONS} {SCANS} std var argmax argmin nonzero", at_extremes),
    ("where", lambda name: every(arrays((2, 3), BOOL), arrays((3,)), arrays(()))),
    ("where", lambda name: every(arrays((2, 1), BOOL), arrays((3,)), NUMBERS)),
    ("where", lambda name: every(arrays((), BOOL), NUMBERS, arrays((0,)))),
    ("sort argsort", lambda name: every([Drawn(np.tile(extremes(each, "sort"), 2)) for each in REAL], descending=BOTH)),
    # The order of complex numbers is open.
    (UNIQUE, lambda name: every([Drawn(extremes(dtype)) for dtype in REAL])),
    ("arange", lambda name: every(ENDS, ENDS, (1, 2, -1, 0.5, -0.75)), lambda name: every(ENDS, ENDS, dtype=FLOATS)),
    ("arange", lambda name: every([0, 1, 100], [None, 3, 7], dtype=REAL)),
    ("linspace", lambda name: every(ENDS, ENDS, (0, 1, 2, 5), endpoint=BOTH, dtype=[None, *INEXACT])),
    ("linspace", lambda name: every(ENDS, [1j, 2 - 3j], (0, 1, 2, 5), endpoint=BOTH, dtype=[None, *COMPLEX])),
    ("eye", lambda name: every((0, 1, 3), (None, 0, 1, 4), k=(-4, -1, 0, 2), dtype=[None, *DTYPES])),
    ("astype", lambda name: every(arrays((2, 3)), DTYPES[:5] + INEXACT, copy=BOTH)),
    ("astype", lambda name: every(arrays((), BOOL + UNSIGNED), DTYPES, copy=BOTH)),
    ("isdtype", lambda name: every(DTYPES, [*DTYPES, *KINDS, *SEVERAL, ("numeric", DTYPES[0]), (DTYPES[3],)])),
    ("finfo iinfo", lambda name: every(DTYPES + arrays(()) + arrays((2,)))),
    ("can_cast result_type", lambda name: (call(each, two) for one, two in PROMOTED for each in (one, drawn(one, ())))),
    ("result_type", lambda name: every(arrays(()), NUMBERS, DTYPES)),
    ("result_type", lambda name: every(NUMBERS, NUMBERS, arrays((2,)))),
    ("result_type", lambda name: every(arrays((2,)), DTYPES, DTYPES)),
    ("fft.fftfreq fft.rfftfreq", lambda name: every((1, 2, 3, 8), d=(1.0, 0.25, 3, -0.5), dtype=[None, *FLOATS])),
]:  # fmt: skip
    for name in names.split():
        CALLS.setdefault(name, []).extend(generators)

NORMS, WAVES = ["backward", "ortho", "forward"], ([(3,), (1,), (4,), (2, 3), (2, 3, 4)], INEXACT)
NEW_SHAPES = [(), (-1,), (1, -1), (3, 2), (2, 3, 1), (-1, 3), (0, 3), (3, -1, 1), (0,), (6,)]
TILES = [each for count in range(4) for each in product((0, 1, 2), repeat=count)]
COUNTS = [0, 1, 2, *arrays((3,), UNSIGNED), *arrays((1,), UNSIGNED)]
ALONG_ONE = "fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft"
ALONG_SEVERAL, VECTORS = "fft.fftn fft.ifftn fft.rfftn fft.irfftn", "linalg.vector_norm"
# Functions of arrays of one shape, its axes and tuples of them; shapes and dtypes if not all.
for names, generator, *which in [
    (f"{' '.join(UNARY)} {UNIQUE} nonzero broadcast_arrays", lambda x, one, many: every(x)),
    (REDUCTIONS, lambda x, one, many: every(x, axis=[None, *one, *many], keepdims=BOTH)),
    ("std var", lambda x, one, many: every(x, axis=[None, *one, *many], keepdims=BOTH, correction=(0, 1, 0.5, 3))),
    ("argmax argmin", lambda x, one, many: every(x, axis=[None, *one], keepdims=BOTH)),
    (SCANS, lambda x, one, many: every(x, axis=one, include_initial=BOTH)),  # a scan of no axis is not specified
    (SCANS, lambda x, one, many: every(x, include_initial=BOTH), SHAPES[1:4]),
    ("sort", lambda x, one, many: every(x, axis=one, descending=BOTH, stable=BOTH)),
    ("argsort", lambda x, one, many: every(x, axis=one, descending=BOTH)),
    ("expand_dims", lambda x, one, many: every(x, [-len(one) // 2 - 1, *one, len(one) // 2])),
    ("squeeze", lambda x, one, many: every(x, one + many), [*SHAPES, (1, 2, 1)]),
    ("flip", lambda x, one, many: every(x, axis=[None, *one, *many])),
    ("unstack", lambda x, one, many: every(x, axis=one)), ("tile", lambda x, one, many: every(x, TILES)),
    ("roll", lambda x, one, many: every(x, (0, 1, -2, 7), axis=[None, *one, *many])),
    ("roll", lambda x, one, many: every(x, [(-1, 2)], axis=[each for each in many if len(each) == 2])),
    ("repeat", lambda x, one, many: every(x, COUNTS, axis=[None, *one])),
    ("permute_dims", lambda x, one, many: every(x, many)),
    ("moveaxis", lambda x, one, many: every(x, one + many, one + many)),
    ("reshape", lambda x, one, many: every(x, NEW_SHAPES, copy=COPIES)),
    ("take", lambda x, one, many: every(x, [Drawn([0, -1, 2])]), SHAPES[1:2]),
    ("take_along_axis", lambda x, one, many: every(x, [Drawn([[1, -1, 0]]), Drawn([[-1]])], axis=[0, 1]), SHAPES[4:5]),
    ("from_dlpack", lambda x, one, many: every(x, copy=[None, True])),
    ("matrix_transpose linalg.matrix_transpose", lambda x, one, many: every(x), SHAPES + MATRICES),
    ("tril triu", lambda x, one, many: every(x, k=range(-4, 5)), SHAPES + MATRICES),
    ("linalg.diagonal linalg.trace", lambda x, one, many: every(x, offset=range(-2, 3)), SHAPES + MATRICES),
    # Norms of nothing that would be a maximum, a minimum or infinite are not defined.
    (VECTORS, lambda x, one, many: every(x, axis=[None, *one, *many], keepdims=BOTH, ord=(0, 1, 2, 3, 0.5))),
    (VECTORS, lambda x, one, many: every(x, axis=[None, *one, *many], ord=(-1, math.inf, -math.inf)), FULL),
    (ALONG_ONE, lambda x, one, many: every(x, n=(None, 1, 2, 5), axis=one, norm=NORMS), *WAVES),
    (ALONG_SEVERAL, lambda x, one, many: every(x, axes=[None, *many[1:]], norm=NORMS), *WAVES),
    (ALONG_SEVERAL, lambda x, one, many: every(x, s=((2,), (5, 2), (1, 4, 3)), axes=many[1:]), *WAVES),
    ("fft.fftshift fft.ifftshift", lambda x, one, many: every(x, axes=[None, *one, *many])),
]:  # fmt: skip
    enter_by_shape(names, generator, *which)


# ---- the functions

# Sums, matrices and transforms: units of the largest number, zeros of either sign.
OF_LARGEST = ("linalg.", "fft.", "mean", "std", "var", "sum", "prod", "matmul", "tensordot", "vecdot", "cumul", "linsp")
# The sign of their zeros is open: which of two equal zeros, and what products of complex numbers leave.
EITHER_ZERO = ("unique", "clip", "pow", "sign", "reciprocal")


def rule_of(name):
    """Units in the last place, whether of the largest number, whether zeros have signs."""
    if name.startswith(OF_LARGEST):
        return 64, True, False
    return (4 if name in ELEMENTWISE else 0), False, not name.startswith(EITHER_ZERO)


def adjoint(matrix):
    return matrix.swapaxes(-1, -2).conj()


# Of decompositions what does not depend on signs and phases.
DETERMINED = {
    "linalg.eigh": lambda values, v: (values, (v * values[..., None, :]) @ adjoint(v), adjoint(v) @ v),
    "linalg.qr": lambda q, r: (np.abs(r), q @ r, adjoint(q) @ q, np.tril(r, -1)),
    "linalg.svd": lambda u, s, vh: (
        s, (u[..., : s.shape[-1]] * s[..., None, :]) @ vh[..., : s.shape[-1], :], adjoint(u) @ u, vh @ adjoint(vh),
    ),
    **dict.fromkeys(("empty", "empty_like"), np.zeros_like),
}  # fmt: skip


def determined(name, result):
    if name not in DETERMINED:
        return result
    parts = result if isinstance(result, tuple) else (result,)
    return DETERMINED[name](*(np.asarray(getattr(each, "_array", each)) for each in parts))


DEVICE = Drawn(0)  # the default device of each library
DEVICE.made = {xp: xp.__array_namespace_info__().default_device() for xp in (api, strict)}


def forms(name, calls):
    """The calls; of some also the form with every keyword that may be one, and with every default."""
    parameters = parameters_of(name)
    by_name = {each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD}
    optional = [each for each in parameters if each.kind is not each.POSITIONAL_ONLY and each.default is not each.empty]
    defaults = {each.name: None if str(each.default).startswith("Undef") else each.default for each in optional}
    defaults.update(dict.fromkeys(defaults.keys() & {"device"}, DEVICE))
    for i, (arguments, options) in enumerate(calls):
        yield arguments, options
        if i % 11 == 0 and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
            pairs = list(zip(parameters, arguments, strict=False))
            positional = [value for each, value in pairs if each.name not in by_name]
            named = {each.name: value for each, value in pairs if each.name in by_name} | options
            yield from ((positional, named), (positional, defaults | named))


def test_every_function_has_a_generator():
    assert set(FUNCTIONS) == CALLS.keys()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    calls = forms(name, chain(*(generate(name) for generate in CALLS[name])))
    mine, theirs = (function_of(xp, name) for xp in (api, strict))
    compare(mine, theirs, calls, rule_of(name), partial(determined, name))


# ---- the array object

IN_PLACE = dict(each.split(":") for each in (
    "add:add sub:subtract mul:multiply truediv:divide floordiv:floor_divide mod:remainder pow:pow and_:bitwise_and "
    "or_:bitwise_or xor:bitwise_xor lshift:bitwise_left_shift rshift:bitwise_right_shift"
).split())  # fmt: skip
SYMBOLS = IN_PLACE | dict(lt="less", le="less_equal", gt="greater", ge="greater_equal", eq="equal", ne="not_equal")


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_operators(symbol):
    function, name = getattr(operator, symbol), SYMBOLS[symbol]
    calls = of_operands(name, by_operator=True)  # a number is divided by multiplying with the reciprocal, as by PyTorch
    compare(
        function, function, (each for each in calls if isinstance(each[0][0], Drawn) or name != "divide"), rule_of(name)
    )


@pytest.mark.parametrize("symbol", IN_PLACE)
def test_operators_in_place(symbol):
    def into_a_copy(first, second):
        copy = first.__array_namespace__(api_version=VERSION).asarray(first, copy=True)
        result = getattr(operator, f"i{symbol.removesuffix('_')}")(copy, second)
        assert result is copy
        return result

    calls = of_operands(IN_PLACE[symbol], by_operator=True)
    first = (each for each in calls if isinstance(each[0][0], Drawn))
    compare(into_a_copy, into_a_copy, first, rule_of(IN_PLACE[symbol]))


def test_matmul_as_an_operator():
    """Of one dtype, and of those that PyTorch multiplies."""
    same = (each for each in of_products("matmul") if len({x.values.dtype for x in each[0]}) == 1)
    taken = (each for each in same if each[0][0].values.dtype not in ("uint16", "uint32", "uint64"))
    compare(operator.matmul, operator.matmul, taken, rule_of("matmul"))


OF_ONE_ARRAY = {
    **{name: getattr(operator, name) for name in ("abs", "neg", "pos", "invert", "index")},
    **{kind.__name__: kind for kind in (bool, int, float, complex)},
    **{name: operator.attrgetter(name) for name in ("mT", "ndim", "dtype")},
    "T": lambda x: x.T if x.ndim == 2 else x, "shape": lambda x: tuple(x.shape),
    "to_device": lambda x: x.to_device(x.device), "__dlpack__": lambda x: np.from_dlpack(x) if x.ndim else x,
    "__dlpack_device__": lambda x: tuple(map(int, x.__dlpack_device__())),
    "elements": lambda x: [complex(each) for each in x] if x.ndim == 1 else None,
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE_ARRAY)
def test_operators_and_attributes_of_one_array(name):
    single = every([Drawn(each) for dtype in DTYPES for each in extremes(dtype)])
    calls = chain(single, at_extremes(name), *(every(arrays(shape)) for shape in SHAPES))
    compare(OF_ONE_ARRAY[name], OF_ONE_ARRAY[name], calls, rule_of("abs"))


# ---- indices


def without_backward_slices(index):
    """PyTorch's tensors have no negative strides, and refuse these."""
    parts = index if isinstance(index, tuple) else (index,)
    return not any(isinstance(part, slice) and (part.step or 1) < 0 for part in parts)


def written(x, index, value):
    x[index] = value
    return x


STRATEGIES = hypothesis.extra.array_api.make_strategies_namespace(strict, api_version=VERSION)
SIDES = STRATEGIES.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@settings(max_examples=500, deadline=None)
@given(SIDES, strategies.sampled_from(DTYPES), strategies.data())
def test_indices_and_assignment(shape, dtype, data):
    index = data.draw(STRATEGIES.indices(shape, allow_newaxis=True).filter(without_backward_slices))
    compare(operator.getitem, operator.getitem, [call(drawn(dtype, shape), index)])
    index = tuple(part for part in (index if isinstance(index, tuple) else (index,)) if part is not None)
    size = drawn(dtype, shape).values[index].shape
    parts = [drawn(dtype, size[begin:], 5) for begin in range(len(size) + 1)]  # the last one has no dimensions
    value = data.draw(strategies.sampled_from([dtype == "bool" or 1, *parts]))
    compare(written, written, [call(Drawn(drawn(dtype, shape).values), index, value)])


def slices_and_integers():
    for length in range(4):
        bounds = [None, *range(-length, length + 1)]
        slices = [slice(*each) for each in product(bounds, bounds, (None, 1, 2, 3))]
        yield from every(arrays((length,)), slices)
        yield from every(arrays((2, length)), [(1, each) for each in slices])
        yield from every(arrays((length,)), [Drawn(i) for i in range(-length, length)])


def masks_and_integer_arrays():
    for shape in SHAPES:
        yield from every(arrays(shape), [drawn(DTYPES[0], shape[:dims]) for dims in range(len(shape) + 1)])
    # PyTorch takes uint8 for a mask, and refuses other dtypes of indices.
    for dtype, (one, two) in product(SIGNED[2:], [*PAIRS[:4], ((2,), (2,))]):
        rows, columns = (Drawn(drawn(dtype, each).values % 2) for each in (one, two))
        yield from every(arrays((2, 3)), [(rows, columns), (rows, 1), (-1, columns), (rows, Drawn(columns.values - 2))])
        yield from every(arrays((2,)), [rows])


def masks_and_values():
    for shape, dtype in product(SHAPES, DTYPES):
        mask = drawn(DTYPES[0], shape)
        for value in (dtype == "bool" or 1, drawn(dtype, ()), drawn(dtype, (int(mask.values.sum()),))):
            yield call(Drawn(drawn(dtype, shape).values), mask, value)


@pytest.mark.parametrize("calls", [slices_and_integers, masks_and_integer_arrays, masks_and_values])
def test_each_index(calls):
    function = written if calls is masks_and_values else operator.getitem
    compare(function, function, calls())


OURS = hypothesis.extra.array_api.make_strategies_namespace(api)


@settings(max_examples=200, deadline=None)
@given(OURS.arrays(OURS.scalar_dtypes(), OURS.array_shapes(max_dims=3, max_side=3)))
def test_hypothesis_draws_our_arrays(x):
    """By strategies for namespaces of the standard, from which its own test suite is made."""
    assert type(x) is ours.Tensor
    assert bool(api.all(api.equal(x, x) | (x != x)))


def test_the_namespace_describes_itself():
    mine, theirs = api.__array_namespace_info__(), strict.__array_namespace_info__()
    for kind in [None, *KINDS, *SEVERAL]:
        names = {name: name for name in theirs.dtypes(kind=kind)}
        assert {name: dtype.name for name, dtype in mine.dtypes(kind=kind, device=None).items()} == names
    assert mine.dtypes(device=mine.default_device()) == mine.dtypes()
    assert mine.default_dtypes(device=mine.default_device()) == mine.default_dtypes(device=None)
    assert all(api.zeros(2, device=each).device == each for each in mine.devices())
