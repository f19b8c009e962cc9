"""Layouts of results where operands are not in the order of their dimensions: PyTorch's, small and large.

A program notices: `view` works on the result of a softmax over a turned tensor, and on that of a reduction.
"""

import numpy as np
import pytest

import rushlight

ORDERS = {
    "turned matrix": ((4, 6), (1, 0)),
    "inner dimensions swapped": ((3, 4, 5), (0, 2, 1)),
    "outer dimensions swapped": ((3, 4, 5), (1, 0, 2)),
    "rotated": ((3, 4, 5), (1, 2, 0)),
    "backwards": ((3, 4, 5), (2, 1, 0)),
    "channels last": ((2, 3, 4, 6), (0, 2, 3, 1)),
    "channels outermost": ((2, 3, 4, 6), (1, 0, 2, 3)),
}
REDUCTIONS = {
    name: lambda t, x, dim, name=name: getattr(t, name)(x, dim)
    for name in (
        "sum",
        "mean",
        "prod",
        "amax",
        "amin",
        "max",
        "min",
        "argmax",
        "std",
        "var_mean",
        "logsumexp",
        "median",
    )
} | {
    "sum, kept": lambda t, x, dim: x.sum(dim, keepdim=True),
    "max, kept": lambda t, x, dim: x.max(dim, keepdim=True),
    "any": lambda t, x, dim: (x > 0).any(dim),
    "all": lambda t, x, dim: (x > 0).all(dim),
    "norm": lambda t, x, dim: x.norm(dim=dim),
    "largest norm": lambda t, x, dim: t.linalg.vector_norm(x, float("inf"), dim),
    "aminmax": lambda t, x, dim: t.aminmax(x, dim=dim),
}
ALONG = {
    "softmax": lambda t, x, dim: x.softmax(dim),
    "log_softmax": lambda t, x, dim: x.log_softmax(dim),
    "cumsum": lambda t, x, dim: x.cumsum(dim),
    "cumprod": lambda t, x, dim: x.cumprod(dim),
    "cummax": lambda t, x, dim: x.cummax(dim),
    "logcumsumexp": lambda t, x, dim: x.logcumsumexp(dim),
}
JOINED = {
    "cat": lambda t, x, dim: t.cat([x, x], dim),
    "cat of two orders": lambda t, x, dim: t.cat([x, x.contiguous()], dim),
    "stack": lambda t, x, dim: t.stack([x, x], dim),
    "roll": lambda t, x, dim: x.roll(1, dim),
    "roll of two": lambda t, x, dim: x.roll((1, 2), (0, dim)),
    "roll of all": lambda t, x, dim: x.roll(3),
    "tril": lambda t, x, dim: x.tril(),
    "triu": lambda t, x, dim: x.triu(1),
}


def drawn(name, factor=1, dtype="float32"):
    """Numbers whose dimensions lie in an order of that name."""
    shape, order = ORDERS[name]
    memory = np.random.default_rng(0).standard_normal([shape[dim] * factor for dim in order]) * 3
    return memory.astype(dtype).transpose(np.argsort(order))


def listed(found):
    return list(found) if isinstance(found, tuple) else [found]


def compare(pytorch, operation, array, dim):
    results = [listed(operation(torch, torch.from_numpy(array), dim)) for torch in (rushlight, pytorch)]
    for result, expected in zip(*results, strict=True):
        assert result.shape == expected.shape
        assert result.stride() == expected.stride()
        # Sums and exponentials are rounded in another order than PyTorch's.
        np.testing.assert_allclose(result.numpy(), expected.numpy(), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", REDUCTIONS | ALONG | JOINED)
def test_few_elements(name, order, dim, pytorch):
    operation = (REDUCTIONS | ALONG | JOINED)[name]
    compare(pytorch, operation, drawn(order), dim)
    if name not in ("prod", "cumprod"):
        compare(pytorch, operation, drawn(order, 2, "float64"), dim)


@pytest.mark.parametrize(
    "name", ["sum", "amax", "max", "any", "softmax", "log_softmax", "cumsum", "cat", "stack", "roll"]
)
@pytest.mark.parametrize("order", ["rotated", "backwards", "channels last"])
def test_many_elements(name, order, pytorch):
    operation = (REDUCTIONS | ALONG | JOINED)[name]
    for _ in range(3):  # kernels come in with the first large arrays
        for dim in (0, -1):
            compare(pytorch, operation, drawn(order, 9), dim)


def test_what_is_joined_of_other_orders_can_be_viewed(torch):
    x = torch.arange(24.0).reshape(2, 3, 4)
    assert x.transpose(1, 2).softmax(-1).view(-1).shape == (24,)
    assert torch.cat([x.mT, x.mT]).view(-1).shape == (48,)
    assert x.permute(2, 0, 1).sum(0).view(-1).shape == (6,)


def test_the_order_of_dimensions(pytorch):
    for torch in (rushlight, pytorch):
        for shape, order in ORDERS.values():
            turned = torch.empty([shape[dim] for dim in order]).permute(np.argsort(order).tolist())
            assert turned.shape == shape and turned.dim_order() == order
        image = torch.empty(2, 3, 4, 5, memory_format=torch.channels_last)
        assert image.dim_order() == image.dim_order(ambiguity_check=True) == (0, 2, 3, 1)
        assert torch.empty(2, 3).expand(4, 2, 3).dim_order() == (0, 1, 2) and torch.tensor(1.0).dim_order() == ()


def test_an_order_that_is_not_the_only_one(pytorch):
    for torch in (rushlight, pytorch):
        row, formats = torch.empty(1, 3), [torch.contiguous_format, torch.channels_last]
        assert row.dim_order() == row.dim_order(ambiguity_check=formats) == (0, 1)
        for check in (True, [torch.channels_last]):
            with pytest.raises(RuntimeError, match="The tensor does not have unique dim order"):
                row.dim_order(ambiguity_check=check)
        with pytest.raises(TypeError, match="must be a bool or a list of memory formats"):
            row.dim_order(ambiguity_check="contiguous")
        with pytest.raises(AttributeError, match="Can't get dim order on sparse type: torch.sparse.FloatTensor"):
            row.to_sparse().dim_order()


ELEMENTWISE = """
    celu dropout elu gelu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish
    relu relu6 rrelu selu sigmoid silu softplus softsign tanh threshold
""".split()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("factor", [1, 6])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_an_activation_keeps_the_order_that_pytorch_keeps(pytorch, name, order, factor, dtype):
    more = (0.5, 1.0) if name == "threshold" else ()
    strides = []
    for torch in (rushlight, pytorch):
        x = torch.from_numpy(drawn(order, 1 if name == "rrelu" else factor, dtype))
        function = getattr(torch.nn.functional, name)
        recorded = x.detach().clone().as_strided(x.size(), x.stride()).requires_grad_()
        strides.append([function(each, *more).stride() for each in (x, recorded)])
    assert strides[0] == strides[1]
