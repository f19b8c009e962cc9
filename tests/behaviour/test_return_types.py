"""`torch.return_types`: the named tuples by their names."""

import pytest


@pytest.mark.parametrize("name", ["max", "min", "sort", "mode", "median", "cummax", "aminmax"])
def test_results_are_of_the_type_of_that_name(torch, name):
    function = getattr(torch.tensor([[2.0, 1.0]]), name)
    result = function(dim=0) if name == "aminmax" else function(0)
    assert type(result) is getattr(torch.return_types, name)
    assert type(result) in torch.return_types.all_return_types
    assert type(result).__module__ == "torch.return_types"


def test_one_is_made_of_a_sequence(torch):
    pair = torch.return_types.max((torch.tensor(1.0), torch.tensor(0)))
    assert pair.values.item() == 1.0 and pair.indices.item() == 0
