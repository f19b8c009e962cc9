"""Kernels of random numbers: the generator in plain NumPy is the specification.

Each test runs in plain Python, as machine code on one thread, and on four.
"""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.core import generator
from rushlight.core.tables import xp
from rushlight.dispatch import plan
from rushlight.lower import registry


@pytest.mark.parametrize("blocks", [1, 3])
def test_words_that_follow_a_block(kernels, blocks):
    bits = np.random.MT19937(5)
    words = bits.random_raw(3 * generator.BLOCK).astype(np.uint32)
    kernels.same("following", lambda: bits, words, blocks)


DRAWS = [
    *(("normals_32", count, 1.0, 0.0, True) for count in (16, 40, 1000)),
    ("normals_32", 83, 0.02, -3.0, False),
    *(("uniforms_32", count, 0.0, 1.0) for count in (0, 1, 700)),
    ("uniforms_32", 300, 1.0, 1.0 + 2**-22),
    *(("shuffled", count) for count in (0, 1, 2, 50, 900)),
    *(("poisson_numbers", rates) for rates in (
        np.zeros((4, 5)), np.linspace(0, 9.9, 40), np.geomspace(1e-9, 1e9, 400),
    )),
    *(("binomial_numbers", np.full(50, n, kind), np.linspace(-0.1, 1.1, 50, dtype=kind))
      for n in (0, 7, 5000) for kind in ("f", "d")),
    *(("gamma_numbers", np.geomspace(1e-3, 1e3, 99, dtype=kind).reshape(3, 33))
      for kind in ("f", "d")),
    ("gamma_numbers", np.array([0.0, 0.5, np.nan, 2.0] * 5)),
]  # fmt: skip


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw[0])
def test_samples_are_the_same_and_consume_the_same_words(kernels, draw):
    name, *arguments = draw
    streams = [generator.Generator().manual_seed(7) for _ in range(2)]
    functions = registry.KERNELS[name], plan.plain(xp, name)
    arguments = [np.float32(argument) if type(argument) is float else argument for argument in arguments]
    for _ in range(2):
        ours, theirs = (function(stream, *arguments) for function, stream in zip(functions, streams, strict=True))
        assert ours.dtype == theirs.dtype
        if name == "gamma_numbers":  # NumPy's cosine is not the C library's on every processor, nor sincos its sine
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)
        else:
            np.testing.assert_array_equal(ours.view(np.uint8), theirs.view(np.uint8))
    assert streams[0].state_bytes().tobytes() == streams[1].state_bytes().tobytes()


@pytest.mark.parametrize("name", ["wide_groups", "wide_pairs"])
def test_normal_numbers_from_uniform_ones_in_float64(kernels, name):
    uniforms = np.random.default_rng(0).random(160)
    uniforms[:4] = 0, 1 - 2**-53, 0.5, 2**-53
    ((result, expected),) = kernels(name, uniforms)
    # NumPy's cosine is not the C library's on every processor
    np.testing.assert_allclose(result, expected.reshape(-1), rtol=1e-14, atol=1e-15)


def test_rejection_sampling_may_reach_the_end_of_a_block(kernels):
    """With a state of which less than a block is left: later words do not exist."""
    record = generator.Generator().manual_seed(7)
    record.words32(100)
    state = record.state_bytes().view(generator.STATE).copy()
    state["left"] -= 300
    streams = [generator.Generator().set_state(state.view(np.uint8)) for _ in range(2)]
    rates = np.full(400, 3.0)
    result = registry.KERNELS["poisson_numbers"](streams[0], rates)
    assert result is None and streams[0].state_bytes().tobytes() == streams[1].state_bytes().tobytes()
