"""Views: which operations share memory, with which shape, strides and offset; and what they refuse."""

import numpy as np
import pytest

# x is torch.arange(24.).reshape(2, 3, 4), whose strides are (12, 4, 1)
views = [
    ("x[1]", (3, 4), (4, 1), 12),
    ("x[1, 2]", (4,), (1,), 20),
    ("x[1, 2, 3]", (), (), 23),
    ("x[1:]", (1, 3, 4), (12, 4, 1), 12),
    ("x[:, 1:3]", (2, 2, 4), (12, 4, 1), 4),
    ("x[:, :, ::2]", (2, 3, 2), (12, 4, 2), 0),
    ("x[..., -1]", (2, 3), (12, 4), 3),
    ("x[:, None]", (2, 1, 3, 4), (12, 12, 4, 1), 0),
    ("x.select(0, 1)", (3, 4), (4, 1), 12),
    ("x.narrow(1, 1, 2)", (2, 2, 4), (12, 4, 1), 4),
    ("x.narrow(1, -1, 1)", (2, 1, 4), (12, 4, 1), 8),
    ("x.transpose(0, 2)", (4, 3, 2), (1, 4, 12), 0),
    ("x.swapaxes(0, 1)", (3, 2, 4), (4, 12, 1), 0),
    ("x.permute(2, 0, 1)", (4, 2, 3), (1, 12, 4), 0),
    ("x.permute((0, 2, 1))", (2, 4, 3), (12, 1, 4), 0),
    ("x.movedim(0, 2)", (3, 4, 2), (4, 1, 12), 0),
    ("x[0].t()", (4, 3), (1, 4), 0),
    ("x[0].T", (4, 3), (1, 4), 0),
    ("x.mT", (2, 4, 3), (12, 1, 4), 0),
    ("x.view(6, 4)", (6, 4), (4, 1), 0),
    ("x.view(-1)", (24,), (1,), 0),
    ("x.view(2, -1)", (2, 12), (12, 1), 0),
    ("x.view([6, 4])", (6, 4), (4, 1), 0),
    ("x.view(torch.Size([6, 4]))", (6, 4), (4, 1), 0),
    ("x.view_as(torch.ones(6, 4))", (6, 4), (4, 1), 0),
    ("x.reshape(4, 6)", (4, 6), (6, 1), 0),
    ("x.flatten()", (24,), (1,), 0),
    ("x.flatten(1)", (2, 12), (12, 1), 0),
    ("x.flatten(0, 1)", (6, 4), (4, 1), 0),
    ("x.unflatten(2, (2, 2))", (2, 3, 2, 2), (12, 4, 2, 1), 0),
    ("torch.ravel(x)", (24,), (1,), 0),
    ("x.unsqueeze(0)", (1, 2, 3, 4), (24, 12, 4, 1), 0),
    ("x.unsqueeze(-1)", (2, 3, 4, 1), (12, 4, 1, 1), 0),
    ("x[:, :1].squeeze(1)", (2, 4), (12, 1), 0),
    ("x[:1, :1].squeeze()", (4,), (1,), 0),
    ("x.squeeze(0)", (2, 3, 4), (12, 4, 1), 0),
    ("x.expand(3, 2, 3, 4)", (3, 2, 3, 4), (0, 12, 4, 1), 0),
    ("x[:, :1].expand(2, 3, 4)", (2, 3, 4), (12, 0, 1), 0),
    ("x[0, 0].expand(2, -1)", (2, 4), (0, 1), 0),
    ("x[0, 0].expand_as(x)", (2, 3, 4), (0, 0, 1), 0),
    ("torch.broadcast_to(x[0], (5, 3, 4))", (5, 3, 4), (0, 4, 1), 0),
    ("x.diagonal()", (4, 2), (1, 16), 0),
    ("x.unfold(2, 2, 1)", (2, 3, 3, 2), (12, 4, 1, 1), 0),
    ("x.as_strided((2, 2), (1, 2), 3)", (2, 2), (1, 2), 3),
    ("x.split(2, dim=1)[1]", (2, 1, 4), (12, 4, 1), 8),
    ("x.chunk(2, dim=2)[1]", (2, 3, 2), (12, 4, 1), 2),
    ("x.unbind(1)[2]", (2, 4), (12, 1), 8),
    ("x.detach()", (2, 3, 4), (12, 4, 1), 0),
    ("x.data", (2, 3, 4), (12, 4, 1), 0),
    ("x.contiguous()", (2, 3, 4), (12, 4, 1), 0),
]


@pytest.fixture
def x(torch):
    return torch.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(("expression", "shape", "stride", "offset"), views)
def test_view(torch, x, expression, shape, stride, offset):
    view = eval(expression, {"torch": torch, "x": x})
    assert (view.shape, view.stride(), view.storage_offset()) == (shape, stride, offset)
    assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    if view.numel():
        assert view.data_ptr() == x.data_ptr() + 4 * offset
        x.flatten()[offset] = -1
        assert view.flatten()[0] == -1


# NumPy lets an empty view begin where the whole does: docs/what-differs.md.
def test_an_empty_view(torch, x):
    view = x[5:]
    offset = 24 if torch.__name__ == "torch" else 0
    assert (view.shape, view.stride(), view.storage_offset()) == ((0, 3, 4), (12, 4, 1), offset)
    assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


copies = [
    "x.clone()",
    "x.transpose(0, 1).reshape(-1)",
    "x.transpose(0, 1).contiguous()",
    "x.transpose(0, 1).flatten()",
    "x[[0, 1]]",
    "x[x > 5]",
    "x[torch.tensor([0])]",
    "x.flip(0)",
    "x.roll(1, 0)",
    "x.repeat(1, 1, 1)",
    "x + 0",
    "x.to(torch.float64)",
    "torch.cat([x])",
    "torch.stack([x])",
    "x.index_select(0, torch.tensor([0, 1]))",
]


@pytest.mark.parametrize("expression", copies)
def test_copy(torch, x, expression):
    copied = eval(expression, {"torch": torch, "x": x})
    assert copied.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
    copied.fill_(-1)
    assert x.min() == 0


def test_basics_of_layout(torch, x):
    assert (x.stride(), x.stride(0), x.stride(-1), x.storage_offset()) == ((12, 4, 1), 12, 1, 0)
    assert x.is_contiguous()
    assert not x.transpose(0, 1).is_contiguous()
    assert x.contiguous() is x
    assert x[1].data_ptr() - x.data_ptr() == 48
    assert x.untyped_storage().nbytes() == x.untyped_storage().size() == 96
    assert x[1].untyped_storage().nbytes() == 96
    assert x.is_set_to(x.view(2, 3, 4))
    assert not x.is_set_to(x[0])


def test_strides_of_empty_and_single_dimensions(torch):
    assert torch.zeros(0, 3).stride() == (3, 1)
    assert torch.zeros(2, 0).stride() == (1, 1)
    assert torch.zeros(1, 5)[:, :1].is_contiguous()
    assert torch.zeros(()).stride() == ()
    assert torch.ones(3, 1).t().is_contiguous()


def test_results_keep_the_order_of_their_operands(torch, x):
    turned = x.transpose(0, 1)
    assert (turned + 1).stride() == (4, 12, 1)
    assert (turned + turned).stride() == (4, 12, 1)
    assert turned.exp().stride() == (4, 12, 1)
    assert turned[:, :1].expand(3, 2, 4).clone().stride() == torch.empty_like(turned[:, :1].expand(3, 2, 4)).stride()
    assert x[0].t()[None].expand(2, 4, 3).clone().stride() == (12, 1, 4)


# Where the operands lie in different orders, PyTorch follows the first, NumPy none: docs/what-differs.md.
@pytest.mark.parametrize("torch", ["torch"], indirect=True)
def test_results_take_the_order_of_the_first_operand(torch, x):
    assert (x.transpose(0, 1) + torch.zeros(3, 2, 4)).stride() == (4, 12, 1)


def test_view_of_view_writes_through(torch):
    base = torch.zeros(2, 3)
    row = base[1]
    element = row[1:][0]
    element.add_(5)
    row.mul_(2)
    base.t()[0].fill_(1)
    assert base.tolist() == [[1, 0, 0], [1, 10, 0]]


def test_base(torch):
    base = torch.arange(6.0)
    assert base._base is None
    assert not base._is_view()
    assert base.view(2, 3)._base is base
    assert base.view(2, 3)[0][1:]._base is base
    assert base[0]._is_view()
    assert not base.detach()._is_view()
    assert not base.clone()._is_view()


def test_version_is_the_bases(torch):
    x = torch.arange(3.0)
    assert x._version == 0
    x[0] = 1
    x.add_(1)
    x[1:].mul_(2)
    assert (x._version, x[1:]._version) == (3, 3)
    x.detach().zero_()
    assert x._version == 4
    x.data.zero_()
    assert x._version == 4
    assert x.clone()._version == 0


def test_assigned_data_keeps_its_own_version(torch):
    x, y = torch.arange(3.0), torch.ones(3)
    x.add_(1)
    y.add_(1).add_(1)
    x.data = y
    assert (x._version, y._version) == (1, 2)
    assert x.data_ptr() == y.data_ptr()


def test_dtype_views(torch):
    x = torch.ones(2)
    assert x.view(torch.int32).tolist() == [0x3F800000] * 2
    assert x.view(torch.int8).shape == (8,)
    assert x.view(torch.float64).shape == (1,)
    x.view(torch.int32)[0] = 0
    assert x.tolist() == [0, 1]


def test_complex_views(torch):
    z = torch.tensor([1 + 2j, 3 + 4j])
    assert torch.view_as_real(z).tolist() == [[1, 2], [3, 4]]
    assert torch.view_as_complex(torch.tensor([[1.0, 2.0]])).tolist() == [1 + 2j]
    z.real[0] = 9
    z.imag[1] = 7
    assert z.tolist() == [9 + 2j, 3 + 7j]
    real = torch.ones(1)
    assert real.real is real


def test_pieces(torch):
    x = torch.arange(7)
    assert [part.tolist() for part in x.chunk(3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [part.tolist() for part in x.split(3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [part.tolist() for part in x.split([3, 4])] == [[0, 1, 2], [3, 4, 5, 6]]
    assert [part.tolist() for part in x.tensor_split(3)] == [[0, 1, 2], [3, 4], [5, 6]]
    assert [part.storage_offset() for part in x.split(3)] == [0, 3, 6]
    assert isinstance(x.chunk(3), tuple)
    assert isinstance(torch.unbind(x), tuple)


def test_broadcasting_helpers(torch):
    a, b = torch.broadcast_tensors(torch.ones(3, 1), torch.ones(1, 2))
    assert (a.shape, a.stride(), b.stride()) == ((3, 2), (1, 0), (0, 1))
    assert torch.broadcast_shapes((3, 1), (1, 2)) == (3, 2)
    assert torch.ones(2).repeat(2, 2).shape == (2, 4)


@pytest.mark.parametrize(
    ("expression", "error", "first_line"),
    [
        ("x.view(7)", RuntimeError, "shape '[7]' is invalid for input of size 24"),
        ("x.view(5, -1)", RuntimeError, "shape '[5, -1]' is invalid for input of size 24"),
        ("x.reshape(5)", RuntimeError, "shape '[5]' is invalid for input of size 24"),
        ("x.view(-1, -1)", RuntimeError, "only one dimension can be inferred"),
        (
            "x.transpose(0, 1).view(-1)",
            RuntimeError,
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead.",
        ),
        (
            "torch.zeros(0, 3).view(-1, 0)",
            RuntimeError,
            "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be "
            "any value and is ambiguous",
        ),
        ("x.t()", RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is 3D"),
        (
            "x.transpose(0, 3)",
            IndexError,
            "Dimension out of range (expected to be in range of [-3, 2], but got 3)",
        ),
        ("x.unsqueeze(4)", IndexError, "Dimension out of range (expected to be in range of [-4, 3], but got 4)"),
        ("x.movedim(0, 5)", IndexError, "Dimension out of range (expected to be in range of [-3, 2], but got 5)"),
        ("x.permute(0, 0, 1)", RuntimeError, "permute(): duplicate dims are not allowed."),
        (
            "x.permute(0, 1)",
            RuntimeError,
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of dimensions i.e. input.dim() = 3 is not equal to len(dims) = 2",
        ),
        (
            "x.expand(2, 4, 4)",
            RuntimeError,
            "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  "
            "Target sizes: [2, 4, 4].  Tensor sizes: [2, 3, 4]",
        ),
        (
            "x.expand(3, 4)",
            RuntimeError,
            "expand(torch.FloatTensor{[2, 3, 4]}, size=[3, 4]): the number of sizes provided (2) must be greater or "
            "equal to the number of dimensions in the tensor (3)",
        ),
        (
            "x[0, 0].expand(-1, 4)",
            RuntimeError,
            "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0",
        ),
        ("x.narrow(1, 2, 2)", RuntimeError, "start (2) + length (2) exceeds dimension size (3)."),
        ("x.chunk(0)", RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0"),
        (
            "x.flatten().split([20, 3])",
            RuntimeError,
            "split_with_sizes expects split_sizes to sum exactly to 24 (input tensor's size at dimension 0), but got "
            "split_sizes=[20, 3]",
        ),
        (
            "x.repeat(2)",
            RuntimeError,
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        ),
        (
            "x.as_strided((100,), (1,))",
            RuntimeError,
            "setStorage: sizes [100], strides [1], storage offset 0, and itemsize 4 requiring a storage size of 400 "
            "are out of bounds for storage of size 96",
        ),
        (
            "x.as_strided((2,), (-1,))",
            RuntimeError,
            "as_strided: Negative strides are not supported at the moment, got strides: [-1]",
        ),
        (
            "torch.ones(3).view(torch.float64)",
            RuntimeError,
            "self.size(-1) must be divisible by 2 to view Float as Double (different element sizes), but got 3",
        ),
        (
            "torch.broadcast_shapes((3, 1), (4, 2))",
            RuntimeError,
            "Attempting to broadcast a dimension of length 4 at -2! Mismatching argument at index 1 had (4, 2); but "
            "expected shape should be broadcastable to [3, 2]",
        ),
        (
            "torch.ones(2).mT",
            RuntimeError,
            "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.",
        ),
    ],
)
def test_refused(torch, x, expression, error, first_line):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch, "x": x})
    assert str(caught.value).splitlines()[0] == first_line


def test_what_permute_refuses(torch):
    x = torch.ones(2, 3)
    for order, kind, message in (
        ((3, -1), IndexError, r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 3\)"),
        ((0, 0), RuntimeError, r"permute\(\): duplicate dims are not allowed"),
        ((0,), RuntimeError, "number of dimensions in the tensor input does not match"),
    ):
        with pytest.raises(kind, match=message):
            x.permute(order)


@pytest.mark.parametrize("size", [(2, 3), (-1, 3), [2, 3]])
def test_expanding_to_the_same_shape_is_a_view_all_the_same(torch, size):
    x = torch.arange(6.0).reshape(2, 3).t().contiguous().t()
    view = x.expand(size)
    assert view is not x and view._base is x._base and view.stride() == x.stride()
    view[0, 0] = 7
    assert x[0, 0] == 7 and view._version == x._version


@pytest.mark.parametrize(
    "shapes", [[()], [(), ()], [(), (3,), (2, 1, 3)], [(2, 1), (), (2, 1)], [(1,), (0,)], [(2, 3), (3,), (1, 1)]]
)
def test_tensors_are_broadcast_to_the_shape_of_their_sum(torch, shapes):
    tensors = [torch.ones(shape) for shape in shapes]
    result = torch.broadcast_tensors(*tensors)
    assert [tuple(each.shape) for each in result] == [np.broadcast_shapes(*shapes)] * len(shapes)


@pytest.mark.parametrize("bounds", ["bound, None", "None, bound", "bound, bound + 1"])
def test_one_bound_of_clamp_may_be_left_out_of_turned_tensors(torch, bounds):
    x = torch.arange(24.0).reshape(2, 3, 4).transpose(0, 1)
    bound = torch.full((2, 1, 4), 5.0).transpose(0, 1)
    low, high = eval(bounds, {"bound": bound})
    result = torch.clamp(x, low, high)
    assert result.stride() == x.stride()
    expected = [
        [max(5.0, e) if high is None else min(e, 5.0 if low is None else 6.0) for e in row] for row in x[1].tolist()
    ]
    assert result[1].tolist() == [[max(e, 5.0) if low is not None else e for e in row] for row in expected]
    x.clone().requires_grad_().clamp(low, high).sum().backward()


def test_no_combinations_lead_back_to_the_vector(torch):
    x = torch.ones(3, requires_grad=True)
    result = torch.combinations(x, 4)
    assert result.shape == (0, 4) and result.requires_grad
    result.sum().backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_nothing_is_read_as_another_dtype(torch):
    for shape, result in (((0,), (0,)), ((0, 8), (0, 2))):
        viewed = torch.zeros(shape, dtype=torch.uint8).view(dtype=torch.float32)
        assert (viewed.shape, viewed.dtype) == (result, torch.float32)
    assert torch.zeros(0, 3).view(torch.uint8).shape == (0, 12)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (lambda x: x[0, :3], r"self.size\(-1\) must be divisible by 2 to view Byte as Short"),
        (lambda x: x[:, 1:5], r"self.storage_offset\(\) must be divisible by 2 to view Byte as Short"),
        (lambda x: x[:, ::2][:, :4], r"self.stride\(-1\) must be 1 to view Byte as Short"),
        (lambda x: x[:, :4], r"self.stride\(0\) must be divisible by 2 to view Byte as Short .* but got 9"),
    ],
)
def test_rows_that_are_not_whole_elements_of_another_dtype(torch, rows, message):
    with pytest.raises(RuntimeError, match=message):
        rows(torch.zeros(4, 9, dtype=torch.uint8)).view(dtype=torch.int16)


def test_a_slice_without_elements_has_the_strides_of_its_tensor(torch):
    x = torch.ones(3, 4, 5)
    for empty in (x[:, 1:1], x.narrow(0, 1, 0), x.permute(2, 0, 1)[..., :0], x[:, :, 1][:, 1:1], x.split([0, 3])[0]):
        assert empty.numel() == 0 and empty.is_contiguous()
    assert x[:, 1:1].stride() == x.narrow(0, 1, 0).stride() == (20, 5, 1)
    assert x.permute(2, 0, 1)[..., :0].stride() == (1, 20, 5)
    assert x[:, :, 1][:, 1:1].stride() == (20, 5)
    assert torch.empty(2, 0, 3).stride() == (3, 3, 1)


def test_ravel_copies_what_is_not_contiguous(torch):
    x = torch.arange(12.0).reshape(3, 4)
    for gapped in (x[0, ::2], x[:, ::2], x.T, x[:1].expand(3, 4)):
        flat = gapped.ravel()
        assert flat.is_contiguous() and flat.tolist() == gapped.reshape(-1).tolist()
        assert flat.data_ptr() != gapped.data_ptr()
    assert x.ravel().data_ptr() == x.data_ptr()
    assert x[0, ::2].reshape(-1).data_ptr() == x.data_ptr()
