"""Programs and changes of graphs that are drawn at random: the same graphs, code and numbers as PyTorch's."""

import copy
import operator
import random

import pytest

import rushlight

UNARY = (
    "torch.relu({})", "torch.tanh({})", "{}.neg()", "-{}", "{} * 2", "{}.clamp(min=-1)", "F.elu({}, 0.5)", "{}[0:2]",
    "{}.abs() + 1", "F.dropout({}, training=False)", "self.layer({})", "self.body({})", "{} / self.scale",
)  # fmt: skip
BINARY = (
    "{} + {}", "{} - {}", "{} * {}", "torch.maximum({}, {})", "{}.add({}, alpha=2)", "torch.cat([{}, {}])[0:2]",
    "torch.stack(({}, {})).sum(0)", "{} @ {}.T @ self.square", "F.mse_loss({}, {}, reduction='none')",
)  # fmt: skip


def source(seed):
    """The source of a `forward` with some lines of calls, whose results are used at random."""
    drawn = random.Random(seed)
    names, lines = ["x", "y"], []
    for number in range(drawn.randint(3, 12)):
        form = drawn.choice(UNARY if drawn.random() < 0.5 else BINARY)
        name = drawn.choice([f"v{number}", f"v{number}", drawn.choice(names)])
        lines.append(f"{name} = " + form.format(*(drawn.choice(names) for _ in range(form.count("{}")))))
        names.append(name)
    form = drawn.choice(["{}", "({}, {})", "[{}, {}]", "{{'a': {}, 'b': ({},)}}"])
    lines.append("return " + form.format(*(drawn.choice(names) for _ in range(form.count("{}")))))
    head = drawn.choice(["def forward(self, x, y):", "def forward(self, x: torch.Tensor, y=None):"])
    return head + "".join(f"\n    {line}" for line in lines)


def model(torch, seed):
    names = {"torch": torch, "F": torch.nn.functional}
    exec(source(seed), names)

    def initialize(self):
        torch.nn.Module.__init__(self)
        self.layer = torch.nn.Linear(2, 2)
        self.body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        self.scale = torch.nn.Parameter(torch.full((2,), 0.5))
        self.register_buffer("square", torch.eye(2))

    made = type("Drawn", (torch.nn.Module,), {"__init__": initialize, "forward": names["forward"]})()
    state = random.Random(seed)
    with torch.no_grad():
        for parameter in made.parameters():
            values = [state.uniform(-1, 1) for _ in range(parameter.numel())]
            parameter.copy_(torch.tensor(values).view(parameter.shape))
    return made


def changed(torch, traced, seed):
    """A graph module after some changes of its graph."""
    drawn = random.Random(seed)
    graph = traced.graph
    for _ in range(drawn.randint(1, 6)):
        nodes = [node for node in graph.nodes if node.op not in ("output", "placeholder")]
        node = drawn.choice(nodes) if nodes else None
        kind = drawn.choice(["insert", "bypass", "before", "argument", "dead", "copy", "rename"])
        if kind == "dead" or node is None:
            graph.eliminate_dead_code()
        elif kind == "insert":
            with graph.inserting_after(node):
                new = graph.call_function(torch.sigmoid, (node,))
            node.replace_all_uses_with(new, lambda user, new=new: user is not new)
        elif kind == "bypass" and node.all_input_nodes and not isinstance(node.args[0], (list, tuple)):
            node.replace_all_uses_with(node.all_input_nodes[0])
        elif kind == "before" and node.all_input_nodes:
            with graph.inserting_before(node):
                new = graph.call_method("mul", (node.all_input_nodes[0], 3.0))
            node.replace_input_with(node.all_input_nodes[0], new)
        elif kind == "argument" and node.target is operator.mul and not hasattr(node.args[1], "users"):
            node.update_arg(1, drawn.randint(3, 5))
        elif kind == "copy":
            new = torch.fx.Graph()
            known = {}
            result = new.graph_copy(graph, known)
            new.output(result)
            traced.graph = graph = new
        elif kind == "rename":
            node._rename(f"renamed_{drawn.randint(1, 2)}")
    graph.lint()
    traced.recompile()
    return traced


def flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [part for each in value for part in flat(each)] if isinstance(value, (list, tuple)) else [value]


def numbers(torch, function):
    x = torch.tensor([[0.5, -1.0], [2.0, 0.25]])
    return [each.tolist() for each in flat(function(x, x.t() + 1))]


@pytest.mark.parametrize("seed", range(60))
def test_drawn_programs_and_their_changes(pytorch, assert_same, seed):
    ours, theirs = (library.fx.symbolic_trace(model(library, seed)) for library in (rushlight, pytorch))
    assert_same(ours, theirs)
    wanted = numbers(rushlight, model(rushlight, seed))
    assert numbers(rushlight, ours) == wanted
    assert numbers(rushlight, rushlight.fx.Interpreter(ours).run) == wanted
    assert numbers(rushlight, rushlight.fx.Transformer(ours).transform()) == wanted
    assert_same(*(library.fx.Transformer(each).transform() for library, each in ((rushlight, ours), (pytorch, theirs))))
    ours, theirs = changed(rushlight, ours, seed), changed(pytorch, theirs, seed)
    assert_same(ours, theirs)
    assert_same(copy.deepcopy(ours), copy.deepcopy(theirs))
    one, other = (numbers_or_error(*pair) for pair in ((rushlight, ours), (pytorch, theirs)))
    assert close(one, other) if isinstance(other, list) else one == other


def numbers_or_error(torch, function):
    """The numbers of a graph whose changes may have left shapes that do not fit."""
    try:
        return numbers(torch, function)
    except RuntimeError:
        return "RuntimeError"


def close(one, other):
    pairs = zip(flat(one), flat(other), strict=True)
    return all(a == pytest.approx(b, rel=1e-4, abs=1e-5, nan_ok=True) for a, b in pairs)
