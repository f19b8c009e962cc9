"""`torch.fx`: modules as graphs. A program traces a model, looks into the graph, changes it, and runs it."""

import copy
import importlib
import io
import operator
import pickle
import re
import types

import pytest

TOOLS = """
def helper(x, y):
    return x * 2 if float(y) > 0 else x

torch.fx.wrap("helper")
torch.fx.wrap("len")

@torch.fx.wrap
def other(x):
    return len([x]) + x

def program(x):
    return helper(x, 1.0) + other(x) + len(x)
"""


def network(torch):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
            self.scale = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0, 4.0]))
            self.register_buffer("shift", torch.ones(4))

        def forward(self, x: torch.Tensor, y=None, *, power=2):
            h = self.inner(x) * self.scale + self.shift
            h = torch.relu(h).view(h.size(0), -1).add(1, alpha=power)
            h += torch.nn.functional.relu(h, inplace=True)
            return {"out": h[:, 1:], "shape": h.shape[0]}

    return Block()


GRAPH = """graph():
    %x : torch.Tensor [num_users=1] = placeholder[target=x]
    %y : [num_users=0] = placeholder[target=y](default=None)
    %power : [num_users=1] = placeholder[target=power](default=2)
    %inner_0 : [num_users=1] = call_module[target=inner.0](args = (%x,), kwargs = {})
    %inner_1 : [num_users=1] = call_module[target=inner.1](args = (%inner_0,), kwargs = {})
    %scale : [num_users=1] = get_attr[target=scale]
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%inner_1, %scale), kwargs = {})
    %shift : [num_users=1] = get_attr[target=shift]
    %add : [num_users=2] = call_function[target=operator.add](args = (%mul, %shift), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%add,), kwargs = {})
    %size : [num_users=1] = call_method[target=size](args = (%add, 0), kwargs = {})
    %view : [num_users=1] = call_method[target=view](args = (%relu, %size, -1), kwargs = {})
    %add_1 : [num_users=2] = call_method[target=add](args = (%view, 1), kwargs = {alpha: %power})
    %relu_1 : [num_users=1] = call_function[target=torch.nn.functional.relu](args = (%add_1,), kwargs = {inplace: True})
    %add_2 : [num_users=2] = call_function[target=operator.add](args = (%add_1, %relu_1), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%add_2, (slice(None, None, None), slice(1, None, None))), kwargs = {})
    %getattr_1 : [num_users=1] = call_function[target=builtins.getattr](args = (%add_2, shape), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%getattr_1, 0), kwargs = {})
    return {'out': getitem, 'shape': getitem_1}"""  # noqa: E501


def test_a_module_becomes_a_graph_and_runs_as_before(torch):
    module = network(torch)
    traced = torch.fx.symbolic_trace(module)
    assert str(traced.graph) == GRAPH
    x = torch.randn(2, 3)
    result, expected = traced(x, power=3), module(x, power=3)
    assert torch.equal(result["out"], expected["out"])
    assert result["shape"] == 2
    result["out"].sum().backward()
    assert module.inner[0].weight.grad is not None
    assert list(traced.state_dict()) == ["scale", "shift", "inner.0.weight", "inner.0.bias"]


def test_the_code_of_a_graph_lets_names_go_after_their_last_use(torch):
    traced = torch.fx.symbolic_trace(lambda x, n=3: torch.cat([x.t(), -x.t()], dim=1).sum(dim=n - 3) ** 0.5)
    lines = [line.strip() for line in traced.code.strip().splitlines()]
    assert lines[0] == "def forward(self, x, n = 3):"
    assert lines[1] == "t = x.t()"
    assert "t_1 = x.t();  x = None" in lines
    assert lines[-1].startswith("return pow_")


def test_features_are_taken_out_of_the_middle_of_a_model(torch):
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    traced = torch.fx.symbolic_trace(module)
    nodes = list(traced.graph.nodes)
    traced.graph.erase_node(nodes[-1])
    middle = next(node for node in nodes if node.target == "1")
    with torch.inference_mode(), traced.graph.inserting_after(nodes[-2]):
        traced.graph.output({"middle": middle})
    assert traced.graph.eliminate_dead_code()
    traced.recompile()
    traced.delete_all_unused_submodules()
    x = torch.randn(5, 3)
    assert torch.equal(traced(x)["middle"], module[1](module[0](x)))
    assert [name for name, _ in traced.named_children()] == ["0", "1"]


def test_a_call_is_replaced(torch):
    traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + torch.relu(x - 1))
    for node in traced.graph.find_nodes(op="call_function", target=torch.relu):
        with traced.graph.inserting_after(node):
            new = traced.graph.call_function(torch.tanh, node.args)
        assert node.replace_all_uses_with(new)
        traced.graph.erase_node(node)
    traced.graph.lint()
    traced.recompile()
    x = torch.tensor([0.5, 2.0])
    assert torch.equal(traced(x), torch.tanh(x) + torch.tanh(x - 1))
    used = next(iter(traced.graph.nodes))
    with pytest.raises(RuntimeError, match="Tried to erase Node x but it still had 2 users in the graph"):
        traced.graph.erase_node(used)


def test_a_graph_is_made_by_hand(torch):
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    w = graph.get_attr("w")
    y = graph.call_module("layer", (x,))
    graph.output((graph.call_function(operator.mul, (y, w)), graph.call_method("sum", (x,))))
    module = torch.fx.GraphModule({"w": torch.full((2,), 3.0), "layer": torch.nn.Identity()}, graph, "Made")
    assert type(module).__name__ == "Made"
    product, total = module(torch.ones(2))
    assert (product.tolist(), total.item()) == ([3.0, 3.0], 2.0)
    with pytest.raises(RuntimeError, match="Node layer referenced target layer but that target was not provided"):
        torch.fx.GraphModule({"w": torch.ones(2)}, graph)


def test_functions_that_are_wrapped_are_nodes(torch):
    module = types.ModuleType("tools_of_a_program")
    module.torch = torch
    exec(compile(TOOLS, "tools.py", "exec"), vars(module))
    traced = torch.fx.symbolic_trace(module.program)
    called = [node.target for node in traced.graph.nodes if node.op == "call_function"]
    assert called == [module.helper, module.other, operator.add, len, operator.add]
    assert traced(torch.ones(2)).tolist() == [6.0, 6.0]
    assert module.helper(torch.ones(1), 1.0).item() == 2
    with pytest.raises(NotImplementedError, match="wrap must be called at the top level of a module"):
        torch.fx.wrap("len")


def test_what_is_only_known_in_the_run_cannot_be_branched_on(torch):
    def refused(program, kind, words):
        with pytest.raises(kind, match=words):
            torch.fx.symbolic_trace(program)

    trace_error = torch.fx.proxy.TraceError
    refused(lambda x: x if x.sum() > 0 else -x, trace_error, "symbolically traced variables cannot be used as inputs")
    refused(lambda x: list(x), trace_error, "Proxy object cannot be iterated")
    refused(lambda x: range(len(x)), RuntimeError, "'len' is not supported in symbolic tracing by default")


def test_a_size_is_unpacked_and_an_assertion_kept(torch):
    def program(x):
        rows, columns = x.shape
        torch._assert(rows == 2, "two rows")
        return x.reshape(columns, rows)

    traced = torch.fx.symbolic_trace(program)
    assert not traced.graph.eliminate_dead_code()
    assert traced(torch.ones(2, 3)).shape == (3, 2)
    with pytest.raises(AssertionError, match="two rows"):
        traced(torch.ones(3, 3))


def test_arguments_that_are_known_decide_branches(torch):
    def program(x, double):
        return x * 2 if double else x

    traced = torch.fx.symbolic_trace(program, concrete_args={"double": True})
    assert list(traced.graph.nodes)[-2].target is operator.mul
    assert traced(torch.ones(1), True).tolist() == [2.0]
    with pytest.raises(AssertionError, match="double has been specialized to have value True but got another value"):
        traced(torch.ones(1), False)


def test_any_number_of_arguments(torch):
    traced = torch.fx.symbolic_trace(lambda *values, **named: values[0] + values[1] * named["scale"])
    assert traced(1, 2, scale=3) == 7


def test_copies_and_pickles_are_apart(torch):
    traced = torch.fx.symbolic_trace(network(torch).eval())
    x = torch.randn(2, 3)
    expected = traced(x)["out"]
    copied = copy.deepcopy(traced)
    with torch.no_grad():
        traced.scale.zero_()
    assert torch.equal(copied(x)["out"], expected)
    assert str(copied.graph) == GRAPH
    assert not copied.training
    again = pickle.loads(pickle.dumps(torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2)))))
    assert again(torch.ones(1, 2)).shape == (1, 2)
    file = io.BytesIO()
    torch.save(again.state_dict(), file)
    assert list(again.state_dict()) == ["0.weight", "0.bias"]


def test_a_graph_runs_node_by_node(torch):
    class Counting(torch.fx.Interpreter):
        def run_node(self, n):
            seen.append(n.op)
            return super().run_node(n)

    seen = []
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
    x = torch.randn(2, 3)
    assert torch.equal(Counting(torch.fx.symbolic_trace(module)).run(x), module(x))
    assert seen == ["placeholder", "call_module", "call_module", "output"]
    with pytest.raises(RuntimeError, match="Expected positional argument for parameter input"):
        torch.fx.Interpreter(torch.fx.symbolic_trace(module)).run()


def test_a_graph_is_made_of_a_graph(torch):
    class Softer(torch.fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(torch.tanh if target is torch.relu else target, args, kwargs)

        def call_module(self, target, args, kwargs):
            return super().call_module(target, args, kwargs).neg()

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)

        def forward(self, x):
            return torch.relu(self.layer(x)), x

    model, x = Model(), torch.randn(3, 2)
    first, second = Softer(torch.fx.symbolic_trace(model)).transform()(x)
    assert torch.equal(first, torch.tanh(-model.layer(x)))
    assert second is x


def test_a_tracer_decides_what_it_looks_into(torch):
    class Whole(torch.fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            seen.append(module_qualified_name)
            return isinstance(m, torch.nn.Sequential)

    seen = []

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Sequential(torch.nn.ReLU())

        def forward(self, x):
            return self.body(x)

    graph = Whole().trace(Model())
    assert [node.op for node in graph.nodes] == ["placeholder", "call_module", "output"]
    assert seen == ["body"]


def test_nodes_move_and_arguments_change(torch):
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    first = graph.call_function(torch.exp, (x,))
    second = graph.call_function(torch.add, (x, 1))
    graph.output(second)
    first.prepend(second)
    assert [node.name for node in graph.nodes] == ["x", "add", "exp", "output"]
    second.update_arg(1, 5)
    second.insert_arg(1, x)
    second.update_kwarg("alpha", 2)
    assert (second.args, second.kwargs) == ((x, x, 5), {"alpha": 2})
    assert list(x.users) == [first, second] or list(x.users) == [second, first]
    first.args = (second,)
    assert first.all_input_nodes == [second]
    second.prepend(first)
    with pytest.raises(RuntimeError, match="Argument 'add' of Node 'exp' was used before it has been defined!"):
        graph.lint()


def test_a_negative_base_keeps_its_sign():
    import rushlight as torch

    traced = torch.fx.symbolic_trace(lambda x: (-2) ** x - -x)
    assert traced(torch.tensor([2.0, 3.0])).tolist() == [6.0, -5.0]


def test_functions_that_make_tensors_take_sizes_that_are_proxies(torch):
    def program(x):
        rows = x.size(0)
        return (
            torch.zeros((rows, 2)) + torch.arange(rows).unsqueeze(1) + torch.full((rows, 2), 1.0) + torch.ones(x.shape)
        )

    traced = torch.fx.symbolic_trace(program)
    assert [node.name for node in traced.graph.nodes if node.name in ("zeros", "arange", "full", "ones")] == [
        "zeros", "arange", "full", "ones",
    ]  # fmt: skip
    for rows in (1, 3):
        x = torch.zeros(rows, 2)
        assert torch.equal(traced(x), program(x))


def test_the_written_code_is_changed(torch, capsys):
    traced = torch.fx.symbolic_trace(lambda x: x * 2)
    with traced.graph.on_generate_code(lambda before: lambda body: ["print('runs')\n", *body]):
        traced.recompile()
    assert traced(3) == 6 and capsys.readouterr().out == "runs\n"
    traced.recompile()
    assert traced(3) == 6 and capsys.readouterr().out == ""

    class Listed(torch.fx.CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation):
            return f"def forward(self, args){maybe_return_annotation}:\n    {', '.join(free_vars)}, = args"

        def additional_globals(self):
            return [("torch_of_tests", torch)]

    traced.graph.set_codegen(Listed())
    traced.recompile()
    assert traced([4]) == 8
    assert copy.deepcopy(traced)([4]) == 8


def test_arguments_of_nodes_do_not_change(torch):
    traced = torch.fx.symbolic_trace(lambda x: torch.cat([x, x]))
    node = list(traced.graph.nodes)[1]
    with pytest.raises(TypeError, match="'immutable_list' object does not support mutation. If you are attempting to"):
        node.args[0].append(1)
    with pytest.raises(TypeError, match="'immutable_dict' object does not support mutation"):
        node.kwargs["dim"] = 1
    assert isinstance(node.args[0], list) and isinstance(node.kwargs, dict)
    leaves, structure = torch.utils._pytree.tree_flatten(node.args)
    assert len(leaves) == 2 and type(torch.utils._pytree.tree_unflatten(leaves, structure)[0]) is type(node.args[0])


def test_a_table_of_nodes(torch, capsys):
    if torch.__name__ == "torch":
        pytest.importorskip("tabulate", reason="PyTorch prints tables by the package tabulate")
    torch.fx.symbolic_trace(lambda x: x + 1).graph.print_tabular()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["opcode", "name", "target", "args", "kwargs"]
    assert lines[1] == "-------------  ------  -----------------------  ------  --------"
    assert lines[3].split()[:2] == ["call_function", "add"]


def test_a_module_is_written_into_a_folder(torch, tmp_path, monkeypatch):
    traced = torch.fx.symbolic_trace(network(torch))
    x = torch.randn(2, 3)
    with pytest.warns(UserWarning, match="Was not able to save the following children modules as reprs"):
        traced.to_folder(tmp_path / f"of_{torch.__name__}", "Written")
    source = (tmp_path / f"of_{torch.__name__}" / "module.py").read_text()
    assert "class Written(torch.nn.Module):" in source and "def forward(self, x : torch.Tensor, y = None" in source
    if torch.__name__ == "rushlight":  # `import torch` in the file is PyTorch's
        source = source.replace("import torch\n", "import rushlight as torch\n", 1).replace(
            "torch.fx._", "rushlight.fx._"
        )
        source = source.replace("torch.utils._", "rushlight.utils._").replace("from torch", "from rushlight")
        (tmp_path / "of_rushlight" / "module.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module(f"of_{torch.__name__}").Written()
    assert torch.equal(made(x)["out"], traced(x)["out"])


def test_a_folder_imports_functions_of_the_program(tmp_path, monkeypatch):
    import rushlight as torch

    (tmp_path / "wrapped_in_folder.py").write_text(f"import rushlight as torch\n{TOOLS}")
    monkeypatch.syspath_prepend(tmp_path)
    traced = torch.fx.symbolic_trace(importlib.import_module("wrapped_in_folder").program)
    traced.to_folder(tmp_path / "folder_of_wrapped")
    file = tmp_path / "folder_of_wrapped" / "module.py"
    file.write_text(re.sub(r"(import|from) torch", r"\1 rushlight", file.read_text()).replace(
        "import rushlight\n", "import rushlight\nimport rushlight as torch\n", 1))  # fmt: skip
    made = importlib.import_module("folder_of_wrapped").FxModule()
    assert made(torch.ones(2)).tolist() == traced(torch.ones(2)).tolist()


def test_functions_stay_wrapped_when_code_is_traced_again(torch, tmp_path, monkeypatch):
    name = f"wrapping_{torch.__name__}"
    (tmp_path / f"{name}.py").write_text(f"import {torch.__name__} as torch\n{TOOLS}")
    monkeypatch.syspath_prepend(tmp_path)
    traced = torch.fx.symbolic_trace(importlib.import_module(name).program)
    again = torch.fx.symbolic_trace(traced)
    assert [node.name for node in again.graph.nodes] == [node.name for node in traced.graph.nodes]
    assert again.code == traced.code and f'wrap("{name}_helper")' in traced.code
    assert again(torch.ones(2)).tolist() == traced(torch.ones(2)).tolist()


def test_an_error_in_generated_code_shows_its_line():
    import rushlight as torch

    traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) @ x)
    with pytest.raises(RuntimeError) as raised:
        traced(torch.ones(2, 3))
    notes = "\n".join(raised.value.__notes__)
    assert "Call using an FX-traced Module, line 5 of the traced Module's generated forward function" in notes or (
        "generated forward function" not in notes  # the library raised it
    )


def test_attributes_that_are_missing(torch):
    traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2)))
    with pytest.raises(AttributeError, match="has no attribute `missing`"):
        traced.graph.call_module("missing")
    with pytest.warns(UserWarning, match="Attempted to insert a get_attr Node with no underlying reference"):
        traced.graph.get_attr("missing")
    with pytest.raises(RuntimeError, match="references nonexistent attribute missing of"):
        traced.graph.lint()


def test_assertions_are_traced_if_wanted(torch):
    class Asserting(torch.fx.Tracer):
        trace_asserts = True

    names = {}
    exec("def program(x):\n    assert x.sum() > 0\n    return x + 1", names)  # pytest rewrites assertions here
    program = names["program"]
    with pytest.raises(torch.fx.proxy.TraceError):
        torch.fx.symbolic_trace(program)
    if torch.__name__ == "rushlight":  # PyTorch looks for an older instruction of Python
        graph = Asserting().trace(program)
        assert "assert_fn" in [node.name for node in graph.nodes]
        with pytest.raises(AssertionError):
            torch.fx.GraphModule({}, graph)(-torch.ones(2))


def test_parameters_whose_sizes_are_known(torch):
    class Shaped(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2, 3))

        def forward(self, x):
            return x @ self.weight if self.weight.shape[0] == 2 else x

    with pytest.raises(torch.fx.proxy.TraceError):
        torch.fx.Tracer().trace(Shaped())
    graph = torch.fx.Tracer(param_shapes_constant=True).trace(Shaped())
    assert [node.name for node in graph.nodes] == ["x", "weight", "matmul", "output"]


def test_arguments_by_name(torch):
    traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2)))
    node = list(traced.graph.nodes)[1]
    assert str(node.normalized_arguments(traced, normalize_to_only_use_kwargs=True).kwargs) == "{'input': input_1}"
    normalize = torch.fx.operator_schemas.normalize_function
    made = normalize(torch.nn.functional.dropout, (1, 0.1), {"training": False}, normalize_to_only_use_kwargs=True)
    assert made.kwargs == {"input": 1, "p": 0.1, "training": False, "inplace": False}


def test_nodes_take_over_notes(torch):
    traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    for node in traced.graph.nodes:
        node.meta["stack_trace"] = f"made {node.name}"
    changed = torch.fx.Transformer(traced).transform()
    assert [node.meta.get("stack_trace") for node in changed.graph.nodes][1:3] == ["made relu", "made add"]

    class Noting(torch.fx.Tracer):
        record_stack_traces = True

    if torch.__name__ == "rushlight":  # PyTorch finds no frame of the program under pytest
        graph = Noting().trace(lambda x: x + 1)
        assert "test_fx.py" in list(graph.nodes)[1].stack_trace


def test_a_backend_gets_the_same_graph_class(torch):
    seen = []

    def backend(gm, example_inputs):
        seen.append(gm)
        return gm.forward

    torch.compile(lambda x: torch.relu(x) * 2, backend=backend)(torch.ones(2))
    assert type(seen[0].graph) is torch.fx.Graph and isinstance(seen[0], torch.fx.GraphModule)
    assert len(torch.fx.replace_pattern(seen[0], lambda x: torch.relu(x), lambda x: torch.tanh(x))) == 1
    x = torch.ones(2)
    assert torch.allclose(seen[0](x)[0], torch.tanh(x) * 2)


def test_types_of_values_and_the_order_of_nodes(torch):
    types = torch.fx.tensor_type
    Dyn, TensorType = types.Dyn, types.TensorType
    assert types.is_consistent(TensorType((1, Dyn)), TensorType((1, 2))) and types.is_consistent(Dyn, int)
    assert not types.is_consistent(TensorType((1, 2)), TensorType((1,)))
    assert types.is_more_precise(TensorType((1, 2)), TensorType((1, Dyn)))
    assert not types.is_more_precise(TensorType((1, Dyn)), TensorType((1, 2)))

    annotate = importlib.import_module(f"{torch.__name__}.fx.annotate").annotate

    def program(x: TensorType((1, 2, Dyn))):
        return annotate(x + 1, int) * 2

    traced = torch.fx.symbolic_trace(program)
    x, add, mul, output = traced.graph.nodes
    assert x.type == TensorType((1, 2, Dyn)) and add.type is int and "add : int = x + 1" in traced.code
    assert x < add < mul < output and add > x and add <= add and not mul <= add
    assert sorted([output, mul, x]) == [x, mul, output]
    assert torch.fx.node._format_arg([x, 1, "a", (mul,)], 2) == "[%x, 1, ...[total_len=4]]"
