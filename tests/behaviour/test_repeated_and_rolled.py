"""Copies that repeat, turn round or join neighbours: of empty tensors, of views, and what is asked for of them."""

import pytest


def test_what_is_repeated_is_laid_out_anew(torch):
    x = torch.arange(6.0).reshape(2, 3).t()
    result = x.repeat_interleave(2, 1)
    assert result.is_contiguous()
    assert result.tolist() == [[0, 0, 3, 3], [1, 1, 4, 4], [2, 2, 5, 5]]
    assert torch.tensor(4).repeat_interleave(3).tolist() == [4, 4, 4]
    assert torch.zeros(0, 2).repeat_interleave(2, 0).shape == (0, 2)


@pytest.mark.parametrize("shift", [1, -7, 6])
def test_a_whole_tensor_is_rolled_row_by_row(torch, shift):
    x = torch.arange(6).reshape(3, 2)
    order = [(each - shift) % 6 for each in range(6)]
    assert x.roll(shift).reshape(-1).tolist() == order
    turned = torch.arange(6).reshape(2, 3).t()  # 0, 3, 1, 4, 2, 5
    values = turned.reshape(-1).tolist()
    assert turned.roll(shift).reshape(-1).tolist() == [values[each] for each in order]
    assert torch.tensor(3).roll(shift).item() == 3
    assert torch.zeros(0, 2).roll(shift).shape == (0, 2)
    assert torch.zeros(0, 2).roll(shift, 5).shape == (0, 2)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("counts", [False, True])
def test_of_runs_what_was_asked_for_is_reported(torch, inverse, counts):
    def told(x, **named):
        result = torch.unique_consecutive(x, return_inverse=inverse, return_counts=counts, **named)
        return [each.tolist() for each in (result if isinstance(result, tuple) else (result,))]

    def of(values, places, lengths):
        return [values, *([places] if inverse else []), *([lengths] if counts else [])]

    x = torch.tensor([[1, 1, 2], [2, 1, 1]])
    assert told(x) == of([1, 2, 1], [[0, 0, 1], [1, 2, 2]], [2, 2, 2])
    assert told(torch.tensor([1.0, 1.0, float("nan"), float("nan")])[:3:2])[1:] == of([], [0, 1], [1, 1])[1:]
    assert told(torch.tensor([[1, 2], [1, 2], [3, 2]]), dim=0) == of([[1, 2], [3, 2]], [0, 0, 1], [2, 1])
    assert told(x[:, :1].t(), dim=1) == of([[1, 2]], [0, 1], [1, 1])
    assert told(torch.zeros(0)) == of([], [], [])
    assert told(torch.tensor(5)) == of([5], 0, [1])
