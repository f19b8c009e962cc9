"""`grid_sample` where numbers are not finite: what is outside of an image is nothing, whatever its first pixel is."""

from itertools import product

import numpy as np
import pytest

import rushlight

MODES = list(product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (True, False)))


@pytest.fixture(autouse=True, scope="module")
def kernels():
    """Machine code takes over with the first large image, where there is any."""
    rushlight.nn.functional.grid_sample(
        rushlight.zeros(1, 1, 512, 512), rushlight.zeros(1, 512, 512, 2), align_corners=True
    )


def draw(shape, kind="normal", seed=0):
    generator = np.random.default_rng(seed)
    result = generator.uniform(-1.7, 1.7, shape) if kind == "uniform" else generator.standard_normal(shape)
    return result.astype(np.float32)


def read(torch, image, grid, slopes, mode, padding, align_corners):
    """What is read, and the gradients of image and grid."""
    x, points = (torch.from_numpy(each.copy()).requires_grad_() for each in (image, grid))
    y = torch.nn.functional.grid_sample(x, points, mode, padding, align_corners)
    y.backward(torch.from_numpy(slopes))
    return [each.detach().numpy() for each in (y, x.grad, points.grad)]


def compared(pytorch, image, grid, slopes, *settings):
    for result, expected in zip(
        *(read(torch, image, grid, slopes, *settings) for torch in (rushlight, pytorch)), strict=True
    ):
        # PyTorch multiplies by the weights of both dimensions in another order
        np.testing.assert_allclose(result, expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("settings", MODES, ids=str)
@pytest.mark.parametrize("size", [(5, 6), (15, 16)], ids=str)
def test_a_first_pixel_that_is_not_finite(size, settings, pytorch):
    image, grid = draw((2, 3, *size)), draw((2, 9, 20, 2), "uniform", 1)
    image[:, :, 0, 0], image[1, 0, 0, 0] = np.nan, np.inf
    for _ in range(3):
        compared(pytorch, image, grid, draw((2, 3, 9, 20), seed=2), *settings)


@pytest.mark.parametrize("settings", MODES, ids=str)
def test_gradients_that_are_not_finite_stay_outside(settings, pytorch):
    image, grid, derivatives = draw((2, 3, 5, 6)), draw((2, 9, 20, 2), "uniform", 1), draw((2, 3, 9, 20), seed=2)
    derivatives[:, :, ::3, ::4] = np.nan
    compared(pytorch, image, grid, derivatives, *settings)


@pytest.mark.parametrize("settings", [each for each in MODES if each[0] != "bicubic"], ids=str)
def test_the_same_of_volumes(settings, pytorch):
    image, grid = draw((2, 3, 3, 4, 5)), draw((2, 2, 4, 5, 3), "uniform", 1)
    image[:, :, 0, 0, 0] = np.nan
    compared(pytorch, image, grid, draw((2, 3, 2, 4, 5), seed=2), *settings)
