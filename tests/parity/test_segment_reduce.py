"""`segment_reduce` compared with PyTorch: values, gradients and refusals, by lengths and by offsets."""

import importlib
import math

import pytest

ours = importlib.import_module("rushlight")
NAN, INF = math.nan, math.inf
REDUCTIONS = ("sum", "mean", "max", "min", "prod")
VALUES = [1.0, 2.0, 2.0, NAN, 0.0, 4.0, 0.0, 0.0, 3.0, INF, -1.0, NAN, NAN]


def reduced(torch, reduce, lengths, dtype="float64", columns=None, initial=None, **options):
    """Values and gradients."""
    data = torch.tensor(VALUES, dtype=getattr(torch, dtype))
    data = (data if columns is None else torch.stack([data, data.flip(0)], columns)).requires_grad_()
    how = {name: torch.tensor(value) for name, value in lengths.items()}
    result = torch.segment_reduce(data, reduce, initial=initial, **how, **options)
    (result * torch.arange(1.0, result.numel() + 1).reshape(result.shape).to(result.dtype)).sum().backward()
    return result.tolist(), data.grad.tolist()


def close(here, there):
    return here == pytest.approx(there, rel=1e-2, nan_ok=True)


def flat(values):
    return [x for each in values for x in flat(each)] if isinstance(values, list) else [values]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("initial", [None, 0, 2.5])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_values_and_gradients(pytorch, reduce, initial, dtype):
    # segments: ties, one NaN, one zero, two zeros, none, infinite, NaN twice
    for how in ({"lengths": [3, 1, 2, 3, 0, 2, 2]}, {"offsets": [0, 3, 4, 6, 9, 9, 11, 13]}):
        here, there = (reduced(torch, reduce, how, dtype, initial=initial) for torch in (ours, pytorch))
        assert close(flat(here[0]), flat(there[0])) and close(flat(here[1]), flat(there[1])), (how, here, there)


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_segments_of_each_row(pytorch, reduce):
    for how, columns in (({"lengths": [4, 0, 9]}, 1), ({"lengths": [[4, 0, 9], [13, 0, 0]]}, 0)):
        axis = {"axis": 1} if columns == 0 else {}
        here, there = (reduced(torch, reduce, how, columns=columns, **axis) for torch in (ours, pytorch))
        assert close(flat(here[0]), flat(there[0])) and close(flat(here[1]), flat(there[1]))


CALLS = {
    "data, 'middle', lengths=tensor([2, 4])": "reduce argument must be",
    "data, 'sum'": "Either lengths or offsets must be defined",
    "data, 'sum', indices=tensor([0, 0, 0, 1, 1, 1])": "indices based reduction is not supported yet",
    "data, 'sum', lengths=tensor([2, 3])": "Expected all rows of lengths along axis",
    "data, 'sum', lengths=tensor([-2, 8])": "lengths contains negative value",
    "data, 'sum', lengths=tensor([[2, 4]])": "Expected data.dim",
    "data.reshape(2, 3), 'sum', lengths=tensor([1, 1]), axis=1": "Expected axis to be the last dimension of lengths",
    "data.reshape(2, 3), 'sum', offsets=tensor([0, 1, 2]), axis=1": "Expected axis to be the last dimension of offsets",
    "data, 'sum', offsets=tensor([0, 4, 2, 6])": "Expected segment_length >= 0",
    "data.int(), 'sum', lengths=tensor([2, 4])": "_segment_reduce_cpu.* not implemented for 'Int'",
    "data, 'sum', lengths=tensor([6]), axis=1": "Dimension out of range",
}


@pytest.mark.parametrize("call", CALLS)
def test_refusals(pytorch, call):
    for torch in (ours, pytorch):
        scope = {"data": torch.arange(6.0), "tensor": torch.tensor, "torch": torch}
        with pytest.raises((RuntimeError, IndexError), match=CALLS[call]):
            eval(f"torch.segment_reduce({call})", scope)


def test_unsafe_lengths_may_leave_elements_out(pytorch):
    for torch in (ours, pytorch):
        lengths = torch.tensor([2, 3])
        assert torch.segment_reduce(torch.arange(6.0), "sum", lengths=lengths, unsafe=True).tolist() == [1, 9]
        assert torch._segment_reduce(torch.arange(5.0), "max", lengths=lengths).tolist() == [1, 4]


def test_lengths_that_do_not_fit_are_refused():
    with pytest.raises(RuntimeError, match="leading dimensions of data"):
        ours.segment_reduce(ours.ones(2, 3), "sum", lengths=ours.tensor([[3]]), axis=1)
    with pytest.raises(IndexError):
        ours.segment_reduce(ours.ones(3), "sum", offsets=ours.tensor([0, 4]))
