"""Positions and counts that an array does not have, and numbers so small that their squares are zero."""

import pytest

WRONG = [-1, 4, 2**40, -(2**63), 2**63 - 1]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("repeated", [1, 3000], ids=["few", "many"])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_rows_of_a_bag(torch, mode, repeated, wrong):
    indices = torch.tensor([[0, 3], [wrong, 1]]).repeat(repeated, 1)
    with pytest.raises(RuntimeError):
        torch.nn.functional.embedding_bag(indices, torch.ones(4, 3), mode=mode)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("count", [2, 40_000])
def test_slices(torch, count, wrong):
    index = torch.zeros(count, dtype=torch.int64)
    index[-1] = wrong
    for shape, dim, error, text in (
        ((4,), 0, IndexError, "index out of range in self"),
        ((4, 3), 0, IndexError, "index out of range in self"),
        ((3, 4), 1, RuntimeError, f"INDICES element is out of DATA bounds, id={wrong} axis_dim=4"),
        ((2, 3, 4), 2, IndexError, "index out of range in self"),
    ):
        with pytest.raises(error) as caught:
            torch.ones(shape).index_select(dim, index)
        assert str(caught.value).split("\n")[0] == text


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("how", ["amax", "mean", "prod"])
def test_slices_that_are_reduced_into(torch, how, wrong):
    with pytest.raises(IndexError, match="index out of range in self"):
        torch.ones(4, 2).index_reduce(0, torch.tensor([0, wrong]), torch.ones(2, 2), how)


def test_nothing_repeated_less_than_never(torch):
    assert torch.ones(0, 3).repeat(-1, 2).shape == (0, 6)
    with pytest.raises(RuntimeError, match="negative dimension -2"):
        torch.ones(2, 3).repeat(-1, 1)


@pytest.mark.parametrize("count", [1, 9000])
def test_the_slope_of_sinc_at_tiny_numbers(torch, count):
    x = torch.tensor([1e-40, -1e-30, 1e-23, 1e-10, 0.0]).repeat(count).requires_grad_()
    torch.sinc(x).sum().backward()
    assert (x.grad.abs() < 1e-6).all()
