"""What random programs next to PyTorch's have found, each as a story of its own."""

import math

import pytest


@pytest.mark.parametrize("name", ["elu", "celu", "selu"])
@pytest.mark.parametrize("count", [1, 20_000])
def test_the_second_derivative_of_exponential_units_is_0_at_0(torch, name, count):
    x = torch.tensor([0.0, -1.0, 1.0] * count, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(getattr(torch.nn.functional, name)(x).sum(), x, create_graph=True)
    (curve,) = torch.autograd.grad(slope.sum(), x)
    assert curve[0] == 0 and curve[2] == 0 and curve[1] > 0.3


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda t, x: t.unique(x), "_unique2"),
        (lambda t, x: t.unique(x, return_counts=True)[0], "_unique2"),
        (lambda t, x: t.unique(x, dim=0), "unique_dim"),
        (lambda t, x: t.unique_consecutive(x), "unique_consecutive"),
    ],
)
def test_unique_records_and_refuses_to_go_back(torch, call, name):
    result = call(torch, torch.ones(2, 2, requires_grad=True))
    assert result.requires_grad and result.tolist() in ([1.0], [[1.0, 1.0]])
    with pytest.raises(NotImplementedError, match=f"^the derivative for '{name}' is not implemented.$"):
        result.sum().backward()
    assert not call(torch, torch.ones(2, 2)).requires_grad


def test_a_view_of_another_dtype_has_no_history(torch):
    x = torch.ones(2, requires_grad=True)
    for result in (x.view(torch.int32), x.view(torch.float32), x.mul(2).view(torch.int32)):
        assert not result.requires_grad and result.grad_fn is None
    assert x.view(torch.int32).data_ptr() == x.data_ptr()


@pytest.mark.parametrize("size", [4, 3000, 100_000])
def test_a_number_may_be_written_to_an_expanded_tensor(torch, size):
    base = torch.ones(3, 1)
    whole = base.expand(3, size)
    assert whole.fill_(3) is whole and base.tolist() == [[3.0]] * 3
    assert whole.zero_() is whole and base.tolist() == [[0.0]] * 3
    assert base._version == 2
    for write in (lambda: whole.fill_(torch.tensor(1.0)), lambda: whole.add_(1)):
        with pytest.raises(RuntimeError, match="^unsupported operation: more than one element of the written-to"):
            write()


def test_a_part_may_be_written_over_the_whole(torch):
    x = torch.arange(4.0).reshape(2, 2)
    x[None] = x
    assert x.tolist() == [[0, 1], [2, 3]]
    x[:] = x[1]
    assert x.tolist() == [[2, 3], [2, 3]]
    x[:] = x[0, 1]
    assert x.tolist() == [[3, 3], [3, 3]]
    with pytest.raises(RuntimeError, match="^unsupported operation: some elements of the input tensor and the written"):
        x[1:] = x.reshape(-1)[1:3].reshape(1, 2)


@pytest.mark.parametrize("size", [2, 70])
def test_products_may_be_added_to_what_they_are_made_of(torch, size):
    square = torch.zeros(size, size, dtype=torch.float64)
    batch = torch.zeros(2, size, size, dtype=torch.float64)
    assert square.addmm_(square.mT, square).sum() == 0  # PyTorch reads what it has written: zeros show it allows it
    assert square.addbmm_(square[None], square.mT[None]).sum() == 0
    assert batch.baddbmm_(batch.mT, batch).sum() == 0
    assert square[0].addmv_(square, square[:, 0]).sum() == 0
    with pytest.raises(RuntimeError, match="^unsupported operation: some elements of the input tensor and the written"):
        square.addr_(square[0], square[1])


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize(
    ("right", "found"), [(False, [2, 2, 4, 0]), (True, [2, 4, 4, 1])], ids=["before equal ones", "behind"]
)
def test_positions_among_sorted_numbers_that_end_in_nan(torch, kind, right, found):
    dtype = getattr(torch, kind)
    boundaries = torch.tensor([-math.inf, 0.0, math.inf, math.nan], dtype=dtype)
    values = torch.tensor([1.0, math.inf, math.nan, -math.inf], dtype=dtype)
    assert torch.bucketize(values, boundaries, right=right).tolist() == found
    assert torch.searchsorted(boundaries, values, right=right).tolist() == found


def test_positions_of_integers_among_half_precision(torch):
    boundaries = torch.tensor([1.0, 2.0, 3.0], dtype=torch.bfloat16)
    assert torch.searchsorted(boundaries, torch.tensor([2, 3])).tolist() == [1, 2]


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss"])
def test_a_target_without_dimensions_counts_with_its_dtype(torch, name):
    loss = getattr(torch.nn.functional, name)
    with pytest.warns(UserWarning, match="target size"):
        assert loss(torch.ones(3), torch.zeros((), dtype=torch.float64)).dtype == torch.float64


@pytest.mark.parametrize("training", [True, False])
def test_rrelu_gives_rows_in_order(torch, training):
    assert torch.rrelu(torch.ones(3, 4).T, training=training).stride() == (3, 1)


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        (lambda t, x: x.nonzero(), "The register_meta function for torch.nonzero()"),
        (lambda t, x: t.unique(x), "aten::_unique2: attempted to run this operator with Meta tensors"),
        (lambda t, x: t.unique(x, dim=0), "aten::unique_dim: attempted to run this operator with Meta tensors"),
        (lambda t, x: t.unique_consecutive(x), "aten::unique_consecutive: attempted to run this operator"),
        (lambda t, x: x.masked_select(x > 0), "aten::masked_select: attempted to run this operator"),
        (lambda t, x: t.bincount(x), "aten::bincount: attempted to run this operator with Meta tensors"),
    ],
)
def test_shapes_that_depend_on_numbers_are_unknown_on_meta(torch, call, refusal):
    with pytest.raises(NotImplementedError) as caught:
        call(torch, torch.empty(3, dtype=torch.int64, device="meta"))
    assert str(caught.value).startswith(refusal)


def test_counts_on_meta_do_not_say_where_to_repeat(torch):
    counts = torch.empty(3, dtype=torch.int64, device="meta")
    with pytest.raises(RuntimeError, match="^cannot repeat_interleave a meta tensor without output_size$"):
        torch.repeat_interleave(torch.empty(3, device="meta"), counts)


@pytest.mark.parametrize("shape", [(2, 0), (2, 3, 0), (2, 0, 4)])
def test_positions_of_maxima_in_empty_rows_are_refused_as_of_planes(torch, shape):
    with pytest.raises(RuntimeError) as caught:
        torch.nn.functional.max_pool1d(torch.ones(shape), 2, return_indices=True)
    lifted = [*shape[:-1], 1, shape[-1]]
    assert str(caught.value) == (
        f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{lifted}"
    )


def test_packed_sequences_end_with_their_last_step(torch):
    data, weights = torch.randn(5, 2), [torch.randn(6, 2), torch.randn(6, 2)]
    sizes, before = torch.tensor([2, 1]), torch.zeros(1, 2, 2)
    long, short = (torch.gru(each, sizes, before, weights, False, 1, 0.0, False, False) for each in (data, data[:3]))
    assert long[0].shape == (3, 2)
    assert torch.equal(long[0], short[0]) and torch.equal(long[1], short[1])


@pytest.mark.parametrize("split", [lambda x: x.split(2), lambda x: x.chunk(3), lambda x: x.tensor_split(2)])
def test_nothing_is_split_into_parts_that_have_gradients(torch, split):
    x = torch.ones(0, 3, requires_grad=True)
    sum(part.sum() for part in split(x)).backward()
    assert x.grad.shape == (0, 3)


@pytest.mark.parametrize("mean", ["float32", "bfloat16", "float64"])
@pytest.mark.parametrize("std", ["float32", "bfloat16", "float64"])
def test_normal_numbers_have_the_dtype_of_their_means(torch, mean, std):
    means, deviations = torch.zeros(3, dtype=getattr(torch, mean)), torch.full((3,), 2.0, dtype=getattr(torch, std))
    assert torch.normal(means, deviations).dtype is means.dtype
    assert torch.normal(means.requires_grad_(), deviations).dtype is means.dtype


def test_a_single_place_of_a_tensor_with_gaps_has_no_dimensions(torch):
    x = torch.arange(96.0).view(2, 48)[:, ::2]
    assert x.take(torch.tensor(30)).shape == () and x.take(torch.tensor(30)) == 60


def test_what_is_expanded_is_copied_in_another_shape(torch):
    assert torch.view_copy(torch.ones(1, 3).expand(2, 3), (3, 2)).tolist() == [[1, 1]] * 3


@pytest.mark.parametrize("end", [0, 2, 9])
def test_a_histogram_between_equal_ends_is_that_of_all_numbers(torch, end):
    assert torch.histc(torch.arange(1.0, 7.0), 3, end, end).tolist() == [2, 2, 2]


@pytest.mark.parametrize(("value", "found"), [(0.8, [0, 3]), (-3.2, [3, 0]), (3.3, [3, 0])])
def test_the_only_value_of_a_histogram_lies_in_its_middle(torch, value, found):
    assert torch.histc(torch.full((3,), value), 2).tolist() == found  # as its neighbours in float32 round


def test_one_bias_for_all_gates_has_one_gradient(torch):
    bias = torch.tensor(0.5, requires_grad=True)
    torch.gru_cell(torch.ones(2, 4), torch.ones(2, 3), torch.ones(9, 4), torch.ones(9, 3), bias).sum().backward()
    assert bias.grad.shape == ()


def test_targets_of_a_soft_margin_may_be_bools(torch):
    x, target = torch.tensor([0.3, -1.0]), torch.tensor([True, False])
    expected = torch.nn.functional.soft_margin_loss(x, target.float())
    assert torch.equal(torch.nn.functional.soft_margin_loss(x, target), expected)


def test_a_bilinear_map_to_no_features(torch):
    result = torch.nn.functional.bilinear(torch.ones(2, 5, 3), torch.ones(2, 5, 4), torch.ones(0, 3, 4))
    assert result.shape == (2, 5, 0)


@pytest.mark.parametrize("size", [2, 3, 8])
@pytest.mark.parametrize("place", [(0, 0), (1, 0), (1, 1)])
@pytest.mark.parametrize("batch", [(), (400,)])
def test_a_matrix_with_nan_has_no_solution_but_nan(torch, size, place, batch):
    matrices = (torch.arange(1.0, size * size + 1).reshape(size, size) ** 2).expand(*batch, size, size).clone()
    matrices[(..., *place)] = math.nan
    assert torch.linalg.solve(matrices, torch.ones(size, 2)).isnan().all()
    assert torch.linalg.inv(matrices).isnan().all()


@pytest.mark.parametrize("batch", [(), (3,)])
def test_a_matrix_with_nan_is_not_singular(torch, batch):
    matrices = torch.ones(*batch, 3, 3)
    matrices[..., 2, 2] = math.nan
    assert torch.linalg.det(matrices).isnan().all()
    assert torch.linalg.slogdet(matrices).logabsdet.isnan().all()
