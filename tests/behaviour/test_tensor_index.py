"""Reading through an index: basic, advanced and mixed, held against NumPy where the two agree; and what is refused."""

import itertools
import random

import numpy as np
import pytest

SHAPE = (4, 3, 5)

# Indices written so that the same text works for an array and for a tensor.
agreeing = [
    "0",
    "-1",
    "1, 2, 3",
    "-1, -2",
    "1:3",
    "-2:",
    ":-1",
    "::2",
    "1::2",
    "5:",
    "2:1",
    ":, 1",
    ":, :, ::3",
    "..., 0",
    "0, ..., 1",
    "...",
    "None",
    ":, None, :, None",
    "None, ..., None",
    "()",
    "True",
    "False",
    "[0, 2]",
    "[0, 0, 3]",
    "[-1, -4]",
    "[]",
    ":, [0, 2]",
    "..., [4, 0]",
    "[0, 1], [1, 2]",
    "[0, 1], [1, 2], [3, 4]",
    "[[0, 1], [1, 0]], [2, 2]",
    "[0, 1], :, [0, 4]",
    ":, [[0], [1]], [0, 4]",
    "1:, [0, 2], ::2",
    "[0, 1], None, [0, 1]",
    ":, None, [0, 1]",
    "None, [3, 1]",
    "[True, False, True, True]",
    ":, [True, False, True]",
    "[True, False, False, True], :, [0, 1]",
    "[True, False, True, True], [2, 0, 1]",
    "array([1, 2])",
    "array(1)",
    "array([[1, 2], [0, 3]])",
    "array([True, True, False, False])",
    "int64(2)",
    "slice(None), slice(1, 2)",
    "x > 30",
    "x[:, :, 0] > 15",
    "0, x[0, :, 0] > 3",
    ":, x[0, :, 0] > 3, 1:3",
]


def scope(x):
    return {"x": x, "array": np.array, "int64": np.int64}


@pytest.fixture
def x(torch):
    return torch.arange(60).reshape(SHAPE)


@pytest.mark.parametrize("index", agreeing)
def test_reads_as_numpy_does(x, index):
    array = np.arange(60).reshape(SHAPE)
    result, expected = eval(f"x[{index}]", scope(x)), eval(f"x[{index}]", scope(array))
    assert result.shape == expected.shape
    assert result.tolist() == expected.tolist()


def random_index(source):
    """One of the indices on which NumPy and PyTorch agree: no integer beside an array of integers, no negative step."""
    advanced = source.random() < 0.5
    length, pieces = source.randint(1, 4), []
    for size in SHAPE:
        start, stop = source.randint(-size - 1, size + 1), source.randint(-size - 1, size + 1)
        choices = [slice(start, stop, source.choice([None, 1, 2, 3])), slice(None)]
        if advanced:
            choices.append([source.randint(-size, size - 1) for _ in range(length)])
        else:
            choices.append(source.randint(-size, size - 1))
        pieces.append(source.choice(choices))
        if source.random() < 0.15:
            pieces.append(None)
    return tuple(pieces[: source.randint(1, len(pieces))])


@pytest.mark.parametrize("seed", range(10))
def test_random_indices_read_as_numpy_does(x, seed):
    source, array = random.Random(seed), np.arange(60).reshape(SHAPE)
    for index in (random_index(source) for _ in range(30)):
        assert (index, x[index].shape) == (index, array[index].shape)
        assert (index, x[index].tolist()) == (index, array[index].tolist())


# Where PyTorch goes its own way: an integer is a selection that comes first, and a 0-d bool tensor adds a dimension.
@pytest.mark.parametrize(
    ("index", "shape"),
    [
        ("0, :, [0, 1]", (3, 2)),
        ("[0, 1], :, 0", (2, 3)),
        ("[0, 1], 0", (2, 5)),
        ("torch.tensor(True)", (1, 4, 3, 5)),
        ("torch.tensor(False)", (0, 4, 3, 5)),
        (":, True", (4, 1, 3, 5)),
        ("torch.tensor(0)", (3, 5)),
        ("..., ...", (4, 3, 5)),
        ("torch.tensor([0, 1], dtype=torch.int32)", (2, 3, 5)),
        ("torch.tensor([], dtype=torch.int64)", (0, 3, 5)),
        ("torch.tensor(1):", (3, 3, 5)),
        ("range(2)", (2, 3, 5)),
        ("([0, 1], [1, 0])", (2, 5)),
    ],
)
def test_shapes_that_are_pytorchs(torch, x, index, shape):
    assert eval(f"x[{index}]", {"torch": torch, "x": x}).shape == shape


@pytest.mark.parametrize(
    "index, shape, made_by",
    [
        ((slice(None), 1), (2,), "Select"), ((slice(None), -1), (2,), "Select"), ((..., 1), (2,), "Select"),
        ((slice(None), None), (2, 1, 3), "Unsqueeze"), ((..., None), (2, 3, 1), "Unsqueeze"),
        ((None, slice(None)), (1, 2, 3), "Unsqueeze"), (None, (1, 2, 3), "Unsqueeze"),
        (slice(None, None, 2), (1, 3), "Slice"), (slice(1, None, 3), (1, 3), "Slice"),
    ],
)  # fmt: skip
def test_the_most_common_indices_are_one_step(torch, index, shape, made_by):
    leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
    x = leaf * 1
    view = x[index]
    assert tuple(view.shape) == shape and type(view.grad_fn).__name__ == f"{made_by}Backward0"
    view.mul_(2)  # written through, and back along the way that led to the view
    x.sum().backward()
    written = np.ones((2, 3))
    written[index] = 2
    assert leaf.grad.tolist() == written.tolist()


@pytest.mark.parametrize(
    "shape, index",
    [
        ((3,), (slice(None), 0)),
        ((), (slice(None), None)),
        ((), (None, slice(None))),
        ((), (..., 0)),
        ((2, 3), (..., 3)),
    ],
)
def test_the_most_common_indices_refuse_what_is_not_there(torch, shape, index):
    with pytest.raises(IndexError, match="too many indices|out of bounds|out of range"):
        torch.zeros(shape)[index]


@pytest.mark.parametrize("index", [0, 3, -1])
def test_one_position_is_a_view(torch, x, index):
    leaf = x.double().requires_grad_()
    part = leaf[torch.tensor(index)]
    assert type(part.grad_fn).__name__ == "SelectBackward0" and part.data_ptr() == leaf[index].data_ptr()
    with pytest.raises(IndexError, match="^index 4 is out of bounds for dimension 0 with size 4"):
        x[torch.tensor(4)]


@pytest.mark.parametrize(
    "index",
    [
        ([2, 0, 0], [1, 1, 2]), (slice(None), [2, 0, 0]), (slice(None), slice(None), [-1, 3]),
        ([1], slice(None), [-5, 2]), ([[0], [3]], [2, -1]), ([], []), (slice(None), []), ([1, 1],),
    ],
)  # fmt: skip
def test_positions_and_whole_dimensions(torch, x, index):
    def given(kind):
        return tuple(each if type(each) is slice else kind(each) for each in index)

    tensors = given(lambda each: torch.tensor(each, dtype=torch.int64))
    leaf = x.double().requires_grad_()
    result = leaf[tensors]
    wanted = x.numpy()[given(lambda each: np.array(each, np.int64))]
    assert result.tolist() == wanted.tolist() and type(result.grad_fn).__name__ == "IndexBackward0"
    result.sum().backward()
    counts = np.zeros(x.shape)
    np.add.at(counts, given(lambda each: np.array(each, np.int64)), 1)
    assert leaf.grad.tolist() == counts.tolist()


def test_basic_indices_are_views_and_advanced_ones_copies(torch, x):
    assert x[1].data_ptr() == x.data_ptr() + 15 * 8
    assert x[torch.tensor(1)].data_ptr() == x[1].data_ptr()
    assert x[np.int64(1)].data_ptr() == x[1].data_ptr()
    assert x[:, 1:, ::2].untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert x[...].data_ptr() == x.data_ptr()
    assert x[0] is not x[0]
    assert x[...] is not x
    for copied in [x[[0]], x[x >= 0], x[torch.tensor([0])], x[True]]:
        assert copied.data_ptr() != x.data_ptr()


def test_zero_dimensions(torch):
    x = torch.tensor(5)
    assert x[None].tolist() == [5]
    assert x[...].tolist() == x[()].tolist() == 5
    assert x[True].tolist() == x[torch.tensor(True)].tolist() == [5]
    assert x[False].tolist() == []


def test_byte_masks_are_deprecated(torch, x):
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="indexing with dtype torch.uint8 is now deprecated"):
            assert x[torch.tensor([1, 0, 0, 1], dtype=torch.uint8)].shape == (2, 3, 5)
    finally:
        torch.set_warn_always(False)


def test_a_list_of_lists_still_means_a_tuple(x):
    with pytest.warns(UserWarning, match="Using a non-tuple sequence for multidimensional indexing is deprecated"):
        assert x[[[0, 1], [1, 0]]].tolist() == x[[0, 1], [1, 0]].tolist()
    with pytest.warns(UserWarning, match="Using a non-tuple sequence for multidimensional indexing is deprecated"):
        assert x[[slice(None), 0]].shape == (4, 5)


@pytest.mark.parametrize(
    ("call", "values"),
    [
        ("x.index_select(1, torch.tensor([2, 0]))[0, :, 0]", [10, 0]),
        ("x[0].gather(1, torch.tensor([[0, 4], [1, 1], [2, 0]]))", [[0, 4], [6, 6], [12, 10]]),
        ("torch.take(x, torch.tensor([[0, 59], [1, -1]]))", [[0, 59], [1, 59]]),
        ("torch.take_along_dim(x[0], torch.tensor([[1], [0], [2]]), dim=1)", [[1], [5], [12]]),
        ("x[0].masked_select(x[0] % 7 == 0)", [0, 7, 14]),
        ("(x[0, :2] % 4 == 1).nonzero()", [[0, 1], [1, 0], [1, 4]]),
        ("torch.where(x[0, :2] % 4 == 1)[1]", [1, 0, 4]),
        ("torch.nonzero(x[0, 0] > 2, as_tuple=True)[0]", [3, 4]),
        ("torch.argwhere(x[0, 0] > 2)", [[3], [4]]),
        ("x.flatten()[::2].gather(0, torch.tensor(3))", 6),
        ("torch.arange(9000)[::2].gather(-1, torch.tensor(3))", 6),
    ],
)
def test_functions_that_index(torch, x, call, values):
    assert eval(call, {"torch": torch, "x": x}).tolist() == values


NOT_AN_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got %s)"
)


@pytest.mark.parametrize(
    ("index", "error", "first_line"),
    [
        ("4", IndexError, "index 4 is out of bounds for dimension 0 with size 4"),
        ("-5", IndexError, "index -5 is out of bounds for dimension 0 with size 4"),
        ("0, 3", IndexError, "index 3 is out of bounds for dimension 1 with size 3"),
        ("0, -4", IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
        ("0, 0, 0, 0", IndexError, "too many indices for tensor of dimension 3"),
        (":, :, :, :", IndexError, "too many indices for tensor of dimension 3"),
        ("[0, 4]", IndexError, "index 4 is out of bounds for dimension 0 with size 4"),
        ("torch.tensor([0, -5])", IndexError, "index -5 is out of bounds for dimension 0 with size 4"),
        ("1.0", IndexError, NOT_AN_INDEX % "float"),
        ("1j", IndexError, NOT_AN_INDEX % "complex"),
        ("{}", IndexError, NOT_AN_INDEX % "dict"),
        ("1.0:2", TypeError, "slice indices must be integers or None or have an __index__ method"),
        ("::-1", ValueError, "step must be greater than zero"),
        ("::0", ValueError, "slice step cannot be zero"),
        ("10**20", ValueError, "Overflow when unpacking long long"),
        (
            "torch.tensor([0.0, 1.0])",
            IndexError,
            "tensors used as indices must be long, int, byte or bool tensors",
        ),
        (
            "torch.tensor([0], dtype=torch.int16)",
            IndexError,
            "tensors used as indices must be long, int, byte or bool tensors",
        ),
        (
            "[True, False, True]",
            IndexError,
            "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor [4, 3, 5] at index 0",
        ),
        (
            "0, torch.tensor([True, False])",
            IndexError,
            "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 5] at index 0",
        ),
        (
            "[0, 1], [0, 1, 2]",
            IndexError,
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
        ),
        (
            "torch.tensor([0, 1]), torch.tensor([0, 1, 2])",
            IndexError,
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
        ),
        (":, torch.tensor([1, 3])", IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        (
            "torch.tensor([0]), torch.tensor([0]), :, torch.tensor([0])",
            IndexError,
            "too many indices for tensor of dimension 3",
        ),
    ],
)
def test_refused(torch, x, index, error, first_line):
    with pytest.raises(error) as caught:
        eval(f"x[{index}]", {"torch": torch, "x": x})
    assert str(caught.value).splitlines()[0] == first_line


def test_zero_dimensions_refuse_an_integer(torch):
    message = r"^invalid index of a 0-dim tensor\. Use `tensor\.item\(\)` in Python or `tensor\.item<T>\(\)` in C\+\+"
    with pytest.raises(IndexError, match=message):
        torch.tensor(5)[0]
    with pytest.raises(IndexError, match=r"^slice\(\) cannot be applied to a 0-dim tensor\.$"):
        torch.tensor(5)[:]


@pytest.mark.parametrize("positions", [[], [0, 0]])
def test_of_a_tensor_without_dimensions_one_element_is_selected(torch, positions):
    scalar = torch.tensor(2.0)
    assert scalar.index_select(0, torch.tensor([0])).item() == 2.0
    message = rf"Index to scalar can have only 1 value, got {len(positions)} value\(s\)"
    with pytest.raises(RuntimeError, match=message):
        scalar.index_select(0, torch.tensor(positions, dtype=torch.int64))


@pytest.mark.parametrize("kind", ["bool", "float32", "int64", "complex64"])
@pytest.mark.parametrize("shape", [(7,), (1500,), (6, 5), (40, 50), (3, 20, 30), (1, 2000), (0, 3), (3, 0)], ids=str)
def test_where_elements_are_not_zero(torch, shape, kind):
    rng = np.random.default_rng(0)
    array = (rng.integers(-1, 2, shape) * (rng.random(shape) < 0.7)).astype(kind)
    array[..., :1] = np.nan if kind == "float32" else 1
    for each in (array, array.T, array[..., ::2]):
        x = torch.from_numpy(each)
        np.testing.assert_array_equal(x.nonzero().numpy(), np.argwhere(each))
        mask = x != 0
        np.testing.assert_array_equal(x[mask].numpy(), each[each != 0])
        np.testing.assert_array_equal(x.masked_select(mask).numpy(), each[each != 0])


def test_gradients_of_what_a_large_mask_selects(torch):
    x = torch.arange(2000.0).reshape(40, 50).requires_grad_()
    (x[x % 3 == 0] ** 2).sum().backward()
    expected = torch.where(x.detach() % 3 == 0, 2 * x.detach(), 0)
    assert torch.equal(x.grad, expected)


def test_take_counts_from_the_end_and_refuses_what_is_not_there(torch):
    x = torch.arange(6.0).reshape(2, 3)
    assert x.take(torch.tensor([[0, -1], [5, -6]])).tolist() == [[0, 5], [5, 0]]
    assert x.t().take(torch.tensor([1, 2])).tolist() == [3, 1]
    assert x.take(torch.tensor([], dtype=torch.int64)).shape == (0,)
    for wrong in (6, -7):
        with pytest.raises(IndexError, match=rf"out of range: tried to access index {wrong} on a tensor of 6 elements"):
            x.take(torch.tensor([0, wrong]))


@pytest.mark.parametrize(
    "places, count, words",
    [
        ([1, 5], 3, "Class values must be smaller than num_classes."),
        ([0, -1], -1, "Class values must be non-negative."),
        ([1, 2], -2, "Class values must be smaller than num_classes."),
    ],
)
def test_one_hot_refuses_numbers_without_a_class(torch, places, count, words):
    with pytest.raises(RuntimeError) as caught:
        torch.nn.functional.one_hot(torch.tensor(places), count)
    assert str(caught.value).splitlines()[0] == words


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("r", range(1, 5))
@pytest.mark.parametrize("length", [0, 1, 2, 3, 7])
def test_combinations_are_those_of_itertools(torch, length, r, again):
    chosen = itertools.combinations_with_replacement if again else itertools.combinations
    result = torch.combinations(torch.arange(length) * 2, r, again)
    assert result.shape == (len(list(chosen(range(length), r))), r)
    assert result.tolist() == [list(each) for each in chosen(range(0, 2 * length, 2), r)]
