"""Programs that read and change graphs with the passes of `torch.fx.passes` and `torch.fx.experimental`."""

import copy
import importlib
import operator
import pickle
import typing

import pytest


class Pair(typing.NamedTuple):
    x: object
    y: object


@pytest.fixture
def tool(torch):
    """Imports a module of `torch.fx` by its name there."""
    return lambda name: importlib.import_module(f"{torch.__name__}.fx.{name}")


def names(graph):
    return [node.name for node in graph.nodes]


# Signatures


def test_an_operator_has_a_signature_for_each_overload(torch, tool):
    schemas = tool("operator_schemas")
    signatures = schemas.get_signature_for_torch_op(torch.sin)
    assert [list(each.parameters) for each in signatures[:2]] == [["input"], ["input", "out"]]
    assert signatures[0].parameters["input"].annotation is torch.Tensor
    assert schemas.get_signature_for_torch_op(torch.nn.functional.relu) is None
    assert schemas.get_signature_for_torch_op(torch.ops.aten.sin)[0] == signatures[0]


def test_types_decide_between_overloads(torch, tool):
    normalize = tool("operator_schemas").normalize_function
    with pytest.raises(RuntimeError, match="the schema match was ambiguous"):
        normalize(torch.add, (1, 2), {})
    pair = normalize(torch.add, (1, 2), {}, (torch.Tensor, torch.Tensor), {}, True)
    assert pair.kwargs == {"input": 1, "other": 2, "alpha": 1}


def test_type_hints_of_arguments_are_compared(torch, tool):
    schemas = tool("operator_schemas")
    assert schemas.create_type_hint([bool, int]) == list[int]
    assert schemas.type_matches(typing.List[torch.Tensor], schemas.create_type_hint((torch.Tensor,)))  # noqa: UP006
    assert schemas.type_matches(typing.Optional[int], int)  # noqa: UP045
    assert not schemas.type_matches(typing.List[int], schemas.create_type_hint([str]))  # noqa: UP006


def test_a_strict_tracer_refuses_operators_that_write(torch):
    class Strict(torch.fx.Tracer):
        check_mutable_operations = True

    def program(x):
        return torch.relu_(x + 1)

    with pytest.raises(RuntimeError, match=r"Tried to trace mutable operation aten::relu_\(Tensor\(a!\) self\)"):
        Strict().trace(program)
    assert torch.fx.Tracer().trace(program).find_nodes(op="call_function", target=torch.relu_)


# Traces


def test_writing_a_proxy_into_a_tensor_is_a_node(torch):
    def program(x):
        total = torch.zeros(())
        total += x.sum()
        return total

    traced = torch.fx.symbolic_trace(program)
    assert traced(torch.ones(3)).item() == 3


def test_a_result_written_into_a_proxy_is_a_node(torch):
    def program(x):
        made = torch.empty_like(x)
        return torch.exp(x, out=made)

    assert torch.fx.symbolic_trace(program)(torch.zeros(2)).tolist() == [1, 1]


def test_a_tracer_can_be_copied(torch):
    tracer = torch.fx.Tracer()
    tracer.trace(lambda x: x + 1)
    assert names(copy.deepcopy(tracer).graph) == ["x", "add", "output"]


def test_a_named_tuple_of_values_is_an_argument(torch):
    program = torch.fx.symbolic_trace(
        lambda pair: pair.x + pair.y, concrete_args={"pair": Pair(torch.fx.PH, torch.fx.PH)}
    )
    assert program(Pair(1, 2)) == 3
    assert torch.fx.symbolic_trace(program)(Pair(1, 2)) == 3


def test_values_for_star_arguments_are_named_by_number(torch):
    class Total(torch.nn.Module):
        def forward(self, *values):
            return values[0] + values[1]

    traced = torch.fx.symbolic_trace(Total(), concrete_args=(torch.fx.PH, torch.fx.PH))
    assert names(traced.graph) == ["input_0", "input_1", "add", "output"]
    assert traced(2, 3) == 5


def test_generated_code_says_where_the_program_is(torch):
    def doubled(x):
        return x * 2

    file = torch.fx.symbolic_trace(doubled).forward.__code__.co_filename
    assert file.endswith(f" from {__file__}:{doubled.__code__.co_firstlineno} in doubled")


def test_a_code_generator_need_not_know_how_arguments_are_written(torch):
    class Listed(torch.fx.CodeGen):
        def generate_output(self, output_args):
            return f"return list({output_args!r})"

    traced = torch.fx.symbolic_trace(lambda x: (x + 1, x))
    traced.graph.set_codegen(Listed())
    traced.recompile()
    assert traced(1) == [2, 1]


def test_asserts_and_annotations_are_rewritten_before_a_trace(torch, tool):
    class Checked(torch.nn.Module):
        def forward(self, x):
            assert x.sum() > 0, """a text
of two lines"""
            y: torch.Tensor = x + self.helper()
            return y

        def helper(self):
            return 1

    rewriter = tool("experimental.rewriter")
    if torch.__name__ == "torch":  # PyTorch's copy of a module has no other methods
        Checked.helper = None
        assert rewriter.AST_Rewriter().rewrite(Checked.forward).__globals__ is globals()
        return
    tracer = rewriter.RewritingTracer()
    graph = tracer.trace(Checked())
    traced = torch.fx.GraphModule(tracer.root, graph)
    assert traced(torch.ones(2)).tolist() == [2, 2]
    with pytest.raises(AssertionError, match="a text\nof two lines"):
        traced(torch.zeros(2))


# make_fx


def test_a_run_becomes_a_graph_of_operators(torch, tool):
    made = tool("experimental.proxy_tensor").make_fx(lambda x: x.cos() + x.sum(dim=0))(torch.ones(3))
    assert [str(node.target) for node in made.graph.nodes] == [
        "x_1", "aten.cos.default", "aten.sum.dim_IntList", "aten.add.Tensor", "output",
    ]  # fmt: skip
    assert "torch.ops.aten.cos.default(x_1)" in made.code
    x = torch.tensor([0.5, 1.0, 2.0])
    torch.testing.assert_close(made(x), x.cos() + x.sum())


def test_a_backward_pass_is_in_the_graph_of_a_run(torch, tool):
    def slope(x):
        return torch.autograd.grad((x.sin() * x).sum(), x)[0]

    made = tool("experimental.proxy_tensor").make_fx(slope)(torch.ones(3, requires_grad=True))
    x = torch.tensor([0.5, 1.0, 2.0])
    torch.testing.assert_close(made(x), x.cos() * x + x.sin())


def test_a_run_takes_nested_arguments_writes_and_draws(torch, tool):
    make_fx = tool("experimental.proxy_tensor").make_fx
    nested = make_fx(lambda pair: {"sum": pair["a"] + pair["b"]})({"a": torch.ones(2), "b": torch.ones(2)})
    assert nested({"a": torch.zeros(2), "b": torch.ones(2)})["sum"].tolist() == [1, 1]

    def writes(x):
        y = x + 2
        y.add_(1)
        return x + y

    assert make_fx(writes)(torch.ones(2))(torch.zeros(2)).tolist() == [3, 3]
    drawn = make_fx(lambda x: torch.rand_like(x))(torch.ones(100))
    assert not torch.equal(drawn(torch.ones(100)), drawn(torch.ones(100)))


def test_weights_of_a_run_stay_parameters(torch, tool):
    layer = torch.nn.Linear(3, 2)
    made = tool("experimental.proxy_tensor").make_fx(lambda x: layer(x))(torch.ones(4, 3))
    assert {id(each) for each in made.parameters()} == {id(each) for each in layer.parameters()}


def test_operators_of_a_run_are_decomposed(torch, tool):
    table = {torch.ops.aten.relu.default: lambda x: torch.ops.aten.clamp_min.default(x, 0)}
    made = tool("experimental.proxy_tensor").make_fx(lambda x: torch.relu(x), table)(torch.ones(3))
    assert [str(node.target) for node in made.graph.nodes][1] == "aten.clamp_min.default"


# Equal calls, constants


def test_equal_calls_are_computed_once(torch, tool):
    passes = tool("passes.dialect.common.cse_pass")
    traced = torch.fx.symbolic_trace(lambda x: torch.sum(x, [0]) + torch.sum(x, [0]) + torch.sum(x, [1]))
    result = passes.CSEPass()(traced)
    assert result.modified
    assert names(result.graph_module.graph) == ["x", "sum_1", "add", "sum_3", "add_1", "output"]
    assert not passes.CSEPass()(result.graph_module).modified
    assert not passes.CSEPass(banned_ops={torch.sum})(traced).modified
    assert torch.ops.aten.rand_like in passes.get_CSE_banned_ops()


@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")  # PyTorch's own
def test_constants_are_computed_at_the_first_call(torch, tool):
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = (torch.nn.Parameter(torch.tensor([value])) for value in (1.0, 2.0))

        def forward(self, x):
            scale = self.one + self.two
            return x * scale + scale * self.two, self.one

    model = Scaled()
    folded = tool("experimental.const_fold").split_const_subgraphs(model)
    assert [node.op for node in folded.const_subgraph_module.graph.nodes].count("call_function") == 2
    assert [node.op for node in folded.graph.nodes].count("call_function") == 4
    assert not folded.has_folding_been_run
    for _ in range(2):
        assert folded(torch.ones(1))[0].item() == 9
    assert folded.has_folding_been_run
    kept = tool("experimental.const_fold").split_const_subgraphs(model, lambda node: node.target is operator.add)
    assert kept(torch.ones(1))[0].item() == 9


# Parts


def tagged(torch, *tags):
    traced = torch.fx.symbolic_trace(lambda x: torch.exp(torch.sin(x)) + torch.cos(x))
    for node in traced.graph.nodes:
        node.tag = dict(zip(("sin", "exp", "cos", "add"), tags, strict=True)).get(node.name)
    return traced


def test_tags_divide_a_graph(torch, tool):
    split = tool("passes.split_utils").split_by_tags
    made, members = split(tagged(torch, "a", "a", "b", "b"), ["a", "b"], return_fqn_mapping=True)
    assert members == {}
    assert names(made.graph) == ["x", "a", "b", "output"]
    assert names(made.a.graph) == ["x", "sin", "exp", "output"]
    x = torch.tensor([0.5])
    torch.testing.assert_close(made(x), x.sin().exp() + x.cos())
    assert isinstance(split(tagged(torch, "a", "a", "b", "b"), ["a", "b"], return_tuple=True).a(x), tuple)
    with pytest.raises(AssertionError, match="order must be >= max of its upstream components"):
        split(tagged(torch, "b", "a", "a", "a"), ["a", "b"])


def test_what_a_backend_supports_is_fused(torch, tool):
    support, partitioner = tool("passes.operator_support"), tool("passes.infra.partitioner")
    traced = torch.fx.symbolic_trace(lambda x: torch.cos(torch.sin(torch.tanh(torch.exp(torch.sin(x)) + torch.cos(x)))))
    chosen = support.create_op_support(lambda modules, node: node.name not in ("tanh", "x", "output"))
    proposed = partitioner.CapabilityBasedPartitioner(traced, chosen).propose_partitions()
    parts = [[node.name for node in part.nodes] for part in proposed]
    assert parts == [["sin_1", "cos_1"], ["sin", "exp", "cos", "add"]]
    fused = partitioner.CapabilityBasedPartitioner(traced, chosen).partition_and_fuse()
    assert [node.op for node in fused.graph.nodes] == [
        "placeholder", "call_module", "call_function", "call_module", "output",
    ]  # fmt: skip
    x = torch.tensor([0.5])
    torch.testing.assert_close(fused(x), torch.tanh(x.sin().exp() + x.cos()).sin().cos())


def test_parts_that_would_need_each_other_stay_apart(torch, tool):
    support, partitioner = tool("passes.operator_support"), tool("passes.infra.partitioner")
    traced = torch.fx.symbolic_trace(lambda x: (lambda y: torch.exp(y) + y)(torch.sin(x)))
    chosen = support.create_op_support(lambda modules, node: node.name in ("sin", "add"))
    grouped = partitioner.CapabilityBasedPartitioner(traced, chosen, allows_single_node_partition=True)
    assert [[node.name for node in part.nodes] for part in grouped.propose_partitions()] == [["add"], ["sin"]]


def test_support_depends_on_dtypes(torch, tool):
    support = tool("passes.operator_support")
    traced = torch.fx.symbolic_trace(lambda x: torch.exp(x))
    tool("passes.shape_prop").ShapeProp(traced).propagate(torch.zeros(2))
    node = traced.graph.find_nodes(op="call_function", target=torch.exp)[0]
    target = tool("passes.tools_common").get_node_target({}, node)
    for dtype, supported in ((torch.float32, True), (torch.int64, False)):
        table = support.OperatorSupport({target: (([dtype],), {})})
        assert table.is_node_supported({}, node) is supported
    declined = support.OpSupports.decline_if_input_dtype(torch.float32)
    named = support.OpSupports.decline_if_node_in_names({"exp"})
    assert not support.any_chain(declined, named).is_node_supported({}, node)
    assert not support.chain(table, named).is_node_supported({}, node)


# Sizes, weights, types


def test_nodes_know_the_memory_that_they_need(torch, tool):
    manipulation = tool("passes.graph_manipulation")
    traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(4, 4)))
    with pytest.raises(RuntimeError, match="has no tensor metadata"):
        manipulation.get_size_of_all_nodes(traced)
    manipulation.get_size_of_all_nodes(traced, [torch.zeros(2, 4)])
    assert [tuple(node.size_bytes) for node in traced.graph.nodes if node.op != "output"] == [(32, 32), (32, 112)]


def test_weights_are_noted_at_the_nodes_that_use_them(torch, tool):
    traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()))
    tool("passes.param_fetch").lift_lowering_attrs_to_nodes(traced)
    linear, relu = traced.graph.find_nodes(op="call_module")
    assert linear.attrs_for_lowering["weight"] is traced.get_parameter("0.weight")
    assert relu.attrs_for_lowering["inplace"] is False
    with pytest.raises(RuntimeError, match="is not in the module_fetch_book yet"):
        tool("passes.param_fetch").extract_attrs_for_lowering(torch.nn.Tanh())


@pytest.mark.parametrize(
    "kind", [tuple[int, str], tuple[str, ...], list[str], typing.Tuple[int, str]],  # noqa: UP006
)  # fmt: skip
def test_parts_of_a_value_have_its_types(torch, tool, kind):
    graph = torch.fx.Graph()
    part = graph.call_function(operator.getitem, (graph.placeholder("x", type_expr=kind), 1))
    tool("passes.annotate_getitem_nodes").annotate_getitem_nodes(graph)
    assert part.type is str


def test_calls_of_layers_get_the_types_that_these_return(torch, tool):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.relu, self.weight = torch.nn.ReLU(), torch.nn.Parameter(torch.ones(1))

        def forward(self, x):
            return torch.nn.functional.relu(self.relu(x) * self.weight)

    made = tool("experimental.schema_type_annotation").AnnotateTypesWithSchema(torch.fx.symbolic_trace(Model()))
    types = {node.name: node.type for node in made.transform().graph.nodes}
    assert types["relu"] is types["relu_1"] is types["weight"] is torch.Tensor
    assert types["mul"] is None


# One way to write calls; fewer steps


def test_calls_are_written_in_one_way(torch, tool):
    normalize = tool("experimental.normalize")
    traced = torch.fx.symbolic_trace(lambda x: torch.add(x, 1))
    operators = normalize.NormalizeOperators(traced).transform()
    assert operator.add in [node.target for node in operators.graph.nodes]
    elu = torch.fx.symbolic_trace(lambda x: torch.nn.functional.elu(x))
    (node,) = [x for x in normalize.NormalizeArgs(elu).transform().graph.nodes if x.op == "call_function"]
    assert list(node.kwargs) == ["input", "alpha", "inplace"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's module imports TorchScript
def test_batch_normalization_is_fused_and_dropout_removed(torch, tool):
    optimization = tool("experimental.optimization")
    torch.manual_seed(0)
    layers = torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.Dropout(), torch.nn.ReLU()
    model = torch.nn.Sequential(*layers)
    model(torch.randn(4, 1, 5, 5))
    model.eval()
    fused = optimization.remove_dropout(optimization.fuse(model))
    called = [type(fused.get_submodule(node.target)) for node in fused.graph.nodes if node.op == "call_module"]
    assert called == [torch.nn.Conv2d, torch.nn.ReLU]
    x = torch.randn(2, 1, 5, 5)
    torch.testing.assert_close(fused(x), model(x))
    config = {"mkldnn_layout_optimize": False}
    torch.testing.assert_close(optimization.optimize_for_inference(model, config)(x), model(x))


def test_products_with_one_matrix_are_joined(torch, tool):
    class Products(torch.nn.Module):
        def forward(self, x, y, w):
            return torch.matmul(x, w).sum() + torch.matmul(y, w).prod() + torch.matmul(torch.matmul(x, w), x).sum()

    model = Products()
    merged = tool("experimental.merge_matmul").merge_matmul(model)
    x, y, w = (torch.arange(4.0).reshape(2, 2) + number for number in range(3))
    torch.testing.assert_close(merged(x, y, w), model(x, y, w))


def test_sizes_are_numbers_in_a_trace_with_meta_tensors(torch, tool):
    class Halved(torch.nn.Module):
        def forward(self, x):
            return torch.nn.ReLU()(x[: x.shape[0] // 2])

    traced = tool("experimental.meta_tracer").symbolic_trace(Halved(), {"x": torch.zeros(6, device="meta")})
    assert traced(torch.arange(-2.0, 4)).tolist() == [0, 0, 0]


def test_a_tensor_without_elements_is_pickled(torch):
    restored = pickle.loads(pickle.dumps(torch.zeros(3, 2, device="meta", dtype=torch.int64).t()))
    assert restored.is_meta
    assert (restored.shape, restored.stride(), restored.dtype) == ((2, 3), (1, 2), torch.int64)


# Managers


def test_passes_run_in_order_and_repeatedly(torch, tool):
    manager = tool("passes.pass_manager")
    twice = manager.loop_pass(lambda x: [*x, len(x)], n_iter=2)
    appended = manager.inplace_wrapper(list.append)
    run = manager.PassManager([twice, manager.log_hook(lambda x: appended(x, "end"))])
    assert run([]) == [0, 1, "end"]
    run.add_constraint(manager.this_before_that_pass_constraint(run.passes[1], run.passes[0]))
    with pytest.raises(RuntimeError, match="pass schedule constraint violated"):
        run([])


def test_a_graph_out_of_order_is_sorted(torch, tool):
    tools = tool("passes.tools_common")
    for sort in (tools.legalize_graph, tools.stable_topological_sort):
        traced = torch.fx.symbolic_trace(lambda x: torch.exp(x) + torch.sin(x))
        last = next(node for node in traced.graph.nodes if node.name == "sin")
        traced.graph.find_nodes(op="placeholder")[0].prepend(last)
        assert names(sort(traced).graph) == ["x", "sin", "exp", "add", "output"] or sort is tools.legalize_graph
        traced.graph.lint()


# Types by sizes


def typed(torch, tool, function, *types):
    """A trace of a function whose arguments have types, after the check."""
    traced = torch.fx.symbolic_trace(function)
    for node, kind in zip(traced.graph.find_nodes(op="placeholder"), types, strict=True):
        node.type = kind
    tool("experimental.graph_gradual_typechecker").GraphTypeChecker({}, traced).type_check()
    return traced


def test_sizes_follow_through_a_network(torch, tool):
    dyn, of_sizes = tool("tensor_type").Dyn, tool("tensor_type").TensorType
    layers = torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.AdaptiveAvgPool2d((None, 5))
    traced = typed(torch, tool, torch.nn.Sequential(*layers, torch.nn.BatchNorm2d(8)), of_sizes((dyn, 3, 32, dyn)))
    types = [node.type.dims for node in traced.graph.nodes]
    assert types == [
        (dyn, 3, 32, dyn), (dyn, 8, 30, dyn), (dyn, 8, 30, dyn), (dyn, 8, 15, dyn), (dyn, 8, 5, 5), (dyn, 8, 5, 5),
        (dyn, 8, 5, 5),
    ]  # fmt: skip


def test_functions_have_types_by_sizes(torch, tool):
    dyn, of_sizes = tool("tensor_type").Dyn, tool("tensor_type").TensorType

    def program(x, y):
        moved = torch.transpose(torch.add(x, y), 0, 1)
        return torch.flatten(torch.reshape(moved, [4, 2, 3]), 1)

    traced = typed(torch, tool, program, of_sizes((2, 1)), of_sizes((12,)))
    types = [tuple(node.type.dims) for node in traced.graph.nodes]
    assert types == [(2, 1), (12,), (2, 12), (12, 2), (4, 2, 3), (4, 6), (4, 6)]
    unknown = typed(torch, tool, lambda x: torch.transpose(x, 0, 1), dyn)
    assert unknown.graph.output_node().type == dyn


@pytest.mark.parametrize(
    ("program", "sizes", "words"),
    [
        (lambda torch: torch.nn.Sequential(torch.nn.Conv2d(4, 8, 3)), (1, 3, 8, 8), "Cannot apply Conv2d"),
        (lambda torch: torch.nn.Sequential(torch.nn.Linear(4, 8)), (1, 3), "Inconsistent 4 and 3"),
        (lambda torch: torch.nn.Sequential(torch.nn.BatchNorm2d(4)), (1, 3), "Cannot extend tensor"),
        (lambda torch: lambda x: torch.reshape(x, [2, 2]), (5,), "Cannot reshape in node reshape"),
        (lambda torch: lambda x: torch.transpose(x, 0, 2), (5, 2), "Cannot transpose 0 and 2"),
        (lambda torch: lambda x: torch.flatten(x, 2), (5, 2), "Incompatible dimensions 2"),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(torch, tool, program, sizes, words):
    with pytest.raises(TypeError, match=words):
        typed(torch, tool, program(torch), tool("tensor_type").TensorType(sizes))


def test_unknown_sizes_that_are_equal_get_one_name(torch, tool):
    pytest.importorskip("sympy")
    dyn, of_sizes = tool("tensor_type").Dyn, tool("tensor_type").TensorType
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU())
    traced = typed(torch, tool, model, of_sizes((dyn, 3, dyn, 9)))
    tool("experimental.unify_refinements").infer_symbolic_types(traced)
    first, layer, last, _ = [node.type.dims for node in traced.graph.nodes]
    assert first[0] == layer[0] == last[0]
    assert str(layer[2]) == f"floor({first[2]}) - 2"
    assert last[3] == 7


def test_variables_are_unified(torch, tool):
    unification = tool("experimental.unification")
    x, y = unification.Var("x"), unification.Var("y")
    assert unification.unify((1, x, (y,)), (1, y, (2,)), {}) == {x: y, y: 2}
    assert unification.unify((1, x), (1,), {}) is False
    assert unification.reify((x, [y]), {x: y, y: 2}) == (2, [2])
