"""`rushlight.seed_everything`: one seed for Python, NumPy and rushlight."""

import random

import numpy as np
import pytest

import rushlight


def drawn():
    return random.random(), np.random.rand(3).tolist(), rushlight.rand(3).tolist()


def test_everything_repeats():
    assert rushlight.seed_everything(7) == 7
    first = drawn()
    assert drawn() != first
    rushlight.seed_everything(np.int64(7))
    assert drawn() == first
    rushlight.seed_everything(8)
    assert all(new != old for new, old in zip(drawn(), first, strict=True))


def test_the_numbers_are_those_of_each_library_alone():
    torch = pytest.importorskip("torch")
    rushlight.seed_everything(2**40 + 5)
    torch.manual_seed(2**40 + 5)
    generator = np.random.RandomState(5)
    assert drawn() == (random.Random(2**40 + 5).random(), generator.rand(3).tolist(), torch.rand(3).tolist())


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), (1.5, TypeError), ("1", TypeError), (True, TypeError)])
def test_what_is_no_seed(seed, error):
    before = random.getstate()
    with pytest.raises(error, match="seed_everything"):
        rushlight.seed_everything(seed)
    assert random.getstate() == before
