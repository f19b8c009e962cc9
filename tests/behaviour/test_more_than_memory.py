"""Sizes that no memory can hold are refused with PyTorch's error, whichever function allocates."""

import pytest

NO_MEMORY = r"^\[enforce fail at alloc_cpu.cpp:127\] err == 0. DefaultCPUAllocator: can't allocate memory: "
LARGE, LARGER = 2**50, 2**60
REFUSED = [
    "torch.rand_like(expanded)",
    "torch.randn_like(expanded)",
    "torch.randint_like(expanded, 9)",
    "torch.zeros_like(expanded)",
    "torch.ones_like(expanded)",
    "torch.empty_like(expanded)",
    "torch.full_like(expanded, 2.0)",
    "torch.zeros_like(expanded, dtype=torch.float64)",
    "expanded.bernoulli()",
    "torch.bernoulli(expanded, 0.5)",
    "torch.poisson(expanded)",
    "torch.binomial(expanded, half)",
    "torch.normal(expanded, 1.0)",
    "torch.normal(half, expanded)",
    "torch._standard_gamma(expanded)",
    "torch._sample_dirichlet(expanded)",
    "torch.distributions.Bernoulli(0.5).sample((large,))",
    "torch.distributions.Poisson(1.0).sample((large,))",
    "torch.distributions.Gamma(1.0, 1.0).sample((large,))",
    "torch.distributions.Dirichlet(half).sample((large,))",
    "torch.nn.functional.one_hot(positions, large)",
    "torch.bincount(positions, minlength=large)",
    "torch.multinomial(half, large, True)",
    "torch.nn.Linear(large, 2)",
    "torch.quasirandom.SobolEngine(2).draw(large)",
]
OVERFLOWED = [
    ("torch.nn.functional.one_hot(positions, larger)", [2, LARGER]),
    ("torch.bincount(positions, minlength=larger)", [LARGER]),
    ("half.repeat(2 * larger)", [4 * LARGER]),
    ("torch.tile(half, (larger, 1))", [LARGER, 2]),
    ("torch.nn.functional.pad(half, (0, 2 * larger))", [2 * LARGER + 2]),
    ("torch.nn.functional.pad(half, (0, 2 * larger), value=3.0)", [2 * LARGER + 2]),
    ("torch.fft.fft(half, 2 * larger)", [2 * LARGER]),
    ("torch.nn.Linear(larger, 2)", [2, LARGER]),
]


def call(torch, text):
    half, positions = torch.full((2,), 0.5), torch.tensor([0, 1])
    return eval(
        text,
        {"torch": torch, "half": half, "positions": positions, "large": LARGE, "larger": LARGER}
        | {"expanded": half.expand(LARGE, 2)},
    )


@pytest.mark.parametrize("text", REFUSED)
def test_more_than_memory_is_refused(torch, text):
    with pytest.raises(RuntimeError, match=NO_MEMORY):
        call(torch, text)


@pytest.mark.parametrize(("text", "sizes"), OVERFLOWED)
def test_a_number_of_bytes_that_overflows_is_refused(torch, text, sizes):
    with pytest.raises(RuntimeError) as caught:
        call(torch, text)
    assert str(caught.value).splitlines()[0] == f"Storage size calculation overflowed with sizes={sizes}"
