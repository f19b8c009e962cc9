"""Sparse tensors against PyTorch, by the samples of its operator database: layouts, values and gradients."""

import functools
import importlib
import warnings

import numpy as np
import pytest

import rushlight as ours

UNARY = (
    "abs asin asinh atan atanh ceil positive conj_physical deg2rad frac floor log1p neg rad2deg round sin sinh sign "
    "sgn signbit tan tanh trunc expm1 sqrt isinf isposinf isneginf isnan erf erfinv nn.functional.relu"
).split()
LAYOUTS = ["sparse_coo", "sparse_csr", "sparse_csc"]
DTYPES = ["float64", "float32", "complex128", "int64", "bool"]
# PyTorch's database has samples of these for COO, CSR or CSC; of others, samples are made sparse.
SAMPLED = {"mul": LAYOUTS, "sum": LAYOUTS, "zeros_like": LAYOUTS[1:]}


@pytest.fixture(scope="module")
def operators(pytorch):
    """PyTorch's operators by name. To import the database takes seconds, and some warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        database = importlib.import_module("torch.testing._internal.common_methods_invocations").op_db
    return {op.name: op for op in reversed(database)}  # of several, the first


@pytest.fixture(autouse=True)
def quiet():
    """PyTorch says once in a process that sparse tensors are new, and that indices are not checked."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse")
        yield


def converted(value):
    """The same of ours: tensors with their layout, dtypes and layouts by their names, anything in a tuple or dict."""
    kind = type(value).__name__
    if kind in ("Tensor", "Parameter") and type(value).__module__.startswith("torch"):
        return with_entries(value).requires_grad_(value.requires_grad)
    if kind in ("dtype", "layout"):
        return getattr(ours, str(value).removeprefix("torch."))
    if isinstance(value, dict):
        return {name: converted(each) for name, each in value.items()}
    return type(value)(map(converted, value)) if isinstance(value, (tuple, list)) else value


def with_entries(value, change=lambda values: values):
    """The same tensor of ours, with its values changed if it is sparse."""
    value, layout = value.detach(), str(value.layout).removeprefix("torch.")
    size = tuple(value.shape)
    if layout == "sparse_coo":
        parts = dense(value._indices()), change(dense(value._values())), size
        return ours.sparse_coo_tensor(*parts, is_coalesced=value.is_coalesced())
    if layout == "sparse_csr":
        return ours.sparse_csr_tensor(
            dense(value.crow_indices()), dense(value.col_indices()), change(dense(value.values())), size
        )
    if layout == "sparse_csc":
        return ours.sparse_csc_tensor(
            dense(value.ccol_indices()), dense(value.row_indices()), change(dense(value.values())), size
        )
    return dense(value)


def dense(value):
    return ours.from_numpy(value.detach().resolve_conj().numpy().copy())


def elements(value):
    value = value.detach()
    return (value if str(value.layout) == "torch.strided" else value.to_dense()).resolve_conj().numpy()


def check_same(result, expected, tolerance=1e-6):
    assert (str(result.layout), tuple(result.shape), str(result.dtype)) == (
        str(expected.layout), tuple(expected.shape), str(expected.dtype),
    )  # fmt: skip
    np.testing.assert_allclose(elements(result), elements(expected), rtol=tolerance, atol=tolerance)


def function(library, name):
    return functools.reduce(getattr, name.split("."), library)


def outcome(call, *arguments, **keywords):
    """The result of a call, or the class of the error that PyTorch raises for what it lacks."""
    try:
        return call(*arguments, **keywords)
    except (RuntimeError, NotImplementedError) as error:
        return error


def compare(pytorch, name, sample, gradients=True):
    """Compares one sample; returns whether values, and whether gradients were compared."""
    arguments = (sample.input, *sample.args)
    expected = outcome(function(pytorch, name), *arguments, **sample.kwargs)
    if isinstance(expected, Exception):
        return False, False
    own = converted(arguments)
    result = function(ours, name)(*own, **converted(sample.kwargs))
    check_same(result, expected)
    if not gradients or not expected.requires_grad:
        return True, False
    return True, compare_gradients(pytorch, arguments, own, expected, result)


def compare_gradients(pytorch, arguments, own, expected, result):
    leaves = [i for i, each in enumerate(arguments) if isinstance(each, pytorch.Tensor) and each.requires_grad]
    inputs = [arguments[i] for i in leaves]
    theirs = outcome(pytorch.autograd.grad, weighted(pytorch, expected), inputs, allow_unused=True)
    if isinstance(theirs, Exception):
        return False
    mine = ours.autograd.grad(weighted(ours, result), [own[i] for i in leaves], allow_unused=True)
    for leaf, first, second in zip(inputs, mine, theirs, strict=True):
        assert (first is None) == (second is None)
        if first is not None:
            there = entries_of(leaf)
            np.testing.assert_allclose(elements(first) * there, elements(second) * there, rtol=1e-6, atol=1e-6)
    return bool(inputs)


def entries_of(leaf):
    """1 where a sparse tensor has entries: what PyTorch computes elsewhere is no gradient of theirs."""
    if str(leaf.layout) == "torch.strided":
        return 1
    return elements(with_entries(leaf, lambda values: ours.ones(values.shape))) != 0


def weighted(library, tensor):
    """A number that depends on all elements of a result, on each in another way."""
    result = tensor if str(tensor.layout) == "torch.strided" else tensor.to_dense()
    weights = np.cos(np.arange(result.numel())).reshape(tuple(result.shape))
    total = (result * library.from_numpy(np.asarray(weights)).to(result.dtype)).sum()
    return total.real if total.is_complex() else total


@pytest.mark.parametrize(("name", "layout"), [(name, layout) for name, each in SAMPLED.items() for layout in each])
@pytest.mark.parametrize("dtype", DTYPES)
def test_samples_of_the_database(pytorch, operators, name, layout, dtype):
    pytorch.manual_seed(1)  # else a sum in which large numbers cancel differs in its last bits in one run of ten
    wanted = getattr(pytorch, dtype)
    differentiable = wanted.is_floating_point or wanted.is_complex
    samples = operators[name].sample_inputs_sparse_coo if layout == "sparse_coo" else None
    samples = samples or getattr(operators[name], f"sample_inputs_{layout}")
    compared = [
        compare(pytorch, name, sample, name != "zeros_like")
        for sample in samples("cpu", wanted, requires_grad=differentiable)
    ]
    assert compared and all(values for values, _ in compared)
    if differentiable and name == "mul" and layout != "sparse_csc":  # of which PyTorch has no gradient
        assert any(gradients for _, gradients in compared)


@pytest.mark.parametrize("layout", LAYOUTS[:2])
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_that_keep_zeros(pytorch, operators, name, layout, dtype):
    wanted, compared = getattr(pytorch, dtype), 0
    for sample in operators[name].sample_inputs("cpu", wanted) if wanted in operators[name].dtypes else ():
        if sample.input.ndim == 2 and not sample.kwargs:
            sample.input = sample.input.to_sparse(layout=getattr(pytorch, layout))
            compared += compare(pytorch, name, sample)[0]
    assert compared or not (wanted.is_floating_point and wanted in operators[name].dtypes)


@pytest.mark.parametrize(
    ("name", "dtype"), [("sparse.sampled_addmm", "float64"), ("sparse.mm", "float64"), ("sparse.mm", "float32")]
)
def test_products_of_the_database(pytorch, operators, name, dtype):
    samples = list(operators[name].sample_inputs("cpu", getattr(pytorch, dtype), requires_grad=True))
    compared = [compare(pytorch, name, sample) for sample in samples if sample.input.ndim == 2]
    assert any(values for values, _ in compared)


# ---- by dense operators


ROWS, COLUMNS, SIZE = [0, 0, 1, 2, 3, 3], [1, 4, 0, 3, 1, 2], (4, 5)
VALUES = np.array([0.5, -1.5, 2.0, 1.25, -0.75, 3.0])
MATRIX, VECTOR, LEFT = (
    np.sin(np.arange(15.0)).reshape(5, 3),
    np.cos(np.arange(5.0)),
    np.cos(np.arange(8.0)).reshape(2, 4),
)
SQUARE = np.cos(np.arange(20.0)).reshape(SIZE)
# What is computed with a sparse matrix `s` and dense operands, made by `d`, in a library `t`.
EXPRESSIONS = {
    "times a matrix": lambda t, s, d: s @ d(MATRIX),
    "mm": lambda t, s, d: t.mm(s, d(MATRIX)),
    "times a vector": lambda t, s, d: s @ d(VECTOR),
    "mv": lambda t, s, d: s.mv(d(VECTOR)),
    "behind a matrix": lambda t, s, d: d(LEFT) @ s,
    "addmm": lambda t, s, d: t.addmm(d(SQUARE[:, :3]), s, d(MATRIX), beta=2, alpha=3),
    "times itself": lambda t, s, d: s @ s.t(),
    "transposed": lambda t, s, d: s.t() @ d(LEFT).t(),
    "plus": lambda t, s, d: s + s * 2,
    "minus": lambda t, s, d: s * 3 - s,
    "beside a dense one": lambda t, s, d: t.add(d(SQUARE), s, alpha=2),
    "times a dense one": lambda t, s, d: s * d(SQUARE),
    "times a row": lambda t, s, d: d(VECTOR) * s,
    "times itself by elements": lambda t, s, d: s * s,
    "over a number": lambda t, s, d: s / 4,
    "negative": lambda t, s, d: -s,
    "sin": lambda t, s, d: s.sin(),
    "relu": lambda t, s, d: t.relu(s),
    "square": lambda t, s, d: s.pow(2),
    "sum": lambda t, s, d: s.sum(),
    "rows of a transpose": lambda t, s, d: s.transpose(0, 1),
    "linear": lambda t, s, d: t.nn.functional.linear(s, d(MATRIX).t(), d(np.arange(3.0))),
}
ONLY_COO = {
    "sums of rows": lambda t, s, d: s.sum(1),
    "sums of columns": lambda t, s, d: s.sum(0, keepdim=True),
    "in the other order": lambda t, s, d: s.permute(1, 0),
    "a row": lambda t, s, d: s[3],
    "a column": lambda t, s, d: s[:, 1],
    "an element": lambda t, s, d: s[3, 1],
    "chosen rows": lambda t, s, d: s.index_select(0, t.tensor([3, 0, 3])),
    "chosen columns": lambda t, s, d: s.index_select(1, t.tensor([4, 1])),
    "joined": lambda t, s, d: t.cat([s, s * 2], 1),
    "stacked": lambda t, s, d: t.stack([s, s]),
    "with a dimension more": lambda t, s, d: s.unsqueeze(1),
    "norm": lambda t, s, d: s.norm(),
}


def gradients(library, expression, make):
    """Values of an expression, and the gradients of the entries of its sparse matrix and of the dense operands."""
    leaves = [library.tensor(VALUES, requires_grad=True)]

    def operand(numbers):
        leaves.append(library.tensor(np.asarray(numbers), requires_grad=True))
        return leaves[-1]

    result = expression(library, make(leaves[0]), operand)
    result = result if str(result.layout) == "torch.strided" else result.to_dense()
    weights = library.from_numpy(np.asarray(np.cos(np.arange(result.numel())).reshape(tuple(result.shape))))
    return [elements(result), *map(elements, library.autograd.grad((result * weights).sum(), leaves))]


@pytest.mark.parametrize("duplicates", [False, True], ids=["coalesced", "uncoalesced"])
@pytest.mark.parametrize(
    ("name", "layout"),
    [(name, "sparse_coo") for name in {**EXPRESSIONS, **ONLY_COO}] + [(name, "sparse_csr") for name in EXPRESSIONS],
)
def test_values_and_gradients_are_those_of_dense_operators(pytorch, name, layout, duplicates):
    rows, columns = (ROWS, COLUMNS) if not duplicates else ([0, 0, 1, 0, 3, 3], [1, 4, 0, 4, 1, 1])
    expression = {**EXPRESSIONS, **ONLY_COO}[name]

    def dense_matrix(values):
        index = pytorch.tensor(rows), pytorch.tensor(columns)
        return pytorch.zeros(SIZE, dtype=values.dtype).index_put(index, values, accumulate=True)

    def sparse_matrix(values):
        matrix = ours.sparse_coo_tensor([rows, columns], values, SIZE)
        return matrix if layout == "sparse_coo" else matrix.to_sparse_csr()

    expected = gradients(pytorch, expression, dense_matrix)
    for result, wanted in zip(gradients(ours, expression, sparse_matrix), expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dim", [0, 1])
def test_softmax_is_that_of_rows_without_what_has_no_entry(pytorch, name, dim):
    def masked(values):
        index = pytorch.tensor(ROWS), pytorch.tensor(COLUMNS)
        return pytorch.full(SIZE, -np.inf, dtype=values.dtype).index_put(index, values)

    def entries(library, result):
        return result[library.tensor(ROWS), library.tensor(COLUMNS)]

    expected = gradients(pytorch, lambda t, s, d: entries(t, getattr(t, name)(s, dim)), masked)
    result = gradients(
        ours,
        lambda t, s, d: entries(t, getattr(t.sparse, name)(s, dim).to_dense()),
        lambda values: ours.sparse_coo_tensor([ROWS, COLUMNS], values, SIZE),
    )
    for mine, theirs in zip(result, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
