"""The element of a rank in a long line is found without sorting it; positions are those of a stable order."""

import numpy as np
import pytest

import rushlight as torch

DTYPES = [np.float16, np.float32, np.float64, np.uint8, np.int32, np.int64]
SIZE = 700


def line(dtype, ties: bool):
    numbers = np.random.default_rng(0)
    result = (numbers.integers(0, 20, SIZE) if ties else numbers.permutation(SIZE) % 250).astype(dtype)
    if result.dtype.kind == "f":
        result[[3, 50, 200]], result[7], result[9], result[11] = np.nan, np.inf, -0.0, 0.0
    return result


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("k", [1, 2, SIZE // 2, SIZE - 3, SIZE - 2, SIZE])
def test_the_kth_value_and_its_place_are_those_of_the_stable_order(dtype, ties, k):
    array = line(dtype, ties)
    place = np.argsort(array, kind="stable")[k - 1]
    values, indices = torch.tensor(array).kthvalue(k)
    np.testing.assert_array_equal(values.numpy(), array[place])
    assert indices.item() == place and indices.dtype == torch.int64 and values.numpy().dtype == dtype
    kept = torch.tensor(array[::-1].copy()).flip(0).kthvalue(k, keepdim=True)
    assert kept.values.shape == (1,) and kept.indices.tolist() == [place]


@pytest.mark.parametrize("count", [0, 1, SIZE])
def test_medians_of_lines_with_and_without_nan(count):
    array = np.random.default_rng(0).standard_normal(SIZE)
    array[:count] = np.nan
    numbers = np.sort(array[count:])
    middle = numbers[(numbers.size - 1) // 2] if numbers.size else np.nan
    np.testing.assert_equal(torch.tensor(array).median().item(), np.nan if count else middle)
    np.testing.assert_equal(torch.tensor(array).nanmedian().item(), middle)


def test_the_gradient_of_a_kth_value_goes_to_its_place():
    array = np.random.default_rng(0).permutation(SIZE).astype(np.float32)
    x = torch.tensor(array, requires_grad=True)
    x.kthvalue(100).values.backward()
    assert x.grad.nonzero().item() == int(np.flatnonzero(array == 99)[0])
