"""The names of `torch.distributed` that programs compare with, where there is one process."""

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


@pytest.mark.parametrize(
    "name",
    ["distribute_tensor", "distribute_module", "DTensor", "DTensor.from_local", "ProcessGroup", "init_device_mesh"],
)
def test_nothing_is_spread(name):
    place = import_module("rushlight.distributed" + (".tensor" if name[0] in "dD" else ""))
    for part in name.split("."):
        place = getattr(place, part)
    with pytest.raises(NotImplementedError, match=f"{name} needs several processes, and rushlight has one.") as caught:
        place([1.0])
    assert caught.value.__notes__ == ["Ask torch.distributed.is_available() first: it is False."]
