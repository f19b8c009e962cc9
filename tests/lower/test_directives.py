"""Errors that `torch.compile` raises here and PyTorch does not."""

import pytest

import rushlight


def test_a_custom_backend_is_refused_with_a_reason():
    with pytest.raises(NotImplementedError, match="a backend of one's own") as caught:
        rushlight.compile(len, backend=lambda graph, inputs: graph)
    assert "No graph is captured" in caught.value.__notes__[0]
