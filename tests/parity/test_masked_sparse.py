"""`torch.masked` reductions of sparse tensors against PyTorch: layouts, entries, and what is refused."""

import warnings

import pytest

import rushlight

NUMBERS = [[3.0, 0, -2, 0], [0, 0, -5, 1], [0, 0, 0, 0]]
MASKS = {
    "stored and not": [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]],
    "nothing": [[0] * 4] * 3,
    "everything": [[1] * 4] * 3,
    "a row": [1, 0, 1, 0],
}
DIMS = [0, 1, (0, 1), None]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse")
        yield


def answer(library, name, layout, dim, mask, *, sparse_mask=True, dtype="float64", **keywords):
    """The layout, shape, dtype and elements of a result, or its error."""
    to_layout = {"coo": "to_sparse", "csr": "to_sparse_csr", "csc": "to_sparse_csc"}[layout]
    input = getattr(library.tensor(NUMBERS, dtype=getattr(library, dtype)), to_layout)()
    if mask is not None:
        mask = library.tensor(MASKS[mask]).bool()
        keywords["mask"] = getattr(mask, to_layout)() if sparse_mask and mask.ndim == 2 else mask
    try:
        result = getattr(library.masked, name)(input, dim, **keywords)
    except (RuntimeError, ValueError, AssertionError) as error:
        return type(error), str(error)
    return str(result.layout), tuple(result.shape), str(result.dtype), result.to_dense().tolist()


@pytest.mark.parametrize("mask", ["stored and not", "nothing", "everything", "a row", None])
@pytest.mark.parametrize("dim", DIMS, ids=str)
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("name", ["sum", "prod", "amax", "amin"])
def test_coordinates(name, keepdim, dim, mask, pytorch):
    for dtype in ("float64", "int32"):
        for sparse_mask in (True, False):
            arguments = {"sparse_mask": sparse_mask, "dtype": dtype, "keepdim": keepdim}
            expected = answer(pytorch, name, "coo", dim, mask, **arguments)
            assert answer(rushlight, name, "coo", dim, mask, **arguments) == expected


@pytest.mark.parametrize("mask", ["stored and not", "a row", None])
@pytest.mark.parametrize("dim", DIMS, ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "amax", "amin", "mean"])
def test_rows(name, dim, mask, pytorch):
    """A row of which nothing is kept has no entry; PyTorch has a value too many there for `dim=1`."""
    assert answer(rushlight, name, "csr", dim, mask) == answer(pytorch, name, "csr", dim, mask)
    kept = answer(rushlight, name, "csr", dim, mask, keepdim=True)
    if name in ("amax", "amin", "mean") and dim == 1 and mask == "stored and not":
        coo = {"mean": [[1.5], [-5], [0]], "amax": [[3], [-5], [0]], "amin": [[0], [-5], [0]]}
        assert kept == ("torch.sparse_csr", (3, 1), "torch.float64", coo[name])
    else:
        assert kept == answer(pytorch, name, "csr", dim, mask, keepdim=True)


def test_elements_with_dense_dimensions(pytorch):
    def call(library):
        input = library.arange(12.0).reshape(3, 2, 2).to_sparse(1)
        mask = library.tensor([[[1, 0], [0, 1]], [[1, 1], [0, 0]], [[1, 1], [1, 1]]]).bool()
        results = [library.masked.sum(input, dim, mask=mask) for dim in (0, 1, 2, (1, 2))]
        results.append(library.masked.amax(input, 0, mask=mask))
        return [result.to_dense().tolist() for result in results]

    assert call(rushlight) == call(pytorch)


def test_other_layouts_are_refused(pytorch):
    for name, layout in (("sum", "csc"), ("mean", "coo"), ("amax", "csc")):
        expected = answer(pytorch, name, layout, 1, "stored and not")
        assert answer(rushlight, name, layout, 1, "stored and not") == expected


def test_gradients_go_to_the_elements_that_are_kept():
    input = rushlight.tensor(NUMBERS).to_sparse().requires_grad_()
    mask = rushlight.tensor(MASKS["stored and not"]).bool()
    rushlight.masked.sum(input, 1, mask=mask).to_dense().sum().backward()
    assert input.grad.to_dense().tolist() == [[1, 0, 0, 0], [0, 0, 1, 0], [0] * 4]
