"""Pinned memory, with the simulated GPU: every tensor of a batch is asked to go there. rushlight alone."""

import collections

import pytest

import rushlight as torch
from rushlight.utils.data import DataLoader
from rushlight.utils.data.pinning import pin_memory

Point = collections.namedtuple("Point", ["x", "y"])


class Pinnable:
    """Whatever has a method of that name."""

    def __init__(self, name="as it was"):
        self.name = name

    def pin_memory(self):
        return Pinnable("pinned")


def test_containers_are_kept_and_everything_in_them_is_pinned():
    pinned = pin_memory({"a": [Pinnable(), "text"], "b": Point(Pinnable(), 1), "c": (Pinnable(),), "d": b"bytes"})
    assert pinned["a"][0].name == pinned["b"].x.name == pinned["c"][0].name == "pinned"
    assert pinned["a"][1] == "text" and pinned["b"].y == 1 and type(pinned["c"]) is tuple and pinned["d"] == b"bytes"


@pytest.mark.parametrize("workers", [0, 1])
def test_batches_are_pinned_where_there_is_a_gpu(workers):
    with torch.cuda.simulate():
        loader = DataLoader(range(2), collate_fn=str, num_workers=workers, pin_memory=True)
        assert list(loader) == ["[0]", "[1]"]
        loader = DataLoader(range(2), collate_fn=Pinnable, num_workers=workers, pin_memory=True)
        assert [batch.name for batch in loader] == ["pinned", "pinned"]
