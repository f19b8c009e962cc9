"""More memory than there is: PyTorch's RuntimeError, with the words by which programs find a smaller batch."""

import pytest

MUCH = 1 << 46  # elements: 256 TiB of float32


@pytest.mark.parametrize(
    "ask",
    [
        lambda torch: torch.empty(MUCH),
        lambda torch: torch.zeros(MUCH // 4, 4),
        lambda torch: torch.ones(1).expand(MUCH) + 1,
        lambda torch: torch.ones(1).expand(MUCH).clone(),
    ],
)
def test_there_is_not_as_much(torch, ask):
    with pytest.raises(
        RuntimeError, match=r"DefaultCPUAllocator: can't allocate memory: you tried to allocate \d+ bytes"
    ):
        ask(torch)


def test_no_memory_could_be_as_large(torch):
    with pytest.raises(RuntimeError, match=r"^Storage size calculation overflowed with sizes=\[4611686018427387904\]"):
        torch.empty(1 << 62)


def test_a_size_without_memory(torch):
    assert torch.empty(MUCH, device="meta").shape == (MUCH,)
    assert torch.ones(1).expand(MUCH).shape == (MUCH,)
