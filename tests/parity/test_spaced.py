"""Evenly spaced numbers are PyTorch's to the last bit: which side of zero one falls on decides what a program does."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
BOUNDS = [
    (-1, 2, 16),
    (0, 1, 7),
    (0.1, 0.9, 100),
    (-1, 1, 64),
    (3.7, -2.9, 33),
    (0, 10, 1000),
    (-2.5, 3.3, 5),
    (2, 2, 1),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "complex64", "int64", "uint8"])
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_linspace_is_the_same_to_the_bit(bounds, dtype):
    start, end, steps = bounds if dtype != "uint8" else (abs(bounds[0]), abs(bounds[1]), bounds[2])
    ours = rushlight.linspace(start, end, steps, dtype=getattr(rushlight, dtype)).to(rushlight.complex128).numpy()
    theirs = torch.linspace(start, end, steps, dtype=getattr(torch, dtype)).to(torch.complex128).numpy()
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", ["float32", "float64", None])
@pytest.mark.parametrize("bounds", [(0.0, 70_000), (-0.0, 5.5), (0, 300.5, 1.0), (1.0, 9), (0.0, 9, 2)], ids=str)
def test_counting_is_the_same_to_the_bit(bounds, dtype):
    ours, theirs = (
        library.arange(*bounds, dtype=dtype and getattr(library, dtype)).to(library.float64).numpy()
        for library in (rushlight, torch)
    )
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


def test_counting_beyond_what_float32_has():
    ours, theirs = (library.arange(0.0, 2**24 + 8)[-12:].tolist() for library in (rushlight, torch))
    assert ours == theirs


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("size", [(28, 31), (37, 5), (100, 64), (7, 28, 31)], ids=str)
def test_images_under_the_identity_are_the_same_and_so_are_their_derivatives(size, align_corners, dtype):
    """Every point is in the middle of a pixel: the last bit decides on which side of it the slope is taken."""
    results = []
    for library in (rushlight, torch):
        functional, kind = library.nn.functional, getattr(library, dtype)
        rank = len(size)
        random = np.random.default_rng(0)
        image = library.tensor(random.standard_normal((2, 3, *size)), dtype=kind)
        weight = library.tensor(random.standard_normal((2, 3, *size)), dtype=kind)
        theta = library.tensor(np.eye(rank, rank + 1), dtype=kind).repeat(2, 1, 1).requires_grad_()
        grid = functional.affine_grid(theta, image.shape, align_corners=align_corners)
        grid.retain_grad()
        (functional.grid_sample(image, grid, align_corners=align_corners) * weight).sum().backward()
        results.append([each.detach().numpy() for each in (grid, grid.grad, theta.grad)])
    ours, theirs = results
    np.testing.assert_array_equal(ours[0], theirs[0])
    for mine, expected in zip(ours[1:], theirs[1:], strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())
