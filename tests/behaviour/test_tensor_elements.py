"""`apply_`, `map_`, `fill_diagonal_` and fills: element by element, in place."""

import pytest


def test_apply_puts_what_a_function_makes_of_each_element(torch):
    x = torch.arange(6.0).reshape(2, 3)
    assert x.apply_(lambda each: each * each) is x
    assert x.tolist() == [[0, 1, 4], [9, 16, 25]]
    assert torch.arange(3).apply_(lambda each: each + 1.5).tolist() == [1, 2, 3]
    assert x.t().apply_(lambda each: -each) is not x
    assert x[1].tolist() == [-9, -16, -25]


def test_map_takes_pairs_and_broadcasts(torch):
    x = torch.arange(6.0).reshape(2, 3)
    assert x.map_(torch.tensor([1.0, 10.0, 100.0]), lambda a, b: a + b).tolist() == [[1, 11, 102], [4, 14, 105]]


def test_a_saved_value_that_a_function_has_changed_is_noticed(torch):
    x, w = torch.ones(2), torch.ones(2, requires_grad=True)
    y = w * x
    x.apply_(lambda each: 2)
    if torch.__name__ == "rushlight":  # as docs/what-differs.md says
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
    else:
        y.sum().backward()
        assert w.grad.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("w.apply_(abs)", RuntimeError, r"Can't call apply_\(\) on Variable that requires grad. Use var.detach"),
        ("w.map_(x, max)", RuntimeError, r"Can't call map_\(\) on Variable that requires grad. Use var.detach"),
        ("x.map_(x.double(), max)", TypeError, "map_: expected torch.FloatTensor for 'other' .got torch.DoubleTensor"),
        ("x.map_(3, max)", TypeError, r"^map_\(\): argument 'other' \(position 1\) must be Tensor, not int$"),
        ("x.apply_(3)", TypeError, "'int' object is not callable"),
        ("x.apply_(lambda each: 'a')", TypeError, "must be real number, not str"),
    ],
)
def test_what_cannot_be_gone_through_is_refused(torch, call, error, message):
    names = {"torch": torch, "x": torch.ones(2), "w": torch.ones(2, requires_grad=True)}
    with pytest.raises(error, match=message):
        eval(call, names)
    assert names["x"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("shape", "wrap"), [((3, 3), False), ((7, 3), False), ((7, 3), True), ((3, 7), True), ((4, 2), True)]
)
def test_the_diagonal_is_filled(torch, shape, wrap):
    x = torch.zeros(shape)
    assert x.fill_diagonal_(2, wrap) is x
    step = shape[1] + 1
    positions = range(0, x.numel() if wrap else min(shape) * step - shape[1], step)
    expected = [2 if at in positions else 0 for at in range(x.numel())]
    if shape[0] < shape[1]:
        expected = [each if at < shape[0] * step else 0 for at, each in enumerate(expected)]
    assert x.flatten().tolist() == expected


@pytest.mark.parametrize(("shape", "wrap", "writes"), [((12, 3), True, 2), ((4, 3), True, 1), ((0, 3), True, 1)])
def test_how_often_a_filled_diagonal_was_written_to(torch, shape, wrap, writes):
    assert torch.zeros(shape).fill_diagonal_(2, wrap)._version == writes


def test_the_diagonal_of_a_cube_and_of_a_view(torch):
    assert torch.zeros(2, 2, 2).fill_diagonal_(1).flatten().tolist() == [1, 0, 0, 0, 0, 0, 0, 1]
    x = torch.zeros(3, 3)
    x[1:].t().fill_diagonal_(5)
    assert x.tolist() == [[0, 0, 0], [5, 0, 0], [0, 5, 0]]
    assert torch.zeros(2, 2, dtype=torch.int64).fill_diagonal_(1.5).tolist() == [[1, 0], [0, 1]]


def test_the_gradient_stops_at_a_filled_diagonal(torch):
    x = torch.ones(2, 2, requires_grad=True)
    (x * 3).fill_diagonal_(7).sum().backward()
    assert x.grad.tolist() == [[0, 3], [3, 0]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("torch.zeros(3).fill_diagonal_(1)", RuntimeError, "dimensions must larger than 1"),
        ("torch.zeros(2, 3, 2).fill_diagonal_(1)", RuntimeError, "all dimensions of input must be of equal length"),
        (
            "torch.zeros(2, 2).fill_diagonal_('a')",
            TypeError,
            r"argument 'fill_value' \(position 1\) must be Number, not",
        ),
        (
            "torch.zeros(2, 2, requires_grad=True).fill_diagonal_(1)",
            RuntimeError,
            "a view of a leaf Variable that requires grad is being used in an in-place operation",
        ),
    ],
)
def test_what_has_no_diagonal_is_refused(torch, call, error, message):
    with pytest.raises(error, match=message):
        eval(call, {"torch": torch})


@pytest.mark.parametrize("kind", ["int64", "uint8", "bool", "float16", "float64"])
def test_what_is_filled_keeps_its_dtype(torch, kind):
    kind, number = getattr(torch, kind), torch.tensor(2.5)
    mask, expected = torch.tensor([True, False]), torch.full((2,), 2.5).to(kind)
    for result in (torch.ones(2, dtype=kind).fill_(number), torch.fill(torch.ones(2, dtype=kind), number)):
        assert result.dtype is kind and torch.equal(result, expected)
    result = torch.ones(2, dtype=kind).masked_fill(mask, number)
    assert result.dtype is kind and torch.equal(result, torch.where(mask, expected, torch.ones(2, dtype=kind)))
    if kind is not torch.bool:
        with pytest.raises(RuntimeError, match="value cannot be converted to type .* without overflow"):
            torch.ones(2, dtype=kind).masked_fill(mask, torch.tensor(1j))
