"""Where NaN is passed over, where it stays, and what it does not reach: as in PyTorch."""

import numpy as np
import pytest

import rushlight

NAN, INF = float("nan"), float("inf")


def points(count, dimensions, dtype):
    array = np.random.default_rng(0).standard_normal((count, dimensions)).astype(dtype)
    array[1, dimensions // 2], array[2, 0] = NAN, INF
    return array


def both(pytorch, call, array):
    result, expected = (call(torch, torch.from_numpy(array)).numpy() for torch in (rushlight, pytorch))
    # Distances are added up in another order than PyTorch's.
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("order", [0.0, 0.5, 1.0, 2.0, 3.0, INF])
@pytest.mark.parametrize("dimensions", [1, 3, 8, 17])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distances(order, dimensions, dtype, pytorch):
    exact = {"compute_mode": "donot_use_mm_for_euclid_dist"}
    for count in (5, 200):
        for _ in range(3):  # kernels come in with the first large arrays
            array = points(count, dimensions, dtype)
            both(pytorch, lambda t, x: t.cdist(x, x, order, **exact), array)
            both(pytorch, lambda t, x: t.pdist(x, order), array)


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_grids_over_volumes(dtype, mode, padding, aligned, pytorch):
    numbers = np.random.default_rng(0)
    volume = numbers.standard_normal((2, 3, 5, 6, 7)).astype(dtype)
    grid = numbers.uniform(-1.3, 1.3, (2, 4, 5, 9, 3)).astype(dtype)
    grid.reshape(-1)[::7], grid.reshape(-1)[5::31], grid.reshape(-1)[9::37] = NAN, INF, -INF
    result, expected = (
        torch.nn.functional.grid_sample(torch.from_numpy(volume), torch.from_numpy(grid), mode, padding, aligned)
        for torch in (rushlight, pytorch)
    )
    np.testing.assert_allclose(result.numpy(), expected.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(4, 5), (9, 8), (3, 11)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_an_antialiased_pixel_reaches(dtype, size, mode, pytorch):
    image = np.random.default_rng(0).standard_normal((1, 2, 8, 7)).astype(dtype)
    image[0, 0, 3, 3] = image[0, 1, 0, 6] = NAN
    both(pytorch, lambda t, x: t.nn.functional.interpolate(x, size=size, mode=mode, antialias=True), image)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("shape", [(1, 4), (6, 4), (6, 4, 3), (300, 4)], ids=str)
def test_scores_of_ignored_targets(shape, reduction, weighted, smoothing, pytorch):
    numbers = np.random.default_rng(0)
    for no_number in (NAN, INF, -INF):
        scores, target = (
            numbers.standard_normal(shape).astype("float32"),
            numbers.integers(0, 4, (shape[0], *shape[2:])),
        )
        target.flat[::2] = -100
        scores.swapaxes(0, 1)[:, target == -100] = no_number
        weight = numbers.random(4).astype("float32")
        results = []
        for torch in (rushlight, pytorch):
            x = torch.tensor(scores, requires_grad=True)
            given = {"weight": torch.tensor(weight) if weighted else None, "reduction": reduction}
            y = torch.nn.functional.cross_entropy(x, torch.tensor(target), label_smoothing=smoothing, **given)
            y.sum().backward()
            likelihood = torch.nn.functional.nll_loss(x.detach(), torch.tensor(target), **given)
            results.append((y.detach().numpy(), x.grad.numpy(), likelihood.numpy()))
        for result, expected in zip(*results, strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
        assert np.array_equal(np.signbit(results[0][2]), np.signbit(results[1][2]))
