"""Errors that `torch.compile` raises here and PyTorch does not."""

import pytest

import rushlight


def test_a_backend_of_ones_own_is_refused_and_told_why():
    with pytest.raises(NotImplementedError, match="a backend of one's own") as caught:
        rushlight.compile(len, backend=lambda graph, inputs: graph)
    assert "No graph is captured" in caught.value.__notes__[0]
