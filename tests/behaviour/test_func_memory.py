"""What transforms hold: a vmap in chunks no more than a chunk, and a finished transform nothing."""

import gc
import sys
import tracemalloc

import pytest

import rushlight as torch


def peak_of(function):
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_vmap_in_chunks_has_the_peak_of_a_chunk():
    x = torch.ones(500, 500)

    def spread(row):
        return (row[:, None] * torch.ones(1, 32)).sum()

    torch.vmap(spread)(x)  # kernels are compiled once
    in_chunks = peak_of(lambda: torch.vmap(spread, chunk_size=5)(x))
    assert in_chunks < 1.5 * peak_of(lambda: torch.vmap(spread)(x[:5]))
    assert in_chunks < 0.1 * peak_of(lambda: torch.vmap(spread)(x))


def total(x):
    return (x.sin() * x).sum()


CALLS = {
    "grad": lambda x: torch.func.grad(total)(x),
    "vmap": lambda x: torch.vmap(torch.sin)(x),
    "jvp": lambda x: torch.func.jvp(total, (x,), (x,)),
    "per sample": lambda x: torch.vmap(torch.func.grad(torch.sin))(x),
    "jacfwd": lambda x: torch.func.jacfwd(total)(x),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_transform_leaves_nothing_behind(name):
    x, call = torch.ones(4), CALLS[name]

    def blocks_after(count):
        for _ in range(count):
            call(x)
        return sys.getallocatedblocks()

    gc.collect()
    gc.disable()
    try:
        before = blocks_after(4000)  # free objects that Python keeps for reuse are back after some 1500 calls
        assert blocks_after(2000) - before < 200
    finally:
        gc.enable()
