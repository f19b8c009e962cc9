"""Writes by an index or a mask to an expanded tensor: deprecated, and all elements of one place change together."""

import pytest

writes = [
    ("x.index_fill_(0, i, 5)", "index_fill_", [5.0, 5.0, 5.0]),
    ("x.index_fill_(0, i, value=5)", "index_fill_", [5.0, 5.0, 5.0]),
    ("x.index_fill_(0, i[:0], 5)", "index_fill_", [7.0, 7.0, 7.0]),
    ("x.masked_fill_(i > 0, 5)", "masked_fill_", [5.0, 5.0, 5.0]),
    ("x.masked_fill_(i > 0, torch.tensor(5.0))", "masked_fill_", [5.0, 5.0, 5.0]),
    ("x.masked_fill_(i > 9, 5)", "masked_fill_", [7.0, 7.0, 7.0]),
    ("x.index_put_((i,), torch.full((3,), 5.0))", "index_put_", [5.0, 5.0, 5.0]),
    ("x.__setitem__(i, 5.0)", "index_put_", [5.0, 5.0, 5.0]),
    ("x.__setitem__((i > 1), torch.full((1,), 5.0))", "index_put_", [5.0, 5.0, 5.0]),
]


@pytest.mark.parametrize("write, name, found", writes, ids=[write for write, _, _ in writes])
def test_a_write_to_named_positions_of_an_expanded_tensor_warns(torch, write, name, found):
    x, i = torch.full((1,), 7.0).expand(3), torch.tensor([0, 1, 2])
    with pytest.warns(UserWarning) as said:
        eval(write, {"torch": torch, "x": x, "i": i})
    assert x.tolist() == found
    assert any(str(each.message).startswith(f"Use of {name} on expanded tensors is deprecated") for each in said)


def test_true_is_a_value_and_no_order_to_accumulate(torch):
    x = torch.zeros(1, dtype=torch.bool).expand(2)
    with pytest.warns(UserWarning, match="masked_fill_ on expanded tensors"):
        x.masked_fill_(torch.tensor([False, True]), True)
    assert x.tolist() == [True, True]


def test_not_a_number_is_written_over_and_stays_where_nothing_is_written(torch):
    x = torch.tensor([[float("nan")], [float("nan")]]).expand(2, 2)
    with pytest.warns(UserWarning, match="masked_fill_ on expanded tensors"):
        x.masked_fill_(torch.tensor([[False, True], [False, False]]), 1)
    assert x[0].tolist() == [1, 1]
    assert x[1].isnan().all()


@pytest.mark.parametrize("name", ["add_", "clamp_"])
def test_other_writes_to_an_expanded_tensor_are_refused(torch, name):
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        getattr(torch.zeros(1).expand(3), name)(1)


@pytest.mark.filterwarnings("ignore:Use of index_fill_ on expanded tensors")
def test_an_expanded_tensor_with_a_history_is_refused_that_too(torch):
    x = (torch.ones(1, requires_grad=True) * 1).expand(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x.index_fill_(0, torch.tensor([0, 1]), 5.0).sum().backward()  # PyTorch raises when it is differentiated
