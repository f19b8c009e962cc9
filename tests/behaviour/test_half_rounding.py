"""How numbers are rounded to the small floats."""


def test_numbers_are_rounded_by_way_of_float32(torch):
    above_a_tie = torch.tensor([1 + 2**-11 + 2**-30, 1 + 2**-8 + 2**-30], dtype=torch.float64)
    assert above_a_tie.half()[0] == 1.0
    assert above_a_tie.bfloat16()[1] == 1.0


def test_what_is_too_large_becomes_infinite_without_a_warning(torch):
    assert torch.tensor([65519, 65520, 2**30]).half().tolist() == [65504.0, float("inf"), float("inf")]
    assert torch.tensor([1e30, -1e30]).to(torch.float16).tolist() == [float("inf"), float("-inf")]
