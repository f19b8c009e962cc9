"""Sparse tensors: how they are made, printed, combined, differentiated, stored, and what they refuse."""

import copy
import importlib
import io
import pickle

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Sparse", "ignore:The .grad attribute")


@pytest.fixture
def matrix(torch):
    return torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3)).coalesce()


# ---- making and printing


def test_entries_at_one_place_add_up(torch):
    x = torch.sparse_coo_tensor([[0, 1, 0], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    assert not x.is_coalesced() and x._nnz() == 3
    assert x.to_dense().tolist() == [[0, 0, 8], [4, 0, 0]]
    y = x.coalesce()
    assert y.is_coalesced() and y.indices().tolist() == [[0, 1], [2, 0]] and y.values().tolist() == [8, 4]


def test_a_hybrid_tensor_has_dense_dimensions_at_the_end(torch):
    x = torch.sparse_coo_tensor([[2, 0]], torch.arange(4.0).reshape(2, 2), (3, 2))
    assert (x.sparse_dim(), x.dense_dim(), tuple(x.shape)) == (1, 1, (3, 2))
    assert x.to_dense().tolist() == [[2, 3], [0, 0], [0, 1]]
    assert x.coalesce().values().tolist() == [[2, 3], [0, 1]]


PRINTED = {
    "COO": lambda torch, x: x,
    "CSR": lambda torch, x: x.to_sparse_csr(),
    "CSC": lambda torch, x: x.to_sparse_csc(),
    "float64": lambda torch, x: x.double(),
    "that requires grad": lambda torch, x: x.clone().requires_grad_(),
    "a result": lambda torch, x: x.clone().requires_grad_() * 2,
    "CSR result": lambda torch, x: x.to_sparse_csr().requires_grad_() + x.to_sparse_csr(),
    "of values": lambda torch, x: torch.sparse_coo_tensor(x.indices(), x.values().requires_grad_(), x.shape),
    "hybrid": lambda torch, x: torch.ones(2, 2, 3).to_sparse(1),
    "empty": lambda torch, x: torch.sparse_coo_tensor((2, 3)),
    "empty CSR": lambda torch, x: torch.zeros(2, 3, layout=torch.sparse_csr),
    "large": lambda torch, x: torch.ones(40, 50).to_sparse(),
    "batched": lambda torch, x: torch.ones(2, 2, 2).to_sparse_csr(),
    "integers": lambda torch, x: (x * 100000).int(),
    "a parameter": lambda torch, x: torch.nn.Parameter(x),
    "a sum": lambda torch, x: torch.sparse.sum(x, 0),
}


def test_text(matrix):
    lines = (
        "tensor(indices=tensor([[0, 1, 1],",
        "                       [2, 0, 2]]),",
        "       values=tensor([3., 4., 5.]),",
        "       size=(2, 3), nnz=3, layout=torch.sparse_coo)",
    )
    assert repr(matrix) == "\n".join(lines)


@pytest.mark.parametrize("name", PRINTED)
def test_text_is_that_of_pytorch(pytorch, name):
    import rushlight

    ours, theirs = (
        repr(PRINTED[name](library, library.tensor([[0, 0, 3.0], [4, 0, 5]]).to_sparse()))
        for library in (rushlight, pytorch)
    )
    assert ours == theirs


def test_layouts_are_converted_into_each_other(torch, matrix):
    dense = matrix.to_dense()
    for x in (matrix, matrix.to_sparse_csr(), matrix.to_sparse_csc(), dense.to_sparse(), dense.to_sparse(1)):
        assert x.to_dense().equal(dense)
        assert x.to_sparse_coo().to_dense().equal(dense)
    assert matrix.to_sparse_csr().layout is torch.sparse_csr and matrix.is_sparse and not dense.is_sparse


BEYOND = lambda t: t.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (2,), check_invariants=True)  # noqa: E731
WRONG = {
    "index beyond the size": (BEYOND, "size is"),
    "negative index": (lambda t: t.sparse_coo_tensor([[-1]], [1.0], (2,), check_invariants=True), "found negative"),
    "counts differ": (lambda t: t.sparse_coo_tensor([[0, 1]], [1.0], (2,)), "indices and values must have same nnz"),
    "indices of one dimension": (lambda t: t.sparse_coo_tensor([0, 1], [1.0, 2.0], (2, 2)), "indices must be"),
    "size of other dimensions": (lambda t: t.sparse_coo_tensor([[0]], [1.0], (2, 2)), "'len\\(size\\)"),
    "rows that do not begin at 0": (
        lambda t: t.sparse_csr_tensor([1, 1, 2], [1, 0], [1.0, 2.0], (2, 2), check_invariants=True), "`crow_indices"
    ),
    "column beyond the size": (
        lambda t: t.sparse_csr_tensor([0, 1, 2], [1, 5], [1.0, 2.0], (2, 2), check_invariants=True), "`0 <= col_indices"
    ),
    "columns in no order": (
        lambda t: t.sparse_csr_tensor([0, 2], [1, 0], [1.0, 2.0], (1, 2), check_invariants=True), "`col_indices"
    ),
    "no layout": (lambda t: t.sparse_compressed_tensor([0, 1], [0], [1.0]), "sparse_compressed_tensor expected"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_sparse_tensor_is_refused(torch, name):
    make, words = WRONG[name]
    with pytest.raises(RuntimeError, match=words):
        make(torch)


def test_checks_are_a_context_a_decorator_and_a_switch(torch):
    check = torch.sparse.check_sparse_tensor_invariants
    before = check.is_enabled()
    with check():
        assert check.is_enabled()
        with check(enable=False):
            assert not check.is_enabled()
    assert check(True)(check.is_enabled)() is True
    assert check.is_enabled() is before


# ---- what they do not have


REFUSED = {
    "exp": lambda torch, x: x.exp(),
    "sigmoid": lambda torch, x: torch.sigmoid(x),
    "gt.Scalar": lambda torch, x: x > 0,
    "eq.Tensor": lambda torch, x: x == x,
    "max": lambda torch, x: x.max(),
    "_softmax": lambda torch, x: torch.softmax(x, 1),
    "view": lambda torch, x: x.view(6),
    "as_strided": lambda torch, x: x[:1],
    "maximum": lambda torch, x: torch.maximum(torch.ones(2, 3), x),
    "cumsum": lambda torch, x: torch.cumsum(x, 0),
    "nonzero": lambda torch, x: x.nonzero(),
    "fill_.Scalar": lambda torch, x: x.fill_(1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_operator_that_is_not_there_says_so(torch, matrix, name):
    with pytest.raises(NotImplementedError, match=f"^Could not run 'aten::{name}' with arguments from the 'SparseCPU'"):
        REFUSED[name](torch, matrix)
    assert matrix.to_dense().tolist() == [[0, 0, 3], [4, 0, 5]]


ERRORS = {
    "plus dense": (lambda t, x: x + t.ones(2, 3), RuntimeError, "add\\(sparse, dense\\) is not supported"),
    "plus a number": (lambda t, x: x + 1, RuntimeError, "add\\(sparse, dense\\) is not supported"),
    "over dense": (lambda t, x: x / t.ones(2, 3), RuntimeError, "Sparse division requires a scalar"),
    "to NumPy": (lambda t, x: x.numpy(), TypeError, "can't convert Sparse layout tensor to numpy"),
    "storage": (lambda t, x: x.untyped_storage(), NotImplementedError, "Cannot access storage of SparseTensorImpl"),
    "item": (lambda t, x: x.item(), RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar"),
    "truth": (lambda t, x: bool(x), RuntimeError, "Boolean value of Tensor with more than one value"),
    "reshape": (lambda t, x: x.reshape(6), RuntimeError, "reshape is not implemented for sparse tensors"),
    "expand": (lambda t, x: x.expand(2, 2, 3), RuntimeError, "expand is unsupported for Sparse tensors"),
    "values of uncoalesced": (lambda t, x: t.cat([x, x], 1).values(), RuntimeError, "Cannot get values on an uncoal"),
    "rows of COO": (lambda t, x: x.crow_indices(), RuntimeError, "crow_indices expected sparse row compressed"),
    "indices of CSR": (lambda t, x: x.to_sparse_csr().indices(), RuntimeError, "indices expected sparse coordinate"),
    "indices of dense": (lambda t, x: t.ones(2).indices(), RuntimeError, "indices expected sparse coordinate"),
    "sizes": (lambda t, x: x @ t.ones(2, 2), RuntimeError, "addmm: Argument #3 \\(dense\\): Expected dim 0 size 3"),
    "dtypes": (lambda t, x: x @ t.ones(3, 2).double(), RuntimeError, "expected scalar type Float but found Double"),
    "backward of many": (lambda t, x: x.requires_grad_().backward(), RuntimeError, "grad can be implicitly created"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(torch, matrix, name):
    call, error, words = ERRORS[name]
    with pytest.raises(error, match=words):
        call(torch, matrix)


# ---- gradients


def test_a_leaf_has_a_sparse_gradient(torch, matrix):
    x = matrix.requires_grad_()
    weight = torch.arange(6.0).reshape(3, 2).requires_grad_()
    torch.sparse.mm(x, weight).sum().backward()
    assert x.grad.is_sparse and x.grad.coalesce().values().tolist() == [9, 1, 9]
    assert weight.grad.tolist() == [[4, 4], [0, 0], [8, 8]]
    torch.sparse.mm(x, weight).sum().backward()
    assert x.grad.coalesce().values().tolist() == [18, 2, 18]
    x.grad = None
    assert x.grad is None and x.is_leaf and x.requires_grad


def test_gradients_flow_through_values(torch):
    values = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], values, (2, 2))
    assert not x.is_leaf and x.requires_grad
    (x.to_dense() ** 2).sum().backward()
    assert values.grad.tolist() == [6, 6, 6]


def test_functions_of_autograd_take_sparse_tensors(torch, matrix):
    x = matrix.requires_grad_()
    (g,) = torch.autograd.grad((x * x).to_dense().sum(), x)
    assert g.layout is torch.sparse_coo and g.to_dense().tolist() == [[0, 0, 6], [8, 0, 10]]
    (2 * x).backward(matrix.detach())
    assert x.grad.to_dense().tolist() == [[0, 0, 6], [8, 0, 10]]
    with torch.no_grad():
        assert not (x * 2).requires_grad


def test_a_hook_gets_a_sparse_gradient(torch, matrix):
    layouts = []
    x = matrix.requires_grad_()
    x.register_hook(lambda g: layouts.append(g.layout) or g * 2)
    torch.sparse.sum(x).backward()
    assert layouts == [torch.sparse_coo]
    assert x.grad.to_dense().tolist() == [[0, 0, 2], [2, 0, 2]]


def test_a_sparse_parameter_learns(torch, matrix):
    weight = torch.nn.Parameter(matrix)
    assert isinstance(weight, torch.nn.Parameter) and weight.requires_grad
    optimizer = torch.optim.SGD([weight], lr=0.5)
    torch.sparse.mm(weight, torch.ones(3, 1)).sum().backward()
    optimizer.step()
    assert weight.to_dense().tolist() == [[0, 0, 2.5], [3.5, 0, 4.5]] and weight.requires_grad
    optimizer.zero_grad()
    assert weight.grad is None


# ---- tables


def test_a_table_has_the_gradients_of_the_rows_looked_up(torch):
    table = torch.nn.Embedding(5, 2, sparse=True, padding_idx=1)
    rows = table(torch.tensor([[1, 3], [3, 0]]))
    (rows * torch.arange(4.0).reshape(2, 2, 1)).sum().backward()
    g = table.weight.grad
    assert g.is_sparse and g._indices().tolist() == [[3, 3, 0]]
    assert g.to_dense()[:, 0].tolist() == [3, 0, 0, 3, 0]
    table(torch.tensor([4])).sum().backward()
    assert table.weight.grad.is_sparse and table.weight.grad._nnz() == 4
    table.weight.sum().backward()
    assert not table.weight.grad.is_sparse and table.weight.grad[:, 0].tolist() == [4, 1, 1, 4, 2]


def test_a_table_that_is_also_a_matrix_has_a_dense_gradient(torch):
    weight = torch.ones(3, 2, requires_grad=True)
    rows = torch.nn.functional.embedding(torch.tensor([2, 2]), weight, sparse=True)
    (rows @ weight.t()).sum().backward()
    assert not weight.grad.is_sparse and weight.grad.tolist() == [[2, 2], [2, 2], [8, 8]]


def test_hooks_and_gradients_of_a_table(torch):
    table, layouts = torch.nn.Embedding(4, 2, sparse=True), []
    table.weight.register_hook(lambda g: layouts.append(g.layout))
    rows = table(torch.tensor([1, 1]))
    rows.retain_grad()
    rows.sum().backward()
    assert layouts == [torch.sparse_coo] and rows.grad.tolist() == [[1, 1], [1, 1]]
    (g,) = torch.autograd.grad(table(torch.tensor([2])).sum(), table.weight)
    assert g.is_sparse and g._indices().tolist() == [[2]]


NO_SPARSE_STEP = {
    "Adam": "Adam does not support sparse gradients, please consider SparseAdam instead",
    "AdamW": "Adam does not support sparse gradients, please consider SparseAdam instead",
    "RMSprop": "RMSprop does not support sparse gradients",
    "Adadelta": "Adadelta does not support sparse gradients",
    "Adafactor": "Adafactor does not support sparse gradients",
    "Muon": "Muon does not support sparse gradients",
}


@pytest.mark.parametrize("name", NO_SPARSE_STEP)
def test_optimizers_without_sparse_steps_refuse(torch, name):
    table, dense = torch.nn.Embedding(4, 2, sparse=True), torch.nn.Parameter(torch.ones(2, 2))
    optimizer = getattr(torch.optim, name)([dense, table.weight], lr=0.1)
    (table(torch.tensor([1])) @ dense).sum().backward()
    before = table.weight.detach().clone()
    with pytest.raises(RuntimeError, match=f"^{NO_SPARSE_STEP[name]}$"):
        optimizer.step()
    assert table.weight.equal(before)


def test_sparse_adam_refuses_dense_gradients(torch):
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SparseAdam([weight])
    weight.sum().backward()
    with pytest.raises(RuntimeError, match="^SparseAdam does not support dense gradients"):
        optimizer.step()


def test_decay_does_not_go_with_sparse_gradients(torch):
    table = torch.nn.Embedding(4, 2, sparse=True)
    table(torch.tensor([1])).sum().backward()
    with pytest.raises(RuntimeError, match="^weight_decay option is not compatible with sparse gradients"):
        torch.optim.Adagrad(table.parameters(), weight_decay=0.1).step()
    with pytest.raises(RuntimeError, match="^add\\(sparse, dense\\) is not supported"):
        torch.optim.SGD(table.parameters(), lr=0.1, weight_decay=0.1).step()


def test_sparse_gradients_are_not_clipped(torch):
    table = torch.nn.Embedding(4, 2, sparse=True)
    table(torch.tensor([1])).sum().backward()
    with pytest.raises(NotImplementedError, match="^Could not run 'aten::linalg_vector_norm'"):
        torch.nn.utils.clip_grad_norm_(table.parameters(), 0.1)
    assert table.weight.grad.to_dense()[1].tolist() == [1, 1]


# ---- copies and files


COPIES = {
    "deepcopy": lambda torch, x: copy.deepcopy(x),
    "pickle": lambda torch, x: pickle.loads(pickle.dumps(x)),
    "file": lambda torch, x: through_a_file(torch, x),
    "older format": lambda torch, x: through_a_file(torch, x, _use_new_zipfile_serialization=False),
}


def through_a_file(torch, value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    file.seek(0)
    return torch.load(file)


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc"])
def test_copies(torch, matrix, name, layout):
    if name == "deepcopy" and layout != "sparse_coo" and torch.__name__ == "torch":
        return  # PyTorch looks for a storage there
    x = matrix.to_sparse(layout=getattr(torch, layout))
    made = COPIES[name](torch, x)
    assert repr(made) == repr(x)
    made._values().mul_(2) if layout == "sparse_coo" else made.values().mul_(2)
    assert x.to_dense().tolist() == [[0, 0, 3], [4, 0, 5]]


def test_modules_keep_sparse_tensors(torch, matrix):
    module, other = torch.nn.Module(), torch.nn.Module()
    for each, value in ((module, matrix), (other, torch.zeros_like(matrix))):
        each.register_buffer("adjacency", value)
        each.weight = torch.nn.Parameter(value.clone())
    other.load_state_dict(through_a_file(torch, module.state_dict()))
    assert other.adjacency.to_dense().equal(matrix.to_dense()) and other.weight.requires_grad
    assert other.weight.to_dense().equal(matrix.to_dense())
    assert module.double().adjacency.dtype is torch.float64


def test_in_place_changes(torch, matrix):
    matrix.mul_(2)
    dense = torch.ones(2, 3)
    dense.add_(matrix)
    assert dense.tolist() == [[1, 1, 7], [9, 1, 11]]
    matrix.add_(torch.eye(2, 3).to_sparse())
    assert matrix.to_dense().tolist() == [[1, 0, 6], [8, 1, 10]]
    matrix.zero_()
    assert matrix._nnz() == 0 and matrix.to_dense().tolist() == [[0, 0, 0], [0, 0, 0]]


def test_diagonals(torch):
    x = torch.sparse.spdiags(torch.arange(6).reshape(2, 3), torch.tensor([0, -1]), (3, 3))
    assert x.to_dense().tolist() == [[0, 0, 0], [3, 1, 0], [0, 4, 2]]


def test_second_derivatives(torch):
    values = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    matrix = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)

    def product(values, matrix):
        x = torch.sparse_coo_tensor([[0, 1, 1], [0, 0, 1]], values, (2, 2), check_invariants=False)
        return torch.mm(x.to_dense(), matrix).sin()

    assert torch.autograd.gradcheck(product, (values, matrix))
    assert torch.autograd.gradgradcheck(product, (values, matrix))


def test_sparse_tensors_are_compared(torch, matrix):
    torch.testing.assert_close(matrix, matrix * 1.0)
    with pytest.raises(AssertionError, match="layout"):
        torch.testing.assert_close(matrix, matrix.to_dense())
    with pytest.raises(AssertionError, match="are not close"):
        torch.testing.assert_close(matrix, matrix * 2.0)


def test_a_custom_function_does_not_differentiate_sparse_tensors():
    import rushlight as torch

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.eye(2).to_sparse()
    assert Doubled.apply(x).to_dense().tolist() == [[2, 0], [0, 2]]
    with pytest.raises(NotImplementedError, match="^A sparse tensor that requires grad is neither input nor output"):
        Doubled.apply(x.requires_grad_())


def test_what_a_program_asks_first_costs_no_import():
    import subprocess
    import sys

    program = (
        "import sys, rushlight as torch; x = torch.ones(2, requires_grad=True)\n"
        "assert not x.is_sparse and x.layout is torch.strided; x.sum().backward()\n"
        "torch.optim.SGD([x], lr=1.0).step(); assert 'rushlight.sparse' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_sparse_tensor_is_freed_at_once():
    import gc
    import weakref

    import rushlight as torch

    gc.disable()
    try:
        x = torch.eye(3).to_sparse().requires_grad_()
        x.register_hook(lambda g: g)
        x.register_post_accumulate_grad_hook(lambda leaf: None)
        (x @ torch.ones(3, 2)).sum().backward()
        gone = weakref.ref(x), weakref.ref(x.grad)
        del x
        assert [each() for each in gone] == [None, None]
    finally:
        gc.enable()


def test_dense_tensors_do_not_become_sparse():
    import rushlight as torch

    x, sparse = torch.ones(3, 3), torch.eye(3).to_sparse()
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        x.data = sparse
    with pytest.raises(NotImplementedError, match="Cannot access storage"):
        x.set_(sparse)
    for refused in (lambda: x.copy_(sparse), lambda: x.__setitem__(0, sparse[0])):
        with pytest.raises(RuntimeError, match="dense and sparse Tensors is not implemented"):
            refused()
    assert x.tolist() == torch.ones(3, 3).tolist() and type(torch.Tensor(sparse)) is type(sparse)


def test_rows_are_reduced_otherwise(torch):
    x = torch.tensor([[1.0, 0, 2], [0, 0, 0]]).to_sparse_csr()
    rows = torch.arange(6.0).reshape(3, 2) - 3
    reduced = {each: torch.sparse.mm(x, rows, each).tolist() for each in ("sum", "mean", "amax", "min")}
    assert reduced == {
        "sum": [[-1, 2], [0, 0]], "mean": [[-0.5, 1], [0, 0]], "amax": [[2, 4], [0, 0]], "min": [[-3, -2], [0, 0]],
    }  # fmt: skip
    with pytest.raises(RuntimeError, match="^reduce argument must be either sum, prod, mean, amax or amin, got median"):
        torch.sparse.mm(x, rows, "median")


def test_packages_convert_indices(torch):
    rows, columns = torch.tensor([0, 0, 2]), torch.tensor([1, 3, 0])
    starts = torch._convert_indices_from_coo_to_csr(rows, 4)
    assert starts.tolist() == [0, 2, 2, 3, 3]
    assert torch._convert_indices_from_coo_to_csr(rows, 4, out_int32=True).dtype is torch.int32
    assert torch._convert_indices_from_csr_to_coo(starts, columns).tolist() == [[0, 0, 2], [1, 3, 0]]
    assert torch._convert_indices_from_csr_to_coo(starts, columns, transpose=True).tolist() == [[1, 3, 0], [0, 0, 2]]


def test_a_table_frees_its_graph(torch):
    table = torch.nn.Embedding(4, 2, sparse=True)
    loss = table(torch.tensor([1, 2])).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        loss.backward()
    assert table.weight.grad._nnz() == 4
    table.zero_grad()
    table(torch.tensor([], dtype=torch.int64)).sum().backward()
    assert table.weight.grad._nnz() == 0


def test_frequencies_do_not_go_with_sparse_gradients(torch):
    rows = torch.nn.Embedding(4, 2, sparse=True, scale_grad_by_freq=True)(torch.tensor([1, 1]))
    with pytest.raises(RuntimeError, match="^embedding_backward: scale_grad_by_freq not supported with sparse"):
        rows.sum().backward()


# Blocks


@pytest.mark.parametrize("layout", ["sparse_bsr", "sparse_bsc"])
@pytest.mark.filterwarnings("ignore:Sparse BS. tensor support is in beta state")  # PyTorch's own
class TestBlocks:
    DENSE = ((1.0, 0, 0, 2), (0, 0, 0, 0), (3, 0, 0, 0), (0, 4, 0, 0))

    def made(self, torch, layout, blocksize=(2, 2)):
        return torch.tensor(self.DENSE).to_sparse(layout=getattr(torch, layout), blocksize=blocksize)

    def test_blocks_that_have_an_element_are_stored_whole(self, torch, layout):
        x = self.made(torch, layout)
        assert x.layout is getattr(torch, layout)
        assert (x._nnz(), x.sparse_dim(), x.dense_dim(), tuple(x.values().shape)) == (3, 2, 0, (3, 2, 2))
        first, second = (
            (x.crow_indices(), x.col_indices()) if layout == "sparse_bsr" else (x.ccol_indices(), x.row_indices())
        )
        assert first.tolist() == [0, 2, 3]
        assert second.tolist() == [0, 1, 0]
        assert torch.equal(x.to_dense(), torch.tensor(self.DENSE))
        wide = self.made(torch, layout, (1, 4))
        assert torch.equal(wide.to_dense(), torch.tensor(self.DENSE))
        assert wide._nnz() == 3

    def test_a_tensor_is_made_of_its_parts(self, torch, layout):
        x = self.made(torch, layout)
        build = getattr(torch, f"{layout}_tensor")
        parts = [x.crow_indices(), x.col_indices()] if layout == "sparse_bsr" else [x.ccol_indices(), x.row_indices()]
        again = build(*parts, x.values(), (4, 4))
        assert repr(again) == repr(x)
        assert repr(torch.sparse_compressed_tensor(*parts, x.values(), layout=x.layout)) == repr(x)
        assert repr(x.clone()) == repr(x)
        if torch.__name__ == "rushlight":  # PyTorch does not copy them
            assert repr(copy.deepcopy(x)) == repr(x)

    def test_batches_and_dense_dimensions_have_blocks(self, torch, layout):
        matrix = torch.tensor(self.DENSE)
        batch = torch.stack([matrix, matrix * 2])
        x = batch.to_sparse(layout=getattr(torch, layout), blocksize=(2, 2))
        assert tuple(x.values().shape) == (2, 3, 2, 2)
        assert torch.equal(x.to_dense(), batch)
        hybrid = torch.stack([matrix, matrix * 2], -1)
        x = hybrid.to_sparse(layout=getattr(torch, layout), blocksize=(2, 2), dense_dim=1)
        assert tuple(x.values().shape) == (3, 2, 2, 2)
        assert torch.equal(x.to_dense(), hybrid)

    def test_values_are_computed_and_multiplied(self, torch, layout):
        x = self.made(torch, layout)
        matrix = torch.arange(8.0).reshape(4, 2)
        assert torch.equal(x.sin().to_dense(), torch.tensor(self.DENSE).sin())
        assert torch.equal((-x).to_dense(), -torch.tensor(self.DENSE))
        if torch.__name__ == "rushlight" or layout == "sparse_bsr":  # PyTorch has no product of BSC
            assert torch.equal(x @ matrix, torch.tensor(self.DENSE) @ matrix)
        assert x.to(torch.float64).dtype is torch.float64

    def test_gradients_reach_the_dense_tensor(self, torch, layout):
        x = torch.tensor(self.DENSE, requires_grad=True)
        x.to_sparse(layout=getattr(torch, layout), blocksize=(2, 2)).to_dense().square().sum().backward()
        assert torch.equal(x.grad, 2 * torch.tensor(self.DENSE))

    def test_blocks_have_to_fill_the_matrix(self, torch, layout):
        with pytest.raises(RuntimeError, match="must be divisible by given blocksize"):
            self.made(torch, layout, (3, 2))
        with pytest.raises(RuntimeError, match="must be divisible"):
            getattr(torch, f"{layout}_tensor")([0, 1], [0], [[[1.0, 2.0]]], (2, 3), check_invariants=True)

    def test_one_number_is_the_height_and_width_of_blocks(self, torch, layout):
        x = torch.tensor(self.DENSE)[:2, :2]
        method = f"to_{layout}"
        for source in (x, x.to_sparse(), x.to_sparse_csr()):
            assert getattr(source, method)(2).values().shape == (1, 2, 2)
            assert torch.equal(getattr(source, method)(blocksize=1).to_dense(), x)
        assert x.to_sparse(layout=getattr(torch, layout), blocksize=2).values().shape == (1, 2, 2)

    @pytest.mark.parametrize(("size", "words"), {
        (0, 2): "blocksize needs to be positive, but got [0, 2]",
        (2,): "blocksize needs to be a tuple of size 2, but got 1",
        (1, 2, 3): "blocksize needs to be a tuple of size 2, but got 3",
        (3, 3): "tensor sparse size (4,4) must be divisible by given blocksize (3,3)",
    }.items())  # fmt: skip
    @pytest.mark.parametrize(
        "source", {"strided": "dense_", "sparse_coo": "coo_", "sparse_csc": "sparse_compressed_"}.items()
    )
    def test_a_size_that_does_not_fit_is_refused(self, torch, layout, source, size, words):
        x = torch.eye(4).to_sparse(layout=getattr(torch, source[0]))
        with pytest.raises(RuntimeError) as caught:
            getattr(x, f"to_{layout}")(size)
        assert str(caught.value) == f"{source[1]}to_{layout}: {words}"

    @pytest.mark.parametrize("size", ["x", 2.0, True, None, (2.0, 2)], ids=str)
    def test_a_size_of_another_type_is_refused(self, torch, layout, size):
        with pytest.raises(
            TypeError, match=rf"to_{layout}\(\): argument 'blocksize' \(position 1\) must be tuple of ints"
        ):
            getattr(torch.eye(4), f"to_{layout}")(size)

    def test_a_size_is_for_layouts_of_blocks(self, torch, layout):
        name = {"sparse_bsr": "SparseBsr", "sparse_bsc": "SparseBsc"}[layout]
        words = f"dense_to_sparse: conversion from Strided to {name} without blocksize argument given is not supported"
        with pytest.raises(RuntimeError) as caught:
            torch.eye(4).to_sparse(layout=getattr(torch, layout))
        assert str(caught.value) == words
        with pytest.raises(RuntimeError, match="from Strided to Sparse with blocksize argument given is not supported"):
            torch.eye(4).to_sparse(layout=torch.sparse_coo, blocksize=2)

    def test_pickles_keep_blocks(self, torch, layout):
        x = self.made(torch, layout)
        assert repr(pickle.loads(pickle.dumps(x))) == repr(x)


def test_what_blocks_cannot_do_is_said():
    rushlight = importlib.import_module("rushlight")
    x = rushlight.eye(2).to_sparse_bsr((1, 1))
    with pytest.raises(NotImplementedError, match="rushlight has no such operator for tensors of blocks") as caught:
        x + x
    assert "x.to_sparse_coo()" in caught.value.__notes__[0]
    assert rushlight.equal((x.to_sparse_coo() + x.to_sparse_coo()).to_dense(), 2 * rushlight.eye(2))


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr"])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.filterwarnings("ignore:Sparse BS. tensor support is in beta state")
@pytest.mark.filterwarnings("ignore:Sparse C.. tensor support is in beta state")
def test_gradcheck_takes_sparse_tensors(torch, layout, masked):
    check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    blocksize = (1, 1) if layout == "sparse_bsr" else None
    dense = torch.tensor([[0.5, 0], [0, 2]], dtype=torch.float64)
    x = dense.to_sparse(layout=getattr(torch, layout), blocksize=blocksize).requires_grad_()
    assert check(lambda x: x.to_dense(masked_grad=masked), (x,), masked=masked)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 3

    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        check(lambda x: Wrong.apply(x.to_dense(masked_grad=masked)), (x,), masked=masked)


def test_a_sparse_tensor_is_made_dense_by_its_layout(torch):
    x = torch.eye(2).to_sparse()
    assert torch.equal(x.to_sparse(layout=torch.strided), torch.eye(2))


# Results in given tensors, quotients


WRITTEN = {
    "neg": lambda torch, x, out: torch.neg(x, out=out),
    "sin": lambda torch, x, out: torch.sin(x, out=out),
    "mul": lambda torch, x, out: torch.mul(x, x, out=out),
    "add": lambda torch, x, out: torch.add(x, x, alpha=2.5, out=out),
    "mul with a number": lambda torch, x, out: torch.mul(x, 2, out=out),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_sparse_result_is_written_to_out(torch, matrix, name):
    expected = WRITTEN[name](torch, matrix, None)
    out = torch.zeros(2, 3).to_sparse()
    assert WRITTEN[name](torch, matrix, out) is out
    assert out.to_dense().tolist() == expected.to_dense().tolist()


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr"])
def test_a_product_is_written_to_out(torch, matrix, layout):
    x, other, vector = matrix.to_sparse(layout=getattr(torch, layout)), torch.ones(3, 2), torch.ones(3)
    for function in (torch.mm, torch.matmul):
        out = torch.empty(2, 2)
        assert function(x, other, out=out) is out
        assert out.tolist() == [[3, 3], [9, 9]]
    out = torch.empty(2, 2)
    assert torch.addmm(torch.ones(2, 2), x, other, out=out) is out
    assert out.tolist() == [[4, 4], [10, 10]]
    if layout == "sparse_csr":
        assert torch.addmv(torch.ones(2), x, vector, beta=2, alpha=3).tolist() == [11, 29]
    with pytest.raises(RuntimeError):
        torch.mm(x, other, out=torch.zeros(2, 2).to_sparse())


def test_a_quotient_is_rounded_down(torch, matrix):
    assert (matrix // 2).to_dense().tolist() == [[0, 0, 1], [2, 0, 2]]
    assert matrix.clone().floor_divide_(2).to_dense().tolist() == [[0, 0, 1], [2, 0, 2]]
    assert torch.floor_divide(matrix, 2).to_dense().tolist() == [[0, 0, 1], [2, 0, 2]]
    with pytest.raises(RuntimeError, match="Sparse floor division requires a scalar or zero-dim dense tensor divisor"):
        matrix // matrix


def test_random_values_at_the_entries_of_a_compressed_tensor(torch, matrix):
    x = matrix.to_sparse_csr()
    drawn = torch.randn_like(x)
    assert drawn.layout is torch.sparse_csr
    assert drawn.col_indices().tolist() == x.col_indices().tolist()
    assert not torch.equal(drawn.values(), x.values())


def test_a_sparse_number_multiplies_all_entries(torch, matrix):
    assert (matrix * torch.tensor(2.0).to_sparse()).to_dense().tolist() == [[0, 0, 6], [8, 0, 10]]


def test_a_sparse_tensor_has_no_memory_format(torch):
    sparse = torch.eye(3).to_sparse()
    for make in (torch.empty_like, torch.zeros_like):
        with pytest.raises(RuntimeError, match="memory format option is only supported by strided tensors"):
            make(sparse, memory_format=torch.preserve_format)


def test_another_tensor_is_resized_with_a_sparse_one_alive(torch):
    sparse = torch.eye(2).to_sparse()
    x = torch.arange(4.0)
    x.untyped_storage().resize_(24)
    x.share_memory_()
    assert len(x.untyped_storage()) == 24 and x.tolist() == [0, 1, 2, 3]
    assert sparse.to_dense().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(("rows", "indices"), [(0, []), (4, [[0, 2], [3, 3]])])
def test_a_table_without_columns_has_a_sparse_gradient(torch, rows, indices):
    table = torch.nn.Embedding(rows, 0, sparse=True)
    table(torch.tensor(indices, dtype=torch.int64)).sum().backward()
    assert table.weight.grad.is_sparse and table.weight.grad.shape == (rows, 0)


@pytest.mark.parametrize("shape", [(3,), (4, 2, 3), (0, 2, 3)])
def test_a_layer_with_sparse_weights_takes_inputs_of_any_rank(torch, shape):
    layer = torch.nn.Linear(3, 2)
    dense = layer.weight.detach().clone()
    layer.weight = torch.nn.Parameter(dense.to_sparse_coo())
    x = torch.arange(float(torch.Size(shape).numel())).reshape(shape).requires_grad_()
    result = layer(x)
    expected = x @ dense.t() + layer.bias
    assert result.shape == expected.shape and torch.allclose(result, expected)
    (grad,), (wanted,) = (torch.autograd.grad(y.sum(), x, retain_graph=True) for y in (result, expected))
    assert torch.allclose(grad, wanted)


@pytest.mark.parametrize("name", ["add_", "sub_", "mul_"])
def test_what_an_integer_cannot_hold_is_not_written_to_it(torch, name):
    whole = torch.eye(2, dtype=torch.int32).to_sparse()
    with pytest.raises(RuntimeError, match="Can't convert result type Float to output Int"):
        getattr(whole, name)(torch.full((2, 2), 0.5).to_sparse())
    assert whole.to_dense().tolist() == [[1, 0], [0, 1]] and whole.dtype == torch.int32


def test_a_sparse_divisor_is_refused(torch):
    sparse = torch.eye(2).to_sparse()
    for divisor in (sparse, torch.ones(2, 2)):
        with pytest.raises(RuntimeError, match=r"Sparse division requires a scalar or zero-dim dense tensor divisor"):
            sparse / divisor


@pytest.mark.parametrize("sparse_dim", [1, 2])
def test_a_hook_returns_entries_of_other_dimensions(torch, sparse_dim):
    x = torch.tensor([[1.0, 0.0], [2.0, 3.0]]).to_sparse(3 - sparse_dim).requires_grad_()
    y = x * 1
    y.register_hook(lambda gradient: (gradient * 2).to_dense().to_sparse(sparse_dim))
    y.to_dense().backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    stored = [[2.0, 0.0], [6.0, 8.0]] if sparse_dim == 1 else [[2.0, 4.0], [6.0, 8.0]]
    assert x.grad.to_dense().tolist() == stored
