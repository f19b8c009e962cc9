"""`torch.jit._get_trace_graph`: what packages read of a model to count what it computes (fvcore)."""

import importlib

import pytest


@pytest.fixture(autouse=True)
def silent(recwarn):
    """PyTorch says that traces are deprecated."""


def traced(torch, model, *inputs):
    """The operators of a run without numbers and lists: each with the shapes it took and gave, and its modules."""
    state = torch._C._get_tracing_state
    for name, module in model.named_modules():
        module.register_forward_pre_hook(lambda module, inputs, name=name: state().push_scope(name))
        module.register_forward_hook(lambda module, inputs, output: state().pop_scope())
    graph, out = torch.jit._get_trace_graph(model, inputs)
    nodes = [node for node in graph.nodes() if not node.kind().startswith("prim::")]
    shapes = lambda values: [value.type().sizes() for value in values if value.isCompleteTensor()]  # noqa: E731
    calls = [(node.kind(), shapes(node.inputs()), shapes(node.outputs()), node.scopeName()) for node in nodes]
    assert [each.type().sizes() for each in graph.outputs()] == [list(out.shape)]
    return calls, nodes


def test_the_calls_of_a_model(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Sequential(nn.Flatten(), nn.Linear(144, 5))).eval()
    calls, nodes = traced(torch, model, torch.randn(2, 3, 8, 8))
    assert calls == [
        ("aten::_convolution", [[2, 3, 8, 8], [4, 3, 3, 3], [4]], [[2, 4, 6, 6]], "/0"),
        ("aten::relu", [[2, 4, 6, 6]], [[2, 4, 6, 6]], "/1"),
        ("aten::flatten", [[2, 4, 6, 6]], [[2, 144]], "/2/2.0"),
        ("aten::linear", [[2, 144], [5, 144], [5]], [[2, 5]], "/2/2.1"),
    ]
    convolution = nodes[0].inputs() if isinstance(nodes[0].inputs(), list) else list(nodes[0].inputs())
    assert len(convolution) == 13 and convolution[6].toIValue() is False  # whether it is transposed
    assert nodes[3].inputsSize() == 3 and nodes[3].outputsSize() == 1


@pytest.mark.parametrize("training", [True, False])
def test_how_a_layer_normalizes(torch, training):
    calls, nodes = traced(torch, torch.nn.BatchNorm1d(3).train(training), torch.randn(4, 3))
    result = next(node for node in nodes if node.kind() == "aten::batch_norm")
    inputs = list(result.inputs())
    assert inputs[5].toIValue() is training
    assert [each.type().sizes() for each in inputs[:5]] == [[4, 3], [3], [3], [3], [3]]


def test_an_equation_and_a_list_of_tensors(torch):
    class Model(torch.nn.Module):
        def forward(self, x, y):
            return torch.cat([torch.einsum("ij,jk->ik", x, y), x])

    calls, nodes = traced(torch, Model(), torch.randn(3, 3), torch.randn(3, 3))
    assert [name for name, *_ in calls] == ["aten::einsum", "aten::cat"]
    equation, operands, *_ = nodes[0].inputs()
    assert equation.toIValue() == "ij,jk->ik"
    assert [each.type().sizes() for each in operands.node().inputs()] == [[3, 3], [3, 3]]


def test_there_is_a_trace_only_while_one_is_recorded(torch):
    seen = []

    class Model(torch.nn.Module):
        def forward(self, x):
            seen.append(torch.jit.is_tracing())
            return x * 2

    assert torch._C._get_tracing_state() is None
    torch.jit._get_trace_graph(Model(), (torch.ones(2),))
    assert torch._C._get_tracing_state() is None and seen == [True]
    assert "aten::mul" in str(torch.jit._get_trace_graph(Model(), (torch.ones(2),))[0])


def test_the_classes_can_be_named_in_annotations(torch):
    assert importlib.import_module(f"{torch.__name__}._C").Graph is torch._C.Graph
    assert torch._C.Value and torch._C.Node
