"""`torch.nn.functional.grouped_mm`: a matrix product for each group of rows, columns or terms."""

import pytest


@pytest.fixture
def ends(torch):
    return torch.tensor([3, 3, 8], dtype=torch.int32)


def by_hand(torch, a, b, ends):
    """The same with a product for each group."""
    bounds = list(zip([0, *ends.tolist()[:-1]], ends.tolist(), strict=True))
    if a.ndim == b.ndim == 2:
        return torch.stack([a[:, begin:end] @ b[begin:end] for begin, end in bounds])
    if a.ndim == 2:
        return torch.cat([a[begin:end] @ b[group] for group, (begin, end) in enumerate(bounds)])
    return torch.cat([a[group] @ b[:, begin:end] for group, (begin, end) in enumerate(bounds)], 1)


SHAPES = {"rows": ((8, 4), (3, 4, 8)), "columns": ((3, 4, 8), (8, 8)), "terms": ((4, 8), (8, 12))}


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_each_group_has_a_product_of_its_own(torch, ends, shapes):
    torch.manual_seed(0)
    a, b = (torch.randn(shape, requires_grad=True) for shape in shapes)
    result = torch.nn.functional.grouped_mm(a, b, offs=ends)
    expected = by_hand(torch, a, b, ends)
    torch.testing.assert_close(result, expected)
    assert result.grad_fn.name() == "GroupedMmBackward0"
    for one, other in zip(*(torch.autograd.grad(each.sin().sum(), (a, b)) for each in (result, expected)), strict=True):
        torch.testing.assert_close(one, other)


def test_batches_have_no_ends(torch):
    a, b = torch.randn(3, 4, 8), torch.randn(3, 8, 4)
    torch.testing.assert_close(torch.nn.functional.grouped_mm(a, b), a @ b)


def test_sums_of_half_precision_are_rounded_once(torch, ends):
    a, b = torch.randn(8, 8).bfloat16(), torch.randn(3, 8, 8).bfloat16()
    result = torch.nn.functional.grouped_mm(a, b, offs=ends)
    assert result.dtype == torch.bfloat16
    torch.testing.assert_close(result.float(), by_hand(torch, a.float(), b.float(), ends), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("F.grouped_mm(x, w)", "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d"),
        ("F.grouped_mm(x, w, offs=ends.long())", "Offsets have to be int32"),
        ("F.grouped_mm(x, w, offs=ends[None])", "offs has to be 1D"),
        ("F.grouped_mm(x, w, offs=ends[1:])", "matrix batch sizes have to match"),
        ("F.grouped_mm(x, w[:, :4], offs=ends)", "contraction dimension of mat_a and mat_b must match"),
        ("F.grouped_mm(x[:, :, None, None], w, offs=ends)", "mat_a has to be 2 or 3d"),
        (
            "F.grouped_mm(x.double(), w, offs=ends)",
            "Expected mat_a to be Float32, BFloat16 or Float16 matrix, got Double",
        ),
        (
            "F.grouped_mm(x, w.bfloat16(), offs=ends)",
            "expected m1 and m2 to have the same dtype, but got: float != c10::B",
        ),
        ("F.grouped_mm(x[:, :6].contiguous(), w[:, :6], offs=ends)", "strides should be multiple of 16 bytes"),
        (
            "F.grouped_mm(x[:, ::2], w[:, :4], offs=ends)",
            "Invalid strides/sizes, got [8, 2] for strides and [8, 4] for",
        ),
        ("F.grouped_mm(x, w, offs=ends, bias=w[0])", "Bias not supported yet"),
        (
            "F.grouped_mm(x, w, offs=ends, out_dtype=torch.float64)",
            "Grouped gemm output dtype must match `mat_a` dtype",
        ),
        ("F.grouped_mm(w, w[1:])", "batched dimension has to match"),
    ],
)
def test_what_is_refused(torch, ends, call, message):
    names = {"torch": torch, "F": torch.nn.functional, "ends": ends, "x": torch.ones(8, 8), "w": torch.ones(3, 8, 8)}
    with pytest.raises(RuntimeError) as caught:
        eval(call, names)
    assert str(caught.value).startswith(message)


def test_the_operator_behind_it_takes_everything_by_position(torch):
    rows, matrices = torch.ones(6, 4), torch.ones(2, 4, 8)
    ends = torch.tensor([2, 6], dtype=torch.int32)
    expected = torch.nn.functional.grouped_mm(rows, matrices, offs=ends)
    assert torch.equal(torch._grouped_mm(rows, matrices, ends), expected)
    assert torch.equal(torch.ops.aten._grouped_mm(rows, matrices, ends), expected)
