"""Sobol sequences: where their points lie, and how a program goes on, back and forth in them."""

import copy
import pickle

import pytest


def test_the_first_points_are_those_of_the_paper(torch):
    points = torch.quasirandom.SobolEngine(3).draw(8)
    assert points.tolist() == [
        [0, 0, 0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625],
        [0.875, 0.875, 0.125], [0.625, 0.125, 0.875], [0.125, 0.625, 0.375],
    ]  # fmt: skip


@pytest.mark.parametrize("scramble", [False, True])
@pytest.mark.parametrize("dimension", [1, 2, 7, 1000, 21201])
def test_every_dimension_is_filled_evenly(torch, dimension, scramble):
    points = torch.quasirandom.SobolEngine(dimension, scramble=scramble, seed=1).draw_base2(6, dtype=torch.float64)
    assert points.shape == (64, dimension)
    boxes = (points * 64).floor().sort(dim=0).values  # one point in each of 64 intervals
    assert torch.equal(boxes, torch.arange(64, dtype=torch.float64)[:, None].expand_as(boxes))


@pytest.mark.parametrize("scramble", [False, True])
def test_a_sequence_goes_on_where_it_stopped(torch, scramble):
    def engine():
        return torch.quasirandom.SobolEngine(4, scramble=scramble, seed=9)

    whole = engine().draw(50)
    parts = engine()
    assert torch.equal(torch.cat([parts.draw(n) for n in (1, 9, 20, 20)]), whole)
    assert parts.num_generated == 50
    assert torch.equal(parts.reset().draw(3), whole[:3])
    for skipped in (0, 1, 2, 17, 31, 32):
        assert torch.equal(engine().fast_forward(skipped).draw(5), whole[skipped : skipped + 5])
    parts = engine()
    parts.draw(7)
    for again in (copy.deepcopy(parts), pickle.loads(pickle.dumps(parts))):
        assert torch.equal(again.fast_forward(3).draw(10), whole[10:20])


def test_what_is_drawn_is_written_where_it_should(torch):
    engine, out = torch.quasirandom.SobolEngine(2), torch.empty(0)
    assert engine.draw(3, out=out) is out
    assert out.tolist() == [[0, 0], [0.5, 0.5], [0.75, 0.25]]
    assert engine.draw(2, dtype=torch.float64).dtype is torch.float64
    assert repr(torch.quasirandom.SobolEngine(2, True, 3)) == "SobolEngine(dimension=2, scramble=True, seed=3)"


def test_the_seed_decides_and_the_generator_if_there_is_none(torch):
    draws = []
    for seed in (1, 1, 2, None, None):
        torch.manual_seed(5)
        draws.append(torch.quasirandom.SobolEngine(3, scramble=True, seed=seed).draw(4))
    assert torch.equal(draws[0], draws[1]) and torch.equal(draws[3], draws[4])
    assert not torch.equal(draws[0], draws[2])


def test_what_is_refused(torch):
    for dimension in (0, -1, 21202):
        with pytest.raises(ValueError, match=r"^Supported range of dimensionality for SobolEngine is \[1, 21201\]$"):
            torch.quasirandom.SobolEngine(dimension)
    engine = torch.quasirandom.SobolEngine(2)
    engine.draw(3)
    with pytest.raises(ValueError, match="^The balance properties of Sobol' points require n to be a power of 2. 3 po"):
        engine.draw_base2(2)
    with pytest.raises(TypeError, match="must be int, not float"):
        engine.draw(2.0)
    for kind in (torch.float16, torch.int64):
        with pytest.raises(NotImplementedError, match="not implemented for"):
            engine.draw(2, dtype=kind)


# PyTorch reads what lies behind its table of directions.
@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_a_sequence_has_an_end(torch):
    engine = torch.quasirandom.SobolEngine(2).fast_forward(2**30 - 2)
    assert engine.draw(2).shape == (2, 2)
    for beyond in (engine.draw, lambda: engine.fast_forward(1)):
        with pytest.raises(RuntimeError, match="are used up"):
            beyond()
