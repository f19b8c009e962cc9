"""The legacy types of sparse tensors, `torch.sparse.FloatTensor` and others."""

import importlib

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:torch.sparse.SparseTensor", "ignore:Sparse")

NAMES = "BFloat16Tensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor"


@pytest.fixture
def entries(torch):
    return torch.tensor([[0, 1], [1, 0]]), torch.tensor([1.0, 2.0])


@pytest.mark.parametrize("arguments", [lambda i, v: (i, v, (2, 3)), lambda i, v: (i, v, [2, 3])], ids=["tuple", "list"])
def test_entries_and_a_size_make_a_tensor(torch, entries, arguments):
    x = torch.sparse.FloatTensor(*arguments(*entries))
    assert x.layout is torch.sparse_coo and x.to_dense().tolist() == [[0, 1, 0], [2, 0, 0]]


def test_the_arguments_have_names_too(torch, entries):
    indices, values = entries
    x = torch.sparse.FloatTensor(indices=indices, values=values, size=torch.Size((2, 3)))
    assert x.shape == (2, 3)
    assert torch.sparse.FloatTensor(indices, values, size=(2, 3)).shape == (2, 3)
    assert torch.sparse.FloatTensor(size=(2, 3), device="cpu")._nnz() == 0


def test_without_a_size_dimensions_are_as_large_as_the_indices_need(torch, entries):
    assert torch.sparse.FloatTensor(*entries).shape == (2, 2)


def test_a_size_alone_makes_a_tensor_without_entries(torch):
    for x in (torch.sparse.LongTensor(2, 3), torch.sparse.LongTensor(torch.Size((2, 3)))):
        assert (x.shape, x._nnz(), x.dtype) == ((2, 3), 0, torch.int64)
    empty = torch.sparse.LongTensor()
    assert (empty.shape, empty._nnz(), empty.sparse_dim()) == ((0,), 0, 1)


@pytest.mark.parametrize("name", NAMES.split())
def test_a_type_is_that_of_its_dtype(torch, entries, name):
    kind, dense = getattr(torch.sparse, name), getattr(torch, name)
    x = torch.sparse_coo_tensor(entries[0], entries[1].to(kind.dtype), (2, 2))
    assert isinstance(x, kind) and not isinstance(x, dense) and not isinstance(x.to_dense(), kind)
    assert kind.layout is torch.sparse_coo and kind.is_sparse and not kind.is_cuda
    assert (kind.__module__, kind.__name__, x.type()) == ("torch.sparse", name, f"torch.sparse.{name}")
    assert kind(3).dtype is kind.dtype is dense.dtype
    others = [getattr(torch.sparse, other) for other in NAMES.split() if other != name]
    assert not any(isinstance(x, other) for other in others)


def test_values_keep_their_dtype(torch, entries):
    indices, values = entries
    assert torch.sparse.FloatTensor(indices, values.double()).dtype is torch.float64


def test_gradients_go_through_the_values(torch, entries):
    values = entries[1].requires_grad_()
    x = torch.sparse.FloatTensor(entries[0], values, (2, 3))
    (x.to_dense() * 3).sum().backward()
    assert x.grad_fn is not None and values.grad.tolist() == [3, 3]


def test_type_converts_the_dtype_and_keeps_the_layout(torch, entries):
    x = torch.sparse.FloatTensor(*entries)
    for kind in (torch.sparse.DoubleTensor, torch.DoubleTensor, "torch.sparse.DoubleTensor", "torch.DoubleTensor"):
        converted = x.type(kind)
        assert converted.layout is torch.sparse_coo and converted.dtype is torch.float64
    dense = torch.ones(2).type(torch.sparse.DoubleTensor)
    assert dense.layout is torch.strided and dense.dtype is torch.float64


def test_new_of_a_sparse_tensor(torch, entries):
    x = torch.sparse.DoubleTensor(2, 2)
    assert x.new().shape == (0,) and x.new(2, 3).dtype is torch.float64
    assert x.new(*entries, (2, 3)).shape == (2, 3)


SEQUENCE = (
    "SparseTensor{}(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a strided tensor "
    "and convert it to sparse via to_sparse."
)
FORMS = """ * (*, torch.device device = None)
 * (Tensor indices, Tensor values, *, torch.device device = None)
 * (Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None)
 * (tuple of ints size, *, torch.device device = None)
"""
INVALID = "new() received an invalid combination of arguments - got ({}), but expected one of:\n" + FORMS
REFUSED = {
    "sequence": (lambda t, i, v: t.sparse.FloatTensor((2, 3)), TypeError, "torch.sparse." + SEQUENCE.format("")),
    "list": (lambda t, i, v: t.sparse.FloatTensor([2, 3]), TypeError, "torch.sparse." + SEQUENCE.format("")),
    "new": (lambda t, i, v: t.sparse.FloatTensor(2).new((2, 3)), TypeError, SEQUENCE.format(".new")),
    "text": (lambda t, i, v: t.sparse.FloatTensor("x"), TypeError, INVALID.format("str")),
    "bool": (lambda t, i, v: t.sparse.FloatTensor(True), TypeError, INVALID.format("bool")),
    "None": (lambda t, i, v: t.sparse.FloatTensor(None), TypeError, INVALID.format("NoneType")),
    "one tensor": (lambda t, i, v: t.sparse.FloatTensor(v), TypeError, INVALID.format("Tensor")),
    "no size": (lambda t, i, v: t.sparse.FloatTensor(i, v, "x"), TypeError, INVALID.format("Tensor, Tensor, str")),
    "lists": (
        lambda t, i, v: t.sparse.FloatTensor([[0]], [1.0], (2,)),
        TypeError,
        INVALID.format("list, list, tuple"),
    ),
    "a word": (
        lambda t, i, v: t.sparse.FloatTensor(i, v, (2, 3), foo=1),
        TypeError,
        "new() got an unexpected keyword argument 'foo'",
    ),
    "a word instead of a size": (
        lambda t, i, v: t.sparse.FloatTensor(i, v, foo=1),
        TypeError,
        INVALID.format("Tensor, Tensor, foo=int"),
    ),
    "too many": (
        lambda t, i, v: t.sparse.FloatTensor(i, v, (2, 3), (4,)),
        TypeError,
        "new() takes 3 positional arguments but 4 were given",
    ),
    "device": (
        lambda t, i, v: t.sparse.FloatTensor(i, v, (2, 3), device="meta"),
        RuntimeError,
        "legacy constructor expects device type: cpu but device type: meta was passed",
    ),
    "indices": (
        lambda t, i, v: t.sparse.FloatTensor(i.float(), v),
        RuntimeError,
        "expected scalar type Long but found Float",
    ),
    "GPU": (
        lambda t, i, v: importlib.import_module(f"{t.__name__}.cuda.sparse").FloatTensor(i, v),
        TypeError,
        "type torch.cuda.sparse.FloatTensor not available. Torch not compiled with CUDA enabled.",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(torch, entries, call, error, words):
    with pytest.raises(error) as caught:
        call(torch, *entries)
    assert str(caught.value).startswith(words)  # PyTorch goes on with what did not fit


def test_a_type_has_no_subclasses(torch):
    with pytest.raises(TypeError, match="is not an acceptable base type"):
        type("Own", (torch.sparse.FloatTensor,), {})
