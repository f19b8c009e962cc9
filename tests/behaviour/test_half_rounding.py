"""How numbers are rounded to the small floats."""

import pytest


def test_numbers_are_rounded_by_way_of_float32(torch):
    above_a_tie = torch.tensor([1 + 2**-11 + 2**-30, 1 + 2**-8 + 2**-30], dtype=torch.float64)
    assert above_a_tie.half()[0] == 1.0
    assert above_a_tie.bfloat16()[1] == 1.0


def test_what_is_too_large_becomes_infinite_without_a_warning(torch):
    assert torch.tensor([65519, 65520, 2**30]).half().tolist() == [65504.0, float("inf"), float("inf")]
    assert torch.tensor([1e30, -1e30]).to(torch.float16).tolist() == [float("inf"), float("-inf")]


def test_a_number_beside_small_floats_is_rounded_to_their_dtype_unless_it_multiplies_or_divides(torch):
    x = torch.linspace(0.1, 9, 64)
    for dtype in (torch.bfloat16, torch.float16):
        small, number = x.to(dtype), 2.7
        rounded = torch.tensor(number).to(dtype).item()
        assert rounded != number
        pairs = [
            (small + number, small.float() + rounded), (number - small, rounded - small.float()),
            (small**number, small.float() ** rounded), (small * number, small.float() * number),
            (small / number, small.float() / number), (small + torch.tensor(number), small.float() + rounded),
            (torch.add(small, small, alpha=number), small.float() + rounded * small.float()),
        ]  # fmt: skip
        for found, expected in pairs:
            assert found.dtype is dtype
            assert torch.equal(found, expected.to(dtype))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gradients_of_biases_are_added_in_float32(torch, dtype):
    """Ones that are added in bfloat16 end at 256."""
    kind = getattr(torch, dtype)
    bias = torch.zeros(3, dtype=kind, requires_grad=True)
    x, weight = torch.ones(2, 2, 16, 32, dtype=kind), torch.ones(3, 2, 1, 1, dtype=kind)
    torch.nn.functional.conv2d(x, weight, bias).sum().backward()
    assert bias.grad.dtype is kind and bias.grad.tolist() == [1024.0] * 3
