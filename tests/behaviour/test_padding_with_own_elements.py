"""Padding with own elements: the whole in one copy, then its ends; of any dtype and on any number of dimensions."""

import numpy as np
import pytest

from rushlight.arrays import padding

NUMPY_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize(
    "pads", [((0, 4),), ((3, 0), (2, 3)), ((1, 1), (0, 0), (2, 1)), ((0, 1), (3, 3), (4, 4))], ids=str
)
def test_padding_with_own_elements_is_that_of_numpy(mode, pads):
    array = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    pads = [tuple(min(each, array.shape[at - len(pads)] - 1) for each in pair) for at, pair in enumerate(pads)]
    expected = np.pad(array, [(0, 0)] * (4 - len(pads)) + pads, NUMPY_MODES[mode])
    result = padding.own_pad(array, tuple(pads), mode)
    np.testing.assert_array_equal(result, expected)
    assert result.flags.carray


def test_padding_that_cuts_mirrors_what_it_cuts():
    result = padding.own_pad(np.array([1, 2, 3, 4]), ((-3, 2),), "reflect")
    np.testing.assert_array_equal(result, [4, 3, 2])  # as in PyTorch 2.13
