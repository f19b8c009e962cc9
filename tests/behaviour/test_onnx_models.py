"""Models as ONNX files: onnxruntime gives the model's numbers, at sizes that the export has not seen."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.export import Dim
from rushlight.utils._pytree import tree_leaves

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

TOLERANCE = 1e-4
BATCH = Dim("batch")


def exported(model, args, folder, *others, **settings):
    """Exports a model to a file, and compares the file with the model on the example and on other inputs."""
    path = folder / "model.onnx"
    model.eval()
    program = torch.onnx.export(model, args, path, **settings)
    onnx.checker.check_model(str(path), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    for inputs in (args, *others):
        with torch.no_grad():
            expected = [value.numpy() for value in tree_leaves(model(*inputs))]
        got = session.run(None, dict(zip(names, [value.numpy() for value in inputs], strict=True)))
        for one, other in zip(got, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, TOLERANCE, TOLERANCE)
    return program


class DigitsMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(64, 32), nn.Linear(32, 10)

    def forward(self, x):
        return torch.log_softmax(self.out(torch.relu(self.hidden(x))), 1)


def test_a_perceptron_of_digits(tmp_path):
    program = exported(
        DigitsMLP(), (torch.randn(3, 64),), tmp_path, (torch.randn(17, 64),), dynamic_shapes=({0: BATCH},)
    )
    assert [node.op_type for node in program.model_proto.graph.node] == [
        "Gemm",
        "Relu",
        "Gemm",
        "LogSoftmax",
        "Identity",
    ]


def test_a_convolutional_network_of_digits(tmp_path):
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.GELU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(), nn.Linear(16, 10),
    )  # fmt: skip
    model(torch.randn(8, 1, 8, 8))  # so that the running statistics are not those of the start
    exported(model, (torch.randn(2, 1, 8, 8),), tmp_path, (torch.randn(9, 1, 8, 8),), dynamic_shapes=({0: BATCH},))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_a_recurrent_network_over_other_lengths_and_batches(kind, tmp_path):
    model = kind(5, 7, num_layers=2, bidirectional=True, batch_first=True)
    sizes = ({0: BATCH, 1: Dim("length")},)
    exported(model, (torch.randn(2, 6, 5),), tmp_path, (torch.randn(5, 13, 5),), dynamic_shapes=sizes)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.attention(self.norms[0](x)).split(width, dim=2)
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for part in parts)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(y.transpose(1, 2).contiguous().view(batch, length, width))
        return x + self.down(nn.functional.gelu(self.up(self.norms[1](x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, vocabulary=17, longest=12, width=16, heads=2, depth=2):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(longest, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        x = self.norm(self.blocks(x))
        return self.head(x), self.head(x[:, [-1], :])


def test_a_gpt_with_another_batch_and_length(tmp_path):
    tokens = [torch.randint(0, 17, size) for size in ((2, 6), (5, 12), (1, 1), (3, 9))]
    sizes = {"tokens": {0: BATCH, 1: Dim("length", max=12)}}
    program = exported(GPT(), (tokens[0],), tmp_path, *[(each,) for each in tokens[1:]], dynamic_shapes=sizes)
    assert [d.dim_param for d in program.model_proto.graph.input[0].type.tensor_type.shape.dim] == ["batch", "length"]
    weights = [each.name for each in program.model_proto.graph.initializer]
    assert "tokens.weight" in weights and "head.weight" not in weights, "tied weights are written once"


class Residual(nn.Module):
    def __init__(self, width, out, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True),
            nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out),
        )  # fmt: skip
        same = stride == 1 and width == out
        self.skip = nn.Identity() if same else nn.Sequential(
            nn.Conv2d(width, out, 1, stride, bias=False), nn.BatchNorm2d(out)
        )  # fmt: skip

    def forward(self, x):
        y = self.body(x)
        y += self.skip(x)
        return torch.relu_(y)


def resnet18(width=64):
    """The layers of ResNet-18."""
    widths = [width, width, 2 * width, 4 * width, 8 * width]
    stages = [
        layer for number, (before, out) in enumerate(zip(widths, widths[1:], strict=False))
        for layer in (Residual(before, out, 2 if number else 1), Residual(out, out, 1))
    ]  # fmt: skip
    stem = [
        nn.Conv2d(3, width, 7, 2, 3, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
    ]
    return nn.Sequential(*stem, *stages, nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(1), nn.Linear(8 * width, 1000))


def test_resnet18(tmp_path):
    image = {0: BATCH, 2: Dim("height"), 3: Dim("width")}
    other = (torch.randn(3, 3, 96, 64),)
    program = exported(resnet18(), (torch.randn(2, 3, 64, 64),), tmp_path, other, dynamic_shapes=(image,))
    assert (tmp_path / "model.onnx.data").stat().st_size > 4e7, "large weights are in a file of their own"
    assert {node.op_type for node in program.model_proto.graph.node} >= {"Conv", "BatchNormalization", "MaxPool"}


class ViT(nn.Module):
    def __init__(self, image=32, patch=8, width=32, depth=2, heads=4):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.1, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth, nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.head(self.encoder(x)[:, 0])


def test_a_vision_transformer(tmp_path):
    exported(ViT(), (torch.randn(2, 3, 32, 32),), tmp_path, (torch.randn(5, 3, 32, 32),), dynamic_shapes=({0: BATCH},))


class Sizes(nn.Module):
    """What programs compute from sizes, and writes to parts of a tensor."""

    def forward(self, x, y):
        batch, length = x.shape
        z = x / math.sqrt(length)
        z[:, 0] = 1
        z[:, 1:3] *= 2
        mask = torch.ones(length, length, dtype=torch.bool).tril()
        scores = (z[:, :, None] * y[:, None, :]).masked_fill(~mask, -1.0)
        pairs = torch.arange(length // 2 * 2, device=x.device).view(-1, 2)
        return scores.reshape(batch * length, -1), z.roll(1, 1).flip(1), pairs, x.new_zeros(batch, 2), x.var(1)


def test_programs_that_compute_with_sizes(tmp_path):
    length = 2 * Dim("half", min=2)
    inputs = [(torch.randn(b, n), torch.randn(b, n)) for b, n in ((3, 8), (2, 4), (6, 10))]
    sizes = ({0: BATCH, 1: length},) * 2
    exported(Sizes(), inputs[0], tmp_path, *inputs[1:], dynamic_shapes=sizes)


def test_dynamic_axes_name_inputs_as_the_program_wants(tmp_path):
    program = exported(
        DigitsMLP(), (torch.randn(3, 64),), tmp_path, (torch.randn(1, 64),), input_names=["pixels"],
        output_names=["digit"], dynamic_axes={"pixels": {0: "n"}, "digit": {0: "n"}}, opset_version=20,
    )  # fmt: skip
    graph = program.model_proto.graph
    assert (graph.input[0].name, graph.output[0].name) == ("pixels", "digit")
    assert graph.output[0].type.tensor_type.shape.dim[0].dim_param == "n"
    assert program.model_proto.opset_import[0].version == 20


def test_a_node_says_which_line_made_it():
    program = torch.onnx.export(DigitsMLP().eval(), (torch.randn(3, 64),))
    trace = program.model_proto.graph.node[1].metadata_props[0]
    assert trace.key == "pkg.torch.onnx.stack_trace" and "test_onnx_models.py" in trace.value


def test_a_program_runs_in_onnxruntime_and_verifies_itself():
    model = DigitsMLP().eval()
    program = torch.onnx.export(model, (torch.randn(3, 64),), verify=True)
    x = torch.randn(3, 64)
    torch.testing.assert_close(program(x)[0], model(x), rtol=TOLERANCE, atol=TOLERANCE)


class Weighted(nn.Module):
    def forward(self, x, y, z):
        return x - 2 * y + 5 * z


def test_a_program_is_called_with_keywords_in_any_order():
    one, two, three = (torch.full((2,), number) for number in (1.0, 2.0, 3.0))
    program = torch.onnx.export(Weighted().eval(), (one,), kwargs={"z": three, "y": two})
    assert [value.name for value in program.model_proto.graph.input] == ["x", "z", "y"]
    for keywords in ({"y": two, "z": three}, {"z": three, "y": two}):
        assert program(one, **keywords)[0].tolist() == [12.0, 12.0]
    for arguments in ((one,), (one, two, three, one)):
        with pytest.raises(TypeError, match="takes 3 tensors, x, z, y, but it got"):
            program(*arguments)


def test_a_file_that_is_there_is_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for width in (80, 40):
        model = nn.Linear(width, 16).eval()
        program = torch.onnx.export(model, (torch.ones(1, width),), "model.onnx")
        assert (tmp_path / "model.onnx.data").stat().st_size == 4 * 16 * width, "the bias is in the model's file"
        session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
        (got,) = session.run(None, {"input": np.ones((1, width), np.float32)})
        np.testing.assert_allclose(got, program(torch.ones(1, width))[0].numpy(), TOLERANCE, TOLERANCE)


class Refused(nn.Module):
    def forward(self, x):
        y = torch.fft.fft(x)
        return torch.lgamma(x), y.real


def test_what_onnx_cannot_express_is_named_with_its_line():
    with pytest.raises(torch.onnx.OnnxExporterError) as refused:
        torch.onnx.export(Refused().eval(), (torch.randn(4),))
    words = str(refused.value)
    assert "lgamma() at test_onnx_models.py" in words and "`return torch.lgamma(x), y.real`" in words
    assert "`y = torch.fft.fft(x)`" in words and "complex numbers" in words


class Branching(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x


def test_a_branch_on_elements_is_refused_with_its_line():
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"a branch depends on an element.*`if x.sum\(\) > 0:`"):
        torch.onnx.export(Branching().eval(), (torch.randn(4),))


class Looping(nn.Module):
    def forward(self, x):
        total = x[0]
        for number in range(1, x.shape[0]):
            total = total * 2 + x[number]
        return total


def test_a_loop_over_a_size_that_may_change_is_refused():
    with pytest.raises(torch.onnx.OnnxExporterError, match="other calls for other sizes.*test_onnx_models.py"):
        torch.onnx.export(Looping().eval(), (torch.randn(4, 2),), dynamic_shapes=({0: BATCH},))
    torch.onnx.export(Looping().eval(), (torch.randn(4, 2),), verify=True)


def test_a_program_may_say_how_an_operator_is_written():
    @torch.onnx.symbolic_helper.parse_args("v")
    def lgamma(g, x):
        assert torch.onnx.is_in_onnx_export()
        return g.op("my::LogGamma", x, scale_f=2.0)

    torch.onnx.register_custom_op_symbolic("aten::lgamma", lgamma, 18)
    try:
        program = torch.onnx.export(nn.Sequential(Gamma()).eval(), (torch.randn(4),))
    finally:
        torch.onnx.unregister_custom_op_symbolic("aten::lgamma", 18)
    node = program.model_proto.graph.node[0]
    assert (node.domain, node.op_type, node.attribute[0].f) == ("my", "LogGamma", 2.0)
    assert [(each.domain, each.version) for each in program.model_proto.opset_import] == [("", 18), ("my", 1)]


class Gamma(nn.Module):
    def forward(self, x):
        return torch.lgamma(x)


def test_training_mode_is_announced_and_its_buffers_refused():
    with (
        pytest.warns(UserWarning, match="while it is in training mode"),
        pytest.raises(torch.onnx.OnnxExporterError, match=r"model.eval|written to"),
    ):
        torch.onnx.export(nn.BatchNorm1d(3), (torch.randn(4, 3),))


def test_weights_may_stay_outside(tmp_path):
    program = torch.onnx.export(DigitsMLP().eval(), (torch.randn(3, 64),), export_params=False)
    assert not program.model_proto.graph.initializer
    assert "hidden.weight" in [value.name for value in program.model_proto.graph.input]


def test_an_old_opset_is_refused():
    with pytest.raises(ValueError, match="the least is 18"):
        torch.onnx.export(DigitsMLP().eval(), (torch.randn(3, 64),), opset_version=13)


def test_a_key_of_dynamic_axes_that_names_nothing_is_announced():
    model, x = DigitsMLP().eval(), torch.randn(3, 64)
    with pytest.warns(UserWarning, match="Provided key imput for dynamic axes is not a valid input/output name"):
        torch.onnx.export(model, (x,), dynamic_axes={"imput": {0: "n"}, "output": {0: "n"}})
    program = torch.export.export(model, (x,))
    with pytest.raises(NotImplementedError, match="dynamic_axes: not supported"):
        torch.onnx.export(program, dynamic_axes={"x": {0: "n"}})


@pytest.mark.parametrize("option", ["report", "profile", "fallback", "dump_exported_program", "training"])
def test_an_option_that_is_not_there_is_refused_by_name(option):
    with pytest.raises(NotImplementedError, match=f"torch.onnx.export: {option}: not supported"):
        torch.onnx.export(DigitsMLP().eval(), (torch.randn(3, 64),), **{option: True})


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_the_names_of_the_origin_are_public(torch):
    assert torch.onnx.producer_name == "rushlight"
    assert torch.onnx.producer_version.count(".") == 2
