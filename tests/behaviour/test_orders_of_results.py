"""Operands of several layouts: the values and layouts of results."""

import pytest

OPERATIONS = {
    "a sum": lambda t, a, b: a + b,
    "a comparison": lambda t, a, b: a < b,
    "a choice": lambda t, a, b: t.where(a > 0, a, b),
    "three operands": lambda t, a, b: t.lerp(a, b, a),
    "two dtypes": lambda t, a, b: a.double() + b,
}


@pytest.mark.parametrize("side", [6, 200])
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
def test_results_lie_like_what_is_in_order(torch, operation, side):
    matrix = torch.arange(side * side, dtype=torch.float32).reshape(side, side) - side
    for _ in range(3):  # kernels come in with the first large arrays
        assert operation(torch, matrix, matrix.t()).stride() == (side, 1)
        assert operation(torch, matrix.t(), matrix.t()).stride() == (1, side)
        for first, second in ((matrix, matrix.t()), (matrix.t(), matrix), (matrix.t(), matrix.t())):
            result = operation(torch, first, second)
            assert torch.equal(result, operation(torch, first.contiguous(), second.contiguous()))


@pytest.mark.parametrize("side", [6, 200])
def test_writes_in_place_keep_the_order(torch, side):
    matrix = torch.arange(side * side, dtype=torch.float32).reshape(side, side)
    for _ in range(3):
        for written in (matrix.clone(), matrix.clone().t()):
            steps, expected = written.stride(), written.contiguous() + 2 * matrix.t().contiguous()
            written.add_(matrix.t(), alpha=2)
            assert written.stride() == steps
            assert torch.equal(written, expected)
            assert torch.equal(written.mul_(matrix), expected * matrix)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int64", "bool", "complex64"])
@pytest.mark.parametrize("length", [3, 3000])
def test_what_is_repeated_lies_in_the_order_of_the_dimensions(torch, dtype, length):
    x = torch.ones(2, length, dtype=getattr(torch, dtype)).expand(4, 2, length)
    for operation in (lambda x: x * 0.5, lambda x: x.exp(), lambda x: x / 2, lambda x: x.clone() + x):
        assert operation(x).stride() == (2 * length, length, 1)
        assert operation(x.transpose(0, 1)).view(-1).shape == (8 * length,)
