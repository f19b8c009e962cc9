"""What depends on shapes alone is found once: a call of few numbers would take most of its time for it."""

import pytest

from rushlight.ops import outline

SAME_SHAPES = {
    "einsum": lambda t, x: t.einsum("bij,bjk,ik->bk", x, x, x[0]),
    "einsum_of_a_diagonal": lambda t, x: t.einsum("bii,bi->b", x, x[0]),
    "tensordot": lambda t, x: t.tensordot(x, x, ([1, 2], [2, 1])),
}


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
@pytest.mark.parametrize("name", SAME_SHAPES)
def test_how_tensors_are_contracted_is_found_once_for_their_shapes(torch, name, monkeypatch):
    x = torch.arange(27.0).reshape(3, 3, 3)
    first = SAME_SHAPES[name](torch, x)
    monkeypatch.setattr(outline, "Outline", lambda *given: pytest.fail("found again"))
    assert SAME_SHAPES[name](torch, x).equal(first)


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_positions_beside_an_index_of_the_same_size_are_not_broadcast(torch, monkeypatch):
    monkeypatch.setattr("rushlight.ops.index.broadcast", lambda *given: pytest.fail("broadcast"))
    x = torch.arange(12.0).reshape(3, 4)
    assert x.take_along_dim(torch.tensor([[3, -1], [0, 0], [2, 1]]), 1).tolist() == [[3, 3], [4, 4], [10, 9]]
