"""The names of `torch.distributed` that programs compare with."""

from importlib import import_module

import pytest


def test_how_a_tensor_would_be_spread(torch):
    distributed = import_module(f"{torch.__name__}.distributed.tensor")
    shard, replicate, mean = distributed.Shard(1), distributed.Replicate(), distributed.Partial("avg")
    assert [str(each) for each in (shard, replicate, mean)] == ["S(1)", "R", "P(avg)"]
    assert [repr(each) for each in (shard, replicate, mean)] == ["Shard(dim=1)", "Replicate()", "Partial(avg)"]
    assert (shard.is_shard(), shard.is_shard(0), replicate.is_replicate(), mean.is_partial("sum")) == (1, 0, 1, 0)
    assert shard == distributed.Shard(1)
    assert shard != replicate
    assert not isinstance(torch.ones(2), distributed.DTensor)


def test_nothing_is_spread_without_a_mesh(torch):
    spread = import_module(f"{torch.__name__}.distributed.tensor")
    with pytest.raises(RuntimeError, match="No device mesh is currently active!"):
        spread.distribute_tensor(torch.ones(2))
