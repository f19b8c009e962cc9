"""Sparse tensors of other sizes, index dtypes and layouts, and the checks of their parts alone."""

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Sparse", "ignore:The .grad attribute")

PAIRS = [("csr", "csc"), ("csr", "bsr"), ("csc", "bsc"), ("bsr", "bsc"), ("bsc", "bsr"), ("csc", "csr")]


def matrix(torch):
    return torch.sparse_coo_tensor([[0, 1], [1, 0]], [2.0, 3.0], (2, 2))


def hybrid(torch):
    return torch.sparse_coo_tensor([[0]], [[1.0, 2.0, 3.0]], (1, 3))


def layout(torch, name):
    return {"layout": getattr(torch, f"sparse_{name}"), "blocksize": (2, 2) if name[0] == "b" else None}


def indices(tensor):
    by_rows = str(tensor.layout) in ("torch.sparse_csr", "torch.sparse_bsr")
    return (tensor.crow_indices(), tensor.col_indices()) if by_rows else (tensor.ccol_indices(), tensor.row_indices())


# ---- sizes


def test_dimensions_grow_in_place(torch):
    x = matrix(torch)
    assert x.sparse_resize_((3, 4), 2, 0) is x
    assert x.to_dense().tolist() == [[0, 2, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0]]
    assert hybrid(torch).sparse_resize_((1, 4), 1, 1).to_dense()[0, :3].tolist() == [1, 2, 3]
    empty = torch.sparse_coo_tensor(size=(3, 3)).sparse_resize_((4, 2), 1, 1)
    assert (empty.sparse_dim(), empty.dense_dim(), empty._nnz()) == (1, 1, 0)
    cleared = matrix(torch).sparse_resize_and_clear_((4, 4, 2), 2, 1)
    assert (tuple(cleared.shape), cleared.dense_dim(), cleared._nnz()) == ((4, 4, 2), 1, 0)


@pytest.mark.parametrize(
    "resize", [lambda torch: lambda x, other: x.resize_as_(other), lambda torch: torch.resize_as_sparse_]
)
def test_a_tensor_takes_the_size_of_another(torch, resize):
    x = resize(torch)(matrix(torch), torch.sparse_coo_tensor(size=(3, 3)))
    assert tuple(x.shape) == (3, 3) and x._nnz() == 2


@pytest.mark.parametrize(
    ("size", "sparse_dim", "dense_dim", "words"),
    [
        ((1, 3), 2, 0, r"changing the number of sparse dimensions \(from 1 to 2\) on a non-empty"),
        ((1, 3, 2), 1, 2, r"changing the number of dense dimensions \(from 1 to 2\) on a non-empty"),
        ((1, 2), 1, 1, r"shrinking the size of dense dimensions \(from \[3\] to \[2\]\) on a non-empty"),
        ((0, 3), 1, 1, r"shrinking the size of sparse dimensions \(from \[1\] to \[0\]\) on a non-empty"),
        ((1, 3), 1, 0, r"'len\(size\) == sparse_dim \+ dense_dim' is not satisfied: len\(size\) = 2"),
    ],
)
def test_entries_stay_where_they_are(torch, size, sparse_dim, dense_dim, words):
    with pytest.raises(RuntimeError, match=words):
        hybrid(torch).sparse_resize_(size, sparse_dim, dense_dim)


def test_only_the_layout_coo_is_resized(torch):
    for x in (torch.ones(2, 2), torch.eye(2).to_sparse_csr()):
        with pytest.raises(NotImplementedError, match="Could not run 'aten::sparse_resize_'"):
            x.sparse_resize_((2, 2), 2, 0)
    with pytest.raises(NotImplementedError, match="Could not run 'aten::resize_'"):
        matrix(torch).resize_as_(torch.ones(2, 2))


def passing(torch):
    """Returns a mode that changes nothing; constructors offer their calls once a program has entered one."""

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))

    return Mode()


@pytest.mark.parametrize("is_offered", [False, True])
@pytest.mark.parametrize("name", ["zeros", "empty"])
def test_constructors_write_to_a_sparse_tensor(torch, name, is_offered):
    x = hybrid(torch)
    if is_offered:
        with passing(torch):
            torch.ones(2)
    assert getattr(torch, name)(3, 4, 2, out=x) is x
    assert (tuple(x.shape), x.sparse_dim(), x._nnz()) == ((3, 4, 2), 3, 0)
    for other in (lambda: torch.ones(3, out=x), lambda: torch.full((3,), 2.0, out=x)):
        with pytest.raises(RuntimeError, match="is not implemented for sparse layout"):
            other()


def test_a_larger_dense_factor_repeats_entries(torch):
    x, factor = matrix(torch), torch.arange(12.0).reshape(3, 2, 2)
    for y in (x * factor, factor * x):
        assert y.layout is torch.sparse_coo and y.to_dense().tolist() == (x.to_dense() * factor).tolist()
    wide = torch.sparse_coo_tensor([[0]], [[1.0]], (2, 1)) * torch.ones(2, 3)
    assert wide.to_dense().tolist() == [[1, 1, 1], [0, 0, 0]]
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        matrix(torch) * torch.ones(3)


def test_entries_are_repeated_over_dimensions(torch):
    x = torch._sparse_broadcast_to(matrix(torch), (3, 2, 2))
    assert x._nnz() == 6 and torch.equal(x.to_dense(), matrix(torch).to_dense().expand(3, 2, 2))
    column = torch.sparse_coo_tensor([[0, 1], [0, 0]], [2.0, 3.0], (2, 1)).coalesce()
    row = torch._sparse_broadcast_to(column, (2, 3))
    assert row.is_coalesced() and row.to_dense().tolist() == [[2, 2, 2], [3, 3, 3]]
    with pytest.raises(RuntimeError, match="length 2 at dimension 1 does not broadcast over .* 3 at dimension 1"):
        torch._sparse_broadcast_to(matrix(torch), (2, 3))
    with pytest.raises(RuntimeError, match="fewer dimensions than the input"):
        torch._sparse_broadcast_to(matrix(torch), (2,))


# ---- operators


def test_a_sum_with_a_tensor_without_entries(torch):
    other = torch.sparse_coo_tensor(torch.zeros(1, 0), torch.zeros(0, 2), (2, 2))
    for x in (matrix(torch) + other, other + matrix(torch)):
        assert x.sparse_dim() == 2 and x.to_dense().tolist() == [[0, 2], [3, 0]]
    with pytest.raises(RuntimeError, match="have same density, but 'self' has 2 sparse dimensions while 'other' has 1"):
        matrix(torch) + torch.sparse_coo_tensor([[0]], [[1.0, 2.0]], (2, 2))


def test_an_element_keeps_its_dtype(torch):
    x = torch.sparse_coo_tensor([[0, 0], [0, 0]], torch.ones(2, dtype=torch.int8), (3, 3))
    assert x[0, 0].dtype is torch.int8 and x[0, 0].item() == 2


def test_what_is_refused_of_dimensions(torch):
    for dim in (10, -1):
        with pytest.raises(RuntimeError, match=rf"Dimension {dim} out of range. Expecting 0 <= dim < 2."):
            matrix(torch).narrow_copy(dim, 0, 1)
    with pytest.raises(RuntimeError, match="duplicate dims are not allowed"):
        matrix(torch).permute(0, 0)
    with pytest.raises(RuntimeError, match=r"mv: expected self.size\(-1\) == vec.size\(-1\)"):
        torch.mv(matrix(torch), torch.ones(3))
    whole = torch.sparse_coo_tensor([[0]], [1], (3,))
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.asin(whole, out=whole.clone())


def test_diagonals_are_checked(torch):
    make = torch.sparse.spdiags
    with pytest.raises(RuntimeError, match="Offsets must be scalar or vector"):
        make(torch.ones(2, 3), torch.tensor([[1, 2], [0, 3]]), (3, 3))
    with pytest.raises(RuntimeError, match="Offset Tensor must have dtype Long but got Int"):
        make(torch.ones(1, 5), torch.tensor([0], dtype=torch.int32), (5, 5))
    with pytest.raises(RuntimeError, match=r"Only output layouts \(Sparse, SparseCsc, SparseCsr\) .*, got SparseBsr"):
        make(torch.ones(1, 2), torch.tensor([0]), (2, 2), torch.sparse_bsr)


@pytest.mark.parametrize("name", ["bsr", "bsc"])
def test_what_tensors_of_blocks_compute(torch, name):
    dense = torch.tensor([[1.0, 0, 0, 2], [0, 0, 0, 0]])
    x = dense.to_sparse(**layout(torch, name))
    for y in (x * 2, 2 * x, x * torch.tensor(2.0), x.clone().mul_(2)):
        assert y.layout is x.layout and torch.equal(y.to_dense(), dense * 2)
    assert x.sum().item() == 3.0
    other = {"bsr": torch.sparse_bsc, "bsc": torch.sparse_bsr}[name]
    for kind in (x.layout, other):
        empty = torch.zeros_like(x, layout=kind)
        assert empty.layout is kind and empty._nnz() == 0 and not empty.to_dense().any()
        assert empty.values().shape[1:] == (2, 2)


def test_products_of_blocks_are_added(torch):
    x, v, ones = torch.eye(4).to_sparse_bsr((2, 2)), torch.arange(4.0), torch.ones(4, 4)
    assert torch.mv(x, v).tolist() == v.tolist()
    assert torch.addmv(v, x, v, beta=2, alpha=3).tolist() == [0, 5, 10, 15]
    assert torch.addmv(v, x, v, out=torch.empty(4)).tolist() == v.clone().addmv_(x, v).tolist() == [0, 2, 4, 6]
    assert torch.equal(torch.addmm(ones, x, ones, beta=0, alpha=2), ones * 2)
    assert torch.equal(ones.clone().addmm_(x, ones), ones * 2)


def test_only_coo_tells_that_it_is_not_contiguous(torch):
    assert not torch.eye(2).to_sparse().is_contiguous()
    for name, x in (("CSR", torch.eye(2).to_sparse_csr()), ("BSC", torch.eye(2).to_sparse_bsc((1, 1)))):
        for call in (x.is_contiguous, x.contiguous):
            with pytest.raises(RuntimeError, match=f"Sparse {name} tensors do not have is_contiguous"):
                call()


def test_memory_formats_are_for_dense_results(torch):
    assert torch.zeros_like(matrix(torch), layout=torch.strided, memory_format=torch.preserve_format).shape == (2, 2)
    with pytest.raises(RuntimeError, match="memory format option is only supported by strided tensors"):
        torch.zeros_like(matrix(torch), memory_format=torch.preserve_format)


def test_gradcheck_of_tensors_without_elements(torch):
    x = torch.zeros(3, 0, dtype=torch.float64).to_sparse().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: x.to_dense(), x, masked=True)


# ---- layouts


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_indices_keep_their_dtype(torch, source, target):
    x = torch.eye(4).to_sparse(**layout(torch, source))
    x = torch.sparse_compressed_tensor(*(i.int() for i in indices(x)), x.values(), x.shape, layout=x.layout)
    y = x.to_sparse(**layout(torch, target))
    assert {i.dtype for i in indices(y)} == {torch.int32} and torch.equal(y.to_dense(), torch.eye(4))


REFUSED = [
    ("compressed_to_sparse_csr: expected SparseCsr or SparseCsc layout but got SparseBsr",
     lambda t: t.eye(4).to_sparse_bsr((2, 2)).to_sparse_csr()),
    ("to_sparse_bsr: conversion from SparseBsr to SparseBsr with blocksize changed from",
     lambda t: t.eye(4).to_sparse_bsr((2, 2)).to_sparse_bsr((1, 1))),
    ("sparse_compressed_to_sparse_bsr: conversion from SparseCsr to SparseBsr for batched inputs is not supported",
     lambda t: t.ones(2, 4, 4).to_sparse_csr().to_sparse_bsr((2, 2))),
    (r"coo_to_sparse_csr: conversion from Sparse to SparseCsr for input tensors with sparse_dim\(\)!=2",
     lambda t: t.ones(2, 2, 2).to_sparse().to_sparse_csr()),
    (r"sparse_coo_to_sparse: conversion from Sparse to SparseCsc for input tensors with sparse_dim\(\)!=2",
     lambda t: t.ones(2, 2, 2).to_sparse().to_sparse(layout=t.sparse_csc)),
    ("coo_to_sparse_csr: conversion from Sparse to SparseCsr with dense_dim argument given is not supported",
     lambda t: t.eye(4).to_sparse().to_sparse_csr(0)),
    ("to_sparse_csr: conversion from SparseCsr to SparseCsr with dense_dim argument given is not supported",
     lambda t: t.eye(4).to_sparse_csr().to_sparse_csr(0)),
]  # fmt: skip


@pytest.mark.parametrize(("words", "convert"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_not_converted(torch, words, convert):
    with pytest.raises(RuntimeError, match=words):
        convert(torch)


# ---- checks alone


def test_parts_are_checked_without_a_tensor(torch):
    coo, compressed = torch._validate_sparse_coo_tensor_args, torch._validate_sparse_compressed_tensor_args
    begins, wrong, values = torch.tensor([0, 0, 1]), torch.tensor([3]), torch.tensor([1.0])
    assert coo(torch.tensor([[0], [1]]), values, (2, 2)) is None
    with pytest.raises(RuntimeError, match="for dim 1, size is 2 but found index 3"):
        coo(torch.tensor([[0], [3]]), values, (2, 2))
    assert compressed(begins, torch.tensor([1]), values, (2, 2), torch.sparse_csr) is None
    for check, parts in (
        (compressed, (begins, wrong, values, (2, 2), torch.sparse_csr)),
        (torch._validate_sparse_csr_tensor_args, (begins, wrong, values, (2, 2))),
        (torch._validate_sparse_bsr_tensor_args, (begins, wrong, values.reshape(1, 1, 1), (2, 2))),
    ):
        with pytest.raises(RuntimeError, match="`0 <= col_indices < ncols` is not satisfied."):
            check(*parts)
    for check in (torch._validate_sparse_csc_tensor_args, torch._validate_sparse_bsc_tensor_args):
        with pytest.raises(RuntimeError, match="row_indices"):
            check(begins, wrong, values if "csc" in check.__name__ else values.reshape(1, 1, 1), (2, 2))
    with pytest.raises(RuntimeError, match="expected sparse compressed tensor layout but got Strided"):
        compressed(begins, wrong, values, (2, 2), torch.strided)
    with pytest.raises(TypeError, match=r"argument 'compressed_indices' \(position 1\) must be Tensor, not list"):
        compressed([0, 0, 1], wrong, values, (2, 2), torch.sparse_csr)


def test_lengths_are_numbers_of_numpy_and_tensors_of_one_element(torch):
    for two in (np.int8(2), np.uint64(2), torch.tensor(2)):
        assert torch.sparse_coo_tensor([[0], [1]], [3.0], (two, two)).to_dense().tolist() == [[0, 3], [0, 0]]
        assert torch.sparse_csr_tensor([0, 1, 1], [1], [3.0], (two, two)).to_dense().tolist() == [[0, 3], [0, 0]]
