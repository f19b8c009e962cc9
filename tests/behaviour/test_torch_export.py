"""`torch.export`: a module as a graph of aten's operators, whose sizes may be others later."""

import io
import math

import pytest

import rushlight
from rushlight.testing.comparison import assert_close

# PyTorch's own code uses what it deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:`isinstance:FutureWarning")


def model_of(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 4)
            self.register_buffer("calls", torch.zeros(1))
            self.register_buffer("loose", torch.ones(4), persistent=False)
            self.shift = torch.ones(4)

        def forward(self, x, scale=None):
            self.calls.add_(1)
            h = torch.relu(self.layer(x)) + self.shift * self.loose
            if scale is not None:
                h = h * scale
            return {"parts": h.view(x.shape[0], 2, 2), "sum": h.sum(-1, keepdim=True)}

    return Model()


def exported(torch, model, args, **settings):
    return torch.export.export(model, args, **settings)


def targets(program):
    return [str(node.target) for node in program.graph.nodes if node.op == "call_function"]


def kinds(specs):
    return [(spec.kind.name, spec.target) for spec in specs]


def test_a_graph_takes_weights_and_arguments_as_inputs(torch):
    batch = torch.export.Dim("batch", max=10)
    model = model_of(torch)
    program = exported(torch, model, (torch.randn(2, 3),), dynamic_shapes=({0: batch},))
    signature = program.graph_signature
    assert kinds(signature.input_specs) == [
        ("PARAMETER", "layer.weight"), ("PARAMETER", "layer.bias"), ("BUFFER", "calls"), ("BUFFER", "loose"),
        ("CONSTANT_TENSOR", "shift"), ("USER_INPUT", None),
    ]  # fmt: skip
    assert [spec.persistent for spec in signature.input_specs[2:4]] == [True, False]
    assert kinds(signature.output_specs) == [("USER_OUTPUT", None)] * 2
    assert signature.parameters == ("layer.weight", "layer.bias")
    assert (tuple(signature.buffers), tuple(signature.user_inputs)) == (("calls", "loose"), ("x",))
    assert [name for name, _ in program.named_parameters()] == ["layer.weight", "layer.bias"]
    assert [name for name, _ in program.named_buffers()] == ["calls", "loose"]
    assert sorted(program.state_dict) == sorted(model.state_dict())
    placeholders = [node.name for node in program.graph.nodes if node.op == "placeholder"]
    assert placeholders == ["p_layer_weight", "p_layer_bias", "b_calls", "b_loose", "c_shift", "x"]


def test_operators_are_those_of_aten(torch):
    program = exported(torch, model_of(torch), (torch.randn(2, 3),), dynamic_shapes=({0: torch.export.Dim("batch")},))
    seen = [name for name in targets(program) if name not in ("aten.add_.Tensor", "aten.copy_.default")]
    wanted = ["linear.default", "relu.default", "mul.Tensor", "add.Tensor", "view.default", "sum.dim_IntList"]
    order = [name.removeprefix("aten.") for name in seen if name != "aten.sym_size.int"]
    assert [name for name in order if name != "add.Tensor"] == [name for name in wanted if name != "add.Tensor"]
    assert "aten.sym_size.int" in seen, "a size that may change is a node"
    view = next(node for node in program.graph.nodes if str(node.target) == "aten.view.default")
    assert str(view.args[1][0].target) == "aten.sym_size.int" and list(view.args[1][1:]) == [2, 2]
    assert "h.view(x.shape[0], 2, 2)" in view.meta["stack_trace"]
    assert tuple(view.meta["val"].shape)[1:] == (2, 2)


def test_a_program_is_called_by_its_module(torch):
    model = model_of(torch)
    args = torch.randn(2, 3)
    program = exported(torch, model, (args,), dynamic_shapes=({0: torch.export.Dim("batch", max=10)},))
    called = program.module()
    for size in (1, 2, 7):
        x = torch.randn(size, 3)
        got, wanted = called(x), model(x)
        assert list(got) == ["parts", "sum"]
        assert torch.allclose(got["parts"], wanted["parts"]) and torch.allclose(got["sum"], wanted["sum"])
    with pytest.raises(AssertionError, match=r"Guard failed: x.size\(\)\[0\] <= 10"):
        called(torch.randn(11, 3))
    with pytest.raises(AssertionError, match=r"Guard failed: x.size\(\)\[1\] == 3"):
        called(torch.randn(2, 4))
    with pytest.raises(RuntimeError, match="Unable to call ExportedProgram directly"):
        program(args)


def test_gradients_pass_through_a_program(torch):
    model = model_of(torch)
    program = exported(torch, model, (torch.randn(2, 3),))
    program.module()(torch.ones(2, 3))["sum"].sum().backward()
    again = model_of(torch)
    again.load_state_dict({name: tensor.detach() for name, tensor in program.state_dict.items()})
    again(torch.ones(2, 3))["sum"].sum().backward()
    ours = next(iter(program.parameters()))
    assert torch.allclose(ours.grad, next(again.parameters()).grad)


def test_arguments_are_structures(torch):
    class Model(torch.nn.Module):
        def forward(self, pair, *, options):
            return pair[0] * options["factor"] + pair[1], options["factor"]

    pair, options = (torch.ones(2), torch.ones(2)), {"factor": torch.tensor(2.0)}
    program = torch.export.export(Model(), (pair,), {"options": options})
    result = program.module()(pair, options={"factor": torch.tensor(3.0)})
    assert result[0].tolist() == [4.0, 4.0] and result[1].item() == 3.0
    with pytest.raises(ValueError, match="Trying to flatten user inputs with exported input tree spec"):
        program.module()((torch.ones(2), torch.ones(2), torch.ones(2)), options=options)


def test_a_program_that_decides_by_elements_is_refused(torch):
    class Model(torch.nn.Module):
        def forward(self, x):
            if x.sum() > 0:
                return x
            return -x

    with pytest.raises(RuntimeError, match="Could not guard on data-dependent expression") as refused:
        torch.export.export(Model(), (torch.ones(2),), strict=False)
    assert type(refused.value).__name__ == "GuardOnDataDependentSymNode"
    assert "if x.sum() > 0:" in str(refused.value), "the line is named"


def test_a_size_that_the_module_fixes_is_refused(torch):
    message = r"Constraints violated \(width\)!.*\n.*You marked width as dynamic but your code specialized it to be a "
    message += r"constant \(3\)"
    with pytest.raises(RuntimeError, match=message):
        width = torch.export.Dim("width")
        torch.export.export(torch.nn.Linear(3, 2), (torch.ones(2, 3),), dynamic_shapes=({1: width},))
    program = torch.export.export(
        torch.nn.Linear(3, 2), (torch.ones(2, 3),), dynamic_shapes=({1: torch.export.Dim.AUTO},)
    )
    assert program.module()(torch.ones(2, 3)).shape == (2, 2)


def test_only_modules_and_tuples_are_exported(torch):
    with pytest.raises(ValueError, match="Expected `mod` to be an instance of `torch.nn.Module`"):
        torch.export.export(torch.relu, (torch.ones(2),))
    with pytest.raises(RuntimeError, match="Expecting `args` to be a tuple of example positional inputs"):
        torch.export.export(torch.nn.ReLU(), torch.ones(2))


def test_sizes_that_are_equal_have_one_name(torch):
    class Model(torch.nn.Module):
        def forward(self, x, y):
            return torch.cat([x, y + x]).view(-1, 2), x.shape[0] * 2

    n = torch.export.Dim("n", min=2, max=20)
    program = torch.export.export(Model(), (torch.ones(4), torch.ones(4)), dynamic_shapes={"x": {0: n}, "y": {0: n}})
    got, count = program.module()(torch.ones(6), torch.ones(6))
    assert got.shape == (6, 2) and count == 12
    with pytest.raises(AssertionError, match="Guard failed"):
        program.module()(torch.ones(6), torch.ones(4))


def test_indexing_is_views_and_copies(torch):
    class Model(torch.nn.Module):
        def forward(self, x, at):
            y = x * 1
            y[:, 0] = 5
            y[1] = x[0]
            first, second = x[:2]
            return y[..., None, 1:], x[:, at], x[at, :2], first + second, x[[-1]]

    args = torch.arange(12.0).view(3, 4), torch.tensor([2, 0])
    program = torch.export.export(Model(), args)
    seen = targets(program)
    assert {"aten.select.int", "aten.slice.Tensor", "aten.unsqueeze.default", "aten.index.Tensor"} <= set(seen)
    assert "aten.copy_.default" in seen
    for got, wanted in zip(program.module()(*args), Model()(*args), strict=True):
        assert torch.equal(got, wanted)


def test_a_program_is_saved_and_loaded(torch):
    model = model_of(torch)
    program = exported(torch, model, (torch.randn(2, 3),), dynamic_shapes=({0: torch.export.Dim("batch", max=9)},))
    file, extra = io.BytesIO(), {"note": ""}
    torch.export.save(program, file, extra_files={"note": "of today"})
    file.seek(0)
    loaded = torch.export.load(file, extra_files=extra)
    x = torch.randn(5, 3)
    assert torch.allclose(loaded.module()(x)["parts"], model(x)["parts"])
    assert targets(loaded) == targets(program) and extra["note"] in ("of today", b"of today")
    assert kinds(loaded.graph_signature.input_specs) == kinds(program.graph_signature.input_specs)
    with pytest.raises(AssertionError, match=r"<= 9"):
        loaded.module()(torch.randn(10, 3))


def test_operators_are_decomposed(torch):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.Dropout()).eval()
    program = torch.export.export(model, (torch.randn(2, 3),), dynamic_shapes=({0: torch.export.Dim("batch")},))
    assert targets(program) == ["aten.linear.default", "aten.layer_norm.default", "aten.dropout.default"]
    core = program.run_decompositions()
    wanted = {"aten.permute.default", "aten.addmm.default", "aten.native_layer_norm.default"}
    assert wanted <= set(targets(core)) and "aten.linear.default" not in targets(core)
    x = torch.randn(5, 3)
    assert torch.allclose(core.module()(x), model(x), atol=1e-6)


def test_a_program_of_ones_own_decompositions():
    torch = rushlight

    def silu(x):
        return torch.ops.aten.mul.Tensor(x, torch.ops.aten.sigmoid.default(x))

    program = torch.export.export(torch.nn.SiLU(), (torch.randn(2),))
    own = program.run_decompositions({torch.ops.aten.silu.default: silu})
    assert targets(own) == ["aten.sigmoid.default", "aten.mul.Tensor"]


def test_layers_give_their_numbers_at_other_sizes():
    """What aten has no operator for stays a call of the library's function; the result is the same."""
    torch = rushlight
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    cnn = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))
    for model, size, dims in (
        (nn.LSTM(3, 4, batch_first=True, bidirectional=True), (2, 5, 3), (0, 1)),
        (nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (2, 5, 8), (0, 1)),
        (cnn, (2, 3, 8, 8), (0,)),
        (nn.Upsample(scale_factor=2), (2, 3, 4, 5), (0, 2, 3)),
    ):  # fmt: skip
        model.eval()
        spec = {dim: torch.export.Dim.DYNAMIC for dim in dims}
        program = torch.export.export(model, (torch.randn(*size),), dynamic_shapes=(spec,))
        x = torch.randn(*[n + 3 if dim in dims else n for dim, n in enumerate(size)])
        got, wanted = program.module()(x), model(x)
        assert_close(got[0], wanted[0])


def test_a_root_of_a_size_is_a_node():
    """PyTorch fixes the size there, and an export with a Dim fails."""
    torch = rushlight

    class Model(torch.nn.Module):
        def forward(self, x):
            return x / math.sqrt(x.shape[0])

    program = torch.export.export(Model(), (torch.ones(4),), dynamic_shapes=({0: torch.export.Dim("n")},))
    assert abs(program.module()(torch.ones(9))[0].item() - 1 / 3) < 1e-6


def test_sizes_are_no_dtypes():
    """`view.dtype` takes the number of a dtype, and comes before `view` with sizes."""
    torch = rushlight

    class Model(torch.nn.Module):
        def forward(self, x):
            return x.view(-1), x.repeat(2), x.split(1), x.expand(3, 4), x.to(torch.float64)

    x = torch.arange(4)
    program = torch.export.export(Model(), (x,))
    assert targets(program)[:2] == ["aten.view.default", "aten.repeat.default"]
    assert targets(program)[-1] == "aten._to_copy.default"
    for got, wanted in zip(program.module()(x), Model()(x), strict=True):
        assert str(got) == str(wanted)


def test_checks_of_a_program_are_no_nodes():
    torch = rushlight

    class Model(torch.nn.Module):
        def forward(self, x):
            torch._assert(x.dim() == 2, f"a batch, not {x.shape}")
            return x * 2 if x.is_floating_point() else x

    program = torch.export.export(Model(), (torch.ones(2, 3),), dynamic_shapes=({0: torch.export.Dim("n")},))
    assert targets(program) == ["aten.mul.Tensor"]


def test_a_loop_over_a_size_that_may_change_names_its_line():
    torch = rushlight

    class Model(torch.nn.Module):
        def forward(self, x):
            total = x[0]
            for number in range(1, x.shape[0]):
                total = total * 2 + x[number]
            return total

    with pytest.raises(RuntimeError, match="other calls for other sizes, at test_torch_export.py"):
        torch.export.export(Model(), (torch.ones(4),), dynamic_shapes=({0: torch.export.Dim("n")},))


def test_random_draws_are_refused():
    torch = rushlight
    with pytest.raises(RuntimeError, match="a random draw, which a graph does not make"):
        torch.export.export(torch.nn.Sequential(Noise()), (torch.ones(4),))


class Noise(rushlight.nn.Module):
    def forward(self, x):
        return x + rushlight.randn(4)


def test_a_file_of_something_else_is_refused():
    file = io.BytesIO()
    rushlight.save({"a": 1}, file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="no program that rushlight saved"):
        rushlight.export.load(file)


def stored_program():
    """The content of the file of a program, and a function that loads other content."""
    torch, file = rushlight, io.BytesIO()
    torch.export.save(torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),)), file)

    def load(content):
        other = io.BytesIO()
        torch.save(content, other)
        other.seek(0)
        return torch.export.load(other).module()(torch.ones(1, 2))

    file.seek(0)
    return torch.load(file), load


CODE = "x=print('code of the file')"


@pytest.mark.parametrize("change", [
    lambda content: content["nodes"][2].__setitem__(1, CODE),  # the name of a node
    lambda content: content["nodes"][2].__setitem__(2, CODE),  # the name of an argument
    lambda content: content["nodes"][3].__setitem__(4, {"dict": [[CODE, 1]]}),
    lambda content: content["nodes"][3].__setitem__(0, "call_method"),
    lambda content: content["nodes"][3].__setitem__(2, "torch.hub.os.system"),
    lambda content: content["nodes"][3].__setitem__(2, "torch.load"),
    lambda content: content["nodes"][3].__setitem__(2, "aten::from_file:default"),
    lambda content: content["nodes"][3].__setitem__(2, "operator.attrgetter"),
    lambda content: content["nodes"][3].__setitem__(3, {"tuple": [{"torch": "hub"}]}),
    lambda content: content["nodes"][3].__setitem__(3, {"tuple": [{"other": []}]}),
    lambda content: content["inputs"][0].__setitem__(4, 'weight"), print("code of the file'),
])  # fmt: skip
def test_a_file_runs_no_code_and_calls_operations_only(change, capsys):
    content, load = stored_program()
    load(content)
    change(content)
    with pytest.raises(RuntimeError, match="the file has no sound program"):
        load(content)
    assert not capsys.readouterr().out


def test_a_file_of_a_later_version_is_refused():
    content, load = stored_program()
    with pytest.raises(RuntimeError, match="a later version of rushlight saved the program"):
        load(content | {"version": 99})


def test_a_number_that_no_formula_of_sizes_gives_is_refused():
    torch = rushlight

    class Model(torch.nn.Module):
        def forward(self, x):
            return x * -math.sqrt(x.shape[0])

    with pytest.raises(RuntimeError, match="no formula gives it, at test_torch_export.py"):
        torch.export.export(Model(), (torch.ones(4),), dynamic_shapes=({0: torch.export.Dim("n")},))


def test_keywords_are_in_the_order_of_the_call(torch):
    class Model(torch.nn.Module):
        def forward(self, x, y=None, z=None):
            return x + 1, y - z.sum(0)

    keywords = {"z": torch.ones(5, 3), "y": torch.ones(3)}
    n = torch.export.Dim("n", min=2)
    for spec in ({"x": None, "y": None, "z": {0: n}}, (None, None, {0: n})):
        program = torch.export.export(Model(), (torch.ones(2),), keywords, dynamic_shapes=spec)
        assert program.graph_signature.user_inputs == ("x", "z", "y")
        assert program.module()(torch.ones(2), y=torch.ones(3), z=torch.ones(7, 3))[1].tolist() == [-6.0] * 3


def test_an_example_outside_of_the_bounds_is_refused(torch):
    for bounds, words in (({"max": 4}, r"7 not in range \[\d, 4\]"), ({"min": 8}, r"7 not in range \[8, int_oo\]")):
        with pytest.raises(RuntimeError, match=words):
            n = torch.export.Dim("n", **bounds)
            torch.export.export(torch.nn.ReLU(), (torch.ones(7, 2),), dynamic_shapes=({0: n},))


def test_bounds_with_too_few_sizes_are_refused():
    torch = rushlight
    with pytest.raises(RuntimeError, match="n has too few sizes between its bounds, 0 and 3"):
        n = torch.export.Dim("n", max=3)
        torch.export.export(torch.nn.ReLU(), (torch.ones(2, 2),), dynamic_shapes=({0: n},))


def test_a_range_without_an_upper_bound_is_printed_as_such(torch):
    n = torch.export.Dim("n", min=2)
    program = torch.export.export(torch.nn.ReLU(), (torch.ones(4),), dynamic_shapes=({0: n},))
    assert ": VR[2, int_oo]}" in str(program)
