"""Sobol sequences have PyTorch's numbers, bit for bit: directions, scrambling, drawing and leaving out."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")


def engines(*arguments, **keywords):
    return [each.quasirandom.SobolEngine(*arguments, **keywords) for each in (torch, rushlight)]


def assert_same(one, other):
    one, other = one.numpy(), other.numpy()
    assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, np.ascontiguousarray(other).tobytes())


def test_all_directions():
    theirs, ours = engines(21201)
    assert_same(theirs.sobolstate, ours.sobolstate)


@pytest.mark.parametrize("dimension", [1, 2, 3, 7, 50, 300])
@pytest.mark.parametrize("seed", [None, 0, 123456, 2**40 + 3])
def test_a_walk_through_a_sequence(dimension, seed):
    theirs, ours = engines(dimension, scramble=seed is not None, seed=seed)
    for field in ("sobolstate", "shift", "quasi", "_first_point"):
        assert_same(getattr(theirs, field), getattr(ours, field))
    for skipped, drawn in ((0, 1), (0, 0), (3, 5), (17, 8), (1000, 2), (0, 300)):
        assert_same(theirs.fast_forward(skipped).quasi, ours.fast_forward(skipped).quasi)
        assert_same(theirs.draw(drawn), ours.draw(drawn))
        assert_same(theirs.draw(2, dtype=torch.float64), ours.draw(2, dtype=rushlight.float64))
    assert_same(theirs.reset().draw_base2(6), ours.reset().draw_base2(6))


def test_scrambling_takes_the_numbers_of_the_default_generator():
    for library in (torch, rushlight):
        library.manual_seed(3)
    theirs, ours = engines(5, scramble=True)
    assert_same(theirs.draw(9), ours.draw(9))
    assert_same(torch.rand(3), rushlight.rand(3))
