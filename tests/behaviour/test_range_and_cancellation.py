"""Formulas that stay within the range of their dtype, and keep its digits, where PyTorch's do."""

import math

import pytest


@pytest.mark.parametrize("scale", [1e30, 1e19, 1e-25, 1e-38])
@pytest.mark.parametrize("many", [1, 400], ids=["few", "many"])
@pytest.mark.parametrize("name", ["std", "std_mean"])
def test_deviations_of_numbers_whose_squares_leave_the_range(torch, name, many, scale):
    x = torch.tensor([1.0, -1.0, 3.0, 5.0] * many).mul(scale).requires_grad_()
    result = getattr(torch, name)(x, correction=0)
    deviation = result[0] if name == "std_mean" else result
    assert deviation.item() == pytest.approx(math.sqrt(5) * scale, rel=1e-5)
    (slope,) = torch.autograd.grad(deviation, x)
    expected = [(each - 2) / math.sqrt(5) / (4 * many) for each in (1, -1, 3, 5)]
    assert slope[:4].tolist() == pytest.approx(expected, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("rows", [4, 2000])
def test_deviations_along_a_dimension_where_one_line_leaves_the_range(torch, rows, dim):
    x = torch.tensor([1.0, -1.0, 3.0, 5.0]).repeat(rows // 4, 1).reshape(-1, 1) * torch.tensor([1e-25, 1.0, 1e30])
    result = torch.std(x if dim == 0 else x.t(), dim, correction=0)
    assert (result / torch.tensor([1e-25, 1.0, 1e30])).tolist() == pytest.approx([math.sqrt(5)] * 3, rel=1e-5)


def test_a_variance_whose_sum_alone_leaves_the_range(torch):
    x = torch.tensor([1e19, -1e19]).repeat(500)
    assert torch.var(x, correction=0).item() == pytest.approx(1e38, rel=1e-5)


def test_deviations_of_what_does_not_vary(torch):
    assert torch.std(torch.full((3, 4), 7.0), 1).tolist() == [0, 0, 0]
    assert torch.std(torch.tensor([1.0, math.inf])).isnan() and torch.std(torch.tensor([1.0, math.nan])).isnan()


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_the_logarithm_of_1_plus_a_small_complex_number(torch, kind):
    z = torch.tensor([1e-20 + 1e-9j, -3e-8 + 0j, 1e-30j, 0.3 - 0.2j, 3 + 4j, -2 + 1j], dtype=getattr(torch, kind))
    result = torch.log1p(z)
    assert result.imag.tolist() == pytest.approx([1e-9, 0, 1e-30, -0.1526493, math.pi / 4, 3 * math.pi / 4], rel=1e-6)
    real = [1e-20 + 5e-19, -3e-8, 0, 0.5 * math.log(1.73), 0.5 * math.log(32), 0.5 * math.log(2)]
    assert result.real.tolist() == pytest.approx(real, rel=1e-5, abs=1e-40)


def test_the_slope_of_a_power_of_a_negative_number_by_a_complex_exponent(torch):
    for base in (torch.tensor(-2.0, dtype=torch.float64), -2.0):
        exponent = torch.tensor(1.5 + 0.5j, dtype=torch.complex128, requires_grad=True)
        power = base**exponent
        (slope,) = torch.autograd.grad(power.real, exponent)
        expected = (complex(-2) ** (1.5 + 0.5j) * complex(math.log(2), math.pi)).conjugate()
        assert slope.item() == pytest.approx(expected, rel=1e-9)


def test_running_logarithms_of_sums_with_an_infinity(torch):
    z = torch.tensor([complex(math.inf, 0), complex(1, 2)])
    result = torch.logcumsumexp(z, 0)
    assert result.real.tolist() == [math.inf, math.inf]


def test_the_norm_of_complex_numbers_beyond_the_range_is_infinite(torch):
    z = torch.tensor([1e38 + 1e38j, 1e37, 1e30j], dtype=torch.complex64)
    assert torch.linalg.vector_norm(z).item() == math.inf
    assert torch.nn.functional.normalize(z, dim=0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("points", [4, 20])
def test_derivatives_of_distances_far_from_zero(torch, points):
    """The distances do not change when all points move together; the derivatives must not either."""
    near = torch.arange(points * 3.0).mul(7).remainder(11).reshape(points, 3) / 4

    def slopes(x):
        x = x.clone().requires_grad_()
        weights = torch.arange(points * points, dtype=x.dtype).cos().reshape(points, points)
        distances = torch.cdist(x, x.detach().flip(0))
        pairs = torch.pdist(x)
        total = (distances * weights).sum() + (pairs * weights.reshape(-1)[: len(pairs)]).sum()
        return torch.autograd.grad(total, x)[0]

    result, expected = slopes(near + 1e6), slopes(near.double())
    assert (result.double() - expected).abs().max().item() < 1e-4


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_the_inverse_deviation_of_a_group_in_half_precision(torch, kind):
    x = (torch.arange(24.0) * 300 - 3000).reshape(2, 3, 4).to(getattr(torch, kind))
    result = torch.native_group_norm(x, None, None, 2, 3, 4, 1, 1e-5)[2]
    assert result.dtype is getattr(torch, kind)
    assert result.flatten().tolist() == pytest.approx([9.656e-4] * 2, rel=1e-2)


@pytest.mark.parametrize("number", [1e-42, -1e-40, 3e-39, 0.0])
@pytest.mark.parametrize("name", ["i1", "i1e"])
def test_the_derivative_of_a_bessel_function_at_numbers_without_a_reciprocal(torch, name, number):
    x = torch.tensor([number], requires_grad=True)
    getattr(torch.special, name)(x).backward()
    assert x.grad.item() == pytest.approx(0.5, rel=1e-5)


@pytest.mark.parametrize("rows", [2, 40])
@pytest.mark.parametrize("name", ["std", "var"])
def test_deviations_that_are_small_next_to_the_mean(torch, name, rows):
    x = torch.tensor([[1e8, 99999992.0]]).repeat(rows, 1)  # the mean, 99999996, is no number of single precision
    result = getattr(torch, name)(x, 1)
    assert result.tolist() == pytest.approx([32 if name == "var" else math.sqrt(32)] * rows)
    assert getattr(torch, name)(x.t().contiguous(), 0).tolist() == result.tolist()


def test_gradients_of_the_distance_of_close_points_next_to_far_ones(torch):
    first = torch.tensor([[1e-7, -1e-7], [1.0, -1.0]], requires_grad=True)
    second = torch.tensor([[-1.0, 1.0], [-1e-7, 1e-7]], requires_grad=True)
    torch.cdist(first, second).sum().backward()
    root = math.sqrt(2)
    assert first.grad.flatten().tolist() == pytest.approx([root, -root, root, -root], rel=1e-5)
    assert second.grad.flatten().tolist() == pytest.approx([-root, root, -root, root], rel=1e-5)
