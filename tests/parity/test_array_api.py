"""The array API standard against `array-api-strict`: every name, every signature, dtypes and values of results."""

import importlib
import inspect
import itertools
import operator
import subprocess
import sys

import numpy as np
import pytest

strict = pytest.importorskip("array_api_strict")  # pinned among the requirements of the tests
ours = importlib.import_module("rushlight")
api = importlib.import_module("rushlight.array_api")
standard = importlib.import_module("rushlight._standard")

VERSION = "2024.12"
EXTENSIONS = {"": (api, strict), "linalg": (api.linalg, strict.linalg), "fft": (api.fft, strict.fft)}

# ---- the table: after the name of a function, the arguments of calls of it

# What the names in the table stand for.
ARRAYS = {
    "i": np.array([[3, -1, 2], [0, 3, -7]]),
    "i8": np.array([[100, -1, 2], [0, 100, -7]], "int8"),
    "u8": np.array([[200, 1, 2], [0, 200, 7]], "uint8"),
    "u16": np.array([[60000, 1, 2], [0, 60000, 7]], "uint16"),
    "f": np.array([[0.5, -1.5, 2.5], [-0.0, 3, -7]], "float32"),
    "d": np.array([[0.25, -1.5, 2.5], [0, 3, -7]]),
    "c": np.array([[1 + 2j, -1.5j, 2.5], [0, 3 - 4j, 1]], "complex64"),
    "b": np.array([[True, False, True], [False, False, False]]),
    "odd": np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0]),
    "line": np.array([5.0, 1.0, 3.0, 1.0]),
    "ends": np.array([1.0, 3.0]),
    "order": np.array([1, 3, 2, 0]),
    "places": np.array([2, 0, -1], "int32"),
    "one": np.array(1.5),
    "two": np.array(2, "int8"),
    "none": np.zeros((0, 3), "float32"),
    "cube": np.arange(24.0).reshape(2, 3, 4),
    "thin": np.ones((1, 3, 1)),
    "A": np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]),
    "H": np.array([[[2, 1j], [-1j, 2]], [[3, 0], [0, 1]]], "complex128"),
    "batch": np.array([[[4.0, 1], [1, 3]], [[2, 0], [1, 1]]]),
    "sides": np.array([[1.0, 2], [3, 4]]),
}

REAL = "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt tan tanh reciprocal"
WHOLE = "ceil floor trunc"
EITHER = "abs square positive negative sign round isfinite isinf isnan"
ARITHMETIC = "add subtract multiply"
ORDERED = "less less_equal greater greater_equal maximum minimum"
FLOATING = "divide atan2 copysign hypot logaddexp nextafter"
BITS = "bitwise_and bitwise_or bitwise_xor"
LOGIC = "logical_and logical_or logical_xor"
REDUCTIONS = "sum prod max min"
AXES = ["", ", axis=0", ", axis=-1, keepdims=True", ", axis=(0, 1)", ", axis=(1, -2), keepdims=True", ", axis=()"]


def calls(names, *arguments):
    return {name: list(arguments) for name in names.split()}


def reduced(*arrays):
    return [array + axes for array in arrays for axes in AXES]


CALLS = {
    **calls(REAL, "abs_f", "d", "c", "odd"),
    **calls(WHOLE, "f", "d", "i8", "odd"),
    **calls(EITHER, "f", "d", "c", "i", "u16", "odd"),
    **calls(ARITHMETIC, "f, d", "f, one", "i8, u8", "u8, u16", "i8, u16", "i, two", "c, d", "f, 2", "2.5, f", "1j, f"),
    **calls(ORDERED, "f, d", "f, one", "i8, u16", "two, i8", "u16, 3", "0.5, odd"),
    **calls(FLOATING, "f, d", "f, one", "f, 0.5", "0.5, d", "odd, one"),
    **calls(BITS, "i8, u8", "u8, u16", "i, two", "u16, 3", "b, b", "b, True", "i8, xp.asarray(2)"),
    **calls(
        "bitwise_left_shift bitwise_right_shift",
        "i, two", "u16, 3", "i8, two", "2, xp.abs(two)", "u8, u16 // 30000", "i8, xp.asarray(2)",
    ),
    **calls("equal not_equal", "f, d", "f, one", "i8, u16", "c, 3", "b, True", "odd, odd", "3, i8"),
    **calls(LOGIC, "b, ~b", "b, b[0, :]", "b, True"),
    **calls("pow", "d, 2", "f, one", "i, two", "2, two", "c, f"),
    **calls("floor_divide remainder", "f, -2", "i8, -3", "d, f + 0.125", "u16, 7", "f, one"),
    "acosh": ["1 + xp.abs(f)"],
    "conj": ["c"],
    "real": ["c"],
    "imag": ["c"],
    "signbit": ["odd", "f"],
    "bitwise_invert": ["i8", "u16", "b"],
    "logical_not": ["b"],
    "clip": ["f", "f, -1, 1", "f, max=one", "i8, two", "f, one, 2.0", "d, min=f + 0.5", "u8, 3, 100"],
    "where": ["b, f, d", "b, f, one", "b, two, 3", "b[0, :], f, 0.0", "b, i8, u8"],
    **calls(REDUCTIONS, *reduced("f", "i8", "u8")),
    "mean": reduced("f", "d"),
    "std": [*reduced("f", "d"), "d, correction=1", "d, axis=1, correction=0.5"],
    "var": [*reduced("f", "d"), "d, correction=1", "d, axis=1, correction=0.5"],
    **calls("all any", *reduced("b", "u8", "f", "c"), "none", "none, axis=0"),
    "count_nonzero": reduced("b", "i8", "f", "c"),
    **calls("argmax argmin", "f", "f, axis=0", "i8, axis=-1, keepdims=True", "d, keepdims=True"),
    **calls(
        "cumulative_sum cumulative_prod",
        "line", "i8, axis=0", "u8, axis=-1, include_initial=True", "f, axis=1, dtype=xp.float64", "none, axis=0",
    ),
    "diff": ["line", "i, axis=0", "f, n=2", "d, axis=1, prepend=d, append=2 * d"],
    "arange": ["3", "1, 3.5", "5, 1", "5, 1, -2", "0, 1, 0.25", "4, dtype=xp.float32", "1., -1.", "2, stop=7, step=3"],
    "asarray": [
        "3", "[True, False]", "[[1, 2.5]]", "[1j]", "f", "f, dtype=xp.float64", "f, copy=True", "[1], dtype=xp.uint8",
        "memoryview(b'ab')", "[], dtype=xp.int8", "bytearray(b'xy'), copy=True",
    ],
    **calls("zeros ones", "3", "(2, 3)", "()", "shape=(1, 2), dtype=xp.int8"),
    "full": ["3, 1", "(2, 3), 1.5", "(), True", "2, 1j", "shape=2, fill_value=1, dtype=xp.float64"],
    **calls("zeros_like ones_like", "f", "i8, dtype=xp.float64"),
    "full_like": ["f, 2", "i8, 3", "i8, fill_value=2.5, dtype=xp.float64"],
    "eye": ["3", "2, 3", "3, 2, k=1", "3, k=-1, dtype=xp.int8"],
    "linspace": ["0, 1, 5", "0, 1, num=5, endpoint=False", "0, 1, 1", "1, 0, 3, dtype=xp.float32", "0, 1j, 3"],
    **calls("tril triu", "i", "cube, k=1", "cube, k=-1"),
    "meshgrid": ["", "line, ends", "line, ends, indexing='ij'", "line, ends, line"],
    "from_dlpack": ["f", "f, copy=True"],
    "broadcast_arrays": ["f, one", "i[0, :], two, d"],
    "broadcast_to": ["two, (2, 3)", "i[0, :], shape=(2, 3)"],
    "concat": ["[f, d]", "[i8, u8], axis=1", "(line, d, f), axis=None"],
    "expand_dims": ["f, axis=0", "f, axis=-1", "one, axis=0"],
    "flip": ["cube", "cube, axis=0", "cube, axis=(0, -1)"],
    "moveaxis": ["cube, 0, -1", "cube, (0, 1), (1, 2)"],
    "permute_dims": ["cube, (2, 0, 1)", "i, axes=(1, 0)"],
    "repeat": ["i, 2", "i, 2, axis=0", "line, order", "i, places[:2] + 1, axis=0"],
    "reshape": ["cube, (6, -1)", "cube, shape=(24,), copy=True", "cube, (4, 6), copy=False"],
    "roll": ["i, 1", "i, 2, axis=0", "cube, (1, 2), axis=(0, 1)", "cube, 1, axis=(0, 2)", "i, shift=-1, axis=-1"],
    "squeeze": ["thin, 0", "thin, (0, -1)", "thin, axis=2"],
    "stack": ["[f, d]", "[u8, u16]", "[i8, u8], axis=-1"],
    "tile": ["i, (2,)", "i, (2, 1, 2)"],
    "unstack": ["cube", "cube, axis=-1"],
    "take": ["line, places", "i, places, axis=1", "cube, places, axis=-2"],
    "take_along_axis": ["i, i[:, :1] * 0 + 1", "i, i * 0 - 1, axis=1", "i, i[:1, :] * 0 + 1, axis=0"],
    "matmul": ["f, xp.permute_dims(d, (1, 0))", "i8, i[0, :]", "u16, u8[0, :]", "batch, sides"],
    "matrix_transpose": ["cube", "i"],
    "tensordot": ["d, A, axes=1", "u16, u16", "A, f, axes=((1,), (1,))", "i, i8", "line, ends, axes=0"],
    "vecdot": ["d, f", "c, c", "i, i8[0, :], axis=-1", "u16, u8", "f, f, axis=-2"],
    "sort": ["line", "i8, axis=0", "f, descending=True", "odd[1:]", "f, axis=-1, stable=False"],
    "argsort": ["line", "i8, axis=0", "line, descending=True"],
    "nonzero": ["i", "line", "b", "c"],
    "searchsorted": ["xp.sort(line), ends", "xp.sort(line), d, side='right'", "line, ends, sorter=order", "ends, f"],
    **calls(
        "unique_all unique_counts unique_inverse unique_values",
        "line", "i8", "f", "b", "odd", "none", "c", "c[0, 0]", "c[:0, :]",
    ),
    "astype": ["f, xp.int32", "f, xp.float32, copy=False", "b, xp.float64", "i8, xp.complex64"],
    "can_cast": [
        "xp.float64, xp.float32", "xp.int8, xp.int64", "f, xp.float64", "xp.uint8, xp.int8", "i8, xp.int16",
        "xp.uint64, xp.int8", "xp.int64, xp.uint64",
    ],
    "finfo": ["xp.float32", "xp.float64", "xp.complex64", "f"],
    "iinfo": ["xp.int8", "xp.uint64", "i"],
    "isdtype": [
        f"xp.{dtype}, {kind}"
        for dtype in ("bool", "int8", "uint16", "float32", "complex128")
        for kind in (
            "'bool'", "'signed integer'", "'unsigned integer'", "'integral'", "'real floating'", "'complex floating'",
            "'numeric'", "xp.int8", "kind=('bool', xp.float32)",
        )
    ],
    "result_type": ["f, d", "f, one", "xp.int8, xp.uint8", "i8, u16", "xp.uint32, xp.uint64", "f, 1, 2.5"],
    "linalg.cholesky": ["A", "A, upper=True", "H", "H, upper=True"],
    "linalg.cross": ["A, A[:, 0] + 1", "u16, u8", "A, xp.flip(A), axis=-2", "f, d"],
    "linalg.det": ["A", "batch", "H"],
    "linalg.diagonal": ["cube", "cube, offset=1", "A, offset=-1"],
    "linalg.eigh": ["A", "H"],
    "linalg.eigvalsh": ["A", "H"],
    "linalg.inv": ["A", "batch", "H"],
    "linalg.matmul": ["f, A"],
    "linalg.matrix_norm": ["A", "batch, ord='nuc'", "cube, ord=1, keepdims=True", "A, ord=-2", "A, ord=float('inf')"],
    "linalg.matrix_power": ["A, 3", "batch, -2", "batch, 0"],
    "linalg.matrix_rank": ["A", "A - A", "batch, rtol=0.9"],
    "linalg.matrix_transpose": ["cube"],
    "linalg.outer": ["line, ends", "u16[0, :], u8[0, :]", "c[0, :], d[0, :]"],
    "linalg.pinv": ["A", "d", "batch, rtol=0.5"],
    "linalg.slogdet": ["A", "batch", "H"],
    "linalg.solve": ["A, A[0, :]", "batch, sides", "batch, sides[0, :]", "A, xp.astype(A, xp.float32)"],
    "linalg.svdvals": ["A", "d", "H"],
    "linalg.tensordot": ["d, A, axes=1"],
    "linalg.trace": ["A", "cube, offset=1", "u8", "f, dtype=xp.float64"],
    "linalg.vecdot": ["d, f"],
    "linalg.vector_norm": ["line", "f, axis=0", "cube, axis=(0, 2), keepdims=True", "line, ord=1", "d, ord=0, axis=-1"],
    **calls("fft.fft fft.ifft", "d + 0j", "c", "c, n=4, axis=0, norm='ortho'", "c, norm='forward'"),
    **calls("fft.fftn fft.ifftn", "c", "c, s=(4, 2), axes=(1, 0)", "c, norm='ortho'", "c, axes=(0,)"),
    "fft.rfft": ["d", "f, n=5, axis=0", "d, norm='forward'"],
    "fft.irfft": ["c", "c, n=5", "c, axis=0, n=4, norm='ortho'"],
    "fft.rfftn": ["cube", "cube, s=(2, 3), axes=(1, 2)"],
    "fft.irfftn": ["c", "c, s=(2, 5), axes=(0, 1)"],
    "fft.hfft": ["c", "c, n=5, norm='ortho'"],
    "fft.ihfft": ["d", "d, n=5, axis=-1"],
    "fft.fftfreq": ["5", "4, d=0.5", "4, dtype=xp.float32"],
    "fft.rfftfreq": ["5", "4, d=0.5", "4, dtype=xp.float32"],
    **calls("fft.fftshift fft.ifftshift", "cube", "cube, axes=1", "cube, axes=(0, 2)"),
}  # fmt: skip
# Not determined to the last number, and tested by what they must fulfil.
BY_PROPERTY = {"empty", "empty_like", "linalg.qr", "linalg.svd"}
CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
# In the oracle, but of a later version of the standard, or its own.
LATER = {"broadcast_shapes", "isin"}
OWN = {name for name in strict.__all__ if name.endswith("_flags")} | {"Device", "ArrayAPIStrictFlags"}


@pytest.fixture(autouse=True)
def same_version_and_default_dtype():
    """The oracle makes float64 where no dtype is named; the standard leaves that to the library."""
    strict.set_array_api_strict_flags(api_version=VERSION)
    ours.set_default_dtype(ours.float64)
    yield
    ours.set_default_dtype(ours.float32)
    strict.reset_array_api_strict_flags()


def found(namespace, name):
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def is_function(value):
    return callable(value) and not isinstance(value, type) and not hasattr(value, "_np_dtype")


# All names of the standard by their place: "sum", "linalg.det".
NAMES = {
    f"{extension}.{name}" if extension else name
    for extension, (_, oracle) in EXTENSIONS.items()
    for name in oracle.__all__
    if name not in LATER | OWN | {"__version__"} and (extension or name not in EXTENSIONS)
}
FUNCTIONS = sorted(name for name in NAMES if is_function(found(strict, name)))


# ---- every name, every signature


def test_every_name_of_the_standard_is_there():
    missing = []
    for name in sorted(NAMES):
        try:
            found(api, name)
        except AttributeError:
            missing.append(name)
    assert not missing
    assert len(FUNCTIONS) > 150


def test_the_table_calls_every_function():
    assert set(FUNCTIONS) - {"__array_namespace_info__"} == CALLS.keys() | BY_PROPERTY


def test_the_root_has_every_name_too():
    names = {name for name in NAMES if "." not in name}
    assert not [name for name in sorted(names) if not hasattr(ours, name)]


def test_names_that_pytorch_lacks_are_one_object_in_both_namespaces():
    assert not [name for name in standard.NAMES if getattr(ours, name) is not getattr(api, name)]
    torch = pytest.importorskip("torch")
    assert {name for name in NAMES if "." not in name and not hasattr(torch, name)} == standard.NAMES


# A default that PyTorch writes as None and that means the standard's; the oracle's sentinel for "not given"; and an
# axis that the oracle wants given, which in the standard is 0.
SAME_MEANING = {("norm", "backward", None), ("correction", 0.0, 0), ("axis", inspect.Parameter.empty, 0)}


def same_default(name, wanted, given):
    if (name, wanted, given) in SAME_MEANING or str(wanted).startswith("Undef"):
        return True
    return wanted == given and (wanted is inspect.Parameter.empty) == (given is inspect.Parameter.empty)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_call_that_the_standard_allows_can_be_made(name):
    """Names, kinds and defaults of parameters."""
    theirs = inspect.signature(found(strict, name)).parameters.values()
    mine = inspect.signature(found(api, name)).parameters
    order = list(mine.values())
    matched = set()
    for place, wanted in enumerate(theirs):
        if wanted.kind in (wanted.POSITIONAL_ONLY, wanted.VAR_POSITIONAL):
            given = order[place]
            assert given.kind in (wanted.kind, wanted.POSITIONAL_OR_KEYWORD)
        else:
            given = mine[wanted.name]
            assert wanted.kind != wanted.POSITIONAL_OR_KEYWORD or order[place] is given
            assert given.kind in (wanted.kind, given.POSITIONAL_OR_KEYWORD)
        assert same_default(wanted.name, wanted.default, given.default), wanted
        matched.add(given.name)
    for extra in order:
        optional = extra.default is not extra.empty or extra.kind in (extra.VAR_KEYWORD, extra.VAR_POSITIONAL)
        assert extra.name in matched or optional, f"the standard does not give {extra}"


# ---- dtypes and values


def arrays_of(namespace):
    made = {name: namespace.asarray(values.copy()) for name, values in ARRAYS.items()}
    return made | {"abs_f": namespace.abs(made["f"]) / 8, "xp": namespace}


def result_of(namespace, name, arguments):
    with np.errstate(all="ignore"):
        return eval(f"xp.{name}({arguments})", arrays_of(namespace))


def check_same(mine, theirs, zeros_alike: bool = False):
    if isinstance(theirs, (tuple, list)):
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs, strict=True):
            check_same(one, other, zeros_alike)
    elif isinstance(theirs, strict._array_object.Array):
        wanted = np.asarray(theirs._array)
        assert (mine.dtype.name, tuple(mine.shape)) == (wanted.dtype.name, wanted.shape)
        precise = wanted.dtype.itemsize > (8 if wanted.dtype.kind == "c" else 4)
        np.testing.assert_allclose(
            mine.numpy(), wanted, rtol=1e-12 if precise else 2e-5, atol=1e-12 if precise else 1e-5
        )
        if wanted.dtype.kind == "f" and not zeros_alike:
            numbers = ~np.isnan(wanted) & (wanted == 0)
            np.testing.assert_array_equal(np.signbit(mine.numpy()[numbers]), np.signbit(wanted[numbers]))
    elif isinstance(theirs, strict._dtypes.DType):
        assert mine.name == theirs._np_dtype.name
    elif hasattr(theirs, "smallest_normal") or hasattr(theirs, "bits"):
        for field in set(mine._fields):
            check_same(getattr(mine, field), getattr(theirs, field))
    else:
        assert mine == theirs


@pytest.mark.parametrize(
    ("name", "arguments"), [pytest.param(*each, id=f"{each[0]}({each[1]})") for each in
    itertools.chain.from_iterable(((name, each) for each in rows) for name, rows in CALLS.items())],
)  # fmt: skip
def test_dtypes_and_values(name, arguments):
    # Which of two equal zeros stands for both is not specified, and NumPy's sort has another on each processor.
    zeros_alike = name.startswith("unique")
    check_same(result_of(api, name, arguments), result_of(strict, name, arguments), zeros_alike)


def test_empty_arrays_have_the_shape_and_dtype_asked_for():
    assert tuple(api.empty((2, 3)).shape) == tuple(api.empty(shape=(2, 3)).shape) == (2, 3)
    assert api.empty(3, dtype=api.int8).dtype is api.empty_like(api.zeros(1, dtype=api.int8)).dtype is api.int8


@pytest.mark.parametrize("options", [{}, {"mode": "complete"}])
@pytest.mark.parametrize("name", ["A", "d", "c"])
def test_qr_multiplies_to_the_matrix(name, options):
    matrix = arrays_of(api)[name]
    q, r = result = api.linalg.qr(matrix, **options)
    assert tuple(q.shape) == strict.linalg.qr(arrays_of(strict)[name], **options)[0].shape
    assert (result.Q is q) and (result.R is r)
    np.testing.assert_allclose((q @ r).numpy(), matrix.numpy(), atol=1e-6)


@pytest.mark.parametrize("full_matrices", [True, False])
def test_svd_multiplies_to_the_matrix(full_matrices):
    matrix = arrays_of(api)["d"]
    result = api.linalg.svd(matrix, full_matrices=full_matrices)
    wanted = strict.linalg.svd(arrays_of(strict)["d"], full_matrices=full_matrices)
    assert [tuple(each.shape) for each in result] == [each.shape for each in wanted]
    assert result._fields == ("U", "S", "Vh")
    product = (result.U[:, :2] * result.S) @ result.Vh[:2, :]
    np.testing.assert_allclose(product.numpy(), matrix.numpy(), atol=1e-12)


@pytest.mark.parametrize("name", ["linalg.eigh", "linalg.slogdet", "unique_all", "unique_counts", "unique_inverse"])
def test_results_have_the_names_of_the_standard(name):
    assert result_of(api, name, "A")._fields == result_of(strict, name, "A")._fields


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name):
    assert getattr(api, name) is getattr(ours, name)
    np.testing.assert_equal(getattr(api, name), getattr(strict, name))


INFINITE = [
    ("floor_divide", (np.inf, 2.0), np.inf), ("floor_divide", (np.inf, -2.0), -np.inf),
    ("floor_divide", (-np.inf, 2.0), -np.inf), ("floor_divide", (-np.inf, -2.0), np.inf),
    ("floor_divide", (np.inf, np.inf), np.nan), ("floor_divide", (3.0, np.inf), 0.0),
    ("floor_divide", (-3.0, np.inf), -1.0), ("floor_divide", (3.0, -np.inf), -1.0), ("floor_divide", (7.0, -2.0), -4.0),
    ("expm1", (complex(-np.inf, np.inf),), -1 + 0j), ("expm1", (complex(-np.inf, np.nan),), -1 + 0j),
    ("expm1", (complex(np.inf, np.inf),), complex(np.inf, np.nan)),
    ("expm1", (complex(np.inf, 0),), complex(np.inf, 0)), ("expm1", (complex(np.nan, 0),), complex(np.nan, 0)),
    ("expm1", (complex(np.inf, np.nan),), complex(np.inf, np.nan)),
    ("expm1", (complex(1, np.inf),), complex(np.nan, np.nan)), ("expm1", (complex(-np.inf, 1),), -1 + 0j),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "value"), INFINITE)
def test_infinities_are_what_the_standard_says(name, arguments, value):
    result = getattr(api, name)(*map(api.asarray, arguments)).item()
    np.testing.assert_array_equal(
        [complex(result).real, complex(result).imag], [complex(value).real, complex(value).imag]
    )


def test_several_arrays_come_as_lists():
    assert type(api.meshgrid(api.ones(2), api.ones(3))) is type(api.broadcast_arrays(api.ones(2))) is list
    assert api.meshgrid() == api.broadcast_arrays() == []


def test_what_promotion_does_not_lead_to_cannot_be_cast():
    assert not api.can_cast(api.uint64, api.int8) and not api.can_cast(api.int64, api.uint64)
    assert api.can_cast(api.uint16, api.int32)


WHOLE_NUMBERS = [name for name in DTYPES if "int" in name]
OPERATORS = "add sub mul floordiv mod pow and_ or_ xor lshift rshift eq lt ge iadd".split()


@pytest.mark.parametrize("one", WHOLE_NUMBERS)
def test_operators_promote_integers_of_every_size(one):
    for other, symbol in itertools.product(WHOLE_NUMBERS, OPERATORS):
        call = getattr(operator, symbol)
        try:
            wanted = call(*(strict.asarray([6, 1], dtype=getattr(strict, kind)) for kind in (one, other)))
        except TypeError:
            continue  # they have no common dtype, or one is to be written to that is none
        result = call(*(api.asarray([6, 1], dtype=getattr(api, kind)) for kind in (one, other)))
        check_same(result, wanted)


# ---- what is refused

REFUSED = [
    ("squeeze", "d, 0", ValueError), ("take", "d, places", ValueError), ("nonzero", "one", ValueError),
    ("cumulative_sum", "d", ValueError), ("cumulative_prod", "one", ValueError), ("result_type", "", ValueError),
    ("isdtype", "xp.int8, 'integer'", ValueError), ("isdtype", "xp.int8, 3", TypeError),
    ("asarray", "[1.0], copy=False", ValueError), ("result_type", "xp.int64, xp.uint64", TypeError),
    ("expand_dims", "d, axis=4", IndexError),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "kind"), REFUSED, ids=[f"{each[0]}({each[1]})" for each in REFUSED])
def test_what_the_standard_refuses_is_refused(name, arguments, kind):
    for namespace in (api, strict):
        with pytest.raises(kind):
            result_of(namespace, name, arguments)


def test_reshape_refuses_to_copy_where_it_must_not():
    # The oracle lets NumPy's AttributeError through; the standard says ValueError.
    with pytest.raises(ValueError, match="no view"):
        api.reshape(api.ones((2, 3)).mT, (6,), copy=False)


# ---- the array object, the namespace's description


def test_an_array_names_its_namespace():
    x = ours.ones(2)
    assert x.__array_namespace__() is x.__array_namespace__(api_version="2021.12") is ours.array_api
    assert ours.__array_api_version__ == VERSION
    with pytest.raises(ValueError, match="2099.12"):
        x.__array_namespace__(api_version="2099.12")


def test_tensor_has_the_array_object_of_the_standard():
    members = {name for name in dir(strict._array_object.Array) if not name.startswith("_") or name.endswith("__")}
    # Python makes `x @= y` of `__matmul__`, for PyTorch's tensors too; the others are no part of the standard.
    assert {name for name in members if not hasattr(ours.Tensor, name)} <= {"__imatmul__", "__buffer__", "__slots__"}


def test_attributes_and_conversions_of_the_array_object():
    x = ours.arange(6).reshape(2, 3)
    assert x.mT.shape == x.T.shape == (3, 2)
    assert (x.ndim, x.dtype, x.device) == (2, ours.int64, ours.device("cpu"))
    assert [10, 20, 30][ours.tensor(2)] == 30
    assert (complex(ours.tensor(1.5)), bool(ours.tensor(0)), int(ours.tensor(2.0))) == (1.5 + 0j, False, 2)
    assert x.__dlpack_device__() == (1, 0)
    assert x.to_device("cpu") is x and x.to_device(ours.device("meta")).device.type == "meta"
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)


def test_the_namespace_describes_itself():
    info, wanted = ours.__array_namespace_info__(), strict.__array_namespace_info__()
    assert info.capabilities() == wanted.capabilities()
    assert info.default_device() in info.devices()
    check_same(list(info.default_dtypes().values()), list(wanted.default_dtypes().values()))
    assert info.default_dtypes().keys() == wanted.default_dtypes().keys()
    for kind in (None, "bool", "integral", "numeric", ("complex floating", "signed integer")):
        assert info.dtypes(kind=kind).keys() == wanted.dtypes(kind=kind).keys()
    assert info.dtypes().keys() == set(DTYPES)


# ---- the two namespaces


def test_where_they_disagree_the_root_keeps_pytorchs_answer():
    f, one = ours.ones(2, dtype=ours.float32), ours.tensor(1.0, dtype=ours.float64)
    assert (f + one).dtype is ours.add(f, one).dtype is ours.float32
    assert api.add(f, one).dtype is ours.float64
    assert type(ours.max(ours.eye(2), 0)).__name__ == "max" and ours.sort(f)[1].dtype is ours.int64


def test_gradients_pass_through():
    x = ours.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    total = api.sum(api.multiply(api.clip(x, 0, 3.5), ours.tensor(2.0))) + api.cumulative_sum(x, axis=0)[1, 0]
    (gradient,) = ours.autograd.grad(total, x)
    assert gradient.tolist() == [[3, 2], [3, 0]]


def test_operands_of_other_devices_keep_theirs():
    assert api.add(ours.ones(2, device="meta"), 1.5).device.type == "meta"


def test_the_namespace_is_imported_when_it_is_first_named():
    program = "import sys, rushlight; assert 'rushlight.array_api' not in sys.modules; rushlight.isdtype; " + (
        "assert 'rushlight.array_api' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def differs(name, arguments):
    """Whether the function of the root answers a call of the table other than the standard wants."""
    spaces = arrays_of(api) | {"xp": ours}
    try:
        mine = eval(f"xp.{name}({arguments})", spaces)
        check_same(mine, result_of(strict, name, arguments))
    except (TypeError, AttributeError, RuntimeError, ValueError, IndexError, AssertionError, UserWarning):
        return True
    return False


OWN_FUNCTIONS = [
    name
    for name in FUNCTIONS
    if name in CALLS and name not in standard.NAMES and "." not in name and found(ours, name) is not found(api, name)
]


# Apart for what they refuse, for a default (that of `stable`, which PyTorch leaves to chance), for the names of their
# parameters, and for infinities, of which NumPy, the oracle, has not what the standard says.
APART_OTHERWISE = {"squeeze", "argsort", "argmax", "argmin", "diff", "stack", "expm1", "floor_divide"}


@pytest.mark.parametrize("name", sorted(set(OWN_FUNCTIONS) - APART_OTHERWISE))
def test_a_function_of_its_own_is_needed(name):
    """Else the function of the root should stand in the namespace: what they disagree about is to stay little."""
    assert any(differs(name, arguments) for arguments in CALLS[name])
