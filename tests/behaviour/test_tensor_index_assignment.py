"""Writing through an index: what lands where, what is converted, and that a refused write changes nothing."""

import random

import numpy as np
import pytest

# Each writes the same into an array and into a tensor of zeros; `v` makes values 1, 2, 3 ... of a shape.
agreeing = [
    "x[0] = 1",
    "x[-1, 2] = 5",
    "x[1:3] = 2",
    "x[:, ::2] = 3",
    "x[..., 0] = v(4, 3)",
    "x[0] = v(3, 5)",
    "x[0] = v(5)",
    "x[0] = v(1, 3, 5)",
    "x[:, 1] = v(4, 1)",
    "x[None] = 4",
    "x[...] = v(4, 3, 5)",
    "x[()] = 6",
    "x[True] = 7",
    "x[False] = 7",
    "x[2:1] = 8",
    "x[[0, 2]] = v(3, 5)",
    "x[[0, 2]] = v(2, 3, 5)",
    "x[[0, 1], [1, 2]] = v(2, 5)",
    "x[[0, 1], [1, 2], [3, 4]] = v(2)",
    "x[[[0, 1], [2, 3]], [0, 2]] = v(2, 2, 5)",
    "x[:, [0, 2]] = v(4, 2, 5)",
    "x[[0, 1], :, [0, 4]] = v(2, 3)",
    "x[1:, [0, 2], ::2] = v(3, 2, 3)",
    "x[x == 0] = 9",
    "x[x == 0] = v(60)",
    "x[[True, False, True, False]] = v(2, 3, 5)",
    "x[:, [True, False, True]] = v(2, 5)",
    "x[x[:, :, 0] == 0] = v(12, 5)",
    "x[array([0, 1]), array([2, 2])] = 3",
    "x[[]] = 1",
    "x[[-1, 0]] = v(2, 1, 1)",
    "x[0] += 2",
    "x[[0, 0], [1, 1]] += 1",
    "x[1:, 0] -= v(3, 5)",
    "x[0][1] = 4",
    "x[0][1][2] = 4",
    "x.swapaxes(0, 2)[1] = v(3, 4)",
]


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64"])
@pytest.mark.parametrize("statement", agreeing)
def test_writes_as_numpy_does(torch, statement, dtype):
    def values(*shape):
        return np.arange(1, np.prod(shape) + 1).reshape(shape).astype(dtype)

    x, array = torch.zeros(4, 3, 5, dtype=getattr(torch, dtype)), np.zeros((4, 3, 5), dtype)
    exec(statement, {"x": x, "array": np.array, "v": lambda *shape: torch.from_numpy(values(*shape))})
    exec(statement, {"x": array, "array": np.array, "v": values})
    assert x.tolist() == array.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_random_writes_as_numpy_does(torch, seed):
    source = random.Random(seed)
    for _ in range(30):
        x, array = torch.zeros(4, 3, 5), np.zeros((4, 3, 5), np.float32)
        rows = source.sample(range(-4, 0), source.randint(1, 4))
        columns = source.sample(range(5), len(rows))
        index = source.choice(
            [
                (rows,),
                (rows, slice(source.randint(0, 3), None)),
                (slice(None, None, source.randint(1, 3)), slice(None), columns),
                (rows, slice(None), columns),
                (source.randint(-4, 3), slice(source.randint(-3, 3), None, 2)),
                (Ellipsis, columns),
            ]
        )
        values = np.arange(1, array[index].size + 1, dtype=np.float32).reshape(array[index].shape)
        x[index], array[index] = torch.from_numpy(values), values
        assert (index, x.tolist()) == (index, array.tolist())


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("x[0] = torch.tensor([1, 2, 3])", [[1, 2, 3], [0, 0, 0]]),
        ("x[0, 1] = torch.tensor(3)", [[0, 3, 0], [0, 0, 0]]),
        ("x[0, 1] = torch.tensor([[3]])", [[0, 3, 0], [0, 0, 0]]),
        ("x[0] = torch.ones(3, dtype=torch.float64)", [[1, 1, 1], [0, 0, 0]]),
        ("x[0] = np.float64(3)", [[3, 3, 3], [0, 0, 0]]),
        ("x[0] = True", [[1, 1, 1], [0, 0, 0]]),
        ("x[torch.tensor(1)] = 5", [[0, 0, 0], [5, 5, 5]]),
        ("x[x == 0] = torch.tensor(7)", [[7, 7, 7], [7, 7, 7]]),
        (
            "x.index_put_((torch.tensor([0, 0]), torch.tensor([1, 1])), torch.ones(2), accumulate=True)",
            [[0, 2, 0], [0] * 3],
        ),
        ("x.index_fill_(1, torch.tensor([0, 2]), 4)", [[4, 0, 4], [4, 0, 4]]),
        ("x.index_copy_(1, torch.tensor([2]), torch.tensor([[1.0], [2.0]]))", [[0, 0, 1], [0, 0, 2]]),
        ("x.index_add_(0, torch.tensor([1, 1]), torch.ones(2, 3))", [[0, 0, 0], [2, 2, 2]]),
        ("x.masked_fill_(torch.tensor([True, False, True]), 5)", [[5, 0, 5], [5, 0, 5]]),
        ("x.masked_scatter_(torch.tensor([True, False, True]), torch.arange(1.0, 9.0))", [[1, 0, 2], [3, 0, 4]]),
        ("x.scatter_(1, torch.tensor([[0, 2], [1, 1]]), 6.0)", [[6, 0, 6], [0, 6, 0]]),
        ("x.scatter_add_(1, torch.tensor([[0, 0]]), torch.ones(1, 2))", [[2, 0, 0], [0, 0, 0]]),
        ("x.put_(torch.tensor([1, 5]), torch.tensor([8.0, 9.0]))", [[0, 8, 0], [0, 0, 9]]),
    ],
)
def test_writes_of_its_own(torch, statement, values):
    x = torch.zeros(2, 3)
    exec(statement, {"torch": torch, "np": np, "x": x})
    assert x.tolist() == values
    assert x.dtype is torch.float32


@pytest.mark.parametrize(
    ("dtype", "statement", "values"),
    [
        ("int64", "x[0] = 2.7", [2, 0]),
        ("int64", "x[0] = torch.tensor(2.7)", [2, 0]),
        ("int64", "x[:1] = torch.tensor([-2.7])", [-2, 0]),
        ("int64", "x[[0]] = 2.7", [2, 0]),
        ("int64", "x[x == 0] = torch.tensor(2.7)", [2, 2]),
        ("bool", "x[0] = 5", [True, False]),
        ("uint8", "x[0] = -1", [255, 0]),
        ("bfloat16", "x[0] = 1.00390625", [1.0, 0]),
        ("complex64", "x[0] = 1", [1 + 0j, 0j]),
    ],
)
def test_the_target_keeps_its_dtype(torch, dtype, statement, values):
    x = torch.zeros(2, dtype=getattr(torch, dtype))
    exec(statement, {"torch": torch, "x": x})
    assert (x.dtype, x.tolist()) == (getattr(torch, dtype), values)


def test_zero_dimensions(torch):
    x = torch.tensor(5.0)
    x[()] = 3
    assert x == 3
    x[...] = 4
    assert x == 4
    with pytest.raises(IndexError, match=r"^invalid index of a 0-dim tensor\."):
        x[0] = 1


def test_a_write_counts_once(torch):
    x = torch.zeros(3, 3)
    x[0] = 1
    x[[0, 1]] = 2
    x[x > 0] = 3
    assert x._version == 3


INDEX_PUT_DTYPES = (
    "Index put requires the source and destination dtypes match, got %s for the destination and %s for the source."
)
OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)
SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)


refused = [
    (
        "x[0] = torch.ones(2)",
        RuntimeError,
        "The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 0.  "
        "Target sizes: [3].  Tensor sizes: [2]",
    ),
    (
        "x[0] = torch.ones(2, 3)",
        RuntimeError,
        "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be greater or equal to "
        "the number of dimensions in the tensor (2)",
    ),
    ("x[2] = 1", IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    ("x[0, 3] = 1", IndexError, "index 3 is out of bounds for dimension 1 with size 3"),
    ("x[[0, 2]] = 1", IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    ("x[[1, 5]] = torch.ones(2, 3)", IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    ("x[0] = [1, 2, 3]", TypeError, "can't assign a list to a torch.FloatTensor"),
    ("x[0] = 'a'", TypeError, "can't assign a str to a torch.FloatTensor"),
    ("x[0] = None", TypeError, "can't assign a NoneType to a torch.FloatTensor"),
    ("x[0] = 1j", RuntimeError, "value cannot be converted to type float without overflow"),
    ("x[::-1] = 1", ValueError, "step must be greater than zero"),
    (
        "x[1.5] = 1",
        IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got float)",
    ),
    (
        "x[torch.tensor([0.5])] = 1",
        IndexError,
        "tensors used as indices must be long, int, byte or bool tensors",
    ),
    ("x[[0, 1]] = torch.ones(3, dtype=torch.float64)", RuntimeError, INDEX_PUT_DTYPES % ("Float", "Double")),
    ("x[[0, 1]] = torch.ones(3, dtype=torch.int64)", RuntimeError, INDEX_PUT_DTYPES % ("Float", "Long")),
    (
        "x[x == 0] = torch.arange(5.0)",
        RuntimeError,
        "shape mismatch: value tensor of shape [5] cannot be broadcast to indexing result of shape [6]",
    ),
    (
        "x[[0, 1]] = torch.ones(4, 3)",
        RuntimeError,
        "shape mismatch: value tensor of shape [4, 3] cannot be broadcast to indexing result of shape [2, 3]",
    ),
    ("x.view(6)[1:] = x.view(6)[:-1]", RuntimeError, SHARED),
    ("x[0, :1].expand(3)[:] = torch.ones(3)", RuntimeError, OVERLAP),
    ("x[0, :1].expand(3).detach()[:] = torch.ones(3)", RuntimeError, OVERLAP),
    ("del x[0]", TypeError, "Tensor does not support deleting items"),
    (
        "x.masked_fill_(torch.tensor([1, 0, 1]), 5)",
        RuntimeError,
        "masked_fill_ only supports boolean masks, but got mask with dtype long int",
    ),
    (
        "x.scatter_(1, torch.tensor([[0, 3]]), 1.0)",
        RuntimeError,
        "index 3 is out of bounds for dimension 1 with size 3",
    ),
]


@pytest.mark.parametrize(("statement", "error", "first_line"), refused)
def test_refused(torch, statement, error, first_line):
    with pytest.raises(error) as caught:
        exec(statement, {"torch": torch, "x": torch.zeros(2, 3)})
    assert str(caught.value).splitlines()[0] == first_line


# PyTorch may have written a part by the time it meets an index out of range; rushlight promises that it has not.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize(("statement", "error", "first_line"), refused)
def test_a_refused_write_changes_nothing(torch, statement, error, first_line):
    x = torch.zeros(2, 3)
    with pytest.raises(error):
        exec(statement, {"torch": torch, "x": x})
    assert (x.tolist(), x.dtype) == ([[0, 0, 0], [0, 0, 0]], torch.float32)


@pytest.mark.parametrize("statement", ["x[0] = x[0]", "x[:] = x", "x[...] = x[:]", "x[0][1:] = x[0, 1:]"])
def test_a_leaf_is_not_even_given_its_own_values(torch, statement):
    x = torch.zeros(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"):
        exec(statement, {"x": x})
    assert x._version == 0
    with torch.no_grad():
        exec(statement, {"x": x})
    y = x * 2
    exec(statement, {"x": y})
    y.sum().backward()
    assert x.grad.tolist() == [[2, 2, 2], [2, 2, 2]]


def test_an_expanded_tensor_is_given_its_own_values(torch):
    x = torch.ones(2, 1).expand(2, 3)
    x[:] = x
    assert x.tolist() == [[1, 1, 1], [1, 1, 1]]


# PyTorch refuses an array as the value; rushlight takes NumPy arrays wherever a tensor is written, on either side.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_an_array_can_be_assigned(torch):
    x = torch.zeros(2, 3)
    x[0] = np.array([1, 2, 3], np.float32)
    x[1, 2] = np.array(4.0)
    assert x.tolist() == [[1, 2, 3], [0, 0, 4]]


@pytest.mark.parametrize("write", [lambda w: w.__setitem__(0, 5.0), lambda w: w.__setitem__(slice(1), w[:1].add_(1))])
def test_a_value_that_backward_needs_is_refused_after_an_assignment(torch, write):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2)
    y = x * w
    write(w)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("value", ["torch.tensor(5)", "torch.tensor([5.0], dtype=torch.float64)", "torch.tensor(5.5)"])
@pytest.mark.parametrize("kind", ["uint8", "int64", "float32", "float16"])
def test_one_value_of_any_dtype_fills_a_mask(torch, value, kind):
    x = torch.zeros(3, dtype=getattr(torch, kind))
    x.index_put_((torch.tensor([True, False, True]),), eval(value, {"torch": torch}))
    number = eval(value, {"torch": torch}).item()
    assert x.tolist() == [number if x.is_floating_point() else int(number), 0, number if x.is_floating_point() else 5]


def test_the_gradient_of_a_value_that_fills_a_mask(torch):
    value = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    torch.zeros(3).index_put((torch.tensor([True, False, True]),), value).sum().backward()
    assert value.grad.dtype is torch.float64 and value.grad.tolist() == [2.0]


@pytest.mark.parametrize(
    ("indices", "value", "accumulate", "words"),
    [
        ("[True, False, True]", "300", False, "value cannot be converted to type uint8_t without overflow"),
        ("[True, False, True]", "5", True, "Index put requires the source and destination dtypes match, got Byte for"),
        ("[0, 1]", "5", False, "Index put requires the source and destination dtypes match, got Byte for"),
        (
            "[True, False, True]",
            "[5, 6]",
            False,
            "Index put requires the source and destination dtypes match, got Byte",
        ),
    ],
)
def test_what_does_not_fill_a_mask(torch, indices, value, accumulate, words):
    x = torch.zeros(3, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match=words):
        x.index_put_((eval(f"torch.tensor({indices})"),), eval(f"torch.tensor({value})"), accumulate)


@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8:UserWarning")
def test_a_mask_of_bytes_is_not_filled(torch):
    with pytest.raises(
        RuntimeError, match="masked_fill_ only supports boolean masks, but got mask with dtype unsigned"
    ):
        torch.zeros(3).index_put_((torch.tensor([1, 0, 1], dtype=torch.uint8),), torch.tensor(5.0))


AMONG_SLICES = [
    "x[:, i] = v(4, 2)", "x[:, i] = 1.5", "x[i, 0:2] = v(2, 2)", "x[:, m] = v(4, 2)", "x[:, i] = v(2)",
    "x[:, j] = v(4, 2, 2)", "x[:, i[:0]] = v(4, 0)", "x[::2, i] = v(1, 2, 2)", "x[-i - 1, ::3] = v(2, 2)",
]  # fmt: skip


def counted(*shape):
    return np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("statement", AMONG_SLICES)
def test_an_index_tensor_among_slices(torch, statement):
    i, j, m = np.array([0, 2]), np.array([[0, 1], [2, 3]]), np.array([True, False, True, False])
    expected = np.zeros((4, 4), np.float32)
    exec(statement, {"x": expected, "i": i, "j": j, "m": m, "v": counted})
    x = torch.zeros(4, 4)
    names = {name: torch.from_numpy(each) for name, each in (("i", i), ("j", j), ("m", m))}
    exec(statement, {"x": x, "v": lambda *shape: torch.from_numpy(counted(*shape)), **names})
    assert x.tolist() == expected.tolist() and x._version == 1


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_an_index_tensor_among_slices_is_written_at_once(torch, monkeypatch):
    monkeypatch.setattr("rushlight.dispatch.inplace.write", lambda *_: pytest.fail("the long way"))
    x = torch.zeros(2, 3)
    x[:, torch.tensor([0, 2])] = torch.ones(2, 2)
    assert x.tolist() == [[1, 0, 1], [1, 0, 1]]


@pytest.mark.parametrize(
    "statement", ["x[i, j] = 2.0", "x[i, j] = v", "x[i, 1:, j] = 4.0", "x[i, :, m] = 0.0", "x[[0, -1]] = 3.0"]
)
def test_small_tensors_are_written_at_once(monkeypatch, statement):
    import rushlight
    from rushlight.declarations import setitem

    monkeypatch.setattr(setitem, "_target", lambda *given: pytest.fail("the long way was taken"))
    names = {"i": np.array([1, 0]), "j": np.array([2, -1]), "m": np.array([True, False, True]), "v": np.ones(3, "f")}
    x, array = rushlight.zeros(2, 3, 3), np.zeros((2, 3, 3), "f")
    exec(statement, {"x": x, **{name: rushlight.tensor(each) for name, each in names.items()}})
    exec(statement, {"x": array, **names})
    assert x.tolist() == array.tolist() and x._version == 1


named = [([1, 0],), ([1, 0], [2, -1]), (slice(None), [1]), ([[True, False, True], [False] * 3],)]


@pytest.mark.parametrize("index", named)
def test_a_history_takes_index_tensors_as_they_are(monkeypatch, index):
    import rushlight
    from rushlight.declarations import setitem

    monkeypatch.setattr(setitem, "located", lambda *given, **named: pytest.fail("the index was taken apart"))
    key = tuple([each if isinstance(each, slice) else rushlight.tensor(each) for each in index])
    x = rushlight.ones(2, 3, requires_grad=True)
    y = x * 1
    y[key if len(key) > 1 else key[0]] = 0.0
    y.sum().backward()
    expected = np.ones((2, 3), "f")
    expected[tuple([each if isinstance(each, slice) else np.array(each) for each in index])] = 0
    assert y.tolist() == x.grad.tolist() == expected.tolist()


own = [lambda x: x[0], lambda x: (slice(None), x[0]), lambda x: x, lambda x: x[1:], lambda x: (x[0], x[1])]


@pytest.mark.parametrize("index_of", own)
def test_positions_in_the_memory_that_is_written_to_are_refused(torch, index_of):
    x = torch.tensor([[1, 0], [0, 1]])
    with pytest.raises(RuntimeError, match="refer to a single memory location. Please clone"):
        x[index_of(x)] = 0
    assert x.tolist() == [[1, 0], [0, 1]]


def test_what_a_mask_or_a_clone_selects_of_itself_may_be_written(torch):
    x = torch.tensor([2, 0, 1])
    x[x.clone()] = torch.tensor([5, 6, 7])
    mask = torch.tensor([True, False])
    mask[mask] = False
    assert x.tolist() == [6, 7, 5] and mask.tolist() == [False, False]
