"""Nodes of several results, as `chunk` and `qr` have them: how their gradients meet, and that nothing holds them up."""

import numpy as np
import pytest

import rushlight
from rushlight.core.graph import Node


@pytest.fixture
def visited(monkeypatch):
    """The nodes at which a pass had more to do than to call a backward function."""
    nodes = []
    for name in ("general_step", "hooked_step"):
        step = getattr(Node, name)
        note = staticmethod(lambda task, node, *rest, step=step: nodes.append(node.name()) or step(task, node, *rest))
        monkeypatch.setattr(Node, name, note)
    return nodes


def thirds():
    x = rushlight.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], requires_grad=True)
    return x, x.chunk(3)


def test_gradients_of_parts_come_together_where_one_is_used_twice_and_one_never(visited):
    x, (first, second, _) = thirds()
    (first * first + second * 3 + first).sum().backward()
    assert x.grad.tolist() == [3.0, 5.0, 3.0, 3.0, 0.0, 0.0]
    assert visited == []


def test_parts_of_parts(visited):
    x, (first, second, third) = thirds()
    left, right = rushlight.cat([second, third]).split([1, 3])
    (left.sum() * 5 + (right * right).sum() + first.sum()).backward()
    assert x.grad.tolist() == [1.0, 1.0, 5.0, 8.0, 10.0, 12.0]
    assert visited == []


def test_a_hook_on_one_part_is_called_with_its_gradient(visited):
    x, (first, second, _) = thirds()
    seen = []
    second.register_hook(lambda g: seen.append(g.tolist()) or g * 10)
    (first * 2 + second * 3).sum().backward()
    assert seen == [[3.0, 3.0]]
    assert x.grad.tolist() == [2.0, 2.0, 30.0, 30.0, 0.0, 0.0]
    assert visited == ["SplitBackward0"]


def test_the_gradient_of_one_part_is_asked_for(visited):
    x, (first, second, _) = thirds()
    loss = (first * second).sum()
    assert rushlight.autograd.grad(loss, second, retain_graph=True)[0].tolist() == [1.0, 2.0]
    assert [each.tolist() for each in rushlight.autograd.grad(loss, (second, x))] == [
        [1.0, 2.0],
        [3.0, 4.0, 1.0, 2.0, 0.0, 0.0],
    ]


def test_second_derivatives_through_parts(visited):
    x, (first, second, _) = thirds()
    (slope,) = rushlight.autograd.grad((first**2 * second).sum(), x, create_graph=True)
    (curve,) = rushlight.autograd.grad(slope.sum(), x)
    assert slope.tolist() == [6.0, 16.0, 1.0, 4.0, 0.0, 0.0]
    assert curve.tolist() == [8.0, 12.0, 2.0, 4.0, 0.0, 0.0]


def test_what_several_results_saved_is_freed_once_and_missed_the_second_time(visited):
    x = rushlight.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    values, vectors = rushlight.linalg.eigh(x)
    loss = values.sum() + (vectors**2).sum()
    loss.backward(retain_graph=True)
    np.testing.assert_allclose(x.grad.numpy(), np.eye(2), atol=1e-6)
    loss.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        loss.backward()
    assert visited == []


def test_a_part_that_was_written_to_is_missed(visited):
    x = rushlight.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    values, vectors = rushlight.linalg.eigh(x)
    loss = (values * 2).sum() + vectors.sum()
    with rushlight.no_grad():
        vectors.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    assert x.grad is None
