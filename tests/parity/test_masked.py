"""`torch.masked` against PyTorch: every function with every sort of dtype, dimension and mask, what each refuses."""

import importlib

import numpy as np
import pytest

oracle = pytest.importorskip("torch")
ours = importlib.import_module("rushlight")
LIBRARIES = pytest.mark.parametrize("library", [ours, oracle], ids=["rushlight", "torch"])

NUMBERS = np.array([[-3.0, -2, -1], [0, 1, 2]])
ROWS = [[True, False, True], [False, False, False]]
MASKS = [None, ROWS, [True, False, True], [[True], [False]], True]
# How each function is called beside its input, its dimension and its mask.
REDUCTIONS = {name: () for name in "sum prod amax amin argmax argmin mean median var std logsumexp".split()} | {
    "norm": (2.0,)
}
ALONG = {name: () for name in "cumsum cumprod softmax log_softmax softmin".split()} | {"normalize": (2.0,)}
EVERY = REDUCTIONS | ALONG


def tensor(library, values, dtype="float64"):
    return library.from_numpy(np.array(values)).to(getattr(library, dtype))


def outcome(function, *arguments, **keywords):
    """The dtype and values of a result, or the type and first line of its error."""
    try:
        result = function(*arguments, **keywords)
    except (RuntimeError, TypeError, ValueError, IndexError, AssertionError) as error:
        return type(error).__name__, str(error).splitlines()[0]
    return str(result.dtype), result.tolist()


def call(library, name, dim, *, of="float64", mask=None, numbers=NUMBERS, to=None, arguments=None, **keywords):
    """Calls a function on numbers of one dtype, for a result in another."""
    if mask is not None:
        keywords["mask"] = tensor(library, mask, "bool")
    if to is not None:
        keywords["dtype"] = getattr(library, to)
    arguments = EVERY[name] if arguments is None else arguments
    return outcome(getattr(library.masked, name), tensor(library, numbers, of), *arguments, dim, **keywords)


def check_same(name, dim, tolerance=1e-6, **keywords):
    check_equal(*(call(library, name, dim, **keywords) for library in (ours, oracle)), tolerance, f"{name} {keywords}")


def check_equal(found, expected, tolerance=1e-6, words=""):
    assert found[0] == expected[0], (words, found, expected)
    if isinstance(expected[1], str):
        assert found[1] == expected[1] or found[0] == "TypeError"
    else:
        np.testing.assert_allclose(found[1], expected[1], rtol=tolerance, atol=tolerance, err_msg=words)


@pytest.mark.parametrize("mask", MASKS, ids=["none", "rows", "vector", "column", "one"])
@pytest.mark.parametrize("name", EVERY)
def test_masks(name, mask):
    for dim in (0, 1, -1):
        check_same(name, dim, mask=mask)


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("name", EVERY)
def test_dtypes(name, dtype):
    tolerance = 2e-3 if dtype == "float16" else 1e-5
    for mask in (None, ROWS, [True, False, True]):
        check_same(name, 1, tolerance, of=dtype, mask=mask)


@pytest.mark.parametrize("name", EVERY)
def test_dimensions(name):
    for dim in (None, (), (0, 1), (1, 0), (-1,), (0, 0), 5):
        check_same(name, dim, mask=[True, False, True])
    check_same(name, 0, numbers=2.0, mask=True)
    check_same(name, 0, numbers=2.0)
    check_same(name, 0, numbers=np.zeros((0, 3)), mask=[True, False, True])


@pytest.mark.parametrize("name", REDUCTIONS)
def test_keepdim(name):
    check_same(name, 1, mask=ROWS, keepdim=True)
    check_same(name, 0, keepdim=True)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_the_dtype_of_the_result(name, dtype):
    for mask in (None, [True, True, False]):
        check_same(name, 1, mask=mask, to=dtype)


@pytest.mark.parametrize("name", EVERY)
def test_a_mask_that_does_not_fit_is_refused(name):
    for mask in ([ROWS], [True, False]):
        check_same(name, 1, mask=mask)


@pytest.mark.parametrize("ord", [0, 1, 2, 3, -1, 0.5, float("inf"), -float("inf"), "fro"])
def test_norms(ord):
    for dtype in ("float64", "int64", "complex128"):
        for mask in (None, ROWS):
            check_same("norm", 1, of=dtype, mask=mask, arguments=(ord,))


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize(
    "keywords",
    [{"unbiased": True}, {"unbiased": False}, {"correction": 0}, {"correction": 2}, {"correction": 5},
     {"correction": 0.5}, {"unbiased": True, "correction": 1}],
)  # fmt: skip
def test_the_correction_of_a_variance(name, keywords):
    for mask in (None, ROWS):
        check_same(name, 1, mask=mask, **keywords)


MASKED_PAIRS = [(None, None), ([True, False, False], None), ([True, False, False], [True, True, False])]


@pytest.mark.parametrize("masks", MASKED_PAIRS)
@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "complex128"])
def test_logaddexp(masks, dtype):
    def called(library):
        names = [(name, mask) for name, mask in zip(("input_mask", "other_mask"), masks, strict=True) if mask]
        pair = (tensor(library, numbers, dtype) for numbers in NUMBERS)
        return outcome(library.masked.logaddexp, *pair, **{name: tensor(library, mask, "bool") for name, mask in names})

    check_equal(called(ours), called(oracle))


# ---- stories, under both


@LIBRARIES
def test_what_is_masked_out_may_be_anything(library):
    numbers = library.tensor([[float("nan"), 1.0, 2.0], [4.0, float("inf"), -6.0]])
    mask = library.tensor([[False, True, True], [True, False, True]])
    masked = library.masked
    assert masked.sum(numbers, 1, mask=mask).tolist() == [3, -2]
    assert masked.mean(numbers, 1, mask=mask).tolist() == [1.5, -1]
    assert masked.amax(numbers, 1, mask=mask).tolist() == [2, 4]
    assert masked.median(numbers, 1, mask=mask).tolist() == [1, -6]
    assert masked.cumsum(numbers, 1, mask=mask).tolist() == [[0, 1, 3], [4, 4, -2]]


@LIBRARIES
def test_no_gradient_reaches_what_is_masked_out(library):
    mask = library.tensor([True, False, True])
    for name, arguments in EVERY.items():
        if name.startswith("arg"):
            continue
        numbers = library.tensor(NUMBERS, requires_grad=True)
        result = getattr(library.masked, name)(numbers, *arguments, 1, mask=mask)
        result.sum().backward()
        assert numbers.grad[:, 1].tolist() == [0, 0], name


@LIBRARIES
def test_a_mask_of_numbers_lets_through_what_is_not_0(library):
    result = library.masked.sum(library.tensor(NUMBERS), 1, mask=library.tensor([2, 0, 1]))
    assert result.tolist() == [-4, 2]


@LIBRARIES
def test_the_public_names(library):
    names = {*EVERY, "logaddexp"}
    assert names <= set(library.masked.__all__)
    assert all(callable(getattr(library.masked, name)) for name in names)


@LIBRARIES
def test_which_results_come_from_an_element_that_counts(library):
    masked, numbers = library.masked, library.tensor(NUMBERS)
    mask = library.tensor([[True, False, True], [False, False, False]])
    assert masked._output_mask(masked.sum, numbers, mask=mask).tolist() is True
    assert masked._output_mask(masked.amax, numbers, 1, mask=mask).tolist() == [True, False]
    assert masked._output_mask(masked.mean, numbers, dim=(0,), keepdim=True, mask=mask).tolist() == [
        [True, False, True]
    ]
    assert masked._output_mask(masked.norm, numbers, 2.0, 1, mask=mask).tolist() == [True, False]
    assert masked._output_mask(masked.softmax, numbers, 1, mask=mask).tolist() == mask.tolist()
    assert masked._input_mask(numbers, mask=mask[0]).tolist() == [mask[0].tolist()] * 2
    with pytest.raises(ValueError, match="requires explicit mask"):
        masked._input_mask(numbers)
    with pytest.raises(ValueError, match="expected masked operation"):
        masked._output_mask(library.add, numbers, 1, mask=mask)


@LIBRARIES
def test_identities_of_operations(library):
    identity, numbers = library.masked._reduction_identity, library.tensor(NUMBERS)
    small, integers, bools = numbers.half(), numbers.to(library.uint8), numbers > 0
    values = {name: identity(name, small) for name in ("sum", "prod", "amax", "argmin", "logsumexp", "cumprod")}
    assert {value.dtype for value in values.values()} == {library.float16}
    infinity = float("inf")
    assert [value.item() for value in values.values()] == [0, 1, -infinity, infinity, -infinity, 1]
    assert [identity(name, integers).item() for name in ("amax", "amin", "logaddexp")] == [0, 255, 0]
    assert [identity("norm", numbers, order).item() for order in (2, -infinity)] == [0, infinity]
    assert identity("mean", numbers) is identity("std", numbers) is None
    assert identity("masked.amax", numbers).item() == -infinity
    assert identity("median", integers).dtype is library.float32
    assert identity("sum", bools).item() is False
    assert identity("logsumexp", numbers.cfloat()).real.item() == -infinity
    with pytest.raises(NotImplementedError, match="^identity of amax on torch.bool input"):
        identity("amax", bools)
    with pytest.raises(NotImplementedError, match="^identity of softmax on torch.float32 input"):
        identity("softmax", library.ones(1))


@LIBRARIES
def test_a_mask_may_be_sparse(library):
    mask = library.tensor([[True, False, True], [False, False, False]])
    result = library.masked.sum(library.tensor(NUMBERS), 1, mask=mask.to_sparse())
    assert result.tolist() == library.masked.sum(library.tensor(NUMBERS), 1, mask=mask).tolist()
