"""A graph as data: its steps, what they keep, where it is cut; and that reading it changes nothing."""

import gc
import time

import pytest

import rushlight as torch
from rushlight.explain.graph import graph_of, names_in
from rushlight.explain.recording import lines


def by_op(graph):
    return {step.op: step for step in graph.operations}


def test_steps_and_leaves_newest_first():
    w, x = torch.ones(3, requires_grad=True), torch.ones(3)
    loss = (w * x).exp().sum()
    graph = graph_of(loss, {"w": w})
    assert [step.op for step in graph.steps] == ["sum", "exp", "mul", ""]
    assert [step.name for step in graph.steps][:2] == ["SumBackward0", "ExpBackward0"]
    assert [leaf.variable for leaf in graph.leaves] == ["w"]
    assert graph.roots == (0,)
    assert list((user, made) for user, made, _ in graph.edges()) == [(0, 1), (1, 2), (2, 3)]
    assert graph.users() == {0: [], 1: [0], 2: [1], 3: [2]}


def test_a_tensor_without_history_has_no_steps():
    assert graph_of(torch.ones(2)).steps == []


def test_parameters_are_called_by_their_path():
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
    graph = graph_of(net(torch.ones(1, 2)), names_in({"net": net, "other": 3}))
    assert {leaf.variable for leaf in graph.leaves} == {"net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias"}


def test_saved_values_and_their_bytes_each_memory_once():
    w = torch.ones(1000, requires_grad=True)
    graph = graph_of((w.exp() * w).sum())
    assert [(value.name, value.shape, value.bytes) for value in by_op(graph)["exp"].saved] == [("out", (1000,), 4000)]
    assert by_op(graph)["mul"].bytes == 8000
    # Of 4000 numbers, those of `w` are the leaf's own, and the result of exp() is kept by two steps.
    assert graph.bytes == 4000


def test_leaves_know_their_line():
    with lines():
        w = torch.ones(3, requires_grad=True)
        loss = w.sum()
    assert graph_of(loss).leaves[0].place.text == "w = torch.ones(3, requires_grad=True)"


def test_what_backward_freed_is_gone():
    w = torch.ones(3, requires_grad=True)
    loss = (w * w).sum()
    with lines():
        loss.backward()
    step = by_op(graph_of(loss))["mul"]
    assert step.freed and step.saved == () and step.bytes == 0
    assert step.freed_at.text == "loss.backward()"


def test_shapes_are_known_without_lines_where_they_can_be():
    w = torch.ones(2, 3, requires_grad=True)
    graph = graph_of(((w * 2).exp() + 1).sum())
    assert [step.shape for step in graph.steps] == [(), (2, 3), (2, 3), (2, 3), (2, 3)]


def test_every_shape_is_known_with_lines():
    with lines():
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        loss = net(torch.ones(4, 2)).mean()
    assert [step.shape for step in graph_of(loss).operations] == [(), (4, 1), (4, 3), (4, 3)]


def test_cuts_name_the_place_where_the_gradient_was_lost():
    with lines():
        w = torch.ones(3, requires_grad=True)
        seen = (w * 2).detach()
        loss = (w * (seen + 1)).sum()
    ((step, link),) = graph_of(loss).cuts
    assert (step.op, link.operand, link.cut.reason) == ("mul", "other", "detach")
    assert link.cut.made.place.text == "seen = (w * 2).detach()"
    assert (link.cut.shape, link.cut.dtype) == ((3,), "float32")


def test_constants_and_numbers_are_no_cuts():
    with lines():
        w = torch.ones(3, requires_grad=True)
        loss = (w * 2 + torch.ones(3)).sum()
    graph = graph_of(loss)
    assert graph.cuts == []
    assert {link.cut.reason for step in graph.steps for link in step.links if link.cut} == {"number", "constant"}


def test_anomaly_mode_leaves_the_lines_of_nodes():
    with torch.autograd.set_detect_anomaly(True):
        doubled = torch.ones(2, requires_grad=True) * 2
    assert graph_of(doubled).steps[0].place.text == "doubled = torch.ones(2, requires_grad=True) * 2"


def test_reading_a_graph_changes_nothing():
    w = torch.ones(3, requires_grad=True)
    loss = (w * w).sum()
    node = loss.grad_fn.next_functions[0][0]
    before = (node.saved, node.storages, node.versions, node.edges, dict(vars(node)))
    graph_of(loss)
    assert (node.saved, node.storages, node.versions, node.edges, dict(vars(node))) == before
    loss.backward()
    assert w.grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("limit", [None, 1000])
def test_deep_graphs_need_no_recursion_and_a_limit_cuts_them_short(limit):
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(50_000):
        y = y + 1
    graph = graph_of(y, limit=limit)
    assert len(graph.steps) + graph.truncated == 50_001
    assert len(graph.steps) == (limit or 50_001)


def test_two_thousand_steps_are_read_in_half_a_second():
    x = torch.ones(10, requires_grad=True)
    y = x
    for _ in range(1000):
        y = torch.tanh(y * x)
    gc.collect()
    start = time.thread_time()  # of this thread alone: the machine may be busy
    assert len(graph_of(y).steps) == 2001
    assert time.thread_time() - start < 0.5
