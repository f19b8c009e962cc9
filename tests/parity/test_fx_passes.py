"""Passes of `torch.fx`: patterns, shapes, parts and managers do to a graph what PyTorch's do."""

import copy
import operator

import pytest

import rushlight

PATTERNS = {
    "a function": (
        lambda torch: lambda x: torch.relu(x) + torch.relu(x * 2),
        lambda torch: (lambda x: torch.relu(x), lambda x: torch.tanh(x) * 2),
    ),
    "two in a row": (
        lambda torch: lambda x: torch.relu(torch.relu(torch.relu(x))),
        lambda torch: (lambda x: torch.relu(torch.relu(x)), lambda x: torch.sigmoid(x)),
    ),
    "a chain of replaced ones": (
        lambda torch: lambda x: (x + 1 + 1 + 1).sum(),
        lambda torch: (lambda x: x + 1, lambda x: x - 1),
    ),
    "several arguments": (
        lambda torch: lambda x, w: torch.cat([x, w], 0).sum() + torch.cat([w, x], 0).sum(),
        lambda torch: (lambda a, b: torch.cat([a, b], 0).sum(), lambda a, b: a.sum() + b.sum()),
    ),
    "a result used outside": (
        lambda torch: lambda x: (torch.exp(x), torch.exp(x) + 1),
        lambda torch: (lambda x: torch.exp(x) + 1, lambda x: torch.expm1(x) + 2),
    ),
    "an inner result used outside": (
        lambda torch: lambda x: (lambda y: (y + 1, y))(torch.exp(x)),
        lambda torch: (lambda x: torch.exp(x) + 1, lambda x: x),
    ),
    "constants": (
        lambda torch: lambda x: x.view(2, 3) + x.view(3, 2),
        lambda torch: (lambda x: x.view(2, 3), lambda x: x.reshape(2, 3)),
    ),
    "two results": (
        lambda torch: lambda x: (lambda e: (e + 1) * e.neg())(torch.exp(x)),
        lambda torch: (lambda x: (lambda e: (e + 1, e.neg()))(torch.exp(x)), lambda x: (x, x)),
    ),
    "nothing": (
        lambda torch: lambda x: x + 1,
        lambda torch: (lambda x: torch.exp(x), lambda x: x),
    ),
    "an argument of the replacement": (
        lambda torch: lambda x, y: x + y * 2,
        lambda torch: (lambda a, b: a + b * 2, lambda a, b: b),
    ),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_are_replaced_in_the_same_way(pytorch, assert_same, name):
    made = []
    for library in (rushlight, pytorch):
        program, patterns = (each(library) for each in PATTERNS[name])
        traced = library.fx.symbolic_trace(program)
        matches = library.fx.replace_pattern(traced, *patterns)
        traced.graph.lint()
        seen = [(str(match.anchor), {str(k): str(v) for k, v in match.nodes_map.items()}) for match in matches]
        made.append((traced, seen))
    (ours, our_matches), (theirs, their_matches) = made
    assert_same(ours, theirs)
    assert our_matches == their_matches


def test_filters_callbacks_and_wildcards(pytorch, assert_same):
    made = []
    for library in (rushlight, pytorch):
        replace = library.fx.subgraph_rewriter.replace_pattern_with_filters
        traced = library.fx.symbolic_trace(lambda x: (x + 1) * (x + 2) - (x + 3))

        def odd(match, graph, pattern):
            return any(2 not in node.args for node in match.nodes_map.values() if node.op == "call_function")

        def doubled(match, graph, pattern, library=library):
            return library.fx.symbolic_trace(lambda x: x * 2).graph

        changed = replace(traced, lambda x: x + 1, None, [odd], ignore_literals=True, replacement_callback=doubled)
        made.append((traced, [[str(node) for node in each.replacements] for each in changed]))
    assert_same(made[0][0], made[1][0])
    assert made[0][1] == made[1][1]


def test_a_module_takes_the_members_of_its_replacement(pytorch, assert_same):
    made = []
    for library in (rushlight, pytorch):
        nn = library.nn

        class Model(nn.Module):
            def __init__(self, nn=nn):
                super().__init__()
                self.layer, self.act = nn.Linear(2, 2), nn.ReLU()

            def forward(self, x):
                return self.act(self.layer(x))

        class Pattern(nn.Module):
            def __init__(self, nn=nn):
                super().__init__()
                self.act = nn.ReLU()

            def forward(self, x):
                return self.act(x)

        class Replacement(nn.Module):
            def __init__(self, nn=nn):
                super().__init__()
                self.other = nn.Tanh()

            def forward(self, x):
                return self.other(x)

        traced = library.fx.symbolic_trace(Model())
        library.fx.replace_pattern(
            traced, library.fx.symbolic_trace(Pattern()), library.fx.symbolic_trace(Replacement())
        )
        made.append(traced)
    assert_same(*made)
    assert [name for name, _ in made[0].named_modules()] == [name for name, _ in made[1].named_modules()]


def network(torch):
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
            self.head = nn.Sequential(nn.Linear(4, 5), nn.ReLU())
            self.scale = nn.Parameter(torch.ones(4))

        def forward(self, x, y):
            x = torch.relu(self.norm(self.conv(x)))
            x = x.mean((2, 3)) * self.scale
            parts = x.split(2, 1)
            return self.head(torch.cat(parts, 1)) + y, x.argmax(1)

    return Model().eval()


def test_shapes_are_noted(pytorch, in_public_names):
    made = []
    for library in (rushlight, pytorch):
        traced = library.fx.symbolic_trace(network(library))
        library.fx.passes.shape_prop.ShapeProp(traced).propagate(library.zeros(2, 3, 8, 8), library.zeros(5))
        rows = []
        for node in traced.graph.nodes:
            meta = node.meta.get("tensor_meta")
            rows.append((node.name, str(meta), node.meta["type"].__name__))
        made.append((rows, in_public_names(traced.print_readable(False))))
    assert made[0] == made[1]


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_a_module_is_split(pytorch, in_public_names, parts, keep):
    made = []
    for library in (rushlight, pytorch):
        traced = library.fx.symbolic_trace(network(library))
        numbers = {node: index * parts // len(traced.graph.nodes) for index, node in enumerate(traced.graph.nodes)}
        names = {}
        split = library.fx.passes.split_module.split_module(
            traced, None, numbers.__getitem__, names, keep_original_order=keep, keep_original_node_name=keep
        )
        made.append((split, names, traced))
    (ours, our_names, traced), (theirs, their_names, _) = made
    assert in_public_names(theirs.print_readable(False)) == ours.print_readable(False)
    assert our_names == their_names
    x, y = rushlight.randn(2, 3, 8, 8), rushlight.randn(5)
    assert all(map(rushlight.equal, ours(x, y), traced(x, y)))


def test_parts_that_need_each_other_are_refused(torch):
    traced = torch.fx.symbolic_trace(lambda x: torch.exp(torch.exp(torch.exp(x))))
    with pytest.raises(RuntimeError, match="cycle exists between partitions!"):
        torch.fx.passes.split_module.split_module(traced, None, lambda node: int(node.name == "exp_1"))


def test_nodes_are_fused_into_modules(torch):
    fuse = torch.fx.passes.utils.fuser_utils
    traced = torch.fx.symbolic_trace(lambda x, y: torch.exp(x * y) + torch.sin(y) - x)
    before = copy.deepcopy(traced)
    named = {node.name: node for node in traced.graph.nodes}
    assert not fuse.validate_partition([named["mul"], named["add"]])
    fuse.fuse_by_partitions(traced, [{named["mul"]: None, named["exp"]: None}, {named["sin"]: None}])
    traced.recompile()
    assert [node.target for node in traced.graph.nodes if node.op == "call_module"] == ["fused_0", "fused_1"]
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([0.5, 0.25])
    assert torch.equal(traced(x, y), before(x, y))
    assert torch.fx.passes.utils.common.compare_graphs(before.graph, copy.deepcopy(before).graph)
    assert not torch.fx.passes.utils.common.compare_graphs(before.graph, traced.graph)


def test_passes_run_in_an_allowed_order(torch):
    infra = torch.fx.passes.infra
    ran = []

    class First(infra.pass_base.PassBase):
        def call(self, graph_module):
            ran.append("first")
            return infra.pass_base.PassResult(graph_module, len(ran) < 3)

        def ensures(self, graph_module):
            ran.append("ensured")

    def second(graph_module):
        ran.append("second")

    first, second = First(), infra.pass_manager.pass_result_wrapper(second)
    manager = infra.pass_manager.PassManager([second, first])
    manager.add_constraint(infra.pass_manager.this_before_that_pass_constraint(first, second))
    with pytest.raises(RuntimeError, match="pass schedule constraint violated"):
        manager.validate_constraints()
    traced = torch.fx.symbolic_trace(lambda x: x + 1)
    assert manager(traced).modified
    assert ran == ["first", "ensured", "second"]
    manager.add_pass(lambda graph_module: 3)
    with pytest.raises(Exception, match="An error occurred when running the '<lambda>' pass after the following"):
        manager(traced)


def test_a_pattern_names_its_nodes():
    torch = rushlight  # PyTorch takes only patterns that `torch.export` has made
    from_names = torch.fx.passes.utils.matcher_with_name_node_map_utils.SubgraphMatcherWithNameNodeMap

    def pattern(x, w):
        product = torch.matmul(x, w)
        return torch.relu(product), {"product": product}

    traced = torch.fx.symbolic_trace(lambda x, w: torch.relu(torch.matmul(x, w)) * operator.neg(x))
    (match,) = from_names(torch.fx.symbolic_trace(pattern)).match(traced.graph)
    assert [(name, str(node)) for name, node in match.name_node_map.items()] == [("product", "matmul")]


def test_a_sorted_graph_runs(torch):
    traced = torch.fx.symbolic_trace(lambda x: torch.exp(x) + 1)
    nodes = list(traced.graph.nodes)
    nodes[2].append(nodes[1])
    with pytest.raises(RuntimeError, match="was used before it has been defined"):
        traced.graph.lint()
    torch.fx.passes.tools_common.legalize_graph(traced)
    traced.graph.lint()
    assert traced(torch.zeros(1)).tolist() == [2.0]
